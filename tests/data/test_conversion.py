"""Conversion keeps what the other format has room for, and names what is lost."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from samples.bad_treebanks import enhanced, plain

from dodona import OptionError, Sentence, read, write
from dodona.data.conllu import read_conllu
from dodona.data.files import chunks
from dodona.data.formats import OUTPUTS, convert, read_stream
from dodona.data.stream import only_sentences
from dodona.data.ud import COLUMNS, NUMBERS


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.conllu"
    path.write_bytes(plain())
    return path


def test_the_same_format_is_the_same_bytes(source: Path, tmp_path: Path) -> None:
    assert not convert(read(source), tmp_path / "copy.conllu", "conllu")
    assert (tmp_path / "copy.conllu").read_bytes() == plain()


def test_to_conllx_and_back(source: Path, tmp_path: Path) -> None:
    lost = convert(read(source), tmp_path / "x", "conllx")
    assert lost == {"comments": 3, "multiword tokens": 1, "MISC": 3}
    first = next(read(tmp_path / "x", format="conllx"))
    assert (first.words[2], first.heads[2], first.labels[2]) == ("n't", 4, "advmod")
    assert not convert(read(tmp_path / "x", format="conllx"), tmp_path / "u.conllu", "conllu")
    kept = [(s.words, s.upos, s.feats, s.heads, s.labels) for s in read(tmp_path / "u.conllu")]
    assert kept == [(s.words, s.upos, s.feats, s.heads, s.labels) for s in read(source)]


def test_empty_nodes_and_last_columns(tmp_path: Path) -> None:
    (tmp_path / "e.conllu").write_bytes(enhanced())
    lost = convert(read(tmp_path / "e.conllu"), tmp_path / "x", "conllx")
    assert lost == {"comments": 2, "empty nodes": 1, "DEPS": 2}
    write([Sentence.from_words(["a"], heads=[0], deps=["0"], misc=["root"], format="conllx")], tmp_path / "p")
    assert convert(read(tmp_path / "p", format="conllx"), tmp_path / "u", "conllu") == {"PHEAD": 1, "PDEPREL": 1}


def test_words(source: Path, tmp_path: Path) -> None:
    words = [sentence.words for sentence in read(source)]
    for to in ("horizontal", "vertical"):
        lost = convert(read(source), tmp_path / to, to)
        assert lost.keys() >= {"comments", "HEAD", "DEPREL", "LEMMA", "UPOS", "FEATS", "MISC", "multiword tokens"}
        again = only_sentences(read_stream(to, chunks(tmp_path / to), to))
        assert [s.words for s in again] == words
    assert convert([Sentence.from_words(["a b"])], tmp_path / "w", "horizontal") == {"spaces inside of words": 1}


def test_text(source: Path, tmp_path: Path) -> None:
    lost = convert(read(source), tmp_path / "t", "text")
    assert not lost.keys() & {"MISC", "multiword tokens"}
    assert (tmp_path / "t").read_text() == (
        "She doesn't see old oaks. The wind moves a leaf of an oak through the old wood.\n\nThe o ak.\n"
    )
    kept = Sentence.from_words(["a", "b"], misc=["SpacesAfter=\\n", "SpaceAfter=No"])
    assert convert([kept], tmp_path / "t", "text") == {}
    assert (tmp_path / "t").read_text() == "a\nb"


def test_unknown_formats(source: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=", ".join(OUTPUTS)):
        convert(read(source), tmp_path / "x", "xml")


@pytest.mark.parametrize(("to", "kept"), [("conllu", True), ("conllx", False), ("vertical", False), ("text", False)])
def test_comments_without_a_sentence_are_kept_or_counted(to: str, kept: bool, tmp_path: Path) -> None:
    data = b"# a comment\n# another\n\n"
    lost = convert(read_conllu([data], "x"), tmp_path / "out", to)
    assert (tmp_path / "out").read_bytes() == (data if kept else b"")
    assert lost == ({} if kept else {"comments": 1})


ALL = tuple(COLUMNS[number] for name, number in NUMBERS.items() if name != "words")
NO_ROOM = {  # by the output
    "conllu": (), "conllx": ("DEPS", "MISC"), "json": (), "jsonl": (), "csv": (), "tsv": (), "horizontal": ALL,
    "vertical": ALL, "text": [name for name in ALL if name != "MISC"],
}  # fmt: skip
OTHERS = {  # what a sentence may have beside columns, and which outputs have no room for it
    "comments": {"conllx", "csv", "tsv", "horizontal", "vertical", "text"},
    "multiword tokens": {"conllx", "csv", "tsv", "horizontal", "vertical"},
    "empty nodes": {"conllx", "csv", "tsv", "horizontal", "vertical", "text"},
    "spaces inside of words": {"horizontal"},
}


def take_all(items: Iterable[Sentence], path: str) -> None:
    """In place of a writer."""
    for _ in items:
        pass


@pytest.mark.parametrize("to", NO_ROOM)
def test_whatever_has_no_room_is_named(to: str, tmp_path: Path) -> None:
    """Every column, and whatever else there is, alone."""

    def lost(sentence: Sentence) -> Counter[str]:
        return convert([sentence], tmp_path / "out", to, None if to in OUTPUTS else take_all)

    values = {name: [1, 0] if name == "heads" else ["x=y", "_"] for name in NUMBERS if name != "words"}
    for name, value in values.items():
        column = COLUMNS[NUMBERS[name]]
        assert lost(Sentence.from_words(["a", "b"], **{name: value[::-1]})) == (  # type: ignore[arg-type]
            {column: 1} if column in NO_ROOM[to] else {}
        )
    plain = {"tokens": [{"form": "a"}, {"form": "b"}]}
    sentences = {
        "comments": Sentence.from_words(["a"], comments=["# sent_id = 1", "# text = a"]),
        "multiword tokens": Sentence.from_words(["a", "b"], multiword=[(1, 2, "ab")]),
        "empty nodes": Sentence.from_dict(plain | {"empty": [{"id": [1, 1], "form": "c"}]}),
        "spaces inside of words": Sentence.from_words(["a b"]),
    }
    assert sentences.keys() == OTHERS.keys()
    for name, sentence in sentences.items():
        assert lost(sentence) == ({name: 1} if to in OTHERS[name] else {}), name
    named = lost(Sentence.from_words(["a"], comments=["# sent_id = 1"]))
    assert named == ({"comments": 1} if to in OTHERS["comments"] - {"csv", "tsv"} else {})
