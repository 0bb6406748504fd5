"""What is missing on a machine is installed when nobody is there to ask, and asked about at a terminal."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PREPARE = Path(__file__).parent.parent / "scripts" / "prepare"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script for systems with a shell and apt-get")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The PATH of a machine without Python, where apt-get only notes what it is told."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "id").write_text("#!/bin/sh\necho 0\n")
    (programs / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/noted\n')
    for file in programs.iterdir():
        file.chmod(0o755)
    (programs / "env").symlink_to(str(shutil.which("env")))
    return tmp_path


def prepare(machine: Path, answer: str | None, **variables: str) -> str:
    """What was installed; with an answer, standard input is a terminal where it is typed."""
    environment = {"PATH": str(machine / "bin"), **variables}
    command = ["/bin/sh", str(PREPARE), str(machine / "venv")]
    terminal = None
    given = subprocess.DEVNULL
    if answer is not None:
        terminal, given = os.openpty()
        os.write(terminal, f"{answer}\n".encode())
    done = subprocess.run(
        command, env=environment, stdin=given, capture_output=True, text=True, check=False, timeout=30
    )
    if terminal is not None:
        os.close(terminal)
        os.close(given)
    assert done.returncode == 1, "Python is still missing"
    assert "Dodona needs Python 3.11 or newer" in done.stderr
    noted = machine / "noted"
    return noted.read_text() if noted.exists() else ""


def test_nobody_to_ask(machine: Path) -> None:
    assert "install -y -qq --no-install-recommends python3" in prepare(machine, None)


@pytest.mark.parametrize("answer", ["y", "Yes"])
def test_agreed(machine: Path, answer: str) -> None:
    assert "install -y" in prepare(machine, answer)


@pytest.mark.parametrize("answer", ["n", "", "what?"])
def test_not_agreed(machine: Path, answer: str) -> None:
    assert prepare(machine, answer) == ""


@pytest.mark.parametrize("name", ["CI", "DODONA_YES"])
def test_agreed_before(machine: Path, name: str) -> None:
    assert "install -y" in prepare(machine, "n", **{name: "true" if name == "CI" else "1"})
