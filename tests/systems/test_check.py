"""A system is checked when it is registered: what is wrong with it is said at once, with a configuration."""

import re
from typing import Any

import pytest

from dodona import OptionError, system
from dodona.systems import registry
from dodona.systems.arc_eager import ArcEager
from dodona.systems.arc_hybrid import RULES, ArcHybrid
from dodona.systems.check import check_entry
from dodona.systems.easy_first import RULES as EASY_RULES
from dodona.systems.easy_first import EasyFirst
from dodona.systems.registry import ONE_LIST, SYSTEMS, Entry, register
from dodona.systems.swap_standard import RULES as SWAP_RULES
from dodona.systems.swap_standard import SwapStandard
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

IDLE = 7


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_systems_that_come_with_dodona_pass(name: str) -> None:
    check_entry(SYSTEMS[name])


class Deaf(ArcHybrid):
    """Has several roots, whatever it is told."""

    def legal(self, s: State, move: int, site: int) -> bool:
        return s.depth > 1 if move == RIGHT else super().legal(s, move, site)


class Forgetful(ArcHybrid):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        super().__init__(labels, False)


class Unasked(ArcHybrid):
    def __init__(self, labels: int) -> None:
        super().__init__(labels)


class Bare(ArcHybrid):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        pass


class Idle(ArcHybrid):
    """With a move that does nothing."""

    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT, IDLE), (LEFT, RIGHT))

    def legal(self, s: State, move: int, site: int) -> bool:
        return move == IDLE or super().legal(s, move, site)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move != IDLE:
            super().apply(s, move, site, label)


class Counting(Idle):
    """With a move that changes something, and never an end."""

    def legal(self, s: State, move: int, site: int) -> bool:
        return s.n > 0 if move == IDLE else super().legal(s, move, site)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == IDLE:
            s.remembered[1] += 1
        else:
            super().apply(s, move, site, label)


class Stuck(ArcHybrid):
    def legal(self, s: State, move: int, site: int) -> bool:
        return move != RIGHT and super().legal(s, move, site)


class Astray(ArcHybrid):
    """Says that there are sites, and search would not look at them."""

    def next_site(self, s: State, site: int) -> int:
        return 1 if site == 0 else NONE


class Circling(EasyFirst):
    def next_site(self, s: State, site: int) -> int:
        return site


class Unlinked(EasyFirst):
    """Sites in the order of the sentence, but not linked."""

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        super().apply(s, move, site, label)
        s.before[s.n] = s.n - 1

    def next_site(self, s: State, site: int) -> int:
        return next((k for k in range(site + 1, s.n + 1) if s.head[k] == NONE), NONE)


class Distant(EasyFirst):
    """What is legal at ROOT depends on how many words are left, and search is not told so."""

    def legal(self, s: State, move: int, site: int) -> bool:
        return not (site == 0 and s.depth > 3) and super().legal(s, move, site)


class Lingering(EasyFirst):
    def next_site(self, s: State, site: int) -> int:
        return site + 1 if site < s.n else NONE


class Liar(ArcHybrid):
    def head_of(self, s: State, move: int, site: int) -> int:
        return s.s1() if move == LEFT else super().head_of(s, move, site)


def entry(kind: type[TransitionSystem], rules: Any = RULES, **fields: Any) -> Entry:
    return Entry("mine", "none", kind, rules, **{"projective": True, **fields})


IDLE_RULES = RULES | {"IDLE": "needs nothing"}

FAULTS = {
    "several roots": (
        entry(Deaf),
        "single_root=True.*a parse has 2 words at ROOT; expected one: with single_root, `legal` must forbid .*"
        "here: stack [0], buffer [], arcs 0→1 0→2; 0 is ROOT",
    ),
    "the constructor drops single_root": (entry(Forgetful), "made with single_root=True, but the system's"),
    "no option single_root": (entry(Unasked), "make(1, single_root=False) failed: .*single_root"),
    "no base constructor": (entry(Bare), "the constructor of Bare does not call that of TransitionSystem"),
    "a loop": (entry(Idle, IDLE_RULES, move_names={IDLE: "IDLE"}), "a derivation comes back to a configuration"),
    "no end": (entry(Counting, IDLE_RULES, move_names={IDLE: "IDLE"}), "more than 200 transitions"),
    "a dead end": (entry(Stuck), "no move is legal, and the configuration is not terminal .*stack [0, 1], buffer []"),
    "sites without a list": (
        entry(EasyFirst, EASY_RULES, has_beam=False),
        "site 1 is not in the first list of its entry, stack: [0, 0]; expected sites to be nodes of that list",
    ),
    "sites and a beam": (entry(EasyFirst, EASY_RULES, lists=ONE_LIST), "it has sites; expected has_beam=False"),
    "sites without has_sites": (entry(Astray), "next_site gives site 1, but has_sites is False"),
    "sites without an end": (
        entry(Circling, EASY_RULES, lists=ONE_LIST, has_beam=False),
        "next_site comes back to site 0",
    ),
    "sites that stay": (
        entry(Lingering, EASY_RULES, lists={"words": lambda s: list(range(s.n + 1))}, has_beam=False),
        "an arc to 1 at site 0 leaves the sites [0, 1, 2]; expected [0, 2]",
    ),
    "sites that are not linked": (
        entry(Unlinked, EASY_RULES, lists={"words": lambda s: list(range(s.n + 1))}, has_beam=False),
        "are not linked by s.before and s.after",
    ),
    "sites that are not opened again": (
        entry(Distant, EASY_RULES, lists=ONE_LIST, has_beam=False),
        "an arc at site 2 changes what is legal at site 0, which is neither beside it nor reopened_site",
    ),
    "another arc": (entry(Liar), "LEFT was to add the arc 0 → 1 (head_of, dependent_of), and did not"),
    "not projective": (entry(SwapStandard, SWAP_RULES), "a parse is not projective, and its entry says that all are"),
    "headless words": (
        entry(ArcEager, SYSTEMS["arc-eager"].rules, options={"root": ("first",)}),
        "root='first'.*word 1 is without a head at the end",
    ),
    "a move without a rule": (entry(ArcHybrid, {"SHIFT": "needs a word"}), "expected a rule for each move"),
    "a move without a name": (entry(Idle, IDLE_RULES), "move 7 has no name"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_what_is_wrong_is_said_when_the_system_is_registered(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SYSTEMS", dict(SYSTEMS))
    faulty, message = FAULTS[what]
    with pytest.raises(OptionError, match=".*".join(map(re.escape, message.split(".*")))):
        register(faulty)
    assert "mine" not in registry.SYSTEMS


class LeftFirst(EasyFirst):
    """Sites of a system of one's own: RIGHT is legal only where no LEFT is."""

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == RIGHT and site != 0 and super().legal(s, LEFT, site):
            return False
        return super().legal(s, move, site)


def test_a_system_with_sites_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SYSTEMS", dict(SYSTEMS))
    register(entry(LeftFirst, EASY_RULES, lists=ONE_LIST, has_beam=False, templates="easy-first"))
    chosen = system("mine", single_root=True)
    c = chosen.initial(2)
    assert chosen.legal(c) == ["RIGHT:2", "LEFT:3"]
    chosen.apply(c, "LEFT:3")
    assert chosen.legal(c) == ["RIGHT:1"]
