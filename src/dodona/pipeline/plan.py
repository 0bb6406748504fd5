"""What is trained: the components, and the data of the parser."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dodona.errors import OptionError
from dodona.pipeline.pipeline import COMPONENTS

__all__ = ["TAGS", "TrainingPlan"]

TAGS = ("predicted", "gold")


@dataclass(frozen=True)
class TrainingPlan:
    """Which components are trained, and on which tags the parser is trained."""

    components: Sequence[str] | None = None  # None: all that the treebank has data for
    tags: str = "predicted"  # by taggers trained on other sentences; or "gold"
    folds: int = 10  # number of these taggers
    jobs: int = 1  # processes that train them; several need a main module that can be imported again
    patience: int | None = None  # iterations of the parser without gain on the development data before it stops

    vectors: str | Path | None = None  # a file of pretrained word vectors, for a network
    vectors_size: float = 10.0  # megabytes of them that are kept
    checkpoint: str | Path | None = None  # a file that the training of a network can be continued from
    resume: bool = False  # continue from it
    max_length: int | None = None  # words; the parser does not learn from longer sentences

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise OptionError(f"tags {self.tags!r}: expected one of {', '.join(TAGS)}")
        for name in self.components or ():
            if name not in COMPONENTS:
                raise OptionError(f"component {name!r}: expected some of {', '.join(COMPONENTS)}")
        if self.components is not None and "parser" not in self.components:
            raise OptionError("components without 'parser': a pipeline ends with one")
        for name in ("folds", "jobs", "patience", "max_length"):
            least = 2 if name == "folds" else 1
            if getattr(self, name) is not None and getattr(self, name) < least:
                raise OptionError(f"{name} {getattr(self, name)}: expected at least {least}")
