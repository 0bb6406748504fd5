"""`dodona experiment` from the outside, with a cluster of processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from samples.command_line import call_dodona
from samples.signals import hearing_interrupts
from samples.treebank_folder import treebank_folder

psutil = pytest.importorskip("psutil", reason="pip install 'dodona[experiments]'")  # Dask needs it, too
PATIENCE = 60  # seconds, for a machine with much else to do


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return treebank_folder(tmp_path_factory.mktemp("treebanks"), "en_a")


def test_the_list() -> None:
    done = call_dodona("experiment", "--list")
    assert done.returncode == 0, done.stderr
    for name in ("static-vs-dynamic", "exploration", "ambiguity", "nonmonotonic", "covington", "swap", "systems"):
        assert f" {name} " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing", "--treebanks", ".", "-o", "x"], 2, "unknown experiment 'nothing'; the experiments are: static-vs"),
        (["swap", "--treebanks", "none", "-o", "x"], 1, "none: no such folder; expected"),
        (["swap", "-o", "x"], 2, "missing option '--treebanks'"),
        (["swap", "--treebanks", "."], 2, "missing option '-o'"),
        ([], 2, "missing argument 'NAME'"),
        (["swap", "--treebanks", ".", "--limit", "1", "-o", "x"], 2, "1 is not in the range"),
    ],
)
def test_mistakes(arguments: list[str], code: int, message: str) -> None:
    done = call_dodona("experiment", *arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failed_run_is_told_and_the_table_made_of_the_rest(treebanks: Path, tmp_path: Path) -> None:
    (tmp_path / "en_x").mkdir()
    (tmp_path / "en_y").mkdir()
    for name in ("train", "dev", "test"):
        data = (treebanks / "en_a" / f"{name}.conllu.gz").read_bytes()
        (tmp_path / "en_y" / f"{name}.conllu.gz").write_bytes(data)
        if name != "train":
            (tmp_path / "en_x" / f"{name}.conllu.gz").write_bytes(data)
    (tmp_path / "en_x" / "train.conllu").write_text("1\ta\n\n")
    common = ["--treebanks", str(tmp_path), "--seeds", "1", "--iterations", "1", "--jobs", "0"]
    done = call_dodona("experiment", "covington", *common, "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "dodona: failed: en_x covington static" in done.stderr
    assert "train.conllu:1: 2 columns; expected 10" in done.stderr
    assert "Traceback" not in done.stderr
    assert "2 of 4 runs are missing." in done.stdout
    assert (tmp_path / "out" / "covington" / "accuracy.csv").read_text().splitlines()[1].startswith("en_x,,")
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2


def command(treebanks: Path, out: Path, jobs: int) -> list[str]:
    return [
        "experiment", "static-vs-dynamic", "--treebanks", str(treebanks), "--seeds", "2", "--iterations", "150",
        "--jobs", str(jobs), "-o", str(out),
    ]  # fmt: skip


def started(arguments: list[str], runs: Path, finished: int) -> "subprocess.Popen[str]":
    """Start the program, and wait until some runs are finished."""
    program = hearing_interrupts([sys.executable, "-m", "dodona", *arguments])
    pipe = subprocess.PIPE
    process = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
    end = time.monotonic() + PATIENCE
    while not runs.is_dir() or len(list(runs.glob("*.json"))) < finished:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "no run was finished"
        time.sleep(0.02)
    return process


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "static-vs-dynamic").iterdir())}


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_experiment_that_is_interrupted_goes_on_and_survives_a_killed_worker(
    treebanks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, runs = tmp_path / "out", tmp_path / "out" / "runs"
    process = started(command(treebanks, out, 2), runs, 1)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert psutil.wait_procs(workers, timeout=PATIENCE)[1] == []
    kept = {path.name: path.read_bytes() for path in runs.iterdir()}
    assert all(name.endswith(".json") for name in kept)  # nothing is half-written
    assert 1 <= len(kept) < 12

    seen = tmp_path / "seen"
    seen.mkdir()
    (tmp_path / "trace_of_imports.py").write_text(
        f"import os\nopen(os.path.join({str(seen)!r}, str(os.getpid())), 'w')\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    process = started(["--import", "trace_of_imports", *command(treebanks, out, 1)], runs, len(kept) + 1)
    (worker,) = (worker for server in psutil.Process(process.pid).children() for worker in server.children())
    worker.kill()
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told
    assert f"runs: {12 - len(kept)} to do, {len(kept)} finished earlier" in told
    assert len(list(runs.iterdir())) == 12
    assert len(list(seen.iterdir())) == 3  # this process, the worker that was killed, and the one after it
    assert {name: (runs / name).read_bytes() for name in kept} == kept  # finished runs are as they were

    done = call_dodona(*command(treebanks, tmp_path / "again", 0))
    assert done.returncode == 0, done.stderr
    assert tables(tmp_path / "again") == tables(out)  # the same seeds, the same tables


def test_tables_from_the_runs_that_are_finished(treebanks: Path, tmp_path: Path) -> None:
    common = ["--treebanks", str(treebanks), "--seeds", "2", "--iterations", "1", "--jobs", "0", "-o", str(tmp_path)]
    assert call_dodona("experiment", "covington", *common[:3], "1", *common[4:]).returncode == 0
    done = call_dodona("experiment", "covington", *common, "--no-runs")
    assert done.returncode == 0, done.stderr
    assert "2 of 4 runs are missing." in done.stdout
    assert len(list((tmp_path / "runs").iterdir())) == 2
