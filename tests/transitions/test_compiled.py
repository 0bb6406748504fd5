"""The core is compiled, and the same files run by the interpreter give the same results."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import dodona
from dodona.transitions.system import COMPILED

ROOT = Path(__file__).parents[2]


def run_transcript(pythonpath: str) -> list[str]:
    """In a process of its own, with another hash seed each time."""
    environment = {**os.environ, "PYTHONPATH": pythonpath, "PYTHONHASHSEED": "random"}
    script = ROOT / "tests" / "transitions" / "transcript.py"
    done = subprocess.run(
        [sys.executable, str(script)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
        timeout=100,
    )
    return done.stdout.split()


def without_the_core(folder: str, names: list[str]) -> list[str]:
    """Leave out compiled files; only sentences, which the core does not use, have no other form."""
    kept = Path(folder).name in ("dodona", "data")  # the first has what all compiled modules share
    return [name for name in names if name.endswith(".pxd") or (name.endswith(".so") and not kept)]


def test_the_core_under_test_is_compiled() -> None:
    assert COMPILED


def test_compiled_and_interpreted_core_agree(tmp_path: Path) -> None:
    shutil.copytree(Path(dodona.__file__).parent, tmp_path / "dodona", ignore=without_the_core)
    compiled = run_transcript(os.environ.get("PYTHONPATH", ""))
    interpreted = run_transcript(str(tmp_path))
    assert (compiled[0], interpreted[0]) == ("compiled", "interpreted")
    assert compiled[1:] == interpreted[1:]
    assert int(compiled[1]) > 5_000


def test_same_results_every_time() -> None:
    found = os.environ.get("PYTHONPATH", "")
    assert run_transcript(found) == run_transcript(found)
