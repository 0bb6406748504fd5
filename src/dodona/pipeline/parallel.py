"""Parsing in several threads, which share one model: the results are the same, in the same order as in one thread.

Batches of sentences are tagged and parsed without the interpreter's lock, so threads work at the same time. Reading,
tokenizing and writing stay in the thread of the caller.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from threading import Event

from dodona.data.marks import Item, batches_with_marks
from dodona.transitions.clock import observed

__all__ = ["in_threads"]

WAITING = 16  # batches for each thread, at most; the tokenizer makes many sentences at once
PATIENCE = 0.0005  # seconds until a thread asks for the lock of the interpreter; the usual 5 ms are many batches


def in_threads(work: Callable[[list[Item]], list[Item]], items: Iterable[Item], jobs: int, size: int) -> Iterator[Item]:
    """Yield the results of `work` on `size` items at a time. At a pause everything before it is finished."""
    pending: deque[Future[list[Item]]] = deque()
    stop = Event()

    def check() -> None:
        if stop.is_set():
            raise CancelledError

    def watched(batch: list[Item]) -> list[Item]:
        with observed(check):
            return work(batch)

    pool = ThreadPoolExecutor(jobs, "dodona")
    patience = sys.getswitchinterval()
    sys.setswitchinterval(min(PATIENCE, patience))
    try:
        for batch, pause in batches_with_marks(items, size):
            if batch:
                pending.append(pool.submit(watched, batch))
            while pending and (pause is not None or len(pending) >= WAITING * jobs or pending[0].done()):
                yield from pending.popleft().result()
            if pause is not None:
                yield pause
        while pending:
            yield from pending.popleft().result()
    finally:
        stop.set()  # after an error or Ctrl-C nobody wants what they are doing
        pool.shutdown(cancel_futures=True)
        sys.setswitchinterval(patience)
