"""The searches of a parser: they and their scorers have a workspace, so every thread has its own."""

import threading

from dodona.components.parser_model import Model, Session
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.transitions.system import TransitionSystem

__all__ = ["Searches"]


class Searches(threading.local):
    """What one thread needs, made when it is first used; the beams of a thread share a scorer."""

    def __init__(self, system: TransitionSystem, model: Model) -> None:
        self._system = system
        self._model = model
        self._session: Session | None = None
        self._greedy: GreedySearch | None = None
        self._beams: dict[int, Beam] = {}

    @property
    def session(self) -> Session:
        """The model at work."""
        self._session = self._session or self._model.session()
        return self._session

    @property
    def greedy(self) -> GreedySearch:
        self._greedy = self._greedy or GreedySearch(self._system, self.session.greedy)
        return self._greedy

    def beam(self, width: int) -> Beam:
        if width not in self._beams:
            self._beams[width] = Beam(self._system, self.session.beam, width)
        return self._beams[width]
