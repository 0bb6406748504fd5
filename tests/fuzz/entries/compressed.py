"""Compressed treebanks: the first byte of an input says which kind of file the rest is."""

import gzip
import lzma
from pathlib import Path

from samples.treebank import treebank

from dodona import read

ENDINGS = ("gz", "xz")


def seeds() -> list[bytes]:
    plain = b"".join(s.to_bytes() for s in treebank(3))
    packed = gzip.compress(plain, mtime=0)
    return [b"\0" + packed, b"\0" + packed * 2, b"\1" + lzma.compress(plain), b"\1" + lzma.compress(plain) * 2]


def target(data: bytes) -> None:
    path = Path(f"packed.{ENDINGS[data[0] % len(ENDINGS) if data else 0]}")
    path.write_bytes(data[1:])
    for sentence in read(path):
        assert len(sentence) > 0
