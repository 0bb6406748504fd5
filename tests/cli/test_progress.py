"""The line that shows how far a long job is."""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from dodona import Sentence
from dodona.cli import progress as progress_module
from dodona.cli.progress import ReadingProgress, open_bar, show_training
from dodona.component import TrainingProgress
from dodona.data.stream import Pause

FOUR = Sentence.from_words(["a", "b", "c", "d"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Half a second later each time."""

    now = 10.0

    def __call__(self) -> float:
        self.now += 0.5
        return self.now


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The standard error of the module; its standard output is a pipe."""
    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(progress_module, "sys", SimpleNamespace(stderr=stream, stdout=io.StringIO()))
    return stream


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr(progress_module, "sys", SimpleNamespace(stderr=log, stdout=io.StringIO()))
    with ReadingProgress(["-"], results=True, clock=Clock()) as progress:
        assert len(list(progress.count([FOUR] * 250))) == 250
    first, second = log.getvalue().splitlines()
    assert first == "dodona: 480 words, 8 words/s"
    assert second == "dodona: 960 words, 8 words/s"


def test_a_bar_becomes_lines_in_a_log(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress_module, "LOGGED", 0.0)
    with open_bar() as bar:
        task = bar.add_task("parser", total=8)
        bar.update(task, completed=2)
        other = bar.add_task("search", total=None)
        bar.update(other, completed=1234)
    assert capfd.readouterr().err.splitlines() == ["parser: 25 %", "search: 1,234"]


def test_a_message_is_no_step_back(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress_module, "LOGGED", 0.0)
    with show_training() as show:
        show(TrainingProgress("silver", message="reading"))
        show(TrainingProgress("pretraining", 1, 1, share=0.25))
        show(TrainingProgress("pretraining", message="held-out 5.3"))
        show(TrainingProgress("pretraining", 1, 1, share=0.5))
    told = ["silver: reading", "pretraining: 25 %", "pretraining: held-out 5.3", "pretraining: 50 %"]
    assert capfd.readouterr().err.splitlines() == told


def lines(terminal: Terminal) -> list[str]:
    """All that was ever to be seen, without the codes that wipe it."""
    return re.sub("\\x1b\\[[?0-9]*[a-zA-Z]|\r", "\n", terminal.getvalue()).split("\n")


def test_words_rate_and_time_left(terminal: Terminal, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(bytes(500))
    with ReadingProgress([str(tmp_path / "a"), str(tmp_path / "b")], results=True, clock=Clock()) as progress:
        progress.read(250)
        items = [FOUR, FOUR, Pause(), FOUR]
        assert list(progress.count(items)) == items
        assert [line for line in lines(terminal) if line] == [
            "8 words, 8 words/s, 25 %, 0:00:03 left",  # nothing in the first second
            "8 words, 5 words/s, 25 %, 0:00:04 left",
            "12 words, 6 words/s, 25 %, 0:00:06 left",
        ]
    assert lines(terminal)[-1] == ""
    assert "\x1b[2K" in terminal.getvalue().rpartition(" left")[2]  # wiped


def test_time_left_is_in_hours_and_only_known_with_sizes(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(1000))
    known, unknown = (
        ReadingProgress([str(tmp_path / "a")], True, Clock()),
        ReadingProgress([str(tmp_path)], True, Clock()),
    )
    for progress in (known, unknown):
        progress.read(1)
    assert known.line(14.5) == "0 words, 0 words/s, 0 %, 1:06:36 left"
    assert unknown.line(14.5) == "0 words, 0 words/s"


def test_messages_do_not_run_into_the_line(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)

    def sentences() -> Iterator[Sentence]:
        yield from [FOUR] * 3
        click.echo("dodona: look", err=True)
        yield FOUR

    with ReadingProgress([], results=True, clock=Clock()) as progress:
        list(progress.count(sentences()))
    assert "dodona: look" in lines(terminal)
    assert sys.stderr is terminal


@pytest.mark.parametrize("streams", [("stderr",), ("stdout",)])
def test_nothing_is_shown_to_pipes_or_among_results(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, streams: tuple[str, ...]
) -> None:
    for name in streams:
        found = Terminal() if name == "stdout" else io.StringIO()
        monkeypatch.setattr(f"dodona.cli.progress.sys.{name}", found)
    with ReadingProgress([], results=True, clock=Clock()) as progress:
        list(progress.count([FOUR] * 5))
    assert terminal.getvalue() == ""
    assert ReadingProgress([], results=False).is_shown == (streams == ("stdout",))  # results that come at the end
