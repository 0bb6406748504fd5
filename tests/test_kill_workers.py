"""The script that kills workers finds them, kills as many as it says, and compares the bytes."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "kill_workers.py"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_one_run() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--runs", "1", "--kills", "2"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=250,
    )
    first, last = done.stdout.splitlines()
    assert "killed  24 shards" in first
    assert first.endswith("same bytes")
    assert last == "1 of 1 runs finished with the same bytes"
    assert (done.returncode, done.stderr) == (0, "")
