"""Words as an encoder reads them: word pieces, in windows where a sentence is long, and hashed subwords beside them.

A word stands for itself by its first piece. The others are there for the words around it, up to `MAX_PIECES` of them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from dodona.errors import FormatError
from dodona.neural.vocabulary import SUBWORDS, Vocabulary

__all__ = ["LIKE", "PieceBatch", "PieceTable", "WordPieces", "group_windows", "split_windows"]

MAX_PIECES = 16  # of a word: a very long one must not push its neighbours out of the window
MAX_TOKENIZER = 100_000_000  # characters
LIKE = 0.75
GROUP = 16_384  # pieces of a group at most, with padding


class WordPieces:
    """The word pieces of an encoder: from a form to their numbers."""

    def __init__(self, text: str, rows: int, where: str) -> None:
        """`text` is a tokenizer in the JSON of the `tokenizers` library; `rows` are those of the encoder's table."""
        if len(text) > MAX_TOKENIZER:
            raise FormatError(f"{where}: a tokenizer of {len(text):,} characters; expected {MAX_TOKENIZER:,} at most")
        try:
            self._tokenizer = Tokenizer.from_str(text)
            model = json.loads(text)["model"]
        except Exception as error:  # the library has no errors of its own
            raise FormatError(f"{where}: not a tokenizer of word pieces: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        highest = max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
        if highest >= rows:
            raise FormatError(f"{where}: a tokenizer with {highest + 1:,} pieces for an encoder of {rows:,}")
        self.unknown = self._find_unknown(model)
        plain, marked = (self._tokenizer.encode("a", add_special_tokens=special).ids for special in (False, True))
        begin = next((i for i in range(len(marked)) if marked[i : i + len(plain)] == plain), 0)
        self.before, self.after = marked[:begin], marked[begin + len(plain) :]

    def _find_unknown(self, model: Any) -> int:
        """Return the piece for what has none: that of the model, one with the usual name, or the first of all."""
        named = model.get("unk_token") if isinstance(model, dict) else None
        for name in (named, "[UNK]", "<unk>"):
            number = self._tokenizer.token_to_id(name) if isinstance(name, str) else None
            if number is not None:
                return int(number)
        return 0

    def of_form(self, form: str) -> list[int]:
        """Return the pieces of a word, at least one: blanks and control characters have none of their own."""
        plain = form.encode("utf-8", "replace").decode()
        pieces: list[int] = self._tokenizer.encode([plain], is_pretokenized=True, add_special_tokens=False).ids
        return pieces[:MAX_PIECES] or [self.unknown]


@dataclass(frozen=True)
class Window:
    """Words that the encoder sees together, and those of them that it is asked about here."""

    begin: int
    end: int
    own_begin: int
    own_end: int


def split_windows(counts: Sequence[int], room: int) -> list[Window]:
    """Return windows over words with these numbers of pieces, each with room for so many.

    A window begins about half a window after the one before. Where two overlap, the words of the first half of the
    overlap belong to the first: so every word has neighbours on both sides, but at the ends of the sentence.
    """
    ranges: list[tuple[int, int]] = []
    begin = 0
    while True:
        end, pieces, half = begin, 0, begin + 1
        while end < len(counts) and pieces + counts[end] <= room:
            pieces += counts[end]
            end += 1
            if 2 * pieces <= room:
                half = end
        ranges.append((begin, end))
        if end == len(counts):
            break
        begin = max(begin + 1, min(half, end))
    cuts = [(begin + end) // 2 for (_, end), (begin, _) in pairwise(ranges)]
    owns = zip([0, *cuts], [*cuts, len(counts)], strict=True)
    return [Window(*seen, *own) for seen, own in zip(ranges, owns, strict=True)]


def group_windows(lengths: Sequence[int], like: float = LIKE) -> list[list[int]]:
    """Return the numbers of windows in groups of like length, so that little of a group is padding: the shortest has at
    least this share of the longest."""
    groups: list[list[int]] = []
    longest = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if not groups or lengths[i] < like * longest or (len(groups[-1]) + 1) * longest > GROUP:
            groups.append([])
            longest = lengths[i]
        groups[-1].append(i)
    return groups


@dataclass(frozen=True)
class PieceBatch:
    """Sentences as numbers. Pieces are counted through all groups, row by row, with the padding."""

    pieces: list[NDArray[np.int64]]  # of each group [windows, pieces]
    masks: list[NDArray[np.int64]]  # 1 for a piece, 0 for padding
    first: NDArray[np.int64]  # [words]: the first piece of each
    subwords: NDArray[np.int64]  # [words, subwords]; 0 is none
    lengths: NDArray[np.int64]  # [sentences]: words


class PieceTable:
    """The pieces and subwords of forms, each worked out once."""

    def __init__(self, pieces: WordPieces, subwords: int, window: int) -> None:
        self._pieces = pieces
        self._vocabulary = Vocabulary((), (), (), subwords)
        self._room = window - len(pieces.before) - len(pieces.after)
        if self._room < 1:
            raise ValueError(f"a window of {window} word pieces; expected room for a word")
        self._forms: dict[str, tuple[list[int], list[int]]] = {}
        self.characters = 0

    def __len__(self) -> int:
        return len(self._forms)

    def _of_form(self, form: str) -> tuple[list[int], list[int]]:
        known = self._forms.get(form)
        if known is None:
            known = self._forms[form] = self._pieces.of_form(form)[: self._room], self._vocabulary.of_form(form)[2:]
            self.characters += len(form)
        return known

    def lay_out(self, sentences: Sequence[Sequence[str]], like: float = LIKE) -> PieceBatch:
        """Return sentences, given by their forms, as a batch, with windows grouped by `group_windows`."""
        rows: list[list[int]] = []
        owners: list[tuple[int, int, int]] = []  # the word, its window, and its first piece there
        subwords: list[list[int]] = []
        for forms in sentences:
            words = [self._of_form(form) for form in forms]
            before = len(subwords)
            subwords += [own for _, own in words]
            for window in split_windows([len(own) for own, _ in words], self._room) if words else ():
                row = [*self._pieces.before]
                for k in range(window.begin, window.end):
                    if window.own_begin <= k < window.own_end:
                        owners.append((before + k, len(rows), len(row)))
                    row += words[k][0]
                rows.append([*row, *self._pieces.after])
        groups = group_windows([len(row) for row in rows], like)
        starts = np.zeros(len(rows), np.int64)
        pieces, masks, total = [], [], 0
        for group in groups:
            width = max(len(rows[i]) for i in group)
            starts[group] = total + width * np.arange(len(group))
            total += width * len(group)
            pieces.append(np.array([rows[i] + [0] * (width - len(rows[i])) for i in group], np.int64))
            masks.append(np.array([[1] * len(rows[i]) + [0] * (width - len(rows[i])) for i in group], np.int64))
        first = np.array([starts[row] + place for _, row, place in owners], np.int64)
        lengths = np.array([len(forms) for forms in sentences], np.int64)
        return PieceBatch(pieces, masks, first, np.array(subwords, np.int64).reshape(-1, SUBWORDS), lengths)
