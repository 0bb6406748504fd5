"""Tokens and sentences as the documentation of the segmenter tells it: runs, questions about them, answers from left to
right, and logistic regression that learns the answers.

After a run the token ends or not, and if it does, the sentence ends or not. The kinds of the two characters around say
whether that is never, always or sometimes so; then a linear model is asked.
"""

from collections.abc import Sequence
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from reference.averaged import AveragedDict
from reference.characters import CLOSING, OPENING, is_blank, kind_of
from reference.mixing import mix, text_hash

NO_GAP, BLANKS, PARAGRAPH = range(3)
NEVER, ASK, ALWAYS = range(3)
TOKEN, SENTENCE, MULTIWORD = range(3)
LONGEST_RUN, LONGEST_SENTENCE, MOST_TOKENS = 1 << 16, 1 << 20, 10_000
LOOKAHEAD = 5
GENERAL = 7
BORED = 0.02  # an error so small teaches nothing


class Run(NamedTuple):
    start: int
    end: int
    text: str
    gap: int  # what stands before it
    is_piece: bool = False  # whether a known word was cut here

    @property
    def lower_text(self) -> str:
        """Each character by itself; of those that become two, the first."""
        return "".join(char.lower()[0] for char in self.text[:64])

    @property
    def form(self) -> int:
        return text_hash(self.text[:64])

    @property
    def lower(self) -> int:
        return text_hash(self.lower_text)

    @property
    def first(self) -> int:
        return kind_of(ord(self.text[0]))

    @property
    def last(self) -> int:
        return kind_of(ord(self.text[-1]))

    @property
    def shape(self) -> int:
        """The kinds of the first, last and second character, and how many there are, up to four."""
        second = kind_of(ord(self.text[:2][-1]))
        return self.first << 24 | self.last << 16 | second << 8 | min(len(self.text), 4)

    @property
    def shape_and_gap(self) -> int:
        return self.shape * 4 + self.gap + 1

    @property
    def form_and_gap(self) -> int:
        return self.form + self.gap


def line_ends(blanks: str) -> int:
    """A paragraph separator counts twice, the two characters of a Windows line end once."""
    blanks = blanks.replace("\r\n", "\n")
    return sum(char in "\n\r\x85\u2028" for char in blanks) + 2 * blanks.count("\u2029")


class TextReference:
    """A text, its runs, and what is known about its characters and words."""

    def __init__(
        self, text: str, questions: NDArray[Any], words: NDArray[Any], splits: Sequence[Sequence[str]]
    ) -> None:
        self.text, self.questions, self.words = text, questions, words
        self.splits = {"".join(pieces): pieces for pieces in splits}
        self.runs: list[Run] = []
        at = 0
        while True:
            start = at
            while at < len(text) and is_blank(text[at]):
                at += 1
            gap = PARAGRAPH if line_ends(text[start:at]) > 1 else BLANKS if at > start else NO_GAP
            if at == len(text):
                break
            start = at
            at += 1
            while at < len(text) and at - start < LONGEST_RUN and self.belong_together(text[at - 1], text[at]):
                at += 1
            self.runs += self.cut(start, text[start:at], gap)

    def belong_together(self, one: str, other: str) -> bool:
        return not is_blank(other) and self.answer(TOKEN, False, kind_of(ord(one)), kind_of(ord(other))) == NEVER

    def cut(self, start: int, text: str, gap: int) -> list[Run]:
        """A known word in its pieces, of which the first may be a known word again."""
        pieces = self.splits.get(text) if 1 < len(text) < 64 else None
        if pieces is None or len(pieces) == 1:
            return [Run(start, start + len(text), text, gap)]
        found = self.cut(start, pieces[0], gap)
        for piece in pieces[1:]:
            found.append(Run(found[-1].end, found[-1].end + len(piece), piece, NO_GAP, True))
        return found

    def answer(self, question: int, apart: bool, before: int, after: int) -> int:
        return int(self.questions.reshape(2, 2, 64, 64)[question, int(apart), before, after])

    def asked(self, question: int, k: int) -> int:
        """NEVER, ASK or ALWAYS, between run k and the next."""
        run, after = self.runs[k], self.runs[k + 1]
        if question == TOKEN and after.is_piece:
            return ASK
        return self.answer(question, after.gap != NO_GAP, run.last, after.first)

    def seen(self, k: int) -> int:
        """1: the training text had it in lower case; 2: capitalized in mid-sentence; 3: both."""
        place = self.runs[k].lower >> 20 & (1 << 18) - 1
        return int(self.words[place // 4]) >> 2 * (place % 4) & 3

    def before(self, sentence: int, k: int, back: int) -> int:
        """The character so many before the end of run k: 1 if that is before the sentence, 2 for all blanks."""
        at = self.runs[k].end - back
        if at < self.runs[sentence].start:
            return 1
        return 2 if is_blank(self.text[at]) else ord(self.text[at]) + 3

    def after(self, k: int, ahead: int) -> int:
        """The character so many after the beginning of run k: 1 if that is beyond the paragraph, or two runs on."""
        at = self.runs[k].start + ahead
        if at >= self.ahead(k)[-1].end:
            return 1
        return 2 if is_blank(self.text[at]) else ord(self.text[at]) + 3

    def ahead(self, k: int) -> list[Run]:
        """Run k and up to two more of its paragraph."""
        found = [self.runs[k]]
        for run in self.runs[k + 1 : k + 3]:
            if run.gap == PARAGRAPH:
                break
            found.append(run)
        return found


class SoFar(NamedTuple):
    """Where a sentence and a token began, and how many tokens were before it."""

    sentence: int
    token: int
    tokens: int


def nesting(text: TextReference, sentence: int, k: int) -> int:
    """Up to run k of a sentence: bit 0 if a straight quotation mark is open, above it how many brackets, up to 2."""
    quotes = depth = 0
    for run in text.runs[sentence : k + 1]:
        quotes ^= run.first == kind_of(ord('"'))
        depth = max(0, depth + (run.first in OPENING) - (run.first in CLOSING))
    return quotes | min(depth, 2) << 1


def token_form(text: TextReference, at: SoFar, k: int) -> int:
    """The runs of the token up to run k, with the gaps between them."""
    runs = text.runs[at.token : k + 1]
    return mix(0, runs[0].form, *(run.form_and_gap for run in runs[1:]))


def left_of(text: TextReference, at: SoFar, k: int) -> tuple[int, int]:
    """Form and shape of the run before run k, and the gap between the two; 0 before the sentence."""
    if k == at.sentence:
        return 0, 0
    run, gap = text.runs[k - 1], text.runs[k].gap
    return run.form + gap, run.shape * 4 + gap + 1


def token_keys(text: TextReference, at: SoFar, k: int) -> list[int]:
    a, (b, *more) = text.runs[k], text.ahead(k + 1)
    begin = text.runs[at.token]
    g = mix(1, b.gap)
    c1, c2, c3 = (text.before(at.sentence, k, back) for back in (1, 2, 3))
    n1, n2, n3 = (text.after(k + 1, ahead) for ahead in (0, 1, 2))
    l2, l2_shape = left_of(text, at, k)
    r2, r2_shape = (more[0].form_and_gap, more[0].shape_and_gap) if more else (0, 0)
    r3_shape = more[1].shape_and_gap if len(more) > 1 else 0
    signs = 0
    for run in text.runs[at.token : k + 1]:
        signs |= 1 << run.first
    before, after = mix(g + 2, c1, c2), mix(g + 3, n1, n2)
    left, right, token = mix(g + 4, a.form), mix(g + 5, b.form), mix(g + 6, token_form(text, at, k))
    shapes = mix(g + 7, a.shape, b.shape)
    return [
        mix(g + 1, c1, n1),
        before,
        mix(before + 1, n1),
        mix(before + 2, c3),
        mix(before + 3, n1, n2),
        after,
        mix(after + 1, c1),
        mix(after + 2, n3),
        left,
        mix(left + 1, b.form),
        mix(left + 2, b.shape),
        mix(left + 3, b.form, l2),
        mix(left + 4, b.form, r2),
        right,
        mix(right + 1, r2_shape),
        mix(right + 2, r2),
        token,
        mix(token + 1, b.form),
        mix(token + 2, b.shape),
        shapes,
        mix(shapes + 1, r2_shape),
        mix(shapes + 2, l2_shape),
        mix(shapes + 3, l2_shape, r2_shape),
        mix(shapes + 4, r2_shape, r3_shape),
        mix(shapes + 5, min(k - at.token, 4) << 8 | begin.first),
        mix(g + 8, begin.form, b.shape),
        mix(g + 9, a.lower, b.lower),
        mix(g + 10, signs, b.shape, r2_shape & 3),
        mix(g + 11, begin.form, b.first, r2_shape & 3),
    ]


def size_class(tokens: int) -> int:
    """Of a sentence with so many tokens."""
    return tokens if tokens < 5 else 5 + sum(tokens >= limit for limit in (8, 16, 32))


def sentence_keys(text: TextReference, at: SoFar, k: int) -> list[int]:
    a, (b, *more) = text.runs[k], text.ahead(k + 1)
    begin = text.runs[at.sentence]
    g = mix(2, b.gap)
    known = text.seen(k + 1) | b.shape << 8
    size, nested = size_class(at.tokens + 1), nesting(text, at.sentence, k)
    l2, l2_shape = left_of(text, at, k)
    l3_shape = left_of(text, at, k - 1)[1] if k > at.sentence else 0
    r2, r2_shape = (more[0].form_and_gap, 4 * more[0].shape_and_gap) if more else (0, 0)
    r3_shape = 4 * more[1].shape_and_gap if len(more) > 1 else 0
    c1, c2, c3 = (text.before(at.sentence, k, back) for back in (1, 2, 3))
    left, pair, token = mix(g + 1, a.form), mix(g + 2, a.form, l2), mix(g + 3, token_form(text, at, k))
    right, shapes, before = mix(g + 4, b.form), mix(g + 5, a.shape, known), mix(g + 6, c1, c2)
    longer = mix(before + 2, c3)
    return [
        left,
        mix(left + 1, b.form),
        mix(left + 2, b.shape),
        mix(left + 3, known),
        mix(left + 4, b.shape, r2_shape),
        mix(left + 5, b.form, r2),
        mix(left + 6, known, size),
        mix(left + 7, b.shape, begin.first),
        mix(left + 8, known, nested),
        mix(left + 9, b.lower),
        mix(left + 10, l2_shape, known),
        mix(left + 11, begin.lower),
        pair,
        mix(pair + 1, b.shape),
        mix(pair + 2, b.form),
        mix(token + 1, b.shape),
        mix(token + 2, b.form),
        mix(token + 3, b.shape, r2_shape),
        right,
        mix(right + 1, r2),
        mix(right + 2, a.shape),
        mix(right + 3, a.shape, l2_shape),
        shapes,
        mix(shapes + 1, r2_shape),
        mix(shapes + 2, l2_shape),
        mix(shapes + 3, l2_shape, r2_shape),
        mix(shapes + 4, r2_shape, r3_shape),
        mix(shapes + 5, l2_shape, l3_shape),
        mix(shapes + 6, size, begin.first),
        mix(shapes + 7, begin.first, nested),
        before,
        mix(before + 1, text.after(k + 1, 0)),
        longer,
        mix(longer + 1, b.shape),
    ]


def multiword_keys(text: TextReference, sentence: int, first: int, last: int) -> list[int]:
    """The last one to six characters; then the whole token, and what stands around it."""
    start, end = text.runs[first].start, text.runs[last].end
    token = [ord(char.lower()[0]) for char in text.text[start:end]]
    suffixes = [mix(4, *[*token[::-1], 0, 0, 0, 0, 0, 0][:size]) for size in range(1, 7)]
    form = mix(3, *token[:64])

    def around(k: int) -> tuple[int, int, int]:
        run = text.runs[k]
        return run.lower, run.shape, mix(0, *(ord(char.lower()[0]) + 1 for char in run.text[-3:]))

    left, left_shape, left_end = around(first - 1) if first > sentence else (0, 0, 0)
    is_last = last + 1 == len(text.runs) or text.runs[last + 1].gap == PARAGRAPH
    right, right_shape, right_end = (0, 0, 0) if is_last else around(last + 1)
    shape = text.runs[first].shape
    return [
        *suffixes,
        mix(suffixes[2] + 1, shape, right_shape),
        form,
        mix(form + 1, left),
        mix(form + 2, right),
        mix(form + 3, left_shape),
        mix(form + 4, right_shape),
        mix(form + 5, shape),
        mix(form + 6, left_end),
        mix(form + 7, right_end),
        mix(form + 8, left_end, right_end),
    ]


class Cut(NamedTuple):
    """A sentence."""

    forms: list[str]
    gaps: list[str]  # what follows each token
    spaced: list[int]  # the tokens with blanks inside
    first: int  # run
    lasts: list[int]  # run of each token
    ends_paragraph: bool


class Scored(NamedTuple):
    """Numbers of a finished model."""

    numbers: dict[tuple[int, int], int]

    def score(self, keys: list[int], question: int) -> float:
        return sum(self.numbers.get((key, question), 0) for key in keys)


def decision(text: TextReference, at: SoFar, k: int, model: Scored) -> int:
    """After run k: 0 the token goes on, 1 it ends, 2 the sentence ends too."""
    if k + 1 == len(text.runs) or text.runs[k + 1].gap == PARAGRAPH:
        return 2
    end = text.runs[k].end
    asked = text.asked(TOKEN, k)
    if end - text.runs[at.token].start < LONGEST_SENTENCE and (
        asked == NEVER or (asked == ASK and model.score(token_keys(text, at, k), TOKEN) <= 0)
    ):
        return 0
    if at.tokens + 1 >= MOST_TOKENS or end - text.runs[at.sentence].start >= LONGEST_SENTENCE:
        return 2
    if text.asked(SENTENCE, k) == NEVER:
        return 1
    return 2 if model.score(sentence_keys(text, at, k), SENTENCE) > 0 else 1


def segmented(text: TextReference, model: Scored, final: bool) -> tuple[list[Cut], int]:
    """(sentences, where the first one that is not complete begins); too near to the end of a text that goes on,
    nothing is decided, unless a paragraph ends before."""
    paragraphs = [k for k, run in enumerate(text.runs) if run.gap == PARAGRAPH]
    limit = len(text.runs) if final else max([len(text.runs) - LOOKAHEAD, *paragraphs])
    at = SoFar(0, 0, 0)
    tokens: list[tuple[int, int]] = []  # runs from, to
    found: list[Cut] = []
    done = 0
    for k in range(max(0, limit)):
        decided = decision(text, at, k, model)
        if decided == 0:
            continue
        tokens.append((at.token, k))
        at = SoFar(at.sentence, k + 1, at.tokens + 1)
        if decided == 2:
            found.append(cut(text, tokens))
            done = text.runs[k + 1].start if k + 1 < len(text.runs) else len(text.text)
            at, tokens = SoFar(k + 1, k + 1, 0), []
    return found, done


def cut(text: TextReference, tokens: list[tuple[int, int]]) -> Cut:
    starts = [run.start for run in text.runs] + [len(text.text)]
    forms = [text.text[text.runs[a].start : text.runs[b].end] for a, b in tokens]
    gaps = [text.text[text.runs[b].end : starts[b + 1]] for _, b in tokens]
    spaced = [i for i, form in enumerate(forms) if any(map(is_blank, form))]
    first, last = tokens[0][0], tokens[-1][1]
    return Cut(
        forms,
        gaps,
        spaced,
        first,
        [b for _, b in tokens],
        last + 1 < len(text.runs) and text.runs[last + 1].gap == PARAGRAPH,
    )


class SegmentReference:
    """Logistic regression, one question at a time."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.weights = AveragedDict()
        self.mistakes = 0

    def learn(self, keys: list[int], question: int, gold: bool) -> None:
        score = self.weights.score(keys, question)
        self.mistakes += (score > 0) != gold
        wrong = float(np.float32(gold - 1 / (1 + exp(-score))))
        self.weights.step((key, question, self.rate * wrong) for key in keys if abs(wrong) > BORED)

    def sentence(self, text: TextReference, gold: Sequence[int], first: int) -> None:
        at = SoFar(first, first, 0)
        for k in range(first, len(text.runs) - 1):
            if text.runs[k + 1].gap == PARAGRAPH:
                return
            if text.asked(TOKEN, k) == ASK:
                self.learn(token_keys(text, at, k), TOKEN, gold[k] > 0)
            if gold[k] > 0 and text.asked(SENTENCE, k) != NEVER:
                self.learn(sentence_keys(text, at, k), SENTENCE, gold[k] > 1)
            if gold[k] == 2:
                return
            if gold[k] == 1:
                at = SoFar(first, k + 1, at.tokens + 1)

    def multiword(self, text: TextReference, sentence: int, first: int, last: int, gold: bool, is_rare: bool) -> None:
        """Of a rare token only the end is looked at."""
        keys = multiword_keys(text, sentence, first, last)
        self.learn(keys[:GENERAL] if is_rare else keys, MULTIWORD, gold)
