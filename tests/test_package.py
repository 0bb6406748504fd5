"""What the package says about itself, in one place each."""

import re
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


def test_changelog_and_citation_name_the_version() -> None:
    changes = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    (cited,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert (changes[0], cited) == (dodona.__version__, dodona.__version__)


def test_every_licence_has_its_text() -> None:
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in PROJECT["license-files"]]
    assert PROJECT["license"] == "MIT AND CC-BY-SA-4.0"
    assert texts[0].startswith("MIT License")
    assert "SPDX-License-Identifier: CC-BY-SA-4.0" in texts[1]
