"""Runs the rules over a file: sentence by sentence, with only those in memory that udtools looks at."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.conllu import Block, split_blocks
from dodona.data.files import chunks
from dodona.errors import OptionError
from dodona.pipeline.processes import available_cores
from dodona.validation import content, format  # noqa: F401  # their rules are registered
from dodona.validation.guidelines import (
    COPIED_GRAPHS,
    MISSING,
    CheckedSentence,
    add_guidelines,
    check_language,
    has_udtools,
)
from dodona.validation.rules import (
    COLUMNS,
    LEVELS,
    LINES,
    NUMBERS,
    TREES,
    FileHistory,
    Finding,
    Lines,
    Rows,
    Rule,
    Violation,
    register_rule,
)

__all__ = ["UNREADABLE", "validate", "validate_chunks"]

UNREADABLE = register_rule(
    "unreadable-file",
    1,
    "a file that can be read",
    "A file can be opened and decompressed, and no line or sentence is larger than a program can hold.",
)


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
        violation = Violation(history.with_deps, "the same DEPS as HEAD and DEPREL everywhere")
        yield COPIED_GRAPHS.report(name, "", violation)


def _check_sentence(block: Block, history: FileHistory, name: str, level: int) -> CheckedSentence:
    violations: list[tuple[Rule, Violation]] = []
    lines = Lines(block, history)
    sound = LINES.check(lines, level, violations) and bool(lines.rows)
    if sound:
        rows = Rows(lines)
        sound = NUMBERS.check(rows, level, violations) and level > 1 and COLUMNS.check(rows, level, violations)
        if sound:
            history.enhanced = history.enhanced or any(
                row.deps not in ("_", f"{row.head}:{row.deprel}") for row in rows.nodes
            )
            TREES.check(rows, level, violations)
    violations.sort(key=lambda each: each[1].line)
    findings = [rule.report(name, lines.sent_id, violation) for rule, violation in violations]
    return CheckedSentence(block.line, lines.sent_id, lines.text if sound else "", findings)
