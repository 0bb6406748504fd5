"""What `dodona bench` measures: real work, in seconds of the processor."""

import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from samples.small_models import full_treebank, linear, whole

from dodona import Sentence
from dodona.data.spacing import raw_text
from dodona.errors import OptionError
from dodona.evaluation.speed import LEAST_ROUNDS, WHOLE, Speed, measure_speed, measure_threads

TEXT = raw_text(full_treebank(30))


def test_every_stage_is_measured() -> None:
    shares: list[float] = []
    speed = measure_speed(whole(), TEXT, 0.001, shares.append)
    assert list(speed.seconds) == ["tokenize", "tag", "lemmatize", "parse", "write", WHOLE]
    assert all(taken > 0 for taken in [speed.reference, *speed.seconds.values()])
    assert speed.words == sum(map(len, whole()(TEXT)))
    assert (speed.rounds, len(shares), shares[-1]) == (LEAST_ROUNDS, LEAST_ROUNDS, 1.0)


def test_the_best_round_counts() -> None:
    ticks = iter(range(10_000))
    waits = {14 * k + 1: 50 for k in (0, 2)}  # the first stage of the first and third round takes 50 ticks more

    def clock() -> float:
        tick = next(ticks)
        return tick + sum(wait for at, wait in waits.items() if tick >= at)

    with patch.object(time, "process_time", clock):
        speed = measure_speed(whole(), TEXT, 0.001, lambda share: None)
    assert set(speed.seconds.values()) == {1.0}
    assert speed.reference == 1.0


def test_relative_speed_does_not_depend_on_the_machine() -> None:
    slow, fast = Speed(1000, 3, {"parse": 4.0}, 0.5), Speed(1000, 3, {"parse": 2.0}, 0.25)
    assert slow.relative("parse") == fast.relative("parse") == 125
    assert (slow.microseconds("parse"), fast.microseconds("parse")) == (4000, 2000)


def test_tags_count_as_predicted_as_they_do_in_a_pipeline() -> None:
    """A parser that has tags of its own replaces them, and this takes time."""
    nlp = whole()
    apply = type(nlp.parser).apply
    given: list[bool] = []

    def watch(self: object, batch: list[Sentence], /, *others: Any, **named: Any) -> Iterator[Sentence]:
        tagged = others[1] if len(others) > 1 else named.get("tagged", ())
        given.append({id(sentence) for sentence in batch} <= set(tagged))
        return apply(self, batch, *others, **named)  # type: ignore[arg-type]

    with patch.object(type(nlp.parser), "apply", watch):
        measure_speed(nlp, TEXT, 0.001, lambda share: None)
    assert len(given) >= 2 * LEAST_ROUNDS
    assert all(given)


def test_threads_share_the_text() -> None:
    with patch("dodona.evaluation.speed.LEAST_CHARACTERS", 1):
        faster, dearer = measure_threads(whole(), TEXT, 2, rounds=1)
    assert faster > 0
    assert dearer > 0


def test_how_much_faster_and_dearer_threads_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the best rounds of one and of many, by the clock and of the processor."""
    taken = iter([(8.0, 6.0), (2.0, 9.0), (9.0, 5.0), (4.0, 7.0)])
    counts: list[int] = []

    def measure(nlp: object, text: str, threads: int) -> tuple[float, float]:
        counts.append(threads)
        return next(taken)

    monkeypatch.setattr("dodona.evaluation.speed._measure_with", measure)
    assert measure_threads(whole(), TEXT, 3, rounds=2) == (8.0 / 2.0, 9.0 / 6.0)
    assert counts == [1, 3, 1, 3]


def test_without_a_tokenizer_there_is_no_text() -> None:
    with pytest.raises(OptionError, match="no tokenizer"):
        measure_speed(linear("arc-hybrid"), TEXT, 0.001, lambda share: None)
