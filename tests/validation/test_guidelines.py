"""Level 3 and up are checked by udtools, in any number of processes, and reported like all other rules."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from samples.bad_treebanks import BAD, GUIDELINES, enhanced, plain

from dodona.errors import DodonaError, FormatError, OptionError
from dodona.validation import Finding, validate, validate_chunks, validator

needs_udtools = pytest.mark.skipif(not validator.has_udtools(), reason="udtools is not installed")


def name_sentences(data: bytes, prefix: str) -> bytes:
    data = re.sub(rb"# parallel_id.*\n", b"", data)
    return data.replace(b"# sent_id = ", b"# sent_id = %s/" % prefix.encode())


def rules(data: bytes) -> set[str]:
    return {finding.rule for finding in validate_chunks([data], "it", level=3, jobs=1)}


@pytest.fixture(scope="module")
def treebank() -> bytes:
    """All files that break a guideline, and after each a sentence that udtools does not see."""
    unsound = plain(("6\tamod", "9\tamod")).partition(b"\n\n")[0] + b"\n\n"
    return b"".join(name_sentences(data, name) + unsound for name, data in GUIDELINES.items())


@pytest.fixture(scope="module")
def findings(treebank: bytes) -> list[Finding]:
    return list(validate_chunks([treebank], "all.conllu", level=3))


@needs_udtools
def test_every_guideline_is_broken_by_its_file(treebank: bytes, findings: list[Finding]) -> None:
    broken: dict[str, set[str]] = {}
    lines = treebank.split(b"\n")
    for file, line, sent_id, rule, level, value, _ in findings:
        if level == 3:
            assert file == "all.conllu"
            assert value
            broken.setdefault(sent_id.partition("/")[0], set()).add(rule)
            above = [comment for comment in lines[:line] if comment.startswith(b"# sent_id")]
            assert above[-1] == b"# sent_id = " + sent_id.encode()
    assert {name for name in GUIDELINES if name not in broken.get(name, ())} == set()
    assert [f.line for f in findings if f.rule == "unknown-head"] == [
        number for number, line in enumerate(lines, start=1) if line.endswith(b"9\tamod\t_\t_")
    ]
    order = [finding.line for finding in findings]
    assert order == sorted(order)


@needs_udtools
def test_lines_and_messages() -> None:
    (finding,) = validate_chunks(
        [plain(("5\told\told\tADJ\t_\t_\t6\tamod", "5\told\told\tADJ\t_\t_\t6\tdet"))], "it", level=3
    )
    assert finding[:5] == ("it", 9, "one", "rel-upos-det", 3)
    assert finding.value.startswith("'det' should be 'DET'")


@needs_udtools
def test_batches_and_processes_change_nothing(
    treebank: bytes, findings: list[Finding], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validator, "BATCH_SIZE", len(treebank) // 4)
    assert list(validate_chunks([treebank], "all.conllu", level=3, jobs=2)) == findings


@needs_udtools
@pytest.mark.parametrize("data", [plain() + name_sentences(plain(), "again"), enhanced(), b""])
def test_valid_files(data: bytes) -> None:
    assert list(validate_chunks([data], "it", level=3)) == []


@needs_udtools
@pytest.mark.parametrize(
    "name", ["goeswith-missing-typo", "orphan-beside-empty-nodes", "edeps-identical-to-basic-trees"]
)
def test_rules_about_a_whole_file(name: str) -> None:
    assert rules(BAD[name]) == {name}
    assert name not in {finding.rule for finding in validate_chunks([BAD[name]], "it", level=2)}


@needs_udtools
def test_a_typo_before_the_first_features_is_reported_after_them() -> None:
    first, rest = plain().split(b"\n\n", 1)
    data = b"".join(part + b"\n\n" for part in (plain(("Typo=Yes", "_")).split(b"\n\n")[2], first, rest.strip()))
    data = data.replace(b"# newpar\n", b"")
    (finding,) = (f for f in validate_chunks([data], "it", level=3) if f.rule == "goeswith-missing-typo")
    assert (finding.line, finding.sentence) == (4, "three")
    bare = b"\n".join(
        line if line[:1] == b"#" or not line else b"\t".join([*line.split(b"\t")[:5], b"_", *line.split(b"\t")[6:]])
        for line in data.split(b"\n")
    )
    assert "goeswith-missing-typo" not in rules(bare)


@needs_udtools
def test_languages() -> None:
    data = plain(("amod", "amod:big"), ("does\tdo", "does\tgo"), ("Case=Nom", "Case=Ine"))
    findings = list(validate_chunks([data], "it", level=5, language="en"))
    assert [(f.line, f.rule, f.level) for f in findings if f.level == 5] == [(6, "aux-lemma", 5)]
    assert {"unknown-deprel", "feature-value-unknown"} <= {f.rule for f in findings if f.level == 4}
    assert not any(f.level == 5 for f in validate_chunks([data], "it", level=4, language="en"))
    with pytest.raises(OptionError, match="'xx' is not known"):
        validate_chunks([data], "it", level=4, language="xx")
    with pytest.raises(OptionError, match="level 4 is about a language"):
        validate_chunks([data], "it", level=4)


def test_without_udtools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validator, "has_udtools", lambda: False)
    with pytest.raises(OptionError, match=r"pip install 'dodona\[validate\]'"):
        validate_chunks([plain()], "it", level=3)
    assert list(validate_chunks([plain()], "it", level=2)) == []


@needs_udtools
def test_findings_before_the_end_of_a_broken_file_are_reported(tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu.gz"
    many = b"".join(name_sentences(GUIDELINES["leaf-cc"], str(number)) for number in range(9))
    broken.write_bytes(gzip.compress(many)[:-9])

    seen: list[str] = []
    with pytest.raises(FormatError, match="cannot be read"):
        seen.extend(finding.rule for finding in validate(broken, level=3))
    assert "leaf-cc" in seen


def test_a_program_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validator, "COMMAND", (sys.executable, "-c", "raise SystemExit('out of order')"))
    monkeypatch.setattr(validator, "has_udtools", lambda: True)
    with pytest.raises(DodonaError, match=r"it:1: udtools failed .*: out of order"):
        list(validate_chunks([plain()], "it", level=3))


@needs_udtools
def test_udtools_is_never_imported() -> None:
    """It is under the GPL, so it must stay a program of its own."""
    code = (
        "import sys; from dodona.validation import validate; list(validate('-', level=3)); "
        "assert not [name for name in sys.modules if name.startswith(('udtools', 'udapi'))]"
    )
    subprocess.run([sys.executable, "-c", code], input=plain(), check=True, timeout=60)
