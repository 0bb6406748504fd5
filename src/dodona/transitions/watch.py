"""A watch over long computations: it notices Ctrl-C, and the end of the time that a sentence may take.

Compiled loops run without the interpreter, which would handle signals. They report their work here, about a unit for
each turn of an innermost loop. After much work the watch looks at the clock and lets the interpreter handle signals:
every few milliseconds, which costs next to nothing.
"""

from time import monotonic

from dodona.transitions.clock import look

STEP = 1 << 10  # the work of a transition that a model scores
PACE = 1 << 21  # the work between two looks


class Watch:
    """One for each thread. Without `begin` there is no limit."""

    def __init__(self) -> None:
        self.left = PACE
        self.deadline = 0.0

    def begin(self, seconds: float) -> None:
        """Allow this much time from now on; 0: as much as it takes."""
        self.deadline = monotonic() + seconds if seconds > 0 else 0.0

    def report(self, work: int) -> None:
        """Count work, and look if there was much; raises what `clock.look` raises."""
        self.left -= work
        if self.left < 0:
            self.look()

    def step(self) -> None:
        """Count a transition."""
        self.report(STEP)

    def look(self) -> None:
        self.left = PACE
        look(self.deadline)
