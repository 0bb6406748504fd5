"""Sentences as dictionaries: nothing is lost, and what could not be written is refused."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import Document, OptionError, Sentence, read
from dodona.data import dataframe
from dodona.data.conllu import read_conllu
from dodona.data.dictionary import NODE, RANGE, SENTENCE, TOKEN
from dodona.data.stream import only_sentences
from dodona.data.ud import NUMBERS

pytestmark = pytest.mark.filterwarnings("ignore::dodona.FormatWarning")

TREEBANKS = os.environ.get("DODONA_TREEBANKS")
EXAMPLES = Path(__file__).parents[2] / "examples" / "sentences.conllu"
RICH = """\
# sent_id = 1
#no space
# text = dámelo .
0.1\tnada\t_\tX\t_\tA=b|a=c\t_\t_\t1:obj\tz
0.2\tnada\t_\t_\t_\t_\t_\t_\t0:root\t_
1-2\tdámelo\t_\t_\t_\tTypo=Yes\t_\t_\t_\tz=1|a=2
1\tda\tdar\tVERB\tV\tB=b|A=a\t0\troot\t0:root|2.1:dep\tx| =y |Confidence=0.9312
2\tme\tyo\tPRON\t_\tno|names\t1\tiobj\t_\tConfidence=2
3\t_\t_\tPUNCT\t_\tA=1|A=2\t_\t_\t_\tSpaceAfter=No
3.1\tfin\tfin\tNOUN\tN\t_\t_\t_\t3:obj\t_

"""


def read_one(text: str, strict: bool = True) -> Sentence:
    (found,) = only_sentences(read_conllu([text.encode()], "x", strict=strict))
    return found


def test_what_a_dictionary_has() -> None:
    sentence = read_one(RICH)
    sentence.offsets = [(5, 11), (5, 11), (12, 13)]
    found = sentence.to_dict()
    assert tuple(found) == SENTENCE
    assert (found["sent_id"], found["text"]) == ("1", "dámelo .")
    assert found["comments"] == ["# sent_id = 1", "#no space", "# text = dámelo ."]
    first, second, third = found["tokens"]
    assert first == {
        "id": 1, "form": "da", "lemma": "dar", "upos": "VERB", "xpos": "V", "feats": {"B": "b", "A": "a"}, "head": 0,
        "deprel": "root", "deps": "0:root|2.1:dep", "misc": "x| =y |Confidence=0.9312", "start": 5, "end": 11,
        "confidence": 0.9312,
    }  # fmt: skip
    assert list(first) == [*TOKEN]
    assert list(first["feats"]) == ["B", "A"]
    assert (second["feats"], second["confidence"]) == ("no|names", None)
    assert third == {
        "id": 3, "form": "_", "lemma": "_", "upos": "PUNCT", "xpos": None, "feats": "A=1|A=2", "head": None,
        "deprel": None, "deps": None, "misc": "SpaceAfter=No", "start": 12, "end": 13, "confidence": None,
    }  # fmt: skip
    (multiword,) = found["multiword"]
    assert list(multiword) == [*RANGE]
    assert [*multiword.values()] == [[1, 2], "dámelo", {"Typo": "Yes"}, "z=1|a=2", 5, 11]
    assert [node["id"] for node in found["empty"]] == [[0, 1], [0, 2], [3, 1]]
    assert found["empty"][0] == dict(
        zip(NODE, ([0, 1], "nada", None, "X", None, {"A": "b", "a": "c"}, "1:obj", "z"), strict=True)
    )


def test_a_sentence_of_which_nothing_is_known() -> None:
    found = Sentence.from_words(["a"]).to_dict()
    assert (found["sent_id"], found["text"]) == (None, None)
    assert (found["comments"], found["multiword"], found["empty"]) == ([], [], [])
    expected = dict.fromkeys(TOKEN) | {"id": 1, "form": "a", "feats": {}}
    assert found["tokens"] == [expected]


def same_again(sentence: Sentence) -> None:
    told = sentence.to_dict()
    found = Sentence.from_dict(json.loads(sentence.to_json()))
    assert found.to_dict() == told == json.loads(sentence.to_json(indent=2))
    assert found.to_bytes() == sentence.to_bytes()
    assert found.offsets == sentence.offsets
    numbers = range(1, len(sentence) + 1)
    assert [found.word_line(d) - found.line for d in numbers] == [
        sentence.word_line(d) - sentence.line for d in numbers
    ]
    assert Sentence.from_dict(told).to_bytes() == read_one(found.to_bytes().decode()).to_bytes()


@pytest.mark.parametrize("strip", ["", "0.1", "1-2", "3.1"])
def test_rich_sentences_come_back(strip: str) -> None:
    lines = [line for line in RICH.split("\n") if not strip or not line.startswith(strip)]
    same_again(read_one("\n".join(lines).replace("0.2\t", "0.1\t" if strip == "0.1" else "0.2\t")))


def test_sentences_of_the_examples_come_back() -> None:
    for sentence in read(EXAMPLES):
        same_again(sentence)


@pytest.mark.skipif(TREEBANKS is None, reason="DODONA_TREEBANKS names no folder with treebanks")
def test_all_sentences_of_treebanks_come_back() -> None:
    for file in sorted(Path(str(TREEBANKS)).glob("*/test.conllu.gz")):
        for sentence in read(file):
            assert Sentence.from_dict(json.loads(sentence.to_json())).to_bytes() == sentence.to_bytes()


VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="=|_"), min_size=1, max_size=4)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """A sentence with ranges and empty nodes wherever they may be."""
    n = draw(st.integers(1, 4))
    lines = [f"#{line}" for line in draw(st.lists(VALUES, max_size=2))]
    end = 0  # of a range
    for word in range(n + 1):
        if word:
            columns = [draw(VALUES) for _ in range(9)]
            columns[5] = draw(st.sampled_from(["_", *map(str, range(n + 1))]))
            if columns[0] == "_":
                columns[1] = "_"
            lines.append("\t".join((str(word), *columns)))
        for number in range(draw(st.integers(0, 2))):
            node = [draw(VALUES) for _ in range(9)]
            lines.append("\t".join((f"{word}.{number + 1}", *node[:5], "_", "_", *node[7:])))
        last = draw(st.integers(word, n))
        if last > word + 1 and word >= end:
            end = last
            lines.append("\t".join((f"{word + 1}-{last}", draw(VALUES), *"___", draw(VALUES), *"___", draw(VALUES))))
    return "\n".join(lines) + "\n\n"


@settings(max_examples=60, deadline=None)
@given(sentences())
def test_any_sentence_comes_back(text: str) -> None:
    same_again(read_one(text))


def test_what_is_no_valid_row_is_left_out() -> None:
    lines = ["2-1\tb", "1\ta", "1.2\tc", "1.1\td", "2\tb", "1-2\tab"]
    text = "\n".join(line + "\t_" * 8 for line in lines) + "\n\n"
    found = read_one(text, strict=False).to_dict()
    assert (found["multiword"], [node["form"] for node in found["empty"]]) == ([], ["d"])
    assert Sentence.from_dict(found).words == ["a", "b"]


def test_conllx_has_no_misc_and_an_empty_column_is_nothing() -> None:
    (old,) = only_sentences(read_conllu([b"1\ta\t\tN\tNN\tsg\t0\tROOT\t3\tPD\n\n"], "x", format="conllx"))
    (token,) = old.to_dict()["tokens"]
    assert (token["lemma"], token["feats"], token["deps"], token["misc"]) == (None, "sg", None, None)
    assert Sentence.from_dict(old.to_dict()).to_bytes() == b"1\ta\t_\tN\tNN\tsg\t0\tROOT\t_\t_\n\n"


def test_offsets_are_those_of_first_and_last_word() -> None:
    """Of a multiword token whose words have their own; a word may have no letter in the text."""
    made = Sentence.from_words(["do", "n't", "go"], multiword=[(1, 2, "don't")])
    made.offsets = [(0, 2), (2, 5), (6, 6)]
    found = made.to_dict()
    assert found["multiword"] == [{"id": [1, 2], "form": "don't", "feats": {}, "misc": None, "start": 0, "end": 5}]
    assert [(each["start"], each["end"]) for each in found["tokens"]] == made.offsets
    assert Sentence.from_dict(found).offsets == made.offsets
    document = Document([made], "don't ")
    assert Document.from_bytes(document.to_bytes())[0].offsets == made.offsets
    assert Document.from_dict(document.to_dict())[0].offsets == made.offsets


class Pandas:
    """As much of pandas as a table takes, which may not be installed."""

    DataFrame = dict

    @staticmethod
    def array(values: list[Any], dtype: str) -> list[Any]:
        return values


@pytest.mark.parametrize("format", ["conllu", "conllx"])
def test_a_table_has_the_values_of_dictionaries(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataframe, "import_module", lambda name: Pandas)
    rich = read_one(RICH)
    if format == "conllx":
        columns = {name: getattr(rich, name) for name in NUMBERS}
        rich = Sentence.from_words(**columns, format=format)
    rich.offsets = [(5, 11), (5, 11), (12, 13)]
    plain = Sentence.from_words(["a"])
    documents = [(Document([rich, plain]), "x"), (Document([plain]), "y")]
    rows = [
        {"document": number, "sentence": place, **token, "context": context}
        for number, (document, context) in enumerate(documents, start=1)
        for place, sentence in enumerate(document, start=1)
        for token in sentence.to_dict()["tokens"]
    ]
    table = dataframe.to_dataframe(documents)
    assert table == {key: [row[key] for row in rows] for key in rows[0]}
    assert list(table) == list(rows[0])


def test_little_is_needed() -> None:
    made = Sentence.from_dict({"text": "a b", "sent_id": "7", "tokens": [{"form": "a"}, {"form": "b", "head": 1}]})
    assert made.to_bytes().startswith(b"# sent_id = 7\n# text = a b\n1\ta\t_")
    assert (made.heads, made.offsets, made.lacks("upos")) == ([None, 1], None, True)
    part = Sentence.from_dict({"tokens": [{"form": "a", "start": 0, "end": 1}, {"form": "b"}]})
    assert part.offsets is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": []}, "without 'tokens'; expected at least one"),
        ({"tokens": "abc"}, "tokens 'abc'; expected a list of dictionaries"),
        ({"tokens": ["a"]}, "token 1: 'a'; expected a dictionary with id, form, lemma"),
        ({"words": []}, "a sentence: unknown key 'words'; expected some of sent_id, text"),
        ({"tokens": [{"form": "a", "pos": "X"}]}, "token 1: unknown key 'pos'; expected some of id, form"),
        ({"tokens": [{"form": "a", "id": 2}]}, "token 1: 'id' 2; expected 1"),
        ({"tokens": [{"lemma": "a"}]}, "token 1: form None; expected text$"),
        ({"tokens": [{"form": "a", "lemma": 3}]}, "token 1: lemma 3; expected text, or None"),
        ({"tokens": [{"form": "a", "head": 2}]}, "word 1 has head 2; expected a number from 0 to 1, or None"),
        ({"tokens": [{"form": "a", "head": "0"}]}, "word 1 has head '0'; expected a number"),
        ({"tokens": [{"form": "a", "head": True}]}, "word 1 has head True; expected a number"),
        ({"tokens": [{"form": "a\tb"}]}, r"form: value 'a\\tb'; expected text without tabs"),
        ({"tokens": [{"form": "a", "feats": {"A": 1}}]}, "token 1: feats {'A': 1}; expected names and values"),
        ({"tokens": [{"form": "a", "feats": {"A": "b|c"}}]}, "token 1: feats .*; expected names and values"),
        ({"tokens": [{"form": "a", "start": 0}]}, "token 1: start 0 and end None; expected two numbers, or None"),
        ({"tokens": [{"form": "a", "start": 3, "end": 2}]}, "token 1: start 3 and end 2; expected"),
        ({"tokens": [{"form": "a", "start": -1, "end": 2}]}, "token 1: start -1 and end 2; expected"),
        ({"comments": "# a"}, "comments '# a'; expected a list of lines"),
        ({"comments": ["a"]}, "comment 'a'; expected a single line"),
        ({"text": "a\nb"}, "expected a single line"),
        ({"multiword": [{"id": [1, 3], "form": "ab"}]}, "multiword range 1-3; expected ranges in order, from 1 to 2"),
        ({"multiword": [{"id": 1, "form": "ab"}]}, "a multiword token: id 1; expected two numbers"),
        ({"multiword": [{"id": [1, 2]}]}, "1-2: form None; expected text"),
        ({"multiword": [{"id": [1, 2], "form": "a", "misc": "b\n"}]}, "1-2: value .*; expected text without tabs"),
        ({"multiword": [{"id": [1, 2], "form": "a", "head": 1}]}, "a multiword token: unknown key 'head'"),
        ({"empty": [{"id": [3, 1], "form": "c"}]}, "empty node 3.1; expected 3.1, after a word from 0 to 2"),
        ({"empty": [{"id": [1, 2], "form": "c"}]}, "empty node 1.2; expected 1.1, after a word"),
        ({"empty": [{"id": [True, 1], "form": "c"}]}, "an empty node: id .*; expected two numbers"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Sentence.from_dict({"tokens": [{"form": "a"}, {"form": "b"}]} | change)
    with pytest.raises(OptionError, match="a sentence: None; expected a dictionary"):
        Sentence.from_dict(None)  # type: ignore[arg-type]


def test_comments_before_a_blank_line_are_kept() -> None:
    row = b"1\tOak\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    data = b"\xef\xbb\xbf# alone\r\n# sent_id = none\r\n\r\n# sent_id = 1\n" + row
    [sentence] = only_sentences(read_conllu([data], "x"))
    values = sentence.to_dict()
    assert values["comments"] == ["# alone", "# sent_id = 1"]
    assert values["sent_id"] == "1"
    assert Sentence.from_dict(values).to_bytes() == b"# alone\n# sent_id = 1\n" + row
