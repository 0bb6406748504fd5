"""Statistics of the training text: between which kinds of characters to decide, and which words occur."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.data.characters import BLANK, KINDS, MARK, WORD_KINDS, kind
from dodona.data.rawtext import Token
from dodona.text.runs import ALWAYS, ASK, NEVER, WORDS, Passage, Rules, word_place

__all__ = ["learned_rules"]

RARE = 0.002  # token boundaries between two kinds of characters that are rarer than this are listed by word
FEW = 20  # fewer cases than this give no rule
Text = tuple[str, Sequence[Token]]


def learned_rules(texts: Sequence[Text]) -> tuple[NDArray[Any], NDArray[Any], list[list[str]]]:
    """Return (questions, words, splits), the arguments of `dodona.text.runs.Rules`."""
    questions = _questions(texts)
    none = np.zeros(WORDS, np.uint8)
    splits = _splits(texts, Rules(questions, none, []))
    return questions, _words(texts, Rules(questions, none, splits)), splits


def _questions(texts: Sequence[Text]) -> NDArray[Any]:
    """Return whether tokens and sentences always, never or sometimes end between two kinds, with and without space."""
    total, ended, closed = (np.zeros(2 * KINDS * KINDS, np.int64) for _ in range(3))
    for text, tokens in texts:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        different, places = np.unique(codes, return_inverse=True)
        kinds = np.array([kind(int(code)) for code in different], np.int64)[places]
        ends = np.zeros(len(text), np.int64)
        for token in tokens:
            ends[token.end - 1] = 1 + token.ends_sentence
        inked = np.flatnonzero(kinds != BLANK)
        left, right = inked[:-1], inked[1:]
        pairs = ((right - left > 1) * KINDS + kinds[left]) * KINDS + kinds[right]
        for counts, which in ((total, ends[left] >= 0), (ended, ends[left] > 0), (closed, ends[left] > 1)):
            counts += np.bincount(pairs[which], minlength=len(counts))
    together = KINDS * KINDS
    inside = _is_inside(total[:together], ended[:together])
    spaces_are_ends = total[together:] - ended[together:] <= RARE * RARE * total[together:]
    answers = (
        np.where(inside, NEVER, ASK),
        np.where(spaces_are_ends, ALWAYS, ASK),
        np.where((closed > 0) | (total < FEW), ASK, NEVER),
    )
    return np.concatenate(answers).astype(np.uint8)


def _is_inside(total: NDArray[Any], ended: NDArray[Any]) -> NDArray[Any]:
    """Return the pairs of kinds between which no token ends without a space; if rare: parts of words, and marks."""
    is_word = np.isin(np.arange(KINDS), WORD_KINDS)
    probable = (is_word[:, None] & is_word[None, :]).ravel() | (np.arange(KINDS * KINDS) % KINDS == MARK)
    return np.where(total >= FEW, ended <= RARE * total, probable & (ended == 0))


def _splits(texts: Sequence[Text], rules: Rules) -> list[list[str]]:
    """Return the words that usually have a token boundary where the kinds of their characters allow none."""
    split: Counter[tuple[str, ...]] = Counter()
    runs: Counter[str] = Counter()
    for text, tokens in texts:
        token_ends = np.array([token.end for token in tokens])
        for begin, end in Passage(text, rules).spans():
            inside = token_ends[np.searchsorted(token_ends, begin, "right") : np.searchsorted(token_ends, end)]
            run = text[begin:end]
            runs[run] += 1
            if len(inside) and len(run) < 64:
                cuts = [begin, *inside.tolist(), end]
                split[tuple(text[a:b] for a, b in pairwise(cuts))] += 1
    return sorted(list(pieces) for pieces, count in split.items() if 2 * count > runs["".join(pieces)])


def _words(texts: Sequence[Text], rules: Rules) -> NDArray[Any]:
    """Return two bits for the hash of each word: seen at least twice lowercased, and capitalized in mid-sentence."""
    lower: Counter[str] = Counter()
    capitalized: Counter[str] = Counter()
    for text, tokens in texts:
        starts = {tokens[0].start} | {after.start for token, after in pairwise(tokens) if token.ends_sentence}
        for begin, end in Passage(text, rules).spans():
            run = text[begin:end]
            if run.islower():
                lower[run] += 1
            elif run[:1].isupper() and begin not in starts:
                capitalized[run.lower()] += 1
    words = np.zeros(WORDS, np.uint8)
    for bit, counter in ((1, lower), (2, capitalized)):
        for word, count in counter.items():
            if count > 1:
                place = word_place(word)
                words[place >> 2] |= bit << 2 * (place & 3)
    return words
