"""The label that SHIFT carries along is RIGHT's best at that moment, and REDUCE gives it later."""

import pytest

from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence
from dodona.systems.registry import build
from dodona.transitions.derivations import actions
from dodona.transitions.moves import LEFT, REDUCE, RIGHT, SHIFT
from dodona.transitions.state import State

LABELS = ("a", "b", "c")


@pytest.mark.parametrize("searched", ["greedy", "beam"])
@pytest.mark.parametrize("carried", range(len(LABELS)))
def test_reduce_gives_the_label_that_right_would_have_given(carried: int, searched: str) -> None:
    system = build("nonmonotonic", LABELS, {"reduce_label": "remembered"}).core

    def score(s: State, sentence: EncodedSentence, site: int) -> list[float]:
        """SHIFT both words, REDUCE the second, LEFT the first; LEFT's labels are ranked otherwise than RIGHT's."""
        wanted = SHIFT if s.front < 2 else REDUCE if s.depth > 1 else LEFT
        found = []
        for move, label in actions(system):
            best = carried if move == RIGHT else (carried + 1) % len(LABELS)
            found.append((10.0 if move == wanted else 0.0) + (label == best) + (label == (carried + 2) % 3) / 2)
        return found

    scorer = CallableScorer(system.actions, score)
    sentence = EncodedSentence(2)
    scorer.prepare([sentence])
    if searched == "greedy":
        heads, labels = GreedySearch(system, scorer).parse(sentence)
    else:
        beam = Beam(system, scorer, 1)
        beam.search(sentence)
        _, heads, labels = beam.results(1)[0]
    assert (heads, labels) == ([0, 1], [(carried + 1) % len(LABELS), carried])
