"""Runs the rules over a file: sentence by sentence, with no more than one of them in memory."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.conllu import Block, split_blocks
from dodona.data.files import chunks
from dodona.errors import OptionError
from dodona.validation.enhanced import IDENTICAL
from dodona.validation.rules import COLUMNS, LEVELS, LINES, NUMBERS, TREES, Finding, Rule, Spot, file_rule
from dodona.validation.sentences import Lines, Memory, Rows, tree_of

__all__ = ["UNREADABLE", "validate", "validate_chunks"]

UNREADABLE = file_rule(
    "unreadable-file",
    1,
    "a file that can be read",
    "A file can be opened and decompressed, and no line or sentence is larger than a program can hold.",
)


def validate(path: str | Path, *, level: int = 3) -> Iterator[Finding]:
    """Yield everything in a CoNLL-U file that breaks the rules of UD up to a level, in the order of the file.

    `.gz` and `.xz` are decompressed, `-` is standard input. A file that cannot be read raises a FormatError.
    """
    return validate_chunks(chunks(path), str(path), level=level)


def validate_chunks(pieces: Iterable[bytes], name: str, *, level: int = 3) -> Iterator[Finding]:
    """Yield the findings in chunks of bytes, from a file of this name."""
    if level not in LEVELS:
        raise OptionError(f"level {level!r}: expected one of {', '.join(map(str, LEVELS))}")
    return _findings(pieces, name, level)


def _findings(pieces: Iterable[bytes], name: str, level: int) -> Iterator[Finding]:
    memory = Memory()
    for block in filter(None, split_blocks(pieces, name)):  # without pauses
        sentence, found = _look(block, memory, level)
        found.sort(key=lambda each: each[1].line)
        for rule, spot in found:
            yield rule.finding(name, sentence, spot)
    if level >= IDENTICAL.level and memory.with_deps and not memory.enhanced:
        yield IDENTICAL.finding(name, "", Spot(memory.with_deps, "the same DEPS as HEAD and DEPREL everywhere"))


def _look(block: Block, memory: Memory, level: int) -> tuple[str, list[tuple[Rule, Spot]]]:
    """Return the name of a sentence, and what is found in it."""
    found: list[tuple[Rule, Spot]] = []
    raw = Lines(block, memory)
    if not LINES.look(raw, level, found) or not raw.rows:
        return raw.sent_id, found
    rows = Rows(raw)
    if NUMBERS.look(rows, level, found) and level > 1 and COLUMNS.look(rows, level, found):
        memory.enhanced = memory.enhanced or any(
            row.deps not in ("_", f"{row.head}:{row.deprel}") for row in rows.nodes
        )
        tree = tree_of(rows)
        if tree is not None:
            TREES.look(tree, level, found)
    return rows.sent_id, found
