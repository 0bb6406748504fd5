"""Arcs that are left to the end get the root label, wherever it stands among the labels."""

from itertools import permutations

import pytest

from dodona import system


@pytest.mark.parametrize("labels", [*permutations(("a", "b", "root")), ("a", "b"), ("b",)], ids=str)
@pytest.mark.parametrize(("name", "options"), [("arc-eager", {"root": "attach"}), ("covington", {})])
def test_words_left_to_the_end_get_the_root_label(name: str, options: dict[str, str], labels: tuple[str, ...]) -> None:
    chosen = system(name, labels, root_label="root", **options)
    c = chosen.initial(2)
    assert chosen.costs(c, [0, 0], ["root", "root"])["SHIFT"] == 0
    for _ in range(2):
        chosen.apply(c, "SHIFT")
    assert (c.heads, c.labels) == ([0, 0], ["root", "root"])
