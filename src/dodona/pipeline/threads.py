"""Parsing in several threads, which share one model: the results are the same, in the same order as in one thread.

Batches of sentences are tagged and parsed without the interpreter's lock, so threads work at the same time. The thread
of the caller reads, tokenizes and writes, and takes part in the work when enough batches are waiting. So there are
never more threads at work than asked for, which would only push each other from core to core.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from threading import Event, Thread

from dodona.data.stream import Item, split_batches
from dodona.transitions.clock import observe

__all__ = ["work_in_threads"]

WAITING_BATCHES = 8  # for each thread, at most; the tokenizer makes many sentences at once
SWITCH_INTERVAL = 0.0001  # seconds until a thread asks for the lock of the interpreter; the usual 5 ms are a batch

Work = Callable[[list[Item]], list[Item]]


def work_in_threads(work: Work, items: Iterable[Item], jobs: int, size: int) -> Iterator[Item]:
    """Yield the results of `work` on `size` items at a time. At a pause everything before it is finished."""
    helpers = _Helpers(work, jobs - 1)
    pending: deque[Future[list[Item]]] = deque()
    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(min(SWITCH_INTERVAL, interval))
        helpers.start()
        for batch, pause in split_batches(items, size):
            if batch:
                pending.append(helpers.submit(batch))
            while pending and (pause is not None or len(pending) >= WAITING_BATCHES * jobs or pending[0].done()):
                yield from helpers.result(pending.popleft())
            if pause is not None:
                yield pause
        while pending:
            yield from helpers.result(pending.popleft())
    finally:
        sys.setswitchinterval(interval)
        helpers.end()


class _Helpers:
    """Threads that do batches of work beside the caller."""

    def __init__(self, work: Work, count: int) -> None:
        self._work = work
        self._todo: SimpleQueue[tuple[list[Item], Future[list[Item]]] | None] = SimpleQueue()
        self._stop = Event()
        self._threads = [Thread(target=self._help, name=f"dodona-{k}", daemon=True) for k in range(count)]

    def start(self) -> None:
        """Start the threads. Ctrl-C may come between two of them: whoever calls this must call `end`, too."""
        for thread in self._threads:
            thread.start()

    def submit(self, batch: list[Item]) -> "Future[list[Item]]":
        future: Future[list[Item]] = Future()
        self._todo.put((batch, future))
        return future

    def result(self, future: "Future[list[Item]]") -> list[Item]:
        """Return a result. Until it is there, work on what nobody has begun."""
        while not future.done():
            try:
                task = self._todo.get_nowait()
            except Empty:
                break
            if task is not None:
                self._do(*task)
        return future.result()

    def end(self) -> None:
        """End the threads; after an error or Ctrl-C nobody wants what they are doing."""
        self._stop.set()
        for _ in self._threads:
            self._todo.put(None)
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _help(self) -> None:
        with observe(self._check):
            while (task := self._todo.get()) is not None and not self._stop.is_set():
                self._do(*task)

    def _do(self, batch: list[Item], future: "Future[list[Item]]") -> None:
        try:
            future.set_result(self._work(batch))
        except Exception as error:  # raised again where the result is asked for
            future.set_exception(error)

    def _check(self) -> None:
        if self._stop.is_set():
            raise CancelledError
