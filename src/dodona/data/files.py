"""Reading and writing of files as bytes: compressed or not, standard streams, and atomic output."""

import errno
import gzip
import io
import lzma
import os
import re
import select
import stat
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from dodona.errors import FormatError, OptionError

__all__ = [
    "PACKINGS", "CompressionError", "Output", "Packing", "bare_name", "chunks", "decompress", "is_tty", "lock",
    "name_errors", "open_handle", "output", "read_shipped", "replace_file", "size_of", "sync",
]  # fmt: skip

CHUNK = 1 << 18
PATIENCE = 2.0
"""Seconds to wait for the first byte of a named pipe before saying so."""
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]")
"""C0 and C1 in UTF-8, without tabs and line ends."""
LINK_LIMIT = 40  # that are followed
LOCKED_BYTE = 1 << 30  # of a file on Windows, where nobody reads
OPEN_HANDLE = re.compile(r"/dev/(?:fd/([0-9]{1,9})|(stdout|stderr))")
PROCESS_HANDLE = re.compile(r"/proc/([0-9]+)(?:/task/[0-9]+)?/fd/([0-9]{1,9})")
HOME = Path(__file__).parents[1]


def chunks(path: str | Path, *, pauses: bool = False, count: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file in chunks, as soon as they are available, also from a pipe.

    `-` is standard input; `.gz` and `.xz` are decompressed chunk by chunk, so that a small file with huge contents
    needs no more memory than the caller keeps. With `pauses`, an empty chunk says that no more is available at the
    moment, or that an error comes next. `count` is called with the size of each chunk as it is in the file.
    """
    name = str(path)
    contents = _raw_chunks(name, count)
    packing = PACKINGS.get(name[-3:])
    if packing is not None:
        contents = decompress(contents, packing)
    try:
        yield from contents if pauses else filter(None, contents)
    except (OSError, CompressionError) as error:
        if pauses:
            yield b""
        raise FormatError(f"{name}: cannot be read: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.EBADF:
        return "it is closed"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _raw_chunks(name: str, count: Callable[[int], None] | None) -> Iterator[bytes]:
    """Yield the bytes of a file as soon as they are there; an empty chunk before each read that will have to wait."""
    with _open_input(name) as handle:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        while True:
            if not is_file and not _is_ready(handle, 0.0):
                yield b""
            chunk = os.read(handle, CHUNK)
            if not chunk:
                return
            if count is not None:
                count(len(chunk))
            yield chunk


@contextmanager
def _open_input(name: str) -> Iterator[int]:
    """Yield the handle of an open file; `-` is standard input."""
    if name == "-":
        yield 0
        return
    is_fifo = sys.platform == "linux" and Path(name).is_fifo()
    handle = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0) | (os.O_NONBLOCK if is_fifo else 0))
    try:
        if is_fifo:
            _wait_for_writer(handle, name)
        yield handle
    finally:
        os.close(handle)


def _wait_for_writer(handle: int, name: str) -> None:
    """Wait until a program has written to a named pipe. Opened for blocking, it would wait in silence; only Linux
    tells a pipe without a writer so far from one whose writer has closed it."""
    if not _is_ready(handle, PATIENCE):
        warnings.warn(f"{name}: waiting for a program that writes to this named pipe", stacklevel=2)
        _is_ready(handle, None)
    os.set_blocking(handle, True)


def _is_ready(handle: int, seconds: float | None) -> bool:
    """Return whether a read returns at once, after waiting for it for some time (None: as long as it takes)."""
    try:
        ready, _, _ = select.select([handle], [], [], seconds)
    except (OSError, ValueError):
        return True  # not on this system, or too many open files: the read itself will wait
    return bool(ready)


class CompressionError(Exception):
    """Compressed data that cannot be read; says why, without the name of the file."""


class Packing(NamedTuple):
    """How files of an extension are compressed."""

    name: str
    compressor: Callable[[BinaryIO], Any]  # makes a stream that writes to another one
    decompressor: Callable[[], Any]  # makes one for each stream, with the methods of zlib
    beginning: bytes  # of each stream
    padding: int = 1  # the number of zero bytes after a stream is a multiple of it


PACKINGS = {
    # neither time nor name inside: the same sentences give the same bytes; 31: with gzip's header and checksum
    ".gz": Packing("gzip", partial(gzip.GzipFile, "", "wb", 6, mtime=0), partial(zlib.decompressobj, 31), b"\x1f\x8b"),
    ".xz": Packing("xz", partial(lzma.open, mode="wb"), lzma.LZMADecompressor, b"\xfd7zXZ\0", padding=4),
}


def bare_name(name: str) -> str:
    """Return the name of a file without the extension of a compressed one."""
    return name[:-3] if name[-3:] in PACKINGS else name


def decompress(chunks: Iterable[bytes], packing: Packing) -> Iterator[bytes]:
    """Yield the contents of compressed chunks, at most CHUNK bytes at a time; empty chunks (pauses) pass through."""
    stream: Any = None
    streams = 0
    zeros = 0  # after the last stream
    for chunk in chunks:
        if not chunk:
            yield b""
        rest = chunk
        while rest:
            if stream is None:
                data = rest.lstrip(b"\0") if streams else rest
                zeros += len(rest) - len(data)
                if not data:
                    break
                if streams:
                    _check_next(data, zeros, packing)
                stream, rest = packing.decompressor(), data
            try:
                yield from _decompress_all(stream, rest)
            except (zlib.error, lzma.LZMAError) as error:
                raise CompressionError(f"not valid {packing.name} data ({error})") from error
            rest = b""
            if stream.eof:
                rest = stream.unused_data
                stream = None
                streams += 1
                zeros = 0
    if stream is not None:
        raise CompressionError(f"the {packing.name} data are cut off")
    if not streams:
        raise CompressionError(f"the file is empty; expected {packing.name} data")
    _check_next(b"", zeros, packing)


def _decompress_all(stream: Any, data: bytes) -> Iterator[bytes]:
    """Yield all that a stream makes of some data. What it has not read yet, zlib gives back, and lzma keeps."""
    while contents := stream.decompress(data, CHUNK):
        yield contents
        if stream.eof:
            return
        data = getattr(stream, "unconsumed_tail", b"")


def _check_next(data: bytes, zeros: int, packing: Packing) -> None:
    """Check what comes after a stream: zero bytes, then the end of the file or the beginning of another stream."""
    size = len(packing.beginning)
    if zeros % packing.padding or not packing.beginning.startswith(data[:size]):
        raise CompressionError(f"other data after the end of the {packing.name} data; expected the end of the file")


def size_of(name: str) -> int | None:
    """Return the size of a regular file in bytes; None for anything else, of which the size is not known."""
    try:
        status = os.stat(0 if name == "-" else name)
    except (OSError, ValueError):  # the latter: a text that can be no name in this locale
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def is_tty(name: str) -> bool:
    """Return whether a file is a terminal; `-` is standard input."""
    if name == "-":
        return os.isatty(0)
    try:
        if not stat.S_ISCHR(os.stat(name).st_mode):
            return False
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NOCTTY", 0))
    except (OSError, ValueError):
        return False
    try:
        return os.isatty(handle)
    finally:
        os.close(handle)


class Output:
    """A stream whose errors (a full disk) name the file. On a terminal control characters are written as escapes, so
    that data cannot steer it; everywhere else all bytes are written as they are."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream, self._name, self._is_tty = stream, name, stream.isatty()

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(CONTROL.sub(_escape, data) if self._is_tty else data)
        except OSError:
            with name_errors(self._name):
                raise

    def flush(self) -> None:
        """Pass on what was written, except to a compressor: its bytes would depend on the time."""
        if isinstance(self._stream, io.BufferedWriter):
            with name_errors(self._name):
                self._stream.flush()


def _escape(match: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % ord(match[0].decode())


@contextmanager
def name_errors(name: str, done: str = "written") -> Iterator[None]:
    """Turn errors of the system into those of a file that cannot be written, or read; `-` is standard output."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has closed the pipe: no error of the file
    except OSError as error:
        shown = "standard output" if name == "-" else name
        raise FormatError(f"{shown}: cannot be {done}: {_reason(error)}") from error


@contextmanager
def output(path: str | Path) -> Iterator[Output]:
    """Open a file to write bytes to, compressed according to its extension; `-` is standard output.

    The file is renamed to its name when it is complete. After an error, a full disk or Ctrl-C an older file of that
    name is unchanged, and no temporary file remains. Pipes and devices are written to directly.
    """
    name = str(path)
    handle = open_handle(name)
    if handle is not None:
        if sys.stdout is not None:
            sys.stdout.flush()
        with _open_and_close(partial(open, handle, "wb", closefd=False), name) as stream:
            yield Output(stream, name)
        return
    if PROCESS_HANDLE.fullmatch(_follow_links(name)):
        if size_of(name) is not None:  # it would go on where it was, and write over what is written here
            raise FormatError(f"{name}: a file that another process has open; expected the name of the file, or `-`")
        with _open_output(name, "ab", name) as stream:
            yield Output(stream, name)
        return
    target = os.path.realpath(name)  # a symbolic link stays one
    with name_errors(name):
        mode = _mode(target)
        if name.endswith(os.sep) and mode is None:
            raise IsADirectoryError(errno.EISDIR, "the name of a folder, which does not exist")
    if mode is not None and not stat.S_ISREG(mode):
        with _open_output(target, "wb", name) as stream:  # a directory fails here
            yield Output(stream, name)
        return
    with replace_file(target, name) as temporary, _open_output(temporary, "xb", name) as stream:
        yield Output(stream, name)


@contextmanager
def replace_file(target: str, name: str) -> Iterator[str]:
    """Yield the name of a temporary file beside `target`, which replaces it on success, and is removed otherwise.

    Errors name `name`.
    """
    with name_errors(name):
        mode = _mode(target)
    temporary = f"{target}.{os.urandom(4).hex()}.tmp"
    try:
        yield temporary
        with name_errors(name):
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def lock(handle: int) -> bool:
    """Whether this process gets the lock of an open file, which ends with the process, however that ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True


def sync(path: Path) -> None:
    """Make sure that a file is on disk; or the names in a folder, where the system can do that."""
    is_folder = path.is_dir()
    if is_folder and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_handle(name: str) -> int | None:
    """The number of an open file of this process that a name, or a link, stands for: `-` is 1.

    To open it by name once more would empty a file behind it."""
    if name == "-":
        return 1
    name = _follow_links(name)
    match = OPEN_HANDLE.fullmatch(name)
    if match is not None:
        return int(match[1]) if match[1] else 1 if match[2] == "stdout" else 2
    match = PROCESS_HANDLE.fullmatch(name)
    return int(match[2]) if match is not None and int(match[1]) == os.getpid() else None


def _follow_links(name: str) -> str:
    """Follow links, but not those of /proc to open files: they may lead to what has no name, or no longer."""
    for _ in range(LINK_LIMIT):
        if OPEN_HANDLE.fullmatch(os.path.abspath(name)):
            return os.path.abspath(name)
        name = os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))
        if PROCESS_HANDLE.fullmatch(name) or not os.path.islink(name):
            break
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return name


def _mode(target: str) -> int | None:
    try:
        return os.stat(target).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _open_output(file: str, mode: str, name: str) -> Iterator[BinaryIO]:
    with _open_and_close(partial(open, file, mode), name) as plain:
        packing = PACKINGS.get(name[-3:])
        if packing is None:
            yield plain
        else:
            with _open_and_close(partial(packing.compressor, plain), name) as stream:
                yield stream


@contextmanager
def _open_and_close(open_stream: Callable[[], Any], name: str) -> Iterator[BinaryIO]:
    """Open and close a stream; an error of closing (the last bytes on a full disk) names the file, too."""
    with name_errors(name):
        stream = open_stream()
    try:
        yield stream
    except BaseException:
        with suppress(OSError):
            stream.close()
        raise
    with name_errors(name):
        stream.close()


def read_shipped(folder: str, name: str) -> tuple[str, str]:
    """Return (text, path) of a file that is shipped in this folder under that name, or else of a file of that name."""
    path = HOME / folder / f"{name}.txt"
    if not path.exists():
        path = Path(name)
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except FileNotFoundError as error:
        known = ", ".join(sorted(file.stem for file in (HOME / folder).glob("*.txt")))
        raise OptionError(f"no {Path(folder).name} {name!r}; expected a file, or one of: {known}") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text in UTF-8"
        raise OptionError(f"{path}: cannot be read: {reason}; expected {Path(folder).name}") from error
