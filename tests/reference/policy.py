"""Which actions are right, by the definitions of docs/training.md, from what a system tells of single moves."""

from collections.abc import Sequence

from dodona.systems.registry import BUDGET, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT
from dodona.transitions.policy import Policy
from dodona.transitions.state import State

Costs = list[int | None]
"""One for each action by number; None for those that are not legal."""


class Oracle:
    """An oracle of a system for one gold tree.

    A static oracle of a system with many sites takes any of them for right. `forbidden` are labels that cost one
    more on an arc of the tree.
    """

    def __init__(self, built: BuiltSystem, name: str, gold: Gold, *, forbidden: Sequence[int] = ()) -> None:
        self.core = built.core
        self.has_costs = "dynamic" in built.entry.oracles
        self.name = name
        self.gold = gold
        self.forbidden = forbidden
        self.plan: list[int] = []  # the moves of a derivation that the system's own static oracle does not know
        self.derivation: list[tuple[int, int, int]] | None = None
        if name in built.entry.static_oracles:
            self.plan = built.entry.plan(built.core, gold, name, BUDGET) or []
            self.derivation = derivations.canonical_derivation(built.core, gold, self.plan or None)

    def costs(self, s: State, step: int, site: int, carried: int) -> Costs:
        """0 for what is right after `step` transitions; `carried` is the label that SHIFT would remember."""
        if self.name == "constraints":
            return self.given(s, site, carried)
        if self.name in ("nondeterministic", "dynamic"):
            return self.exact(s, site, carried)
        if self.derivation is None:
            moves = derivations.correct_moves(self.core, s, self.gold, self.name == "nd-all")
            return self.marked(s, site, moves)
        if self.core.has_sites:
            return self.marked(s, site, right_at_site(s, self.gold, site))
        move, where, _ = self.derivation[step]
        return self.marked(s, site, [move] if site == where else [])

    def given(self, s: State, site: int, carried: int) -> Costs:
        """What each action costs, and more for the arcs of given words with labels that they must not have."""
        if self.has_costs:
            found = derivations.costs(self.core, s, self.gold, site, carried)
        else:  # only swap-standard itself can tell
            found = Policy(self.core, "constraints").list_costs(s, self.gold, site)
        for a, (move, label) in enumerate(derivations.actions(self.core)):
            dependent = self.core.dependent_of(s, move, site)
            if found[a] != NONE and label in self.forbidden and self.gold.head[dependent] <= s.n:
                found[a] += 1
        return [None if cost == NONE else cost for cost in found]

    def exact(self, s: State, site: int, carried: int) -> Costs:
        """What each action costs. Of those that cost nothing, the system may prefer some; then the others cost 1."""
        costs: Costs = [None if c == NONE else c for c in derivations.costs(self.core, s, self.gold, site, carried)]
        if self.core.has_preferences:
            free = [a for a, cost in enumerate(costs) if cost == 0]
            actions = derivations.actions(self.core)
            preferred = [a for a in free if self.core.prefers(s, self.gold, *actions[a])]
            for a in free if preferred else []:
                costs[a] = 0 if a in preferred else 1
        return costs

    def marked(self, s: State, site: int, right: list[int]) -> Costs:
        """0 for these moves with the gold label, 1 for everything else that is legal."""
        legal = derivations.legal_moves(self.core, s, site)
        costs: Costs = []
        for move, label in derivations.actions(self.core):
            gold_label = self.gold.label[self.core.dependent_of(s, move, site)]
            fits = label == NONE or gold_label in (NONE, label)
            costs.append(None if move not in legal else 0 if move in right and fits else 1)
        return costs


def right_at_site(s: State, gold: Gold, site: int) -> list[int]:
    """Easy-first: LEFT or else RIGHT, if that takes a gold dependent that has all of its own."""
    in_list = [k for k in range(s.n + 1) if s.head[k] == NONE]
    at = in_list.index(site)

    def is_ready(k: int) -> bool:
        return gold.head[k] == site and all(s.head[d] == k for d in range(1, s.n + 1) if gold.head[d] == k)

    if at > 0 and is_ready(in_list[at - 1]):
        return [LEFT]
    return [RIGHT] if at + 1 < len(in_list) and is_ready(in_list[at + 1]) else []
