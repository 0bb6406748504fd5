"""`dodona parse --format tree`: plain in files and pipes, coloured on a terminal."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from samples.treebank import treebank

from dodona import Sentence, draw
from dodona.cli.formats import write_trees

WRITE = "from dodona import *; from dodona.cli.formats import write_trees; write_trees(read('{}'), '-')"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one.conllu"
    words = Sentence.from_words(["the", "oak" * 30], ["DET", "NOUN"], heads=[2, 0], labels=["det", "root"])
    path.write_bytes(words.to_bytes())
    return path


def on_a_terminal(file: Path, code: str = WRITE, **environment: str) -> str:
    """What a terminal of 40 columns gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    usual = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    command = [sys.executable, "-c", code.format(file)]
    with subprocess.Popen(
        command, stdout=theirs, env=usual | {"TERM": "xterm"} | environment, stdin=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        seen = b""
        while chunk := _read(ours):
            seen += chunk
        assert process.wait() == 0
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_a_file_gets_titles_and_drawings(tmp_path: Path) -> None:
    sentences = treebank(3)
    write_trees(iter(sentences), str(tmp_path / "trees.txt"))
    blocks = (tmp_path / "trees.txt").read_text().split("\n\n")
    assert blocks.pop() == ""
    for sentence, block in zip(sentences, blocks, strict=True):
        assert block.split("\n") == [" ".join(sentence.words), *map(str, draw(sentence))]


def test_one_of_several_trees_says_which(tmp_path: Path) -> None:
    sentence = Sentence.from_words(["Rustle"], heads=[0], comments=["# text = Rustle", "# nbest = 2", "# score = 1.5"])
    write_trees([sentence], str(tmp_path / "trees.txt"))
    assert (tmp_path / "trees.txt").read_text().startswith("Rustle\ntree 2, score 1.5\n─ Rustle")


def test_a_terminal_gets_colours_and_no_line_that_is_too_long(file: Path) -> None:
    seen = on_a_terminal(file)
    assert "\x1b[36mNOUN" in seen
    plain = on_a_terminal(file, NO_COLOR="1")
    assert "\x1b" not in plain
    assert f" ╭─ {'the':<24}  DET   det" in plain
    assert f"─┴─ {('oak' * 8)[:23]}…  NOUN  root" in plain
    assert max(map(len, plain.split("\n"))) == 40


def test_errors_of_a_parse_are_coloured_and_marked(file: Path) -> None:
    code = "from dodona.cli.formats import *; from dodona import *; s = next(read('{}')); p = s.copy(); "
    code += "p.set_tree([0, 1], ['root', 'root']); write_trees([(s, p)], '-')"
    seen = on_a_terminal(file, code=code)
    assert "\x1b[1;31m✗" in seen
    assert "gold" in seen


def test_a_pipe_gets_everything(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITE.format(file)],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
        timeout=100,
    )
    assert "\x1b" not in done.stdout
    assert f"─┴─ {'oak' * 30}  NOUN  root" in done.stdout
