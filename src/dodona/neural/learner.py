"""Learning from batches of gold and silver sentences: what networks and teachers have in common while they are trained.

For each batch the words are encoded, rollouts walk through the sentences with what the words contribute, and the
gradient of the recorded configurations flows back into the encoder. It runs forward once for both.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from dodona.data.silver import Mixture
from dodona.neural.rollouts import Rollouts
from dodona.neural.scorer import HiddenLayer
from dodona.transitions.policy import Policy

__all__ = ["AVERAGE", "BETAS", "CLIP", "TAG_WEIGHT", "NetworkLearner", "OutputSizes", "SilverExamples"]

TAG_WEIGHT = 0.3  # of the losses of the tags
AVERAGE = 0.999  # how much of the averaged weights an update keeps
CLIP = 5.0  # the length of a gradient at most
BETAS = 0.9, 0.95  # of Adam

Batch = TypeVar("Batch")


@dataclass(frozen=True)
class OutputSizes:
    """How many of everything there are that a network sees of a configuration, and chooses from."""

    labels: int
    actions: int
    positions: int
    label_positions: int
    tag_kinds: tuple[int, ...]  # how many values the tag heads choose from: UPOS, XPOS, FEATS


@dataclass(frozen=True)
class SilverExamples:
    """What is learned from beside the gold examples: how it is mixed with them, and what there is for an iteration, as
    the learner takes it."""

    mixture: Mixture
    of_iteration: Callable[[int], Iterator[Any]]


class NetworkLearner(ABC, Generic[Batch]):
    """A network during training. `iterate` goes once over all gold examples, in batches of so many words."""

    examples: Sequence[Any]
    seed: int
    silver: SilverExamples | None

    def _prepare(self, policy: Policy, iterations: int, random_choice: bool, longest: int) -> None:
        """Count the updates that are planned, and make what walks, as soon as there are weights."""
        batches = sum(1 for _ in self.batches(np.random.default_rng(self.seed)))
        self.planned = iterations * batches
        if self.silver is not None:
            self.planned += round(self.silver.mixture.silver * batches / self.silver.mixture.gold)
        longest = max((longest, *map(len, self.examples)))
        self.rollouts = Rollouts(policy, self._layer(), random_choice=random_choice, longest=longest, seed=self.seed)

    def iterate(
        self, number: int, explore: float, report: Callable[[float], None] = lambda share: None
    ) -> tuple[int, int, float]:
        """Learn from every example once; returns steps, mistakes and the mean loss of a step.

        All that is random in an iteration follows from the seed and its number, so training can be continued after any.
        `report` is called after each batch with the share of the iteration that is done.
        """
        generator = np.random.default_rng([self.seed, number])
        total = 0.0
        steps = mistakes = seen = 0
        with self._draw(generator):
            for batch, is_gold in self._mix(number, generator):
                loss, counted = self._learn(batch, explore)
                total += loss
                seen += len(self.examples_of(batch)) if is_gold else 0
                report(seen / len(self.examples))
                steps += counted[0]
                mistakes += counted[1]
        return steps, mistakes, total / max(1, steps)

    def _mix(self, number: int, generator: np.random.Generator) -> Iterator[tuple[Batch, bool]]:
        """Yield the batches of an iteration, each either gold or silver, and whether it is gold."""
        gold = ((batch, True) for batch in self.batches(generator))
        if self.silver is None:
            return gold
        silver = ((batch, False) for batch in self.silver_batches(number, self.silver.of_iteration(number)))
        return self.silver.mixture.mix(number, gold, silver, lambda pair: sum(map(len, self.examples_of(pair[0]))))

    @abstractmethod
    def batches(self, generator: np.random.Generator) -> Iterator[Batch]:
        """Yield batches of the gold sentences in random order."""

    @abstractmethod
    def silver_batches(self, number: int, examples: Iterator[Any]) -> Iterator[Batch]:
        """Yield the batches of the silver sentences of an iteration."""

    @abstractmethod
    def examples_of(self, batch: Batch) -> Sequence[Any]:
        """Return the sentences of a batch."""

    @abstractmethod
    def _draw(self, generator: np.random.Generator) -> AbstractContextManager[None]:
        """Draw what is random in an iteration."""

    @abstractmethod
    def _learn(self, batch: Batch, explore: float) -> tuple[float, tuple[int, int]]:
        """Learn from a batch; returns the sum of the losses, steps and mistakes."""

    @abstractmethod
    def _layer(self) -> HiddenLayer:
        """Return the hidden layer with the weights of now."""
