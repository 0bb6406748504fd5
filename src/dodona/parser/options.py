"""The options of parser training."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dodona.component import check_size
from dodona.data.pseudoprojective import ENCODINGS
from dodona.errors import OptionError
from dodona.neural.options import NetworkOptions
from dodona.systems.registry import BuiltSystem, Entry, build

__all__ = [
    "NONPROJECTIVE",
    "SCORERS",
    "UPDATES",
    "WIDEST",
    "ParserOptions",
    "check_beam",
    "check_has_beam",
    "check_positions",
]

SCORERS = ("linear", "neural")
UPDATES = ("perceptron", "pa", "pa-max-loss")
NONPROJECTIVE = (*ENCODINGS, "drop", "keep")
WIDEST = 10_000


@dataclass(frozen=True)
class ParserOptions:
    """Options of parser training. None means the default of the scorer or of the system."""

    system: str | None = None
    system_options: dict[str, Any] = field(default_factory=dict)
    templates: str | None = None  # of a linear scorer
    positions: str | None = None  # of a neural scorer
    oracle: str | None = None
    iterations: int | None = None
    explore_after: int = 1  # k of EXPLORE(k, p): iterations without exploration
    explore: float = 0.9  # p: the probability that a mistake is followed
    random_choice: bool = False  # after a mistake a random correct action (2012), not the best (2013)
    update: str = "perceptron"
    aggressiveness: float = 0.1
    beam: int = 1  # hypotheses; with more than one, whole derivations are learned (structured perceptron)
    early_update: bool = (
        False  # beam: update where the correct derivation leaves it, not where it is worst (max-violation)
    )
    nonprojective: str = "head"  # how projective systems handle non-projective trees
    single_root: bool = True  # in parsing
    size: float = 12.0  # maximum size of the weights in megabytes
    seed: int = 1
    scorer: str = "linear"
    network: NetworkOptions | None = None  # of a neural scorer

    def resolved(self) -> "ParserOptions":
        """Return the options with every default filled in; an error lists the valid values."""
        for name, value, valid in (
            ("scorer", self.scorer, SCORERS),
            ("update", self.update, UPDATES),
            ("nonprojective", self.nonprojective, NONPROJECTIVE),
        ):
            if value not in valid:
                raise OptionError(f"{name} {value!r}: expected one of {', '.join(valid)}")
        neural = self.scorer == "neural"
        chosen = replace(self, system=self.system or ("arc-hybrid" if neural else "arc-eager"))
        entry = chosen.built().entry
        offers = [
            name for name in entry.training_oracles if self.beam == 1 or name != "dynamic"
        ]  # a beam explores itself
        oracle = self.oracle or offers[-1]
        if oracle not in offers:
            how = " with a beam" if self.beam > 1 else ""
            raise OptionError(f"oracle {oracle!r}: {entry.name} can be trained{how} with {', '.join(offers)}")
        check_beam(self.beam)
        if self.early_update and self.beam == 1:
            raise OptionError("early_update without a beam; expected a beam of 2 or more")
        if self.beam > 1:
            check_has_beam(entry)
        if self.beam > 1 and self.update == "pa-max-loss":
            raise OptionError("update 'pa-max-loss': with a beam, expected perceptron or pa")
        if self.iterations is not None and self.iterations < 1:
            raise OptionError(f"iterations {self.iterations}: expected at least 1")
        check_size(self.size)
        if not 0 <= self.explore <= 1:
            raise OptionError(f"explore {self.explore}: expected a probability from 0 to 1")
        if neural:
            return replace(chosen._for_a_network(), oracle=oracle, positions=self.positions or entry.templates)
        if self.network is not None or self.positions is not None:
            raise OptionError("options of a network; expected them with the scorer 'neural'")
        return replace(
            chosen,
            oracle=oracle,
            iterations=self.iterations if self.iterations is not None else entry.iterations,
            templates=self.templates or f"{entry.templates}-full",
        )

    def _for_a_network(self) -> "ParserOptions":
        """Return options with a network; an error for options that only a linear scorer has."""
        plain = ParserOptions()
        for name in ("templates", "update", "aggressiveness", "beam", "early_update", "size"):
            if getattr(self, name) != getattr(plain, name):
                raise OptionError(f"{name} {getattr(self, name)!r}: expected only with the scorer 'linear'")
        return replace(self, network=self.network or NetworkOptions())

    def built(self, labels: Sequence[str] | None = None, single_root: bool = False) -> BuiltSystem:
        """Return the compiled system. Training allows several roots, because gold trees may have several."""
        return build(str(self.system), labels, self.system_options | {"single_root": single_root})


def check_beam(width: Any) -> None:
    if type(width) is not int or not 1 <= width <= WIDEST:
        raise OptionError(f"beam {width!r}: expected a number of hypotheses from 1 to {WIDEST}")


def check_has_beam(entry: Entry) -> None:
    if not entry.has_beam:
        reason = "its actions have no fixed order in which hypotheses could be compared"
        raise OptionError(f"{entry.name} has no beam search: {reason}")


def check_positions(entry: Entry, what: str, places: Iterable[str]) -> None:
    """Raise an error for places that the configurations of the system do not have."""
    missing = [place for place in places if place not in entry.positions]
    if missing:
        had = " ".join(entry.positions)
        raise OptionError(f"{what} with the place {missing[0]}, which {entry.name} does not have; it has: {had}")
