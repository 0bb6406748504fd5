"""The research door: drive any transition system move by move and ask its oracles, with names for everything.

    system = dodona.system("arc-hybrid", labels=["nsubj", "obj"])
    c = system.initial(words=["she", "reads", "books"])
    system.apply(c, "SHIFT")
    system.costs(c, heads=[2, 0, 2])

Heads and labels are lists for the words 1..n; 0 is ROOT wherever it stands. Everything is checked here, so
that the compiled core need not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dodona.choices import checked_labels, checked_options, some
from dodona.configuration import Configuration
from dodona.core import derive
from dodona.core.gold import Gold
from dodona.core.moves import LEFT, NAMES, NONE, RIGHT, SHIFT
from dodona.data.projectivity import checked_tree
from dodona.errors import OptionError, TransitionError, TreeError
from dodona.systems import SYSTEMS, Entry

__all__ = ["GoldTree", "System", "system"]

BUDGET = 10_000_000
"""Transitions that the MINIMAL oracle may try on one sentence before it settles for LAZY: about half a second."""

MOST_WORDS = 1 << 24

Action = tuple[int, int, int]


def system(name: str, labels: Sequence[str] | None = None, **options: Any) -> "System":
    """A transition system by name; `dodona oracle --list` shows the names and their options.

    `labels` are the arc labels; without them the system is unlabelled and its transitions are called LEFT
    and RIGHT. Options: `single_root=True` for exactly one root word; `root`, `moves`, `reduce_label` and
    `root_label` where the system has them.
    """
    if name not in SYSTEMS:
        raise OptionError(f"unknown system {name!r}; the systems are: {', '.join(SYSTEMS)}")
    return System(name, SYSTEMS[name], labels, options)


@dataclass(frozen=True)
class GoldTree:
    """A gold tree that was checked once. Made by `System.gold`."""

    core: Gold
    label_names: tuple[str, ...]
    approximate: bool  # costs are wanted even if the system cannot build it


Heads = Sequence[int] | GoldTree


class System:
    """One transition system with its options and labels. Make it with `dodona.system`."""

    def __init__(self, name: str, entry: Entry, labels: Sequence[str] | None, options: dict[str, Any]) -> None:
        self.name = name
        self.entry = entry
        self.labels = checked_labels(labels)
        self.fallbacks = 0
        """How often the MINIMAL oracle ran out of its budget and LAZY was taken instead."""
        self.options = checked_options(name, entry, options)
        self._label_names = list(self.labels)
        self._key = (name, tuple(sorted(self.options.items())), self.labels)
        core_options = dict(self.options)
        if "root_label" in core_options:
            label = core_options["root_label"]
            if label not in self._label_names and self.labels:
                self._label_names.append(label)  # only for arcs that are left to the end
            core_options["root_label"] = self._label_names.index(label) if self.labels else 0
            if self.options.get("root") == "first":
                self._label_names = list(self.labels)  # those arcs are no part of the parse
        self._core = entry.make(max(1, len(self.labels)), **core_options)
        self._without_single_root = entry.make(max(1, len(self.labels)), **(core_options | {"single_root": False}))
        plain, labelled = self._core.moves[: self._core.plain], self._core.moves[self._core.plain :]
        self._move_labels = [(move, NONE) for move in plain]
        self._move_labels += [(move, label) for move in labelled for label in range(self._core.labels)]
        self._names = {(move, label): self._plain_name(move, label) for move, label in self._move_labels}
        self._remembers = self.options.get("reduce_label") == "remembered"

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"dodona.system({self.name!r}, labels={list(self.labels)!r}{options})"

    # Configurations

    def initial(self, n: int | None = None, *, words: Sequence[str] | None = None) -> Configuration:
        """The initial configuration for n words, or for these words (then they are shown when printing)."""
        if (n is None) == (words is None):
            raise OptionError("initial takes the number of words, or words=[...]")
        count = n if n is not None else len(words or ())
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise OptionError(f"initial takes a number of words from 0 up, not {count!r}")
        if count > MOST_WORDS:
            raise OptionError(f"initial takes at most {MOST_WORDS} words, not {count}")
        if isinstance(words, str) or not all(isinstance(word, str) for word in words or ()):
            raise OptionError(f"words must be a list of strings, not {words!r}")
        return Configuration(derive.start(self._core, count), self.name, self._label_names, words, self._key)

    def is_terminal(self, c: Configuration) -> bool:
        self._check_configuration(c)
        return derive.is_terminal(self._core, c.state)

    def legal(self, c: Configuration) -> list[str]:
        """The names of all legal transitions; none in a terminal configuration."""
        return list(map(self._namer(c), self._legal_actions(c)))

    def apply(self, c: Configuration, transition: str, *, remembered: str | None = None) -> None:
        """Take a transition, in place.

        `remembered` is for SHIFT under `reduce_label="remembered"`: the label that scored best (default: the
        first of the labels).
        """
        self._check_configuration(c)
        move, site, label = self._parse(c, transition)
        if move == SHIFT:
            label = self._remembered(remembered)
        elif remembered is not None:
            raise TransitionError(f"a label is remembered at SHIFT, not at {transition}")
        derive.apply(self._core, c.state, move, site, label)

    def tree(self, c: Configuration) -> tuple[list[int], list[str | None]]:
        """Heads and labels of a finished parse; what is headless still (arc-eager, root="first") hangs on ROOT."""
        if not self.is_terminal(c):
            raise TransitionError(f"the parse is not finished: {c}")
        root_label = self.options.get("root_label") if self.labels else None
        labels = [root_label if h is None else l for h, l in zip(c.heads, c.labels, strict=True)]
        return [0 if h is None else h for h in c.heads], labels

    # Oracles

    def gold(self, heads: Heads, labels: Sequence[str] | None = None, *, approximate: bool = False) -> GoldTree:
        """A checked gold tree, which all oracles take in place of `heads`; saves time in long loops."""
        if isinstance(heads, GoldTree):
            if labels is not None or heads.label_names != tuple(self._label_names):
                raise OptionError("a prepared gold tree brings its labels along, and they must be those of the system")
            tree = heads
        else:
            tree = GoldTree(
                checked_tree(heads, self._gold_labels(heads, labels)), tuple(self._label_names), approximate
            )
        if not (approximate or tree.approximate):
            self._check_buildable(tree.core)
        return tree

    def costs(
        self,
        c: Configuration,
        heads: Heads,
        labels: Sequence[str] | None = None,
        *,
        approximate: bool = False,
        remembered: str | None = None,
    ) -> dict[str, int]:
        """The exact cost of every legal transition: how much the best reachable loss grows by taking it.

        Without gold `labels` the costs are unlabelled. `approximate=True` gives the formula's value also for a
        tree that the system cannot build. `remembered` is what SHIFT would remember (see `apply`).
        """
        self._check_offers("dynamic")
        self._check_configuration(c)
        gold = self.gold(heads, labels, approximate=approximate).core
        self._check_length(c, gold)
        if self.is_terminal(c):
            return {}
        names = self._namer(c)
        memory = self._remembered(remembered)
        found: dict[str, int] = {}
        for site in derive.sites(self._core, c.state):
            at_site = derive.costs(self._core, c.state, gold, site, memory)
            for action, cost in zip(self._actions(site), at_site, strict=True):
                if cost != NONE:
                    found[names(action)] = cost
        return found

    def zero_cost(
        self,
        c: Configuration,
        heads: Heads,
        labels: Sequence[str] | None = None,
        *,
        approximate: bool = False,
        remembered: str | None = None,
    ) -> list[str]:
        """The dynamic oracle: the transitions that cost nothing."""
        costs = self.costs(c, heads, labels, approximate=approximate, remembered=remembered)
        return [transition for transition, cost in costs.items() if cost == 0]

    def preferred(
        self,
        c: Configuration,
        heads: Heads,
        labels: Sequence[str] | None = None,
        *,
        approximate: bool = False,
        remembered: str | None = None,
    ) -> list[str]:
        """Nonmonotonic's joint oracle: of the zero-cost transitions, those that need no repair if there are any."""
        if self.name != "nonmonotonic":
            raise OptionError(f"{self.name} has no repairs to avoid; only nonmonotonic has")
        tree = self.gold(heads, labels, approximate=approximate)
        free = self.zero_cost(c, tree, remembered=remembered)
        core: Any = self._core
        sure = []
        for transition in free:
            move, _, label = self._parse(c, transition)
            if core.monotonic_cost(c.state, tree.core, move, label) == 0:
                sure.append(transition)
        return sure or free

    def static(
        self,
        heads: Heads,
        labels: Sequence[str] | None = None,
        *,
        oracle: str | None = None,
        budget: int = BUDGET,
    ) -> list[str]:
        """The canonical derivation of a tree. swap-standard has three: oracle="eager" (default), "lazy", "minimal".

        Without gold labels every arc gets the first label. "minimal" gives up after trying `budget` transitions, takes
        "lazy" and counts that in `fallbacks`.
        """
        choices = [name for name in self.entry.oracles if name not in ("dynamic", "nd-sw", "nd-all")]
        oracle = choices[0] if oracle is None else oracle
        if oracle not in choices:
            raise OptionError(f"{self.name} has no static oracle {oracle!r}; it has: {', '.join(choices)}")
        gold = self.gold(heads, labels).core
        self._check_buildable(gold)
        core: Any = self._core
        moves = None
        if oracle == "minimal":
            moves = core.fewest_swaps(gold, budget)
            self.fallbacks += moves is None
        if self.name == "swap-standard":
            core.prepare(gold, oracle != "eager")
        c = self.initial(gold.n)
        names = []
        for move, site, gold_label in derive.canonical_derivation(self._core, gold, moves):
            label = max(gold_label, 0)  # without gold labels, the first
            names.append(self._namer(c)((move, site, label)))
            derive.apply(self._core, c.state, move, site, label)
        return names

    def correct(
        self,
        c: Configuration,
        heads: Heads,
        labels: Sequence[str] | None = None,
        *,
        oracle: str = "nd-all",
    ) -> list[str]:
        """swap-standard's non-deterministic oracles, "nd-all" and "nd-sw": the transitions that keep the tree in reach,
        swapping towards the projective order only.

        None if it is out of that reach already.
        """
        choices = [name for name in self.entry.oracles if name.startswith("nd-")]
        if oracle not in choices:
            offered = f"it has: {', '.join(choices)}" if choices else "only swap-standard has them"
            raise OptionError(f"{self.name} has no non-deterministic oracle {oracle!r}; {offered}")
        self._check_configuration(c)
        gold = self.gold(heads, labels).core
        self._check_buildable(gold)
        self._check_length(c, gold)
        if self.is_terminal(c):
            return []
        core: Any = self._core
        names = []
        for move in core.correct_moves(c.state, gold, oracle == "nd-all"):
            label = gold.label[c.state.stack[c.state.depth - (2 if move == LEFT else 1)]]
            for l in range(max(1, len(self.labels))) if label == NONE and move in (LEFT, RIGHT) else [label]:
                names.append(self._namer(c)((move, 0, l)))
        return names

    # Names and numbers

    def _actions(self, site: int) -> list[Action]:
        """All actions at a site, in the order of the core's cost table."""
        return [(move, site, label) for move, label in self._move_labels]

    def _legal_actions(self, c: Configuration) -> list[Action]:
        if self.is_terminal(c):
            return []
        found = []
        for site in derive.sites(self._core, c.state):
            legal = set(derive.legal_moves(self._core, c.state, site))
            found += [action for action in self._actions(site) if action[0] in legal]
        return found

    def _namer(self, c: Configuration) -> Callable[[Action], str]:
        """What gives actions in this configuration their names; easy-first's say where in the list the head stands."""
        places = {node: i for i, node in enumerate(c.stack, start=1)} if self.name == "easy-first" else {}

        def name(action: Action) -> str:
            move, site, label = action
            plain = self._names[move, label] if (move, label) in self._names else self._names[move, NONE]
            if not places:
                return plain
            verb, *rest = plain.split(":", maxsplit=1)
            return ":".join([verb, str(places[site]), *rest])

        return name

    def _plain_name(self, move: int, label: int) -> str:
        return f"{NAMES[move]}:{self.labels[label]}" if label != NONE and self.labels else NAMES[move]

    def _parse(self, c: Configuration, transition: str) -> Action:
        """The action of that name; an error that says why if there is none or it is not legal here."""
        legal = self._legal_actions(c)
        names = self._namer(c)
        for action in legal:
            if names(action) == transition:
                return action
        if not legal:
            raise TransitionError(f"{transition} is not legal: the configuration is terminal")
        verb = str(transition).partition(":")[0]
        if verb not in self.entry.rules:
            verbs = ", ".join(self.entry.rules)
            raise TransitionError(f"{self.name} has no transition {transition!r}; it has: {verbs}")
        if verb in {NAMES[move] for move, _, _ in legal}:
            like = [name for name in self.legal(c) if name.partition(":")[0] == verb]
            why = f"{verb} is possible here as: {some(like)}"
        else:
            why = f"{verb} {self.entry.rules[verb]}"
            if any(
                NAMES[move] == verb
                for site in derive.sites(self._core, c.state)
                for move in derive.legal_moves(self._without_single_root, c.state, site)
            ):
                why = "single_root forbids it, because exactly one word could not be the root any more"
            why += f"; legal: {some(self.legal(c))}"
        raise TransitionError(f"{transition} is not legal in {c}: {why}")

    def _remembered(self, label: str | None) -> int:
        if label is None:
            return 0 if self._remembers else NONE
        if not self._remembers:
            raise OptionError('a label is remembered only by nonmonotonic with reduce_label="remembered"')
        if label not in self.labels:
            raise OptionError(f"unknown label {label!r}; the labels are: {some(self.labels)}")
        return self.labels.index(label)

    # Checks

    def _check_configuration(self, c: Configuration) -> None:
        if c.system_key != self._key:
            other = c.system_name if c.system_name != self.name else "another " + self.name
            raise OptionError(f"a configuration of {other} was given to {self.name}")

    def _check_offers(self, oracle: str) -> None:
        if oracle not in self.entry.oracles:
            offered = ", ".join(self.entry.oracles)
            raise OptionError(f"{self.name} has no {oracle} oracle; it has: {offered}")

    def _check_length(self, c: Configuration, gold: Gold) -> None:
        if gold.n != len(c):
            raise TreeError(f"the gold tree has {gold.n} words, the configuration {len(c)}")

    def _check_buildable(self, gold: Gold) -> None:
        hint = "(approximate=True gives the formula's value all the same)"
        if self.entry.builds == "projective trees" and not gold.is_projective:
            heads = list(gold.head[1 : gold.n + 1])
            raise TreeError(
                f"the heads {heads} are not projective; {self.name} builds projective trees only, and its costs "
                f"are exact for those only {hint}"
            )
        roots = list(gold.child[gold.first[0] : gold.first[1]])
        if self.options["single_root"] and len(roots) > 1:
            raise TreeError(f"the tree has {len(roots)} root words; single_root=True allows one {hint}")
        if self.options.get("root") == "attach" and len({gold.label[k] < len(self.labels) for k in roots}) > 1:
            raise TreeError(
                f"some root words have the label {self.options['root_label']!r} and some another; without that label "
                f"among the system's own, the two exclude each other {hint}"
            )

    def _gold_labels(self, heads: Sequence[int], labels: Sequence[str] | None) -> list[int]:
        n = len(heads)
        if labels is None:
            return [NONE] * n
        if not self.labels:
            raise TreeError(f"gold labels were given, but this {self.name} was made without labels")
        if len(labels) != n:
            raise TreeError(f"{n} heads but {len(labels)} labels")
        known = {label: i for i, label in enumerate(self._label_names)}
        for d, (h, label) in enumerate(zip(heads, labels, strict=True), start=1):
            if label not in known or (h != 0 and label not in self.labels):
                raise TreeError(f"word {d} has label {label!r}; the labels are: {some(self.labels)}")
        return [known[label] for label in labels]
