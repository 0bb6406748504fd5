"""Parsing and correcting for the playground: what is given stays, the rest fits it, and nothing else is taken."""

from pathlib import Path
from typing import Any

import pytest
from samples.asgi import call
from samples.small_models import linear, neural, whole

import dodona
from dodona import DodonaError
from dodona.drawing import svg_of, tikz_of
from dodona.server.models import Models

TEXT = "the dog sees a cat . a cat sleeps ."
CYCLE = "1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n"


@pytest.fixture(scope="module")
def models() -> Models:
    return Models({"whole": whole(), "hybrid": neural("arc-hybrid"), "swap": linear("swap-standard")})


def parse(request: dict[str, Any], models: Models) -> Any:
    return call("parse", request, models)


def correct(request: dict[str, Any], models: Models) -> Any:
    return call("correct", request, models)


def sentence(models: Models) -> dict[str, Any]:
    found: dict[str, Any] = parse({"text": TEXT}, models)["sentences"][0]["trees"][0]
    return found


def test_a_text_becomes_trees(models: Models) -> None:
    answer = parse({"text": TEXT, "nbest": 3}, models)
    assert answer["model"] == "whole"
    words = [word for each in answer["sentences"] for word in each["trees"][0]["words"]]
    assert words == TEXT.split()
    expected = whole()(TEXT)
    for each, one in zip(parse({"text": TEXT}, models)["sentences"], expected, strict=True):
        (tree,) = each["trees"]
        assert (tree["heads"], tree["labels"]) == (one.heads, one.labels)
        assert len(tree["confidence"]) == len(one)
        assert tree["conllu"] == one.to_bytes().decode()
    for each in answer["sentences"]:
        scores = [tree["score"] for tree in each["trees"]]
        assert scores == sorted(scores, reverse=True)


def test_arcs_of_conllu_are_kept(models: Models) -> None:
    tree = sentence(models)
    n = len(tree["words"])
    lines = [line.split("\t") for line in tree["conllu"].splitlines() if line[:1].isdigit()]
    for line in lines:
        line[6], line[7] = ("_", "_") if line[0] != "1" else (str(n), "mine")
    text = "\n".join("\t".join(line) for line in lines) + "\n\n"
    answer = parse({"text": text, "model": "swap"}, models)
    assert answer["sentences"][0]["given"] == [[1, n, "mine"]]
    assert not answer["sentences"][0]["kept"]
    (found,) = answer["sentences"][0]["trees"]
    assert (found["heads"][0], found["labels"][0], found["confidence"][0]) == (n, "mine", 1.0)


def test_a_complete_tree_stays_and_is_judged(models: Models) -> None:
    tree = sentence(models)
    n = len(tree["words"])
    lines = [line.split("\t") for line in tree["conllu"].splitlines() if line[:1].isdigit()]
    heads, labels = list(tree["heads"]), list(tree["labels"])
    leaf = next(d for d in range(1, n + 1) if d not in heads)
    heads[leaf - 1] = next(h for h in range(1, n + 1) if h not in (leaf, heads[leaf - 1]))
    other = next(d for d in range(1, n + 1) if d != leaf)
    labels[other - 1] = "mine"
    for line, head, label in zip(lines, heads, labels, strict=True):
        line[6:8] = str(head), label
    text = "\n".join("\t".join(line) for line in lines) + "\n\n"
    (found,) = parse({"text": text}, models)["sentences"]
    assert len(parse({"text": text, "nbest": 3}, models)["sentences"][0]["trees"]) == 1
    assert (found["given"], found["kept"]) == ([], True)
    ((kept,), sure) = found["trees"], parse({"text": TEXT}, models)["sentences"][0]["trees"][0]["confidence"]
    assert (kept["heads"], kept["labels"]) == (heads, labels)
    differ = [1 - value if d in (leaf, other) else value for d, value in enumerate(sure, start=1)]
    assert kept["confidence"] == pytest.approx(differ, abs=2e-4)
    assert [line.split("\t")[6] for line in kept["conllu"].splitlines() if line[:1].isdigit()] == list(map(str, heads))


def test_of_an_open_sentence_what_is_marked_is_given(models: Models) -> None:
    tree = sentence(models)
    lines = [line.split("\t") for line in tree["conllu"].splitlines() if line[:1].isdigit()]
    lines[1][9] = "Changed=arc"
    text = "\n".join(["# annotation = open", "# sent_id = 1", *("\t".join(line) for line in lines), "", ""])
    (found,) = parse({"text": text}, models)["sentences"]
    assert found["given"] == [[2, tree["heads"][1], tree["labels"][1]]]
    assert (found["kept"], found["trees"][0]["heads"]) == (True, tree["heads"])
    n = len(lines)
    corrected = correct({"conllu": text, "given": [[n, 1, "mine"]]}, models)["tree"]
    assert (corrected["heads"][n - 1], corrected["labels"][n - 1]) == (1, "mine")
    assert corrected["conllu"].startswith("# annotation = open\n# sent_id = 1\n")


def test_a_tree_becomes_a_picture(models: Models, tmp_path: Path) -> None:
    conllu = sentence(models)["conllu"]
    (tmp_path / "tree.conllu").write_text(conllu)
    (drawn,) = dodona.read(tmp_path / "tree.conllu")
    assert call("draw", {"conllu": conllu}, models) == {"picture": svg_of(drawn)}
    assert call("draw", {"conllu": conllu, "format": "tikz"}, models) == {"picture": tikz_of(drawn)}
    two = conllu + conllu.replace("sent_id = 1", "sent_id = 2")
    for wrong in ({"conllu": two}, {"conllu": conllu, "format": "png"}):
        with pytest.raises(DodonaError, match=r"2 sentences; expected one|format: "):
            call("draw", wrong, models)


@pytest.mark.parametrize("model", ["whole", "hybrid", "swap"])
def test_given_arcs_stay_and_the_rest_is_a_tree(models: Models, model: str) -> None:
    tree = sentence(models)
    n = len(tree["words"])
    for h in range(2, n):
        request = {"conllu": tree["conllu"], "given": [[n, h, "mine"], [h, 1, None]], "model": model}
        found = correct(request, models)["tree"]
        assert (found["heads"][n - 1], found["labels"][n - 1]) == (h, "mine")
        assert found["heads"][h - 1] == 1
        assert found["heads"].count(0) == 1
        assert (found["words"], found["upos"]) == (tree["words"], tree["upos"])


def test_only_one_arc_changes_if_nothing_is_parsed(models: Models) -> None:
    tree = sentence(models)
    root = tree["heads"].index(0) + 1
    leaf = next(d for d in range(1, len(tree["heads"]) + 1) if d not in tree["heads"] and tree["heads"][d - 1] != root)
    found = correct({"conllu": tree["conllu"], "given": [[leaf, root, "mine"]], "rest": False}, models)["tree"]
    assert found["heads"] == [root if d == leaf else h for d, h in enumerate(tree["heads"], start=1)]
    assert found["labels"] == ["mine" if d == leaf else l for d, l in enumerate(tree["labels"], start=1)]
    again = correct({"conllu": tree["conllu"], "given": [[leaf, root, None]], "rest": False}, models)["tree"]
    assert again["labels"] == tree["labels"]


@pytest.mark.parametrize(
    ("given", "rest", "told"),
    [
        (
            [[1, 2, None], [2, 1, None]],
            True,
            "Word “the” has HEAD “dog”, but the given arcs form a cycle: “the” → “dog”",
        ),
        ([[1, 2, None], [2, 1, None]], False, "These arcs would form a cycle: “the” → “dog” → “the”"),
        ([[1, 0, None], [2, 0, None]], True, "Word “dog” has HEAD ROOT, but word “the” is the root already"),
        (
            [[1, 3, None], [2, 4, None]],
            True,
            "but arc “sees” → “the” crosses it, and this parser builds projective",
        ),
        ([[1, 99, None]], True, "Word 1 cannot have the head 99"),
        ([[1, 1, None]], True, "Word 1 cannot have the head 1"),
        ([[0, 1, None]], True, "Word 0 cannot have the head 1"),
        ([[1, True, None]], True, "given[0][1]: expected `int`, got `bool`"),
        ([[1, 2]], True, "given[0]: expected `array` of length 3"),
        ([[1, 2, "a b"]], True, "expected a label without spaces"),
        ([[1, 2, "a\tb"]], False, "expected a label without spaces"),
        ([[1, 2, "l" * 61]], True, "a label of 61 letters"),
    ],
)
def test_what_cannot_be_given(models: Models, given: list[Any], rest: bool, told: str) -> None:
    with pytest.raises(DodonaError) as error:
        correct({"conllu": sentence(models)["conllu"], "given": given, "rest": rest, "model": "hybrid"}, models)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({}, "the request: object missing required field `text`"),
        ({"text": " \n"}, "there is no text"),
        ({"text": "a" * 20_001}, "text: expected `str` of length <= 20000"),
        ({"text": "a", "nbest": 11}, "nbest: expected `int` <= 10"),
        ({"text": "a", "nbest": True}, "nbest: expected `int`, got `bool`"),
        ({"text": "a", "model": "none"}, "there is no model 'none'"),
        ({"text": "a", "model": "swap"}, "this model has no tokenizer"),
        ({"text": "\ud800"}, "half a character (a lone surrogate)"),
        ({"text": "x " * 401 + "."}, "the playground takes sentences up to 400"),
        ({"text": "1\ta\tb\n"}, "text:1: "),
        ({"text": CYCLE}, "These arcs would form a cycle: “a” → “b” → “a”"),
    ],
)
def test_texts_that_are_refused(models: Models, request_: dict[str, Any], told: str) -> None:
    with pytest.raises(DodonaError) as error:
        parse(request_, models)
    assert told in str(error.value)


def test_models_are_described_with_the_default_first(models: Models) -> None:
    found = call("systems", {}, models)["models"]
    assert [model["name"] for model in found] == ["whole", "hybrid", "swap"]
    assert [model["tokenizes"] for model in found] == [True, False, False]
    assert [model["beam"] for model in found] == [False, True, False]
    assert found[0]["labels"] == whole().parser.tree_labels
