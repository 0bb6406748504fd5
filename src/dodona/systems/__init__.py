"""The transition systems, one file each, and the registry: adding a system is a file and a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dodona.core.system import TransitionSystem
from dodona.systems import (
    arc_eager,
    arc_hybrid,
    arc_standard,
    covington,
    easy_first,
    nonmonotonic,
    swap_standard,
)

__all__ = ["SYSTEMS", "Entry"]


@dataclass(frozen=True)
class Entry:
    """What a system is and offers; every system also takes `single_root`."""

    make: Callable[..., TransitionSystem]
    rules: dict[str, str]  # the precondition of each transition, in words
    builds: str  # the class of trees
    oracles: tuple[str, ...] = ("static", "dynamic")
    template_kind: str = "stack"  # which feature templates suit it
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # valid values, the default first


ROOT = {"root": ("last", "first", "attach")}
REPAIRS = {"moves": ("both", "left", "reduce"), "reduce_label": ("predicted", "remembered")}
SWAPS = ("eager", "lazy", "minimal", "nd-sw", "nd-all")

SYSTEMS: dict[str, Entry] = {
    "arc-eager": Entry(arc_eager.ArcEager, arc_eager.RULES, "projective trees", options=ROOT),
    "arc-standard": Entry(arc_standard.ArcStandard, arc_standard.RULES, "projective trees", template_kind="standard"),
    "arc-hybrid": Entry(arc_hybrid.ArcHybrid, arc_hybrid.RULES, "projective trees", template_kind="hybrid"),
    "easy-first": Entry(easy_first.EasyFirst, easy_first.RULES, "projective trees", template_kind="easy-first"),
    "nonmonotonic": Entry(nonmonotonic.NonMonotonic, nonmonotonic.RULES, "projective trees", options=REPAIRS),
    "covington": Entry(covington.Covington, covington.RULES, "all trees", template_kind="covington"),
    "swap-standard": Entry(
        swap_standard.SwapStandard, swap_standard.RULES, "all trees", oracles=SWAPS, template_kind="standard"
    ),
}
