"""What holds after every test of a server, however its requests have ended."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from dodona.server.service import Workers

SOON = 10.0  # seconds in which a thread that is stopped ends


@pytest.fixture(autouse=True)
def whatever_requests_have_taken_is_given_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Memory of all kinds, places of clients, and threads."""
    made: list[Workers] = []
    begin = Workers.__init__

    def remember(workers: Workers, *arguments: Any) -> None:
        begin(workers, *arguments)
        made.append(workers)

    monkeypatch.setattr(Workers, "__init__", remember)
    yield
    nothing = {"bytes": 0, "room": 0, "portions": 0, "clients": {}, "running": set()}
    for workers in made:
        workers.close()
        end = time.monotonic() + SOON
        while (left := _list_taken(workers)) != nothing and time.monotonic() < end:
            time.sleep(0.01)
        assert left == nothing


def _list_taken(workers: Workers) -> dict[str, Any]:
    taken: dict[str, Any] = {name: getattr(workers, name).used for name in ("bytes", "room", "portions")}
    return taken | {"clients": dict(workers.clients), "running": set(workers._running)}
