"""Treebanks as parsers see them in use: with predicted tags.

The training part is tagged in ten folds, each by a tagger trained on the others; all else by a tagger trained on the
whole training part. That is done once for each treebank, and kept beside the records of the runs.
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from dodona.data import write
from dodona.experiments.plan import Plan
from dodona.experiments.run import FORMAT
from dodona.experiments.treebanks import PARTS, Treebank, sentences_of
from dodona.pipeline.jackknife import copy_with_tags, jackknife
from dodona.tagger.tagger import TaggerOptions, train_tagger

__all__ = ["Tagging", "tag", "taggings", "with_tags"]


@dataclass(frozen=True)
class Tagging:
    """A treebank to be tagged, and others in the same language, whose test parts its parsers may be tested on."""

    treebank: Treebank
    others: tuple[Treebank, ...]
    limit: int | None
    home: str

    @property
    def key(self) -> str:
        data = {**self.treebank.digests, **{f"test of {other.name}": other.digests["test"] for other in self.others}}
        return sha256(repr((FORMAT, sorted(data.items()), self.limit)).encode()).hexdigest()[:24]

    @property
    def folder(self) -> Path:
        return Path(self.home) / "tags" / self.key

    @property
    def files(self) -> dict[Path, tuple[str, ...]]:
        """The files that are made, and what each is made from."""
        found = {part: self.treebank.files(part) for part in PARTS if self.treebank.files(part)}
        found |= {other.name: other.test for other in self.others}
        return {self.folder / f"{name}.conllu.gz": sources for name, sources in found.items()}

    @property
    def seed(self) -> int:
        return 0

    @property
    def weight(self) -> float:
        return 1.0 + self.treebank.size

    def is_finished(self) -> bool:
        return all(path.exists() for path in self.files)

    def __str__(self) -> str:
        return f"tags of {self.treebank.name}"


def taggings(plan: Plan, home: str | Path) -> list[Tagging]:
    """What is to be tagged for the runs of a plan."""
    return [Tagging(treebank, plan.others(treebank), plan.limit, str(home)) for treebank in plan.trainable]


def with_tags(plan: Plan, found: list[Tagging]) -> Plan:
    return replace(plan, tagged={tagging.treebank.name: str(tagging.folder) for tagging in found})


def tag(tagging: Tagging) -> dict[str, str]:
    """Write the files of a tagging that are not there yet; returns what was done, as a record does."""
    train = sentences_of(tagging.treebank.train, tagging.limit)
    options = TaggerOptions()
    tagger = train_tagger(train, options)
    tagging.folder.mkdir(parents=True, exist_ok=True)
    for path, sources in tagging.files.items():
        if path.exists():
            continue
        if sources == tagging.treebank.train:
            tagged = copy_with_tags(train, jackknife(train, jobs=1))
        else:
            tagged = list(tagger.apply(sentences_of(sources, tagging.limit)))
        write(tagged, path)
    return {"key": tagging.key}
