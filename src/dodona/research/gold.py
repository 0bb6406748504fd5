"""Gold trees for oracles: heads and labels are checked once, with errors that name the word."""

from collections.abc import Sequence
from dataclasses import dataclass

from dodona.data.trees import check_tree
from dodona.errors import TreeError
from dodona.systems.build import BuiltSystem, some
from dodona.transitions.derivations import gold_tree
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE

__all__ = ["GoldTree", "check_buildable", "checked_gold"]

HINT = "(approximate=True gives the formula's value all the same)"


@dataclass(frozen=True)
class GoldTree:
    """A checked gold tree, returned by `System.gold`."""

    core: Gold
    label_names: tuple[str, ...]
    approximate: bool  # costs are wanted even if the system cannot build it


def checked_gold(built: BuiltSystem, heads: Sequence[int], labels: Sequence[str] | None, approximate: bool) -> GoldTree:
    core = gold_tree(check_tree(heads), _gold_labels(built, heads, labels))
    return GoldTree(core, built.label_names, approximate)


def check_buildable(built: BuiltSystem, gold: Gold) -> None:
    """Raise an error for a tree that the system cannot build."""
    if built.entry.projective and not gold.is_projective:
        heads = list(gold.head[1 : gold.n + 1])
        raise TreeError(
            f"the heads {heads} are not projective; {built.entry.name} builds projective trees only, and its costs "
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


def _gold_labels(built: BuiltSystem, heads: Sequence[int], labels: Sequence[str] | None) -> list[int]:
    n = len(heads)
    if labels is None:
        return [NONE] * n
    if not built.labels:
        raise TreeError(f"gold labels were given, but this {built.entry.name} was made without labels")
    if len(labels) != n:
        raise TreeError(f"{n} heads but {len(labels)} labels")
    known = {label: i for i, label in enumerate(built.label_names)}
    for d, (h, label) in enumerate(zip(heads, labels, strict=True), start=1):
        if label not in known or (h != 0 and label not in built.labels):
            raise TreeError(f"word {d} has label {label!r}; the labels are: {some(built.labels)}")
    return [known[label] for label in labels]
