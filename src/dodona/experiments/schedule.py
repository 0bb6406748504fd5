"""Runs are carried out by Dask: on processes of this machine, or on a cluster. One run is one task.

The worker sends the record back, and this process stores it at once. So a worker that dies costs the run that it was
doing, which Dask gives to another one, and an experiment that is stopped has lost only the runs that were under way.
"""

import logging
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dodona.errors import DodonaError, OptionError
from dodona.experiments.progress import Progress, Task
from dodona.experiments.records import Records, Store
from dodona.experiments.run import Run, perform
from dodona.experiments.tagging import Tagging, tag

__all__ = ["Cluster", "Failure", "carry_out", "each_once", "tag_all"]

Failure = tuple[Task, str]
Outcome = tuple[Task, Mapping[str, Any] | None, str]
"""A task, and its record or the reason why there is none."""

MISSING = "experiments need Dask: pip install 'dodona[experiments]' (or run them in this process with --jobs 0)"
DEATHS = 3
"""Workers that may die while they do a run before it is given up: then the run itself is to blame."""

CONNECT = 300  # seconds that a busy machine may take to begin
ANSWER = 20  # and those that a cluster has to answer

QUIET: dict[str, Any] = {
    "distributed.scheduler.worker-ttl": None,  # on a busy machine, a worker may be silent for minutes
    "distributed.comm.timeouts.connect": "300s",
    "distributed.comm.timeouts.tcp": "300s",
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.scheduler.allowed-failures": DEATHS,
    "distributed.scheduler.work-stealing": True,
    "distributed.worker.daemon": True,
    "distributed.admin.low-level-log-length": 0,
    "distributed.logging": {"distributed": "critical", "bokeh": "critical", "tornado": "critical"},
}


def each_once(runs: Sequence[Run]) -> list[Run]:
    """Every run once, the first seed of all of them first: an experiment that is stopped has a complete small table."""
    found: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: run.seed):
        found.setdefault(run.key, run)
    return list(found.values())


@dataclass(frozen=True)
class Cluster:
    """Where the work is done: on so many processes of this machine, in this process alone, or at an address."""

    jobs: int = 0
    scheduler: str | None = None
    modules: Sequence[str] = ()  # that processes import first: they may register systems

    def __post_init__(self) -> None:
        if self.jobs < 0:
            raise OptionError(f"jobs {self.jobs}: expected a number of processes, or 0 for none but this one")

    def outcomes(self, function: Callable[[Any], Mapping[str, Any]], tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Call the function for each task, and yield what comes of it as soon as it is known."""
        if not tasks:
            return iter(())
        alone = self.jobs == 0 and self.scheduler is None
        return _in_this_process(function, tasks) if alone else _by_dask(self, function, tasks)


def carry_out(runs: Sequence[Run], store: Store, progress: Progress, cluster: Cluster) -> tuple[Records, list[Failure]]:
    """Carry out the runs that are not finished yet. A run that fails is reported, and the others go on."""
    every = each_once(runs)
    records = store.finished(every)
    missing = [run for run in every if run not in records]
    failures: list[Failure] = []
    for run, record, reason in _followed(missing, len(every) - len(missing), perform, progress, cluster):
        assert isinstance(run, Run)
        if record is None:
            failures.append((run, reason))
        else:
            store.save(run, record)
            records.add(run, record)
    return records, failures


def tag_all(taggings: Sequence[Tagging], progress: Progress, cluster: Cluster) -> None:
    """Tag the treebanks that are not tagged yet. Without its tags a treebank is of no use, so a failure ends it all."""
    missing = [tagging for tagging in taggings if not tagging.is_finished()]
    for tagging, record, reason in _followed(missing, len(taggings) - len(missing), tag, progress, cluster):
        if record is None:
            raise DodonaError(f"{tagging}: {reason}")


def _followed(
    tasks: Sequence[Task], finished: int, function: Callable[[Any], Mapping[str, Any]], progress: Progress,
    cluster: Cluster,
) -> Iterator[Outcome]:  # fmt: skip
    progress.begin(tasks, finished, max(1, cluster.jobs))
    try:
        for task, record, reason in cluster.outcomes(function, tasks):
            yield task, record, reason
            progress.advance(task, reason)
    finally:
        progress.end()


def _in_this_process(function: Callable[[Any], Mapping[str, Any]], tasks: Sequence[Task]) -> Iterator[Outcome]:
    for task in tasks:
        try:
            yield task, function(task), ""
        except Exception as error:
            yield task, None, _told(error)


def _by_dask(
    cluster: Cluster, function: Callable[[Any], Mapping[str, Any]], tasks: Sequence[Task]
) -> Iterator[Outcome]:
    try:
        dask: Any = import_module("distributed")
    except ImportError as error:
        raise DodonaError(MISSING) from error
    with _address(cluster) as address, _client(dask, address) as client:
        by_key = {task.key: task for task in tasks}
        futures = [
            client.submit(function, task, key=task.key, pure=True, priority=-place) for place, task in enumerate(tasks)
        ]
        for future in dask.as_completed(futures):
            task = by_key[future.key]
            if future.status == "finished":
                yield task, future.result(), ""
            else:
                fault = future.exception() if future.status == "error" else None
                yield task, None, _told(fault) if fault else f"the task was {future.status}"
            future.release()


def _client(dask: Any, address: Any) -> Any:
    """Connect to a cluster. One of this machine may be slow; at an address, there may be none."""
    if not isinstance(address, str):
        return dask.Client(address, timeout=CONNECT)
    try:
        return dask.Client(address, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise DodonaError(f"no Dask scheduler at {address}; expected an address like tcp://10.0.0.1:8786") from error


@contextmanager
def _address(wanted: Cluster) -> Iterator[Any]:
    """A cluster of processes that is reached from this machine only, or the address of a running one."""
    dask, distributed = (import_module(name) for name in ("dask", "distributed"))

    for name in ("distributed", "asyncio", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # a worker that dies is done again, and told by `progress`
    with dask.config.set(QUIET):
        if wanted.scheduler is not None:
            yield wanted.scheduler
            return
        with _deaf_to_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=wanted.jobs,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                memory_limit=0,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any free port: another cluster may have 8787
                silence_logs=logging.CRITICAL,
                preload=list(wanted.modules),
            )
        try:
            yield cluster
        except BaseException:
            _end_workers(cluster)
            raise
        finally:
            cluster.close()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back for a moment. Threads and processes that begin meanwhile never get it: it reaches all processes
    of a terminal, and only this one is to answer."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_workers(cluster: Any) -> None:
    """End the processes at once. They have nothing to save, and would first finish their runs."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid:
            with suppress(OSError):
                os.kill(nanny.pid, signal.SIGTERM)


def _told(error: BaseException) -> str:
    """An error in a line. That of Dask for a run that kills its workers says nothing about the run."""
    if type(error).__name__ == "KilledWorker":
        return f"{DEATHS + 1} processes died while they did this run (out of memory?)"
    text = str(error).strip() or "no message"
    return text if isinstance(error, DodonaError) else f"{type(error).__name__}: {text}"
