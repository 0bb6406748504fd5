"""What must hold for every system, checked when it is registered, on all parses of up to three words.

Search trusts a system: it does not notice that a parse never ends, that a site is named which nobody can show, or that
`single_root` was not heeded. So this is found out before, by taking every legal move in every configuration. That the
costs of an oracle are exact is another question, which `dodona oracle --verify` answers.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from typing import Any

from dodona.errors import OptionError
from dodona.systems.registry import Entry
from dodona.transitions import derivations
from dodona.transitions.moves import NONE, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

__all__ = ["check_entry", "variants"]

MAX_WORDS = 3
MAX_TRANSITIONS = 200  # of a derivation; the systems that come with Dodona need ten
MAX_CONFIGURATIONS = 100_000  # they have less than a thousand


def variants(entry: Entry) -> Iterator[dict[str, Any]]:
    """Yield all combinations of the options of a system, `single_root` among them."""
    choices: Mapping[str, tuple[Any, ...]] = {**entry.options, "single_root": (False, True)}
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def check_entry(entry: Entry) -> None:
    """Raise an OptionError if a system of that entry breaks a rule, with the configuration in which it does."""
    for options in variants(entry):
        core = _make(entry, options)
        checker = _Checker(entry, options, core)
        checker.check_description()
        for n in range(MAX_WORDS + 1):
            checker.done.clear()
            checker.follow(derivations.start(core, n))


def _make(entry: Entry, options: Mapping[str, Any]) -> TransitionSystem:
    arguments = dict(options)
    if entry.late_roots(options) is not None:
        arguments["root_label"] = 0
    try:
        core = entry.make(1, **arguments)
        core.dispatcher()
    except TypeError as error:
        shown = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        raise OptionError(f"{entry.name}: make(1, {shown}) failed: {error}") from error
    if bool(core.single_root) != options["single_root"]:
        raise OptionError(
            f"{entry.name}: made with single_root={options['single_root']}, but the system's single_root is "
            f"{bool(core.single_root)}; expected the constructor to pass it on to that of TransitionSystem"
        )
    return core


class _Checker:
    """Follows all derivations of one system."""

    def __init__(self, entry: Entry, options: Mapping[str, Any], core: TransitionSystem) -> None:
        self.entry = entry
        self.options = options
        self.core = core
        self.done: set[object] = set()
        self.path: set[object] = set()

    def check_description(self) -> None:
        """Check that the entry and the system agree."""
        names = {self.entry.move_name(move) for move in self.core.moves}
        if names != set(self.entry.rules):
            raise self.fault(
                f"its moves are {', '.join(sorted(names))}, and its rules are about "
                f"{', '.join(sorted(self.entry.rules))}; expected a rule for each move"
            )
        if self.core.has_sites and self.entry.has_beam:
            raise self.fault("it has sites; expected has_beam=False in its entry, because a beam knows only site 0")
        if self.core.has_sites and self.core.plain:
            raise self.fault("it has sites, and a move without an arc; expected every move to add one")

    def follow(self, s: State) -> None:
        """Check a configuration and all that can come after it."""
        key = self.key(s)
        if key in self.path:
            raise self.fault("a derivation comes back to a configuration, so it need not end", s)
        if key in self.done:
            return
        if len(self.path) > MAX_TRANSITIONS:
            raise self.fault(f"a derivation has more than {MAX_TRANSITIONS} transitions, so it may never end", s)
        if len(self.done) > MAX_CONFIGURATIONS:
            raise self.fault(f"it has more than {MAX_CONFIGURATIONS:,} configurations", s)
        if self.core.is_terminal(s):
            self.check_tree(s)
        else:
            self.path.add(key)
            sites = self.sites(s)
            actions = [(move, site) for site in sites for move in self.core.moves if self.core.legal(s, move, site)]
            if not actions:
                raise self.fault("no move is legal, and the configuration is not terminal", s)
            for move, site in actions:
                self.follow(self.apply(s, move, site))
            self.path.remove(key)
        self.done.add(key)

    def sites(self, s: State) -> list[int]:
        """Return all sites; those of `next_site` must be nodes that a configuration shows, each of them once."""
        first = self.core.next_site(s, 0)
        if not self.core.has_sites:
            if first != NONE:
                raise self.fault(
                    f"next_site gives site {first}, but has_sites is False: search looks at site 0 only", s
                )
            return [0]
        name, shown = next(iter(self.entry.lists.items()))
        nodes = shown(s)
        sites = [0]
        while sites[-1] != NONE:
            if sites[-1] not in nodes:
                raise self.fault(
                    f"site {sites[-1]} is not in the first list of its entry, {name}: {nodes}; expected sites to be "
                    "nodes of that list, by whose place in it they are named (lists=… in the entry)",
                    s,
                )
            if sites.count(sites[-1]) > 1:
                raise self.fault(f"next_site comes back to site {sites[-1]}", s)
            sites.append(self.core.next_site(s, sites[-1]))
        return sites[:-1]

    def apply(self, s: State, move: int, site: int) -> State:
        """Return what follows; the arc of a move with labels must be the one that was said before."""
        after = derivations.copy(s)
        labelled = move in list(self.core.moves)[self.core.plain :]
        carries = self.core.carried_move != NONE and move == SHIFT
        h, d = self.core.head_of(s, move, site), self.core.dependent_of(s, move, site)
        self.core.apply(after, move, site, 0 if labelled or carries else NONE)
        if labelled and not (1 <= d <= s.n and after.head[d] == h):
            name = self.entry.move_name(move)
            raise self.fault(f"{name} was to add the arc {h} → {d} (head_of, dependent_of), and did not", s)
        if self.core.has_sites and not self.core.is_terminal(after):
            self.check_sites(s, after, site, d)
        return after

    def check_sites(self, s: State, after: State, site: int, dependent: int) -> None:
        """Check what search relies on when it scores sites again only where something has changed."""
        sites = [k for k in self.sites(s) if k != dependent]
        if self.sites(after) != sites:
            raise self.fault(
                f"an arc to {dependent} at site {site} leaves the sites {self.sites(after)}; expected {sites}: the "
                "dependent is no site any more, and no other one changes",
                s,
            )
        if any(after.after[i] != j or after.before[j] != i for i, j in pairwise(sites)):
            raise self.fault(f"the sites {sites} are not linked by s.before and s.after, which search follows", after)
        place = sites.index(site)
        near = [*sites[max(0, place - 1) : place + 2], self.core.reopened_site(after)]
        for k in sites:
            before, now = ([self.core.legal(state, move, k) for move in self.core.moves] for state in (s, after))
            if before != now and k not in near:
                raise self.fault(
                    f"an arc at site {site} changes what is legal at site {k}, which is neither beside it nor "
                    "reopened_site: search would not notice",
                    s,
                )

    def check_tree(self, s: State) -> None:
        """Check a parse: every word has a head or gets it at the end, and this is a tree of the kind it should be."""
        heads = [s.head[k] for k in range(1, s.n + 1)]
        if NONE in heads and self.entry.late_roots(self.options) is None:
            raise self.fault(
                f"word {heads.index(NONE) + 1} is without a head at the end, and late_roots in the entry says that no "
                "word is",
                s,
            )
        tree = derivations.gold_tree([max(h, 0) for h in heads], [NONE] * s.n)
        if not tree.is_tree:
            raise self.fault("a parse is not a tree", s)
        if self.entry.projective and not tree.is_projective:
            raise self.fault("a parse is not projective, and its entry says that all are (projective=True)", s)
        roots = tree.arity(0)
        if self.core.single_root and s.n > 0 and roots != 1:
            raise self.fault(
                f"a parse has {roots} words at ROOT; expected one: with single_root, `legal` must forbid a move after "
                "which exactly one word cannot be the root any more",
                s,
            )

    def key(self, s: State) -> object:
        """What tells configurations apart: the lists that the entry names, and the arcs."""
        lists = [tuple(nodes(s)) for nodes in self.entry.lists.values()]
        rows = (s.head, s.remembered)
        return (*lists, *(tuple(row[1 : s.n + 1]) for row in rows), s.depth, s.front)

    def fault(self, what: str, s: State | None = None) -> OptionError:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        shown = ""
        if s is not None:
            lists = [f"{name} {nodes(s)}" for name, nodes in self.entry.lists.items()]
            arcs = [f"{s.head[d]}→{d}" for d in range(1, s.n + 1) if s.head[d] != NONE]
            shown = f" (here: {', '.join([*lists, 'arcs ' + (' '.join(arcs) or 'none')])}; 0 is ROOT)"
        return OptionError(f"{self.entry.name}{options}, checked with up to {MAX_WORDS} words: {what}{shown}")
