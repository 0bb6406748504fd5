"""What a server counts of itself, for Prometheus.

Several processes of one server write their numbers into the files of a folder, so that any of them can give the sums of
all: the library does so if the variable PROMETHEUS_MULTIPROC_DIR was set before it was imported.
"""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

__all__ = ["Metrics"]

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the buckets in which requests are counted."""

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The numbers of one process."""

    def __init__(self, threads: int) -> None:
        self.registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self.requests = self._counter("requests", "Requests, by address, method and status.", labels)
        self.seconds = Histogram(
            "dodona_request_seconds",
            "Time from a request to the end of its answer.",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.received = self._counter("received_bytes", "Bytes in requests.")
        self.sent = self._counter("sent_bytes", "Bytes in answers.")
        self.cpu = self._counter("cpu_seconds", "Time of the processor.")
        self.resident = self._gauge(
            "resident_memory_bytes", "Memory of the server; what its processes share is counted for each."
        )
        self._gauge("processes", "Processes of the server.").set(1)
        self._gauge("threads", "Threads that work on requests.").set(threads)
        self.busy = self._gauge("threads_busy", "Threads that are at work.")
        self.in_progress = self._gauge("requests_in_progress", "Requests that are read, wait or are worked on.")
        self.body_bytes = self._gauge("body_bytes", "Bytes of requests and answers in memory.")
        self._cpu_seconds = 0.0
        self.refresh()

    def _counter(self, name: str, text: str, labels: tuple[str, ...] = ()) -> Counter:
        return Counter(f"dodona_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"dodona_{name}", text, registry=self.registry, multiprocess_mode="livesum")

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer. `route` is one of the addresses of the server: there must not be more than a few."""
        self.requests.labels(route, method, status).inc()
        self.seconds.labels(route).observe(seconds)

    def refresh(self) -> None:
        """Take time and memory from the system; where it does not tell the memory, that stays 0."""
        before, self._cpu_seconds = self._cpu_seconds, time.process_time()
        self.cpu.inc(self._cpu_seconds - before)
        with suppress(OSError), open("/proc/self/statm") as file:
            self.resident.set(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))

    def write(self) -> bytes:
        """Return the numbers of all processes together, in the text format of Prometheus."""
        self.refresh()
        folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        return generate_latest(self.registry if folder is None else ProcessesCollector(Path(folder)))


class ProcessesCollector(Collector):
    """The sums over the files of all processes. One that begins, or was killed when it began, may have left a file with
    nothing in it, which the library's own collector cannot read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def collect(self) -> Iterable[Metric]:
        files = []
        for file in self.folder.glob("*.db"):
            with suppress(FileNotFoundError):
                files += [str(file)] if file.stat().st_size else []
        return MultiProcessCollector.merge(files)  # type: ignore[no-any-return, no-untyped-call]
