"""Which strings are a HEAD, and whose columns a copy changes."""

from itertools import product
from pathlib import Path

import pytest

from dodona import FormatError, Sentence, read

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
