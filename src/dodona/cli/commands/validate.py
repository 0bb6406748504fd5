"""`dodona validate`: everything in a treebank that breaks the rules of Universal Dependencies, and safe repairs."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import click

from dodona.cli.options import flag, integer, option
from dodona.cli.outputs import (
    EXTENSIONS,
    check_keeps,
    choose_format,
    format_option,
    is_same_file,
    write_table,
    write_text,
)
from dodona.data.files import Output, chunks, output
from dodona.errors import FormatError
from dodona.tables import Table, format_json, open_console
from dodona.validation import LEVELS, Finding, Violation, repair_chunks, validate, validate_chunks
from dodona.validation.validator import MISSING, has_udtools

FORMATS = ("table", "json", "jsonl", "csv", "tsv", "markdown", "html", "latex")
MAX_SHOWN = 20


@dataclass
class Report:
    """The findings that are shown, and the number of all of them."""

    level: int
    form: str
    max_shown: int | None  # findings of a rule for each file; None: all
    to_stderr: bool = False
    shown: list[Finding] = field(default_factory=list)  # those that are written at the end
    levels: dict[str, int] = field(default_factory=dict)  # by rule
    counts: dict[str, Counter[str]] = field(default_factory=dict)  # by file and rule
    repairs: dict[str, Counter[str]] = field(default_factory=dict)

    def add_all(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.add(finding)

    def add(self, finding: Finding) -> None:
        counts = self.counts.setdefault(finding.file, Counter())
        counts[finding.rule] += 1
        self.levels[finding.rule] = finding.level
        if self.max_shown is not None and counts[finding.rule] > self.max_shown:
            return
        if self.form == "table":
            self.say(_describe(finding))
        else:
            self.shown.append(finding)

    def say(self, line: str) -> None:
        click.echo(line, err=self.to_stderr)

    @property
    def total(self) -> int:
        return sum(count.total() for count in self.counts.values())

    def sort_counts(self, counts: Counter[str]) -> list[tuple[str, int]]:
        """Counts by rule, in the order of the levels."""
        return [(name, counts[name]) for name in sorted(counts, key=lambda name: (self.levels[name], name))]


class _NothingToRepair(Exception):
    """Leaves a file as it is."""


@click.command("validate", short_help="Check a treebank against the rules of UD, and repair it.")
@click.argument("files", nargs=-1, required=True)
@option(
    "--level",
    "; ".join(f"{level}: {what}" for level, what in LEVELS.items()) + ". Each level includes those before. "
    "[default: 5 with --lang, else 3; 2 if udtools is not installed]",
    type=click.Choice([str(level) for level in LEVELS]),
)
@option("--lang CODE", "The language, for levels 4 and 5: en, grc, …", name="language")
@integer("-j, --jobs", "Number of processes, for level 3 and up. [default: one for each core]")
@integer(
    "--max",
    "Show this many findings of each rule for each file; all are counted. [default: 20 on the screen, else all]",
    name="max_shown",
    least=0,
)
@format_option(FORMATS, "table")
@flag("--fix", "Repair what is safe; needs -o or --in-place. What remains is reported.")
@option("-o, --output FILE", "Where to write the findings; with --fix: the repaired file.", name="target")
@flag("--in-place", "With --fix: replace each file by the repaired one.")
def validate_command(
    files: tuple[str, ...], level: str | None, language: str | None, jobs: int | None, max_shown: int | None,
    form: str | None, fix: bool, target: str | None, in_place: bool
) -> None:  # fmt: skip
    """Report everything in FILES (CoNLL-U, .gz and .xz too, `-` for standard input) that breaks the rules of Universal
    Dependencies. Level 3 and up are checked by udtools, UD's own validator (pip install 'dodona[validate]').

    \b
    dodona validate train.conllu dev.conllu test.conllu
    dodona validate train.conllu --lang en
    dodona validate train.conllu --level 2 --max 5
    dodona validate train.conllu -o findings.csv
    dodona validate train.conllu --fix -o repaired.conllu
    dodona validate *.conllu --fix --in-place

    Each file is checked on its own. Exit codes: 0 valid, 1 something was found, 2 bad usage.
    """
    _check_usage(files, fix, target, in_place)
    findings_file = "-" if fix or target is None else target
    form = choose_format(findings_file, form, FORMATS, "table")
    if form == "table" and findings_file != "-":
        endings = ", ".join(dict.fromkeys(EXTENSIONS[form] for form in FORMATS[1:]))
        raise click.UsageError(f"-o {target}: text is for the screen; expected a name that ends with one of {endings}")
    if max_shown is None and form == "table":
        max_shown = MAX_SHOWN
    report = Report(_choose_level(level, language), form, max_shown, to_stderr=fix and target == "-")
    options: dict[str, Any] = {"level": report.level, "language": language, "jobs": jobs}
    for file in files:
        try:
            if fix:
                _fix(file, file if target is None else target, options, report)
            else:
                report.add_all(validate(file, **options))
        except FormatError as error:
            if fix:
                raise
            report.add(Violation("unreadable-file", 0, str(error)).report(file, ""))
    _show_end(files, report, findings_file)
    if level is None and report.level < 3:
        click.echo(f"Only levels 1 and 2 were checked. {MISSING}", err=True)
    if report.total:
        sys.exit(1)


def _choose_level(level: str | None, language: str | None) -> int:
    if level is not None:
        if int(level) > 3 and language is None:
            raise click.UsageError(f"--level {level} is about a language; expected --lang CODE")
        return int(level)
    if language is not None:
        return 5
    return 3 if has_udtools() else 2


def _check_usage(files: tuple[str, ...], fix: bool, target: str | None, in_place: bool) -> None:
    if not fix and in_place:
        raise click.UsageError("--in-place needs --fix")
    if not fix and target is not None:
        check_keeps(target, {"file": files}, "the findings")
    if fix and (target is None) != in_place:
        raise click.UsageError("--fix needs either -o FILE or --in-place")
    if fix and target is not None and len(files) > 1:
        raise click.UsageError("-o takes one file; several are repaired with --in-place")
    if in_place and "-" in files:
        raise click.UsageError("standard input cannot be repaired in place; expected -o FILE")


def _fix(file: str, target: str, options: dict[str, Any], report: Report) -> None:
    """Write the repaired file, and check it while it is written."""
    repairs: Counter[str] = Counter()
    in_place = file == target or is_same_file(file, target)
    with suppress(_NothingToRepair), output(target) as out:
        data = _copy(repair_chunks(chunks(file), file, repairs), out)
        report.add_all(validate_chunks(data, file if target == "-" else target, **options))
        if in_place and not repairs.total():
            raise _NothingToRepair
    report.repairs[file] = repairs


def _copy(data: Iterable[bytes], out: Output) -> Iterator[bytes]:
    for chunk in data:
        out.write(chunk)
        yield chunk


def _describe(finding: Finding) -> str:
    location = f"{finding.file}:{finding.line}" if finding.line else finding.file
    name = f" ({finding.sentence})" if finding.sentence else ""
    value = f" {_escape(finding.value)}" if finding.value else ""
    expected = f"{';' if value else ''} expected {finding.expected}" if finding.expected else ""
    return f"{_escape(location + name)}: {finding.rule}, level {finding.level}:{value}{expected}"


def _escape(text: str) -> str:
    """Text on one line: tabs and other control characters are written as escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _show_end(files: tuple[str, ...], report: Report, target: str) -> None:
    """The summary: by rule, over all files; and the findings, where they are not for the screen."""
    if report.form != "table":
        _write_findings(files, report, "/dev/stderr" if report.to_stderr else target)
    if report.form == "json":
        return
    for file, repairs in report.repairs.items():
        counts = ", ".join(f"{rule} {count}" for rule, count in repairs.items() if count)
        click.echo(f"{file}: repaired: {counts or 'nothing'}", err=True)
    if report.form == "table":
        if report.total:
            _show_table(report)
        else:
            levels = f"levels 1 to {report.level}" if report.level > 1 else "level 1"
            report.say(f"{', '.join(files)}: valid ({levels})")


def _write_findings(files: tuple[str, ...], report: Report, target: str) -> None:
    if report.form == "json":
        write_text(format_json(_to_json(files, report)), target)
    elif report.form == "jsonl":
        write_text("".join(json.dumps(each._asdict(), ensure_ascii=False) + "\n" for each in report.shown), target)
    else:
        rows = [[value if isinstance(value, int) else _escape(value) for value in each] for each in report.shown]
        write_table(Table(Finding._fields, rows, "Findings", align="lrllrll"), report.form, target)


def _to_json(files: tuple[str, ...], report: Report) -> dict[str, object]:
    summary = {
        file: {
            "findings": report.counts.get(file, Counter()).total(),
            "rules": dict(report.sort_counts(report.counts.get(file, Counter()))),
            "repairs": {rule: count for rule, count in report.repairs.get(file, Counter()).items() if count},
        }
        for file in dict.fromkeys([*files, *report.counts])
    }
    findings = [finding._asdict() for finding in report.shown]
    return {"level": report.level, "findings": findings, "summary": summary}


def _show_table(report: Report) -> None:
    total = sum(report.counts.values(), Counter[str]())
    rows = [
        (name, report.levels[name], count, sum(name in counts for counts in report.counts.values()))
        for name, count in report.sort_counts(total)
    ]
    console = open_console(stream=sys.stderr if report.to_stderr else None)
    Table(("rule", "level", "findings", "files"), rows).print(console)
    files = f"{len(report.counts)} files" if len(report.counts) > 1 else "1 file"
    findings = f"{report.total:,} findings" if report.total > 1 else "1 finding"
    console.print(f"{findings} in {files}; what the rules mean: docs/validation.md")
