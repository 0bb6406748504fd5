"""Runs are carried out by Dask: on processes of this machine, or on a cluster. One run is one task.

The worker sends the record back, and this process stores it at once. So a worker that dies costs the run that it was
doing, which Dask gives to another one, and an experiment that is stopped has lost only the runs that were under way.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dodona.distributed.cluster import Cluster, ClusterTask, Outcome, TaskMonitor
from dodona.errors import DodonaError
from dodona.experiments.records import Record, Records, Store
from dodona.experiments.run import Run, perform
from dodona.experiments.treebanks import Tagging, tag

__all__ = ["Cluster", "Failure", "carry_out", "each_once", "tag_all"]

Failure = tuple[ClusterTask, str]
MISSING = "experiments on other machines need Dask: pip install 'dodona[experiments]'"


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
