"""`dodona validate`: what it prints, what it repairs, and how it ends."""

import csv
import gzip
import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples.bad_treebanks import BAD, plain
from samples.command_line import call_dodona_with_bytes

from dodona.cli.commands import validate
from dodona.cli.commands.validate import validate_command


def run(*arguments: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return call_dodona_with_bytes("validate", *arguments, given=given)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.conllu"
    path.write_bytes(BAD["unknown-upos"].replace(b"DET", b"ART"))
    return path


def test_findings_and_summary(bad: Path) -> None:
    done = run(bad, "--max", "2")
    assert done.returncode == 1
    shown = done.stdout.decode()
    assert f"{bad}:9 (one): unknown-upos, level 2: JJ; expected one of ADJ" in shown
    assert shown.count("unknown-upos, level 2") == 2
    assert "unknown-upos       2          6" in shown
    assert run(bad, "--level", "1").returncode == 0


def test_json_and_tsv(bad: Path) -> None:
    found = json.loads(run(bad, "--format", "json", "--max", "1").stdout)
    assert found["findings"][0]["rule"] == "unknown-upos"
    assert found["findings"][0]["line"] == 9
    assert found["summary"][str(bad)]["rules"]["unknown-upos"] == 6
    header, *rows = run(bad, "--format", "tsv").stdout.decode().splitlines()
    assert header.split("\t") == ["file", "line", "sentence", "rule", "level", "value", "expected"]
    assert all(len(row.split("\t")) == 7 for row in rows)
    assert rows[0].split("\t")[:6] == [str(bad), "9", "one", "unknown-upos", "2", "JJ"]


def test_findings_in_a_file_are_never_cut(tmp_path: Path) -> None:
    many = tmp_path / "many.conllu"
    many.write_bytes(BAD["unknown-upos"] * 30)
    shown = run(many, "--level", "2").stdout.decode()
    assert shown.count(": unknown-upos, level 2") == 20
    found = json.loads(run(many, "--level", "2", "--format", "json").stdout)
    total = found["summary"][str(many)]["findings"]
    assert total > 30
    assert len(found["findings"]) == total
    for name in ("a.csv", "a.tsv.gz", "a.jsonl", "a.md"):
        assert run(many, "--level", "2", "-o", tmp_path / name).returncode == 1
    lines = gzip.decompress((tmp_path / "a.tsv.gz").read_bytes()).decode().splitlines()
    assert len(lines) == total + 1
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == total
    with open(tmp_path / "a.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == total
    done = run(many, "-o", many, "--format", "csv")
    assert (done.returncode, b"take the place" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ([1], "1 finding in 1 file;"), ([2], "2 findings in 1 file;"), ([0, 1], "1 finding in 1 file;"),
        ([1, 1], "2 findings in 2 files;"), ([1000], "1,000 findings in 1 file;"),
    ],
)  # fmt: skip
def test_how_much_was_found(broken: list[int], said: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{k}.conllu" for k in range(len(broken))]
    for file, count in zip(files, broken, strict=True):
        name = "# sent_id = {}\n# text = w\n1\tw\tw\tNOUN\t_\t_\t0\t{}\t_\t_\n\n"
        text = "".join(name.format(k, "rooot") for k in range(count)) + name.format("last", "root")
        file.write_text(text)
    shown = run(*files, "--level", "2").stdout.decode().splitlines()
    assert shown[-1] == f"{said} what the rules mean: docs/validation.md"


def test_standard_input_and_files_that_are_not_there(tmp_path: Path) -> None:
    done = run("-", "--level", "2", given=plain())
    assert (done.returncode, done.stdout) == (0, b"-: valid (levels 1 to 2)\n")
    done = run(tmp_path / "none.conllu", "-", "--level", "2", given=plain())
    assert done.returncode == 1
    assert b"unreadable-file" in done.stdout
    assert done.stderr == b""


def test_repair_to_a_file(tmp_path: Path) -> None:
    source, target = tmp_path / "source.conllu", tmp_path / "target.conllu.gz"
    source.write_bytes(plain().replace(b"\n", b"\r\n"))
    done = run(source, "--fix", "-o", target)
    assert done.returncode == 0
    assert f"{source}: repaired: non-unix-newline {len(plain().splitlines())}".encode() in done.stderr
    assert gzip.decompress(target.read_bytes()) == plain()
    done = run(source, "--fix", "-o", "-")
    assert (done.returncode, done.stdout) == (0, plain())


def test_repair_in_place(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.conllu", tmp_path / "bad.conllu"
    good.write_bytes(plain())
    bad.write_bytes(BAD["extra-empty-line"].replace(b"ADJ", b"JJ"))
    before = good.stat().st_mtime_ns
    done = run(good, bad, "--fix", "--in-place")
    assert done.returncode == 1  # the tag is still wrong
    assert good.stat().st_mtime_ns == before
    assert bad.read_bytes() == plain().replace(b"ADJ", b"JJ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.conllu", "good.conllu"]


def test_a_file_that_cannot_be_read_to_its_end_is_not_repaired(tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu.gz"
    broken.write_bytes(gzip.compress(BAD["extra-empty-line"] * 20)[:-9])
    before = broken.read_bytes()
    done = run(broken, "--fix", "--in-place")
    assert done.returncode == 1
    assert b"cannot be read" in done.stderr
    assert broken.read_bytes() == before
    assert list(tmp_path.iterdir()) == [broken]


@pytest.mark.parametrize(
    "arguments",
    [
        "x --level 4",
        "x -o y.txt",
        "x --in-place",
        "x --fix",
        "x y --fix -o z",
        "- --fix --in-place",
        "x --fix -o y --in-place",
    ],
)
def test_wrong_usage(arguments: str) -> None:
    done = CliRunner().invoke(validate_command, arguments.split())
    assert done.exit_code == 2


def test_without_udtools_it_is_said_which_levels_were_checked(bad: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "has_udtools", lambda: False)
    bad.write_bytes(plain())
    done = CliRunner().invoke(validate_command, [str(bad)])
    assert done.exit_code == 0
    assert f"{bad}: valid (levels 1 to 2)" in done.output
    assert "Only levels 1 and 2 were checked" in done.output
    assert "pip install 'dodona[validate]'" in done.output
    assert "pip install" not in CliRunner().invoke(validate_command, [str(bad), "--level", "2"]).output
