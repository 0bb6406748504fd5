"""`dodona oracle` from the outside."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click import UsageError
from samples.command_line import call_dodona

from dodona import FormatError, OptionError, TreeError
from dodona.cli.commands.oracle import oracle

SENTENCES = Path(__file__).parents[2] / "examples" / "sentences.conllu"


def test_version_says_whether_the_core_is_compiled() -> None:
    assert "(compiled core)" in call_dodona("--version").stdout


def test_list_shows_every_system() -> None:
    shown = call_dodona("oracle", "--list").stdout
    for name in ("arc-eager", "arc-standard", "arc-hybrid", "easy-first", "nonmonotonic", "covington", "swap-standard"):
        assert name in shown


@pytest.mark.parametrize(
    "system", ["arc-eager", "arc-standard", "arc-hybrid", "easy-first", "nonmonotonic", "covington", "swap-standard"]
)
def test_derivation_of_each_system_reaches_the_gold_tree(system: str) -> None:
    done = call_dodona("oracle", str(SENTENCES), "--system", system)
    assert done.returncode == 0, done.stderr
    assert "the gold tree: 2 0 2 5 2 2" in done.stdout


def test_static_derivation_as_a_table() -> None:
    lines = call_dodona("oracle", str(SENTENCES), "-n", "letter").stdout.splitlines()
    (row,) = [line for line in lines if line.startswith("│  5 │")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "5",
        "wrote him",
        "a letter . ROOT",
        "SHIFT=0 REDUCE=0 RIGHT:*=1",
        "SHIFT",
        "",
    ]


def test_history_goes_on_with_the_dynamic_oracle() -> None:
    done = call_dodona("oracle", str(SENTENCES), "--history", "SHIFT LEFT:nsubj SHIFT SHIFT")
    assert "dynamic oracle" in done.stdout
    assert "a tree with 1 of 6 words wrong" in done.stdout


def test_swap_oracles() -> None:
    arguments = ("oracle", str(SENTENCES), "-n", "hearing", "-s", "swap-standard", "--oracle")
    assert "22 transitions" in call_dodona(*arguments, "eager").stdout
    assert "18 transitions" in call_dodona(*arguments, "lazy").stdout
    assert "18 transitions" in call_dodona(*arguments, "minimal").stdout
    assert "the gold tree" in call_dodona(*arguments, "nd-all").stdout


def test_a_history_that_puts_the_tree_out_of_reach_of_swap_standard() -> None:
    done = call_dodona("oracle", str(SENTENCES), "-s", "swap-standard", "--history", "SHIFT RIGHT:root")
    assert done.returncode == 0
    assert "cannot be reached" in done.stdout


def test_standard_input() -> None:
    assert "the gold tree" in call_dodona("oracle", "-", text=SENTENCES.read_text()).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("oracle",), 2, "missing argument"),
        (("oracle", "--nonsense"), 2, "no such option"),
        (("prophesy",), 2, "no such command"),
        (("oracle", "missing.conllu"), 1, "missing.conllu: cannot be read: No such file"),
        (("oracle", "-", "--system", "arc-lager"), 2, "the systems are: arc-eager"),
        (("oracle", "-", "--oracle", "delphic"), 2, "the oracles are: static, dynamic"),
        (("oracle", "-", "--oracle", "lazy"), 2, "arc-eager has no oracle 'lazy'; it has: static, dynamic"),
        (("oracle", "-", "-n", "99"), 2, "expected a number from 1 to 3"),
        (("oracle", "-", "-n", "hearing"), 1, "not projective"),
        (("oracle", "-", "-n", "hearing"), 1, "--approximate"),
        (("oracle", "-", "--history", "REDUCE"), 1, "REDUCE needs a word with a head"),
        (("oracle", "-", "--history", "SHIFT", "--oracle", "static"), 2, "one derivation only"),
        (("oracle", "-", "--root", "top"), 2, "'last', 'first', 'attach'"),
    ],
)
def test_errors_are_one_line_and_never_a_traceback(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = call_dodona(*arguments, text=SENTENCES.read_text())
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_empty_label_is_named_with_its_line() -> None:
    text = "# one\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\t\t_\t_\n\n"
    done = call_dodona("oracle", "-", text=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "dodona: -:3: word 2 of this sentence has DEPREL ''; expected the name of a relation\n"
    assert "the gold tree" in call_dodona("oracle", "-", "--unlabelled", text=text).stdout


def test_approximate_costs_of_a_tree_out_of_reach() -> None:
    done = call_dodona("oracle", str(SENTENCES), "-n", "hearing", "--approximate")
    assert done.returncode == 0
    assert "of 8 words wrong" in done.stdout


def test_a_closed_pipe_is_no_error_message() -> None:
    command = f"{sys.executable} -m dodona oracle {SENTENCES} -n hearing -s covington | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=100
    )
    assert done.stderr == ""


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    oracle.main(list(arguments), standalone_mode=False)
    return capfd.readouterr().out


def test_a_typed_sentence_is_parsed(capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, "--text", "One fell. Oak trees grow slowly.", "-n", "2", "--model", "en-fast", "--format", "json")
    found = json.loads(out)
    assert found["words"] == ["Oak", "trees", "grow", "slowly", "."]
    assert found["tree"]["heads"] == found["gold"]["heads"] == [2, 3, 0, 3, 3]
    assert found["gold"]["labels"][1] == "nsubj"


def test_a_tree_on_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, "--heads", "2 0 2", "--labels", "nsubj root obj", "--words", "she reads books")
    assert "LEFT:nsubj=0" in out
    assert "the gold tree: 2 0 2" in out
    out = run(capfd, "--heads", "2 0 2")
    assert "LEFT=0" in out
    assert "│ 1 2 3 ROOT │" in out


def test_formats_and_output(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    begins = {"table": "arc-eager · static", "json": "{", "latex": "% arc-eager", "html": "<!DOCTYPE html>"}
    for form, begin in begins.items():
        target = tmp_path / form
        assert run(capfd, "--heads", "2 0 2", "--format", form, "--output", str(target)) == ""
        assert target.read_text().startswith(begin)
        assert run(capfd, "--heads", "2 0 2", "--format", form) == target.read_text()
    page = (tmp_path / "html").read_text()
    assert page.count("<svg ") == 1
    assert page.count("<table ") == 1
    assert "6 transitions, the gold tree: 2 0 2" in page


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("-", "--heads", "2 0"), UsageError, "exclude each other"),
        (("-", "--labels", "a b"), UsageError, "go with --heads"),
        (("-", "--model", "en"), UsageError, "--model goes with --text"),
        (("--heads", "2 0", "--labels", "a"), OptionError, "1 labels; expected one for each of 2 heads"),
        (("--heads", "2 1"), FormatError, "--heads:1: no root in this sentence"),
        (
            ("--heads", "3 4 0 3"),
            TreeError,
            r"--heads: the heads \[3, 4, 0, 3\] are not projective.*--approximate shows",
        ),
        (
            ("--heads", " ".join(["3", "4", "0", *["3"] * 97])),
            TreeError,
            "--heads: the heads of this sentence of 100 words are not projective",
        ),
        (("--text", " ", "--model", "en-fast"), OptionError, "--text: no words"),
        (("--text", "One.", "--model", "en-fast", "-n", "2"), OptionError, "expected a number from 1 to 1"),
        (("--text", "One.", "--model", "en-fast", "-n", "²"), OptionError, "expected a number from 1 to 1"),
    ],
)
def test_errors_of_typed_sentences(arguments: tuple[str, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        oracle.main(list(arguments), standalone_mode=False)


WRONG = """
from dodona.systems.arc_hybrid import RULES, ArcHybrid
from dodona.systems.registry import Entry, register
from dodona.transitions.moves import SHIFT

class Wrong(ArcHybrid):
    def cost(self, s, gold, move, site):
        return 0 if move == SHIFT else super().cost(s, gold, move, site)

register(Entry("wrong", "none", Wrong, RULES, projective=True))
"""


def test_all_oracles_of_a_system_are_compared_with_search(capfd: pytest.CaptureFixture[str]) -> None:
    shown = run(capfd, "--verify", "2", "--system", "arc-hybrid").splitlines()
    assert shown == [
        "arc-hybrid: 1 word, 1 tree, 4 configurations, 3 costs: as search says",
        "arc-hybrid: 2 words, 3 trees, 12 configurations, 33 costs: as search says",
        "arc-hybrid single_root=True: 1 word, 1 tree, 4 configurations, 3 costs: as search says",
        "arc-hybrid single_root=True: 2 words, 2 trees, 9 configurations, 16 costs: as search says",
    ]
    named = run(capfd, "--verify", "1", "--system", "arc-eager", "--root", "attach", "--single-root", "--labels", "a b")
    assert (
        named == "arc-eager root=attach single_root=True: 1 word, 2 trees, 4 configurations, 6 costs: as search says\n"
    )


def test_what_differs_from_search_is_shown_with_a_way_to_look_at_it(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "dodona", "oracle", "--system", "wrong", "--import", "wrong", *arguments],
            env=os.environ | {"PYTHONPATH": path}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    done = call("--verify", "3")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "wrong: 1 word, 1 tree, 4 configurations, 3 costs: as search says"
    assert lines[1] == "wrong: 2 words, 3 trees, 12 configurations, 33 costs: 2 differences"
    assert lines[2] == "  SHIFT costs 0; search: 1; in [ROOT 1] [2]"
    assert lines[3] == '    dodona oracle --system wrong --heads "0 0" --history "SHIFT SHIFT"'
    assert '    dodona oracle --system wrong --single-root --heads "2 0" --history "SHIFT SHIFT"' in lines
    derived = call("--heads", "0 0", "--history", "SHIFT SHIFT")
    assert derived.returncode == 0, derived.stderr
    assert "SHIFT=0" in derived.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--verify", "2", "--heads", "0"), "--verify goes with --system"),
        (("--verify", "0"), "0 is not in the range"),
        (("--verify", "2", "--system", "arc-hybrid", "--root", "last"), "arc-hybrid has no option 'root'"),
        (("--verify", "2", "--system", "arc-eager", "--root", "here"), "root='here': expected one of"),
        (("--verify", "2", "--import", "no_such_module"), "--import no_such_module: No module named"),
    ],
)
def test_errors_of_verification(arguments: tuple[str, ...], message: str) -> None:
    done = call_dodona("oracle", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
