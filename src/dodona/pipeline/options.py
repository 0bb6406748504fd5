"""What can be chosen when a parser is trained."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dodona.data.pseudoprojective import ENCODINGS
from dodona.errors import OptionError
from dodona.research import system

__all__ = ["NONPROJECTIVE", "NO_BEAM", "UPDATES", "WIDEST", "Options", "check_beam", "core_system", "label_names"]

POLICIES = ("static", "nondeterministic", "dynamic", "eager", "lazy", "minimal", "nd-sw", "nd-all")
UPDATES = ("perceptron", "pa", "pa-max-loss")
NONPROJECTIVE = (*ENCODINGS, "drop", "keep")
WIDEST = 10_000
NO_BEAM = "easy-first has no beam search: its actions have no fixed order in which hypotheses could be compared"


@dataclass(frozen=True)
class Options:
    """How a parser is trained. None is what suits the system."""

    system: str = "arc-eager"
    system_options: dict[str, Any] = field(default_factory=dict)
    templates: str | None = None
    oracle: str | None = None
    iterations: int | None = None
    explore_after: int = 1  # k of EXPLORE(k, p): iterations without exploration
    explore: float = 0.9  # p: how often a mistake is followed
    random_choice: bool = False  # after a mistake a random correct action (2012), not the best (2013)
    update: str = "perceptron"
    aggressiveness: float = 0.1
    beam: int = 1  # hypotheses; with more than one, whole derivations are learned
    early_update: bool = (
        False  # beam: update where the correct derivation leaves it, not where it is worst (max-violation)
    )
    nonprojective: str = "head"  # what a projective system does with non-projective trees
    single_root: bool = True  # of what is parsed
    size: float = 12.0  # megabytes that the weights may take
    seed: int = 1

    def resolved(self) -> "Options":
        """The same with every default filled in; an error lists the valid values."""
        chosen = system(self.system, **self.system_options)
        offers = [name for name in chosen.entry.oracles if name in POLICIES]
        if "dynamic" in offers:
            offers.insert(1, "nondeterministic")
        if self.beam > 1:
            offers = [name for name in offers if name != "dynamic"]  # a beam explores by itself
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
        iterations = self.iterations if self.iterations is not None else 20 if self.system == "easy-first" else 15
        check_beam(self.beam)
        if self.early_update and self.beam == 1:
            raise OptionError("early_update without a beam; expected a beam of 2 or more")
        if self.beam > 1 and self.system == "easy-first":
            raise OptionError(NO_BEAM)
        if self.beam > 1 and self.update == "pa-max-loss":
            raise OptionError("update 'pa-max-loss': with a beam, expected perceptron or pa")
        if iterations < 1:
            raise OptionError(f"iterations {iterations}: expected at least 1")
        if not self.size > 0:
            raise OptionError(f"size {self.size}: expected megabytes, more than 0")
        if not 0 <= self.explore <= 1:
            raise OptionError(f"explore {self.explore}: expected a probability from 0 to 1")
        kind = chosen.entry.template_kind
        filled = asdict(self) | {
            "oracle": oracle,
            "iterations": iterations,
            "templates": self.templates or f"{kind}-full",
        }
        return Options(**filled)


def check_beam(width: Any) -> None:
    if type(width) is not int or not 1 <= width <= WIDEST:
        raise OptionError(f"beam {width!r}: expected a number of hypotheses from 1 to {WIDEST}")


def core_system(options: Options, labels: Sequence[str], single_root: bool) -> Any:
    """The compiled transition system. Training allows many roots, so that gold trees with many can be learned."""
    return system(options.system, labels, **(options.system_options | {"single_root": single_root}))._core


def label_names(labels: Sequence[str], options: Options) -> list[str]:
    """The labels by number; root arcs that are left to the end may have one that is not in the data."""
    return system(options.system, labels, **options.system_options)._label_names
