"""Held-out sentences are found however their blanks and tokens are written."""

from pathlib import Path

from dodona.data import Sentence
from dodona.data.conllu import read_all
from dodona.data.held_out import HeldOut

FRENCH = """1-2	Du	_	_	_	_	_	_	_	_
1	De	_	_	_	_	2	case	_	_
2	le	_	_	_	_	0	root	_	_
3	vin	_	_	_	_	2	dep	_	_

"""


def test_held_out_sentences_are_compared_without_blanks(tmp_path: Path) -> None:
    (tmp_path / "dev.conllu").write_text(FRENCH)
    held = HeldOut([Sentence.from_words(["I", "do", "n't", "know", "."]), *read_all(tmp_path / "dev.conllu")])
    for text in ("I don't know.", "I do n't know .", " I\u00a0don't\tknow .\n"):
        assert held.has(text), text
    assert held.has(Sentence.from_words(["I", "don't", "know."]))
    for text in ("Du vin", "De le vin"):  # as written, and in words
        assert held.has(text), text
    assert held.has(Sentence.from_words(["Du", "vin"]))
    for text in ("I don't know", "i don't know.", "I don't know. Du vin", ""):
        assert not held.has(text), text
    assert not HeldOut().has("Du vin")
