"""Decompression of `.gz` and `.xz` chunk by chunk, which ends well only if the data end where they should.

Both formats allow several compressed streams one after the other, and zero bytes after each: any number in gzip files,
multiples of four in xz files. Anything else after a stream is an error, and so is a file without any stream.
"""

import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

__all__ = ["PACKINGS", "CompressionError", "Packing", "bare_name", "decompressed"]

CHUNK = 1 << 18


class CompressionError(Exception):
    """Compressed data that cannot be read; says why, without the name of the file."""


class GzipDecompressor:
    """One gzip stream, with the interface of `lzma.LZMADecompressor`."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)  # 31: with the header and the checksum of gzip
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        found = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self.needs_input = len(found) < max_length
        return found


class Packing(NamedTuple):
    """A format."""

    name: str
    decompressor: Callable[[], GzipDecompressor | lzma.LZMADecompressor]
    beginning: bytes  # of each stream
    padding: int  # the number of zero bytes after a stream is a multiple of it


PACKINGS = {
    ".gz": Packing("gzip", GzipDecompressor, b"\x1f\x8b", 1),
    ".xz": Packing("xz", lzma.LZMADecompressor, b"\xfd7zXZ\0", 4),
}


def bare_name(name: str) -> str:
    """Return the name of a file without the extension of a compressed one."""
    return name[:-3] if name[-3:] in PACKINGS else name


def decompressed(pieces: Iterable[bytes], packing: Packing) -> Iterator[bytes]:
    """Yield the contents of compressed chunks, at most CHUNK bytes at a time; empty chunks (pauses) pass through."""
    stream: GzipDecompressor | lzma.LZMADecompressor | None = None
    streams = 0
    zeros = 0  # after the last stream
    for piece in pieces:
        if not piece:
            yield b""
        rest = piece
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
                yield from _contents(stream, rest)
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


def _contents(stream: GzipDecompressor | lzma.LZMADecompressor, data: bytes) -> Iterator[bytes]:
    """Yield all that a stream makes of some data."""
    found = stream.decompress(data, CHUNK)
    while found:
        yield found
        found = b"" if stream.eof or stream.needs_input else stream.decompress(b"", CHUNK)


def _check_next(data: bytes, zeros: int, packing: Packing) -> None:
    """Check what comes after a stream: zero bytes, then the end of the file or the beginning of another stream."""
    size = len(packing.beginning)
    if zeros % packing.padding or not packing.beginning.startswith(data[:size]):
        raise CompressionError(f"other data after the end of the {packing.name} data; expected the end of the file")
