"""Derivations of gold trees, and what Python asks of a system and a configuration as lists."""

from array import array

from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem, Workspace


def start(system: TransitionSystem, n: int) -> State:
    s = State(n)
    system.dispatcher().start(s, n)
    return s


def gold_tree(heads: list[int], labels: list[int]) -> Gold:
    n = len(heads)
    gold = Gold(n)
    gold.fill(memoryview(array("i", heads)), memoryview(array("i", labels)), 0, n)
    return gold


def copy(s: State) -> State:
    other = State(s.n)
    other.copy_from(s)
    return other


def sites(system: TransitionSystem, s: State) -> list[int]:
    """Return all sites, the first one first."""
    system = system.dispatcher()
    nodes = []
    site = 0
    while site != NONE:
        nodes.append(site)
        site = system.next_site(s, site)
    return nodes


def legal_moves(system: TransitionSystem, s: State, site: int) -> list[int]:
    system = system.dispatcher()
    return [move for move in system.moves if system.legal(s, move, site)]


def actions(system: TransitionSystem) -> list[tuple[int, int]]:
    """Return (move, label) of every action, by number."""
    return [(system.move_of(a), system.label_of(a)) for a in range(system.actions)]


def costs(system: TransitionSystem, s: State, gold: Gold, site: int, carried: int) -> list[int]:
    """Return the cost of every action at the site, NONE where it is not legal; labels vary fastest."""
    out = array("i", bytes(4 * system.actions))
    system.dispatcher().costs(s, gold, site, carried, memoryview(out))
    return list(out)


def correct_moves(system: TransitionSystem, s: State, gold: Gold, links_too: bool) -> list[int]:
    """Return the moves of a non-deterministic oracle; none if the gold tree is no longer reachable."""
    work = Workspace(gold.n)
    system = system.dispatcher()
    if not system.reaches(s, gold, work):
        return []
    correct = system.correct_moves(s, gold, work, links_too)
    return [move for move in system.moves if correct >> move & 1]


def canonical_derivation(system: TransitionSystem, gold: Gold, moves: list[int] | None) -> list[tuple[int, int, int]]:
    """Return the static oracle's actions from start to end, or the actions of these moves, with gold labels.

    The tree must be one that the system can build.
    """
    s = start(system, gold.n)
    system = system.dispatcher()
    actions: list[tuple[int, int, int]] = []
    while not system.is_terminal(s):
        site = system.canonical_site(s, gold)
        move = system.canonical(s, gold, site) if moves is None else moves[len(actions)]
        label = gold.label[system.dependent_of(s, move, site)]
        actions.append((move, site, label))
        s.watch.step()
        system.apply(s, move, site, label)
    return actions
