"""`dodona stats` from the outside."""

import json
from pathlib import Path

import pytest
from cli.test_oracle import SENTENCES, dodona

CYCLE = "1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"


def test_json_has_every_number() -> None:
    done = dodona("stats", "--format", "json", str(SENTENCES))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (row,) = json.loads(done.stdout)
    assert row == {
        "file": str(SENTENCES),
        "sentences": 3,
        "words": 21,
        "projective_sentences_percent": 66.67,
        "nonprojective_arcs_percent": 4.76,
        "eager_swaps": 3,
        "lazy_reduction_percent": 66.67,
        "minimal_reduction_percent": 66.67,
        "minimal_given_up": 0,
        "unique_derivation_percent": 0.0,
        "labels": 11,
        "mean_length": 7.0,
        "longest": 8,
    }


def test_tsv_has_a_header_and_a_row_per_file() -> None:
    header, *rows = dodona("stats", "--format", "tsv", str(SENTENCES), "-", text="").stdout.splitlines()
    assert header.split("\t")[:3] == ["file", "sentences", "words"]
    assert [row.split("\t")[:3] for row in rows] == [[str(SENTENCES), "3", "21"], ["-", "0", "0"]]
    assert len({len(row.split("\t")) for row in (header, *rows)}) == 1


def test_table_names_files_without_their_common_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.conllu").write_text(SENTENCES.read_text())
    done = dodona("stats", str(tmp_path / "one" / "train.conllu"), str(tmp_path / "two" / "train.conllu"))
    lines = [line.split()[0] for line in done.stdout.splitlines() if "train" in line]
    assert lines == ["one/train.conllu", "two/train.conllu"]


@pytest.mark.parametrize(
    ("arguments", "text", "code", "message"),
    [
        (("stats",), "", 2, "Missing argument"),
        (("stats", "-", "--format", "xml"), "", 2, "'xml' is not one of"),
        (("stats", "missing.conllu"), "", 1, "missing.conllu: cannot be read"),
        (("stats", "-"), CYCLE, 1, "-:1: no root in this sentence"),
    ],
)
def test_errors_are_one_line(arguments: tuple[str, ...], text: str, code: int, message: str) -> None:
    done = dodona(*arguments, text=text)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
