"""A corpus whose parsing is stopped at any point, and begun again, has the bytes of one that was never stopped."""

import json
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from samples.interruptions import Interruption, interrupt_everywhere
from samples.small_models import full_treebank, whole
from samples.texts import english

from dodona import Request, read, write
from dodona.cli.commands.parse import parse as parse_command
from dodona.data.spacing import raw_text
from dodona.distributed import corpus as corpus_module
from dodona.distributed import shards as shards_module
from dodona.distributed.cluster import Cluster, ClusterSession, ClusterTask, Outcome, TaskMonitor
from dodona.distributed.corpus import Corpus, Manifest, list_shards, parse_corpus
from dodona.distributed.models import Model, read_model
from dodona.distributed.processes import ProcessSession

pytestmark = pytest.mark.filterwarnings("ignore::dodona.FormatWarning")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.model"
    whole().save(path)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Texts, whose sentences are numbered through all shards, and treebanks, one of which has a BOM and one no end."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "a.txt").write_text(raw_text(english(14)))
    write(full_treebank(3), folder / "b.conllu")
    data = (folder / "b.conllu").read_bytes()
    (folder / "b.conllu").write_bytes(data.rstrip(b"\n"))
    (folder / "c.conllu").write_bytes(b"\xef\xbb\xbf" + data)
    return sorted(map(str, folder.iterdir()))


class Alone(ProcessSession):
    """Does in this process, one after the other, what other processes would do."""

    def __init__(self) -> None:
        super().__init__(0)

    def outcomes(self) -> Iterator[Outcome]:
        for prepare, argument in self._preparations:
            prepare(argument)
        while self._waiting:
            task, function, arguments = self._calls.pop(self._waiting.popleft())
            yield task, function(*arguments), ""


class Here(Cluster):
    @contextmanager
    def session(self) -> Iterator[ClusterSession]:
        with Alone() as session:
            yield session


class Watched(TaskMonitor):
    def __init__(self, interruption: Interruption | None = None) -> None:
        self.interruption = interruption
        self.finished = 0

    def begin(self, tasks: Any, finished: int, jobs: int) -> None:
        self.finished = finished

    def advance(self, task: ClusterTask, failure: str) -> None:
        assert not failure
        if self.interruption is not None:
            self.interruption.point("advance")


def parse(files: list[str], model: Model, folder: Path, monitor: TaskMonitor | None = None) -> bytes:
    names: list[str | None] = [Path(file).name.partition(".")[0] for file in files]
    wanted = Corpus(files, names, Request(), size=300)
    parse_corpus(wanted, model, str(folder), Here(), monitor or Watched(), lambda text: None)
    assert sorted({path.suffix for path in folder.iterdir()}) == [".conllu", ".json"]  # nothing else is left
    assert len(list_shards(str(folder))) == len(list(folder.glob("*.conllu")))
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.conllu")))


@pytest.mark.parametrize(("sudden", "spared"), [(False, 0.0), (True, 0.0), (True, 1e9)])
def test_stopped_at_every_point(
    files: list[str], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sudden: bool, spared: float
) -> None:
    """Around each shard that is parsed, each that gets its numbers, each renaming, and each time the manifest is saved;
    nothing that is finished is done again."""
    folder, alone = tmp_path / "out", tmp_path / "alone.conllu"
    parse_command.main([str(model), *files, "-o", str(alone)], standalone_mode=False)
    teacher = read_model(model)
    monkeypatch.setattr(corpus_module, "SPARED", spared)  # the manifest is written always, or only where it must be

    def begin(interruption: Interruption) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        parse(files, teacher, folder, Watched(interruption))

    places = [(corpus_module, "parse"), (corpus_module, "finish"), (corpus_module, "look"), (Manifest, "save")]
    names = []
    for name in interrupt_everywhere(begin, [*places, (os, "replace"), (shards_module, "write")], sudden):
        names.append(name)
        whole_before = _finished(folder)
        resumed = Watched()
        assert parse(files, teacher, folder, resumed) == alone.read_bytes(), name
        assert resumed.finished >= len(whole_before), name
        for path, stamp in whole_before.items():
            assert path.stat().st_mtime_ns == stamp, name
    assert len(names) > 60
    assert {name.partition(": ")[2] for name in names} == {"advance"} | {
        f"{when} {what}"
        for what in ("parse", "finish", "look", "save", "replace", "write")
        for when in ("before", "after")
    }


def test_remarks_are_those_of_one_process(model: Path, tmp_path: Path) -> None:
    """Each once a file, with the line where it is true first, in however many shards it is."""
    write(full_treebank(9), tmp_path / "a.conllu")
    data = (tmp_path / "a.conllu").read_bytes().replace(b"\n\n", b"\n \n\n").replace(b"\n", b"\r\n")
    (tmp_path / "a.conllu").write_bytes(data)
    (tmp_path / "b.conllu").write_bytes(data[: len(data) // 2].rpartition(b"\r\n \r\n")[0])
    files = [str(tmp_path / name) for name in ("a.conllu", "b.conllu")]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for file in files:
            list(read(file))
    said: list[str] = []
    wanted = Corpus(files, ["a", "b"], Request(), size=300)
    summary = parse_corpus(wanted, read_model(model), str(tmp_path / "out"), Here(), Watched(), said.append)
    assert summary.shards > 6
    assert len(caught) >= 4
    assert sorted(said[1:]) == sorted(str(each.message) for each in caught)  # after: nobody has begun to work yet


@pytest.mark.parametrize("sudden", [False, True])
def test_damaged_shards_are_made_again_also_by_a_run_that_is_stopped(
    files: list[str], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sudden: bool
) -> None:
    """A shard that is parsed again is not the old output, which is still there until it is replaced."""
    sound, folder = tmp_path / "sound", tmp_path / "out"
    teacher = read_model(model)
    expected = parse(files, teacher, sound)
    monkeypatch.setattr(corpus_module, "SPARED", 0.0)

    def begin(interruption: Interruption) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sound, folder)
        for path in sorted(folder.glob("*.conllu"))[1::2]:  # of a text that is numbered on, and of a treebank
            path.write_bytes(path.read_bytes()[:-9])
        parse(files, teacher, folder, Watched(interruption))

    places = [(corpus_module, "parse"), (corpus_module, "finish"), (Manifest, "save"), (os, "replace")]
    for name in interrupt_everywhere(begin, places, sudden):
        assert parse(files, teacher, folder) == expected, name


def _finished(folder: Path) -> dict[Path, int]:
    """The shards that the manifest says are finished, with the time of their files."""
    path = folder / "manifest.json"
    if not path.exists():
        return {}
    shards = json.loads(path.read_text())["shards"]
    return {folder / s["file"]: (folder / s["file"]).stat().st_mtime_ns for s in shards if s["state"] == "finished"}


def test_what_was_finished_is_whole_or_done_again(files: list[str], model: Path, tmp_path: Path) -> None:
    """Every shard in turn is lost, cut, or empty when the work is begun again; also one that was only parsed."""
    folder = tmp_path / "out"
    teacher = read_model(model)
    expected = parse(files, teacher, folder)
    paths = sorted(folder.glob("*.conllu"))
    for path in paths:
        good = path.read_bytes()
        for damaged in (None, good[:-1], b""):
            if damaged is None:
                path.unlink()
            else:
                path.write_bytes(damaged)
            again = Watched()
            assert parse(files, teacher, folder, again) == expected
            assert again.finished == len(paths) - (damaged != good)
