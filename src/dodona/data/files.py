"""Reading and writing of files as bytes: compressed or not, standard streams, and atomic output."""

import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from dodona.errors import FormatError

__all__ = ["chunks", "output", "replaced"]

CHUNK = 1 << 18
OPEN_HANDLE = re.compile(r"/(?:dev|proc/self)/(?:fd/([0-9]{1,9})|(stdout|stderr))")


def chunks(path: str | Path) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file in chunks, as soon as they are available, also from a pipe.

    `-` is standard input; `.gz` and `.xz` are decompressed chunk by chunk, so that a small file with huge contents
    needs no more memory than the caller keeps.
    """
    name = str(path)
    try:
        with _open(name) as stream:
            while chunk := stream.read1(CHUNK):
                yield chunk
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise FormatError(f"{name}: cannot be read: {_reason(error)}") from error


def _open(name: str) -> io.BufferedReader:
    if name == "-":
        return open(sys.stdin.fileno(), "rb", closefd=False)
    if name.endswith(".gz"):
        return cast(io.BufferedReader, gzip.open(name, "rb"))
    if name.endswith(".xz"):
        return cast(io.BufferedReader, lzma.open(name, "rb"))
    return open(name, "rb")


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


class Output:
    """A stream whose errors (a full disk) name the file."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
        except OSError:
            with _told(self._name):
                raise


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
    handle = _open_handle(name)
    if handle is not None:
        sys.stdout.flush()
        with _closed(partial(open, handle, "wb", closefd=False), name) as stream:
            yield Output(stream, name)
        return
    target = os.path.realpath(name)  # a symbolic link stays one
    with _told(name):
        mode = _mode(target)
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


def _open_handle(name: str) -> int | None:
    """The number of an open file that a name stands for. To open it by name once more would empty a file behind it."""
    if name == "-":
        return sys.stdout.fileno()
    found = OPEN_HANDLE.fullmatch(name)
    if found is None:
        return None
    return int(found[1]) if found[1] else 1 if found[2] == "stdout" else 2


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
