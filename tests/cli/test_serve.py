"""`dodona serve` as a program: its address, its end, and what it says about mistakes."""

import contextlib
import gc
import http.client
import io
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import click
import pytest
from click.testing import CliRunner
from samples.signals import hearing_interrupts
from samples.small_models import whole

from dodona import DodonaError, OptionError
from dodona.cli.commands.serve import serve
from dodona.errors import FormatWarning
from dodona.pipeline import processes
from dodona.server import app as app_module
from dodona.server import log, run
from dodona.server import models as models_module
from dodona.server.service import Limits

ROOT = Path(__file__).parents[2]
TEXT = "the dog sees a cat ."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small.model"
    whole().save(path)
    return path


@contextlib.contextmanager
def serving(*arguments: str | Path) -> Iterator[tuple["subprocess.Popen[str]", str, int]]:
    """A server as a process of its own, and its host and port."""
    command = [sys.executable, "-m", "dodona", "serve", "--port", "0", *map(str, arguments)]
    with subprocess.Popen(
        hearing_interrupts(command), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        limit = threading.Timer(100, process.kill)
        limit.start()
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line.startswith("dodona: the playground is at http://127.0.0.1:"), line
            place = urlsplit(line.split()[-1])
            yield process, str(place.hostname), place.port or 0
        finally:
            process.kill()
            limit.cancel()


def refuses(host: str, port: int) -> bool:
    """Whether nobody listens any more."""
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((host, port)) != 0


def metrics(host: str, port: int) -> str:
    client = http.client.HTTPConnection(host, port, timeout=60)
    client.request("GET", "/metrics")
    return client.getresponse().read().decode()


def replace_one(server: "subprocess.Popen[str]") -> None:
    """Kill one of the processes of a server, and wait until it says so."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    if not children.exists():
        return  # only Linux tells
    while not children.read_text().split():
        time.sleep(0.01)
    os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    assert server.stderr is not None
    assert server.stderr.readline() == "dodona: a process of the server has died; another one takes its place\n"


def check_sums(host: str, port: int) -> None:
    """Whichever process is asked, it tells the numbers of both, and not of the one that has died."""
    while "dodona_processes 2.0\n" not in metrics(host, port):
        time.sleep(0.01)
    for _ in range(20):
        client = http.client.HTTPConnection(host, port, timeout=60)
        client.request("GET", "/models")
        assert client.getresponse().status == 200
    count = 'dodona_requests_total{method="GET",route="/models",status="200"} 20.0\n'
    while count not in metrics(host, port):  # an answer is counted when it has left
        time.sleep(0.01)
    assert all(count in metrics(host, port) for _ in range(10))


@pytest.mark.skipif(os.name != "posix", reason="signals and processes of POSIX")
@pytest.mark.parametrize(("number", "processes"), [(signal.SIGINT, 1), (signal.SIGTERM, 2)])
def test_a_signal_ends_the_server_after_the_running_requests(model: Path, number: int, processes: int) -> None:
    with serving(f"one:two={model}", "--processes", str(processes)) as (process, host, port):
        if processes > 1:
            replace_one(process)
            check_sums(host, port)
        body = json.dumps({"text": TEXT, "model": "two"}).encode()
        client = http.client.HTTPConnection(host, port, timeout=60)
        client.putrequest("POST", "/api/annotate")
        client.putheader("Content-Length", str(len(body)))
        client.endheaders(body[:5])
        while "dodona_requests_in_progress 1.0\n" not in metrics(host, port):
            time.sleep(0.01)
        process.send_signal(number)
        while not refuses(host, port):
            time.sleep(0.01)
        client.send(body[5:])
        answer = client.getresponse()
        assert answer.status == 200
        found = json.loads(answer.read())
        assert found == {"model": "one", "sentences": [sentence.to_dict() for sentence in whole()(TEXT)]}
        check_end(process, number)


def check_end(process: "subprocess.Popen[str]", number: int) -> None:
    code, line = (130, "interrupted") if number == signal.SIGINT else (0, "stopped")
    assert process.wait(60) == code
    assert process.stderr is not None
    assert process.stderr.read().strip() == f"dodona: {line}"


@pytest.mark.skipif(os.name != "posix", reason="signals and processes of POSIX")
def test_an_interrupt_ends_all_processes(model: Path) -> None:
    with serving(f"one={model}", "--processes", "2") as (process, *_):
        process.send_signal(signal.SIGINT)
        check_end(process, signal.SIGINT)


PASSING = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.set_inheritable(3, True)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "-m", "dodona", "serve", *sys.argv[2:]])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals and sockets of POSIX")
@pytest.mark.parametrize("processes", [2])
def test_a_socket_that_is_passed_on_outlives_a_server(model: Path, processes: int, tmp_path: Path) -> None:
    """As systemd does it: whoever comes between two servers waits, and is not refused."""
    with socket.create_server(("127.0.0.1", 0)) as sock, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(tmp_path / "notices"))
        notices.settimeout(60)
        host, port = sock.getsockname()

        def start() -> "subprocess.Popen[str]":
            command = [sys.executable, "-c", PASSING, str(sock.fileno()), str(model), "--processes", str(processes)]
            return subprocess.Popen(
                command, pass_fds=[sock.fileno()], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notices")},
            )  # fmt: skip

        def answers() -> int:
            client = http.client.HTTPConnection(host, port, timeout=60)
            client.request("GET", "/ready")
            return client.getresponse().status

        with start() as first:
            limit = threading.Timer(100, first.kill)
            limit.start()
            assert notices.recv(100) == b"READY=1\n"
            assert answers() == 200
            first.send_signal(signal.SIGTERM)
            assert first.wait(60) == 0
            limit.cancel()
        waiting = [socket.create_connection((host, port), timeout=60) for _ in range(5)]
        with start() as second:
            limit = threading.Timer(100, second.kill)
            limit.start()
            for line in waiting:
                line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                assert line.recv(100).startswith(b"HTTP/1.1 200")
                line.close()
            second.send_signal(signal.SIGTERM)
            assert second.wait(60) == 0
            limit.cancel()


def test_bad_bytes_on_the_line_do_no_harm_and_the_examples_of_the_page_work(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("Oak trees grow.\nThey rustle.\n", encoding="utf-8")
    with serving() as (_, host, port):
        for junk in (b"\0\xff\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"POST /process HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: x\r\n\r\n", b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n"):  # fmt: skip
            with socket.create_connection((host, port), timeout=60) as line:
                line.sendall(junk)
                with contextlib.suppress(ConnectionError):
                    assert line.recv(100).split()[1:2] == [b"400"]
        client = http.client.HTTPConnection(host, port, timeout=60)
        client.request("POST", "/process", "tokenizer=&output=horizontal&data=Oaks+grow",
                       {"Content-Type": "application/x-www-form-urlencoded"})  # fmt: skip
        answer = client.getresponse()
        assert (answer.status, json.loads(answer.read())["result"]) == (200, "Oaks grow\n")
        assert answer.headers["server"] is None
        page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8").replace("127.0.0.1:8001", f"{host}:{port}")
        check_examples(page, tmp_path)


def check_examples(page: str, folder: Path) -> None:
    """Run the Python of a page, and its commands with curl where that is installed."""
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(block, {})
        assert re.search(r"^2\s+trees\s.*NOUN.*nsubj", shown.getvalue(), re.M)
    commands = re.findall(r"^    (curl .*)$", page, re.M)
    assert len(commands) == 5
    for command in commands if shutil.which("curl") else ():
        done = subprocess.run(
            shlex.split(command.replace("--json", "--data")), cwd=folder, stdin=subprocess.DEVNULL,
            capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        answer = json.loads(done.stdout)
        assert "error" not in answer, command
        assert answer.get("model", "en") in ("en", "en-fast")


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (["nowhere.model"], DodonaError, "nowhere.model: there is no such file or model"),
        (["MODEL", "small=MODEL"], OptionError, "two models of the name 'small'; expected NAME=FILE with other names"),
        (["=MODEL"], OptionError, "expected NAME=FILE or NAME:NAME=FILE, with names without spaces"),
        (["a b=MODEL"], OptionError, "expected NAME=FILE or NAME:NAME=FILE, with names without spaces"),
        (["a="], OptionError, "expected NAME=FILE or NAME:NAME=FILE, with names without spaces"),
        (["MODEL", "--max-memory", "1"], OptionError, "memory 1,048,576 bytes: expected at least 33,554,432"),
        (["MODEL", "--host", "256.1.1.1"], DodonaError, "cannot listen on 256.1.1.1, port 0: "),
    ],
)
def test_mistakes_are_told(model: Path, arguments: list[str], kind: type[Exception], message: str) -> None:
    given = [argument.replace("MODEL", str(model)) for argument in arguments]
    error = CliRunner().invoke(serve, ["--port", "0", *given]).exception
    assert isinstance(error, kind)
    assert message in str(error)


def test_a_port_that_is_taken_is_told(model: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        error = CliRunner().invoke(serve, [str(model), "--port", str(port)]).exception
    assert isinstance(error, DodonaError)
    assert str(error).startswith(f"cannot listen on 127.0.0.1, port {port}: ")


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "dodona.server.run", raising=False)
    error = CliRunner().invoke(serve, []).exception
    assert isinstance(error, OptionError)
    assert "install them with: pip install 'dodona[serve]'" in str(error)


# Options


class Served:
    """What the command does, without a server: what each part of it was called with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: dict[str, Any] = {"launch": [], "serve": [], "supervise": 0, "ready": 0, "shared": 0}
        self.sockets: list[Any] = []
        self.passed: list[Any] = []
        monkeypatch.setattr(processes, "available_cores", lambda: 8)
        monkeypatch.setattr(gc, "collect", lambda: None)
        monkeypatch.setattr(gc, "freeze", lambda: None)
        monkeypatch.setattr(click, "launch", self.calls["launch"].append)
        monkeypatch.setattr(log, "set_up_log", lambda *given: self.calls.update(log=given))
        monkeypatch.setattr(models_module.Models, "load", self.load)
        monkeypatch.setattr(app_module, "create_app", self.create_app)
        monkeypatch.setattr(run, "receive_socket", lambda count: self.passed * count)
        for name in ("listen", "share_metrics", "serve", "supervise", "notify_ready"):
            monkeypatch.setattr(run, name, getattr(self, name))

    def load(self, wanted: tuple[str, ...]) -> str:
        self.calls["models"] = wanted
        return "the models"

    def create_app(self, loaded: str, limits: Limits) -> str:
        assert loaded == "the models"
        self.calls["limits"] = limits
        return "the application"

    def listen(self, *given: Any) -> list[Any]:
        self.calls["listen"] = given
        self.sockets = [mock.MagicMock(**{"getsockname.return_value": ("127.0.0.1", 4711)}) for _ in range(given[2])]
        for each in self.sockets:
            each.__enter__.return_value = each
        return self.sockets

    @contextlib.contextmanager
    def share_metrics(self) -> Iterator[None]:
        self.calls["shared"] += 1
        yield

    def notify_ready(self) -> None:
        self.calls["ready"] += 1

    def supervise(self, work: Callable[[int], None], sockets: list[Any], told: Any) -> None:
        assert sockets == self.sockets
        self.calls["supervise"] += 1
        for k in range(len(sockets)):
            work(k)

    def serve(self, app: str, sock: Any, grace: float, parent: int | None) -> None:
        assert app == "the application"
        own = [(kind, meant) for kind, _, meant, *_ in warnings.filters]
        assert ("ignore", FormatWarning) in own, "who sends a text sees what is odd about it, and not the terminal"
        self.calls["serve"].append((self.sockets.index(sock), grace, parent))

    def call(self, *arguments: object) -> dict[str, Any]:
        with warnings.catch_warnings():
            done = CliRunner().invoke(serve, [str(argument) for argument in arguments])
        assert done.exception is None, done.output
        assert done.stderr == "dodona: the playground is at http://127.0.0.1:4711/\ndodona: stopped\n"
        assert done.stdout == ""
        return self.calls


LOCAL = ("127.0.0.1", "::1", "localhost")
LIMITS = Limits(threads=8, hosts=LOCAL)
"""What is not said on the command line is as where a server is made by a program."""
DEFAULTS: dict[str, Any] = {
    "models": (), "limits": LIMITS, "log": ("warning", "text"), "listen": ("127.0.0.1", 8001, 1), "launch": [],
    "serve": [(0, 60.0, None)], "supervise": 0, "ready": 1, "shared": 0,
}  # fmt: skip
ARRIVING: dict[str, list[tuple[Sequence[object], dict[str, Any]]]] = {
    "models": [(["a", "b=c"], {"models": ("a", "b=c")})],
    "host": [
        (["--host", "0.0.0.0"], {"listen": ("0.0.0.0", 8001, 1), "limits": replace(LIMITS, hosts=())}),
        *((["--host", each], {"listen": (each, 8001, 1)}) for each in LOCAL),
    ],
    "port": [(["--port", 0], {"listen": ("127.0.0.1", 0, 1)}), (["--port", 65535], {"listen": (LOCAL[0], 65535, 1)})],
    "opened": [(["--open"], {"launch": ["http://127.0.0.1:4711/"]})],
    "threads": [
        (["--threads", 3], {"limits": replace(LIMITS, threads=3)}),
        (["--threads", 0], {}),
    ],
    "processes": [
        (["--processes", count], {
            "listen": (LOCAL[0], 8001, count), "limits": replace(LIMITS, threads=threads), "supervise": 1, "shared": 1,
            "serve": [(k, 60.0, os.getpid()) for k in range(count)],
        }) for count, threads in ((2, 4), (3, 2), (9, 1))
    ],
    "waiting": [(["--waiting", 0], {"limits": replace(LIMITS, waiting=0)})],
    "per_client": [(["--per-client", 7], {"limits": replace(LIMITS, client=7)})],
    "timeout": [(["--timeout", 2.5], {"limits": replace(LIMITS, seconds=2.5), "serve": [(0, 2.5, None)]})],
    "max_size": [(["--max-size", 0.5], {"limits": replace(LIMITS, size=1 << 19)})],
    "connections": [(["--connections", 9], {"limits": replace(LIMITS, connections=9)})],
    "max_memory": [(["--max-memory", 64.5], {"limits": replace(LIMITS, memory=129 << 19)})],
    "hosts": [
        (["--allow-host", "a.example", "--allow-host", "*.b"], {"limits": replace(LIMITS, hosts=("a.example", "*.b"))}),
        (["--allow-host", "a", "--host", "::"], {"limits": replace(LIMITS, hosts=("a",)), "listen": ("::", 8001, 1)}),
    ],
    "origins": [(["--allow-origin", "o", "--allow-origin", "p"], {"limits": replace(LIMITS, origins=("o", "p"))})],
    "log_level": [(["--log-level", each], {"log": (each, "text")}) for each in log.LEVELS],
    "log_format": [(["--log-format", each], {"log": ("warning", each)}) for each in log.FORMATS],
    "log_text": [(["--log-text"], {"limits": replace(LIMITS, shows_text=True)})],
}  # fmt: skip


@pytest.mark.parametrize("name", [str(parameter.name) for parameter in serve.params])
def test_every_option_arrives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing else is other than without it. A new option must have an example above."""
    assert Served(monkeypatch).call() == DEFAULTS
    for given, changed in ARRIVING[name]:
        assert Served(monkeypatch).call(*given) == DEFAULTS | changed, given


def test_a_socket_that_is_passed_on_is_used_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(monkeypatch)
    served.passed = served.listen("passed", 0, 1)
    del served.calls["listen"]
    expected = {key: value for key, value in DEFAULTS.items() if key != "listen"}
    assert served.call("--port", 9) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--port", each] for each in (-1, 65536)), *(["--threads", -1], ["--processes", 0], ["--waiting", -1]),
        *([f"--{each}", 0] for each in ("per-client", "timeout", "max-size", "connections", "max-memory")),
        ["--log-level", "all"], ["--log-format", "xml"],
    ],
)  # fmt: skip
def test_values_out_of_bounds_are_refused(wrong: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    Served(monkeypatch)
    done = CliRunner().invoke(serve, [str(each) for each in wrong])
    assert (done.exit_code, f"Invalid value for '{wrong[0]}'" in done.stderr) == (2, True)
