"""Lifted arcs find their way back, and decorations never get out."""

import sys
from collections.abc import Callable

import pytest
from data.test_projectivity import random_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import OptionError, TreeError
from dodona.data import ENCODINGS, deprojectivize, projectivize
from dodona.research.verification import Tree, all_trees, is_projective

LABELS = ["nsubj", "obj", "root", "↑", "a↓", "b\\", "x↑y↓", ""]


@st.composite
def trees(draw: Callable[..., int]) -> Tree:
    """Any tree of up to 14 words."""
    return random_tree(draw(st.integers(1, 14)), draw(st.integers(0, 10**9)))


def is_tree(heads: list[int]) -> bool:
    for k in range(1, len(heads) + 1):
        for _ in heads:
            k = heads[k - 1] if k else 0
        if k:
            return False
    return True


def recovered(encoding: str, labels: list[str]) -> int:
    """How many of the non-projective trees of five words come back."""
    count = 0
    for tree in all_trees(5):
        if not is_projective(tree):
            heads, names = deprojectivize(*projectivize(tree, labels, encoding), encoding)
            assert names == labels
            count += heads == list(tree)
    return count


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (list("abcde"), {"baseline": 0, "head": 1023, "path": 772, "head+path": 1023}),
        (list("aabba"), {"baseline": 0, "head": 566, "path": 772, "head+path": 899}),
    ],
)
def test_recovery_of_all_trees_with_five_words(labels: list[str], expected: dict[str, int]) -> None:
    found = {encoding: recovered(encoding, labels) for encoding in ENCODINGS}
    assert found == expected
    assert found["baseline"] <= min(found["head"], found["path"])
    assert max(found["head"], found["path"]) <= found["head+path"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_projective_trees_stay_as_they_are(encoding: str) -> None:
    labels = list("abcde")
    for tree in all_trees(5):
        if is_projective(tree):
            assert projectivize(tree, labels, encoding) == (list(tree), labels)
            assert deprojectivize(tree, labels, encoding) == (list(tree), labels)


def test_the_labels_of_the_paper() -> None:
    heads = [2, 4, 4, 0, 7, 7, 2, 4]
    labels = ["det", "nsubj", "aux", "root", "case", "det", "nmod", "obl"]
    assert projectivize(heads, labels, "baseline")[1] == labels
    assert projectivize(heads, labels, "head")[1][6] == "nmod↑nsubj"
    assert projectivize(heads, labels, "path")[1] == ["det", "nsubj↓", "aux", "root", "case", "det", "nmod↑", "obl"]
    both = ["det", "nsubj↓", "aux", "root", "case", "det", "nmod↑nsubj", "obl"]
    assert projectivize(heads, labels, "head+path") == ([2, 4, 4, 0, 7, 7, 4, 4], both)


def test_head_takes_the_first_word_of_that_name_and_path_the_marked_one() -> None:
    """5 hung on 4; 2 has the same label as 4."""
    heads, labels = [3, 3, 0, 3, 3], ["a", "b", "root", "b↓", "c↑b"]
    assert deprojectivize(heads, labels, "head")[0] == [3, 3, 0, 3, 2]
    assert deprojectivize(heads, labels, "head+path")[0] == [3, 3, 0, 3, 4]
    assert deprojectivize(heads, labels, "path")[0] == [3, 3, 0, 3, 4]


def test_path_ends_come_first_where_names_are_equal() -> None:
    """5 hung on 2, below 3 of the same label."""
    heads, labels = [0, 3, 1, 1, 1], ["root", "b↓", "b↓", "a", "c↑b"]
    assert deprojectivize(heads, labels, "head")[0] == [0, 3, 1, 1, 3]
    assert deprojectivize(heads, labels, "head+path")[0] == [0, 3, 1, 1, 2]


def test_without_its_mark_the_head_is_found_by_name() -> None:
    assert deprojectivize([0, 1, 1], ["root", "b", "c↑b"], "head+path")[0] == [0, 1, 2]
    assert deprojectivize([0, 1, 1], ["root", "b", "c↑"], "path") == ([0, 1, 1], ["root", "b", "c"])


@settings(deadline=None)
@given(trees(), st.lists(st.sampled_from(LABELS), min_size=14, max_size=14), st.sampled_from(ENCODINGS))
def test_any_labels_survive(tree: Tree, names: list[str], encoding: str) -> None:
    labels = names[: len(tree)]
    heads, decorated = projectivize(tree, labels, encoding)
    assert is_projective(tuple(heads))
    back, plain = deprojectivize(heads, decorated, encoding)
    assert plain == labels
    assert is_tree(back)
    assert back.count(0) <= heads.count(0)
    if is_projective(tree):
        assert back == heads == list(tree)


PARTS = st.sampled_from(["nsubj", "obj", "root"])
GARBAGE = st.builds("{}{}{}".format, PARTS, st.sampled_from(["", "↑", "↑obj", "↑root"]), st.sampled_from(["", "↓"]))


@settings(deadline=None)
@given(trees(), st.lists(GARBAGE, min_size=14, max_size=14), st.sampled_from(ENCODINGS[1:]))
def test_decorations_in_impossible_places_do_no_harm(tree: Tree, names: list[str], encoding: str) -> None:
    heads, labels = deprojectivize(tree, names[: len(tree)], encoding)
    assert is_tree(heads)
    assert 1 <= heads.count(0) <= tree.count(0)
    assert set(labels) <= {"nsubj", "obj", "root"}


@settings(deadline=None)
@given(trees(), st.lists(st.text("ab↑↓\\", max_size=6), min_size=14, max_size=14), st.sampled_from(ENCODINGS[1:]))
def test_any_text_at_all(tree: Tree, names: list[str], encoding: str) -> None:
    heads, labels = deprojectivize(tree, names[: len(tree)], encoding)
    assert is_tree(heads)
    for given_label, label in zip(names, labels, strict=False):
        if "\\" not in given_label:
            assert label == given_label.replace("↓", "↑").partition("↑")[0]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_thousand_words(encoding: str) -> None:
    tree = random_tree(1000, seed=1)
    labels = [f"l{k % 40}" for k in range(1000)]
    heads, names = deprojectivize(*projectivize(tree, labels, encoding), encoding)
    assert names == labels
    assert is_tree(heads)


def test_bad_arguments() -> None:
    with pytest.raises(OptionError, match="the encodings are: baseline, head, path, head\\+path"):
        projectivize([0], ["root"], "tail")
    with pytest.raises(TreeError, match="2 heads but 1 labels"):
        deprojectivize([0, 1], ["root"], "head")
    with pytest.raises(TreeError, match="cycle"):
        deprojectivize([2, 1], ["a↑b", "b"], "head")


def count_calls(work: Callable[[], object]) -> int:
    """How often a Python function, or a generator, goes on in some work."""
    count = 0

    def look(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("encoding", ["head", "path", "head+path"])
@pytest.mark.parametrize("labels", [["a↑b"], ["a↑c↓", "a↑b"], ["a↑b↓"], ["a↑a", "b↑a"]])
@pytest.mark.parametrize("deep", [False, True])
def test_the_work_grows_with_the_length_of_the_sentence(encoding: str, labels: list[str], deep: bool) -> None:
    """Word 1 is the root, and has one dependent called c whose search would be in vain."""

    def lower(n: int) -> tuple[list[int], list[str]]:
        names = ["root", "c", *(labels * n)[: n - 2]]
        return deprojectivize([0, 1, *(range(1, n - 1) if deep else [1] * (n - 2))], names, encoding)

    counts = [count_calls(lambda n=n: lower(n)) for n in (600, 1200)]  # type: ignore[misc]
    assert counts[1] < 2.5 * counts[0]
    heads, _ = lower(300)
    assert sorted(heads)[:2] == [0, 1]  # still a tree of one root
