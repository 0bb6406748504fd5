"""Level 2: `# parallel_id`, which names the same sentence in treebanks of several languages."""

import re
from collections.abc import Iterator

from dodona.validation.comments import REMEMBERED, remember
from dodona.validation.rules import COLUMNS, Spot
from dodona.validation.sentences import Rows

PARALLEL_ID = re.compile(
    r"#\s*parallel_id\s*=\s*(([a-z]+/[-0-9a-z]+)(?:/(?=alt|part)(?:alt([1-9][0-9]{0,8}))?(?:part([1-9][0-9]{0,8}))?)?)",
    re.ASCII,
)


def names(s: Rows) -> list[re.Match[str]]:
    return [found for comment in s.comments if (found := PARALLEL_ID.fullmatch(comment))]


@COLUMNS.rule("invalid-parallel-id", 2, "`# parallel_id = corpus/sentence`, and /alt1, /part1 or /alt1part1 after it")
def invalid_parallel_id(s: Rows) -> Iterator[Spot]:
    """A parallel_id has the name of a corpus and that of a sentence, so that translations can be found by it."""
    for comment in s.comments:
        if comment.startswith(("# parallel_id", "#parallel_id")) and PARALLEL_ID.fullmatch(comment) is None:
            yield Spot(s.line, comment)


@COLUMNS.rule("multiple-parallel-id", 2, "one parallel_id")
def multiple_parallel_id(s: Rows) -> Iterator[Spot]:
    """A sentence has one parallel_id at most."""
    if len(names(s)) > 1:
        yield Spot(s.line, " ".join(found[1] for found in names(s)))


@COLUMNS.rule("non-unique-parallel-id", 2, "a parallel_id of its own; /alt and /part tell translations apart")
def non_unique_parallel_id(s: Rows) -> Iterator[Spot]:
    """No two sentences of a file have the same parallel_id."""
    if len(found := names(s)) == 1 and not remember(s.memory.whole_parallel_ids, found[0][1]):
        yield Spot(s.line, found[0][1])


@COLUMNS.rule("parallel-id-sequence", 2, "alternatives and parts numbered 1, 2, 3, …, in all sentences or in none")
def parallel_id_sequence(s: Rows) -> Iterator[Spot]:
    """Several translations of a sentence are numbered alt1, alt2, …, its parts part1, part2, …"""
    found = names(s)
    if len(found) != 1:
        return
    sentence, numbers = found[0][2], (int(found[0][3] or 0), int(found[0][4] or 0))
    before = s.memory.parallel_ids.get(sentence)
    for number, last in zip(numbers, before or (0, 0), strict=True):
        expected = last + 1 if last else int(before is None)
        if number != expected and not (before is None and number == 0):
            yield Spot(s.line, found[0][1])
            break
    if before is not None or len(s.memory.parallel_ids) < REMEMBERED:
        s.memory.parallel_ids[sentence] = numbers
