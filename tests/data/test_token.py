"""Tokens are views of the columns of a sentence: they read there, set there, and what is set is checked and written."""

import copy
import pickle
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from dodona import OptionError, Sentence, Token
from dodona.data.conllu import read_conllu
from dodona.data.dictionary import TOKEN
from dodona.data.stream import only_sentences


def oaks() -> Sentence:
    return Sentence.from_words(
        ["Oak", "trees", "grow", "slowly", "."],
        ["NOUN", "NOUN", "VERB", "ADV", "PUNCT"],
        lemmas=["oak", "tree", "grow", "slowly", "."],
        xpos=["NN", "NNS", "VBP", "RB", "."],
        feats=["Number=Sing", "Case=Nom|Number=Plur", "_", "_", "_"],
        heads=[2, 3, 0, 3, None],
        labels=["compound", "nsubj", "root", "advmod", "_"],
        misc=["_", "Confidence=0.9312", "_", "SpaceAfter=No", "_"],
    )


def read_oaks() -> Sentence:
    (found,) = only_sentences(read_conllu([oaks().to_bytes()], "x"))
    return found


def forms(tokens: Sequence[Token]) -> str:
    return " ".join(map(str, tokens))


def test_a_sentence_is_a_sequence() -> None:
    sentence = oaks()
    assert len(sentence) == 5
    assert [token.form for token in sentence] == sentence.words
    assert (sentence[0].id, sentence[-1].id, sentence[4].form) == (1, 5, ".")
    assert forms(sentence[1:3]) == "trees grow"
    assert forms(sentence[::-2]) == ". grow Oak"
    assert next(reversed(sentence)) == sentence[4]
    assert sentence[2] in sentence
    for place in (5, -6):
        with pytest.raises(IndexError, match=f"place {place} of 5 tokens; expected a number from -5 to 4"):
            sentence[place]
    with pytest.raises(TypeError):
        sentence["grow"]  # type: ignore[call-overload]


@pytest.mark.parametrize("make", [oaks, read_oaks])
def test_what_a_token_has(make: Any) -> None:
    trees = make()[1]
    assert (trees.form, trees.lemma, trees.upos, trees.xpos, trees.label) == ("trees", "tree", "NOUN", "NNS", "nsubj")
    assert dict(trees.feats) == {"Case": "Nom", "Number": "Plur"}
    assert (trees.misc, trees.confidence) == ("Confidence=0.9312", 0.9312)
    assert (str(trees), repr(trees)) == ("trees", "<Token 2 'trees'>")
    with pytest.raises(TypeError):
        trees.feats["Case"] = "Acc"
    assert trees.sentence[2].feats == {}
    assert trees.sentence[2].confidence is None


def test_the_tree() -> None:
    oak, trees, grow, slowly, stop = oaks()
    assert (oak.head, trees.head, grow.head, stop.head) == (trees, grow, None, None)
    assert [token.head_id for token in (oak, grow, stop)] == [2, 0, None]
    assert [token.is_root for token in (oak, grow, stop)] == [False, True, False]
    assert (grow.children, grow.left, grow.right) == ([trees, slowly], [trees], [slowly])
    assert (grow.subtree, trees.subtree) == ([oak, trees, grow, slowly], [oak, trees])
    assert (oak.ancestors, grow.ancestors, stop.ancestors) == ([trees, grow], [], [])


def test_what_is_no_tree_ends() -> None:
    one = Sentence.from_words(["a", "b", "c"], heads=[2, 1, 3])
    assert [token.id for token in one[0].ancestors] == [2]
    assert one[2].ancestors == []
    assert [token.id for token in one[0].subtree] == [1, 2]


def test_equality_is_that_of_words() -> None:
    one, other = oaks(), oaks()
    assert one[0] == one[0]
    assert len({one[0], one[0], one[1], other[0]}) == 3
    assert one[0] != other[0]
    assert one[0] != "Oak"


def test_offsets() -> None:
    sentence = oaks()
    assert sentence[1].offsets is None
    sentence.offsets = [(0, 3), (4, 9), (10, 14), (15, 21), (21, 22)]
    assert sentence[1].offsets == (4, 9)


@pytest.mark.parametrize("make", [oaks, read_oaks])
def test_what_is_set_is_written(make: Any) -> None:
    sentence = make()
    grow = sentence[2]
    grow.lemma, grow.upos, grow.xpos, grow.misc, grow.label = "GROW", "X", "Y", "M=1", "dep"
    grow.feats = {"B": "b", "A": "a"}
    sentence[4].head = grow
    sentence[3].head, sentence[0].head = 5, None
    assert sentence.lemmas == ["oak", "tree", "GROW", "slowly", "."]
    assert sentence.heads == [None, 3, 0, 5, 3]
    lines = sentence.to_bytes().decode().splitlines()
    assert lines[0] == "1\tOak\toak\tNOUN\tNN\tNumber=Sing\t_\tcompound\t_\t_"
    assert lines[2] == "3\tgrow\tGROW\tX\tY\tB=b|A=a\t0\tdep\t_\tM=1"
    assert [line.split("\t")[6] for line in lines[3:5]] == ["5", "3"]
    grow.feats = "C=c"
    assert sentence.feats[2] == "C=c"
    with pytest.raises(AttributeError):
        grow.form = "grew"
    with pytest.raises(OptionError, match="head <Token 1 'Oak'> of another sentence; expected a token of the same"):
        grow.head = oaks()[0]
    with pytest.raises(OptionError, match="upos: value None of type NoneType; expected a string"):
        grow.upos = None
    with pytest.raises(OptionError, match="word 3 has head 6; expected a number from 0 to 5, or None"):
        grow.head = 6
    assert sentence.upos[2] == "X"


@pytest.mark.parametrize("make", [oaks, read_oaks])
def test_columns_that_are_set_are_checked_and_written(make: Any) -> None:
    sentence = make()
    for name in ("lemmas", "upos", "xpos", "feats", "labels", "misc"):
        setattr(sentence, name, ("A", "B", "C", "D", "E"))
        assert getattr(sentence, name) == ["A", "B", "C", "D", "E"]
        with pytest.raises(OptionError, match=f"^{name}: 4 values; expected 5, one for each word$"):
            setattr(sentence, name, ["A"] * 4)
        with pytest.raises(OptionError, match=f"^{name}: 'ABCDE'; expected a list with a string for each word$"):
            setattr(sentence, name, "ABCDE")
        with pytest.raises(OptionError, match=f"^{name}: None; expected a list"):
            setattr(sentence, name, None)
        with pytest.raises(OptionError, match=f"^{name}: value 7 of type int; expected a string$"):
            setattr(sentence, name, ["A", "B", "C", "D", 7])
        with pytest.raises(OptionError, match=f"^{name}: value 'A.*'; expected text without tabs"):
            setattr(sentence, name, ["A\t", "B", "C", "D", "E"])
        with pytest.raises(OptionError, match=f"^{name}: value ''; expected text without tabs"):
            setattr(sentence, name, ["A", "B", "C", "D", ""])
        assert getattr(sentence, name) == ["A", "B", "C", "D", "E"]
    sentence.heads = [0, 1, None, 1, 1]
    assert sentence.to_bytes().decode().splitlines()[2] == "3\tgrow\tC\tC\tC\tC\t_\tC\t_\tC"
    for heads in ([0], None, "01111", [0, 1, 1, 1, 6], [0, 1, 1, 1, -1], [0, 1, 1, 1, "1"], [True, 1, 1, 1, 1]):
        with pytest.raises(OptionError, match="expected"):
            sentence.heads = heads
    assert sentence.heads == [0, 1, None, 1, 1]
    for name in ("words", "deps"):
        with pytest.raises(OptionError, match=f"column '{name}' cannot be replaced; expected a new sentence"):
            setattr(sentence, name, ["A"] * 5)


def test_strings_of_another_class_become_plain() -> None:
    class Odd(str):
        pass

    sentence = oaks()
    sentence.upos = [Odd("A")] * 5
    assert {type(value) for value in sentence.upos} == {str}


@pytest.mark.parametrize("again", [copy.copy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: one.copy()])
def test_copies_have_columns_of_their_own(again: Any) -> None:
    sentence = oaks()
    sentence.upos = ["X"] * 5
    other = again(sentence)
    assert (other.upos, other.to_bytes()) == (sentence.upos, sentence.to_bytes())
    assert other[0] != sentence[0]
    with pytest.raises(AttributeError, match="'Sentence' object has no attribute 'pos'"):
        other.pos  # noqa: B018


def test_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    frame = oaks().to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [*TOKEN]
    assert list(frame["form"]) == oaks().words
    assert frame["feats"][1] == {"Case": "Nom", "Number": "Plur"}


def test_without_pandas_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(OptionError, match=r"a data frame needs pandas: .*; expected it to be installed"):
        oaks().to_dataframe()
