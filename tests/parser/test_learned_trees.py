"""What is learned of trees: of crossing arcs, of parts of trees, and no labels of lifted arcs that are too rare."""

import pytest

from dodona import FormatError, Sentence
from dodona.data import trees
from dodona.data.pseudoprojective import ENCODINGS, decode_label, remove_lift
from dodona.parser import training as rare_encodings
from dodona.parser.options import ParserOptions
from dodona.parser.training import drop_rare_encodings, prepare_trees, train_parser
from dodona.transitions.moves import NONE


@pytest.mark.parametrize(
    ("label", "plain"),
    [("nsubj", "nsubj"), ("obj↑conj", "obj"), ("obj↑conj↓", "obj↓"), ("a\\↑b↑c", "a\\↑b"), ("p↓", "p↓")],
)
def test_a_label_without_its_lift(label: str, plain: str) -> None:
    assert remove_lift(label) == plain
    assert decode_label(plain) == decode_label(label)._replace(is_lifted=False, head_label="")


def test_less_than_one_in_so_many_arcs_is_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rare_encodings, "RARE", 10)
    trees: list[list[str | None]] = [["a", "b↑a", None] * 3, [*["c"] * 15, "b↑c", "b↑c"], ["d"]]
    drop_rare_encodings(trees)  # of 24 arcs with a label, 3 are a tenth and more, 2 are less
    assert trees == [["a", "b↑a", None] * 3, ["c"] * 15 + ["b"] * 2, ["d"]]


def test_training_drops_them_only_where_labels_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    crossing = Sentence.from_words(list("abcd"), heads=[3, 4, 0, 3], labels=["x", "y", "root", "z"])
    plain = Sentence.from_words(list("ab"), heads=[2, 0], labels=["x↑", "root"])
    assert "y↑z" in prepare_trees([crossing], ParserOptions()).labels
    monkeypatch.setattr(rare_encodings, "RARE", 3)
    assert prepare_trees([crossing], ParserOptions()).labels == ["root", "x", "y", "z"]
    assert "x↑" in prepare_trees([plain], ParserOptions(nonprojective="baseline")).labels


@pytest.mark.parametrize(
    ("option", "learned"),
    [("drop", []), ("keep", [3, 4, 0, 3]), *((name, [3, 3, 0, 3]) for name in ENCODINGS)],
)
def test_what_is_learned_of_crossing_arcs(option: str, learned: list[int]) -> None:
    """By a system that cannot build them; one that can learns them as they are."""
    crossing = Sentence.from_words(list("abcd"), heads=[3, 4, 0, 3], labels=["x", "y", "root", "z"])
    plain = Sentence.from_words(list("ab"), heads=[2, 0], labels=["x", "root"])

    def learn(system: str) -> list[list[int]]:
        trees = prepare_trees([crossing, plain], ParserOptions(system=system, nonprojective=option)).trees
        return [[tree.gold.head[d] for d in range(1, tree.gold.n + 1)] for tree in trees]

    assert learn("arc-hybrid") == [*([learned] if learned else []), [2, 0]]
    assert learn("covington") == [[3, 4, 0, 3], [2, 0]]
    if not learned:
        with pytest.raises(FormatError):
            prepare_trees([crossing], ParserOptions(nonprojective=option))


def test_very_long_sentences_with_crossing_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    """To lift arcs takes memory that grows with the square of the words; nothing else does."""
    crossing = Sentence.from_words(list("abcd"), heads=[3, 4, 0, 3], labels=["x", "y", "root", "z"])
    plain = Sentence.from_words(list("abcde"), heads=[2, 0, 2, 3, 4], labels=["x", "root", "y", "y", "z"])
    crossing.file, crossing.line = "long.conllu", 7
    for longest, fits in ((4, True), (3, False)):
        monkeypatch.setattr(trees, "LONGEST_LIFTED", longest)
        for encoding in ENCODINGS:
            options = ParserOptions(nonprojective=encoding)
            assert prepare_trees([plain], options).trees
            if fits:
                assert prepare_trees([crossing], options).trees
                continue
            with pytest.raises(FormatError, match=r"^long.conllu:7: 4 words with .* expected 3 at .*--max-length"):
                prepare_trees([crossing], options)
        assert prepare_trees([crossing], ParserOptions(system="covington")).trees


@pytest.mark.parametrize("option", ["keep", *ENCODINGS])
def test_what_is_learned_of_parts_of_trees(option: str) -> None:
    """`_` is no label: of such an arc only the head is known."""
    part = Sentence.from_words(list("abcd"), heads=[2, None, 2, None], labels=["_", "_", "x↑y", "root"])
    nothing = Sentence.from_words(list("ab"))
    found = prepare_trees([part, nothing], ParserOptions(oracle="dynamic", nonprojective=option))
    assert found.labels == ["x↑y" if option in ("keep", "baseline") else "x\\↑y"]
    (tree,) = found.trees
    unknown = tree.gold.n + 1
    assert [tree.gold.head[d] for d in range(1, 5)] == [2, unknown, 2, unknown]
    assert [tree.gold.label[d] for d in range(1, 5)] == [NONE, NONE, 0, NONE]


def test_labels_of_trees_have_no_marks() -> None:
    crossing = Sentence.from_words(list("abcd"), heads=[3, 4, 0, 3], labels=["x", "y", "root", "z↑"])
    parser = train_parser([crossing] * 3, ParserOptions(iterations=1))
    assert {"y↑z\\↑", "z\\↑"} <= set(parser.labels)
    assert sorted(parser.tree_labels) == ["root", "x", "y", "z↑"]
    parser = train_parser([crossing] * 3, ParserOptions(system="swap-standard", iterations=1))
    assert sorted(parser.tree_labels) == sorted(parser.labels) == ["root", "x", "y", "z↑"]
