"""Whoever waits for a result can end the work for it, whatever the work is."""

import threading

import pytest
from samples.small_models import linear, neural, whole

from dodona import Pipeline, Sentence
from dodona.transitions.clock import look, observe


class Ended(Exception):
    pass


@pytest.mark.parametrize("pipeline", [linear("arc-eager"), linear("arc-hybrid", 4), neural("arc-hybrid"), whole()])
def test_compiled_loops_can_be_ended_and_used_again(pipeline: Pipeline) -> None:
    words = ["the", "dog", "sees", "a", "cat"]
    expected = [s.heads for s in pipeline.parse([Sentence.from_words(words)])]
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise Ended

    with pytest.raises(Ended), observe(check):
        list(pipeline.parse([Sentence.from_words(words * 2000)]))
    assert [s.heads for s in pipeline.parse([Sentence.from_words(words)])] == expected


def test_only_the_own_thread_is_observed_and_only_inside() -> None:
    looks: list[str] = []
    with observe(lambda: looks.append("outer")):
        look(0.0)
        with observe(lambda: looks.append("inner")):
            look(0.0)
            thread = threading.Thread(target=look, args=(0.0,))
            thread.start()
            thread.join(60)
        look(0.0)
    look(0.0)
    assert looks == ["outer", "inner", "outer"]
