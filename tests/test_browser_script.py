"""A browser for the tests is installed when nobody is there to ask, asked about at a terminal, never insisted on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "browser"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script for systems with a shell and apt-get")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The PATH of a machine without a browser, where apt-get only notes what it is told."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "id").write_text("#!/bin/sh\necho 0\n")
    (programs / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/noted\n')
    for file in programs.iterdir():
        file.chmod(0o755)
    (programs / "env").symlink_to(str(shutil.which("env")))
    return tmp_path


def installed(machine: Path, answer: str | None = None) -> str:
    """What was installed; with an answer, standard input is a terminal where it is typed."""
    terminal = None
    given = subprocess.DEVNULL
    if answer is not None:
        terminal, given = os.openpty()
        os.write(terminal, f"{answer}\n".encode())
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)], env={"PATH": str(machine / "bin")}, stdin=given, capture_output=True, text=True,
        check=False, timeout=30,
    )  # fmt: skip
    if terminal is not None:
        os.close(terminal)
        os.close(given)
    assert done.returncode == 0
    has = (machine / "bin" / "chromium").exists()
    assert ("are left out" in done.stderr) != has
    noted = machine / "noted"
    return noted.read_text() if noted.exists() else ""


def test_installed_when_nobody_is_there_or_somebody_agrees(machine: Path) -> None:
    assert installed(machine, "n") == ""
    assert "install -y -qq --no-install-recommends chromium chromium-driver" in installed(machine)


def test_somebody_agrees(machine: Path) -> None:
    assert "install -y" in installed(machine, "y")


def test_nothing_to_do(machine: Path) -> None:
    for name in ("chromium", "chromedriver"):
        (machine / "bin" / name).symlink_to("/bin/true")
    assert installed(machine) == ""


def test_no_apt_and_no_root(machine: Path) -> None:
    (machine / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    assert installed(machine) == ""
