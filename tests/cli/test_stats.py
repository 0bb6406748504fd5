"""`dodona stats` from the outside."""

import gzip
import json
from itertools import product
from pathlib import Path

import pytest
from cli.test_oracle import SENTENCES
from samples.command_line import call_dodona

from dodona import read

CYCLE = "1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"


def test_swaps_as_json() -> None:
    done = call_dodona("stats", "--swaps", "--format", "json", str(SENTENCES))
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


def test_swaps_as_tsv_have_a_header_and_a_row_per_file() -> None:
    header, *rows = call_dodona("stats", "--swaps", "--format", "tsv", str(SENTENCES), "-", text="").stdout.splitlines()
    assert header.split("\t")[:3] == ["file", "sentences", "words"]
    assert [row.split("\t")[:3] for row in rows] == [[str(SENTENCES), "3", "21"], ["-", "0", "0"]]
    assert len({len(row.split("\t")) for row in (header, *rows)}) == 1


def test_table_names_files_without_their_common_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.conllu").write_text(SENTENCES.read_text())
    done = call_dodona(
        "stats", "--swaps", str(tmp_path / "one" / "train.conllu"), str(tmp_path / "two" / "train.conllu")
    )
    lines = [line.split()[0] for line in done.stdout.splitlines() if "train" in line]
    assert lines == ["one/train.conllu", "two/train.conllu"]


def test_swaps_of_a_sentence_that_has_no_end() -> None:
    """The odd words depend on the last one and the even ones on the first: of 200 words, 4,900 pairs are in the wrong
    order, and of 500 words more than 20,000."""

    def cross(n: int) -> str:
        heads = [0, *(1 if k % 2 == 0 else n for k in range(2, n)), 1]
        return "".join(f"{k}\ta\t_\t_\t_\t_\t{h}\tdep\t_\t_\n" for k, h in enumerate(heads, start=1)) + "\n"

    assert call_dodona("stats", "--swaps", "-", text=cross(200)).returncode == 0
    done = call_dodona("stats", "--swaps", "-", text=cross(200) + cross(500))
    expected = "expected at most 20,000 pairs of words that are not in projective order"
    assert (done.returncode, done.stdout) == (1, "")
    long = "".join(f"{k}\ta\t_\t_\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, 10_002)) + "\n"
    refused = call_dodona("stats", "--swaps", "-", text=long).stderr
    assert "-:1: a sentence of 10,001 words; expected at most 10,000 where swaps are counted" in refused
    assert f"-:202: too many swaps in a sentence of 500 words; {expected}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "text", "code", "message"),
    [
        (("stats",), "", 2, "missing argument"),
        (("stats", "-", "--format", "xml"), "", 2, "'xml' is not one of"),
        (("stats", "missing.conllu"), "", 1, "missing.conllu: cannot be read"),
        (("stats", "-"), CYCLE, 1, "-:1: word 1 of this sentence"),
        (("stats", "--swaps", "-"), CYCLE, 1, "-:1: no root in this sentence"),
        (("stats", "-"), "", 1, "-: no sentences"),
        (("stats", "-", "-o", "x.pdf"), "", 2, "no output ends with '.pdf' here"),
        (("stats", "-", "--swaps", "-t", "upos"), "", 2, "--swaps is a table of its own"),
    ],
)
def test_errors_are_one_line(arguments: tuple[str, ...], text: str, code: int, message: str) -> None:
    done = call_dodona(*arguments, text=text)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_treebanks_side_by_side(tmp_path: Path) -> None:
    text = SENTENCES.read_text()
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "xx-ud-train.conllu").write_text(text)
    (tmp_path / "bank" / "xx-ud-dev.conllu").write_text(text.replace("\tShe\t", "\tYou\t"))
    done = call_dodona("stats", str(tmp_path / "bank"), str(SENTENCES), "-t", "summary", "--format", "json")
    (result,) = json.loads(done.stdout)
    assert result["files"] == ["bank", str(SENTENCES).removesuffix(".conllu")]
    whole, one = result["summary"]["words"].values()
    assert (whole, one) == (42, 21)
    assert result["summary"]["unknown types of dev %"]["bank"] == pytest.approx(100 / 19)


def test_unknown_words_of_files_by_their_names(tmp_path: Path) -> None:
    for name, word in (("train", "She"), ("dev", "You"), ("test", "She")):
        (tmp_path / f"{name}.conllu").write_text(SENTENCES.read_text().replace("\tShe\t", f"\t{word}\t"))
    files = [str(tmp_path / f"{name}.conllu") for name in ("dev", "train", "test")]
    (result,) = json.loads(call_dodona("stats", *files, "-t", "summary", "--format", "json").stdout)
    row = result["summary"]["unknown types %"]
    assert row == {"dev": pytest.approx(100 / 19), "train": None, "test": 0.0}
    (result,) = json.loads(
        call_dodona("stats", files[1], "--train", files[0], "-t", "summary", "--format", "json").stdout
    )
    assert list(result["summary"]["unknown types %"].values()) == [pytest.approx(100 / 19)]


def test_files_belong_to_the_training_file_in_their_folder_with_their_beginning(tmp_path: Path) -> None:
    """Treebanks with other words, by their folders and by the beginnings of their names."""
    files: list[str] = []
    expected: dict[str, float | None] = {}
    words = list(dict.fromkeys(word for sentence in read(SENTENCES) for word in sentence.words if word.isalpha()))[1:]
    for i, (folder, name) in enumerate(product(("one", "two"), ("", "xx-ud-", "yy-ud-"))):
        (tmp_path / folder).mkdir(exist_ok=True)
        for part in ("dev", "train"):
            others = i if part == "dev" else 0  # words that only this file has
            text = SENTENCES.read_text()
            for word in words[:others]:
                text = text.replace(f"\t{word}\t", f"\t{word}{i}\t", 1)
            (tmp_path / folder / f"{name}{part}.conllu").write_text(text.replace("\tShe", f"\tShe{i}"))
            files.append(str(tmp_path / folder / f"{name}{part}.conllu"))
        counted = call_dodona("stats", *files[-2:], "-t", "summary", "--format", "json")
        (alone,) = json.loads(counted.stdout)
        values = alone["summary"]["unknown types %"].values()
        expected |= dict(zip((f"{folder}/{name}dev", f"{folder}/{name}train"), values, strict=True))
    (result,) = json.loads(call_dodona("stats", *files, "-t", "summary", "--format", "json").stdout)
    assert result["summary"]["unknown types %"] == expected


def test_the_name_of_the_output_says_the_format(tmp_path: Path) -> None:
    out = tmp_path / "order.csv.gz"
    assert call_dodona("stats", str(SENTENCES), "-t", "order", "-o", str(out)).returncode == 0
    lines = gzip.decompress(out.read_bytes()).decode().splitlines()
    assert lines[:2] == [",words,%", "nsubj before head,4,100.000000"]
    page = tmp_path / "all.html"
    assert call_dodona("stats", str(SENTENCES), "-o", str(page)).returncode == 0
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_programs_get_all_ambiguous_forms(tmp_path: Path) -> None:
    rows = [f"{i}\tw{i // 2}\t_\t{'NOUN' if i % 2 else 'VERB'}\t_\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, 100)]
    (tmp_path / "a.conllu").write_text("".join(rows) + "\n")
    shown = call_dodona("stats", str(tmp_path / "a.conllu"), "-t", "ambiguity").stdout
    assert shown.count("NOUN 1, VERB 1") == 20
    all_of_them = call_dodona("stats", str(tmp_path / "a.conllu"), "-t", "ambiguity", "--format", "tsv").stdout
    assert all_of_them.count("NOUN 1, VERB 1") == 49
