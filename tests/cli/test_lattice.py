"""`dodona lattice` from the outside."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.test_oracle import SENTENCES
from click import UsageError
from samples.command_line import call_dodona

from dodona import DodonaError, OptionError
from dodona.cli.commands.lattice import lattice
from dodona.research.lattice import Counts, Derivations

FIGURE_2 = ("--heads", "2 0 2", "--words", "John likes Mary")
TEXT = """\
swap-standard, nd-all: 2 derivations of 6 transitions; 9 configurations with 9 transitions
  6 transitions: 2
  E: eager, 6 transitions
  L: lazy, 6 transitions
  M: minimal, 6 transitions
0. ROOT | John likes Mary
     SHIFT → 1  [ELM]
1. ROOT John | likes Mary
     SHIFT → 2  [ELM]
2. ROOT John likes | Mary
     SHIFT → 3
     LEFT → 4  [ELM]
"""


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    lattice.main(list(arguments), standalone_mode=False)
    return capfd.readouterr()


def test_text(capfd: pytest.CaptureFixture[str]) -> None:
    out, err = run(capfd, *FIGURE_2)
    assert out.startswith(TEXT)
    assert out.endswith("8. ROOT |  (end)\n")
    assert err == ""


def test_svg_of_a_sentence_in_a_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        out, err = run(capfd, str(SENTENCES), "-n", "hearing", "-o", str(tmp_path / name))
        assert out == ""
        assert err.startswith("swap-standard, nd-all: 60 derivations of 18 to 28 transitions; 127 configurations")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    root = ElementTree.parse(tmp_path / "one.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_json_has_the_whole_graph(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, *FIGURE_2, "--format", "json", "-s", "arc-standard")
    found = json.loads(out)
    assert found["static"] == {"static": 7}
    assert found["by_length"] == {"7": 2}
    assert len(found["nodes"]) == found["configurations"] == 10
    assert len(found["edges"]) == found["transitions"] == 10
    assert found["nodes"][0] | {"labels": 0} == {
        "layer": 0, "stack": [], "buffer": [0, 1, 2, 3], "heads": [None] * 3, "labels": 0, "derivations": 2
    }  # fmt: skip
    assert found["edges"][0] == {"from": 0, "to": 1, "transition": "SHIFT", "static": ["static"]}


def test_dot_with_labels(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, str(SENTENCES), "--format", "dot", "-s", "easy-first", "--labelled")
    assert out.startswith("digraph {\n")
    assert '[label="LEFT:3:nsubj S", color="#0072b2", penwidth=2];' in out


def test_too_many_are_only_counted(capfd: pytest.CaptureFixture[str]) -> None:
    heads = " ".join(["0"] * 30)
    out, _ = run(capfd, "--heads", heads, "-s", "covington", "--format", "json")
    found = json.loads(out)
    assert found["derivations"] == 265252859812191058636308480000000
    assert found["nodes"] is None
    out, _ = run(capfd, "--heads", heads, "-s", "covington")
    assert out == (
        "covington, dynamic: 265,252,859,812,191,058,636,308,480,000,000 derivations of 30 to 465 transitions; "
        "466 configurations with 900 transitions\n"
    )


def test_numbers_of_thousands_of_digits(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """They are written whole; and Python refuses them again afterwards, as readers of models expect."""
    count, limit = Derivations.count, sys.get_int_max_str_digits()

    def many(self: Derivations, most: int) -> Counts:
        return replace(count(self, most), derivations=10**5000)

    monkeypatch.setattr(Derivations, "count", many)
    out, _ = run(capfd, *FIGURE_2)
    assert out.startswith(f"swap-standard, nd-all: 100{',000' * 1666} derivations")
    assert sys.get_int_max_str_digits() == limit


def test_long_lists_and_words_are_shortened(capfd: pytest.CaptureFixture[str]) -> None:
    words = " ".join(["extraordinarily", *"abcdefgh"])
    out, _ = run(capfd, "--heads", "0 1 2 3 4 5 6 7 8", "--words", words, "-s", "arc-eager")
    assert "0. | extraordina… a b c d e f …\n" in out
    assert "\n9. … b c d e f g h | ROOT\n" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Expected a FILE, or --heads, and not both."),
        ((str(SENTENCES), "--heads", "0"), 2, "and not both"),
        ((str(SENTENCES), "--words", "a"), 2, "--words goes with --heads"),
        (("--heads", "0", "--labelled"), 2, "--labelled with a FILE"),
        (("--heads", "2 x"), 2, "--heads '2 x': expected numbers"),
        (("--heads", ""), 2, "expected one for each"),
        (("--heads", "0 1", "--words", "a"), 2, "2 heads; expected one for each of 1 words"),
        (("--heads", "0 7"), 2, "expected numbers from 0 to 2"),
        (("--heads", "2 1"), 1, "no root in this sentence"),
        (("--heads", "0 3 2"), 1, "leads into a cycle"),
        (("--heads", "0", "-s", "magic"), 2, "unknown system 'magic'"),
        (("--heads", "0", "--oracle", "lazy"), 2, "no non-deterministic oracle 'lazy'; it has: nd-all, nd-sw"),
        (("--heads", "2 0 2 1 4", "-s", "arc-eager"), 1, "arc-eager builds projective trees only"),
        ((*FIGURE_2, "--format", "svg", "--max-nodes", "8"), 1, "too many to draw (--max-nodes 8)"),
        ((*FIGURE_2, "--max-configurations", "8"), 1, "more than 8 configurations"),
        ((*FIGURE_2, "-o", "/nowhere/x.svg"), 1, "/nowhere/x.svg: cannot be written"),
    ],
)
def test_errors(arguments: tuple[str, ...], code: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    expected = (UsageError, OptionError) if code == 2 else DodonaError
    with pytest.raises(expected) as caught:
        lattice.main(list(arguments), standalone_mode=False)
    assert message in str(getattr(caught.value, "message", caught.value))
    assert (code == 2) == isinstance(caught.value, UsageError | OptionError)
    assert "approximate" not in str(caught.value)
    assert capfd.readouterr().out == ""


def test_the_program_itself() -> None:
    done = call_dodona("lattice", *FIGURE_2, "--max-nodes", "8", "--format", "dot")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("dodona: swap-standard, nd-all: 2 derivations")


def test_the_limits_are_reached_and_not_passed(capfd: pytest.CaptureFixture[str]) -> None:
    """Nine configurations."""
    for option in ("--max-nodes", "--max-configurations"):
        out, _ = run(capfd, *FIGURE_2, option, "9")
        assert out.startswith(TEXT)
    assert run(capfd, *FIGURE_2, "--max-nodes", "8")[0] == TEXT.splitlines(keepends=True)[0]
    with pytest.raises(DodonaError, match="more than 8 configurations"):
        lattice.main([*FIGURE_2, "--max-configurations", "8"], standalone_mode=False)
