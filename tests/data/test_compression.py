"""Compressed files: whole, in several streams, padded; and cut, damaged, or with something behind them."""

import gzip
import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from dodona import FormatError
from dodona.data import files as compression
from dodona.data.files import PACKINGS, CompressionError, chunks, decompress

TEXT = b"1\tein\t_\n" * 50
PACK: dict[str, Callable[[bytes], bytes]] = {".gz": partial(gzip.compress, mtime=0), ".xz": lzma.compress}


def unpacked(data: bytes, extension: str, size: int) -> bytes:
    pieces = [data[k : k + size] for k in range(0, len(data), size)]
    return b"".join(decompress(pieces, PACKINGS[extension]))


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("extension", PACK)
def test_streams_and_zero_bytes_between_them(extension: str, size: int) -> None:
    packed = PACK[extension](TEXT)
    for zeros in (0, 4, 400):
        assert unpacked(packed + bytes(zeros), extension, size) == TEXT
        assert unpacked(packed + bytes(zeros) + PACK[extension](b"more"), extension, size) == TEXT + b"more"
    assert unpacked(PACK[extension](b""), extension, size) == b""


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("extension", "before", "after", "message"),
    [
        (".gz", 0, b"x", "other data after the end of the gzip data"),
        (".gz", 3, b"garbage", "other data after the end of the gzip data"),
        (".xz", 0, b"x", "other data after the end of the xz data"),
        (".xz", 4, b"garbage that is long", "other data after the end of the xz data"),
        (".xz", 3, b"", "other data after the end of the xz data"),
        (".xz", 5, lzma.compress(b"more"), "other data after the end of the xz data"),
        (".gz", 0, gzip.compress(TEXT, mtime=0)[:-3], "the gzip data are cut off"),
        (".xz", 0, lzma.compress(TEXT)[:-3], "the xz data are cut off"),
        (".gz", 0, b"\x1f\x8b but no more", "not valid gzip data"),
    ],
)
def test_what_may_not_follow(extension: str, before: int, after: bytes, message: str, size: int) -> None:
    with pytest.raises(CompressionError, match=message):
        unpacked(PACK[extension](TEXT) + bytes(before) + after, extension, size)


@pytest.mark.parametrize("extension", PACK)
def test_an_empty_file_is_named(tmp_path: Path, extension: str) -> None:
    file = tmp_path / f"none{extension}"
    file.touch()
    with pytest.raises(FormatError, match=rf"none\{extension}: cannot be read: the file is empty; expected"):
        list(chunks(file))


@pytest.mark.parametrize("extension", PACK)
def test_pauses_pass_and_chunks_are_bounded(monkeypatch: pytest.MonkeyPatch, extension: str) -> None:
    monkeypatch.setattr(compression, "CHUNK", 1000)
    packed = PACK[extension](TEXT * 1000)
    found = list(decompress([packed[:100], b"", packed[100:], b""], PACKINGS[extension]))
    assert found.count(b"") == 2
    assert found[-1] == b""
    assert b"".join(found) == TEXT * 1000
    assert max(map(len, found)) == 1000


def test_the_position_in_the_compressed_file_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.gz"
    file.write_bytes(gzip.compress(TEXT, mtime=0))
    sizes: list[int] = []
    assert b"".join(chunks(file, count=sizes.append)) == TEXT
    assert sum(sizes) == file.stat().st_size < len(TEXT)
