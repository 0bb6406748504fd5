"""Parsing and correcting for the playground: what is given stays, the rest fits it, and nothing else is taken."""

from pathlib import Path
from typing import Any

import pytest
from samples.asgi import call
from samples.recording import record
from samples.small_models import linear, neural, whole

import dodona
from dodona import DodonaError, Pipeline, Request, Sentence
from dodona.drawing import svg_of, tikz_of
from dodona.parser.parser import Parser
from dodona.parser.request import sentence_confidence
from dodona.server.models import Models
from dodona.server.playground.parse import _explain

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


# All of an answer, and limits


def conllu_of(*sizes: int, **columns: str) -> str:
    """Sentences of so many words, each of which hangs on the one before."""
    row = [columns.get(name, "_") for name in ("lemma", "upos", "xpos", "feats")]
    end = [columns.get("deps", "_"), columns.get("misc", "_")]
    return "".join(
        "".join(
            "\t".join([str(k), "a", *row, str(k - 1), "dep" if k > 1 else "root", *end]) + "\n" for k in range(1, n + 1)
        )
        + "\n"
        for n in sizes
    )


def test_a_tree_in_full(models: Models) -> None:
    """A sentence of CoNLL-U that has everything, which is judged; with and without its text."""
    rows = (
        "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\tNote=a\n1\tzu\tl1\tX\tx1\tA=b\t2\tcase\t_\t_\n"
        "2\tdem\tl2\tY\tx2\t_\t0\troot\t_\tNote=c\n2.1\te\t_\t_\t_\t_\t_\t_\t1:x\t_\n"
        "3\tHaus\tl3\tZ\tx3\t_\t2\tdep\t_\t_\n\n"
    )
    tree = {
        "words": ["zu", "dem", "Haus"], "lemmas": ["l1", "l2", "l3"], "upos": ["X", "Y", "Z"],
        "xpos": ["x1", "x2", "x3"], "feats": ["A=b", "_", "_"], "heads": [2, 0, 2], "labels": ["case", "root", "dep"],
        "multiword": [[1, 2, "zum"]],
    }  # fmt: skip
    for conllu, text in ((f"# text = zum  Haus\n{rows}", "zum  Haus"), (rows, "zum Haus")):
        (sentence,) = parse({"text": conllu}, models)["sentences"]
        ((found,), kept) = sentence["trees"], sentence["kept"]
        sure = found["confidence"]
        assert (kept, sentence["given"]) == (True, [])
        assert len(sure) == 3
        assert all(round(value, 4) == value for value in sure)
        assert found == tree | {
            "text": text, "conllu": conllu, "confidence": sure,
            "mean": round(sentence_confidence(sure), 4), "score": 0.0,
        }  # fmt: skip
        assert min(sure) < found["mean"] < max(sure)
        request = {"conllu": conllu.replace("\n", "\r\n"), "given": [], "rest": False}
        assert correct(request, models) == {
            "model": "whole",
            "tree": tree | {"text": text, "conllu": conllu, "confidence": [], "mean": None, "score": 0.0},
        }
        assert call("draw", {"conllu": request["conllu"]}, models) == call("draw", {"conllu": conllu}, models)


@pytest.mark.parametrize("hole", ["head", "label", "empty"])
def test_a_tree_with_any_hole_is_filled_in_around_the_rest(models: Models, hole: str) -> None:
    text = conllu_of(3)
    line = text.split("\n")[2].split("\t")
    line[6:8] = {"head": ["_", "dep"], "label": ["2", "_"], "empty": ["_", "_"]}[hole]
    text = "\n".join([*text.split("\n")[:2], "\t".join(line), "", ""])
    (found,) = parse({"text": text}, models)["sentences"]
    given = [[1, 0, "root"], [2, 1, "dep"], *([[3, 2, None]] if hole == "label" else [])]
    assert (found["kept"], found["given"]) == (False, given)
    (tree,) = found["trees"]
    assert (tree["heads"][:2], tree["labels"][:2]) == ([0, 1], ["root", "dep"])
    assert tree["labels"][2] != "_"


@pytest.mark.parametrize(("beam", "nbest", "width"), [(1, 2, 8), (1, 8, 8), (1, 9, 9), (1, 10, 10), (12, 3, 12)])
def test_the_beam_is_wide_enough(beam: int, nbest: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = Pipeline(linear("arc-hybrid", beam).parser)
    asked = record(monkeypatch, Parser, "analyses_of")
    one, *_ = parse(
        {"text": conllu_of(2).replace("root", "_").replace("dep", "_"), "nbest": nbest}, Models({"m": pipeline})
    )["sentences"]
    assert asked[-1]["request"] == Request(width, nbest, confidence=True, constrained=True)
    assert 1 <= len(one["trees"]) <= nbest


def test_models_in_full() -> None:
    pipelines = {
        "whole": whole(), "beam": Pipeline(linear("arc-hybrid", 4).parser), "net": Pipeline(neural("arc-eager").parser),
        "first": Pipeline(linear("easy-first").parser),
    }  # fmt: skip
    assert call("systems", {}, Models(pipelines))["models"] == [
        {
            "name": name, "system": nlp.parser.options.system, "labels": nlp.parser.tree_labels,
            "tokenizes": name == "whole", "nbest": name != "first", "beam": name in ("beam", "net"),
        }
        for name, nlp in pipelines.items()
    ]  # fmt: skip
    labels = ["l" * 60, "l" * 61]
    odd = [Sentence.from_words(["a", "b", "c"], heads=[0, 1, 1], labels=["root", *labels])] * 2
    nlp = dodona.train(odd, components=["parser"], tags="gold", iterations=1, templates="stack")
    (described,) = call("systems", {}, Models({"odd": nlp}))["models"]
    assert labels[0] in described["labels"]
    assert labels[1] not in described["labels"]
    assert labels[1] in nlp.parser.tree_labels


def test_limits_of_sentences_wherever_they_are_read(models: Models) -> None:
    """So many words of a sentence, and so many sentences of a text; of text and of CoNLL-U."""

    def refusal(name: str, request: dict[str, Any]) -> str | None:
        try:
            call(name, request, models)
        except DodonaError as error:
            return str(error)
        return None

    fast = {"model": "swap"}
    assert refusal("parse", {"text": conllu_of(*[1] * 200), **fast}) is None
    assert (
        refusal("parse", {"text": conllu_of(*[1] * 201), **fast}) == "201 sentences; the playground takes 200 at a time"
    )
    told = "the playground takes sentences up to 400"
    for n in (400, 401):
        long = conllu_of(n)
        text = "a" + " a" * (n - 1)
        expected = None if n == 400 else f"sentence 1 has 401 words; {told}"
        assert refusal("parse", {"text": long, **fast}) == expected
        assert refusal("parse", {"text": text}) == expected
        if n == 401:
            assert refusal("parse", {"text": conllu_of(1, n), **fast}) == f"sentence 2 has 401 words; {told}"
        expected = None if n == 400 else f"401 words; {told}"
        assert refusal("correct", {"conllu": long, "given": [], "rest": False}) == expected
        assert refusal("draw", {"conllu": long}) == expected
    for n in (0, 2):
        text = conllu_of(*[1] * n) or "\n"
        for name, request in (("correct", {"conllu": text, "given": []}), ("draw", {"conllu": text})):
            assert refusal(name, request) == f"{n} sentences; expected one"


@pytest.mark.parametrize("rest", [True, False])
def test_labels_and_heads_that_can_be_given(models: Models, rest: bool) -> None:
    def refusal(*given: Any) -> str | None:
        try:
            answer = correct({"conllu": conllu_of(3), "given": [given], "rest": rest}, models)
        except DodonaError as error:
            return str(error)
        word, head, label = given
        assert answer["tree"]["heads"][word - 1] == head
        assert label is None or answer["tree"]["labels"][word - 1] == label
        return None

    assert [refusal(3, 1, label) for label in ("l" * 60, "x", None)] == [None] * 3
    assert refusal(3, 1, "l" * 61) == "given: a label of 61 letters; expected at most 60"
    for label in ("", "a b", "a\tb", " "):
        assert refusal(3, 1, label) == f"given: expected a label without spaces, not {label!r}"
    assert refusal(3, 1, " " * 100) == f"given: expected a label without spaces, not {' ' * 60!r}"
    for word, head in ((0, 1), (4, 1), (3, 4), (3, 3)):
        message = f"Word {word} cannot have the head {head}; expected another word from 0 to 3"
        assert refusal(word, head, None) == message


def test_faults_are_told_with_words_of_the_only_sentence() -> None:
    """Numbers of words become their forms, as far as there are such words; of several sentences, the place is told."""
    one, two = Sentence.from_words(["a", "b"]), Sentence.from_words(["c"])
    message = "text:3: word 2 has HEAD 0, as word 1 and word 7: 1 → 2 → 9; 5 of 6"
    error = DodonaError(message)
    assert _explain(error, [one]) == "Word “b” has HEAD ROOT, as word “a” and word 7: “a” → “b” → 9; 5 of 6"
    assert _explain(error, [one, two]) == message
    assert _explain(DodonaError("oh"), [one]) == "Oh"


def test_a_model_without_a_tokenizer_takes_conllu_only(models: Models) -> None:
    assert parse({"text": conllu_of(2), "model": "hybrid"}, models)["model"] == "hybrid"
    with pytest.raises(DodonaError, match=r"^this model has no tokenizer; expected CoNLL-U$"):
        parse({"text": "a cat", "model": "hybrid"}, models)
    first = Models({"first": Pipeline(linear("easy-first").parser)})
    with pytest.raises(DodonaError, match=r"^the parser of this model has no beam, so that it finds one tree only$"):
        parse({"text": conllu_of(2), "nbest": 2}, first)


@pytest.mark.parametrize("comments", ["", "# annotation = open\n", "# annotation = done\n# sent_id = 1\n"])
def test_comments_stay_when_a_sentence_is_corrected(models: Models, comments: str) -> None:
    answer = correct({"conllu": comments + conllu_of(3), "given": [[3, 1, "mine"]]}, models)
    assert answer["tree"]["conllu"].startswith(f"{comments}1\ta\t")
