"""Each rule of levels 1 and 2 has a file that breaks it, and valid files break none."""

import difflib
import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from samples.bad_treebanks import BAD, enhanced, plain

from dodona.errors import FormatError, OptionError
from dodona.validation import RULES, Finding, content, validate, validate_chunks, validator

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


ROW = "5\told\told\tADJ\t_\t_\t6\tamod\t_\t_"
MORE = {  # where a value or what is expected is a part of something longer, or has a second form
    "crlf-and-cr": plain(("# newdoc\n", "# newdoc\r\n"), ("\n\n# sent_id = two", "\r\n\r\n# sent_id = two")),
    "cr-before-crlf": plain(("# newdoc\n", "# new\rdoc\r\n")),
    "blank-lines-before": b"\xef\xbb\xbf \n\n" + plain(),
    "blank-lines-after": plain() + b" \n\n",
    "no-word": plain(("# newdoc", "# alone\n\n# newdoc")),
    "utf-at-the-begin": b"\xff# x\n" + plain(),
    "utf-in-a-long-line": plain(("She doesn't see", "She doesn't sée")).replace("é".encode(), b"\xe9"),
    "denormalized": plain(("# newdoc", "# newdoc\n# " + "e\u0301" * 18 + "e"), ("# newpar", "# " + "e\u0301" * 20)),
    "spaces-for-tabs": plain((ROW, ROW.replace("\t", " "))),
    "one-column": plain((ROW, "5")),
    "eleven-columns": plain((ROW, f"{ROW}\t_")),
    "blanks": plain((ROW, "5\t old\told \tA DJ\t_\t_\t6\tamod\t_\ta  b")),
    "blanks-in-a-range": plain(("\tdoesn't\t_\t_", "\tdoesn't\ta b\t_"), ("2-3\tdoesn't\ta b" + "\t_" * 7,
                               "2-3\tdoesn't\ta b" + "\t_" * 6 + "\tc d")),
    "empty-columns": plain((ROW, "5\told\t\tADJ\t_\t_\t6\tamod\t_\t")),
    "no-words": enhanced(("# sent_id = five", "# sent_id = none\n1-2\tw" + "\t_" * 8 + "\n\n# sent_id = five")),
    "empty-node-in-a-range": plain(("\n2\tdoes", "\n1.1\tw" + "\t_" * 6 + "\t0:root\t_\n2\tdoes")),
    "range-with-all-columns": plain(("2-3\tdoesn't" + "\t_" * 8, "2-3\tdoesn't\ta\tb\tc\td\te\tf\tg\t_")),
    "features": plain(("Case=Nom|Number=Sing", "Number=Sing,Plur|Case=Nom|Case=Acc,Acc|case=x")),
    "subtypes": plain(("\tamod\t", "\tadj:big\t"), ("4\tnsubj", "4\tNsubj:x")),
    "attributes": plain((ROW, ROW[:-1] + "Ref=1|Lang=a|Ref=2|Gloss=a|Lang=b|Gloss=c")),
    "marks": plain((ROW, ROW[:-1] + "Changed=lemma,upos|Confirmed=arc,nothing|Changed=arc")),
    "values-of-spaces": plain((ROW, ROW[:-1] + "A=b|SpaceAfter=no|NoSpaceAfter=Yes")),
    "parallel-sequence": plain(("# newpar", "# newpar\n# parallel_id = tales/2/alt1")),
    "document-after-no-space": plain(("3\tpunct\t_\t_", "3\tpunct\t_\tSpaceAfter=No"), ("# newpar", "#  newdoc x")),
    "long-text": plain(("# text = The o ak.", "# text = The o ak. And whatever else there is to be said of it \u3000")),
    "other-text": plain(("# text = The wind moves a leaf", "# text = The wind moved a leaf, or another one, or none")),
    "no-space": plain(("# text = The wind moves a leaf of", "# text = The windmoves a leaf, of")),
    "roots": plain(("4\tobj", "0\troot"), ("4\tpunct", "0\troot"), ("3\tpunct", "14\tpunct")),
    "cycle": plain(("6\tamod", "7\tamod"), ("4\tobj", "5\tobj"), ("4\tpunct", "6\tpunct")),
    "heads": enhanced(("0:root|1:conj:and", "0:root|2.1:conj:and"), ("2:nsubj", "02:nsubj|2.01:nsubj")),
    "lost-nodes": enhanced(("0:root|1:conj:and", "2:conj"), ("2:obj", "3:obj|2:obj:In")),
    "deps": enhanced(("3:cc", "3:cc|4"), ("5.1:obj", ":obj"), ("2:conj", "2:junction:and|2:junction:or")),
    "graph-after-none": plain().partition(b"# newpar")[0] + enhanced(),
    "typo-before-features": b"# sent_id = first\n# text = o ak\n1\to\to\tNOUN\t_\t_\t0\troot\t_\t_\n"
    b"2\tak\t_\tX\t_\t_\t1\tgoeswith\t_\t_\n\n" + plain(),
    "features-of-an-empty-node": enhanced(
        ("and\tCCONJ\t_\t_\t3\tcc\t3:cc", "_\tX\t_\t_\t1\tgoeswith\t1:goeswith"), ("VERB\t_\t_\t_", "VERB\t_\tA=1\t_")
    ),
    "orphans-before-empty-nodes": enhanced(("1:conj:and", "1:orphan"), ("2:nsubj", "2:orphan:x")),
    "long-value": plain(("amod", "a" * 201), ("det\t_", "b" * 200 + "\t_")),
}  # fmt: skip


def list_findings(file: str, findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each: what is expected is named where that is not what the rule says of itself."""
    for each in findings:
        rule = RULES[each.rule]
        assert (each.file, each.level) == ("it", rule.level)
        parts = (each.sentence, each.rule, each.value, "" if each.expected == rule.expected else each.expected)
        yield "  ".join([f"{file}:{each.line}", *(repr(part) if part else "-" for part in parts)])


def test_every_part_of_every_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are listed in a file, of level 3 those that Dodona finds itself. If something was changed on purpose, the
    lines that this test shows take the place of those that are there."""
    monkeypatch.setattr(validator, "has_udtools", lambda: True)
    monkeypatch.setattr(validator, "add_guidelines", lambda checked, *_: (f for each in checked for f in each.findings))
    found = [
        line
        for name, data in {**BAD, **MORE}.items()
        if name != "non-unix-newline"  # which is in every line
        for line in list_findings(name, validate_chunks([data], "it", level=3))
    ]
    listed = Path(__file__).with_name("findings.txt").read_text("utf-8").splitlines()
    assert found == listed, "\n".join(difflib.unified_diff(listed, found, lineterm=""))


@pytest.mark.parametrize(
    ("comment", "rule"),
    [("sent_id = {}", "non-unique-sent-id"), ("parallel_id = a/{}", "non-unique-parallel-id"),
     ("parallel_id = a/{}/alt1", "parallel-id-sequence")],
)  # fmt: skip
def test_how_many_names_are_remembered(comment: str, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MAX_NAMES", 2)
    row = "1\tw\tw\tNOUN\t_\t_\t0\troot\t_\t_"
    names = [comment.format(k) for k in "abcabc"]
    data = "".join(f"# {name}\n# text = w\n{row}\n\n" for name in names)
    assert [f.line for f in validate_chunks([data.encode()], "it") if f.rule == rule] == [15, 19]


@pytest.mark.parametrize(("jobs", "language"), [(3, "en"), (None, None)])
def test_what_udtools_is_run_with(jobs: int | None, language: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def add(checked: Iterable[object], *others: object) -> Iterator[Finding]:
        given.append(others)
        return iter(())

    monkeypatch.setattr(validator, "has_udtools", lambda: True)
    monkeypatch.setattr(validator, "check_language", given.append)
    monkeypatch.setattr(validator, "add_guidelines", add)
    monkeypatch.setattr(validator, "available_cores", lambda: 7)
    level = 3 if language is None else 4
    assert list(validate_chunks([plain()], "it", level=level, language=language, jobs=jobs)) == []
    expected = ("it", level, language or "ud", jobs or 7)
    assert given == ([expected] if language is None else [language, expected])
