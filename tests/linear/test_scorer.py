"""Scores from a function: what search needs of a scorer, and errors that come out."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence, Scorer
from dodona.systems.registry import build
from dodona.transitions.state import State

CORE = build("arc-hybrid", ["a", "b"], {"single_root": True}).core

Scores = Callable[[State, EncodedSentence, int], Sequence[float]]


def greedy(function: Scores, n: int) -> tuple[list[int], list[int]]:
    return GreedySearch(CORE, CallableScorer(CORE.actions, function)).parse(EncodedSentence(n))


def beam(function: Scores, n: int) -> tuple[list[int], list[int]]:
    search = Beam(CORE, CallableScorer(CORE.actions, function), 4)
    search.search(EncodedSentence(n))
    return search.results(1)[0][1:]


def scores(s: State, sentence: EncodedSentence, site: int) -> list[float]:
    """SHIFT, LEFT:a, LEFT:b, RIGHT:a, RIGHT:b: arcs to the left first, with the second label, as long as words come."""
    return [1.0, 2.0, 3.0, 0.0, 0.5] if s.front < s.end else [0.0] * 4 + [1.0]


both = pytest.mark.parametrize("search", [greedy, beam])


@both
def test_the_best_legal_actions_are_taken(search: Callable[..., Any]) -> None:
    assert search(scores, 3) == ([2, 3, 0], [1, 1, 1])
    assert search(scores, 0) == ([], [])


def test_scores_for_people() -> None:
    s = State(2)
    scorer = CallableScorer(CORE.actions, lambda state, sentence, site: [state.n, sentence.n, site, 0.0, 0.5])
    s.reset(2)
    assert scorer.score(s, EncodedSentence(7), 3) == [2.0, 7.0, 3.0, 0.0, 0.5]


@both
def test_errors_come_out(search: Callable[..., Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        search(lambda s, sentence, site: [1 / 0], 3)
    with pytest.raises(ValueError, match="4 scores; expected 5, one for each action"):
        search(lambda s, sentence, site: [0.0] * 4, 3)
    with pytest.raises(TypeError):
        search(lambda s, sentence, site: None, 3)


def test_a_scorer_of_another_system() -> None:
    with pytest.raises(ValueError, match="a scorer of 3 actions for a system with 5"):
        GreedySearch(CORE, CallableScorer(3, scores))
    with pytest.raises(ValueError, match="a scorer of 3 actions for a system with 5"):
        Beam(CORE, CallableScorer(3, scores), 4)


def test_a_python_class_is_no_scorer() -> None:
    class Mine(Scorer):
        def scores(self, s: State, sentence: EncodedSentence, site: int) -> list[float]:
            return [0.0] * CORE.actions

    with pytest.raises(NotImplementedError, match=r"Mine has no compiled scores; .*CallableScorer"):
        Mine().score(State(1), EncodedSentence(1))
