"""The API for the study of parsing: any transition system and its oracles, transition by transition.

    system = dodona.system("arc-hybrid", labels=["nsubj", "obj"])
    c = system.initial(words=["she", "reads", "books"])
    system.apply(c, "SHIFT")
    system.costs(c, heads=[2, 0, 2])

Heads and labels are lists for the words 1..n; head 0 is ROOT. All arguments are checked here, because the
compiled core does not check them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypedDict, Unpack

from dodona.data.trees import check_tree
from dodona.errors import OptionError, TransitionError, TreeError
from dodona.research.configuration import Configuration
from dodona.systems.registry import BUDGET, BuiltSystem, abbreviate, build
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE, SHIFT

__all__ = ["HINT", "GoldTree", "System", "system"]

MAX_WORDS = 1 << 24
SHOWN_HEADS = 40  # in an error message
HINT = "(approximate=True gives the formula's value all the same)"
PLANNING = Lock()  # a planned derivation is stored in the gold tree, which threads may share


def system(name: str, labels: Sequence[str] | None = None, **options: Any) -> "System":
    """Return a transition system by name; `dodona oracle --list` shows the names and their options.

    `labels` are the arc labels; without them the system is unlabelled and its transitions are called LEFT
    and RIGHT. Options: `single_root=True` for exactly one root word; `root`, `moves`, `reduce_label` and
    `root_label` where the system has them.
    """
    return System(build(name, labels, options))


@dataclass(frozen=True)
class GoldTree:
    """A checked gold tree, returned by `System.gold`."""

    core: Gold
    label_names: tuple[str, ...]
    approximate: bool  # costs are wanted even if the system cannot build it


Heads = Sequence[int] | GoldTree


class CostOptions(TypedDict, total=False):
    """What `System.costs` and the oracles that follow from it take besides the tree."""

    approximate: bool
    remembered: str | None


class System:
    """One transition system with its options and labels, returned by `dodona.system`."""

    def __init__(self, built: BuiltSystem) -> None:
        self._built = built
        self.entry = built.entry
        self.name = built.entry.name
        self.labels = built.labels
        self.options = dict(built.options)
        self.fallbacks = 0
        """How often the MINIMAL oracle ran out of its budget and LAZY was taken instead."""
        self._core = built.core
        self._label_names = built.label_names
        self._actions = ActionNames(built)
        self._key = (self.name, tuple(sorted(self.options.items())), self.labels)
        self.carries_labels = self._core.carried_move != NONE
        """Whether SHIFT stores a label (nonmonotonic with `reduce_label="remembered"`)."""
        self.has_preferences = bool(self._core.has_preferences)
        """Whether `prefer` is available."""

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"dodona.system({self.name!r}, labels={list(self.labels)!r}{options})"

    # Configurations

    def initial(self, n: int | None = None, *, words: Sequence[str] | None = None) -> Configuration:
        """Return the initial configuration for n words, or for these words (then they are shown when printing)."""
        if (n is None) == (words is None):
            raise OptionError("initial takes the number of words, or words=[...]")
        count = n if n is not None else len(words or ())
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise OptionError(f"initial takes a number of words from 0 up, not {count!r}")
        if count > MAX_WORDS:
            raise OptionError(f"initial takes at most {MAX_WORDS} words, not {count}")
        if isinstance(words, str) or not all(isinstance(word, str) for word in words or ()):
            raise OptionError(f"words must be a list of strings, not {words!r}")
        names = None if words is None else tuple(words)
        return Configuration(derivations.start(self._core, count), self.entry, names, self._key, self._label_names)

    def is_terminal(self, c: Configuration) -> bool:
        self._check_configuration(c)
        return self._core.is_terminal(c.state)

    def legal(self, c: Configuration) -> list[str]:
        """Return the names of all legal transitions; none in a terminal configuration."""
        self._check_configuration(c)
        return list(map(self._actions.namer(c), self._actions.legal(c)))

    def apply(self, c: Configuration, transition: str, *, remembered: str | None = None) -> None:
        """Take a transition, in place.

        `remembered` is for SHIFT under `reduce_label="remembered"`: the label that scored best (default: the
        first of the labels).
        """
        self._check_configuration(c)
        move, site, label = self._actions.parse(c, transition)
        if move == SHIFT:
            label = self._number_carried(remembered)
        elif remembered is not None:
            raise TransitionError(f"a label is remembered at SHIFT, not at {transition}")
        self._core.apply(c.state, move, site, label)

    def remember(self, c: Configuration, gold: GoldTree) -> str | None:
        """Return the label that SHIFT stores, where a model would choose one: the gold label of the word."""
        front = c.buffer[0] if self.carries_labels and c.buffer else 0
        return self.labels[max(gold.core.label[front], 0)] if front and self.labels else None

    def tree(self, c: Configuration) -> tuple[list[int], list[str | None]]:
        """Return heads and labels of a finished parse; headless words (arc-eager, root="first") get the head ROOT."""
        if not self.is_terminal(c):
            raise TransitionError(f"the parse is not finished: {c}")
        root_label = self.options.get("root_label") if self.labels else None
        labels = [root_label if h is None else l for h, l in zip(c.heads, c.labels, strict=True)]
        return [0 if h is None else h for h in c.heads], labels

    # Oracles

    def gold(self, heads: Heads, labels: Sequence[str] | None = None, *, approximate: bool = False) -> GoldTree:
        """Return a checked gold tree, which all oracles accept instead of `heads`; saves time in long loops."""
        if isinstance(heads, GoldTree):
            if labels is not None or heads.label_names != self._label_names:
                raise OptionError("a prepared gold tree brings its labels along, and they must be those of the system")
            tree = heads
        else:
            core = derivations.gold_tree(check_tree(heads), _number_labels(self._built, heads, labels))
            tree = GoldTree(core, self._label_names, approximate)
        if not (approximate or tree.approximate):
            _check_buildable(self._built, tree.core)
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
        """Return the exact cost of every legal transition: the growth of the least reachable loss.

        Without gold `labels` the costs are unlabelled. `approximate=True` returns the formula's value also for a
        tree that the system cannot build. `remembered` is the label that SHIFT would store (see `apply`).
        """
        if "dynamic" not in self.entry.oracles:
            raise OptionError(f"{self.name} has no dynamic oracle; it has: {', '.join(self.entry.oracles)}")
        self._check_configuration(c)
        gold = self.gold(heads, labels, approximate=approximate).core
        self._check_length(c, gold)
        if self.is_terminal(c):
            return {}
        names = self._actions.namer(c)
        carried = self._number_carried(remembered)
        costs: dict[str, int] = {}
        for site in derivations.sites(self._core, c.state):
            at_site = derivations.costs(self._core, c.state, gold, site, carried)
            for action, cost in zip(self._actions.at(site), at_site, strict=True):
                if cost != NONE:
                    costs[names(action)] = cost
        return costs

    def zero_cost(
        self, c: Configuration, heads: Heads, labels: Sequence[str] | None = None, **options: Unpack[CostOptions]
    ) -> list[str]:
        """Return the zero-cost transitions: the dynamic oracle."""
        return [name for name, cost in self.costs(c, heads, labels, **options).items() if cost == 0]

    def prefer(
        self, c: Configuration, heads: Heads, labels: Sequence[str] | None = None, **options: Unpack[CostOptions]
    ) -> list[str]:
        """Return the zero-cost transitions that the system prefers, or all if it prefers none of them. The joint oracle
        of nonmonotonic prefers transitions that need no repair."""
        if not self.has_preferences:
            raise OptionError(f"{self.name} prefers none of the transitions that cost nothing")
        tree = self.gold(heads, labels, approximate=options.get("approximate", False))
        free = self.zero_cost(c, tree, **options)
        preferred = []
        for transition in free:
            move, _, label = self._actions.parse(c, transition)
            if self._core.prefers(c.state, tree.core, move, label):
                preferred.append(transition)
        return preferred or free

    def static(
        self, heads: Heads, labels: Sequence[str] | None = None, *, oracle: str | None = None, budget: int = BUDGET
    ) -> list[str]:
        """Return the canonical derivation of a tree. For swap-standard: oracle="eager" (default), "lazy" or "minimal".

        Without gold labels every arc gets the first label. "minimal" stops its search after `budget` transitions,
        returns "lazy" instead and counts this in `fallbacks`.
        """
        choices = self.entry.static_oracles
        oracle = choices[0] if oracle is None else oracle
        if oracle not in choices:
            raise OptionError(f"{self.name} has no static oracle {oracle!r}; it has: {', '.join(choices)}")
        gold = self.gold(heads, labels).core
        _check_buildable(self._built, gold)
        with PLANNING:
            moves = self.entry.plan(self._core, gold, oracle, budget)
            derivation = derivations.canonical_derivation(self._core, gold, moves)
        self.fallbacks += oracle == "minimal" and moves is None
        c = self.initial(gold.n)
        names = []
        for move, site, gold_label in derivation:
            label = max(gold_label, 0)  # without gold labels, the first
            names.append(self._actions.namer(c)((move, site, label)))
            self._core.apply(c.state, move, site, label)
        return names

    def correct(
        self, c: Configuration, heads: Heads, labels: Sequence[str] | None = None, *, oracle: str = "nd-all"
    ) -> list[str]:
        """Return the transitions of swap-standard's non-deterministic oracles, "nd-all" and "nd-sw": those that keep
        the tree reachable, swapping towards the projective order only.

        None if the tree is already unreachable in this way.
        """
        choices = self.entry.set_oracles
        if oracle not in choices:
            offered = f"it has: {', '.join(choices)}" if choices else "its dynamic oracle tells more"
            raise OptionError(f"{self.name} has no non-deterministic oracle {oracle!r}; {offered}")
        self._check_configuration(c)
        gold = self.gold(heads, labels).core
        _check_buildable(self._built, gold)
        self._check_length(c, gold)
        if self.is_terminal(c):
            return []
        names = []
        for move in derivations.correct_moves(self._core, c.state, gold, oracle == "nd-all"):
            label = gold.label[self._core.dependent_of(c.state, move, 0)]
            plain = self._core.dependent_of(c.state, move, 0) > gold.n
            for l in [label] if plain or label != NONE else range(max(1, len(self.labels))):
                names.append(self._actions.namer(c)((move, 0, l)))
        return names

    # Checks

    def _number_carried(self, label: str | None) -> int:
        if label is None:
            return 0 if self.carries_labels else NONE
        if not self.carries_labels:
            raise OptionError('a label is remembered only by nonmonotonic with reduce_label="remembered"')
        if label not in self.labels:
            raise OptionError(f"unknown label {label!r}; the labels are: {abbreviate(self.labels)}")
        return self.labels.index(label)

    def _check_configuration(self, c: Configuration) -> None:
        if c.system_key != self._key:
            other = c.entry.name if c.entry.name != self.name else "another " + self.name
            raise OptionError(f"a configuration of {other} was given to {self.name}")

    def _check_length(self, c: Configuration, gold: Gold) -> None:
        if gold.n != len(c):
            raise TreeError(f"the gold tree has {gold.n} words, the configuration {len(c)}")


def _check_buildable(built: BuiltSystem, gold: Gold) -> None:
    if built.entry.projective and not gold.is_projective:
        heads = list(gold.head[1 : gold.n + 1])
        shown = f"{heads}" if gold.n <= SHOWN_HEADS else f"of this sentence of {gold.n} words"
        raise TreeError(
            f"the heads {shown} are not projective; {built.entry.name} builds projective trees only, and its costs "
            f"are exact for those only {HINT}"
        )
    roots = list(gold.child[gold.first[0] : gold.first[1]])
    if built.options["single_root"] and len(roots) > 1:
        raise TreeError(f"the tree has {len(roots)} root words; single_root=True allows one {HINT}")
    # in a projective system, a root that needs its arc early and one that gets it at the end exclude each other
    late = built.entry.projective and built.entry.late_roots(built.options) == "parse"
    if late and len({gold.label[k] < len(built.labels) for k in roots}) > 1:
        raise TreeError(
            f"some root words have the label {built.options['root_label']!r} and some another; without that label "
            f"among the system's own, the two exclude each other {HINT}"
        )


def _number_labels(built: BuiltSystem, heads: Sequence[int], labels: Sequence[str] | None) -> list[int]:
    n = len(heads)
    if labels is None:
        return [NONE] * n
    if not built.labels:
        raise TreeError(f"gold labels were given, but this {built.entry.name} was made without labels")
    if len(labels) != n:
        raise TreeError(f"{n} heads but {len(labels)} labels")
    numbers = {label: i for i, label in enumerate(built.label_names)}
    for d, (h, label) in enumerate(zip(heads, labels, strict=True), start=1):
        if label not in numbers or (h != 0 and label not in built.labels):
            raise TreeError(f"word {d} has label {label!r}; the labels are: {abbreviate(built.labels)}")
    return [numbers[label] for label in labels]


Action = tuple[int, int, int]
"""Move, site, label."""


class ActionNames:
    """The actions of a system, their names, and which of them are legal."""

    def __init__(self, built: BuiltSystem) -> None:
        self._entry = built.entry
        self._core = built.core
        self._freer = built.with_options(single_root=False).core
        self._move_labels: Sequence[tuple[int, int]] = derivations.actions(built.core)
        self._names = {
            (move, label): self._entry.move_name(move)
            + (f":{built.labels[label]}" if label != NONE and built.labels else "")
            for move, label in self._move_labels
        }

    def at(self, site: int) -> list[Action]:
        """Return all actions at a site, in the order of the cost table of the compiled core."""
        return [(move, site, label) for move, label in self._move_labels]

    def legal(self, c: Configuration) -> list[Action]:
        if self._core.is_terminal(c.state):
            return []
        actions = []
        for site in derivations.sites(self._core, c.state):
            legal = set(derivations.legal_moves(self._core, c.state, site))
            actions += [action for action in self.at(site) if action[0] in legal]
        return actions

    def namer(self, c: Configuration) -> Callable[[Action], str]:
        """Return a function from actions here to their names; a site is named by its index in the first list."""
        first_list = next(iter(c.lists.values()))
        places = {node: i for i, node in enumerate(first_list, start=1)} if self._core.has_sites else {}

        def name(action: Action) -> str:
            move, site, label = action
            plain = self._names[move, label] if (move, label) in self._names else self._names[move, NONE]
            if not places:
                return plain
            verb, *rest = plain.split(":", maxsplit=1)
            return ":".join([verb, str(places[site]), *rest])

        return name

    def parse(self, c: Configuration, transition: str) -> Action:
        """Return the action of that name; the error says why if there is none or it is not legal here."""
        legal = self.legal(c)
        name = self.namer(c)
        for action in legal:
            if name(action) == transition:
                return action
        if not legal:
            raise TransitionError(f"{transition} is not legal: the configuration is terminal")
        verb = str(transition).partition(":")[0]
        if verb not in self._entry.rules:
            verbs = ", ".join(self._entry.rules)
            raise TransitionError(f"{self._entry.name} has no transition {transition!r}; it has: {verbs}")
        raise TransitionError(f"{transition} is not legal in {c}: {self._reason(c, verb, list(map(name, legal)))}")

    def _reason(self, c: Configuration, verb: str, legal: list[str]) -> str:
        like = [name for name in legal if name.partition(":")[0] == verb]
        if like:
            return f"{verb} is possible here as: {abbreviate(like)}"
        freer = (
            self._entry.move_name(move)
            for site in derivations.sites(self._core, c.state)
            for move in derivations.legal_moves(self._freer, c.state, site)
        )
        why = f"{verb} {self._entry.rules[verb]}"
        if verb in freer:
            why = "single_root forbids it, because exactly one word could not be the root any more"
        return f"{why}; legal: {abbreviate(legal)}"
