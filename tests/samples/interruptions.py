"""Ctrl-C, or a sudden end, at every point of a piece of work, one after the other."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import pytest

__all__ = ["Interruption", "interrupt_everywhere"]


class Interruption:
    """Ctrl-C before or after one of the calls of some functions, counted from 1 on; 0: never.

    After a `sudden` end nothing more is done: whoever cleans up afterwards by these functions cannot.
    """

    def __init__(self, at: int = 0, sudden: bool = False) -> None:
        self.at, self.sudden = at, sudden
        self.points = 0
        self.names: list[str] = []

    def point(self, name: str) -> None:
        """A moment at which Ctrl-C may come."""
        self.points += 1
        self.names.append(name)
        if self.points == self.at or (self.sudden and 0 < self.at < self.points):
            raise KeyboardInterrupt(name)

    def watch(self, monkeypatch: pytest.MonkeyPatch, home: Any, name: str) -> None:
        """Let there be a point before and after each call of a function, which does what it always does."""
        plain = getattr(home, name)

        @wraps(plain)
        def watched(*arguments: Any, **options: Any) -> Any:
            self.point(f"before {name}")
            result = plain(*arguments, **options)
            self.point(f"after {name}")
            return result

        monkeypatch.setattr(home, name, watched)


def interrupt_everywhere(
    work: Callable[[Interruption], Any], places: list[tuple[Any, str]], sudden: bool = False
) -> Iterator[str]:
    """Do the work once and count its points; then begin it once for each of them, interrupted there, and yield the name
    of the point. Whoever asks resumes it, and cleans up."""

    def attempt(at: int) -> Interruption:
        interruption = Interruption(at, sudden)
        with pytest.MonkeyPatch.context() as monkeypatch:
            for home, name in places:
                interruption.watch(monkeypatch, home, name)
            if not at:
                work(interruption)
            else:
                with pytest.raises(KeyboardInterrupt):
                    work(interruption)
        return interruption

    whole = attempt(0)
    assert whole.points > 0
    for at in range(1, whole.points + 1):
        stopped = attempt(at)
        assert stopped.names[:at] == whole.names[:at]
        yield f"{at}: {whole.names[at - 1]}"
