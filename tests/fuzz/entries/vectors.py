"""Files of word vectors: what is taken are finite numbers, for different words."""

from pathlib import Path

import numpy as np

from dodona.neural.vectors import read_vectors

TOKENS = (
    b"\xef\xbb\xbf", b"\r\n", b"\t", b" ", b"  ", b"\x00", b"inf", b"-nan", b"1e-320", b"3.5e38", b"1_000", b"0x1p3",
    b"+1", b"\xd9\xa1", b"\xff", b"2 3\n", b"0 3", b"3 10000", b"1 99999999999999999999", b"word 1 2 3\n",
)  # fmt: skip


def seeds() -> list[bytes]:
    rows = "oak 1 -2.5 1e-3\nδρῦς 0 0 0\ntwo words 1 2 3\n. 3e38 -3e38 0\n"
    return [rows.encode(), f"4 3\n{rows}".encode(), rows.replace(" ", "\t").replace("\n", "\r\n").encode(), b"a 1\nb 2"]


def target(data: bytes) -> None:
    path = Path("vectors.txt")
    path.write_bytes(data)
    found = read_vectors(path, megabytes=0.01, wanted=["oak", "."])
    again = read_vectors(path, megabytes=0.01, wanted=["oak", "."])
    assert len(set(found.words)) == len(found.words) == len(found.values) == len(found.scales) <= found.read
    with np.errstate(all="raise"):
        floats = found.values * found.scales[:, None]
    assert np.isfinite(floats).all()
    assert (found.scales >= 0).all()
    assert found.values.nbytes + 8 * len(found.words) <= 10_000
    assert (again.words, again.values.tobytes()) == (found.words, found.values.tobytes())
