"""Work for several processes or machines: on processes of this machine, or by Dask on a cluster at an address; and what
is seen of hours of it: a bar on a terminal, and now and then a line elsewhere.

A worker that dies costs the task that it was doing, which is given to another one. What a task is worth is known as
soon as it is done, and this process stores it then: so whoever is stopped has lost only the tasks that were under way.
"""

import logging
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dodona.errors import DodonaError, OptionError

__all__ = [
    "Cluster", "ClusterSession", "ClusterTask", "DaskSession", "Function", "Outcome", "SchedulerLost", "TaskMonitor",
    "choose_monitor", "describe_deaths", "describe_error",
]  # fmt: skip

Outcome = tuple[Any, Any, str]
"""A task, and its result or the reason why there is none."""
Function = Callable[..., Mapping[str, Any]]

MISSING = "several machines need Dask: pip install 'dodona[dask]'"
DEATHS = 3
"""Workers that may die while they do a task before it is given up: then the task itself is to blame."""

ANSWER = 20  # seconds that a cluster has to answer
CHECK_INTERVAL = 1.0  # seconds after which one looks whether the scheduler is still there
LINE_INTERVAL = 180.0  # seconds between two lines about what is done
CERTIFICATES = ("ca.pem", "cert.pem", "key.pem")

QUIET: dict[str, Any] = {
    "distributed.comm.timeouts.connect": f"{ANSWER}s",
    "distributed.comm.timeouts.tcp": "300s",  # on a busy machine, a process may be silent for minutes
    "distributed.logging": {"distributed": "critical", "bokeh": "critical", "tornado": "critical"},
}


class ClusterTask(Protocol):
    """What is done: a run, the tagging of a treebank, or a shard."""

    @property
    def key(self) -> str: ...
    @property
    def weight(self) -> float: ...


class SchedulerLost(DodonaError):
    """The scheduler is gone, and with it all tasks that were under way."""


@dataclass(frozen=True)
class Cluster:
    """Where the work is done: on so many processes of this machine, in this process alone, or at an address."""

    jobs: int = 0
    scheduler: str | None = None
    modules: Sequence[str] = ()  # that processes import first: they may register systems
    missing: str = MISSING  # what is said where Dask is not installed
    tls: str | None = None  # a folder with certificates, for an address tls://…

    def __post_init__(self) -> None:
        if self.jobs < 0:
            raise OptionError(f"jobs {self.jobs}: expected a number of processes, or 0 for none but this one")
        if self.tls is not None and not (self.scheduler or "").startswith("tls://"):
            raise OptionError(f"certificates for {self.scheduler or 'this machine'}: expected an address tls://…")

    def run(self, function: Function, tasks: Sequence[ClusterTask]) -> Iterator[Outcome]:
        """Call the function for each task, and yield what comes of it as soon as it is known."""
        if self.jobs == 0 and self.scheduler is None:
            for task in tasks:
                try:
                    yield task, function(task), ""
                except Exception as error:
                    yield task, None, describe_error(error)
        elif tasks:
            with self.session() as session:
                for task in tasks:
                    session.submit(task, task.key, function, task)
                yield from session.outcomes()

    @contextmanager
    def session(self) -> "Iterator[ClusterSession]":
        """Start the processes, or connect to the cluster, until the end of the block."""
        if self.scheduler is None:
            from dodona.distributed.processes import ProcessSession

            with ProcessSession(max(1, self.jobs), self.modules) as processes:
                yield processes
            return
        try:
            import_module("distributed")
        except ImportError as error:
            raise DodonaError(self.missing) from error
        with _connect(self.scheduler, self.tls) as client:
            session = DaskSession(client, self.scheduler)
            try:
                yield session
            except Exception as error:
                if isinstance(error, DodonaError) or not session.is_lost():
                    raise
                raise session.report_loss() from error


class ClusterSession(ABC):
    """Tasks under way on a cluster; more may be submitted while outcomes are read."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.token = os.urandom(4).hex()  # for keys that no other session has

    @abstractmethod
    def count_workers(self) -> int: ...

    @abstractmethod
    def submit(self, task: Any, key: str, function: Function, *arguments: Any, urgent: bool = False) -> None:
        """Let a worker call the function, for a task of this name: urgent ones first, and otherwise in this order."""

    @abstractmethod
    def outcomes(self) -> Iterator[Outcome]:
        """Yield what comes of the tasks, until all are done."""


class DaskSession(ClusterSession):
    """Tasks on the workers of a scheduler."""

    def __init__(self, client: Any, place: str) -> None:
        super().__init__(place)
        self.client = client
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._tasks: dict[str, tuple[Any, Any]] = {}
        self._again: list[Any] = []  # futures whose results were lost with a worker, and are computed again
        self._count = 0

    def count_workers(self) -> int:
        return sum(self.client.nthreads().values())

    def submit(self, task: Any, key: str, function: Function, *arguments: Any, urgent: bool = False) -> None:
        priority = 1 if urgent else -self._count
        future = self.client.submit(function, *arguments, key=key, pure=True, priority=priority)
        self._count += 1
        self._tasks[key] = task, future
        future.add_done_callback(self._done.put)

    def outcomes(self) -> Iterator[Outcome]:
        while self._tasks:
            try:
                future = self._done.get(timeout=CHECK_INTERVAL)
            except Empty:
                future = None
            if self.is_lost():  # a scheduler that ends in good order does not say so to those who wait
                raise self.report_loss()
            self._look_again()
            if future is None:
                continue
            if future.status in ("pending", "lost"):
                self._again.append(future)
                continue
            task, _ = self._tasks.pop(future.key)
            if future.status == "finished":
                yield task, future.result(), ""
            elif future.status == "error":
                yield task, None, describe_error(future.exception())
            else:
                raise self.report_loss()
            future.release()

    def _look_again(self) -> None:
        """Take up futures whose results are there again. Dask calls nobody for one that was `lost`: its callback comes
        at once, as if it were done."""
        for future in self._again:
            if future.done():
                self._done.put(future)
        self._again = [future for future in self._again if not future.done()]

    def is_lost(self) -> bool:
        stream = self.client.scheduler_comm
        return self.client.status != "running" or stream is None or bool(stream.closed())

    def report_loss(self) -> SchedulerLost:
        return SchedulerLost(f"the connection to the Dask scheduler at {self.place} is lost")


@contextmanager
def _connect(address: str, tls: str | None) -> Iterator[Any]:
    """A client of a scheduler."""
    dask, distributed = (import_module(name) for name in ("dask", "distributed"))

    for name in ("distributed", "distributed.client", "asyncio", "tornado"):  # the client has a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)  # a worker that dies is done again, and told by `progress`
    security = None if tls is None else distributed.Security(require_encryption=True, **_find_certificates(tls))
    with dask.config.set(QUIET):
        try:
            client = distributed.Client(address, timeout=ANSWER, security=security)
        except (OSError, ValueError, TypeError) as error:  # TypeError: an address tls://… without certificates
            expected = "expected an address like tcp://10.0.0.1:8786, or tls://… with its certificates"
            raise DodonaError(f"no Dask scheduler at {address}; {expected}") from error
        with client:
            yield client


def _find_certificates(folder: str) -> dict[str, str]:
    """The files of a folder by the names that Dask has for them."""
    files = [Path(folder, name) for name in CERTIFICATES]
    for file in files:
        if not file.is_file():
            raise OptionError(f"{folder}: has no file {file.name}; expected {', '.join(CERTIFICATES)}")
    return dict(zip(("tls_ca_file", "tls_client_cert", "tls_client_key"), map(str, files), strict=True))


def describe_error(error: BaseException) -> str:
    """An error in a line. That of Dask for a task that kills its workers says nothing about the task."""
    if type(error).__name__ == "KilledWorker":
        return describe_deaths()
    text = str(error).strip() or "no message"
    return text if isinstance(error, DodonaError) else f"{type(error).__name__}: {text}"


def describe_deaths() -> str:
    return f"{DEATHS + 1} processes died while they did this (out of memory?)"


class TaskMonitor:
    """Counts what is done, and the work in it, from which the time left is estimated; says only what failed."""

    def __init__(self, what: str = "runs") -> None:
        self.what = what

    def begin(self, tasks: Sequence[ClusterTask], finished: int, jobs: int) -> None:
        self.total, self.finished, self.jobs = len(tasks), finished, jobs
        self.done = self.failed = 0
        self.started = time.monotonic()
        self.work = sum(task.weight for task in tasks)
        self.worked = 0.0

    def advance(self, task: ClusterTask, failure: str) -> None:
        self.done += 1
        self.failed += bool(failure)
        self.worked += task.weight
        if failure:
            self.say(f"failed: {task}: {failure}")

    def end(self) -> None: ...

    def say(self, text: str) -> None:
        click.echo(f"dodona: {text}", err=True)

    def describe(self) -> str:
        """What is done, and the time left, from the work done per second: unknown before the first is done."""
        running = min(self.jobs, self.total - self.done)
        failed = f", {self.failed} failed" if self.failed else ""
        left = ""
        if self.worked and self.done < self.total:
            seconds = (time.monotonic() - self.started) * (self.work - self.worked) / self.worked
            left = f", about {format_duration(seconds)} left"
        return f"{self.what}: {self.done} of {self.total} done, {running} running{failed}{left}"


class LineMonitor(TaskMonitor):
    """A line at the beginning and at the end, and every few minutes, also while long runs are under way."""

    def begin(self, tasks: Sequence[ClusterTask], finished: int, jobs: int) -> None:
        super().begin(tasks, finished, jobs)
        self.say(f"{self.what}: {self.total} to do, {finished} finished earlier")
        self.ended = Event()
        Thread(target=self._say_now_and_then, daemon=True).start()

    def _say_now_and_then(self) -> None:
        while not self.ended.wait(LINE_INTERVAL):
            self.say(self.describe())

    def end(self) -> None:
        self.ended.set()
        if self.total:
            self.say(f"{self.describe()}, after {format_duration(time.monotonic() - self.started)}")


class BarMonitor(TaskMonitor):
    """A bar on a terminal, with the numbers beside it."""

    def begin(self, tasks: Sequence[ClusterTask], finished: int, jobs: int) -> None:
        super().begin(tasks, finished, jobs)
        columns = (BarColumn(), TextColumn("{task.description}"))
        self.bar = Progress(*columns, console=Console(stderr=True, highlight=False), transient=True)
        self.task = self.bar.add_task(self.describe(), total=self.work or 1)
        self.bar.start()

    def advance(self, task: ClusterTask, failure: str) -> None:
        super().advance(task, failure)
        self.bar.update(self.task, completed=self.worked, description=self.describe())

    def say(self, text: str) -> None:
        self.bar.console.print(f"dodona: {text}", markup=False)

    def end(self) -> None:
        self.bar.stop()


def choose_monitor(what: str = "runs") -> TaskMonitor:
    """Return the monitor that suits standard error."""
    return BarMonitor(what) if Console(stderr=True).is_terminal else LineMonitor(what)


def format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
