"""Several processes where the system lacks what Linux has."""

import multiprocessing
import os
import pickle
import signal
import time
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from samples.child import printed

import dodona
from dodona.pipeline import processes


def test_cores_that_this_process_may_use() -> None:
    assert 1 <= processes.available_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(("counted", "expected"), [(6, 6), (None, 1)])
def test_cores_without_affinity(monkeypatch: pytest.MonkeyPatch, counted: int | None, expected: int) -> None:
    """As on macOS and Windows."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert processes.available_cores() == expected


def test_processes_begin_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never by a fork, which copies threads' locks; by spawning where there is no fork server, as on Windows."""
    offered = multiprocessing.get_all_start_methods()
    assert processes.process_context().get_start_method() == ("forkserver" if "forkserver" in offered else "spawn")
    monkeypatch.setattr(processes, "get_all_start_methods", lambda: ["spawn"])
    assert processes.process_context().get_start_method() == "spawn"


class Pool(Executor):
    """A pool whose work ends with an error, if any; notes how it is shut down."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def submit(self, *_: Any) -> Future[Any]:  # type: ignore[override]
        future: Future[Any] = Future()
        if self.error is None:
            future.set_result(1)
        else:
            future.set_exception(self.error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.how = wait, cancel_futures


@pytest.mark.parametrize(("error", "waits"), [(None, True), (OSError, True), (KeyboardInterrupt, False)])
def test_only_after_ctrl_c_processes_are_not_waited_for(
    error: type[BaseException] | None, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python may end while they are ending, and report that as an error."""
    pool = Pool(error() if error else None)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", lambda *_: pool)
    with pytest.raises(error) if error else nullcontext():
        list(processes.map_in_processes(abs, [-1], 1))
    assert pool.how == (waits, True)


def test_interrupts_are_delayed_while_a_process_is_started() -> None:
    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("now"))
    try:
        with processes.delay_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0)
            assert heard == []
        assert heard == ["now"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_all_pools_begin_and_end_alike() -> None:
    """A pool that is made in another way leaves processes behind when the program is killed."""
    home = Path(dodona.__file__).parent
    sources = {path.relative_to(home).as_posix(): path.read_text("utf-8") for path in home.rglob("*.py")}
    assert [name for name, source in sources.items() if "ProcessPoolExecutor(" in source] == ["pipeline/processes.py"]


ASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no masks of signals")
def test_a_process_hears_ctrl_c_only_when_it_can_handle_it() -> None:
    """Ctrl-C reaches all processes; while one is starting, it would end with a traceback of Python's own."""
    with processes.delay_signals():
        assert printed(ASK) == "True\n"
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert printed(ASK) == "False\n"
    look = partial(signal.pthread_sigmask, signal.SIG_BLOCK)
    assert [signal.SIGINT in mask for mask in processes.map_in_processes(look, [(), ()], 2)] == [False, False]


def test_starting_a_process_does_not_wait_until_it_has_read_all_that_it_needs() -> None:
    """The function is sent with the work, by a thread."""
    sent = []

    class Starting(Pool):
        def submit(self, *work: Any) -> Future[Any]:  # type: ignore[override]
            sent.append(work)
            return super().submit(*work)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "ProcessPoolExecutor", lambda *given: sent.append(given) or Starting(None))  # type: ignore[func-returns-value]
        assert list(processes.map_in_processes(partial(max, "x" * 100_000), ["y"], 1)) == [1]
    assert len(pickle.dumps(sent[0][2:])) < 1000
    assert processes._call(*sent[1][1:]) == "y"
