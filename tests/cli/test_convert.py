"""`dodona convert`: formats by name, by content and as they are given."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from samples.bad_treebanks import plain

from dodona.cli.commands.convert import convert_command
from dodona.data import read
from dodona.errors import DodonaError


def run(*arguments: str | Path) -> str:
    """Standard error of a conversion."""
    done = CliRunner().invoke(convert_command, [str(argument) for argument in arguments])
    if done.exception is not None:
        raise done.exception
    return done.stderr


def test_formats_by_name(tmp_path: Path) -> None:
    source, x, again = tmp_path / "a.conllu", tmp_path / "a.conllx.gz", tmp_path / "b.conllu.xz"
    source.write_bytes(plain())
    said = run(source, "-o", x)
    assert said.count("\n") == 1
    assert "conllx has no room for all; lost, with the number of sentences: MISC (3), comments (3), multiword" in said
    assert run(x, "-o", again) == ""
    assert [s.heads for s in read(again)] == [s.heads for s in read(source)]
    run(source, "-o", tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text().startswith("She doesn't see")


def test_formats_as_given_and_by_content(tmp_path: Path) -> None:
    words, treebank = tmp_path / "words", tmp_path / "treebank"
    words.write_text("Oak trees grow .\n")
    assert run(words, "--from", "horizontal", "-o", treebank, "--to", "conllu") == ""
    run(treebank, "-o", tmp_path / "back", "--to", "horizontal")
    assert (tmp_path / "back").read_bytes() == words.read_bytes()


def test_errors(tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("Oak trees grow .\n")
    with pytest.raises(DodonaError, match="expected --from horizontal or vertical"):
        run(words, "--to", "conllu")
    with pytest.raises(DodonaError, match="would take the place of the input"):
        run(words, "--from", "vertical", "--to", "text", "-o", words)
    with pytest.raises(SystemExit) as ended:
        run(words, "-o", tmp_path / "what")
    assert ended.value.code == 2
    assert not (tmp_path / "what").exists()


def test_marks_are_those_of_conllu(tmp_path: Path) -> None:
    """CoNLL-X has another column in the place of MISC."""
    old = tmp_path / "old.conllx"
    old.write_text("1\tw\tw\tX\tX\t_\t0\troot\t_\tConfirmed=arc\n\n")
    assert run(old, "--remove-marks", "-o", tmp_path / "new.conllx") == ""
    assert (tmp_path / "new.conllx").read_bytes() == old.read_bytes()
