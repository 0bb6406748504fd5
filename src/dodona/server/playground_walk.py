"""A derivation as the playground shows it: a sentence with its gold tree, a system, an oracle, and the moves so far.

Nothing is kept between requests: each one brings all moves along, and they are taken again.
"""

import hashlib
from functools import cached_property
from typing import Any

from dodona.data.trees import is_projective
from dodona.errors import OptionError, TreeError
from dodona.research.configuration import Configuration
from dodona.research.gold import GoldTree
from dodona.research.lattice import JOINT, lattice_oracles
from dodona.research.losses import certainly_lost, lost_arcs
from dodona.research.system import System, system
from dodona.server.playground_requests import Fields, quoted

__all__ = ["Walk", "key_of", "oracles_of"]

WORDS, LETTERS = 40, 60  # of a sentence, and of a word, that a derivation is shown for
MOVES = 2 * WORDS * WORDS  # more than any derivation has
BUDGET = 500_000  # transitions that the search for the fewest swaps may take


def oracles_of(chosen: System) -> list[str]:
    """Return the oracles of a system by name."""
    return list(dict.fromkeys([*chosen.entry.oracles, *lattice_oracles(chosen)]))


def key_of(c: Configuration) -> str:
    """Return a short name for a configuration, the same for all ways that lead to it."""
    return hashlib.blake2s(repr(c.key).encode(), digest_size=8).hexdigest()


class Walk:
    """The configuration after the moves of a request, what each of them cost, and what an oracle says there."""

    def __init__(self, request: dict[str, Any]) -> None:
        fields = Fields(request)
        self.words = fields.texts("words", WORDS, LETTERS)
        if not self.words:
            raise OptionError("a sentence without words; expected at least one")
        self.heads = [_head(head) for head in fields.values("heads", WORDS)]
        if len(self.heads) != len(self.words):
            raise TreeError(f"{len(self.heads)} heads for {len(self.words)} words; expected one for each")
        self.labels = fields.texts("labels", WORDS, LETTERS) if fields.has("labels") else None
        names = None if self.labels is None else sorted(set(self.labels))
        self.system = system(fields.text("system", 100), names, **fields.names("options"))
        self.gold = self.system.gold(self.heads, self.labels, approximate=True)
        offered = oracles_of(self.system)
        self.oracle = fields.name("oracle") or offered[0]
        if self.oracle not in offered:
            raise OptionError(f"{self.system.name} has no oracle {self.oracle!r}; it has: {', '.join(offered)}")
        self.has_costs = "dynamic" in self.system.entry.oracles
        self.c = self.system.initial(words=self.words)
        self.taken: list[dict[str, Any]] = []
        self.lost: list[int] = []
        for move in fields.texts("moves", MOVES, 2 * LETTERS, []):
            self._take(move)

    @cached_property
    def problem(self) -> str | None:
        """Why the system cannot build the gold tree, if it cannot."""
        roots = sum(head == 0 for head in self.heads)
        if self.system.entry.projective and not is_projective(self.heads):
            return f"The tree has crossing arcs, and {self.system.name} builds projective trees only."
        if self.system.options["single_root"] and roots > 1:
            return f"The tree has {roots} roots, and with this option the system builds trees with one."
        try:
            self.system.gold(self.heads, self.labels)
        except TreeError:
            return "The labels of the roots exclude each other in this system."
        return None

    @property
    def loss(self) -> int:
        """What the moves so far have cost together."""
        return sum(move["cost"] or 0 for move in self.taken)

    def _take(self, move: str) -> None:
        before, costs = self.c.heads, self.costs(self.c)
        lost = self.losses({move: costs[move]} if move in costs else {}).get(move, [])
        self._apply(self.c, move)
        if not self.has_costs:
            lost = [d for d in certainly_lost(self.c, self.heads, self.labels) if d not in self.lost]
        self.lost = sorted({*self.lost, *lost})
        arcs = _arcs(before, self.c)
        self.taken.append({"name": move, "cost": costs.get(move), "lost": lost, "adds": arcs[0] if arcs else None})

    def _apply(self, c: Configuration, move: str) -> None:
        self.system.apply(c, move, remembered=self._remembered(c) if move == "SHIFT" else None)

    def costs(self, c: Configuration) -> dict[str, int]:
        """Return the cost of each legal move; nothing if the system has no costs, or at the end."""
        if not self.has_costs or self.system.is_terminal(c):
            return {}
        return self.system.costs(c, self.gold, remembered=self._remembered(c))

    def losses(self, costs: dict[str, int]) -> dict[str, list[int]]:
        """Return the words whose arcs each legal move loses; `costs` are those of the moves that matter.

        A move without cost loses none, unless arcs exclude each other already, and the move decides between them.
        """
        is_settled = self.problem is None and self.loss == len(self.lost)
        if not costs or (is_settled and not any(costs.values())):
            return {}
        open_ones = [d for d in range(1, len(self.words) + 1) if d not in self.lost]
        return lost_arcs(self.system, self.c, self.gold, words=open_ones, remembered=self._remembered(self.c))

    def moves(self) -> list[dict[str, Any]]:
        """Return every legal move here, with its cost, the arc that it adds and the arcs that it loses.

        Where it costs more than that, arcs exclude each other after it; `perhaps` has those that the best way to go on
        from there loses.
        """
        costs = self.costs(self.c)
        losses = self.losses(costs)
        right = set(self.recommended(self.c, [move["name"] for move in self.taken]))
        found = []
        perhaps: dict[tuple[Any, ...], list[int]] = {}  # the same for moves that differ in their label only
        for name in self.system.legal(self.c):
            after = self.c.copy()
            self._apply(after, name)
            lost = losses.get(name, [])
            if not self.has_costs:
                lost = [d for d in certainly_lost(after, self.heads, self.labels) if d not in self.lost]
            adds = next(iter(_arcs(self.c.heads, after)), None)
            kind = (name.partition(":")[0], *(adds or ())[:2])
            if costs.get(name, 0) > len(lost) and self.problem is None and kind not in perhaps:
                perhaps[kind] = self._wrong_at_the_end(after)
            found.append(
                {
                    "name": name,
                    "cost": costs.get(name),
                    "right": name in right,
                    "adds": adds,
                    "lost": lost,
                    "perhaps": [d for d in perhaps.get(kind, []) if d not in lost and d not in self.lost],
                }
            )
        return found

    def _wrong_at_the_end(self, c: Configuration) -> list[int]:
        """Return the words with another head than in the gold tree after the best way to go on."""
        c = c.copy()
        while not self.system.is_terminal(c):
            self._apply(c, self._allowed(c, "dynamic")[0])
        heads = self.system.tree(c)[0]
        return [d for d, (h, gold) in enumerate(zip(heads, self.heads, strict=True), start=1) if h != gold]

    def recommended(self, c: Configuration, moves: list[str]) -> list[str]:
        """Return the moves that the chosen oracle takes here; the cheapest ones if it takes none without a cost."""
        if self.system.is_terminal(c):
            return []
        if self.oracle in self.system.entry.static_oracles:
            planned = self.static
            on_path = planned is not None and planned[: len(moves)] == moves
            return planned[len(moves) :][:1] if planned is not None and on_path else []
        return self._allowed(c, self.oracle)

    def _allowed(self, c: Configuration, oracle: str) -> list[str]:
        if not self.has_costs:
            if self.problem is not None:
                return []
            return self.system.correct(c, self.gold, oracle=oracle)
        costs = self.costs(c)
        least = min(costs.values())
        if oracle == JOINT and least == 0:
            return self.system.preferred(c, self.gold, remembered=self._remembered(c))
        return [name for name, cost in costs.items() if cost == least]

    @cached_property
    def static(self) -> list[str] | None:
        """The derivation of the static oracle, the chosen one or the first; None if the tree cannot be built."""
        names = self.system.entry.static_oracles
        if self.problem is not None or not names:
            return None
        oracle = self.oracle if self.oracle in names else names[0]
        return self.system.static(self.gold, oracle=oracle, budget=BUDGET)

    def rest(self) -> list[str]:
        """Return moves from here to the end that lose as little as possible: the static oracle's where it knows any.

        Where no oracle knows a way, for swap-standard after a mistake, there are none.
        """
        moves = [move["name"] for move in self.taken]
        planned = self.static
        if planned is not None and planned[: len(moves)] == moves:
            return planned[len(moves) :]
        sets = lattice_oracles(self.system)
        oracle = self.oracle if self.oracle in sets else sets[0] if sets else None
        c, found = self.c.copy(), []
        while oracle is not None and not self.system.is_terminal(c):
            allowed = self._allowed(c, oracle)
            if not allowed:
                break
            found.append(allowed[0])
            self._apply(c, allowed[0])
        return found

    def end(self, rest: list[str]) -> list[int | None]:
        """Return the heads after these moves, too."""
        c = self.c.copy()
        for move in rest:
            self._apply(c, move)
        return list(self.system.tree(c)[0]) if self.system.is_terminal(c) else c.heads

    def _remembered(self, c: Configuration) -> str | None:
        """Return the label that SHIFT stores, where a model would choose one: the gold label of the word."""
        if not self.system.carries_labels or self.labels is None or not c.buffer or c.buffer[0] == 0:
            return None
        return self.labels[c.buffer[0] - 1]

    @property
    def checked_gold(self) -> GoldTree:
        """The gold tree, if the system can build it."""
        if self.problem is not None:
            raise TreeError(self.problem)
        return self.gold


def _head(head: Any) -> int:
    if type(head) is not int:
        raise TreeError(f"heads: expected numbers of words, and 0 for a root, not {quoted(head)}")
    return head


def _arcs(before: list[int | None], after: Configuration) -> list[list[Any]]:
    """Return head, dependent and label of each arc that is new."""
    return [
        [h, d, label]
        for d, (was, h, label) in enumerate(zip(before, after.heads, after.labels, strict=True), start=1)
        if h is not None and h != was
    ]
