"""What an experiment is carried out on and how often; the grid of conditions that most experiments are; and what a
recipe is: which runs it needs, and how its tables and figures are made from their records."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dodona.errors import OptionError
from dodona.experiments.figures import Figure
from dodona.experiments.records import Record, Records
from dodona.experiments.run import Run
from dodona.experiments.treebanks import Tagging, Treebank
from dodona.parser.options import ParserOptions
from dodona.pipeline.pretraining import load_encoder
from dodona.systems.registry import entry_of
from dodona.tables import Table

__all__ = ["Condition", "Grid", "Plan", "Recipe", "as_in_the_papers"]

UNLIMITED = 10_000.0  # megabytes of weights: the papers prune nothing


def as_in_the_papers(system: str, oracle: str, **options: Any) -> ParserOptions:
    """Options of a parser like those of the papers: the templates that they print, and all weights kept."""
    usual: dict[str, Any] = {
        "templates": entry_of(system).templates,
        "nonprojective": "baseline",  # projectivized for training, nothing encoded in labels
        "size": UNLIMITED,
    }
    return ParserOptions(system=system, oracle=oracle, **usual | options)


@dataclass(frozen=True)
class Condition:
    """One way to train, and what is measured of it."""

    options: ParserOptions | None  # None: nothing is trained
    measures: tuple[str, ...] = ("dev", "test")
    keep: str = "last"
    silver: int = 0  # words of the treebank's silver part that the parser learns from, too
    encoder: str = ""  # "sizes": a network of the size of the pretrained encoder; "weights": one that begins with it
    train_limit: int | None = None  # sentences to train on; None: all


@dataclass(frozen=True)
class Plan:
    """The treebanks, and what holds for all runs."""

    treebanks: tuple[Treebank, ...]
    seeds: int = 5
    iterations: int | None = None  # None: as many as the recipe says
    tags: str = "gold"
    limit: int | None = None
    beam: int | None = None  # None: as wide as the recipe says
    neural: bool = True  # networks too, where a recipe has them
    beam_seeds: int | None = None  # of parsers that are trained with a beam, which takes longer; None: as many
    tagged: Mapping[str, str] = field(default_factory=dict)  # folders with predicted tags, by treebank
    encoders: Mapping[str, str] = field(default_factory=dict)  # files of pretrained encoders, by language

    def __post_init__(self) -> None:
        for seeds in (self.seeds, self.beam_seeds):
            if seeds is not None and seeds < 1:
                raise OptionError(f"seeds {seeds}: expected at least 1")
        if self.limit is not None and self.limit < 2:
            raise OptionError(f"limit {self.limit}: expected at least 2 sentences")

    @property
    def trainable(self) -> tuple[Treebank, ...]:
        """The treebanks with a training and a test part; the others can only be parsed."""
        return tuple(treebank for treebank in self.treebanks if treebank.train and treebank.test)

    @property
    def with_dev(self) -> "Plan":
        """The plan without the treebanks that have no dev part."""
        return replace(self, treebanks=tuple(treebank for treebank in self.trainable if treebank.dev))

    def seeds_of(self, options: ParserOptions | None) -> range:
        """The seeds that parsers with these options are trained with."""
        fewer = self.beam_seeds if options is not None and options.beam > 1 else None
        return range(1, 1 + (self.seeds if fewer is None else fewer))

    def others(self, treebank: Treebank) -> tuple[Treebank, ...]:
        """The other treebanks of the same language that have a test part: its parsers can be tested on them."""
        return tuple(t for t in self.treebanks if t.language == treebank.language and t != treebank and t.test)

    def taggings(self, home: str | Path) -> list[Tagging]:
        """What is to be tagged for the runs."""
        return [Tagging(treebank, self.others(treebank), self.limit, str(home)) for treebank in self.trainable]

    def with_tags(self, taggings: Iterable[Tagging]) -> "Plan":
        return replace(self, tagged={tagging.treebank.name: str(tagging.folder) for tagging in taggings})

    def run(self, treebank: Treebank, condition: Condition, seed: int = 1) -> Run:
        options = condition.options
        if options is not None:
            options = replace(options, seed=seed, iterations=self.iterations or options.iterations)
            if condition.encoder:
                network = load_encoder(self.encoders[treebank.language]).fit(options.network)
                options = replace(options, network=network)
            if options.beam > 1:
                options = replace(options, beam=self.beam or options.beam)
        elsewhere = self.others(treebank) if "elsewhere" in condition.measures else ()
        can_be = {"dev": treebank.dev, "elsewhere": elsewhere}
        measures = tuple(name for name in condition.measures if can_be.get(name, True))
        tags, tagged = ("gold", None) if options is None else (self.tags, self.tagged.get(treebank.name))
        encoder = self.encoders[treebank.language] if condition.encoder == "weights" else None
        return Run(
            treebank, options, measures, tags, self.limit, condition.keep, elsewhere, tagged, condition.silver, encoder,
            condition.train_limit,
        )  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """Conditions by name × treebanks × seeds."""

    plan: Plan
    conditions: Mapping[str, Condition]

    def runs(self) -> Iterator[Run]:
        for treebank in self.plan.trainable:
            for name in self.conditions:
                yield from self.cell(treebank, name)

    def cell(self, treebank: Treebank, condition: str) -> list[Run]:
        """The runs of a condition on a treebank: one for each seed."""
        chosen = self.conditions[condition]
        return [self.plan.run(treebank, chosen, seed) for seed in self.plan.seeds_of(chosen.options)]

    def records(self, records: Records, treebank: Treebank, condition: str) -> list[Record]:
        return records.of(self.cell(treebank, condition))


@dataclass(frozen=True)
class Recipe:
    name: str
    paper: str  # and its tables and figures
    shows: str  # in a line
    paper_claim: str  # what the paper found, in a sentence
    runs: Callable[[Plan], Iterable[Run]]
    report: Callable[[Plan, Records], Sequence[Table | Figure]]
