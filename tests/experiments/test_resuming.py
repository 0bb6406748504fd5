"""An experiment that is stopped at any point, and begun again, ends with the results of one that was never stopped."""

import json
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from samples.interruptions import Interruption, interrupt_everywhere
from samples.treebank_folder import treebank_folder

from dodona.distributed.cluster import ClusterTask, TaskMonitor
from dodona.experiments import records, treebanks
from dodona.experiments.plan import Condition, Plan
from dodona.experiments.records import Cluster, Store, carry_out, tag_all
from dodona.experiments.treebanks import find_treebanks
from dodona.parser.options import ParserOptions
from dodona.pipeline.jackknife import jackknife
from dodona.tagger.tagger import TaggerOptions, train_tagger

OPTIONS = ParserOptions(system="arc-eager", templates="stack", iterations=1)
CHANGING = ("finished", "seconds", "cpu_seconds")


class Watched(TaskMonitor):
    def __init__(self, interruption: Interruption | None = None) -> None:
        super().__init__()
        self.interruption = interruption

    def advance(self, task: ClusterTask, failure: str) -> None:
        assert not failure
        if self.interruption is not None:
            self.interruption.point("advance")


def results(folder: Path) -> dict[str, Any]:
    """All that is stored, without the time that it took."""
    found: dict[str, Any] = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.gz")}
    for path in folder.rglob("*.json"):
        record = json.loads(path.read_text())
        found[path.name] = {name: value for name, value in record.items() if name not in CHANGING}
    assert sum(path.is_file() for path in folder.rglob("*")) == len(found)
    return found


def jackknife_quickly(sentences: Any, jobs: int) -> Any:
    return jackknife(sentences, 2, partial(train_tagger, options=TaggerOptions(1)), jobs)


@pytest.mark.parametrize("sudden", [False, True])
def test_stopped_at_every_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sudden: bool) -> None:
    """Around each file of tags, each run, each record; and a run that is finished is not done again."""
    monkeypatch.setattr(treebanks, "TaggerOptions", lambda: TaggerOptions(1))
    monkeypatch.setattr(treebanks, "jackknife", jackknife_quickly)
    folder = tmp_path / "out"
    plan = Plan(find_treebanks(treebank_folder(tmp_path / "treebanks", "en_a")), 2, 1, "predicted", 5)

    def work(interruption: Interruption | None = None) -> None:
        taggings = plan.taggings(folder)
        tag_all(taggings, Watched(interruption), Cluster())
        tagged = plan.with_tags(taggings)
        runs = [tagged.run(plan.treebanks[0], Condition(OPTIONS, ("test",)), seed) for seed in (1, 2)]
        _, failures = carry_out(runs, Store(folder / "runs"), Watched(interruption), Cluster())
        assert not failures

    def begin(interruption: Interruption) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        work(interruption)

    work()
    expected = results(folder)
    assert len(expected) == 5
    names = []
    places = [(treebanks, "write"), (records, "perform"), (Store, "save"), (os, "replace")]
    for name in interrupt_everywhere(begin, places, sudden):
        names.append(name)
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
        work()
        assert results(folder) == expected, name
        assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items()), name
    assert len(names) == 3 * 4 + 1 + 2 * 7
