"""The page for newcomers works: its commands are run as they are printed, and give what it says they give."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dodona import read

PAGE = Path(__file__).parent.parent / "docs" / "getting_started.md"
BLOCK = re.compile(r"^```(bash|text)\n(.*?)^```", re.M | re.S)


def steps() -> list[tuple[str, list[str]]]:
    """The commands of the page, each with the lines that it shows below them."""
    found: list[tuple[str, list[str]]] = []
    for kind, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "bash":
            found.append((content, []))
        else:
            found[-1][1].extend(content.splitlines())
    return found


@pytest.mark.skipif(os.name == "nt", reason="the page is for a shell")
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    for name, words in (("dodona", [sys.executable, "-m", "dodona"]), ("python", [sys.executable])):
        (bin / name).write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
        (bin / name).chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}
    assert len(steps()) >= 8
    for commands, expected in steps():
        done = subprocess.run(
            ["bash", "-euc", commands], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, encoding="utf-8", timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (commands, done.stderr)
        shown = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        for line in expected:
            assert any(each.startswith(line) for each in shown), (line, shown)
    assert len(list(read(folder / "story.conllu"))) == 9
    assert (folder / "tree.svg").read_text().startswith("<svg ")
    assert (folder / "story.html").read_text().count("<svg ") == 9
    assert (folder / "errors.html").exists()
