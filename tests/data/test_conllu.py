"""Reading gold trees: what is kept, what is passed over, what is refused."""

import gzip
import lzma
from pathlib import Path

import pytest

from dodona import FormatError
from dodona.data import read

GOOD = """\
# sent_id = one
1-2	dámelo	_	_	_	_	_	_	_	_
1	da	dar	VERB	_	_	0	root	_	_
2	me	yo	PRON	_	_	1	iobj	_	_
2.1	nada	_	_	_	_	_	_	_	_

# text = Sí
1	Sí	sí	INTJ	_	_	0	root	_	_
"""


def line(number: object = 1, form: str = "a", head: object = 0) -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\troot\t_\t_\n"


def test_words_heads_and_labels(tmp_path: Path) -> None:
    file = tmp_path / "good.conllu"
    file.write_text(GOOD)
    one, two = read(file)
    assert (one.sent_id, one.words, one.heads, one.labels) == ("one", ["da", "me"], [0, 1], ["root", "iobj"])
    assert (two.sent_id, two.words, two.line) == (None, ["Sí"], 7)


def test_packed_files_and_bom(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(GOOD.encode()))
    (tmp_path / "a.xz").write_bytes(lzma.compress(b"\xef\xbb\xbf" + GOOD.encode()))
    for name in ("a.gz", "a.xz"):
        assert len(list(read(tmp_path / name))) == 2


@pytest.mark.parametrize("text", ["", "\n\n", "# a comment\n", "   \n"])
def test_files_without_sentences(tmp_path: Path, text: str) -> None:
    (tmp_path / "empty.conllu").write_text(text)
    assert list(read(tmp_path / "empty.conllu")) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\n", r":1: 2 columns; expected 10"),
        (line().replace("\t", " "), r":1: 1 columns"),
        (line(2), r":1: word number '2'; expected 1"),
        (line("01"), r":1: word number '01'"),
        (line(form=""), r":1: empty FORM"),
        (line(head="_"), r":1: HEAD '_'"),
        (line(head=-1), r":1: HEAD '-1'"),
        (line(head="9" * 20), r":1: HEAD '9+'"),
        (line(head="१"), r":1: HEAD"),
        (line(head=1), r":1: word 1 of this sentence has HEAD 1"),
        (line() + line(2, head=3), r":1: word 2 of this sentence has HEAD 3; expected another word from 0 to 2"),
    ],
)
def test_bad_lines(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.conllu").write_text(text)
    with pytest.raises(FormatError, match=r"bad\.conllu" + message):
        list(read(tmp_path / "bad.conllu"))


def test_bad_bytes(tmp_path: Path) -> None:
    (tmp_path / "latin.conllu").write_bytes(line().encode() + line(2, "b", 1).encode().replace(b"b", b"\xe9"))
    with pytest.raises(FormatError, match=r"latin\.conllu:2: byte 0xe9 is not UTF-8"):
        list(read(tmp_path / "latin.conllu"))


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress((GOOD + "\n").encode() * 100)[:-20])
    (tmp_path / "cut.xz").write_bytes(lzma.compress((GOOD + "\n").encode() * 100)[:-20])
    (tmp_path / "no.gz").write_text(GOOD)
    for name in ("cut.gz", "cut.xz", "no.gz", "missing.conllu", "."):
        with pytest.raises(FormatError, match="cannot be read"):
            list(read(tmp_path / name))
