"""Search for trees over HTTP: `/api/search`, for programs and for the playground.

Regular expressions of strangers could keep Python busy for years. So they may have only as many ways to match as a
word of MAX_VALUE letters makes harmless, and longer values are refused where a pattern has expressions.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any

from msgspec import Meta, Struct

from dodona.data import Sentence
from dodona.data.formats import read_stream
from dodona.data.stream import only_sentences
from dodona.errors import OptionError
from dodona.patterns.matcher import Pattern
from dodona.patterns.matches import check_keys, match, tabulate
from dodona.server.models import ModelName, Models, check_length, divide

__all__ = ["SearchTreesRequest", "SearchedText", "search"]

MAX_PATTERN, MAX_KEYS = 5_000, 5
MAX_MATCHES, USUAL_MATCHES = 1_000, 100
MAX_LISTED = 5_000  # words: when the listed sentences have as many, no more of them are listed
MAX_COUNTS = 20_000  # rows
MAX_STEPS = 100_000  # in a sentence; as many matches need some megabytes
MAX_VALUE, MAX_COMMENT = 500, 2_000  # letters
MAX_REPEATS, MAX_CHOICES = 2, 4
REPEATS, CHOICES, REPEATED_GROUP = re.compile(r"[*+{]"), re.compile(r"[?|]"), re.compile(r"\)[*+?{]")


class SearchTreesRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A pattern, and a text or CoNLL-U."""

    pattern: Annotated[
        str, Meta(max_length=MAX_PATTERN, description="A request in the language of Grew: docs/search.md.")
    ]
    text: Annotated[str | None, Meta(description="Raw text, which is parsed. Either this, or `conllu`.")] = None
    conllu: Annotated[str | None, Meta(description="Sentences in CoNLL-U with trees.")] = None
    model: ModelName = None
    count: Annotated[
        list[str], Meta(max_length=MAX_KEYS, description="Keys to count all matches by, such as `V.lemma`.")
    ] = []
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_MATCHES,
            description=f"How many matches are listed, in sentences of about {MAX_LISTED:,} words; all are counted.",
        ),
    ] = USUAL_MATCHES


class SearchedText(Struct):
    """How many sentences and matches there are; the sentences that have the first of them, as `Sentence.to_dict` gives
    them, with `matches`: the numbers of the nodes, and source, target and label of the edges; and rows of counts."""

    searched: int
    found: int
    sentences: list[dict[str, Any]]
    counts: list[dict[str, Any]]


def search(request: SearchTreesRequest, models: Models) -> SearchedText:
    """Return the matches of a pattern in a text or in CoNLL-U."""
    pattern = Pattern(request.pattern, MAX_STEPS)
    check_keys(pattern, request.count)
    has_expressions = _check_expressions(pattern)
    answer = SearchedText(0, 0, [], [])
    counts: Counter[tuple[str, ...]] = Counter()
    words = 0  # of the sentences that are listed
    for sentence in _read_sentences(request, models):
        if has_expressions:
            _check_values(sentence, pattern)
        matches = match(pattern, sentence)
        if request.count:
            counts.update(each.values(request.count) for each in matches)
            if len(counts) > MAX_COUNTS:
                raise OptionError(f"count: more than {MAX_COUNTS:,} different values; expected keys that have fewer")
        listed = matches[: max(0, request.limit - answer.found)]
        if listed and words < MAX_LISTED:
            answer.sentences.append({**sentence.to_dict(), "matches": [each.to_dict() for each in listed]})
            words += len(sentence)
        answer.searched += 1
        answer.found += len(matches)
    if request.count:
        answer.counts = tabulate(request.count, counts).records()
    return answer


def _read_sentences(request: SearchTreesRequest, models: Models) -> Iterator[Sentence]:
    """Return the sentences with their trees, some of them in memory at a time."""
    if (request.text is None) == (request.conllu is None):
        raise OptionError("expected one of: text, conllu")
    if request.conllu is not None:
        sentences = read_stream("conllu", [request.conllu.rstrip("\r\n").encode(), b"\n\n"], "conllu")
        return chain.from_iterable(divide(map(check_length, only_sentences(sentences))))
    _, pipeline = models.pick(request.model)
    portions = divide(pipeline.sentences([request.text or ""], located=True), pipeline)
    return (parsed for portion in portions for parsed in pipeline.parse(portion))


def _check_expressions(pattern: Pattern) -> bool:
    """Raise an error for a regular expression that could take long; return whether there are any."""
    has_any = False
    for each in pattern.request.expressions:
        has_any = True
        text = each.pattern
        repeats, choices = len(REPEATS.findall(text)), len(CHOICES.findall(text))
        if repeats > MAX_REPEATS or choices > MAX_CHOICES or REPEATED_GROUP.search(text):
            expected = f"at most {MAX_REPEATS} of * + {{ and {MAX_CHOICES} of ? |, and none of them after a group"
            raise OptionError(f"the expression {text[:60]!r} is too much for this server; expected {expected}")
    return has_any


def _check_values(sentence: Sentence, pattern: Pattern) -> None:
    longest = max(len(value) for row in sentence.rows() for value in row)
    if longest > MAX_VALUE:
        raise OptionError(f"a value of {longest:,} letters; expected at most {MAX_VALUE} for regular expressions")
    if pattern.request.metadata and max(map(len, sentence.comments), default=0) > MAX_COMMENT:
        raise OptionError(f"a comment of more than {MAX_COMMENT:,} letters; expected shorter ones for expressions")
