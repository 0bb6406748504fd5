"""Many texts at once: the same sentences as one by one, in the same order, as soon as they are ready."""

import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, cast

import pytest

import dodona
from dodona import Document, OptionError, Sentence
from dodona.data.stream import Boundary, Item, Pause
from dodona.parser.parser import Request
from dodona.pipeline.pipeline import Pipeline

TEXTS = ["Oak trees grow. Nobody asks why.", "", "The wind moves.", "   ", "Leaves rustle. They do. They always do."]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return dodona.load("en-fast")


def shown(sentences: Sequence[Sentence]) -> list[tuple[bytes, list[tuple[int, int]] | None]]:
    return [(sentence.to_bytes(), sentence.offsets) for sentence in sentences]


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_texts_are_parsed_as_one_by_one(nlp: Pipeline, batch: int) -> None:
    alone = [shown(nlp(text)) for text in TEXTS]
    assert [shown(found) for found in nlp.pipe(TEXTS, batch=batch)] == alone
    pairs = list(nlp.pipe(zip(TEXTS, "abcde", strict=True), batch=batch, as_tuples=True))
    assert [(shown(found), context) for found, context in pairs] == list(zip(alone, "abcde", strict=True))


def test_requests(nlp: Pipeline) -> None:
    request = Request(beam=4, nbest=3, confidence=True)
    assert [shown(found) for found in nlp.pipe(TEXTS, request)] == [shown(nlp(text, request)) for text in TEXTS]


def test_only_a_batch_is_read_ahead(nlp: Pipeline) -> None:
    taken = []

    def texts() -> Iterator[str]:
        for k in range(100):
            taken.append(k)
            yield "The wind moves."

    found = nlp.pipe(texts(), batch=4)
    assert not taken
    assert len(next(found)) == 1
    assert len(taken) == 2  # each is a sentence and the end of a text
    with pytest.raises(OptionError, match="batch 0: expected at least 1"):
        nlp.pipe([], batch=0)


def test_one_text_is_not_taken_for_its_letters(nlp: Pipeline) -> None:
    with pytest.raises(OptionError, match="expected several texts"):
        nlp.pipe("The wind moves.")


def test_a_pause_finishes_what_came_before(nlp: Pipeline) -> None:
    taken: list[Item] = []

    def items() -> Iterator[Item]:
        for item in (one, Boundary(), two, Pause(b"x"), three):
            taken.append(item)
            yield item

    one, two, three = (Sentence.from_words([word, "."]) for word in ("Yes", "No", "Never"))
    stream = nlp.stream(items())
    found = [next(stream) for _ in range(4)]
    assert found == [one, Boundary(), two, Pause(b"x")]
    assert len(taken) == 4
    assert two.heads == [0, 1]
    assert list(stream) == [three]


def test_several_threads_give_the_same_in_the_same_order_as_they_go(nlp: Pipeline) -> None:
    request = Request(confidence=True)
    taken = []

    def pairs() -> Iterator[tuple[str, int]]:
        for k in range(1000):
            taken.append(k)
            yield TEXTS[k % 5], k

    found = cast(Generator[tuple[Document, int]], nlp.pipe(pairs(), request, jobs=2, batch=3, as_tuples=True))
    assert not taken
    alone = [shown(nlp(text, request)) for text in TEXTS]
    for k in range(20):
        sentences, context = next(found)
        assert (shown(sentences), context) == (alone[k % 5], k)
    assert len(taken) < 300
    assert any(thread.name.startswith("dodona") for thread in threading.enumerate())
    found.close()
    assert not any(thread.name.startswith("dodona") for thread in threading.enumerate())
    assert sys.getswitchinterval() == pytest.approx(0.005)


@pytest.mark.parametrize("wrong", [0, "two", None])
def test_a_wrong_number_of_threads(nlp: Pipeline, wrong: Any) -> None:
    with pytest.raises(OptionError, match=f"jobs {wrong!r}: expected at least 1"):
        nlp.parse([], jobs=wrong)


def test_an_error_ends_all_threads(nlp: Pipeline) -> None:
    """They are in the middle of long sentences, and do not begin further ones."""
    long = [Sentence.from_words(["oak"] * 30_000) for _ in range(20)]
    wrong = Sentence.from_words(["a"])
    wrong.words[0] = 7  # type: ignore[call-overload]
    with pytest.raises(OptionError, match="words: value 7 of type int"):
        list(nlp.stream([wrong, *long], batch=1, jobs=3))
    assert not any(thread.name.startswith("dodona") for thread in threading.enumerate())
    assert sum(not sentence.lacks("labels") for sentence in long) < 15


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda nlp: nlp(None), r"None; expected a text, as a string$"),
        (lambda nlp: nlp(b"abc"), r"b'abc' of type bytes; expected a text, as a string \(decode it first"),
        (
            lambda nlp: nlp(["a b"]),
            r"\['a b'\] of type list; expected a text, .*`nlp.pipe",
        ),
        (lambda nlp: nlp(7), r"7 of type int; expected a text, as a string$"),
        (lambda nlp: nlp(Sentence.from_words(["a"])), r"of type Sentence; expected a text, .*`nlp.parse\(sentences\)`"),
        (lambda nlp: nlp.parse("a b"), r"'a b' of type str; expected sentences \(for a text: `nlp\(text\)`"),
        (lambda nlp: nlp.parse(Sentence.from_words(["a"])), r"one sentence; expected several"),
        (lambda nlp: nlp.parse(None), r"None; expected sentences, from `dodona.read`"),
        (lambda nlp: nlp.parse(b"a"), r"b'a' of type bytes; expected sentences"),
        (lambda nlp: list(nlp.parse(["a b"])), r"'a b' of type str; expected sentences \(for texts: `nlp.pipe"),
        (lambda nlp: list(nlp.parse([None])), r"None; expected sentences$"),
        (lambda nlp: nlp.pipe(None), r"None; expected several texts, as strings"),
        (lambda nlp: nlp.pipe(b"ab"), r"b'ab' of type bytes; expected several texts"),
        (lambda nlp: nlp.pipe(Sentence.from_words(["a"])), r"of type Sentence; expected several texts"),
        (lambda nlp: nlp.pipe([], jobs=0), r"jobs 0: expected at least 1"),
        (lambda nlp: list(nlp.pipe(["a", b"b"])), r"item 2: b'b' of type bytes; expected a text.*decode it first"),
        (lambda nlp: list(nlp.pipe([None])), r"item 1: None; expected a text, as a string$"),
        (lambda nlp: list(nlp.pipe([("a", 1)])), r"item 1: \('a', 1\) of type tuple; .*`as_tuples=True`"),
        (
            lambda nlp: list(nlp.pipe(["ab"], as_tuples=True)),
            r"item 1: 'ab' of type str; .* expected a pair",
        ),
        (lambda nlp: list(nlp.pipe([("a", 1, 2)], as_tuples=True)), r"item 1: .*; with `as_tuples` expected a pair"),
        (
            lambda nlp: list(nlp.pipe([(1, "a")], as_tuples=True)),
            r"item 1: 1 of type int; expected a text, as a string$",
        ),
    ],
)
def test_wrong_types_are_named(nlp: Pipeline, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call(nlp)
