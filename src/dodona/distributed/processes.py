"""Processes of this machine that do tasks. They are told what to do over pipes, which nobody else can reach.

A process that dies, whenever that is, costs the task that it was doing: another one does it again, and a new process
takes its place. A task that has cost several processes is given up.
"""

import pickle
import signal
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

from dodona.distributed.cluster import DEATHS, ClusterSession, Function, Outcome, describe_deaths, describe_error
from dodona.errors import DodonaError
from dodona.pipeline.processes import delay_signals, end_with_parent, process_context

__all__ = ["ProcessSession"]

MAX_STARTS = 20  # processes one after the other that may die before they can do anything
END = 5.0  # seconds that a process has to end


class _WorkerProcess:
    """A process, this end of its pipe, and what it has been told."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.pipe, other = Pipe()
        with delay_signals(), _hold_interrupts():
            self.process = process_context().Process(target=_work, args=(other, list(modules)), daemon=True)  # type: ignore[attr-defined]
            self.process.start()
        other.close()  # so that the end of the process is the end of the pipe
        self.is_ready = False
        self.key: str | None = None  # of its task
        self.prepared = 0  # how many of the preparations it has made

    def end(self) -> None:
        self.process.terminate()
        self.process.join(END)
        if self.process.is_alive():
            self.process.kill()
            self.process.join(END)
        self.pipe.close()


class ProcessSession(ClusterSession):
    """Tasks on processes, which live from the beginning of the block to its end."""

    def __init__(self, jobs: int, modules: Sequence[str] = ()) -> None:
        super().__init__("this machine")
        self.jobs, self.modules = jobs, modules
        self._workers: list[_WorkerProcess] = []
        self._calls: dict[str, tuple[Any, Function, tuple[Any, ...]]] = {}  # of the tasks that are not done
        self._waiting: deque[str] = deque()  # the keys of those that nobody does
        self._deaths: Counter[str] = Counter()
        self._preparations: list[tuple[Any, Any]] = []
        self._false_starts = 0

    def __enter__(self) -> "ProcessSession":
        try:
            for _ in range(self.jobs):
                self._workers.append(_WorkerProcess(self.modules))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        """End the processes at once: they have nothing to save."""
        with delay_signals():
            for worker in self._workers:
                worker.process.terminate()
            for worker in self._workers:
                worker.end()

    def count_workers(self) -> int:
        return self.jobs

    def prepare(self, function: Any, argument: Any) -> None:
        """Let every process call the function once, before the next task that it gets."""
        self._preparations.append((function, argument))

    def submit(self, task: Any, key: str, function: Function, *arguments: Any, urgent: bool = False) -> None:
        self._calls[key] = task, function, arguments
        if urgent:
            self._waiting.appendleft(key)
        else:
            self._waiting.append(key)

    def outcomes(self) -> Iterator[Outcome]:
        while self._calls:
            self._deal_out()
            pipes = {worker.pipe: worker for worker in self._workers}
            for pipe in wait(list(pipes)):
                assert isinstance(pipe, Connection)
                outcome = self._hear(pipes[pipe])
                if outcome is not None:
                    self._deal_out()  # before somebody else takes time
                    yield outcome

    def _deal_out(self) -> None:
        for worker in self._workers:
            if self._waiting and worker.is_ready and worker.key is None:
                worker.key = self._waiting.popleft()
                _, function, arguments = self._calls[worker.key]
                with suppress(OSError):  # it has died, and its pipe will say so
                    worker.pipe.send((self._preparations[worker.prepared :], function, arguments))

    def _hear(self, worker: _WorkerProcess) -> Outcome | None:
        try:
            result, reason = worker.pipe.recv()
        except (EOFError, OSError):
            return self._replace(worker)
        if not worker.is_ready:
            if reason:
                raise DodonaError(f"a process could not begin: {reason}")
            worker.is_ready, self._false_starts = True, 0
            return None
        assert worker.key is not None
        key, worker.key = worker.key, None
        if not reason:
            worker.prepared = len(self._preparations)
        return self._calls.pop(key)[0], result, reason

    def _replace(self, worker: _WorkerProcess) -> Outcome | None:
        """Start another process in place of one that has died; if its task has cost too many, that is the outcome."""
        worker.end()
        self._false_starts += not worker.is_ready
        if self._false_starts > MAX_STARTS:
            raise DodonaError(f"{MAX_STARTS} processes died as soon as they were started (out of memory?)")
        self._workers[self._workers.index(worker)] = _WorkerProcess(self.modules)
        if worker.key is None:
            return None
        self._deaths[worker.key] += 1
        if self._deaths[worker.key] > DEATHS:
            return self._calls.pop(worker.key)[0], None, describe_deaths()
        self._waiting.appendleft(worker.key)
        return None


def _work(pipe: Connection, modules: Sequence[str]) -> None:
    """Do what the pipe says, until nobody is at its other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes, and only the first one answers
    end_with_parent()
    try:
        for module in modules:
            import_module(module)
        pipe.send((None, ""))
    except Exception as error:
        pipe.send((None, describe_error(error)))
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(pipe.recv_bytes()))


def _answer(message: bytes) -> tuple[Any, str]:
    """Make the preparations in a message and call its function; returns the result, or why there is none."""
    try:
        preparations, function, arguments = pickle.loads(message)
        for prepare, argument in preparations:
            prepare(argument)
        return function(*arguments), ""
    except Exception as error:
        return None, describe_error(error)


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back for a moment. Processes that begin meanwhile never get it, not even before their first line."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which lets signals through again after it has started its helper
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
