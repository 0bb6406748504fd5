"""Runs the rules over a file: sentence by sentence, with only those in memory that udtools looks at."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.conllu import Block, split_blocks
from dodona.data.files import chunks
from dodona.errors import OptionError
from dodona.pipeline.processes import available_cores
from dodona.validation.content import check_columns
from dodona.validation.format import check_lines, check_numbers
from dodona.validation.guidelines import (
    MISSING,
    CheckedSentence,
    add_guidelines,
    check_language,
    check_trees,
    has_udtools,
)
from dodona.validation.rules import LEVELS, ORDER, RULES, FileHistory, Finding, Lines, Rows, Violation

__all__ = ["validate", "validate_chunks"]

STAGES = ((1, check_numbers), (2, check_columns), (3, check_trees))
"""The checks of rows, each with the level from which on it runs."""


def validate(
    path: str | Path, *, level: int = 2, language: str | None = None, jobs: int | None = None
) -> Iterator[Finding]:
    """Yield everything in a CoNLL-U file that breaks the rules of UD up to a level, in the order of the file.

    `.gz` and `.xz` are decompressed, `-` is standard input. A file that cannot be read raises a FormatError. Level 3
    and up need udtools, which is run in so many processes (by default one for each core); levels 4 and 5 need the
    language, by the code that UD uses.
    """
    return validate_chunks(chunks(path), str(path), level=level, language=language, jobs=jobs)


def validate_chunks(
    data: Iterable[bytes], name: str, *, level: int = 2, language: str | None = None, jobs: int | None = None
) -> Iterator[Finding]:
    """Yield the findings in chunks of bytes, from a file of this name."""
    if level not in LEVELS:
        raise OptionError(f"level {level!r}: expected one of {', '.join(map(str, LEVELS))}")
    if level > 2 and not has_udtools():
        raise OptionError(MISSING)
    if level > 3:
        if language is None:
            raise OptionError(f"level {level} is about a language; expected its code, such as en")
        check_language(language)
    return _check_file(data, name, level, language or "ud", jobs or available_cores())


def _check_file(data: Iterable[bytes], name: str, level: int, language: str, jobs: int) -> Iterator[Finding]:
    history = FileHistory()
    sentences = (_check_sentence(block, history, name, level) for block in filter(None, split_blocks(data, name)))
    if level < 3:
        for sentence in sentences:
            yield from sentence.findings
        return
    yield from add_guidelines(sentences, name, level, language, jobs)
    if history.with_deps and not history.enhanced:
        value = "the same DEPS as HEAD and DEPREL everywhere"
        yield Violation("edeps-identical-to-basic-trees", history.with_deps, value).report(name, "")


def _check_sentence(block: Block, history: FileHistory, name: str, level: int) -> CheckedSentence:
    lines = Lines(block, history)
    violations = list(check_lines(lines))
    sound = bool(lines.rows) and _are_harmless(violations)
    if sound:
        rows = Rows(lines)
        for lowest, check in STAGES:
            if sound and lowest <= level:
                violations += check(rows)
                sound = _are_harmless(violations)
    violations.sort(key=lambda violation: (violation.line, ORDER[violation.rule]))
    findings = [violation.report(name, lines.sent_id) for violation in violations]
    return CheckedSentence(block.line, lines.sent_id, lines.text if sound else "", findings)


def _are_harmless(violations: Iterable[Violation]) -> bool:
    """Whether the next stage can follow."""
    return not any(RULES[violation.rule].severe for violation in violations)
