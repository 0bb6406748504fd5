"""Alignment of the words of system output and gold, which may be tokenized differently.

Both files have the same characters, spaces ignored. A word that is a token is aligned with a token that covers the same
characters. The words inside a multiword token have no characters of their own (French *du* is *de* + *le*), so around
multiword tokens words are aligned by form: a longest common subsequence.
"""

from bisect import bisect_right
from dataclasses import dataclass

from dodona.errors import MismatchError
from dodona.evaluation.document import ROOT, Document

__all__ = ["Alignment", "align", "same_spans"]

UNALIGNED = -2
SHOWN = 20  # characters of context in an error


@dataclass(slots=True)
class Alignment:
    pairs: list[tuple[int, int]]  # gold word, system word; both ascending
    gold_of: list[int]  # of each system word; UNALIGNED for a word that gold does not have

    def gold_parent(self, system_parent: int) -> int:
        """Return the gold word that a head in the system output is aligned with."""
        return ROOT if system_parent == ROOT else self.gold_of[system_parent]


def align(gold: Document, system: Document) -> Alignment:
    _check_characters(gold, system)
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold.multiword[g] or system.multiword[s]:
            gold_words, system_words = _region(gold, system, g, s)
            pairs += _common_forms(gold, system, gold_words, system_words)
            g, s = gold_words.stop, system_words.stop
        elif gold.spans[g] == system.spans[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.spans[g][0] <= system.spans[s][0]:
            g += 1
        else:
            s += 1
    gold_of = [UNALIGNED] * len(system)
    for g, s in pairs:
        gold_of[s] = g
    return Alignment(pairs, gold_of)


def same_spans(gold: list[tuple[int, int]], system: list[tuple[int, int]]) -> int:
    """Return how many tokens or sentences cover the same characters in both."""
    return len(set(gold) & set(system))


def _region(gold: Document, system: Document, g: int, s: int) -> tuple[range, range]:
    """The words of both sides around the multiword token at g or s, until no multiword token sticks out of the region.

    A word that begins before the multiword token overlaps another word before it and is passed over. Only one word is,
    as in the shared task, even where the other side lags behind by more.
    """
    sides, at = (gold, system), [g, s]
    leader = 0 if gold.multiword[g] else 1
    other = 1 - leader
    begin, end = sides[leader].spans[at[leader]]
    if not sides[other].multiword[at[other]] and sides[other].spans[at[other]][0] < begin:
        at[other] += 1
    first = tuple(at)
    while any(_is_within(side, i, end) for side, i in zip(sides, at, strict=True)):
        turn = 0 if _start(gold, at[0]) <= _start(system, at[1]) else 1
        word = at[turn]
        if sides[turn].multiword[word]:
            end = max(end, sides[turn].spans[word][1])
        at[turn] += 1
    return range(first[0], at[0]), range(first[1], at[1])


def _start(side: Document, word: int) -> float:
    return side.spans[word][0] if word < len(side) else float("inf")


def _is_within(side: Document, word: int, end: int) -> bool:
    """Whether a word belongs to a region that ends there: multiword tokens stretch it, other words must fit in."""
    if word >= len(side):
        return False
    return side.spans[word][0] < end if side.multiword[word] else side.spans[word][1] <= end


def _common_forms(gold: Document, system: Document, gold_words: range, system_words: range) -> list[tuple[int, int]]:
    """A longest common subsequence of the forms, letter case aside; of several, the one that skips gold words first."""
    a = [gold.forms[g].lower() for g in gold_words]
    b = [system.forms[s].lower() for s in system_words]
    if a == b:
        return list(zip(gold_words, system_words, strict=True))
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # of a[i:] and b[j:]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            if a[i] == b[j]:
                longest[i][j] = 1 + longest[i + 1][j + 1]
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((gold_words[i], system_words[j]))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _check_characters(gold: Document, system: Document) -> None:
    if gold.characters == system.characters:
        return
    pairs = zip(gold.characters, system.characters, strict=False)
    shorter = min(len(gold.characters), len(system.characters))
    at = next((i for i, (g, s) in enumerate(pairs) if g != s), shorter)
    raise MismatchError(
        f"{_sentence_at(system, at)}: the text of this sentence goes on with {_text_at(system, at)}; "
        f"expected {_text_at(gold, at)} as in {_sentence_at(gold, at)}"
    )


def _sentence_at(side: Document, at: int) -> str:
    if not side.places:
        return "(a file without sentences)"
    return side.places[min(bisect_right(side.sentences, at, key=lambda span: span[1]), len(side.places) - 1)]


def _text_at(side: Document, at: int) -> str:
    return repr(side.characters[at : at + SHOWN]) if at < len(side.characters) else "the end of the file"
