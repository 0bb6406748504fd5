"""What a server counts of itself, in the text format of Prometheus."""

import os
import time
from bisect import bisect_left
from collections import Counter

__all__ = ["Metrics"]

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds of the buckets in which requests are counted."""


class Metrics:
    """Requests by address and status, and how long they took; and the state of the process."""

    def __init__(self) -> None:
        self.begun = time.time()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.buckets: Counter[tuple[str, int]] = Counter()
        self.seconds: Counter[str] = Counter()
        self.received = self.sent = 0

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer. `route` is one of the addresses of the server: there must not be more than a few."""
        self.requests[route, method, status] += 1
        self.buckets[route, bisect_left(BOUNDS, seconds)] += 1
        self.seconds[route] += seconds  # type: ignore[assignment]  # a Counter adds up any numbers

    def text(self, now: dict[str, float | None]) -> str:
        """Return everything that was counted; `now` has gauges of the moment."""
        lines = [*_head("requests_total", "counter", "Requests, by address and status.")]
        for (route, method, status), count in sorted(self.requests.items()):
            lines.append(f'dodona_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}')
        lines += _head("request_seconds", "histogram", "Time from the request to its answer.")
        for route in sorted(self.seconds):
            total = 0
            for k, bound in enumerate([*BOUNDS, "+Inf"]):
                total += self.buckets[route, k]
                lines.append(f'dodona_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'dodona_request_seconds_sum{{route="{route}"}} {self.seconds[route]:.6f}')
            lines.append(f'dodona_request_seconds_count{{route="{route}"}} {total}')
        counters = {"received_bytes_total": self.received, "sent_bytes_total": self.sent,
                    "cpu_seconds_total": time.process_time()}  # fmt: skip
        for name, value in counters.items():
            lines += [*_head(name, "counter"), f"dodona_{name} {value:g}"]
        gauges: dict[str, float | None] = now | {"start_time_seconds": self.begun, "resident_memory_bytes": _resident()}
        for name, gauge in gauges.items():
            if gauge is not None:
                lines += [*_head(name, "gauge"), f"dodona_{name} {gauge:.15g}"]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, help: str = "") -> list[str]:
    described = [f"# HELP dodona_{name} {help}"] if help else []
    return [*described, f"# TYPE dodona_{name} {kind}"]


def _resident() -> float | None:
    """Return the memory of this process in bytes; None where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return float(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except OSError:
        return None
