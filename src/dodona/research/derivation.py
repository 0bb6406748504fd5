"""A derivation, transition by transition: what an oracle says in each configuration, what is taken, and the tree.

derivation = derive(dodona.system("arc-eager"), [2, 0, 2], words=["she", "reads", "books"])
derivation.steps[0].costs        # of every legal transition
derivation.transitions           # ['SHIFT', 'LEFT', …]
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dodona.errors import OptionError
from dodona.research.configuration import Configuration
from dodona.research.system import GoldTree, System

__all__ = ["Derivation", "Step", "derive"]


@dataclass(frozen=True)
class Step:
    """One transition. `costs` are those of all legal transitions in this configuration; None where the system has no
    exact costs, as swap-standard. `correct` are the transitions that the oracle allows."""

    configuration: Configuration  # before the transition
    transition: str
    legal: tuple[str, ...]
    correct: tuple[str, ...]
    costs: dict[str, int] | None
    arcs: tuple[tuple[int, int, str | None], ...]  # new ones: head, dependent and label

    @property
    def is_correct(self) -> bool:
        return self.transition in self.correct


@dataclass
class Derivation:
    """A derivation of a tree, as `derive` returns it. `end` is the last configuration; it is not terminal where an
    oracle has nothing to say, and then there is no tree: `heads` is None."""

    system: System
    oracle: str
    words: tuple[str, ...] | None
    gold_heads: tuple[int, ...]
    gold_labels: tuple[str, ...] | None
    end: Configuration
    steps: list[Step] = field(default_factory=list)
    heads: list[int] | None = None
    labels: list[str | None] | None = None
    gave_up: bool = False  # MINIMAL ran out of its budget: this is the derivation of LAZY

    @property
    def transitions(self) -> list[str]:
        return [step.transition for step in self.steps]

    @property
    def wrong(self) -> int | None:
        """The number of words with another head or label than in the gold tree; None without a tree."""
        if self.heads is None or self.labels is None:
            return None
        labels = self.gold_labels or [None] * len(self.heads)
        pairs = zip(self.heads, self.gold_heads, self.labels, labels, strict=True)
        return sum(
            h != gold_h or (l is not None and gold_l is not None and l != gold_l) for h, gold_h, l, gold_l in pairs
        )

    def summary(self) -> str:
        """Return in words where the derivation leads."""
        count = len(self.steps)
        if self.heads is None:
            return (
                f"{count} transitions; from here the gold tree cannot be reached by swapping towards its "
                f"projective order, so {self.oracle} has nothing to say."
            )
        found = f"a tree with {self.wrong} of {len(self.heads)} words wrong" if self.wrong else "the gold tree"
        note = ""
        if self.gave_up:
            note = "\nThe search for the fewest swaps ran out of its budget: this is the lazy derivation."
        return f"{count} transitions, {found}: {' '.join(map(str, self.heads))}{note}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as a dictionary that JSON can hold; `costs` or `correct` is None where there is none."""
        steps = [
            {
                "lists": step.configuration.lists,
                "legal": list(step.legal),
                "costs": step.costs,
                "correct": list(step.correct),
                "transition": step.transition,
                "arcs": [{"head": h, "dependent": d, "label": label} for h, d, label in step.arcs],
            }
            for step in self.steps
        ]
        return {
            "system": self.system.name,
            "options": self.system.options,
            "oracle": self.oracle,
            "words": None if self.words is None else list(self.words),
            "gold": {"heads": list(self.gold_heads), "labels": self.gold_labels and list(self.gold_labels)},
            "steps": steps,
            "tree": None if self.heads is None else {"heads": self.heads, "labels": self.labels},
            "wrong": self.wrong,
        }

    def _repr_html_(self) -> str:
        from dodona.research.tables import derivation_html

        return derivation_html(self)


def derive(
    system: System,
    heads: Sequence[int],
    labels: Sequence[str] | None = None,
    *,
    words: Sequence[str] | None = None,
    oracle: str | None = None,
    history: Sequence[str] = (),
    approximate: bool = False,
) -> Derivation:
    """Return a derivation of a tree: first the transitions of `history`, then those that the oracle chooses.

    The default is the first static oracle of the system. After a history, and for a tree that the system cannot build
    (which needs `approximate=True`), it is the dynamic oracle, or nd-all for swap-standard.
    """
    gold = system.gold(heads, labels, approximate=approximate)
    return Walk(system, gold, tuple(labels) if labels is not None else None, words, oracle, list(history)).walked()


class Walk:
    """The way through one derivation."""

    def __init__(
        self,
        chosen: System,
        gold: GoldTree,
        labels: tuple[str, ...] | None,
        words: Sequence[str] | None,
        oracle: str | None,
        history: list[str],
    ) -> None:
        self.system = chosen
        self.gold = gold
        self.labels = labels
        self.history = history
        self.words = words
        self.has_costs = "dynamic" in chosen.entry.oracles
        flexible = "dynamic" if self.has_costs else chosen.entry.set_oracles[-1]
        on_path = not history and (gold.core.is_projective or not chosen.entry.projective)
        self.oracle = oracle or (chosen.entry.oracles[0] if on_path else flexible)
        if self.oracle not in chosen.entry.oracles:
            raise OptionError(f"{chosen.name} has no oracle {self.oracle!r}; it has: {', '.join(chosen.entry.oracles)}")
        self.is_static = self.oracle in chosen.entry.static_oracles
        if history and self.is_static:
            raise OptionError(f"a {self.oracle} oracle knows one derivation only; after a history use {flexible}")

    def walked(self) -> Derivation:
        core = self.gold.core
        c = self.system.initial(core.n) if self.words is None else self.system.initial(words=self.words)
        heads = tuple(core.head[1 : core.n + 1])
        found = Derivation(self.system, self.oracle, c.words, heads, self.labels, c)
        before = self.system.fallbacks
        planned = self.system.static(self.gold, oracle=self.oracle) if self.is_static else list(self.history)
        while not self.system.is_terminal(c):
            correct, costs = self._judge(c)
            if not planned and not correct:
                return found
            taken = planned.pop(0) if planned else correct[0]
            found.steps.append(self._step(c, taken, correct, costs))
        found.heads, found.labels = self.system.tree(c)
        found.gave_up = self.system.fallbacks > before
        return found

    def _step(self, c: Configuration, taken: str, correct: list[str], costs: dict[str, int] | None) -> Step:
        """Take a transition, in place."""
        before = c.copy()
        legal = tuple(self.system.legal(c))
        self.system.apply(c, taken, remembered=self._remembered(c) if taken == "SHIFT" else None)
        pairs = zip(c.heads, before.heads, c.labels, strict=True)
        arcs = tuple((h, d, label) for d, (h, was, label) in enumerate(pairs, start=1) if h is not None and h != was)
        return Step(before, taken, legal, tuple(correct), costs, arcs)

    def _judge(self, c: Configuration) -> tuple[list[str], dict[str, int] | None]:
        """Return the transitions that the oracle would take, best first, and the costs of all legal ones."""
        if not self.has_costs:
            sets = self.system.entry.set_oracles
            kind = self.oracle if self.oracle in sets else sets[-1]
            return self.system.correct(c, self.gold, oracle=kind), None
        memory = self._remembered(c)
        costs = self.system.costs(c, self.gold, remembered=memory)
        least = min(costs.values())
        correct = [name for name, cost in costs.items() if cost == least]
        if self.system.has_preferences and least == 0:
            correct = self.system.preferred(c, self.gold, remembered=memory)
        return correct, costs

    def _remembered(self, c: Configuration) -> str | None:
        """Return the label that SHIFT stores, where a model would choose one: the gold label of the word."""
        if not self.system.carries_labels or self.labels is None or c.buffer[0] == 0:
            return None
        return self.labels[c.buffer[0] - 1]
