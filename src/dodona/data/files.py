"""Reading and writing of files as bytes: compressed or not, standard streams, and atomic output."""

import errno
import gzip
import io
import lzma
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from dodona.data.compression import PACKINGS, CompressionError, decompressed
from dodona.data.inputs import raw_chunks
from dodona.errors import FormatError

__all__ = ["chunks", "open_handle", "output", "replaced"]

CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]")
"""C0 and C1 in UTF-8, without tabs and line ends."""
LINKS = 40  # that are followed
OPEN_HANDLE = re.compile(r"/(?:dev|proc/self)/(?:fd/([0-9]{1,9})|(stdout|stderr))")


def chunks(path: str | Path, *, pauses: bool = False, count: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file in chunks, as soon as they are available, also from a pipe.

    `-` is standard input; `.gz` and `.xz` are decompressed chunk by chunk, so that a small file with huge contents
    needs no more memory than the caller keeps. With `pauses`, an empty chunk says that no more is available at the
    moment, or that an error comes next. `count` is called with the size of each chunk as it is in the file.
    """
    name = str(path)
    raw = raw_chunks(name) if count is None else _counted(raw_chunks(name), count)
    packing = PACKINGS.get(name[-3:])
    found = raw if packing is None else decompressed(raw, packing)
    try:
        yield from found if pauses else filter(None, found)
    except (OSError, CompressionError) as error:
        if pauses:
            yield b""
        raise FormatError(f"{name}: cannot be read: {_reason(error)}") from error


def _counted(raw: Iterator[bytes], count: Callable[[int], None]) -> Iterator[bytes]:
    for chunk in raw:
        count(len(chunk))
        yield chunk


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.EBADF:
        return "it is closed"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


class Output:
    """A stream whose errors (a full disk) name the file. On a terminal control characters are written as escapes, so
    that data cannot steer it; everywhere else all bytes are written as they are."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._is_terminal = stream.isatty()

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(CONTROL.sub(_escape, data) if self._is_terminal else data)
        except OSError:
            with _told(self._name):
                raise

    def flush(self) -> None:
        """Pass on what was written, except to a compressor: its bytes would depend on the time."""
        if isinstance(self._stream, io.BufferedWriter):
            with _told(self._name):
                self._stream.flush()


def _escape(found: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % ord(found[0].decode())


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has closed the pipe: no error of the file
    except OSError as error:
        shown = "standard output" if name == "-" else name
        raise FormatError(f"{shown}: cannot be written: {_reason(error)}") from error


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
        with _closed(partial(open, handle, "wb", closefd=False), name) as stream:
            yield Output(stream, name)
        return
    target = os.path.realpath(name)  # a symbolic link stays one
    with _told(name):
        mode = _mode(target)
        if name.endswith(os.sep) and mode is None:
            raise IsADirectoryError(errno.EISDIR, "the name of a folder, which does not exist")
    if mode is not None and not stat.S_ISREG(mode):
        with _packed(target, "wb", name) as stream:  # a directory fails here
            yield Output(stream, name)
        return
    with replaced(target, name) as temporary, _packed(temporary, "xb", name) as stream:
        yield Output(stream, name)


@contextmanager
def replaced(target: str, name: str) -> Iterator[str]:
    """Yield the name of a temporary file beside `target`, which replaces it on success, and is removed otherwise.

    Errors name `name`.
    """
    with _told(name):
        mode = _mode(target)
    temporary = f"{target}.{os.urandom(4).hex()}.tmp"
    try:
        yield temporary
        with _told(name):
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def open_handle(name: str) -> int | None:
    """The number of an open file that a name, or a link, stands for: `-` is 1.

    To open it by name once more would empty a file behind it."""
    if name == "-":
        return 1
    for _ in range(LINKS):
        found = OPEN_HANDLE.fullmatch(name)
        if found is not None:
            return int(found[1]) if found[1] else 1 if found[2] == "stdout" else 2
        if not os.path.islink(name):
            break
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return None


def _mode(target: str) -> int | None:
    try:
        return os.stat(target).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _packed(file: str, mode: str, name: str) -> Iterator[BinaryIO]:
    with _closed(partial(open, file, mode), name) as plain:
        if name.endswith(".gz"):
            # neither time nor name inside: the same sentences give the same bytes
            with _closed(partial(gzip.GzipFile, "", "wb", 6, plain, mtime=0), name) as stream:
                yield stream
        elif name.endswith(".xz"):
            with _closed(partial(lzma.open, plain, "wb"), name) as stream:
                yield stream
        else:
            yield plain


@contextmanager
def _closed(opened: Callable[[], Any], name: str) -> Iterator[BinaryIO]:
    """Opens and closes; that closing can fail too (the last bytes on a full disk) is told like any failure."""
    with _told(name):
        stream = opened()
    try:
        yield stream
    except BaseException:
        with suppress(OSError):
            stream.close()
        raise
    with _told(name):
        stream.close()
