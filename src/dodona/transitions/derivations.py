"""Derivations of gold trees, and Python access to the methods of compiled systems."""

from array import array

from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem
from dodona.transitions.workspace import Workspace


def start(system: TransitionSystem, n: int) -> State:
    s = State(n)
    system.start(s, n)
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


def is_terminal(system: TransitionSystem, s: State) -> bool:
    return system.is_terminal(s)


def progress(system: TransitionSystem, s: State) -> int:
    return system.progress(s)


def sites(system: TransitionSystem, s: State) -> list[int]:
    found = []
    site = 0
    while site != NONE:
        found.append(site)
        site = system.next_site(s, site)
    return found


def is_legal(system: TransitionSystem, s: State, move: int, site: int) -> bool:
    return system.legal(s, move, site)


def legal_moves(system: TransitionSystem, s: State, site: int) -> list[int]:
    return [move for move in system.moves if system.legal(s, move, site)]


def apply(system: TransitionSystem, s: State, move: int, site: int, label: int) -> None:
    system.apply(s, move, site, label)


def head_of(system: TransitionSystem, s: State, move: int, site: int) -> int:
    return system.head_of(s, move, site)


def dependent_of(system: TransitionSystem, s: State, move: int, site: int) -> int:
    return system.dependent_of(s, move, site)


def actions(system: TransitionSystem) -> list[tuple[int, int]]:
    """Return (move, label) of every action, by number."""
    return [(system.move_of(a), system.label_of(a)) for a in range(system.actions)]


def cost(system: TransitionSystem, s: State, gold: Gold, move: int, site: int) -> int:
    """Return the cost of a legal move with the correct label."""
    return system.cost(s, gold, move, site)


def costs(system: TransitionSystem, s: State, gold: Gold, site: int, carried: int) -> list[int]:
    """Return the cost of every action at the site, NONE where it is not legal; labels vary fastest."""
    out = array("i", bytes(4 * system.actions))
    system.costs(s, gold, site, carried, memoryview(out))
    return list(out)


def prefers(system: TransitionSystem, s: State, gold: Gold, move: int, label: int) -> bool:
    return system.prefers(s, gold, move, label)


def correct_moves(system: TransitionSystem, s: State, gold: Gold, links_too: bool) -> list[int]:
    """Return the moves of a non-deterministic oracle; none if the gold tree is no longer reachable."""
    work = Workspace(gold.n)
    if not system.reaches(s, gold, work):
        return []
    found = system.correct_moves(s, gold, work, links_too)
    return [move for move in system.moves if found >> move & 1]


def canonical(system: TransitionSystem, s: State, gold: Gold, site: int) -> int:
    """Return the next move of the canonical derivation, or NONE if it is not at this site."""
    return system.canonical(s, gold, site)


def canonical_derivation(system: TransitionSystem, gold: Gold, moves: list[int] | None) -> list[tuple[int, int, int]]:
    """Return the static oracle's actions from start to end, or the actions of these moves, with gold labels.

    The tree must be one that the system can build.
    """
    s = start(system, gold.n)
    actions: list[tuple[int, int, int]] = []
    while not system.is_terminal(s):
        site = system.canonical_site(s, gold)
        move = system.canonical(s, gold, site) if moves is None else moves[len(actions)]
        label = gold.label[system.dependent_of(s, move, site)]
        actions.append((move, site, label))
        s.watch.step()
        system.apply(s, move, site, label)
    return actions


def follow_static(system: TransitionSystem, s: State, gold: Gold) -> int:
    """Derive the gold tree with the static oracle; returns the number of transitions."""
    steps = 0
    system.start(s, gold.n)
    while not system.is_terminal(s):
        site = system.canonical_site(s, gold)
        move = system.canonical(s, gold, site)
        system.apply(s, move, site, gold.label[system.dependent_of(s, move, site)])
        s.watch.step()
        steps += 1
    return steps


def follow_dynamic(system: TransitionSystem, s: State, gold: Gold, costs: memoryview) -> int:
    """Compute the cost of every action in every configuration and take the first of the cheapest.

    Its cost is zero, unless the system cannot build the tree.
    """
    steps = 0
    system.start(s, gold.n)
    while not system.is_terminal(s):
        best = best_site = NONE
        least = gold.n + 1
        site = 0
        while site != NONE:
            system.costs(s, gold, site, NONE, costs)
            s.watch.step()
            for a in range(system.actions):
                if 0 <= costs[a] < least:
                    least = costs[a]
                    best = a
                    best_site = site
            site = system.next_site(s, site)
        if best == NONE:
            break
        system.act(s, best, best_site, NONE)
        steps += 1
    return steps


def derive_all(
    system: TransitionSystem,
    s: State,
    gold: Gold,
    heads: memoryview,
    labels: memoryview,
    lengths: memoryview,
    dynamic: bool,
    costs: memoryview,
) -> int:
    offset = steps = 0
    for i in range(len(lengths)):
        gold.fill(heads, labels, offset, lengths[i])
        if dynamic:
            steps += follow_dynamic(system, s, gold, costs)
        else:
            steps += follow_static(system, s, gold)
        offset += lengths[i]
    return steps


def derive_treebank(
    system: TransitionSystem, heads: "array[int]", labels: "array[int]", lengths: "array[int]", dynamic: bool
) -> int:
    """Derive the trees that are stored one after the other in two arrays; returns the total number of transitions."""
    longest = max(lengths, default=0)
    costs = array("i", bytes(4 * system.actions))
    return derive_all(
        system,
        State(longest),
        Gold(longest),
        memoryview(heads),
        memoryview(labels),
        memoryview(lengths),
        dynamic,
        memoryview(costs),
    )
