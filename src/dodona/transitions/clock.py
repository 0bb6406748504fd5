"""The interpreter's side of a watch. This file is not compiled."""

import time

from dodona.errors import TimeLimitError

__all__ = ["look", "now"]


def now() -> float:
    """Return the time on a clock that nobody sets, in seconds."""
    return time.monotonic()


def look(deadline: float) -> None:
    """Raise KeyboardInterrupt after Ctrl-C, and TimeLimitError after the deadline; 0 is none.

    The interpreter handles signals whenever a function of its own begins, so the call alone does the first.
    """
    if deadline and time.monotonic() > deadline:
        raise TimeLimitError("the time for this sentence is over")
