"""What a server counts of itself, in the text format of Prometheus.

A process holds its numbers by the names that the text has for them. Several processes of one server write theirs on a
board, so that any of them can give the sums of all.
"""

import json
import mmap
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["Board", "Metrics", "metrics_text"]

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds of the buckets in which requests are counted."""

FAMILIES = {
    "dodona_requests_total": ("counter", "Requests, by address, method and status."),
    "dodona_request_seconds": ("histogram", "Time from a request to the end of its answer."),
    "dodona_received_bytes_total": ("counter", "Bytes in requests."),
    "dodona_sent_bytes_total": ("counter", "Bytes in answers."),
    "dodona_cpu_seconds_total": ("counter", "Time of the processor."),
    "dodona_resident_memory_bytes": ("gauge", "Memory of the server; what its processes share is counted for each."),
    "dodona_processes": ("gauge", "Processes of the server."),
    "dodona_threads": ("gauge", "Threads that work on requests."),
    "dodona_threads_busy": ("gauge", "Threads that are at work."),
    "dodona_requests_in_progress": ("gauge", "Requests that are read, wait or are worked on."),
    "dodona_body_bytes": ("gauge", "Bytes of requests and answers in memory."),
}
Numbers = Mapping[str, float]


class Metrics:
    """The numbers of one process."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}
        self.received = self.sent = 0

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer. `route` is one of the addresses of the server: there must not be more than a few."""
        self.counts[f'dodona_requests_total{{route="{route}",method="{method}",status="{status}"}}'] += 1
        for bound in (*BOUNDS, "+Inf"):
            name = f'dodona_request_seconds_bucket{{route="{route}",le="{bound}"}}'
            self.counts[name] += not isinstance(bound, float) or seconds <= bound
        self.counts[f'dodona_request_seconds_count{{route="{route}"}}'] += 1
        name = f'dodona_request_seconds_sum{{route="{route}"}}'
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def numbers(self, **gauges: float) -> dict[str, float]:
        """Return everything by name; `gauges` are numbers of the moment."""
        own = {
            "received_bytes_total": self.received,
            "sent_bytes_total": self.sent,
            "cpu_seconds_total": time.process_time(),
            "processes": 1,
            **gauges,
        }
        memory = _resident()
        if memory is not None:
            own["resident_memory_bytes"] = memory
        return {**self.counts, **self.seconds, **{f"dodona_{name}": value for name, value in own.items()}}


def metrics_text(processes: Iterable[Numbers]) -> str:
    """Return the sums of the numbers of all processes, as text."""
    sums: dict[str, float] = {}
    for numbers in processes:
        for name, value in numbers.items():
            sums[name] = sums.get(name, 0) + value
    lines = []
    for family, (kind, text) in FAMILIES.items():
        members = [f"{family}{end}" for end in ("_bucket", "_sum", "_count")] if kind == "histogram" else [family]
        lines += [f"# HELP {family} {text}", f"# TYPE {family} {kind}"]
        for member in members:
            lines += [f"{name} {value:.15g}" for name, value in sums.items() if name.partition("{")[0] == member]
    return "\n".join(lines) + "\n"


def _resident() -> float | None:
    """Return the memory of this process in bytes; None where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return float(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except OSError:
        return None


class Board:
    """Memory that the processes of a server share: each writes its numbers into its own place, and reads all."""

    SIZE = 1 << 17

    def __init__(self, places: int) -> None:
        self.places = places
        self.memory = mmap.mmap(-1, places * self.SIZE)

    def write(self, place: int, numbers: Numbers) -> None:
        """Replace the numbers in a place. The length comes last, so that nobody reads what is half written."""
        data = json.dumps(numbers).encode()
        begin = place * self.SIZE
        if len(data) + 8 <= self.SIZE:
            self.memory[begin : begin + 8] = bytes(8)
            self.memory[begin + 8 : begin + 8 + len(data)] = data
            self.memory[begin : begin + 8] = len(data).to_bytes(8, "little")

    def read(self, place: int) -> dict[str, float]:
        """Return the numbers in a place; none if they are being written."""
        begin = place * self.SIZE
        length = int.from_bytes(self.memory[begin : begin + 8], "little")
        try:
            found: dict[str, float] = json.loads(self.memory[begin + 8 : begin + 8 + length])
        except ValueError:
            return {}
        return found
