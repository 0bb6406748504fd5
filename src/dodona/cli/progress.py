"""How far a long job is: words, words per second, and the time left where sizes are known.

    1,234,567 words, 89,000 words/s, 35 %, 0:01:23 left

On a terminal, one line on standard error, from the second second on, which is wiped at the end; messages appear above
it. Where standard error is a file or a pipe, as in the log of a long run, a line of its own every minute.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dodona.cli.outputs import say
from dodona.data import Sentence
from dodona.data.files import chunks, is_tty, size_of
from dodona.data.formats import read_stream
from dodona.data.stream import only_sentences

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from dodona.component import TrainingProgress

__all__ = ["ReadingProgress", "open_bar", "show_training"]

FIRST, NEXT = 1.0, 0.2  # seconds until the line is shown, and between two changes of it
LOGGED = 60.0  # seconds between two lines of a log

T = TypeVar("T")


class ReadingProgress:
    """The progress of reading and processing some files. Nothing is shown on a terminal to which results go, too: if
    `results` is set and standard output is one."""

    def __init__(self, files: Sequence[str], results: bool, clock: Callable[[], float] = time.monotonic) -> None:
        sizes = [size_of(file) for file in files]
        self.total = None if None in sizes else sum(size or 0 for size in sizes)
        is_mixed = results and _is_tty(sys.stdout)
        self.is_shown = _is_tty(sys.stderr) and not is_mixed and not any(map(is_tty, files))
        self._clock = clock
        self._begin = clock()
        self.is_logged = sys.stderr is not None and not _is_tty(sys.stderr)
        self._due = self._begin + (LOGGED if self.is_logged else FIRST)
        self._words = self._bytes = 0
        self._live: Any = None

    def __enter__(self) -> "ReadingProgress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def read(self, size: int) -> None:
        """Count bytes of the files, as they are there: compressed ones before they are decompressed."""
        self._bytes += size

    def count(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items, and count the words of the sentences among them."""
        if not self.is_shown and not self.is_logged:
            yield from items
            return
        for item in items:
            if isinstance(item, Sentence):
                self._words += len(item)
            now = self._clock()
            if now >= self._due:
                self._due = now + (LOGGED if self.is_logged else NEXT)
                self._show(self.line(now))
            yield item

    def read_live(self, file: str) -> Iterator[bytes]:
        """Yield the chunks of a file, and an empty one at each pause; who types is told how to end."""
        if file == "-" and os.isatty(0):
            say("reading from the terminal; Ctrl-D on an empty line ends the text")
        return chunks(file, pauses=True, count=self.read)

    def read_sentences(self, file: str) -> Iterator[Sentence]:
        """Yield the sentences of a file in CoNLL-U, and count bytes and words."""
        return self.count(only_sentences(read_stream("conllu", chunks(file, count=self.read), file)))

    def line(self, now: float) -> str:
        """Return what is shown at that time."""
        seconds = now - self._begin
        parts = [f"{self._words:,} words", f"{self._words / seconds:,.0f} words/s"]
        if self.total and self._bytes:
            share = min(1.0, self._bytes / self.total)
            minutes, rest = divmod(round(seconds * (1 - share) / share), 60)
            parts += [f"{share:.0%}".replace("%", " %"), f"{minutes // 60}:{minutes % 60:02}:{rest:02} left"]
        return ", ".join(parts)

    def _show(self, line: str) -> None:
        if self.is_logged:
            print(f"dodona: {line}", file=sys.stderr, flush=True)
            return
        from rich.console import Console  # which takes longer than many a file
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            console = Console(file=sys.stderr)
            self._live = Live(console=console, transient=True, auto_refresh=False, redirect_stdout=False)
            self._live.start()
        self._live.update(Text(line), refresh=True)


def open_bar(*columns: "ProgressColumn") -> "Progress":
    """Return a line on standard error that is wiped at the end, or if that is no terminal, one that is printed every
    minute; its console takes messages."""
    from rich.console import Console
    from rich.progress import Progress, TaskID

    class LoggedProgress(Progress):
        due = time.monotonic() + LOGGED

        def update(self, task_id: TaskID, *arguments: Any, **changes: Any) -> None:
            super().update(task_id, *arguments, **changes)
            now = time.monotonic()
            if self.disable and now >= self.due:
                self.due = now + LOGGED
                task = next(task for task in self.tasks if task.id == task_id)
                done = f"{task.completed:,.0f}" if task.total is None else f"{task.percentage:.0f} %"
                self.console.print(f"{task.description or 'done'}: {done}")

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    return LoggedProgress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def show_training(checkpoint: str | Path | None = None) -> Iterator[Callable[["TrainingProgress"], None]]:
    """Yield what shows the progress of a training: a bar on a terminal, a line after each iteration, and messages.
    After Ctrl-C, it says whether there is a checkpoint to go on from."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    with open_bar(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("training", total=None)

        def show(progress: "TrainingProgress") -> None:
            if progress.share == 1:
                bar.console.print(str(progress))
            if progress.iteration:
                bar.update(task, description=progress.component, completed=progress.done, total=1)
            elif progress.component != bar.tasks[0].description:  # a message before the first iteration, not within one
                bar.reset(task, description=progress.component)

        try:
            yield show
        except KeyboardInterrupt:
            if checkpoint is not None and os.path.exists(checkpoint):
                say(f"{checkpoint} is kept; --resume goes on from it")
            raise


def _is_tty(stream: Any) -> bool:
    return stream is not None and stream.isatty()
