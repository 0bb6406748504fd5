"""Files that are packed, broken, huge, missing or no files; outputs that are complete or not there."""

import gzip
import io
import lzma
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from samples.signals import hearing_interrupts

from dodona import FormatError, Sentence, read, write
from dodona.data import conllu as blocks
from dodona.data import files, formats
from dodona.data.formats import read_stream
from dodona.data.stream import Pause

SENTENCE = Sentence.from_words(["ein", "Wort"], heads=[2, 0])
DATA = SENTENCE.to_bytes()


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz", "a.conllu.xz"])
def test_packed_by_extension(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write([SENTENCE] * 3, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(Path(name).suffix, bytes)
    assert unpack(data) == DATA * 3
    assert [s.words for s in read(str(tmp_path / name))] == [["ein", "Wort"]] * 3
    monkeypatch.setattr(time, "time", lambda: 4e9)  # a time stamp would be another one
    write([SENTENCE] * 3, tmp_path / name)
    assert (tmp_path / name).read_bytes() == data
    assert os.listdir(tmp_path) == [name]


def test_unreadable_files(tmp_path: Path) -> None:
    lines = [f"1\t{k}\t_\t_\t_\t_\t_\t_\t_\t_\n\n" for k in range(1000)]
    packed = gzip.compress("".join(lines).encode())
    (tmp_path / "cut.gz").write_bytes(packed[:-20])
    (tmp_path / "flipped.gz").write_bytes(packed[:500] + bytes([packed[500] ^ 255]) + packed[501:])
    (tmp_path / "cut.xz").write_bytes(lzma.compress("".join(lines).encode())[:-20])
    (tmp_path / "no.gz").write_bytes(DATA)
    (tmp_path / "no.xz").write_bytes(DATA)
    for name in ("cut.gz", "flipped.gz", "cut.xz", "no.gz", "no.xz", "missing.conllu", ".", "missing.gz"):
        with pytest.raises(FormatError, match=r"cannot be read: ."):
            list(read(tmp_path / name))


def test_a_line_of_100_mb(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "bomb.gz", "wb", 1) as file:
        file.write(DATA + b"1\t")
        for _ in range(100):
            file.write(b"a" * 1_000_000)
    with pytest.raises(FormatError, match=r"bomb\.gz:4: a line of more than 16 MiB; expected lines of text"):
        list(read(tmp_path / "bomb.gz"))


ROW = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"


@pytest.mark.parametrize("chunk", [7, 100, 1 << 20])
@pytest.mark.parametrize("before", [b"", DATA, b"# c\n", ROW, DATA + b"# c\n" + ROW * 3, b"\n\n" + ROW], ids=range(6))
@pytest.mark.parametrize("form", ["conllu", "horizontal", "vertical"])
def test_what_is_too_long_is_told_with_its_own_line(
    form: str, before: bytes, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a line without an end stands; of a sentence without an end, where it begins."""

    def read_until_wrong(data: bytes) -> str:
        chunks = (data[at : at + chunk] for at in range(0, len(data), chunk))
        with pytest.raises(FormatError) as error:
            list(read_stream(form, chunks, "x"))
        return str(error.value)

    for module in (blocks, formats):
        monkeypatch.setattr(module, "LINE_LIMIT", 1000)
    before = before if form == "conllu" else before.replace(b"\t", b"_")
    number = before.count(b"\n") + 1
    assert read_until_wrong(before + b"a" * 3000).startswith(f"x:{number}: a line of more than ")
    if form == "conllu":
        monkeypatch.setattr(blocks, "SENTENCE_LIMIT", 2000)
        first = 4 if before.startswith(DATA) else 3 if before.startswith(b"\n") else 1
        assert read_until_wrong(before + ROW * 300).startswith(f"x:{first}: a sentence of more than ")


LIMITS: dict[
    str, tuple[str, str, Callable[[int], bytes], str]
] = {  # what is set to 64, the format, and a text that reaches that with so many letters more
    "line": ("LINE_LIMIT", "conllu", lambda more: b"#" * (64 + more), "a line of more than"),
    "later line": ("LINE_LIMIT", "conllu", lambda more: b"# c\n" + b"#" * (64 + more), "a line of more than"),
    "sentence": (
        "SENTENCE_LIMIT",
        "conllu",
        lambda more: ROW * 2 + b"# " + b"c" * (21 + more) + b"\n",
        "a sentence of",
    ),
    "comments": ("SENTENCE_LIMIT", "conllu", lambda more: b"# c\n\n" * 12 + b"#" * (2 + more) + b"\n\n", "more than"),
    "words": ("LINE_LIMIT", "horizontal", lambda more: b"w" * (64 + more), "a line of more than"),
    "word": ("LINE_LIMIT", "vertical", lambda more: b"\n" + b"w" * (63 + more), "a sentence of more than"),
    "many words": ("LINE_LIMIT", "vertical", lambda more: b"w\n" * 30 + b"w" * (3 + more) + b"\n", "a sentence of"),
    "ink": ("INK_LIMIT", "text", lambda more: b"w" * (64 + more), "64 characters without a blank"),
    "blanks": ("BLANK_LIMIT", "text", lambda more: b"w" + b" " * (64 + more), "64 blanks in a row"),
}


@pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("size", [5, 1000])
def test_a_limit_is_reached_and_not_passed(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, form, make, message = LIMITS[name]
    for module in (blocks, formats):
        monkeypatch.setattr(module, limit, 64, raising=False)

    def fault(data: bytes) -> str:
        chunks = (data[at : at + size] for at in range(0, len(data), size))
        try:
            list(read_stream(form, chunks, "x", tokenize=lambda texts: (Pause() for _ in texts)))
        except FormatError as error:
            return str(error)
        return ""

    assert message not in fault(make(0))
    assert message in fault(make(1))


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        (b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "a sentence of more than 1 MiB; expected a blank line"),
        (b"\n", "a sentence of more than 1 MiB"),
        (b"# c\n\n", "more than 1 MiB without a word; expected sentences"),
    ],
)
def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: bytes, message: str) -> None:
    monkeypatch.setattr(blocks, "SENTENCE_LIMIT", 1 << 20)
    monkeypatch.setattr("dodona.data.conllu.SENTENCE_LIMIT", 1 << 20)
    (tmp_path / "bomb.xz").write_bytes(lzma.compress(piece * ((4 << 20) // len(piece))))
    with pytest.raises(FormatError, match=message):
        list(read(tmp_path / "bomb.xz"))


def test_a_fifo_is_read_and_written_directly(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=write, args=([SENTENCE] * 2, fifo))
    writer.start()
    assert len(list(read(fifo))) == 2
    writer.join()
    assert os.listdir(tmp_path) == ["fifo"]


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_nothing_half_written_stays(tmp_path: Path, fault: type[BaseException]) -> None:
    def sentences() -> Iterator[Sentence]:
        yield SENTENCE
        raise fault

    for name in ("new.conllu", "old.conllu.gz"):
        (tmp_path / "old.conllu.gz").write_bytes(b"precious")
        with pytest.raises(fault):
            write(sentences(), tmp_path / name)
        assert os.listdir(tmp_path) == ["old.conllu.gz"]
        assert (tmp_path / "old.conllu.gz").read_bytes() == b"precious"


def test_unwritable_places(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "a.conllu"):
        with pytest.raises(FormatError, match=r"cannot be written: ."):
            write([SENTENCE], place)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device() -> None:
    with pytest.raises(FormatError, match="/dev/full: cannot be written: No space left"):
        write([SENTENCE], "/dev/full")


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_a_full_disk(tmp_path: Path, name: str) -> None:
    """A limit on the size of files stands for the disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    words = [Sentence.from_words([os.urandom(30).hex() for _ in range(100)]) for _ in range(100)]
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        with pytest.raises(FormatError, match=name + ": cannot be written: File too large"):
            write(words, tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == []


def test_a_file_may_be_written_while_it_is_read_and_keeps_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_bytes(DATA * 1000)
    file.chmod(0o640)
    link = tmp_path / "link.conllu"
    link.symlink_to(file)
    write(read(file), link)
    assert file.read_bytes() == DATA * 1000
    assert file.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()


COPY = "import dodona; dodona.write(dodona.read('-'), '-')"


def test_standard_streams() -> None:
    done = subprocess.run([sys.executable, "-c", COPY], input=DATA * 5, capture_output=True, check=True, timeout=100)
    assert done.stdout == DATA * 5
    assert done.stderr == b""


def test_a_pipe_is_answered_while_it_runs() -> None:
    program = "import dodona\nfor s in dodona.read('-'): print(len(s), flush=True)"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert isinstance(running.stdin, io.BufferedIOBase)
        assert isinstance(running.stdout, io.BufferedIOBase)
        running.stdin.write(DATA * 3)
        running.stdin.flush()
        assert running.stdout.readline() == b"2\n"
        running.stdin.close()


def test_a_closed_pipe_is_the_callers_to_handle(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(DATA * 100_000)
    program = "import dodona\ntry: dodona.write(dodona.read('-'), '-')\nexcept BrokenPipeError: raise SystemExit(7)"
    command = f'"{sys.executable}" -c "$PROGRAM" < a.conllu | head -n 1; exit ${{PIPESTATUS[0]}}'
    environment = os.environ | {"PROGRAM": program}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=100,
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "1\tein\t_\t_\t_\t_\t2\t_\t_\t_\n", "")


def test_ctrl_c_in_mid_writing_leaves_nothing(tmp_path: Path) -> None:
    program = "import dodona; dodona.write(dodona.read('-'), 'out.conllu')"
    with subprocess.Popen(
        hearing_interrupts([sys.executable, "-c", program]), cwd=tmp_path, stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert running.stdin is not None
        running.stdin.write(DATA * 100)
        running.stdin.flush()
        deadline = time.monotonic() + 30
        while not os.listdir(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(os.listdir(tmp_path)) == 1
        running.send_signal(signal.SIGINT)
        running.wait(timeout=60)
        running.stdin.close()
    assert os.listdir(tmp_path) == []


def test_a_name_of_an_open_file_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    """`-o /dev/stdout >> log` adds to the log."""
    program = "import dodona, sys; dodona.write(dodona.read('a.conllu'), sys.argv[1])"
    write([SENTENCE], tmp_path / "a.conllu")
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"):
        (tmp_path / "log").write_bytes(b"before\n")
        with open(tmp_path / "log", "ab") as log:
            subprocess.run(
                [sys.executable, "-c", program, name], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=log, check=True,
                timeout=60,
            )  # fmt: skip
        assert (tmp_path / "log").read_bytes() == b"before\n" + DATA


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")


@LINUX
def test_an_open_file_of_this_process_by_any_name(tmp_path: Path) -> None:
    with open(tmp_path / "log", "wb", buffering=0) as log:
        log.write(b"before\n")
        (tmp_path / "folder").symlink_to("/proc/self/fd")
        (tmp_path / "link").symlink_to(f"folder/{log.fileno()}")
        me = os.getpid()
        folders = [f"/proc/{me}", "/proc/thread-self", f"/proc/self/task/{me}", "//proc/self/../self", "/proc/self"]
        names = [f"{folder}/fd/{log.fileno()}" for folder in folders]
        for name in [*names, f"{tmp_path}/folder/{log.fileno()}", f"{tmp_path}/link"]:
            assert files.open_handle(name) == log.fileno()
            with files.output(name) as out:
                out.write(b"more\n")
    assert (tmp_path / "log").read_bytes() == b"before\n" + b"more\n" * 7
    assert files.open_handle(str(tmp_path / "log")) is None


@LINUX
def test_an_open_file_of_another_process(tmp_path: Path) -> None:
    """A pipe is written to; a file is refused, because the other process would write over what is written."""
    with (
        open(tmp_path / "log", "wb") as log,
        subprocess.Popen(["sleep", "60"], stdin=subprocess.PIPE, stdout=log) as other,
    ):
        try:
            with files.output(f"/proc/{other.pid}/fd/0") as out:
                out.write(b"to the pipe\n")
            with (
                pytest.raises(FormatError, match=r"/fd/1: a file that another process has open; expected the name"),
                files.output(f"/proc/{other.pid}/fd/1"),
            ):
                pass
            with open(f"/proc/{other.pid}/fd/0", "rb", buffering=0) as pipe:
                assert pipe.read(100) == b"to the pipe\n"
        finally:
            other.kill()
