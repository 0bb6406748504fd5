"""The options of parser training."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from dodona.component import check_iterations, check_size
from dodona.data.pseudoprojective import ENCODINGS
from dodona.errors import OptionError
from dodona.neural.options import NetworkOptions
from dodona.systems.registry import BuiltSystem, Entry, build
from dodona.transformer.options import TransformerOptions

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

SCORERS = ("linear", "neural", "transformer")
UPDATES = ("perceptron", "pa", "pa-max-loss")
NONPROJECTIVE = (*ENCODINGS, "drop", "keep")
WIDEST = 10_000
BY_DEFAULT: Any = None


@dataclass(frozen=True)
class ParserOptions:
    """Options of parser training, checked and with every default filled in when they are made. What depends on the
    treebank stays None: the iterations of a network, and the words of its batches."""

    system: str = BY_DEFAULT  # of the scorer
    system_options: dict[str, Any] = field(default_factory=dict)
    templates: str = BY_DEFAULT  # of the system; None: the scorer is not linear
    positions: str = BY_DEFAULT  # of the system; None: the scorer is linear
    oracle: str = BY_DEFAULT  # of the system
    iterations: int | None = None  # of the system
    explore_after: int = 1  # k of EXPLORE(k, p): iterations without exploration
    explore: float = 0.9  # p: the probability that a mistake is followed
    random_choice: bool = False  # after a mistake a random correct action (2012), not the best (2013)
    update: str = "perceptron"
    aggressiveness: float = 0.1
    beam: int = 1  # hypotheses; with more than one, whole derivations are learned (structured perceptron)
    early_update: bool = False  # beam: update where the correct derivation leaves it, not where it is worst
    nonprojective: str = "head"  # how projective systems handle non-projective trees
    single_root: bool = True  # in parsing
    size: float = 12.0  # maximum size of the weights in megabytes
    seed: int = 1
    scorer: str = "linear"
    network: NetworkOptions | None = None  # of a neural scorer
    transformer: TransformerOptions | None = None  # of a transformer

    def __post_init__(self) -> None:
        for name, valid in (("scorer", SCORERS), ("update", UPDATES), ("nonprojective", NONPROJECTIVE)):
            if getattr(self, name) not in valid:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected one of {', '.join(valid)}")
        object.__setattr__(self, "system_options", dict(self.system_options or {}))
        linear = self.scorer == "linear"
        self._fill_in("system", "arc-eager" if linear else "arc-hybrid")
        entry = self.build_system().entry
        # a beam explores by itself
        offers = [name for name in entry.training_oracles if self.beam == 1 or name != "dynamic"]
        self._fill_in("oracle", offers[-1])
        if self.oracle not in offers:
            how = " with a beam" if self.beam > 1 else ""
            raise OptionError(f"oracle {self.oracle!r}: {entry.name} can be trained{how} with {', '.join(offers)}")
        self._check_numbers(entry)
        self._check_networks()
        if not linear:
            self._check_linear_only()
            self._fill_in("positions", entry.templates)
            return
        self._fill_in("iterations", entry.iterations)
        self._fill_in("templates", f"{entry.templates}-full")

    def _check_networks(self) -> None:
        """Raise an error for options of a network that the scorer does not have, and fill in those it has."""
        if self.scorer != "neural" and self.network is not None:
            raise OptionError("options of a network; expected them with the scorer 'neural'")
        if self.scorer != "transformer" and self.transformer is not None:
            raise OptionError("options of a transformer; expected them with the scorer 'transformer'")
        if self.scorer == "linear" and self.positions is not None:
            raise OptionError("positions; expected them with the scorer 'neural' or 'transformer'")
        if self.scorer == "neural":
            self._fill_in("network", NetworkOptions())
        if self.scorer == "transformer":
            self._fill_in("transformer", TransformerOptions())

    def _fill_in(self, name: str, value: Any) -> None:
        if getattr(self, name) is None or getattr(self, name) == "":
            object.__setattr__(self, name, value)

    def _check_numbers(self, entry: Entry) -> None:
        check_beam(self.beam)
        if self.early_update and self.beam == 1:
            raise OptionError("early_update without a beam; expected a beam of 2 or more")
        if self.beam > 1:
            check_has_beam(entry)
        if self.beam > 1 and self.update == "pa-max-loss":
            raise OptionError("update 'pa-max-loss': with a beam, expected perceptron or pa")
        if self.iterations is not None:
            check_iterations(self.iterations)
        check_size(self.size)
        if not 0 <= self.explore <= 1:
            raise OptionError(f"explore {self.explore}: expected a probability from 0 to 1")

    def _check_linear_only(self) -> None:
        usual = {field.name: field.default for field in fields(self)}
        for name in ("templates", "update", "aggressiveness", "beam", "early_update", "size"):
            if getattr(self, name) != usual[name]:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected only with the scorer 'linear'")

    def explore_in(self, iteration: int) -> float:
        """Return the probability that a mistake is followed in this iteration, counted from 1."""
        return self.explore if self.oracle == "dynamic" and iteration > self.explore_after else 0.0

    def build_system(self, labels: Sequence[str] | None = None, single_root: bool = False) -> BuiltSystem:
        """Return the compiled system. Training allows several roots, because gold trees may have several."""
        return build(self.system, labels, self.system_options | {"single_root": single_root})


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
