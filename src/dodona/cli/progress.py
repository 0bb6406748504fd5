"""How far a long job is, on a terminal: words, words per second, and the time left where sizes are known.

    1,234,567 words, 89,000 words/s, 35 %, 0:01:23 left

One line on standard error, from the second second on, which is wiped at the end and before any other message.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from dodona.data import Sentence
from dodona.data.files import is_tty, size_of

__all__ = ["Progress"]

FIRST, NEXT = 1.0, 0.2  # seconds until the line is shown, and between two changes of it
WIPE = "\r\x1b[K"

T = TypeVar("T")


class Progress:
    """The progress of reading and processing some files. Nothing is shown unless standard error is a terminal, and
    nothing if results go to the same place: if `results` is set and standard output is a terminal, too."""

    def __init__(self, files: Sequence[str], results: bool, clock: Callable[[], float] = time.monotonic) -> None:
        sizes = [size_of(file) for file in files]
        self.total = None if None in sizes else sum(size or 0 for size in sizes)
        self.is_shown = _is_terminal(sys.stderr) and not (results and _is_terminal(sys.stdout))
        self.is_shown = self.is_shown and not any(map(is_tty, files))
        self._clock = clock
        self._begin = clock()
        self._due = self._begin + FIRST
        self._words = self._bytes = 0
        self._is_written = False
        self._show_warning: Any = None

    def __enter__(self) -> "Progress":
        self._show_warning = warnings.showwarning
        if self.is_shown:
            warnings.showwarning = self._warn  # type: ignore[assignment]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        warnings.showwarning = self._show_warning
        self._wipe()

    def read(self, size: int) -> None:
        """Count bytes of the files, as they are there: compressed ones before they are decompressed."""
        self._bytes += size

    def counted(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the same items, and count the words of the sentences among them."""
        if not self.is_shown:
            yield from items
            return
        for item in items:
            if isinstance(item, Sentence):
                self._words += len(item)
            now = self._clock()
            if now >= self._due:
                self._due = now + NEXT
                self._is_written = True
                sys.stderr.write(WIPE + self.line(now))
                sys.stderr.flush()
            yield item

    def line(self, now: float) -> str:
        """Return what is shown at that time."""
        seconds = now - self._begin
        parts = [f"{self._words:,} words", f"{self._words / seconds:,.0f} words/s"]
        if self.total and self._bytes:
            share = min(1.0, self._bytes / self.total)
            minutes, rest = divmod(round(seconds * (1 - share) / share), 60)
            parts += [f"{share:.0%}".replace("%", " %"), f"{minutes // 60}:{minutes % 60:02}:{rest:02} left"]
        return ", ".join(parts)

    def _warn(self, *arguments: Any) -> None:
        self._wipe()
        self._show_warning(*arguments)

    def _wipe(self) -> None:
        if self._is_written:
            sys.stderr.write(WIPE)
            sys.stderr.flush()
            self._is_written = False


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()
