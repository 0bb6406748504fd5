"""Connections as such: how many there may be, what is sent over them that is no HTTP, and what the log says of it."""

import asyncio
import dataclasses
import http.client
import itertools
import json
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any
from unittest import mock

import pytest
import uvicorn
from samples.small_models import whole
from starlette.applications import Starlette

from dodona import DodonaError
from dodona.server import log, run
from dodona.server.app import create_app
from dodona.server.log import JsonFormatter, RequestRecord, TextFormatter
from dodona.server.models import Models
from dodona.server.run import _Connection, _Server, listen, serve
from dodona.server.service import Limits

MODELS = Models({"whole": whole()})
CHUNKED = b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


@contextmanager
def serving(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server in a thread of this process, and its address."""
    servers: list[_Server] = []
    begin = _Server.__init__

    def remember(self: _Server, *arguments: Any) -> None:
        servers.append(self)
        begin(self, *arguments)

    monkeypatch.setattr(_Server, "__init__", remember)
    (sock,) = listen("127.0.0.1", 0, 1)
    host, port = sock.getsockname()
    thread = threading.Thread(target=serve, args=(app, sock, 1.0))
    thread.start()
    try:
        yield host, port
    finally:
        servers[0].should_exit = True
        thread.join(60)
        assert not thread.is_alive()


def connect(place: tuple[str, int], stack: ExitStack, data: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    line = stack.enter_context(socket.create_connection(place, timeout=30, source_address=(source, 0)))
    line.sendall(data)
    return line


def ask_health(place: tuple[str, int], source: str) -> int:
    client = http.client.HTTPConnection(*place, timeout=30, source_address=(source, 0))
    try:
        client.request("GET", "/health")
        return client.getresponse().status
    finally:
        client.close()


def test_small_answers_are_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With Nagle's algorithm the end of each answer would wait for the client, which waits 40 ms."""
    seen = []
    begin = _Connection.connection_made

    def look(self: _Connection, transport: Any) -> None:
        seen.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        begin(self, transport)

    monkeypatch.setattr(_Connection, "connection_made", look)
    with serving(create_app(MODELS), monkeypatch) as place:
        assert ask_health(place, "127.0.0.1") == 200
    assert seen
    assert all(seen)


def is_closed(line: socket.socket) -> bool:
    """Wait for the end of a connection."""
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What is logged, also if an earlier test has set up the log as the command does."""
    for logger in (log.LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")):
        monkeypatch.setattr(logger, "propagate", True)
        monkeypatch.setattr(logger, "disabled", False)
        monkeypatch.setattr(logger, "filters", [])
        caplog.set_level(logging.WARNING, logger.name)
    caplog.set_level(logging.WARNING)
    return caplog


@pytest.mark.skipif(sys.platform != "linux", reason="needs 127.0.0.2")
def test_idle_connections_of_one_client_do_not_keep_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(MODELS, Limits(connections=3))
    with serving(app, monkeypatch) as place, ExitStack() as stack:
        *_, last = (connect(place, stack, data) for data in (b"", b"GET /", b"GET / HTTP/1.1\r\n"))
        assert is_closed(connect(place, stack))
        with pytest.raises((http.client.HTTPException, OSError)):
            ask_health(place, "127.0.0.1")
        assert ask_health(place, "127.0.0.2") == 200
        last.sendall(b"Host: localhost\r\n\r\n")
        assert last.recv(100).startswith(b"HTTP/1.1 200")  # so many are allowed
        stack.close()
        while _Connection.counts:
            threading.Event().wait(0.01)
        assert ask_health(place, "127.0.0.1") == 200


def test_the_connection_that_was_idle_for_the_longest_time_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "CONNECTIONS", 3)
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        busy = connect(place, stack, CHUNKED)  # its body is still to come
        busy.sendall(b"2\r\n{}\r\n")
        while not any(not each.is_idle for each in list_connections()):
            threading.Event().wait(0.01)
        oldest, later = connect(place, stack), connect(place, stack, b"GET /")
        while len(list_connections()) < 3:
            threading.Event().wait(0.01)
        assert ask_health(place, "127.0.0.1") == 200
        assert is_closed(oldest)
        later.sendall(b"health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert later.recv(100).startswith(b"HTTP/1.1 200")
        busy.sendall(b"0\r\n\r\n")
        assert busy.recv(100).startswith(b"HTTP/1.1 400")  # nothing to parse: it was worked on


def list_connections() -> list[_Connection]:
    import gc

    return [
        each
        for each in gc.get_objects()
        if isinstance(each, _Connection) and each.transport is not None and not each.transport.is_closing()
    ]


def test_the_head_of_a_later_request_must_come_in_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "IDLE", 0.2)
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        line = connect(place, stack, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /heal")
        received = b""
        while chunk := line.recv(10_000):
            received += chunk
        assert received.endswith(b'{"status": "ok"}')


@pytest.mark.parametrize(
    "junk",
    [
        b"\0\xff\r\n\r\n",
        CHUNKED + b"zz\r\n",
        CHUNKED + b'5\r\n{"tex\r\nzz\r\n',
        CHUNKED + b"ffffffffffffffffffffffff\r\n",
        CHUNKED + b"2\r\n{}xx0\r\n\r\n",
        b"POST /api/annotate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}\0\0\0\r\n\r\n",
    ],
)
def test_what_is_no_http_is_one_line_of_the_log(
    junk: bytes, monkeypatch: pytest.MonkeyPatch, lines: pytest.LogCaptureFixture
) -> None:
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        line = connect(place, stack, junk)
        received = b""
        while chunk := line.recv(10_000) if not received.count(b"\0") else b"":
            received += chunk
        assert b" 400 " in received or not received
        assert ask_health(place, "127.0.0.1") == 200
    assert len(lines.records) <= 1, lines.text
    assert all(record.exc_info is None for record in lines.records)


@pytest.mark.parametrize("address", [b"GET /health", b"GET /models", b"POST /nowhere"])
def test_a_bad_chunk_after_the_answer_is_one_line_of_the_log(
    address: bytes, monkeypatch: pytest.MonkeyPatch, lines: pytest.LogCaptureFixture
) -> None:
    with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
        line = connect(place, stack, CHUNKED.replace(b"POST /api/annotate", address))
        assert line.recv(12) in (b"HTTP/1.1 200", b"HTTP/1.1 405")  # before the body has come
        line.sendall(b"zz\r\n")
        while line.recv(10_000):
            pass
        assert ask_health(place, "127.0.0.1") == 200
    assert [record.getMessage() for record in lines.records] == ["Invalid HTTP request received."]
    assert all(record.exc_info is None for record in lines.records)


def test_lines_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    record = RequestRecord("7-1", "127.0.0.1", "POST", "/api/annotate", 200, 1.5, 12, 34, 1, 2, "en", text='a "b"\nc=')
    entry = logging.LogRecord("dodona.server", logging.INFO, "", 0, record, None, None)
    entry.created, entry.msecs = 0.0, 5.0
    text = TextFormatter().format(entry)
    assert text.startswith("1970-01-01T00:00:00.005Z info [")
    assert text.endswith(
        "] number=7-1 client=127.0.0.1 method=POST route=/api/annotate status=200 milliseconds=1.5 received=12 sent=34 "
        'sentences=1 words=2 model=en text="a \\"b\\"\\nc="'
    )
    shown = json.loads(JsonFormatter().format(entry))
    assert {"level": "info", "words": 2, "text": 'a "b"\nc=', "milliseconds": 1.5}.items() <= shown.items()
    assert "reason" not in shown
    for value, quoted in (("a=b", '"a=b"'), ("a b", '"a b"'), ('a"b', '"a\\"b"'), ("a\nb", '"a\\nb"'), ("a-b", "a-b")):
        entry.msg = RequestRecord(model=value)
        assert TextFormatter().format(entry).endswith(f" model={quoted}")
    try:
        raise ValueError("why")
    except ValueError as error:
        fault = logging.LogRecord("x", logging.ERROR, "", 0, "it %s", ("failed",), (ValueError, error, None))
    assert "] it failed\nTraceback" in TextFormatter().format(
        fault
    ) or "] it failed\nValueError" in TextFormatter().format(fault)
    assert json.loads(JsonFormatter().format(fault))["message"] == "it failed"
    assert "\n" not in JsonFormatter().format(fault)


def test_a_request_has_a_line_with_its_words_and_model_and_nothing_of_its_text(lines: pytest.LogCaptureFixture) -> None:
    from samples.asgi import ask

    lines.set_level(logging.INFO, log.LOGGER.name)
    body = json.dumps({"text": "the dog sees a cat ."}).encode()
    reply = ask(create_app(MODELS), "/api/annotate", body)
    ask(create_app(MODELS, Limits(shows_text=True)), "/api/annotate?secret=secret", body)
    ask(create_app(MODELS), "/secret", body)
    first, second, third = (entry.msg for entry in lines.records if isinstance(entry.msg, RequestRecord))
    assert (first.words, first.model, first.status, first.received) == (6, "whole", 200, len(body))
    assert (first.sent, first.sentences, first.text) == (len(reply.body), 1, "")
    assert reply.headers["x-request-id"] == first.number
    assert second.text == body.decode()
    assert (third.route, third.status) == ("other", 405)
    assert "secret" not in lines.text


def test_the_level_and_form_of_the_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    loggers = [log.LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")]
    before = [(each.handlers, each.propagate, each.level, each.filters[:]) for each in loggers]
    try:
        log.set_up_log("info", "json")
        log.LOGGER.info("one")
        log.LOGGER.debug("two")
        logging.getLogger("uvicorn.error").error("ASGI callable returned without completing response.")
        (line,) = capsys.readouterr().err.splitlines()
        assert json.loads(line)["message"] == "one"
        log.set_up_log("warning", "json")
        with serving(create_app(MODELS), monkeypatch) as place, ExitStack() as stack:
            upgrade = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
            assert connect(place, stack, upgrade).recv(12) == b"HTTP/1.1 200"
        assert capsys.readouterr().err == ""
    finally:
        for each, (handlers, propagate, level, filters) in zip(loggers, before, strict=True):
            each.handlers, each.propagate, each.level, each.filters = handlers, propagate, level, filters
            each.manager._clear_cache()  # type: ignore[attr-defined]


def test_versions() -> None:
    from samples.asgi import ask

    import dodona

    answer = ask(create_app(MODELS), "/version", method="GET").json
    assert (answer["dodona"], list(answer["models"])) == (dodona.__version__, ["whole"])


# All of each line


ALWAYS: dict[str, Any] = {"number": "", "client": "", "method": "", "route": "", "status": 0, "milliseconds": 0.0}


def describe_entry(message: object, *arguments: object) -> tuple[str, dict[str, Any]]:
    """What an entry is as text and as JSON, without its time, level and process, which are checked."""
    entry = logging.LogRecord("dodona.server", logging.WARNING, "", 0, message, arguments, None)
    entry.created, entry.msecs = 1e9, 7.9
    shown = json.loads(JsonFormatter().format(entry))
    about = {"time": "2001-09-09T01:46:40.007Z", "level": "warning", "process": os.getpid()}
    assert {name: shown.pop(name) for name in about} == about
    text = TextFormatter().format(entry)
    head = f"{about['time']} warning [{os.getpid()}] "
    assert text.startswith(head)
    return text.removeprefix(head), shown


def test_fields_of_a_line_are_there_always_or_if_they_say_something() -> None:
    fields = {field.name: "a" if field.type == "str" else 7 for field in dataclasses.fields(RequestRecord)}
    assert describe_entry(RequestRecord()) == (" ".join(f"{k}={v}" for k, v in ALWAYS.items()), ALWAYS)
    for name, value in fields.items():
        expected = ALWAYS | {name: value}
        record = RequestRecord(**{name: value})  # type: ignore[arg-type]
        assert describe_entry(record) == (" ".join(f"{k}={v}" for k, v in expected.items()), expected)
    assert describe_entry("a %s", "b = c") == ("a b = c", {"message": "a b = c"})


@pytest.mark.parametrize("value", ["a b", 'a"b', "a=b", "a\nb", "a\tb", "a\x1bb", "a\u2028b", "a\u202eb", "\0", " "])
def test_nothing_from_outside_ends_a_line_or_looks_like_a_field(value: str) -> None:
    for name in ("client", "model", "reason", "text"):
        fields: dict[str, Any] = {name: value}
        text, shown = describe_entry(RequestRecord(**fields))
        quoted = text.split(f" {name}=", 1)[1]
        assert quoted.startswith('"')
        assert json.loads(quoted[: quoted.rindex('"') + 1]) == value
        assert text.count("\n") == 0
        assert shown[name] == value


@pytest.fixture
def requests(lines: pytest.LogCaptureFixture) -> Callable[[], dict[str, Any]]:
    """What was noted of the only request since the last time."""
    lines.set_level(logging.INFO, log.LOGGER.name)

    def take() -> dict[str, Any]:
        (record,) = (entry.msg for entry in lines.records if isinstance(entry.msg, RequestRecord))
        lines.clear()
        return dataclasses.asdict(record)

    return take


def test_all_that_is_noted_of_a_request(requests: Callable[[], dict[str, Any]]) -> None:
    """Of good ones and of each kind that is refused; they are numbered."""
    from samples.asgi import ask

    app = create_app(MODELS, Limits(size=400, hosts=("localhost",), shows_text=True))
    text = json.dumps({"text": "the dog sees . a cat sleeps ."}).encode()
    long = json.dumps({"text": "", "model": "n" * 300}).encode()
    empty: dict[str, Any] = {
        "received": 0,
        "sent": 0,
        "sentences": 0,
        "words": 0,
        "model": "",
        "reason": "",
        "text": "",
    }
    read = {"sentences": 2, "words": 8, "model": "whole"}
    other = {"origin": "https://evil.example"}
    asked: list[tuple[str, str, bytes, int, dict[str, Any], dict[str, str]]] = [
        ("POST", "/api/annotate", text, 200, {"received": len(text), "text": text.decode(), **read}, {}),
        ("POST", "/api/annotate", long, 400, {"received": len(long), "text": long[:200].decode()}, {}),
        ("POST", "/api/annotate", b"x" * 401, 413, {}, {}),
        ("POST", "/api/annotate", b"", 403, {}, other),
        ("GET", "/health", b"", 200, {}, {}),
        ("HEAD", "/health", b"", 200, {}, {}),
        ("OPTIONS", "/health", b"", 405, {}, {}),
        ("PUT", "/health", b"", 405, {"method": "other"}, {}),
        ("GET", "/secret", b"", 404, {"route": "other"}, {}),
        ("GET", "/models", b"", 400, {}, {"host": "evil.example"}),
    ]  # fmt: skip
    for k, (method, path, body, status, more, headers) in enumerate(asked, start=1):
        reply = ask(app, path, body, method=method, headers=headers)
        noted = requests()
        assert reply.status == status
        assert 0 <= noted.pop("milliseconds") < 10_000
        about: dict[str, Any] = {"number": f"{os.getpid()}-{k}", "client": "127.0.0.1", "method": method, "route": path}
        about |= {"status": status, "sent": len(reply.body)}
        assert noted == empty | about | more


def test_the_time_of_a_request_is_in_milliseconds(
    requests: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from samples.asgi import ask

    now = 0.0

    def tick() -> float:
        nonlocal now
        now += 0.0125
        return now

    monkeypatch.setattr(time, "monotonic", tick)
    ask(create_app(MODELS), "/health", method="GET")
    assert requests()["milliseconds"] == pytest.approx(12.5)


@pytest.mark.parametrize("form", log.FORMATS)
@pytest.mark.parametrize("level", log.LEVELS)
def test_every_level_and_form_of_the_log(
    level: str, form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Dodona and of the libraries that serve it, once each; and nothing that another line tells."""
    loggers = [log.LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")]
    for each in loggers:
        for name in ("handlers", "propagate", "filters"):
            monkeypatch.setattr(each, name, getattr(each, name))
        monkeypatch.setattr(each, "filters", [])
    before = [each.level for each in loggers]
    try:
        log.set_up_log(level, form)
        for number, each in enumerate(loggers):
            for own in log.LEVELS:
                getattr(each, own)("line %s %s", number, own)
            for told in log.TOLD:
                each.error(f"it: {told}, you see")
        shown = capsys.readouterr().err.splitlines()
        levels = log.LEVELS[: log.LEVELS.index(level) + 1]
        expected = [f"line {number} {own}" for number in range(3) for own in levels]
        assert [re.findall(r"line \d \w+", line) for line in shown] == [[each] for each in expected]
        assert all(line.startswith("{") == (form == "json") for line in shown)
        assert not any(each.propagate for each in loggers)
    finally:
        for each, number in zip(loggers, before, strict=True):
            each.setLevel(number)


# Sockets


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"), ("0.0.0.0", "http://127.0.0.1:80/"), ("::", "http://[::1]:80/"),
        ("::1", "http://[::1]:80/"), ("10.1.2.3", "http://10.1.2.3:80/"), ("fe80::2", "http://[fe80::2]:80/"),
    ],
)  # fmt: skip
def test_addresses_that_a_browser_can_open(host: str, address: str) -> None:
    more = (0, 0) if ":" in host else ()
    assert run.write_address(mock.Mock(**{"getsockname.return_value": (host, 80, *more)})) == address


@pytest.mark.parametrize("given", ["/run/notify", "@abstract@name"])
def test_a_supervisor_is_told_once_that_the_models_are_there(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sock = mock.MagicMock()
    sock.__enter__.return_value = sock
    made = mock.Mock(return_value=sock)
    monkeypatch.setattr(socket, "socket", made)
    monkeypatch.setenv("NOTIFY_SOCKET", given)
    run.notify_ready()
    run.notify_ready()
    address = given.replace("@abstract", "\0abstract")
    assert sock.method_calls == [mock.call.connect(address), mock.call.sendall(b"READY=1\n")]
    made.assert_called_once_with(socket.AF_UNIX, socket.SOCK_DGRAM)
    assert "NOTIFY_SOCKET" not in os.environ
    monkeypatch.setenv("NOTIFY_SOCKET", given)
    sock.connect.side_effect = OSError(2, "nobody is there")
    run.notify_ready()


@pytest.mark.parametrize("count", [1, 3])
def test_a_socket_that_a_supervisor_passes_on(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only if it is for this process, and if there is one; what says so is not passed on further."""
    names = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"}
    for wrong in ({"LISTEN_PID": "1"}, {"LISTEN_FDS": "2"}, {"LISTEN_FDS": "0"}):
        with mock.patch.dict(os.environ, names | wrong):
            assert run.receive_socket(count) == []
            assert os.environ["LISTEN_FDNAMES"] == "web"
    with socket.create_server(("127.0.0.1", 0)) as own:
        for number, is_good in ((os.dup(own.fileno()), True), (os.open(os.devnull, os.O_RDONLY), False)):
            monkeypatch.setattr(run, "PASSED_SOCKET", number)
            with mock.patch.dict(os.environ, names):
                if is_good:
                    passed = run.receive_socket(count)
                    assert [each.getsockname() for each in passed] == [own.getsockname()] * count
                    for each in passed:
                        each.close()
                else:
                    with pytest.raises(DodonaError, match=r"^no socket was passed on, though LISTEN_FDS says so: "):
                        run.receive_socket(count)
                assert not names.keys() & os.environ.keys()


def test_the_folder_of_numbers_goes_with_the_server() -> None:
    for error in (None, KeyboardInterrupt):
        with suppress(KeyboardInterrupt), run.share_metrics():
            folder = os.environ["PROMETHEUS_MULTIPROC_DIR"]
            assert os.path.isdir(folder)
            if error is not None:
                raise error
        assert "PROMETHEUS_MULTIPROC_DIR" not in os.environ
        assert not os.path.exists(folder)


@pytest.mark.parametrize(("grace", "seconds"), [(0.2, 1), (1.0, 1), (2.5, 3), (60.0, 60)])
def test_what_a_server_is_made_with(grace: float, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long heads and idle connections hold nothing up, no header tells what runs, and requests have time to end."""
    made: dict[str, Any] = {}

    class Server:
        is_interrupted = seconds == 3

        def __init__(self, config: Any, state: Any, parent: int | None) -> None:
            made.update(config=config, state=state, parent=parent)

        def run(self, sockets: list[Any]) -> None:
            made["sockets"] = sockets

    closed: list[bool] = []
    app = create_app(MODELS, Limits(connections=7))
    close = app.state.close

    def end() -> None:
        closed.append(True)
        close()

    app.state.close = end
    monkeypatch.setattr(run, "_Server", Server)
    monkeypatch.setattr(_Connection, "most", 0)
    with pytest.raises(KeyboardInterrupt) if Server.is_interrupted else nullcontext():
        serve(app, "the socket", grace, 12)  # type: ignore[arg-type]
    assert (made["state"], made["parent"], made["sockets"], closed) == (app.state, 12, ["the socket"], [True])
    assert _Connection.most == 7
    names = {
        "app": app, "log_config": None, "access_log": False, "server_header": False, "timeout_keep_alive": 15,
        "timeout_graceful_shutdown": seconds, "lifespan": "off", "http": _Connection,
        "h11_max_incomplete_event_size": 1 << 14, "ws": "none",
    }  # fmt: skip
    assert {name: getattr(made["config"], name) for name in names} == names


@pytest.mark.parametrize("parent", [None, os.getppid(), -1])
def test_a_process_of_several_ends_with_the_first_one_and_tells_what_it_has_counted(
    parent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(MODELS)
    refreshed: list[bool] = []
    app.state.metrics.refresh = lambda: refreshed.append(True)
    server = _Server(uvicorn.Config(app, lifespan="off"), app.state, parent)
    for counter in range(11):
        asyncio.run(server.on_tick(counter))
    assert len(refreshed) == (0 if parent is None else 2)
    assert server.should_exit == (parent == -1)


class Children:
    """Processes as the first one of a server sees them: each is a number, and ends when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, events: list[Any]) -> None:
        self.calls: list[Any] = []
        self.numbers = itertools.count(101)
        self.events, self.ended = events, set[int]()
        monkeypatch.setattr(run, "_start", self.start)
        monkeypatch.setattr(run, "PAUSE", 0.0)
        monkeypatch.setattr(signal, "sigwait", self.wait)
        monkeypatch.setattr(os, "kill", self.kill)
        monkeypatch.setattr(os, "waitpid", lambda child, how: (child if child in self.ended else 0, 0))
        monkeypatch.setattr(
            "prometheus_client.multiprocess.mark_process_dead", lambda n: self.calls.append(("dead", n))
        )

    def start(self, work: Any, k: int, sockets: Any, mask: Any) -> int:
        self.calls.append(("start", k))
        return next(self.numbers)

    def wait(self, numbers: set[int]) -> int:
        """The next signal; a number of a child is its death."""
        assert numbers == {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
        event = self.events.pop(0)
        if isinstance(event, signal.Signals):
            return event
        self.ended.add(event)
        return signal.SIGCHLD

    def kill(self, child: int, number: int) -> None:
        self.calls.append((signal.Signals(number).name, child))


END = [("dead", 101), ("dead", 102)]
DIED = "a process of the server has died; another one takes its place"


@pytest.mark.skipif(os.name != "posix", reason="processes of POSIX")
@pytest.mark.parametrize(
    ("events", "calls", "is_interrupted"),
    [
        ([signal.SIGTERM, 101, 102], [("SIGTERM", 101), ("SIGTERM", 102), *END], False),
        ([signal.SIGINT, 101, 102], [("SIGTERM", 101), ("SIGTERM", 102), *END], True),
        ([signal.SIGINT, 101, signal.SIGINT, 102],
         [("SIGTERM", 101), ("SIGTERM", 102), END[0], ("SIGKILL", 102), END[1]], True),
        ([signal.SIGTERM, signal.SIGTERM, 101, 102],
         [("SIGTERM", 101), ("SIGTERM", 102), ("SIGTERM", 101), ("SIGTERM", 102), *END], False),
        ([signal.SIGTERM, signal.SIGINT, 101, 102],
         [("SIGTERM", 101), ("SIGTERM", 102), ("SIGKILL", 101), ("SIGKILL", 102), *END], True),
        ([102, signal.SIGTERM, 101, 103],
         [END[1], DIED, ("start", 1), ("SIGTERM", 101), ("SIGTERM", 103), END[0], ("dead", 103)], False),
        ([101, 103, signal.SIGTERM, 102, 104],
         [END[0], DIED, ("start", 0), ("dead", 103), DIED, ("start", 0), ("SIGTERM", 102), ("SIGTERM", 104), END[1],
          ("dead", 104)], False),
    ],
)  # fmt: skip
def test_what_the_first_process_does(
    events: list[Any], calls: list[Any], is_interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts the others, replaces those that die, and passes signals on; a second Ctrl-C ends all at once."""
    children = Children(monkeypatch, list(events))
    sockets = [mock.Mock(), mock.Mock()]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(KeyboardInterrupt) if is_interrupted else nullcontext():
        run.supervise(lambda k: None, sockets, children.calls.append)
    assert children.calls == [("start", 0), ("start", 1), *calls]
    assert children.events == []
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
    for sock in sockets:
        assert sock.close.called


@pytest.mark.parametrize("full", [False, True])
def test_how_many_connections_there_may_be(full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a client and of all, as many as the limit says; whoever is over it is closed, and in the log."""
    closed: list[tuple[int, str]] = []
    monkeypatch.setattr(_Connection, "close", lambda self, reason: closed.append((self.number, reason)))
    monkeypatch.setattr(_Connection, "counts", Counter[str]())
    monkeypatch.setattr(_Connection, "most", 3)
    monkeypatch.setattr(run, "CONNECTIONS", 5)
    config = uvicorn.Config(create_app(MODELS), lifespan="off", log_config=None)
    config.load()
    state = uvicorn.server.ServerState()
    loop = mock.Mock()
    made = []
    for number, client in enumerate("aaabbbc"):
        each = _Connection(config, state, {}, loop)
        each.number = number  # type: ignore[attr-defined]
        loop.time.return_value = 100.0 - number  # the last one has been idle for the longest time
        transport = mock.Mock(**{"is_closing.return_value": False})
        transport.get_extra_info = lambda name, client=client: (client, 1) if name == "peername" else None
        each.connection_made(transport)
        if full:
            each.cycle = mock.Mock(response_complete=False)
        made.append(each)
    assert dict(_Connection.counts) == {"a": 3, "b": 3, "c": 1}
    others = "there are 5 connections already" if full else "others need the connection"
    assert closed == [(5, others), (6, others)] if full else [(4, others), (5, others)]
    extra = _Connection(config, state, {}, loop)
    extra.number = 7  # type: ignore[attr-defined]
    extra.connection_made(mock.Mock(get_extra_info=lambda name: ("a", 2) if name == "peername" else None))
    assert closed[-1] == (7, "a has 3 connections already")
    for each in [*made, extra]:
        each.connection_lost(None)
    assert _Connection.counts == {}, "who has left is forgotten"
