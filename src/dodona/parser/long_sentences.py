"""Sentences that are too long or take too long: they are cut into pieces, and the trees of the pieces become one tree.

A piece ends after punctuation if it can, and no given arc reaches from one piece into another. With one root, the root
of the first piece (or of the one with the given root) becomes the head of the other pieces' roots; otherwise all roots
stay roots. Either way the tree is as projective as the trees of the pieces.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from dodona.data import Sentence
from dodona.data.marks import mask_guesses
from dodona.errors import FormatError
from dodona.parser.request import Analysis, Request

__all__ = ["PIECE", "cut_sentence", "parse_in_pieces"]

PIECE = 100
"""Words in a piece of a sentence that took too long. A sentence of so many words may take the time it needs."""

LABELS = ("parataxis", "dep")  # of the arcs between pieces: the first one that the model knows
FULL_STOPS = frozenset(".!?;:…。！？；：।؟۔")

Span = tuple[int, int]
"""The words begin + 1..end."""


def parse_in_pieces(
    parse: Callable[[list[Sentence], Request], list[list[Analysis]]],
    sentence: Sentence,
    request: Request,
    labels: Sequence[str],
    single_root: bool,
) -> Analysis:
    """Return the best tree. `parse` parses the pieces; the model has these labels."""
    if request.constrained:
        sentence = mask_guesses(sentence)
    heads = sentence.heads if request.constrained else [None] * len(sentence)
    longest, seconds = PIECE, None
    if request.max_length is not None and len(sentence) > request.max_length:
        longest, seconds = request.max_length, request.timeout
    spans = cut_sentence(sentence, heads, longest)
    if seconds is not None:
        seconds /= len(spans)  # a piece that takes longer is cut again
    asked = replace(request, nbest=1, max_length=None, timeout=seconds)
    trees = [parse([_part(sentence, begin, end, request.constrained)], asked)[0][0] for begin, end in spans]
    return _join(list(zip(spans, trees, strict=True)), heads, labels, single_root)


def cut_sentence(sentence: Sentence, heads: Sequence[int | None], longest: int) -> list[Span]:
    """Cut a sentence into pieces of at most `longest` words: after the last full stop in the second half of a piece,
    else after the last other punctuation there, else evenly. Given arcs that forbid it raise an error."""
    n = len(sentence)
    free = _free_places(heads)
    spans: list[Span] = []
    begin = 0
    while n - begin > longest:
        end = _end(sentence.words, free, begin, longest)
        if end is None:
            location = f"{sentence.file}:{sentence.word_line(begin + 1)}"
            raise FormatError(
                f"{location}: given arcs reach over all places where this sentence of {n} words could be cut "
                f"between its words {begin + 1} and {begin + longest + 1}; expected pieces of at most {longest} words"
            )
        spans.append((begin, end))
        begin = end
    return [*spans, (begin, n)]


def _free_places(heads: Sequence[int | None]) -> list[bool]:
    """Return for each k whether no given arc reaches over the place after word k."""
    changes = [0] * (len(heads) + 2)
    for d, h in enumerate(heads, start=1):
        if h:
            changes[min(h, d)] += 1
            changes[max(h, d)] -= 1
    return [arcs == 0 for arcs in accumulate(changes)]


def _end(words: Sequence[str], free: Sequence[bool], begin: int, longest: int) -> int | None:
    """Return the last word of the piece that begins after word `begin`, None if there is no place to cut."""
    places = [end for end in range(begin + longest, begin, -1) if free[end]]
    later = [end for end in places if 2 * (end - begin) > longest]
    for marks in (_is_full_stop, _is_punctuation):
        for end in later:
            if marks(words[end - 1]) and not _is_punctuation(words[end]):
                return end
    rest = len(words) - begin
    pieces = -(-rest // longest)
    even = begin + -(-rest // pieces)
    return min(places, key=lambda end: (abs(end - even), end), default=None)


def _is_full_stop(word: str) -> bool:
    return set(word) <= FULL_STOPS


def _is_punctuation(word: str) -> bool:
    return not any(character.isalnum() for character in word)


def _part(sentence: Sentence, begin: int, end: int, constrained: bool) -> Sentence:
    """Return these words as a sentence of their own."""
    columns = {name: getattr(sentence, name)[begin:end] for name in ("words", "upos", "xpos", "feats")}
    heads = [h - begin if h else h for h in sentence.heads[begin:end]] if constrained else None
    part = Sentence.from_words(**columns, heads=heads, labels=sentence.labels[begin:end] if constrained else None)
    part.file, part.line = sentence.file, sentence.line
    return part


def _join(
    pieces: Sequence[tuple[Span, Analysis]], constraints: Sequence[int | None], labels: Sequence[str], single_root: bool
) -> Analysis:
    """Return the trees of all pieces as one; an arc between pieces is made up, so its confidence is 0."""
    heads = [h + begin if h else 0 for (begin, _), tree in pieces for h in tree.heads]
    names = [label for _, tree in pieces for label in tree.labels]
    confidence = [share for _, tree in pieces for share in tree.confidence]
    if single_root:
        roots = [d for d, h in enumerate(heads, start=1) if h == 0]
        top = constraints.index(0) + 1 if 0 in constraints else roots[0]
        label = next((label for label in LABELS if label in labels), None)
        for root in roots:
            if root != top:
                heads[root - 1] = top
                names[root - 1] = label or names[root - 1]
                confidence[root - 1 : root] = [0.0] if confidence else []
    return Analysis(
        heads, names, sum(tree.score for _, tree in pieces), confidence, sum(tree.pieces for _, tree in pieces)
    )
