"""Runs the rules over a file: sentence by sentence, with only those in memory that udtools looks at.

UD's guidelines, levels 3 to 5, are checked by udtools, UD's own validator. It is under the GPL: it is run as a program
of its own, and never imported. It gets batches of the sentences that have passed all severe rules of levels 1 and 2, in
several processes, and finds what is wrong in each sentence. Where it would have to know all sentences of the file, the
rule stands here, and udtools leaves it out.
"""

import re
import subprocess
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from dodona.data.conllu import Block, split_blocks
from dodona.data.files import chunks
from dodona.data.ud import strip_subtype
from dodona.errors import DodonaError, FormatError, OptionError
from dodona.pipeline.processes import available_cores
from dodona.validation.content import check_columns
from dodona.validation.format import check_lines, check_numbers
from dodona.validation.rules import LEVELS, ORDER, RULES, FileHistory, Finding, Lines, Rows, Violation

__all__ = ["MISSING", "has_udtools", "validate", "validate_chunks"]

MISSING = "UD's guidelines (level 3 and up) are checked by udtools: pip install 'dodona[validate]'"
BATCH_SIZE = 1 << 20
"""How many characters udtools gets at a time: it needs two seconds for them, and a quarter of one to start."""
COMMAND = (sys.executable, "-P", "-X", "utf8", "-m", "udtools.cli", "--max-err=0", "--no-warnings", "-")
ABOUT_FILES = (
    *("goeswith-missing-typo", "edeps-identical-to-basic-trees"),
    *("empty-node-after-eorphan", "eorphan-after-empty-node"),
)
MESSAGE = re.compile(r"\[Line (\d+) Sent .*?\]: \[L([3-9]) \S+ (\S+)\] (.*)")
SUMMARY = re.compile(r"^\*\*\* (?:PASSED|FAILED) \*\*\*", re.MULTILINE)
ONE_WORD = b"1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"


class CheckedSentence(NamedTuple):
    """A sentence whose rules of this program are checked."""

    line: int
    sent_id: str
    text: str  # its lines; "" if they break a severe rule
    findings: list[Finding]


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
        for lowest, check in ((1, check_numbers), (2, check_columns), (3, check_trees)):
            if sound and lowest <= level:
                violations += check(rows)
                sound = _are_harmless(violations)
    violations.sort(key=lambda violation: (violation.line, ORDER[violation.rule]))
    findings = [violation.report(name, lines.sent_id) for violation in violations]
    return CheckedSentence(block.line, lines.sent_id, lines.text if sound else "", findings)


def _are_harmless(violations: Iterable[Violation]) -> bool:
    """Whether the next stage can follow."""
    return not any(RULES[violation.rule].severe for violation in violations)


def check_trees(s: Rows) -> Iterator[Violation]:
    """What a sentence breaks together with those before it."""
    history = s.history
    history.enhanced = history.enhanced or any(row.deps not in ("_", f"{row.head}:{row.deprel}") for row in s.nodes)
    history.features = history.features or any(row.feats != "_" for row in s.nodes)
    for head in sorted({int(row.head) for row in s.words if strip_subtype(row.deprel) == "goeswith"} - {0}):
        first = s.words[head - 1]
        if "Typo=Yes" not in first.feats.split("|"):
            history.untyped.append(Violation("goeswith-missing-typo", first.line, first.form, sentence=s.sent_id))
    if history.features:  # of sentences before the first FEATS too
        yield from history.untyped
        history.untyped.clear()
    pairs_by_id = {row.id: pairs for row, pairs in s.deps}
    for row in s.nodes if s.has_graph else ():
        if "." in row.id and not history.empty_node:
            history.empty_node = row.line
            if history.orphan:
                expected = f"no empty node, as line {history.orphan} has orphan in DEPS"
                yield Violation("orphan-beside-empty-nodes", row.line, row.id, expected)
        if any(strip_subtype(relation) == "orphan" for _, relation in pairs_by_id.get(row.id, ())):
            history.orphan = history.orphan or row.line
            if history.empty_node:
                expected = f"no orphan, as line {history.empty_node} has an empty node"
                yield Violation("orphan-beside-empty-nodes", row.line, row.deps, expected)


def has_udtools() -> bool:
    return find_spec("udtools") is not None


@cache
def check_language(language: str) -> None:
    """Raise an OptionError for a language of which udtools has no lists: it would complain about every word."""
    command = [*COMMAND, f"--lang={language}", "--level=4", "--include-only", "unknown-deprel"]
    process = subprocess.run(command, input=ONE_WORD, capture_output=True, check=False)
    if process.returncode:
        raise OptionError(f"language {language!r} is not known to udtools; expected a code that UD uses, such as en")


def add_guidelines(
    sentences: Iterable[CheckedSentence], file: str, level: int, language: str, jobs: int
) -> Iterator[Finding]:
    """Yield the findings of the sentences and those of udtools, in the order of the file.

    What was found before the file could not be read any more comes before that error.
    """
    errors: list[FormatError] = []
    runs: deque[UdtoolsRun] = deque()
    try:
        for batch in _cut_batches(sentences, errors):
            if len(runs) == jobs:
                yield from runs[0].finish(file)
                runs.popleft()
            runs.append(UdtoolsRun(batch, level, language))
        for run in runs:
            yield from run.finish(file)
    finally:
        for run in runs:
            run.stop()
    if errors:
        raise errors[0]


def _cut_batches(sentences: Iterable[CheckedSentence], errors: list[FormatError]) -> Iterator[list[CheckedSentence]]:
    """Yield batches of sentences, also the last one before an error."""
    batch: list[CheckedSentence] = []
    size = 0
    try:
        for sentence in sentences:
            batch.append(sentence)
            size += len(sentence.text)
            if size >= BATCH_SIZE:
                yield batch
                batch, size = [], 0
    except FormatError as error:
        errors.append(error)
    if batch:
        yield batch


class UdtoolsRun:
    """A process of udtools that checks some sentences. It reads and writes files, so that it waits for nobody."""

    def __init__(self, sentences: list[CheckedSentence], level: int, language: str) -> None:
        self.sentences = sentences
        self.starts = []  # the line of udtools at which each sentence begins
        line = 1
        self.output = TemporaryFile()  # noqa: SIM115  # closed when the process has ended
        with TemporaryFile() as source:
            for sentence in sentences:
                self.starts.append(line)
                if sentence.text:
                    source.write(sentence.text.encode() + b"\n\n")
                    line += sentence.text.count("\n") + 2
            source.seek(0)
            self.process = subprocess.Popen(
                [*COMMAND, f"--lang={language}", f"--level={level}", "--exclude", *ABOUT_FILES],
                stdin=source, stdout=subprocess.DEVNULL, stderr=self.output,
            )  # fmt: skip

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.output.close()

    def finish(self, file: str) -> Iterator[Finding]:
        """Wait for the process, and yield all findings in its sentences."""
        with self.output:
            code = self.process.wait()
            self.output.seek(0)
            output = self.output.read().decode("utf-8", "replace")
        if SUMMARY.search(output) is None:
            lines = output.strip().split("\n")
            place = f"{file}:{self.sentences[0].line}"
            raise DodonaError(f"{place}: udtools failed here or in sentences after it (exit code {code}): {lines[-1]}")
        for message in output.split("\n"):
            if match := MESSAGE.match(message):
                line, level, rule, text = match.groups()
                k = bisect_right(self.starts, int(line)) - 1
                first, sent_id, _, findings = self.sentences[k]
                findings.append(Finding(file, int(line) - self.starts[k] + first, sent_id, rule, int(level), text, ""))
        for sentence in self.sentences:
            yield from sorted(sentence.findings, key=lambda finding: finding.line)
