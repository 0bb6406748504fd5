"""Work in threads, with an end in time.

A thread that works is stopped at its deadline, or when nobody waits for its result any more: the compiled loops look at
the clock now and then (`transitions.clock`), and the functions here are called between batches of sentences.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from dodona.pipeline.processes import available_cores
from dodona.server.limits import Limits
from dodona.server.refusals import Refusal
from dodona.transitions.clock import observed

__all__ = ["Stopped", "Workers"]

T = TypeVar("T")


class Stopped(Exception):
    """Raised in a thread whose result nobody waits for any more."""


class _Task:
    """A function that can be stopped from another thread."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.is_stopped = False
        self.has_begun = False
        self.is_running = False

    def run(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        self.has_begun = self.is_running = True
        try:
            with observed(self.check):
                self.check()
                return function(*arguments)
        finally:
            self.is_running = False

    def check(self) -> None:
        if self.is_stopped or time.monotonic() > self.deadline:
            raise Stopped


class Workers:
    """Threads that work on requests, and the requests that wait for one."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.threads = limits.threads or available_cores()
        self.admitted = 0
        self.clients: Counter[str] = Counter()  # the admitted requests by the address of the client
        self._tasks: set[_Task] = set()
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="dodona")

    @property
    def busy(self) -> int:
        """How many threads are at work."""
        return sum(task.is_running for task in tuple(self._tasks))

    @contextmanager
    def admitted_request(self, client: str) -> Iterator[None]:
        """Count a request, or refuse it if too many wait, or too many of the same client."""
        if self.clients[client] >= self.limits.client:
            message = f"Too many requests at a time: {self.limits.client} of yours are not answered yet; wait for one."
            raise Refusal(429, message, Retry_After="1")
        if self.admitted >= self.threads + self.limits.waiting:
            raise Refusal(503, "The server is busy: too many requests wait already; try again later.", Retry_After="1")
        self.admitted += 1
        self.clients[client] += 1
        try:
            yield
        finally:
            self.admitted -= 1
            self.clients[client] -= 1
            if not self.clients[client]:
                del self.clients[client]

    async def run(self, deadline: float, function: Callable[..., T], *arguments: Any) -> T:
        """Run a function in a thread and return its result; after the deadline, refuse the request."""
        task = _Task(deadline)
        self._tasks.add(task)
        future = self._pool.submit(task.run, function, arguments)
        future.add_done_callback(lambda _: self._tasks.discard(task))
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                return await asyncio.wrap_future(future)
        except (TimeoutError, Stopped):
            if task.has_begun:
                raise Refusal(504, f"This took longer than {self.limits.seconds:g} seconds; send less text.") from None
            message = f"The server is busy: no thread was free for {self.limits.seconds:g} seconds; try again later."
            raise Refusal(503, message, Retry_After="1") from None
        finally:
            task.is_stopped = True

    def close(self) -> None:
        """Stop everything that is still at work."""
        for task in tuple(self._tasks):
            task.is_stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)
