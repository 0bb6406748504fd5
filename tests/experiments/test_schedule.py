"""Runs in this process: each once, finished ones never again, failures told while the others go on."""

import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from queue import Queue

import pytest
from rich.console import Console
from samples.treebank_folder import treebank_folder

from dodona import DodonaError, OptionError
from dodona.distributed.cluster import ClusterTask, LineMonitor, TaskMonitor, choose_monitor, format_duration
from dodona.evaluation.diagrams import check_can_draw
from dodona.experiments.records import Cluster, Store, carry_out, each_once, tag_all
from dodona.experiments.run import Run
from dodona.experiments.treebanks import Tagging, Treebank, find_treebanks
from dodona.parser.options import ParserOptions

OPTIONS = ParserOptions(system="arc-eager", templates="stack", iterations=1)


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Treebank:
    return find_treebanks(treebank_folder(tmp_path_factory.mktemp("treebanks"), "en_a"))[0]


class Counted(TaskMonitor):
    def __init__(self) -> None:
        self.finished = -1
        self.tasks: list[str] = []
        self.failures: list[str] = []
        self.ended = False

    def begin(self, tasks: Sequence[ClusterTask], finished: int, jobs: int) -> None:
        self.finished = finished

    def advance(self, task: ClusterTask, failure: str) -> None:
        self.tasks.append(task.key)
        self.failures += [failure] if failure else []

    def end(self) -> None:
        self.ended = True


def runs(treebank: Treebank) -> list[Run]:
    return [Run(treebank, replace(OPTIONS, seed=seed), ("test",), limit=5) for seed in (2, 1, 2)]


def test_each_run_once_and_the_first_seeds_first(treebank: Treebank) -> None:
    second, first, _ = runs(treebank)
    assert [run.key for run in each_once(runs(treebank))] == [first.key, second.key]


def test_finished_runs_are_not_done_again(treebank: Treebank, tmp_path: Path) -> None:
    every, store, seen = runs(treebank), Store(tmp_path), Counted()
    carry_out(every[:1], store, TaskMonitor(), Cluster())
    before = store.path(every[0]).read_bytes()
    records, failures = carry_out(every, store, seen, Cluster())
    assert (seen.finished, seen.tasks, failures, seen.ended) == (1, [every[1].key], [], True)
    assert store.path(every[0]).read_bytes() == before
    assert [record.seed for record in records.of(every)] == [2, 1, 2]
    assert len(records) == 2


def test_a_failure_is_told_and_the_others_go_on(treebank: Treebank, tmp_path: Path) -> None:
    bad = Run(replace(treebank, test=(), digests={}), OPTIONS, ("test",))
    seen = Counted()
    good = runs(treebank)[0]
    records, ((failed, reason),) = carry_out([bad, good], Store(tmp_path), seen, Cluster())
    assert failed is bad
    assert reason == "the treebank en_a has no sentences of the part test"
    assert seen.failures == [reason]
    assert good.key in records
    assert bad.key not in records
    assert len(list(tmp_path.iterdir())) == 1


def test_an_interrupt_leaves_finished_runs(treebank: Treebank, tmp_path: Path) -> None:
    class Impatient(Counted):
        def advance(self, task: ClusterTask, failure: str) -> None:
            raise KeyboardInterrupt

    seen = Impatient()
    with pytest.raises(KeyboardInterrupt):
        carry_out(runs(treebank), Store(tmp_path), seen, Cluster())
    assert [path.name for path in tmp_path.iterdir()] == [f"{runs(treebank)[1].key}.json"]
    assert seen.ended


def test_a_tagging_that_fails_ends_it(treebank: Treebank, tmp_path: Path) -> None:
    with pytest.raises(DodonaError, match=r"tags of en_a: .*cannot be read"):
        tag_all(
            [Tagging(replace(treebank, train=(str(tmp_path / "no.conllu"),)), (), 5, str(tmp_path))],
            Counted(),
            Cluster(),
        )


def test_jobs_below_zero() -> None:
    with pytest.raises(OptionError, match="jobs -1: expected"):
        Cluster(-1)


def test_lines_tell_what_is_done_and_left(
    treebank: Treebank, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("dodona.distributed.cluster.time.monotonic", lambda: now[0])
    first, second, _ = runs(treebank)
    third = replace(first, options=replace(OPTIONS, seed=3, iterations=2))
    lines = LineMonitor()
    lines.begin([first, second, third], 4, 2)
    now[0] = 100.0
    lines.advance(first, "")
    assert lines.describe() == "runs: 1 of 3 done, 2 running, about 5 min left"  # the third has two iterations
    lines.advance(second, "too bad")
    now[0] = 240.0
    lines.advance(third, "")
    lines.end()
    begin, failed, end = capsys.readouterr().err.splitlines()
    assert begin == "dodona: runs: 3 to do, 4 finished earlier"
    assert failed.startswith("dodona: failed: en_a arc-eager dynamic")
    assert failed.endswith("seed=1 measuring test: too bad")
    assert end == "dodona: runs: 3 of 3 done, 0 running, 1 failed, after 4 min"


def test_lines_come_also_while_nothing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dodona.distributed.cluster.LINE_INTERVAL", 0.001)
    told: Queue[str] = Queue()
    lines = LineMonitor("taggings")
    monkeypatch.setattr(lines, "say", told.put)
    lines.begin([], 3, 1)
    assert [told.get(timeout=60) for _ in range(3)][1:] == ["taggings: 0 of 0 done, 0 running"] * 2
    lines.end()


def test_a_bar_on_a_terminal(treebank: Treebank, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()

    def console(**options: object) -> Console:
        return Console(file=stream, force_terminal=True, width=400, highlight=False)

    monkeypatch.setattr("dodona.distributed.cluster.Console", console)
    bar = choose_monitor("runs")
    first, second, _ = runs(treebank)
    bar.begin([first, second], 0, 2)
    bar.advance(first, "")
    bar.advance(second, "[no] luck")
    bar.end()
    assert "2 of 2 done, 0 running, 1 failed" in stream.getvalue()
    assert "measuring test: [no] luck" in stream.getvalue()


def test_durations() -> None:
    assert [format_duration(s) for s in (7.2, 600, 7200)] == ["7 s", "10 min", "2.0 h"]


def test_what_is_to_be_installed_is_told(treebank: Treebank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("distributed", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DodonaError, match=r"pip install 'dodona\[experiments\]'"):
        carry_out(runs(treebank), Store(tmp_path), TaskMonitor(), Cluster(0, "tcp://127.0.0.1:1"))
    with pytest.raises(DodonaError, match=r"pip install 'dodona\[diagrams\]'"):
        check_can_draw()


def test_an_address_without_a_scheduler(treebank: Treebank, tmp_path: Path) -> None:
    with pytest.raises(DodonaError, match="no Dask scheduler at nonsense; expected an address like tcp://"):
        carry_out(runs(treebank), Store(tmp_path), TaskMonitor(), Cluster(2, "nonsense"))
    assert list(tmp_path.iterdir()) == []
