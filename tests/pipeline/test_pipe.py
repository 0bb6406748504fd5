"""Many texts at once: the same sentences as one by one, in the same order, as soon as they are ready."""

from collections.abc import Iterator

import pytest

import dodona
from dodona import OptionError, Sentence
from dodona.components.parser import Request
from dodona.data.marks import Boundary, Item, Pause
from dodona.pipeline.pipeline import Pipeline

TEXTS = ["Oak trees grow. Nobody asks why.", "", "The wind moves.", "   ", "Leaves rustle. They do. They always do."]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return dodona.load("en-fast")


def shown(sentences: list[Sentence]) -> list[tuple[bytes, list[tuple[int, int]] | None]]:
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
