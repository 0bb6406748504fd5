"""The searches of a parser. They and their scorers have a workspace, so every thread has its own."""

import threading
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dodona.components.parser_model import Model, Session
from dodona.oracles.policy import Policy
from dodona.scoring.scorer import EncodedSentence
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.transitions.gold import Gold
from dodona.transitions.system import TransitionSystem

__all__ = ["End", "Searches"]

End = tuple[float, list[int], list[int]]
"""A result of search: score, heads, labels."""


class Searches(threading.local):
    """Greedy search and beams with a model; made when a thread first needs them."""

    def __init__(self, core: TransitionSystem, model: Model) -> None:
        self.core = core
        self.model = model
        self.beams: dict[int, Beam] = {}

    @cached_property
    def session(self) -> Session:
        """The model at work in this thread."""
        return self.model.session()

    @cached_property
    def greedy(self) -> GreedySearch:
        return GreedySearch(self.core, self.session.greedy)

    def beam(self, width: int) -> Beam:
        """Return the beam of that width; all beams of a thread share a scorer."""
        if width not in self.beams:
            self.beams[width] = Beam(self.core, self.session.beam, width, traced=True)
        return self.beams[width]

    def ends(
        self,
        encoded: EncodedSentence,
        width: int,
        most: int,
        policy: Policy | None = None,
        gold: Gold | None = None,
        raw: NDArray[np.float64] | None = None,
        temperature: float = 1.0,
        seconds: float = 0.0,
    ) -> list[End]:
        """Search for trees; all parsing goes through here. A width of 1 is greedy and has no score to compare.

        Greedy search fills in `raw`, the probabilities of its actions at this temperature. After `seconds`, unless 0,
        a TimeLimitError is raised.
        """
        if width == 1:
            return [(0.0, *self.greedy.parse(encoded, policy, gold, raw, temperature, seconds))]
        beam = self.beam(width)
        beam.search(encoded, policy, gold, seconds=seconds)
        return beam.results(most)
