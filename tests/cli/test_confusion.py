"""`dodona evaluate --confusion` from the outside."""

import json
import re
from pathlib import Path

import pytest
from cli.test_evaluate import SENTENCES, evaluate

from dodona.cli.commands.evaluate import evaluate_command


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parsed") / "parsed.conllu"
    text = SENTENCES.read_text().replace("2\tiobj", "2\tobj").replace("7\tcase", "4\tmark")
    path.write_text(text.replace("on\tADP", "on\tPART"))
    return path


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    evaluate_command.main(list(map(str, arguments)), standalone_mode=False)
    return capfd.readouterr().out


def test_tables_and_trees(parsed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, SENTENCES, parsed, "--confusion")
    assert "│ case → mark │     1 │    100.00 │            0 │" in out
    assert "│ iobj → obj  │     1 │    100.00 │            1 │" in out
    assert "│ ADP → PART │     1 │    100.00 │" in out
    (line,) = [line for line in out.splitlines() if line.startswith("│ right 2 ")]
    assert [cell.strip() for cell in line.strip("│").split("│")][-2:] == ["3", "66.67"]
    drawn = out[out.index(f"{SENTENCES}:") :].splitlines()
    assert drawn[0].endswith("sentence 1 (letter); of 6 words, ✗ 0 other heads, ≠ 1 other relations only")
    assert drawn[1].split() == ["gold", "system"]
    assert "≠" in drawn[4]
    assert sum("✗" in line for line in drawn[9:]) == 2
    assert "relations by relations" not in out


def test_json_has_the_matrices_and_the_trees(parsed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (found,) = json.loads(run(capfd, SENTENCES, parsed, "--confusion", "--format", "json", "--worst", "1"))
    assert found["relations by relations"]["iobj"]["obj"] == 1
    assert found["relations by relations"]["iobj"]["iobj"] == 0
    assert found["UPOS by UPOS"]["ADP"] == {tag: int(tag == "PART") for tag in found["UPOS by UPOS"]["ADP"]}
    assert found["heads"]["right 2"]["left 1"] == 1
    assert found["worst sentences"] == {
        "1": {
            "words": 6,
            "other head": 0,
            "other relation": 1,
            "LAS": pytest.approx(100 * 5 / 6),
            "sent_id": "letter",
            "text": "She wrote him a letter .",
            "gold": "2:nsubj 0:root 2:iobj 5:det 2:obj 2:punct",
            "system": "2:nsubj 0:root 2:obj 5:det 2:obj 2:punct",
        }
    }


def test_tsv_has_a_number_a_line(parsed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, SENTENCES, parsed, "--confusion", "--format", "tsv").splitlines()
    assert {line.count("\t") for line in lines} == {4}
    assert f"{parsed}\trelations by relations\tiobj\tobj\t1" in lines
    assert f"{parsed}\tworst sentences\t3\tother head\t1" in lines


def test_a_tab_in_a_name_breaks_no_line(parsed: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    named = tmp_path / "named.conllu"
    named.write_text(SENTENCES.read_text().replace("sent_id = letter", "sent_id = let\tter"))
    lines = run(capfd, named, parsed, "--confusion", "--format", "tsv").splitlines()
    assert {line.count("\t") for line in lines} == {4}
    assert f"{parsed}\tworst sentences\t1\tsent_id\tlet ter" in lines


def test_without_data_there_is_a_dash(capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, SENTENCES, SENTENCES, "--confusion")
    assert sum(set(line.strip("│").replace("│", " ").split()) == {"–"} for line in out.splitlines()) == 3
    assert f"{SENTENCES}:" not in out


def test_two_systems_have_both(parsed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capfd, SENTENCES, SENTENCES, parsed, "--confusion", "--format", "json"))
    assert [len(each.get("worst sentences", ())) for each in found] == [0, 2, 0]


def test_other_words_are_an_error(tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    other.write_text("1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    done = evaluate(other, SENTENCES, "--confusion")
    assert done.returncode == 1
    assert done.stdout == ""


def test_people_see_the_most_frequent_and_programs_all(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of relations and of tags."""
    for name, sign in (("gold", "a"), ("parsed", "b")):
        rows = (f"{k}\tw\t_\t{sign}{k}\t_\t_\t{k - 1}\t{sign}{k}\t_\t_\n" for k in range(1, 22))
        (tmp_path / name).write_text("".join(rows) + "\n")
    files = (tmp_path / "gold", tmp_path / "parsed")
    for form in ("table", "markdown", "html", "latex"):
        out = run(capfd, *files, "--confusion", "--worst", "0", "--format", form)
        assert len(re.findall(r"a\d+ (→|\S+arrow\S*) b\d+", out)) == 2 * 20, form
    (found,) = json.loads(run(capfd, *files, "--confusion", "--format", "json"))
    assert len(found["confused relations"]) == len(found["confused UPOS"]) == 21
