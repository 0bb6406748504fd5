"""Treebanks in CoNLL-X."""

from fuzz.treebank_files import check_treebank
from samples.treebank import treebank

ROWS = "1\tAÿ\tay\tI\tI\tx=1|y\t2\tdis\t2\tdis\n2\tda\t_\tV\tV\t_\t0\troot\t_\t_\n3\t.\t.\tP\tP\t_\t2\tp\t_\t_\n\n"
TOKENS = (
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"#",
    b"1-2",
    b"1.1",
    b"_",
    b"0",
    b"\x00",
    b"\t",
    b"99",
    b"\xc2\xa0",
)


def seeds() -> list[bytes]:
    other = b"".join(s.convert("conllx").to_bytes() for s in treebank(2))
    return [ROWS.encode(), ROWS.replace("\n", "\r\n").encode(), other, ROWS.encode() + other]


def target(data: bytes) -> None:
    check_treebank(data, "conllx")
