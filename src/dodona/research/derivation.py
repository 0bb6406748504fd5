"""A derivation, transition by transition: what an oracle says in each configuration, what is taken, and the tree.

derivation = derive(dodona.system("arc-eager"), [2, 0, 2], words=["she", "reads", "books"])
derivation.steps[0].costs        # of every legal transition
derivation.transitions           # ['SHIFT', 'LEFT', …]
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dodona.errors import OptionError, TreeError
from dodona.research.configuration import Configuration
from dodona.research.lattice import JOINT, lattice_oracles
from dodona.research.system import GoldTree, System
from dodona.systems.registry import BUDGET
from dodona.tables import Cell, Table, escape_xml
from dodona.transitions.derivations import gold_tree
from dodona.transitions.moves import NONE

__all__ = ["Derivation", "LegalMove", "Step", "TakenMove", "Walk", "certainly_lost", "derive", "lost_arcs"]

LabelledArc = tuple[int, int, str | None]
"""Head, dependent and label."""

MAX_ALIKE = 4  # transitions with the same verb and no cost that are shown one by one
MAX_NODES = 12  # of a list that are shown
MAX_GROUPS = 6  # of transitions: more are too many to look at
RIGHT, WRONG = "", "✗"  # marks of transitions of a system without costs


@dataclass(frozen=True)
class Step:
    """One transition. `costs` are those of all legal transitions in this configuration; None where the system has no
    exact costs, as swap-standard. `correct` are the transitions that the oracle allows."""

    configuration: Configuration  # before the transition
    transition: str
    legal: tuple[str, ...]
    correct: tuple[str, ...]
    costs: dict[str, int] | None
    arcs: tuple[LabelledArc, ...]  # new ones

    @property
    def is_correct(self) -> bool:
        return self.transition in self.correct

    def row(self, wrong: str = "") -> list[Cell]:
        """Return its cells of a table: the lists, the legal transitions, the one that is taken, and the new arcs."""
        c = self.configuration
        lists = [Cell(" ".join(names)) for names in c.names_near_focus(MAX_NODES).values()]
        if self.costs is not None:
            legal = _group(self.costs)
        else:
            legal = _group({name: int(name not in self.correct) for name in self.legal}, (RIGHT, WRONG))
        mark, style = ("", "right") if self.is_correct else (wrong, "wrong")
        arcs = ", ".join(f"{c.name(h)} → {c.name(d)}" for h, d, _ in self.arcs)
        return [*lists, Cell(legal, style="faint"), Cell(mark + self.transition, style=style), Cell(arcs)]


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
        tree = f"a tree with {self.wrong} of {len(self.heads)} words wrong" if self.wrong else "the gold tree"
        note = ""
        if self.gave_up:
            note = "\nThe search for the fewest swaps ran out of its budget: this is the lazy derivation."
        return f"{count} transitions, {tree}: {' '.join(map(str, self.heads))}{note}"

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

    def table(self, wrong: str = "") -> Table:
        """Return a row for each transition: its number, the lists before it, what is legal, what is taken, new arcs.

        `wrong` is a mark of transitions that are not what the oracle says.
        """
        has_costs = any(step.costs is not None for step in self.steps)
        columns = ["", *self.end.entry.lists, "legal, with cost" if has_costs else "legal", "taken", "new arc"]
        rows = [[Cell(i, style="faint"), *step.row(wrong)] for i, step in enumerate(self.steps, start=1)]
        title = f"{self.system.name} · {self.oracle} oracle"
        return Table(columns, rows, title, align="r" + "l" * (len(columns) - 1))

    def to_html(self) -> str:
        """Return a part of a page."""
        return f"{self.table(f'{WRONG} ').html()}<p>{escape_xml(self.summary())}</p>\n"

    def to_latex(self) -> str:
        """Return a table that needs no packages."""
        return f"{self.table().latex(booktabs=False)}% {' '.join(self.summary().split())}\n"

    _repr_html_ = to_html


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
    entry = system.entry
    flexible = "dynamic" if "dynamic" in entry.oracles else entry.set_oracles[-1]
    on_path = not history and (gold.core.is_projective or not entry.projective)
    oracle = oracle or (entry.oracles[0] if on_path else flexible)
    if oracle not in entry.oracles:
        raise OptionError(f"{system.name} has no oracle {oracle!r}; it has: {', '.join(entry.oracles)}")
    is_static = oracle in entry.static_oracles
    if history and is_static:
        raise OptionError(f"a {oracle} oracle knows one derivation only; after a history use {flexible}")
    walk = Walk(system, gold, labels, words=words, oracle=oracle)
    gold_labels = None if labels is None else tuple(labels)
    derivation = Derivation(system, oracle, walk.c.words, tuple(walk.heads), gold_labels, walk.c)
    fallbacks = system.fallbacks
    planned = system.static(gold, oracle=oracle) if is_static else list(history)
    judge = JOINT if walk.has_costs and system.has_preferences else oracle if oracle in entry.set_oracles else flexible
    while not system.is_terminal(walk.c):
        correct, costs = walk.judge(walk.c, judge)
        if not planned and not correct:
            return derivation
        taken = planned.pop(0) if planned else correct[0]
        before, legal = walk.c.copy(), tuple(system.legal(walk.c))
        arcs = tuple(walk.apply(walk.c, taken))
        derivation.steps.append(Step(before, taken, legal, tuple(correct), costs or None, arcs))
    derivation.heads, derivation.labels = system.tree(walk.c)
    derivation.gave_up = system.fallbacks > fallbacks
    return derivation


@dataclass(frozen=True)
class TakenMove:
    """A transition of a walk, with the arc that it added and the words whose gold arcs it lost; the cost is None where
    the system has none."""

    name: str
    cost: int | None
    lost: list[int]
    adds: LabelledArc | None


@dataclass(frozen=True)
class LegalMove(TakenMove):
    """A legal transition, which was not taken yet. Where it costs more than the arcs that it loses for certain, arcs
    exclude each other after it; `perhaps` has those that the best way to go on from there loses."""

    right: bool  # whether the oracle takes it
    perhaps: list[int]


def _group(costs: Mapping[str, int], marks: tuple[str, ...] = ()) -> str:
    """Cheapest first. One verb at one cost is drawn together where it costs something: `*` are all its labels, `…`
    the others. Where even that is too much (easy-first), all that cost something are one group."""
    groups: dict[tuple[int, str], list[str]] = {}
    for name, cost in costs.items():
        groups.setdefault((cost, name.partition(":")[0]), []).append(name)
    verbs = [verb for _, verb in groups]
    parts = []
    for (cost, verb), names in sorted(groups.items(), key=lambda item: item[0][0]):
        if cost > 0 and len(groups) > MAX_GROUPS:
            dear = [cost for cost in costs.values() if cost > 0]
            parts.append(f"…={min(dear)}–{max(dear)}")
            break
        together = len(names) > MAX_ALIKE or (cost > 0 and len(names) > 1)
        drawn = [f"{verb}:{'…' if verbs.count(verb) > 1 else '*'}"] if together else names
        parts += [f"{name}{marks[cost] if marks else f'={cost}'}" for name in drawn]
    return " ".join(parts)


class Walk:
    """A way through the configurations of a system, with regard to a gold tree: the transitions so far, right or wrong,
    what each of them cost, and what an oracle would take next.

    `oracle` may be any of the system's, or one of `lattice_oracles`; `budget` is that of `System.static`.
    """

    def __init__(
        self,
        system: System,
        gold: GoldTree,
        labels: Sequence[str] | None = None,
        *,
        words: Sequence[str] | None = None,
        oracle: str,
        budget: int = BUDGET,
    ) -> None:
        self.system = system
        self.gold = gold
        self.heads: list[int] = list(gold.core.head[1 : gold.core.n + 1])
        self.labels = None if labels is None else list(labels)
        self.oracle = oracle
        self.budget = budget
        self.has_costs = "dynamic" in system.entry.oracles
        self.c = system.initial(gold.core.n) if words is None else system.initial(words=words)
        self.taken: list[TakenMove] = []
        self.lost: list[int] = []

    @cached_property
    def problem(self) -> str | None:
        """Why the system cannot build the gold tree, if it cannot."""
        roots = sum(head == 0 for head in self.heads)
        if self.system.entry.projective and not self.gold.core.is_projective:
            return f"The tree has crossing arcs, and {self.system.name} builds projective trees only."
        if self.system.options["single_root"] and roots > 1:
            return f"The tree has {roots} roots, and with this option the system builds trees with one."
        try:
            self.system.gold(self.heads, self.labels)
        except TreeError:
            return "The labels of the roots exclude each other in this system."
        return None

    def apply(self, c: Configuration, transition: str) -> list[LabelledArc]:
        """Take a transition in a configuration, in place, and return the new arcs."""
        before = c.heads
        remembered = self.system.remember(c, self.gold) if transition == "SHIFT" else None
        self.system.apply(c, transition, remembered=remembered)
        rows = enumerate(zip(before, c.heads, c.labels, strict=True), start=1)
        return [(h, d, label) for d, (was, h, label) in rows if h is not None and h != was]

    def take(self, transition: str) -> None:
        """Take a transition, and note what it cost and lost."""
        costs = self.costs(self.c)
        lost = self._losses({transition: costs[transition]} if transition in costs else {}).get(transition, [])
        arcs = self.apply(self.c, transition)
        if not self.has_costs:
            lost = self._newly_lost(self.c)
        self.lost = sorted({*self.lost, *lost})
        self.taken.append(TakenMove(transition, costs.get(transition), lost, arcs[0] if arcs else None))

    def costs(self, c: Configuration) -> dict[str, int]:
        """Return the cost of each legal transition; nothing if the system has no costs, or at the end."""
        if not self.has_costs or self.system.is_terminal(c):
            return {}
        return self.system.costs(c, self.gold, remembered=self.system.remember(c, self.gold))

    def judge(self, c: Configuration, oracle: str) -> tuple[list[str], dict[str, int]]:
        """Return the transitions that an oracle which is not static would take, best first, and the costs of all. Where
        none is without cost, these are the cheapest ones; none, where there are no costs and the tree is unreachable.
        """
        if not self.has_costs:
            return self.system.correct(c, self.gold, oracle=oracle), {}
        costs = self.costs(c)
        least = min(costs.values())
        if oracle == JOINT and least == 0:
            return self.system.prefer(c, self.gold, remembered=self.system.remember(c, self.gold)), costs
        return [name for name, cost in costs.items() if cost == least], costs

    def recommend(self) -> list[str]:
        """Return the transitions that the oracle takes here; a static one takes none beside its derivation."""
        if self.system.is_terminal(self.c):
            return []
        if self.oracle in self.system.entry.static_oracles:
            return (self._planned() or [])[:1]
        return self._allowed(self.c, self.oracle)

    def legal_moves(self) -> list[LegalMove]:
        """Return every legal transition here, with its cost, the arc that it adds and the arcs that it loses."""
        costs = self.costs(self.c)
        losses = self._losses(costs)
        right = set(self.recommend())
        moves = []
        wrong: dict[tuple[str | int | None, ...], list[int]] = {}  # the same where only the labels differ
        for name in self.system.legal(self.c):
            after = self.c.copy()
            adds = next(iter(self.apply(after, name)), None)
            lost = losses.get(name, []) if self.has_costs else self._newly_lost(after)
            kind = (name.partition(":")[0], *(adds or ())[:2])
            if costs.get(name, 0) > len(lost) and self.problem is None and kind not in wrong:
                wrong[kind] = self._wrong_at_the_end(after)
            perhaps = [d for d in wrong.get(kind, []) if d not in lost and d not in self.lost]
            moves.append(LegalMove(name, costs.get(name), lost, adds, name in right, perhaps))
        return moves

    def rest(self) -> list[str]:
        """Return transitions from here to the end that lose as little as possible: the static oracle's where it knows
        any. Where no oracle knows a way, for swap-standard after a mistake, they end early."""
        planned = self._planned()
        if planned is not None:
            return planned
        sets = lattice_oracles(self.system)
        oracle = self.oracle if self.oracle in sets else sets[0] if sets else None
        c, rest = self.c.copy(), []
        while oracle is not None and not self.system.is_terminal(c) and (allowed := self._allowed(c, oracle)):
            rest.append(allowed[0])
            self.apply(c, allowed[0])
        return rest

    def heads_after(self, transitions: Sequence[str]) -> list[int | None]:
        """Return the heads after these transitions, too."""
        c = self.c.copy()
        for transition in transitions:
            self.apply(c, transition)
        return list(self.system.tree(c)[0]) if self.system.is_terminal(c) else c.heads

    @cached_property
    def _static(self) -> list[str] | None:
        """The derivation of the static oracle, the chosen one or the first; None if the tree cannot be built."""
        names = self.system.entry.static_oracles
        if self.problem is not None or not names:
            return None
        oracle = self.oracle if self.oracle in names else names[0]
        return self.system.static(self.gold, oracle=oracle, budget=self.budget)

    def _planned(self) -> list[str] | None:
        """Return the rest of the static oracle's derivation; None if the walk has left it."""
        names = [taken.name for taken in self.taken]
        if self._static is None or self._static[: len(names)] != names:
            return None
        return self._static[len(names) :]

    def _allowed(self, c: Configuration, oracle: str) -> list[str]:
        return [] if self.problem is not None and not self.has_costs else self.judge(c, oracle)[0]

    def _losses(self, costs: dict[str, int]) -> dict[str, list[int]]:
        """Return the words whose arcs each legal transition loses; `costs` are those of the ones that matter.

        A transition without cost loses none, unless arcs exclude each other already, and it decides between them.
        """
        is_settled = self.problem is None and sum(taken.cost or 0 for taken in self.taken) == len(self.lost)
        if not costs or (is_settled and not any(costs.values())):
            return {}
        reachable = [d for d in range(1, len(self.heads) + 1) if d not in self.lost]
        remembered = self.system.remember(self.c, self.gold)
        return lost_arcs(self.system, self.c, self.gold, words=reachable, remembered=remembered)

    def _newly_lost(self, c: Configuration) -> list[int]:
        return [d for d in certainly_lost(c, self.heads, self.labels) if d not in self.lost]

    def _wrong_at_the_end(self, c: Configuration) -> list[int]:
        """Return the words with another head than in the gold tree after the best way to go on."""
        c = c.copy()
        while not self.system.is_terminal(c):
            self.apply(c, self._allowed(c, "dynamic")[0])
        pairs = zip(self.system.tree(c)[0], self.heads, strict=True)
        return [d for d, (h, gold) in enumerate(pairs, start=1) if h != gold]


def lost_arcs(
    system: System,
    c: Configuration,
    gold: GoldTree,
    *,
    words: Iterable[int] | None = None,
    remembered: str | None = None,
) -> dict[str, list[int]]:
    """Return for every legal transition the words whose gold arc, with its label, it makes unreachable: some
    continuation could build it before the transition, and none after it.

    Each arc is looked at alone, as a gold tree of which no other arc is known: a transition loses it if its cost with
    regard to this tree is not zero. Where the reachability of a set of arcs follows from that of its members (Goldberg
    and Nivre 2013: arc decomposition), as many arcs are lost as the transition costs. In other systems, and with one
    root, arcs may be reachable one by one but not together: then a transition may cost more than that.

    `words` are those to look at, all by default. An arc that is lost already is not lost again. `remembered` is the
    label that SHIFT would store (see `System.apply`).
    """
    n = gold.core.n
    lost: dict[str, list[int]] = {transition: [] for transition in system.legal(c)}
    for d in range(1, n + 1) if words is None else words:
        heads, labels = [NONE] * n, [NONE] * n
        heads[d - 1], labels[d - 1] = gold.core.head[d], gold.core.label[d]
        alone = GoldTree(gold_tree(heads, labels), gold.label_names, approximate=True)
        for transition, cost in system.costs(c, alone, remembered=remembered).items():
            if cost > 0:
                lost[transition].append(d)
    return lost


def certainly_lost(c: Configuration, heads: list[int], labels: list[str] | None = None) -> list[int]:
    """Return the words whose gold arc cannot be built any more, as far as that can be seen without an oracle.

    That is a word with another head or label, or whose head is in no list any more. For systems without costs.
    """
    present = {node for nodes in c.lists.values() for node in nodes}
    lost = []
    for d, (h, head, label) in enumerate(zip(c.heads, heads, c.labels, strict=True), start=1):
        gone = h is None and (head not in present or d not in present)
        differs = h is not None and (h != head or (labels is not None and label != labels[d - 1]))
        if gone or differs:
            lost.append(d)
    return lost
