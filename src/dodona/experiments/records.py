"""The records of finished runs: a folder with a file for each, and the numbers in them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.data.files import output
from dodona.errors import FormatError
from dodona.evaluation import Rate
from dodona.experiments.run import Run, unpack
from dodona.experiments.treebanks import FORMAT
from dodona.tables import format_json

__all__ = ["Record", "Records", "Store"]


@dataclass(frozen=True)
class Record:
    """What one run has found."""

    data: Mapping[str, Any]

    @property
    def seed(self) -> int:
        return int(self.data["seed"])

    def result(self, measure: str) -> Any:
        return self.data["results"][measure]

    def part(self, part: str) -> Mapping[str, Any]:
        """The scores on `dev` or `test`, or on the test part of another treebank, by its name."""
        results = self.data["results"]
        scores: Mapping[str, Any] = results[part] if part in results else results["elsewhere"][part]
        return scores

    def percent(self, part: str, score: str, punctuation: bool = True) -> float:
        correct, total = self.part(part)["all words" if punctuation else "without punctuation"][score]
        return 100 * Rate(correct, total).accuracy

    def sentences(self, part: str, score: str) -> NDArray[np.int64]:
        """The correct words of each sentence; `words`: all of them."""
        return unpack(self.part(part)["sentences"][score])


class Records(dict[str, Record]):
    """The records that there are, by the key of the run."""

    def of(self, runs: Iterable[Run]) -> list[Record]:
        """Those of some runs; what is missing is left out."""
        return [self[run.key] for run in runs if run.key in self]


class Store:
    """A folder of records. Each is written whole or not at all, so a run is finished or has never been."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, run: Run) -> Path:
        return self.folder / f"{run.key}.json"

    def read_finished(self, runs: Sequence[Run]) -> Records:
        by_key = {run.key: self.path(run) for run in runs}
        return Records((key, self._read(path, key)) for key, path in by_key.items() if path.exists())

    def save(self, run: Run, record: Mapping[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with output(self.path(run)) as stream:
            stream.write(format_json(record).encode())

    def _read(self, path: Path, key: str) -> Record:
        try:
            data = json.loads(path.read_text("utf-8"))
            if data["key"] != key or data["format"] != FORMAT or not isinstance(data["results"], dict):
                raise ValueError(f"a record of format {data['format']} with the key {data['key']}")
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{path}: {error}; expected the record of a run, format {FORMAT}, key {key}") from None
        return Record(data)
