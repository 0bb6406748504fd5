"""The exhaustive check bites: whatever is wrong with a system or an oracle is found, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from dodona import System, TransitionError, system
from dodona.research.verification import explore, verify
from dodona.systems.arc_eager import ArcEager
from dodona.systems.arc_hybrid import ArcHybrid
from dodona.systems.registry import SYSTEMS
from dodona.systems.swap_standard import SwapStandard
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, RIGHT, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import Workspace


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a system of a class that is like one of the registry but for a fault; it is not checked first."""

    def made(name: str, kind: type, **options: Any) -> System:
        monkeypatch.setitem(SYSTEMS, "mine", replace(SYSTEMS[name], name="mine", make=kind))
        return system("mine", **options)

    return made


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_systems_that_come_with_dodona(name: str) -> None:
    for n in (0, 1, 2, 3):
        result = verify(system(name), n)
        assert not result.wrong + result.faults
        assert n == 0 or (result.comparisons > 0) == ("dynamic" in SYSTEMS[name].oracles)


def test_a_cost_that_is_wrong(make: Any) -> None:
    class Printed(ArcEager):
        """The paper forgets that b is lost as a dependent of s (docs/errata.md, E2)."""

        def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
            lost = super().cost(s, gold, move, site)
            return lost - (move == LEFT and gold.head[s.b0()] == s.s0())

    chosen = make("arc-eager", Printed)
    assert not verify(chosen, 1).wrong
    wrong = verify(chosen, 2).wrong
    assert wrong
    assert all(each.true == each.cost + 1 for each in wrong)
    first = min(wrong, key=lambda each: len(each.history))
    assert (first.transition, first.heads, first.history) == ("LEFT", (0, 1), ["SHIFT"])
    assert str(first.configuration) == "[1] [2 ROOT]"
    c = chosen.initial(2)
    for transition in first.history:
        chosen.apply(c, transition)
    assert c.key == first.configuration.key


def test_trees_that_cannot_be_built(make: Any) -> None:
    class Rightwards(ArcHybrid):
        def legal(self, s: State, move: int, site: int) -> bool:
            return move != LEFT and super().legal(s, move, site)

    result = verify(make("arc-hybrid", Rightwards), 2)
    assert result.faults == ["1 of 3 trees cannot be built: heads 2 0"]
    assert result.trees == 2


def test_trees_that_should_not_be_built(make: Any) -> None:
    class Deaf(ArcHybrid):
        def legal(self, s: State, move: int, site: int) -> bool:
            return s.depth > 1 if move == RIGHT else super().legal(s, move, site)

    result = verify(make("arc-hybrid", Deaf, single_root=True), 2)
    assert "1 of 2 trees should not be built, and can be: heads 0 0" in result.faults


def test_a_static_oracle_that_goes_astray(make: Any) -> None:
    class Lazy(ArcHybrid):
        def canonical(self, s: State, gold: Gold, site: int) -> int:
            return SHIFT if s.front < s.end else RIGHT

    assert verify(make("arc-hybrid", Lazy), 2).faults == [
        "static derives the tree with heads 0 1, not the tree with heads 0 0: SHIFT SHIFT SHIFT RIGHT RIGHT",
        "static derives the tree with heads 0 1, not the tree with heads 2 0: SHIFT SHIFT SHIFT RIGHT RIGHT",
    ]

    class Stubborn(ArcHybrid):
        def canonical(self, s: State, gold: Gold, site: int) -> int:
            return SHIFT

    assert "static does not derive the tree with heads 0" in verify(make("arc-hybrid", Stubborn), 1).faults[0]


def test_a_set_of_moves_that_loses_the_tree(make: Any) -> None:
    class Generous(SwapStandard):
        def correct_moves(self, s: State, gold: Gold, work: Workspace, links_too: bool) -> int:
            return sum(1 << move for move in self.moves if self.legal(s, move, 0))

    faults = verify(make("swap-standard", Generous), 2).faults
    assert "nd-all allows RIGHT after SHIFT, but it loses the tree with heads 2 0" in faults


def test_a_dead_end(make: Any) -> None:
    class Stuck(ArcHybrid):
        def legal(self, s: State, move: int, site: int) -> bool:
            return move == SHIFT and s.front < s.end

    with pytest.raises(
        TransitionError, match=r"mine has no legal transition in \[ROOT 1\] \[\], which is not terminal"
    ):
        explore(make("arc-hybrid", Stuck), 1)
