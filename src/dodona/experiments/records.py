"""Runs that are carried out, on processes of this machine or on a cluster by Dask, and their records: a folder with a
file for each, and the numbers in them.

One run is one task. The worker sends the record back, and this process stores it at once. So a worker that dies costs
the run that it was doing, which is given to another one, and an experiment that is stopped has lost only the runs that
were under way.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.data.files import output
from dodona.distributed.cluster import Cluster, ClusterTask, Outcome, TaskMonitor
from dodona.errors import DodonaError, FormatError
from dodona.evaluation import Rate
from dodona.experiments.run import Run, perform, unpack
from dodona.experiments.treebanks import FORMAT, Tagging, tag
from dodona.tables import format_json

__all__ = ["Cluster", "Failure", "Record", "Records", "Store", "carry_out", "each_once", "tag_all"]

Failure = tuple[ClusterTask, str]
MISSING = "experiments on other machines need Dask: pip install 'dodona[experiments]'"


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


def each_once(runs: Sequence[Run]) -> list[Run]:
    """Every run once, the first seed of all of them first: an experiment that is stopped has a complete small table."""
    by_key: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: run.seed):
        by_key.setdefault(run.key, run)
    return list(by_key.values())


def carry_out(
    runs: Sequence[Run], store: Store, monitor: TaskMonitor, cluster: Cluster
) -> tuple[Records, list[Failure]]:
    """Carry out the runs that are not finished yet. A run that fails is reported, and the others go on."""
    every = each_once(runs)
    records = store.read_finished(every)
    missing = [run for run in every if run.key not in records]
    failures: list[Failure] = []
    for run, record, reason in _follow(missing, len(every) - len(missing), perform, monitor, cluster):
        assert isinstance(run, Run)
        if record is None:
            failures.append((run, reason))
        else:
            store.save(run, record)
            records[run.key] = Record(record)
    return records, failures


def tag_all(taggings: Sequence[Tagging], monitor: TaskMonitor, cluster: Cluster) -> None:
    """Tag the treebanks that are not tagged yet. Without its tags a treebank is of no use, so a failure ends it all."""
    missing = [tagging for tagging in taggings if not tagging.is_finished()]
    for tagging, record, reason in _follow(missing, len(taggings) - len(missing), tag, monitor, cluster):
        if record is None:
            raise DodonaError(f"{tagging}: {reason}")


def _follow(
    tasks: Sequence[ClusterTask], finished: int, function: Callable[[Any], Mapping[str, Any]], monitor: TaskMonitor,
    cluster: Cluster,
) -> Iterator[Outcome]:  # fmt: skip
    monitor.begin(tasks, finished, max(1, cluster.jobs))
    try:
        for task, record, reason in replace(cluster, missing=MISSING).run(function, tasks):
            yield task, record, reason
            monitor.advance(task, reason)
    finally:
        monitor.end()
