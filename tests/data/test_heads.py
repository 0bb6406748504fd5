"""Which strings are a HEAD, and whose columns a copy changes."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dodona import FormatError, OptionError, Sentence, TreeError, read
from dodona.data.trees import check_tree

N = 10
HEADS = ["".join(signs) for length in (0, 1, 2) for signs in product("_-019x", repeat=length)]


@pytest.mark.parametrize("head", HEADS)
def test_a_head_is_an_underscore_or_a_number_up_to_n(tmp_path: Path, head: str) -> None:
    path = tmp_path / "some.conllu"
    heads = [head, *["0"] * (N - 1)]
    rows = ("\t".join((str(d), "a", *"____", h, "dep", "_", "_")) for d, h in enumerate(heads, start=1))
    path.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    numbers: dict[str, int | None] = {"_": None} | {str(number): number for number in range(N + 1)}
    if head in numbers:
        (one,) = read(path)
        assert one.heads == [numbers[head], *[0] * (N - 1)]
    else:
        with pytest.raises(FormatError, match=r":1: HEAD"):
            list(read(path))


@pytest.mark.parametrize("column", ["lemmas", "upos", "xpos", "feats", "misc"])
def test_what_is_done_to_a_copy_is_not_done_to_the_sentence(column: str) -> None:
    one = Sentence.from_words(["a", "b"], heads=[0, 1], labels=["root", "dep"])
    before = one.to_bytes()
    two = one.copy()
    two.set_column(column, ["x", "y"])
    two.set_tree([2, 0], ["dep", "root"])
    assert (one.to_bytes(), two.to_bytes()) == (before, two.copy().to_bytes())
    assert two.to_bytes() != before


@pytest.mark.parametrize("value", [True, False, 1.0, "1", -1, 3, np.bool_(True), np.int64(3)])
def test_what_is_no_head_is_none_anywhere(value: Any) -> None:
    sentence = Sentence.from_words(["a", "b"], heads=[0, 1], labels=["root", "dep"])
    for put in (
        lambda: Sentence.from_words(["a", "b"], heads=[0, value]),
        lambda: sentence.set_tree([0, value], ["root", "dep"]),
        lambda: setattr(sentence, "heads", [0, value]),
        lambda: setattr(sentence[1], "head", value),
        lambda: Sentence.from_dict({"tokens": [{"form": "a", "head": 0}, {"form": "b", "head": value}]}),
    ):
        with pytest.raises(OptionError, match=r"word 2 has head .*; expected a number from 0 to 2"):
            put()
    with pytest.raises(TreeError, match=r"word 2 has head .*; expected a number from 0 to 2, not itself"):
        check_tree([0, value])


def test_numbers_of_numpy_are_heads() -> None:
    assert Sentence.from_words(["a", "b"], heads=np.array([0, 1])).heads == [0, 1]  # type: ignore[arg-type]
    assert check_tree(np.array([2, 0])) == [2, 0]  # type: ignore[arg-type]


def test_offsets_of_a_token_are_those_of_its_sentence() -> None:
    sentence = Sentence.from_words(["a", "b"])
    assert [(token.offsets, token.start, token.end) for token in sentence] == [(None, None, None)] * 2
    assert (sentence.start, sentence.end) == (None, None)
    sentence.offsets = [(1, 3), (4, 9)]
    assert [(token.offsets, token.start, token.end) for token in sentence] == [((1, 3), 1, 3), ((4, 9), 4, 9)]
    assert (sentence.start, sentence.end) == (1, 9)
