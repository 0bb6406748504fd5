"""What is seen of hours of work: a bar on a terminal, and now and then a line elsewhere."""

import time
from collections.abc import Sequence
from threading import Event, Thread
from typing import Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

__all__ = ["Progress", "Silent", "Task", "shown_progress"]

SECONDS_BETWEEN_LINES = 180.0


class Task(Protocol):
    """What is done: a run, or the tagging of a treebank."""

    @property
    def key(self) -> str: ...
    @property
    def weight(self) -> float: ...


class Progress(Protocol):
    def begin(self, tasks: Sequence[Task], finished: int, jobs: int) -> None: ...
    def advance(self, task: Task, failure: str) -> None: ...
    def end(self) -> None: ...


class Silent:
    """Says nothing."""

    def begin(self, tasks: Sequence[Task], finished: int, jobs: int) -> None: ...
    def advance(self, task: Task, failure: str) -> None: ...
    def end(self) -> None: ...


class Counting:
    """Counts what is done, and the work in it, from which the time left is estimated."""

    def __init__(self, what: str = "runs") -> None:
        self.what = what

    def begin(self, tasks: Sequence[Task], finished: int, jobs: int) -> None:
        self.total, self.finished, self.jobs = len(tasks), finished, jobs
        self.done = self.failed = 0
        self.started = time.monotonic()
        self.work = sum(task.weight for task in tasks)
        self.worked = 0.0

    def advance(self, task: Task, failure: str) -> None:
        self.done += 1
        self.failed += bool(failure)
        self.worked += task.weight
        if failure:
            self.say(f"failed: {task}: {failure}")

    def say(self, text: str) -> None:
        click.echo(f"dodona: {text}", err=True)

    @property
    def running(self) -> int:
        return min(self.jobs, self.total - self.done)

    def state(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.what}: {self.done} of {self.total} done, {self.running} running{failed}{self.left()}"

    def left(self) -> str:
        """The time left, from the work done per second; unknown before the first is done."""
        if not self.worked or self.done == self.total:
            return ""
        spent = time.monotonic() - self.started
        return f", about {duration(spent * (self.work - self.worked) / self.worked)} left"


class Lines(Counting):
    """A line at the beginning and at the end, and every few minutes, also while long runs are under way."""

    def begin(self, tasks: Sequence[Task], finished: int, jobs: int) -> None:
        super().begin(tasks, finished, jobs)
        self.say(f"{self.what}: {self.total} to do, {finished} finished earlier")
        self.ended = Event()
        Thread(target=self._tell, daemon=True).start()

    def _tell(self) -> None:
        while not self.ended.wait(SECONDS_BETWEEN_LINES):
            self.say(self.state())

    def end(self) -> None:
        self.ended.set()
        if self.total:
            self.say(f"{self.state()}, after {duration(time.monotonic() - self.started)}")


class Drawn(Counting):
    """A bar on a terminal, with the numbers beside it."""

    def begin(self, tasks: Sequence[Task], finished: int, jobs: int) -> None:
        super().begin(tasks, finished, jobs)
        columns = (BarColumn(), TextColumn("{task.description}"))
        self.bar = Bar(*columns, console=Console(stderr=True, highlight=False), transient=True)
        self.task = self.bar.add_task(self.state(), total=self.work or 1)
        self.bar.start()

    def advance(self, task: Task, failure: str) -> None:
        super().advance(task, failure)
        self.bar.update(self.task, completed=self.worked, description=self.state())

    def say(self, text: str) -> None:
        self.bar.console.print(f"dodona: {text}", markup=False)

    def end(self) -> None:
        self.bar.stop()


def shown_progress(what: str = "runs") -> Progress:
    """The progress that suits standard error."""
    return Drawn(what) if Console(stderr=True).is_terminal else Lines(what)


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
