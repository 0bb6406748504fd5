"""Which gold arcs a transition loses: those that some continuation could build before it, and none after it.

Each arc is looked at alone, as a gold tree of which no other arc is known: a transition loses it if its cost with
regard to this tree is not zero. Where the reachability of a set of arcs follows from that of its members (Goldberg and
Nivre 2013: arc decomposition), as many arcs are lost as the transition costs. In other systems, and with one root, arcs
may be reachable one by one but not together: then a transition may cost more than the number of arcs that are certainly
lost.
"""

from collections.abc import Iterable

from dodona.research.configuration import Configuration
from dodona.research.system import GoldTree, System
from dodona.transitions.derivations import gold_tree
from dodona.transitions.moves import NONE

__all__ = ["certainly_lost", "lost_arcs"]


def lost_arcs(
    system: System,
    c: Configuration,
    gold: GoldTree,
    *,
    words: Iterable[int] | None = None,
    remembered: str | None = None,
) -> dict[str, list[int]]:
    """Return for every legal transition the words whose gold arc, with its label, it makes unreachable.

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
