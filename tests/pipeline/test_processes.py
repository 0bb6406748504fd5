"""Several processes where the system lacks what Linux has."""

import multiprocessing
import os

import pytest

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
