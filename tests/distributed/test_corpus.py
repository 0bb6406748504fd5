"""A corpus on a cluster: the bytes of one process, whatever happens meanwhile."""

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from samples.child import printed
from samples.small_models import full_treebank, whole
from samples.texts import english

from dodona import DodonaError, FormatError, OptionError, Pipeline, Request, write
from dodona.cli.commands.parse import parse as command
from dodona.data import files
from dodona.data.spacing import raw_text
from dodona.distributed import corpus as corpus_module
from dodona.distributed import shards
from dodona.distributed.cluster import Cluster, ClusterTask, SchedulerLost, TaskMonitor
from dodona.distributed.corpus import LOCK, Corpus, Summary, hold_folder, parse_corpus
from dodona.distributed.models import read_model
from dodona.pipeline import models

dask: Any = pytest.importorskip("distributed", reason="pip install 'dodona[dask]'")
pytestmark = pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
SIZE = 300  # bytes


def threads() -> Any:
    """A cluster that is ready in a moment: its workers are threads of this process, and it has an address."""
    options = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": None}
    scheduler = {"dashboard_address": "127.0.0.1:0"}
    return dask.LocalCluster(2, threads_per_worker=1, scheduler_kwargs=scheduler, silence_logs=50, **options)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with threads() as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.model"
    whole().save(path)
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Texts, one of them compressed, with a name that is no regular expression, and one empty; treebanks, one without
    an end and one with a BOM."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "a.txt").write_text("\n \n" + raw_text(english(40)))
    (folder / "b+(1.txt.gz").write_bytes(
        gzip.compress(raw_text(english(40, seed=2)).replace("\n\n", "\r\n \r\n").encode())
    )
    (folder / "c.txt").write_bytes(b"")
    write(full_treebank(6), folder / "d.conllu")
    data = (folder / "d.conllu").read_bytes()
    (folder / "d.conllu").write_bytes(data.rstrip(b"\n"))
    (folder / "e.conllu").write_bytes(b"# nothing else\n")
    (folder / "f.conllu").write_bytes(b"\xef\xbb\xbf" + data + b"# the end\n\n")
    (folder / "g.txt").write_text("\ufeff" + raw_text(english(11, seed=3)))
    return sorted(map(str, folder.iterdir()))


@pytest.fixture(scope="module")
def expected(corpus: list[str], model: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What one process writes."""
    return alone(model, corpus, tmp_path_factory.mktemp("alone") / "out.conllu")


def alone(model: Path, files: list[str], target: Path, *options: str) -> bytes:
    command.main([str(model), *files, "-o", str(target), *options], standalone_mode=False)
    return target.read_bytes()


class Follower(TaskMonitor):
    """Counts what is done, and does something after so many shards."""

    def __init__(self, after: int = -1, act: Callable[[], None] = lambda: None) -> None:
        self.finished = self.done = 0
        self.failures: list[str] = []
        self.after, self.act = after, act

    def begin(self, tasks: Any, finished: int, jobs: int) -> None:
        self.finished = finished

    def advance(self, task: ClusterTask, failure: str) -> None:
        self.done += 1
        self.failures += [failure] if failure else []
        if self.done == self.after:
            self.act()


def run(
    files: list[str], model: Path, folder: Path, cluster: Cluster, follower: TaskMonitor | None = None, **options: Any
) -> Summary:
    names: list[str | None] = [None] if len(files) == 1 else [Path(file).name.partition(".")[0] for file in files]
    wanted = Corpus(files, names, **{"request": Request(), "size": SIZE, **options})
    return parse_corpus(wanted, read_model(model), str(folder), cluster, follower or Follower(), lambda text: None)


def together(folder: Path) -> bytes:
    assert sorted({path.suffix for path in folder.iterdir()}) == [".conllu", ".json"]  # nothing else is left
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.conllu")))


def states(folder: Path) -> list[str]:
    return [shard["state"] for shard in json.loads((folder / "manifest.json").read_text())["shards"]]


def test_the_bytes_of_one_process(
    corpus: list[str], model: Path, address: str, expected: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern = os.path.join(os.path.dirname(corpus[0]), "*")
    arguments = [str(model), pattern, "-o", str(tmp_path / "out"), "--scheduler", address, "--shard-size", "0.0003"]
    command.main(arguments, standalone_mode=False)
    assert together(tmp_path / "out") == expected
    told = capsys.readouterr().err
    count = len(states(tmp_path / "out"))
    assert count > 20
    assert f"dodona: shards: {count} of {count} done" in told
    assert "d.conllu:" in told  # a remark about its end, as in one process
    assert told.count("no blank line after the last sentence") == 2
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [found["path"] for found in manifest["inputs"]] == corpus
    assert [found["size"] for found in manifest["inputs"]] == [os.path.getsize(file) for file in corpus]
    assert manifest["model"]["sha256"] == read_model(model).digest
    assert {"beam": None, "shard_size": 300, "retag": False}.items() <= manifest["options"].items()

    command.main(arguments, standalone_mode=False)  # again: nothing to do
    assert f"shards: 0 to do, {count} finished earlier" in capsys.readouterr().err


@pytest.mark.parametrize("options", [{"nbest": 2, "beam": 4}, {"confidence": True}])
def test_one_document_and_other_options(
    options: dict[str, Any], corpus: list[str], model: Path, address: str, tmp_path: Path
) -> None:
    flags = [
        text for name, value in options.items() for text in (f"--{name}", *([] if value is True else [str(value)]))
    ]
    one = alone(model, corpus[:1], tmp_path / "one", *flags)
    run(corpus[:1], model, tmp_path / "out", Cluster(0, address), request=Request(**options))
    assert together(tmp_path / "out") == one


@pytest.mark.parametrize("kind", ["horizontal", "vertical"])
def test_words(kind: str, corpus: list[str], model: Path, address: str, tmp_path: Path) -> None:
    one = alone(model, [corpus[0], corpus[1]], tmp_path / "one", "--input", kind)
    run(corpus[:2], model, tmp_path / "out", Cluster(0, address), kind=kind)
    assert together(tmp_path / "out") == one


def test_a_model_goes_to_a_worker_once(
    corpus: list[str], model: Path, address: str, expected: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []
    load = Pipeline.from_bytes

    def count(data: bytes, name: str) -> Pipeline:
        loads.append(name)
        return load(data, name)

    monkeypatch.setattr(Pipeline, "from_bytes", count)
    models._kept.clear()
    run(corpus, model, tmp_path / "a", Cluster(0, address))
    run(corpus[:1], model, tmp_path / "b", Cluster(0, address))
    assert len(loads) == 1
    asked = iter(range(100))

    def forget(digest: str) -> Any:
        if next(asked) == 3:
            models._kept.clear()  # as if all workers were new
        return models.find_kept(digest)

    monkeypatch.setattr(shards, "find_kept", forget)
    run(corpus, model, tmp_path / "c", Cluster(0, address))
    assert len(loads) == 2
    assert together(tmp_path / "c") == expected


def test_a_run_that_is_stopped_goes_on(
    corpus: list[str], model: Path, address: str, expected: bytes, tmp_path: Path
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(corpus, model, folder, Cluster(0, address), Follower(7, stop))
    done = {path: path.stat().st_mtime_ns for path in folder.glob("*.conllu")}
    assert 7 == states(folder).count("finished") <= len(done)  # some may have been finished, and not told any more
    spoilt = folder / f"shard-{states(folder).index('finished') + 1:05}.conllu"
    spoilt.write_bytes(b"half of a shard")
    seen = Follower()
    run(corpus, model, folder, Cluster(0, address), seen)
    assert seen.finished + seen.done == len(states(folder))
    assert len(done) - 1 <= seen.finished < len(states(folder))
    assert together(folder) == expected
    assert [path for path, time in done.items() if path.stat().st_mtime_ns != time] == [spoilt]


def test_a_scheduler_that_is_lost(
    corpus: list[str], model: Path, address: str, expected: bytes, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    cluster = threads()
    with pytest.raises(SchedulerLost, match=r"at tcp://.* is lost; .* shards are finished, the same command goes on"):
        run(corpus, model, folder, Cluster(0, cluster.scheduler_address), Follower(4, cluster.close))
    kept = states(folder).count("finished")
    assert 4 <= kept < len(states(folder))
    seen = Follower()
    run(corpus, model, folder, Cluster(0, address), seen)
    assert kept <= seen.finished < len(states(folder))
    assert together(folder) == expected


KILLER = """
import os, signal
from dodona.distributed import shards

def write_some(items, path, write=shards.write):
    if path.endswith("shard-00003.conllu") and not os.path.exists({marker!r}):
        open({marker!r}, "w").close()
        with open(path + ".tmp", "wb") as stream:
            stream.write(b"half of a shard")
        os.kill(os.getpid(), signal.SIGKILL)
    write(items, path)

shards.write = write_some
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_that_is_killed(
    corpus: list[str], model: Path, expected: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "killed"
    (tmp_path / "killing_module.py").write_text(KILLER.format(marker=str(marker)))
    monkeypatch.syspath_prepend(tmp_path)  # which new processes get, too
    seen = Follower()
    run(corpus, model, tmp_path / "out", Cluster(1, None, ["killing_module"]), seen)
    assert marker.exists()
    assert seen.failures == []
    assert together(tmp_path / "out") == expected


HOLDER = """
import sys
from dodona.distributed.corpus import hold_folder

with hold_folder(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_runs_do_not_write_into_one_folder(corpus: list[str], model: Path, address: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"held\n"
            message = rf"out: another run writes into it \(process {other.pid} on .+\); expected its end, or another"
            with pytest.raises(DodonaError, match=message):
                run(corpus[:1], model, folder, Cluster(0, "tcp://127.0.0.1:1"))
            with pytest.raises(DodonaError, match=message):  # to be refused takes nothing from who has it
                run(corpus[:1], model, folder, Cluster(0, "tcp://127.0.0.1:1"))
        finally:
            other.kill()
    assert [path.name for path in folder.iterdir()] == [LOCK]  # it could not clean up
    run(corpus[:1], model, folder, Cluster(0, address))
    together(folder)


def test_a_lock_that_is_removed_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody opens the file while the one before him ends, and removes it."""
    folder = tmp_path / "out"
    opened: list[int] = []

    def lose(handle: int) -> bool:
        opened.append(handle)
        if len(opened) == 1:
            os.unlink(folder / LOCK)
        return files.lock(handle)

    monkeypatch.setattr(corpus_module, "lock", lose)
    with hold_folder(str(folder)):
        assert len(opened) == 2
        with pytest.raises(DodonaError, match=f"process {os.getpid()} on"), hold_folder(str(folder)):
            pass
        (folder / "kept").touch()
    assert [path.name for path in folder.iterdir()] == ["kept"]


def test_a_shard_that_fails_is_told_and_tried_again(
    corpus: list[str], model: Path, address: str, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.txt"
    lines = b"Zeus saw the oak.\n\n" * 60
    bad.write_bytes(lines + b"Hera \xff\n\n" + lines)
    seen = Follower()
    with pytest.raises(DodonaError, match=r"1 of \d+ shards failed, the first: .*bad\.txt:121: byte 0xff is not UTF-8"):
        run([corpus[0], str(bad)], model, tmp_path / "out", Cluster(0, address), seen)
    assert len(seen.failures) == 1
    found = states(tmp_path / "out")
    assert {"finished", "failed", "parsed"} == set(found)
    assert found.index("failed") == found.index("parsed") - 1  # what follows has no numbers yet
    with pytest.raises(DodonaError, match=r"bad\.txt:121"):
        run([corpus[0], str(bad)], model, tmp_path / "out", Cluster(0, address), seen)
    bad.write_bytes(lines)
    with pytest.raises(FormatError, match=r"bad\.txt with other contents than .* has now; expected the same"):
        run([corpus[0], str(bad)], model, tmp_path / "out", Cluster(0, address))


def test_a_folder_of_other_work(corpus: list[str], model: Path, address: str, tmp_path: Path) -> None:
    cluster, folder = Cluster(0, address), tmp_path / "out"
    run(corpus[:1], model, folder, cluster)
    other = tmp_path / "other.model"
    pipeline = whole()
    about = dict(pipeline.about)
    pipeline.about["note"] = "other"
    pipeline.save(other)
    pipeline.about = about
    nowhere = Cluster(0, "tcp://127.0.0.1:1")  # nobody is asked
    with pytest.raises(FormatError, match=r"out: its shards are those of model name 'small.model'; now it is 'other"):
        run(corpus[:1], other, folder, nowhere)
    renamed = tmp_path / "small.model"
    other.rename(renamed)
    with pytest.raises(FormatError, match=r"those of model sha256 '?\w{12}…'?; now it is"):
        run(corpus[:1], renamed, folder, nowhere)
    with pytest.raises(FormatError, match=r"option beam None; now it is 4; expected the same model, options and files"):
        run(corpus[:1], model, folder, nowhere, request=Request(beam=4))
    with pytest.raises(FormatError, match="option shard_size 300; now it is 299"):
        run(corpus[:1], model, folder, nowhere, size=299)
    with pytest.raises(FormatError, match="those of 1 files; now there are 2"):
        run(corpus[:2], model, folder, cluster)
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "notes").write_text("mine")
    with pytest.raises(FormatError, match=r"has files in it, but no manifest.json; expected an empty folder"):
        run(corpus[:1], model, strange, nowhere)
    (strange / "manifest.json").write_text('{"format": "dodona shards 1"}')
    with pytest.raises(FormatError, match=r"manifest\.json: is not the manifest of a folder of shards"):
        run(corpus[:1], model, strange, nowhere)


def test_input_that_cannot_be_read(corpus: list[str], model: Path, address: str, tmp_path: Path) -> None:
    cut = tmp_path / "cut.txt.gz"
    cut.write_bytes(gzip.compress(random.Random(1).randbytes(500))[:-20])
    with pytest.raises(FormatError, match=r"cut.txt.gz: cannot be read: the gzip data are cut off \(and 1 m"):
        run([corpus[0], str(cut), str(tmp_path / "none")], model, tmp_path / "out", Cluster(0, address))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["no/*.txt", "--scheduler", "local"], FormatError, r"no/\*.txt: no file has a name like this"),
        (["no.txt", "--scheduler", "local"], FormatError, "no.txt: there is no such file; expected a file, or a pat"),
        (["A text.", "--scheduler", "local"], OptionError, "A text.: expected the name of a file"),
        (["-", "--scheduler", "local"], OptionError, "-: expected the name of a file"),
        (["F", "--scheduler", "tcp://127.0.0.1:1"], DodonaError, "no Dask scheduler at tcp://127.0.0.1:1; expected an"),
        (["F", "--scheduler", "nonsense"], DodonaError, "no Dask scheduler at nonsense; expected an address like tcp"),
        (["F", "--scheduler", "tcp://x:1", "-j", "2"], OptionError, "--jobs: a cluster has as many processes as"),
        (["F", "--scheduler", "local", "--each"], OptionError, "--each writes an output for each file"),
        (["F", "--scheduler", "local", "--confidence", "--sort"], OptionError, "--sort needs all sentences in one"),
        (["F", "--scheduler", "local", "--format", "tree"], OptionError, "--format tree: --scheduler writes CoNLL-U"),
        (["F", "--scheduler", "local", "-o", "-"], OptionError, "expected -o with a folder, not standard output"),
        (["F", "--scheduler", "local", "-o", "F"], OptionError, "expected -o with a folder, not /"),
        (
            ["F", "--scheduler", "tcp://x:1", "--scheduler-tls", "certs"],
            OptionError,
            "--scheduler-tls: certificates",
        ),
        (
            ["F", "--scheduler", "tls://x:1", "--scheduler-tls", "certs"],
            OptionError,
            "certs: has no file ca.pem",
        ),
        (["F", "--scheduler-tls", "certs"], Exception, "--scheduler-tls needs --scheduler"),
        (["F", "--shard-size", "2"], Exception, "--shard-size needs --scheduler"),
    ],
)
def test_mistakes(
    arguments: list[str], error: type[Exception], message: str, corpus: list[str], model: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("dodona.distributed.cluster.ANSWER", 0.2)
    given = [corpus[0] if text == "F" else text for text in arguments]
    with pytest.raises(error, match=message):
        command.main([str(model), "-o", str(tmp_path / "out"), *given], standalone_mode=False)
    assert not (tmp_path / "out").exists()


def test_an_output_that_is_there_already_is_not_made_again(tmp_path: Path) -> None:
    """A worker may die after its last step, and before it says so."""
    task = shards.FinishTask(str(tmp_path / "part"), str(tmp_path / "out"), "x", 41, b"\n", False)
    (tmp_path / "part").write_bytes(b"# sent_id = x-1\n1\n\n# sent_id = x-2-2\n# text = # sent_id = x-1\n\n")
    for _ in range(2):
        assert shards.finish(task)["bytes"] == (tmp_path / "out").stat().st_size
        assert (tmp_path / "out").read_bytes().splitlines()[1::3] == [b"# sent_id = x-42", b"# sent_id = x-43-2"]
    assert b"# text = # sent_id = x-1\n" in (tmp_path / "out").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("asked", "pieces"), [(Request(), 0), (Request(max_length=100), 1), (Request(timeout=1e-9), 1)]
)
def test_a_worker_counts_what_was_parsed_in_pieces(
    asked: Request, pieces: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Because of its length, or of the time that it took."""
    (tmp_path / "in").write_text("the dog sees a cat\n" + "the dog " * 1200 + "\n")
    monkeypatch.setattr(shards, "find_kept", lambda digest: whole())
    size = (tmp_path / "in").stat().st_size
    task = shards.ParseTask(str(tmp_path / "in"), "horizontal", 0, size, 1, None, str(tmp_path / "out"), asked, False)
    counts = shards.parse(task, "digest")
    assert (counts["sentences"], counts["words"], counts["pieces"]) == (2, 2405, pieces)


def test_only_other_machines_need_dask(
    corpus: list[str], model: Path, expected: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DodonaError, match=r"pip install 'dodona\[dask\]'"):
        run(corpus, model, tmp_path / "out", Cluster(0, "tcp://127.0.0.1:1"))
    run(corpus, model, tmp_path / "out", Cluster(2))
    assert together(tmp_path / "out") == expected


def test_one_process_imports_nothing_of_it() -> None:
    program = (
        "import sys, dodona.cli.commands.parse; print([n for n in sys.modules if 'dask' in n or 'distributed' in n])"
    )
    assert printed(program) == "[]\n"
