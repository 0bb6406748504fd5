"""The options of parser training."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dodona.components.component import check_size
from dodona.data.pseudoprojective import ENCODINGS
from dodona.errors import OptionError
from dodona.scoring.linear.templates import Templates
from dodona.systems.build import BuiltSystem, build
from dodona.systems.registry import Entry

__all__ = ["NONPROJECTIVE", "UPDATES", "WIDEST", "ParserOptions", "check_beam", "check_has_beam", "check_positions"]

UPDATES = ("perceptron", "pa", "pa-max-loss")
NONPROJECTIVE = (*ENCODINGS, "drop", "keep")
WIDEST = 10_000


@dataclass(frozen=True)
class ParserOptions:
    """Options of parser training. None means the default of the system."""

    system: str = "arc-eager"
    system_options: dict[str, Any] = field(default_factory=dict)
    templates: str | None = None
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

    def resolved(self) -> "ParserOptions":
        """Return the options with every default filled in; an error lists the valid values."""
        entry = self.built().entry
        offers = [
            name for name in entry.training_oracles if self.beam == 1 or name != "dynamic"
        ]  # a beam explores itself
        oracle = self.oracle or offers[-1]
        if oracle not in offers:
            how = " with a beam" if self.beam > 1 else ""
            raise OptionError(f"oracle {oracle!r}: {self.system} can be trained{how} with {', '.join(offers)}")
        for name, value, valid in (
            ("update", self.update, UPDATES),
            ("nonprojective", self.nonprojective, NONPROJECTIVE),
        ):
            if value not in valid:
                raise OptionError(f"{name} {value!r}: expected one of {', '.join(valid)}")
        iterations = self.iterations if self.iterations is not None else entry.iterations
        check_beam(self.beam)
        if self.early_update and self.beam == 1:
            raise OptionError("early_update without a beam; expected a beam of 2 or more")
        if self.beam > 1:
            check_has_beam(entry)
        if self.beam > 1 and self.update == "pa-max-loss":
            raise OptionError("update 'pa-max-loss': with a beam, expected perceptron or pa")
        if iterations < 1:
            raise OptionError(f"iterations {iterations}: expected at least 1")
        check_size(self.size)
        if not 0 <= self.explore <= 1:
            raise OptionError(f"explore {self.explore}: expected a probability from 0 to 1")
        filled = asdict(self) | {
            "oracle": oracle,
            "iterations": iterations,
            "templates": self.templates or f"{entry.templates}-full",
        }
        return ParserOptions(**filled)

    def built(self, labels: Sequence[str] | None = None, single_root: bool = False) -> BuiltSystem:
        """Return the compiled system. Training allows several roots, because gold trees may have several."""
        return build(self.system, labels, self.system_options | {"single_root": single_root})


def check_beam(width: Any) -> None:
    if type(width) is not int or not 1 <= width <= WIDEST:
        raise OptionError(f"beam {width!r}: expected a number of hypotheses from 1 to {WIDEST}")


def check_has_beam(entry: Entry) -> None:
    if not entry.has_beam:
        reason = "its actions have no fixed order in which hypotheses could be compared"
        raise OptionError(f"{entry.name} has no beam search: {reason}")


def check_positions(entry: Entry, templates: Templates) -> None:
    """Raise an error for templates with positions that the configurations of the system do not have."""
    missing = [place for place in templates.places() if place not in entry.positions]
    if missing:
        had = " ".join(entry.positions)
        raise OptionError(f"templates with the place {missing[0]}, which {entry.name} does not have; it has: {had}")
