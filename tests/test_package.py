"""What the package says about itself, in one place each."""

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import dodona

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_one_version_number() -> None:
    command = [sys.executable, "-m", "dodona", "--version"]
    shown = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert shown.split()[:2] == ["dodona", dodona.__version__]
    assert version("dodona") == dodona.__version__
    assert "version" in PROJECT["dynamic"], "the number stands in dodona/__init__.py"


def test_every_licence_has_its_text() -> None:
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in PROJECT["license-files"]]
    assert PROJECT["license"] == "MIT AND CC-BY-SA-4.0"
    assert texts[0].startswith("MIT License")
    assert "SPDX-License-Identifier: CC-BY-SA-4.0" in texts[1]
