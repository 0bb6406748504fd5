"""What is missing on a machine is installed when nobody is there to ask, and asked about at a terminal: Python and a
compiler, without which nothing can be done, and a browser for the tests, which nobody insists on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
FIRST_PACKAGE = {"prepare": "python3", "browser": "chromium"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts for systems with a shell and apt-get")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The PATH of a machine without Python and browser, where apt-get only notes what it is told."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "id").write_text("#!/bin/sh\necho 0\n")
    (programs / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/noted\n')
    for file in programs.iterdir():
        file.chmod(0o755)
    (programs / "env").symlink_to(str(shutil.which("env")))
    return tmp_path


def run(script: str, machine: Path, answer: str | None = None, **variables: str) -> str:
    """What was installed; with an answer, standard input is a terminal where it is typed."""
    terminal = None
    given = subprocess.DEVNULL
    if answer is not None:
        terminal, given = os.openpty()
        os.write(terminal, f"{answer}\n".encode())
    done = subprocess.run(
        ["/bin/sh", str(SCRIPTS / script), str(machine / "venv")],
        env={"PATH": str(machine / "bin"), **variables},
        stdin=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    if terminal is not None:
        os.close(terminal)
        os.close(given)
    if script == "prepare":
        assert done.returncode == 1, "Python is still missing"
        assert "Dodona needs Python 3.11 or newer" in done.stderr
    else:
        assert done.returncode == 0
        assert ("are left out" in done.stderr) != (machine / "bin" / "chromium").exists()
    noted = machine / "noted"
    return noted.read_text() if noted.exists() else ""


@pytest.mark.parametrize("script", FIRST_PACKAGE)
def test_nobody_to_ask(machine: Path, script: str) -> None:
    assert f"install -y -qq --no-install-recommends {FIRST_PACKAGE[script]}" in run(script, machine)


@pytest.mark.parametrize("script", FIRST_PACKAGE)
@pytest.mark.parametrize("answer", ["y", "Yes"])
def test_agreed(machine: Path, script: str, answer: str) -> None:
    assert "install -y" in run(script, machine, answer)


@pytest.mark.parametrize("script", FIRST_PACKAGE)
@pytest.mark.parametrize("answer", ["n", "", "what?"])
def test_not_agreed(machine: Path, script: str, answer: str) -> None:
    assert run(script, machine, answer) == ""


@pytest.mark.parametrize("script", FIRST_PACKAGE)
@pytest.mark.parametrize("name", ["CI", "DODONA_YES"])
def test_agreed_before(machine: Path, script: str, name: str) -> None:
    assert "install -y" in run(script, machine, "n", **{name: "true" if name == "CI" else "1"})


@pytest.mark.parametrize("script", FIRST_PACKAGE)
def test_no_root_and_no_sudo(machine: Path, script: str) -> None:
    (machine / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    assert run(script, machine) == ""


def test_no_apt(machine: Path) -> None:
    (machine / "bin" / "apt-get").unlink()
    assert run("browser", machine) == ""


def test_a_browser_is_there(machine: Path) -> None:
    for name in ("chromium", "chromedriver"):
        (machine / "bin" / name).symlink_to("/bin/true")
    assert run("browser", machine) == ""
