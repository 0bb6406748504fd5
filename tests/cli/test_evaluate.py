"""`dodona evaluate` from the outside."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from samples.command_line import call_dodona

from dodona import DodonaError
from dodona.cli.commands.evaluate import evaluate_command

SENTENCES = Path(__file__).parents[2] / "examples" / "sentences.conllu"
GOLD = "1\tOak\toak\tNOUN\t_\t_\t2\tnsubj:pass\t_\t_\n2\tleaves\tleaf\tVERB\t_\t_\t0\troot\t_\t_\n\n"
PLAIN = GOLD.replace("nsubj:pass", "nsubj")
HEADLESS = GOLD.replace("0\troot", "_\troot")
SPLIT = GOLD.replace("2\tleaves", "2\tleav").replace("\n\n", "\n") + "3\tes\tes\tX\t_\t_\t2\tdep\t_\t_\n\n"
BRACKETS = GOLD.replace("nsubj:pass", "[/bold]")


def evaluate(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return call_dodona("evaluate", *map(str, arguments), text=GOLD)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {
        "gold": GOLD,
        "plain": PLAIN,
        "twice": GOLD * 2,
        "headless": HEADLESS,
        "cycle": GOLD.replace("0\troot", "1\tdep"),
        "split": SPLIT,
        "other": GOLD.replace("Oak", "Elm"),
        "brackets": BRACKETS,
        "empty": "",
        "broken": "1\tOak\n\n",
    }
    paths = {name: tmp_path / f"{name}.conllu" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text)
    return paths


def test_a_file_against_itself() -> None:
    done = evaluate(SENTENCES, SENTENCES)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (las,) = [line for line in done.stdout.splitlines() if line.startswith("│ LAS  ") and line.count("│") == 9]
    assert [cell.strip() for cell in las.strip("│").split("│")][1:] == ["21"] * 3 + ["100.00"] * 4
    assert "without punctuation" in done.stdout


def test_json_has_every_number_by_name(files: dict[str, Path]) -> None:
    done = evaluate(
        files["gold"], files["plain"], files["gold"], "--by", "relation", "--by", "length", "--format", "json"
    )
    first, second, both = json.loads(done.stdout)
    assert first["files"] == [str(files["plain"])]
    assert first["scores"]["LAS"]["F1"] == 100.0
    assert first["attachment"]["LAS"] == {"all words": 50.0, "without punctuation": 50.0}
    assert first["relation"]["nsubj"] == {
        "gold": 0, "system": 1, "correct": 0, "precision": 0.0, "recall": None, "F1": 0.0
    }  # fmt: skip
    assert first["length"]["1-10"]["sentences"] == 1
    assert "distance" not in first
    assert second["attachment"]["LAS"]["all words"] == 100.0
    assert both["files"] == [str(files["plain"]), str(files["gold"])]
    assert both["significance"]["LAS"]["difference"] == 50.0
    assert both["significance"]["UAS"]["p randomization"] == 1.0


def test_tsv_has_a_number_a_line(files: dict[str, Path]) -> None:
    lines = evaluate(files["gold"], files["plain"], "--format", "tsv", "--by", "distance").stdout.splitlines()
    assert lines[0] == "files\ttable\trow\tcolumn\tvalue"
    assert {line.count("\t") for line in lines} == {4}
    assert f"{files['plain']}\tattachment\tLAS\tall words\t50.0" in lines
    assert f"{files['plain']}\tscores\tWords\taligned accuracy\t" in lines
    assert f"{files['plain']}\tdistance\troot\trecall\t100.0" in lines


def test_the_same_seed_gives_the_same_p(files: dict[str, Path], tmp_path: Path) -> None:
    gold, first, second = (tmp_path / name for name in ("a", "b", "c"))
    gold.write_text(GOLD * 30)
    first.write_text(PLAIN * 18 + GOLD * 12)
    second.write_text(GOLD * 18 + PLAIN * 12)
    outputs = [
        evaluate(gold, first, second, "--format", "json", "--seed", seed, "--shuffles", "500").stdout
        for seed in (7, 7, 8)
    ]
    assert outputs[0] == outputs[1] != outputs[2]
    assert 0.1 < json.loads(outputs[0])[2]["significance"]["LAS"]["p randomization"] < 0.6


def test_another_tokenization_still_has_the_scores_of_the_shared_task(files: dict[str, Path]) -> None:
    done = evaluate(files["gold"], files["split"], "--format", "json")
    assert done.returncode == 0
    (result,) = json.loads(done.stdout)
    assert set(result) == {"files", "scores"}
    assert result["scores"]["Words"]["recall"] == 50.0
    assert "word 2 of sentence 1 is 'leav'; expected 'leaves'" in done.stderr


def test_standard_input(files: dict[str, Path]) -> None:
    assert evaluate("-", files["gold"]).returncode == 0
    assert evaluate(files["gold"], "-").returncode == 0


def test_labels_that_look_like_markup(files: dict[str, Path]) -> None:
    done = evaluate(files["brackets"], files["brackets"], "--by", "relation")
    assert done.returncode == 0, done.stderr
    assert "[/bold]" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("gold",), 2, "missing argument 'SYSTEM'"),
        (("-", "-"), 2, "only one file can be '-'"),
        (("gold", "gold", "--by", "weather"), 2, "'weather' is not one of 'relation', 'length', 'distance'"),
        (("gold", "gold", "--shuffles", "0"), 2, "0 is not in the range x>=1"),
        (("gold", "missing.conllu"), 1, "missing.conllu: cannot be read: No such file"),
        (("gold", "empty"), 1, "empty.conllu: no sentences; expected"),
        (("gold", "broken"), 1, "broken.conllu:1: "),
        (("headless", "gold"), 1, "headless.conllu:2: word 2 of this sentence has HEAD '_'; expected"),
        (("gold", "headless"), 1, "headless.conllu:2: word 2 of this sentence has HEAD '_'; expected"),
        (
            ("gold", "other"),
            1,
            "other.conllu:1: the text of this sentence goes on with 'Elmleaves'; expected 'Oak",
        ),
        (("gold", "cycle"), 1, "cycle.conllu:1: no root in this sentence; expected a word with HEAD 0"),
        (("gold", "twice"), 1, "twice.conllu:4: the text of this sentence goes on with 'Oakleaves'; expected the end"),
        (("twice", "gold"), 1, "gold.conllu:1: the text of this sentence goes on with the end of the file; expected"),
        (("gold", "split", "--by", "length"), 1, "split.conllu:2: word 2 of sentence 1 is 'leav'; expected 'leaves'"),
        (("gold", "gold", "split"), 1, "split.conllu:2: word 2 of sentence 1 is 'leav'; expected 'leaves'"),
    ],
)
def test_errors_are_one_line_and_never_a_traceback(
    files: dict[str, Path], arguments: tuple[str, ...], code: int, message: str
) -> None:
    done = evaluate(*(files.get(argument, argument) for argument in arguments))
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_where_there_is_no_data_there_is_no_number(tmp_path: Path) -> None:
    """Gold has neither XPOS, FEATS nor lemmas, no `obj`, and the system no `nsubj`; all words are punctuation."""
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    bare = "1\tOak\t_\tPUNCT\t_\t_\t2\tnsubj\t_\t_\n2\tleaves\t_\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"
    gold.write_text(bare)
    system.write_text(bare.replace("nsubj", "obj").replace("Oak\t_", "Oak\toak"))
    (found,) = json.loads(evaluate(gold, system, "--by", "relation", "--format", "json").stdout)
    for name in ("XPOS", "UFeats", "Lemmas"):
        assert set(found["scores"][name].values()) == {None}
    assert found["scores"]["UPOS"]["F1"] == found["scores"]["AllTags"]["F1"] == 100.0
    assert found["attachment"]["UAS"] == {"all words": 100.0, "without punctuation": None}
    assert found["attachment"]["sentences"] == {"all words": 1, "without punctuation": 0}
    numbers = {name: [row[key] for key in ("precision", "recall", "F1")] for name, row in found["relation"].items()}
    assert numbers == {"nsubj": [None, 0.0, 0.0], "obj": [0.0, None, 0.0], "root": [100.0] * 3}
    lines = evaluate(gold, system, "--by", "relation", "--format", "tsv").stdout.splitlines()
    assert f"{system}\trelation\tobj\trecall\t" in lines
    table = evaluate(gold, system, "--by", "relation").stdout
    assert [cell.strip() for line in table.splitlines() if line.startswith("│ obj") for cell in line.split("│")] == [
        "", "obj", "0", "1", "0", "0.00", "–", "0.00", "",
    ]  # fmt: skip


def test_calibration_with_bars_and_a_diagram(tmp_path: Path) -> None:
    system, diagram = tmp_path / "system.conllu", tmp_path / "calibration.svg"
    lines = PLAIN.replace("nsubj\t_\t_", "nsubj\t_\tConfidence=0.25").replace("root\t_\t_", "root\t_\tConfidence=1")
    system.write_text(lines)
    gold = tmp_path / "gold.conllu"
    gold.write_text(GOLD)
    done = evaluate(gold, system, "--diagram", diagram)
    assert done.returncode == 0, done.stderr
    assert "Calibration (expected calibration error 12.50 %, Brier score 0.0312)" in done.stdout
    assert "·····◆··············" in done.stdout
    assert "███████████████████◆" in done.stdout
    assert "Errors found by reading the least sure part" in done.stdout
    assert "</svg>" in diagram.read_text()
    (found,) = json.loads(evaluate(gold, system, "--calibration", "--format", "json").stdout)
    assert found["errors_found"]["50 %"] == {
        "words read": 1, "errors": 1, "errors found": 100.0, "in whole sentences": 100.0,
    }  # fmt: skip
    (nothing,) = json.loads(evaluate(system, system, "--calibration", "--format", "json").stdout)
    assert nothing["errors_found"]["50 %"]["errors found"] is None


def test_a_diagram_without_matplotlib_is_an_error_before_any_work(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = [str(files["gold"]), str(tmp_path / "missing"), "--diagram", str(tmp_path / "diagram.svg")]
    with pytest.raises(DodonaError, match=r"need matplotlib: pip install 'dodona\[diagrams\]'"):
        evaluate_command.main(arguments, standalone_mode=False)
    assert not (tmp_path / "diagram.svg").exists()
