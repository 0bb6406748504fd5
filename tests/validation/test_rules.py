"""Each rule of levels 1 and 2 has a file that breaks it, and valid files break none."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from samples.bad_treebanks import BAD, enhanced, plain

from dodona.errors import FormatError, OptionError
from dodona.validation import RULES, validate, validate_chunks

FILES = {name: data for name, data in BAD.items() if name != "unreadable-file" and RULES[name].level < 3}


def rules(data: bytes, level: int = 2) -> set[str]:
    return {finding.rule for finding in validate_chunks([data], "it", level=level)}


@pytest.mark.parametrize("data", [plain(), enhanced(), b""])
def test_valid_files(data: bytes) -> None:
    assert list(validate_chunks([data], "it")) == []


@pytest.mark.parametrize("name", FILES)
def test_every_rule_is_broken_by_its_file(name: str) -> None:
    findings = [finding for finding in validate_chunks([FILES[name]], "bad.conllu") if finding.rule == name]
    assert findings
    for finding in findings:
        assert finding.file == "bad.conllu"
        assert finding.level == RULES[name].level
        assert finding.expected
        assert 1 <= finding.line <= FILES[name].count(b"\n") + 1


@pytest.mark.parametrize("level", [1, 2])
def test_a_level_has_no_rules_of_those_above(level: int) -> None:
    for name, data in FILES.items():
        broken = rules(data, level)
        assert (name in broken) == (RULES[name].level <= level)
        assert all(RULES[each].level <= level for each in broken)


@pytest.mark.parametrize("size", [17])
def test_any_chunks_give_the_same_findings(size: int) -> None:
    for data in FILES.values():
        whole = list(validate_chunks([data], "it"))
        assert list(validate_chunks((data[i : i + size] for i in range(0, len(data), size)), "it")) == whole


def test_place_sentence_and_value() -> None:
    (finding,) = validate_chunks([plain(("amod", "adj"))], "it")
    assert finding[:6] == ("it", 9, "one", "unknown-udeprel", 2, "adj")
    (finding,) = validate_chunks([plain(("6\tamod", "9\tamod"))], "it")
    assert (finding.line, finding.value, finding.expected) == (9, "9", "a number from 0 to 7")


def test_all_findings_of_a_file_are_reported() -> None:
    data = plain(("amod", "adj"), ("aux", "help"), ("DET", "ARTICLE"), ("12\tdet", "12\tart"))
    assert [(f.line, f.rule) for f in validate_chunks([data], "it")] == [
        (6, "unknown-udeprel"),
        (9, "unknown-udeprel"),
        (16, "unknown-upos"),
        (25, "unknown-udeprel"),
    ]


def test_spaces_for_tabs_are_named() -> None:
    data = plain(("5\told\told\tADJ\t_\t_\t6\tamod\t_\t_", "5 old old ADJ _ _ 6 amod _ _"))
    (finding,) = validate_chunks([data], "it")
    assert "spaces for tabs" in finding.expected


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu.gz"
    broken.write_bytes(gzip.compress(plain())[:-20])
    with pytest.raises(FormatError, match="cannot be read"):
        list(validate(broken))
    with pytest.raises(OptionError, match="level 6"):
        validate(broken, level=6)


def test_long_numbers_are_findings() -> None:
    long = "9" * 5000
    for old, new in (("\n5\t", f"\n{long}\t"), ("\n2-3\t", f"\n2-{long}\t"), ("6\tamod", f"{long}\tamod")):
        assert rules(plain((old, new)))
    for old, new in (("3:cc", f"{long}:cc"), ("3:cc", f"3.{long}:cc"), ("\n5.1\t", f"\n5.{long}\t")):
        assert rules(enhanced((old, new)))
    assert rules(plain(("tales/2", f"tales/2/alt{long}")))


@pytest.mark.skipif(shutil.which("udvalidate", path=os.path.dirname(sys.executable)) is None, reason="udtools")
def test_the_validator_of_ud_finds_nothing_else(tmp_path: Path) -> None:
    """It takes all files as one treebank, so the names of sentences are made different."""
    paths = []
    ours = ("annotation-marks", "annotation-status")
    for number, (name, data) in enumerate(FILES.items()):
        if name not in (
            *ours,
            "invalid-utf",
            "nul-character",
            "lone-return",
        ):  # these end it, or are other lines for it
            paths.append(tmp_path / f"{name}.conllu")
            named = data.replace(b"# sent_id = ", b"# sent_id = %d-" % number)
            paths[-1].write_bytes(named.replace(b"tales", b"tales" + name.encode().replace(b"-", b"")))
    program = shutil.which("udvalidate", path=os.path.dirname(sys.executable))
    assert program is not None
    options = ("--lang", "ud", "--level", "2", "--max-err", "0", "--no-warnings")
    process = subprocess.run(
        [program, *options, *map(str, paths)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    blamed = {path for path in paths if f"[File {path.name} Line" in process.stdout + process.stderr}
    assert [path.name for path in blamed if not list(validate(path))] == []
    assert [path.stem for path in paths if path not in blamed] == []


def test_lines_of_blank_lines() -> None:
    findings = [(f.line, f.rule) for f in validate_chunks([b"\n \n" + plain() + b"\n \n"], "it")]
    end = plain().count(b"\n") + 2
    assert findings == [
        (1, "extra-empty-line"),
        (2, "pseudo-empty-line"),
        (2, "extra-empty-line"),
        (end + 1, "extra-empty-line"),
        (end + 2, "pseudo-empty-line"),
        (end + 2, "extra-empty-line"),
    ]
    assert [(f.line, f.rule) for f in validate_chunks([b"\n\n"], "it")] == [
        (1, "extra-empty-line"),
        (2, "extra-empty-line"),
    ]
