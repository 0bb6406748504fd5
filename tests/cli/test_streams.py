"""`dodona parse` on pipes and terminals: answers while the input goes on; closed streams, signals, bad bytes."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from samples.signals import hearing_interrupts

import dodona
from dodona import Sentence
from dodona.cli import process as surroundings

PARSE = [sys.executable, "-m", "dodona", "parse", "en-fast"]
ROWS = Sentence.from_words(["Oak", "trees", "grow"]).to_bytes()
TEXT = b"Oak trees grow slowly in the forest. Nobody asks why they do it. "
PATIENCE = 60  # seconds until a test fails rather than hangs


@contextmanager
def started(*arguments: str | Path, stdin: int, **options: Any) -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(hearing_interrupts([*PARSE, *map(str, arguments)]), stdin=stdin, **options)
    try:
        yield process
    finally:
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.kill()
        process.wait()


def wait_until_read(handle: int) -> None:
    """Until somebody has taken all that was written into a pipe."""
    deadline = time.monotonic() + PATIENCE
    while struct.unpack("i", fcntl.ioctl(handle, termios.FIONREAD, bytes(4))) != (0,):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def answer(handle: int, end: bytes) -> bytes:
    """What comes, up to this end."""
    found = b""
    while not found.endswith(end):
        assert select.select([handle], [], [], PATIENCE)[0], found
        data = os.read(handle, 1 << 16)
        assert data, found
        found += data
    return found


@pytest.mark.parametrize(("jobs", "form"), [("1", "tree"), ("2", "conllu")])
def test_a_pipe_is_answered_while_it_is_open(jobs: str, form: str) -> None:
    pipe = subprocess.PIPE
    with started("--jobs", jobs, "--format", form, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for k in range(3):
            os.write(process.stdin.fileno(), ROWS if k else b"# a comment\n" + ROWS)
            found = answer(process.stdout.fileno(), b"\n\n")
            assert (b"trees\t" in found) == (form == "conllu")
        os.write(process.stdin.fileno(), b"# the end\n")
        process.stdin.close()
        assert process.stdout.read() == (b"# the end\n" if form == "conllu" else b"")
        assert process.wait(PATIENCE) == 0


def test_text_on_a_pipe_is_cut_the_same_whenever_it_comes() -> None:
    whole = b"".join(sentence.to_bytes() for sentence in dodona.load("en-fast")((TEXT * 2).decode()))
    pipe = subprocess.PIPE
    with started(stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for part in (TEXT[:40], TEXT[40:] + TEXT[:12], TEXT[12:]):
            os.write(process.stdin.fileno(), part)
            wait_until_read(process.stdin.fileno())
        first = answer(process.stdout.fileno(), b"\n\n")
        assert first.startswith(b"# newdoc\n# sent_id = 1\n# text = Oak trees grow slowly in the forest.\n")
        process.stdin.close()
        assert first + process.stdout.read() == whole


def test_conllu_that_comes_slowly_is_no_text() -> None:
    """The first piece on a pipe may hold nothing but comments."""
    pipe = subprocess.PIPE
    with started(stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        os.write(process.stdin.fileno(), b"# a comment\n")
        wait_until_read(process.stdin.fileno())
        os.write(process.stdin.fileno(), ROWS)
        process.stdin.close()
        lines = process.stdout.read().splitlines()
    assert [line.split(b"\t")[:2] for line in lines] == [
        [b"# a comment"],
        [b"1", b"Oak"],
        [b"2", b"trees"],
        [b"3", b"grow"],
        [b""],
    ]


def test_a_terminal_gets_an_answer_to_each_line_and_no_control_characters() -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # no echo
    attributes = termios.tcgetattr(theirs)
    attributes[3] |= termios.ICANON  # Ctrl-D ends the input
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    try:
        with started(stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL) as process:
            os.write(ours, b"Oak trees grow\n")
            assert b"# text = Oak trees grow\n" in answer(ours, b"\n\n")
            os.write(ours, b"\nwhy \x1b[31m \xc2\x9b\n")
            found = answer(ours, b"\n\n")
            assert b"\x1b" not in found
            assert b"\xc2\x9b" not in found
            assert rb"\x1b" in found
            assert rb"\x9b" in found
            assert b"# newpar\n" in found
            assert b"SpacesBefore=\\n" in found
            os.write(ours, b"\x04")
            assert process.wait(PATIENCE) == 0
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("parse en-fast <&-", 1, "-: cannot be read: it is closed"),
        ("parse en-fast 'Oak trees.' >&-", 1, "standard output: cannot be written: it is closed"),
        ("parse en-fast $'caf\\xe9 au lait'", 2, "byte 0xe9 is not UTF-8; expected text in UTF-8"),
    ],
)
def test_one_line_says_what_is_wrong(command: str, code: int, message: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'exec "{sys.executable}" -m dodona {command}'], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)
    assert message in done.stderr


def workers(folder: Path) -> list[int]:
    """The processes that have this folder open as their working directory."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink() == folder:
                found.append(int(link.parts[2]))
        except OSError:
            continue  # ended, or not ours
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "code", "left"),
    [(signal.SIGTERM, 143, 0), (signal.SIGKILL, -9, 1)],
)
def test_signals_end_the_program_with_all_its_threads(
    tmp_path: Path, number: signal.Signals, code: int, left: int
) -> None:
    """Only SIGKILL, of which a program does not hear, leaves a temporary file."""
    pipe = subprocess.PIPE
    with started("-o", "out.conllu", "--jobs", "2", cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        os.write(process.stdin.fileno(), ROWS * 300)
        deadline = time.monotonic() + PATIENCE
        while not os.listdir(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(PATIENCE) == code
        if number != signal.SIGKILL:
            assert process.stderr.read().split() == [b"dodona:", b"interrupted"]
    while workers(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert len(os.listdir(tmp_path)) == left


def test_threads_leave_in_good_order_and_take_empty_columns(tmp_path: Path) -> None:
    rows = re.sub(rb"\ttrees\t_\t_\t_", b"\ttrees\t\t\t", ROWS)
    assert b"\t\t" in rows
    (tmp_path / "a.conllu").write_bytes(rows * 250)
    parsed = dodona.load("en-fast").parse(dodona.read(tmp_path / "a.conllu"))
    done = subprocess.run(
        [*PARSE, str(tmp_path / "a.conllu"), "--jobs", "2"], capture_output=True, check=True, timeout=PATIENCE,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout == b"".join(sentence.to_bytes() for sentence in parsed) != b""
    assert done.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_are_like_ctrl_c_unless_they_are_ignored(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    handlers = {signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL, number: signal.SIG_IGN}
    monkeypatch.setattr("dodona.cli.process.signal.getsignal", handlers.get)
    monkeypatch.setattr("dodona.cli.process.signal.signal", handlers.__setitem__)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # put back afterwards
    surroundings.hear_signals()
    assert handlers[number] == signal.SIG_IGN  # by nohup
    handlers[number] = signal.SIG_DFL
    surroundings.hear_signals()
    monkeypatch.setattr(surroundings, "_number", signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        handlers[number](number, None)  # type: ignore[operator]
    assert surroundings.last_signal() == number
    assert handlers[number] == signal.SIG_IGN  # a second one changes nothing


@pytest.mark.parametrize(
    "command", ["parse en-fast 'Œuf naïve.'", "oracle --heads '2 0' --words 'Œuf naïve' --format json"]
)
def test_a_text_on_the_command_line_in_the_c_locale(command: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'exec "{sys.executable}" -m dodona {command}'], stdin=subprocess.DEVNULL, capture_output=True,
        check=False, timeout=PATIENCE, env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert any(word in done.stdout for word in ("Œuf".encode(), b"\\u0152uf", b"?uf"))
