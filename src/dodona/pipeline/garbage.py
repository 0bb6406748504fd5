"""How often Python looks for garbage, while there are many sentences."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collect_rarely"]

OBJECTS = 100_000  # new ones, between two searches


@contextmanager
def collect_rarely() -> Iterator[None]:
    """Let Python look for garbage in cycles less often.

    Sentences have no cycles, and are many: every search looks at all that are there, and no thread can work meanwhile.
    """
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
