"""From the scores of UPOS, XPOS and FEATS, each by itself, to the best tag that the treebank has."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.data.checks import check_values

__all__ = ["KINDS", "Tag", "TagChoice", "checked_tag", "values_of"]

Tag = tuple[str, str, str]
KINDS = 3  # UPOS, XPOS, FEATS


def values_of(tags: Sequence[Tag]) -> list[list[str]]:
    """Return the values of each kind, in the order of their scores."""
    return [sorted({tag[kind] for tag in tags}) for kind in range(KINDS)]


def checked_tag(tag: Any) -> Tag:
    """Return a tag of a model file; an error if it is none."""
    upos, xpos, feats = tag
    for value in (upos, xpos, feats):
        if not isinstance(value, str) or not value or set(value) & set("\t\n\r\0"):
            raise ValueError(f"{value!r} is no value of a column")
    return upos, xpos, feats


class TagChoice:
    """All tags of a treebank. The score of a tag is the sum of the scores of its parts."""

    def __init__(self, tags: Sequence[Tag]) -> None:
        kinds = values_of(tags)
        self.sizes = [len(values) for values in kinds]
        self.columns = [[tag[kind] for tag in tags] for kind in range(KINDS)]
        for values in self.columns:
            check_values(values, len(values))  # checked once, so that columns need no check
        numbers = [{value: i for i, value in enumerate(values)} for values in kinds]
        parts = np.array([[numbers[kind][tag[kind]] for tag in tags] for kind in range(KINDS)], dtype=np.int64)
        starts = np.cumsum([0, *self.sizes[:-1]])
        self._places = parts + starts[:, None]
        codes = self._code(parts)
        self._order = np.argsort(codes)
        self._codes = codes[self._order]

    def _code(self, parts: NDArray[np.int64]) -> NDArray[np.int64]:
        _, xpos, feats = self.sizes
        found: NDArray[np.int64] = (parts[0] * xpos + parts[1]) * feats + parts[2]
        return found

    def best(self, scores: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the number of the best tag of each word, from scores [words, values of all kinds].

        Where the best parts make up a tag, it is that one; all tags are compared only for the other words.
        """
        ends = np.cumsum(self.sizes)
        parts = [kind.argmax(axis=1) for kind in np.split(scores, ends[:-1], axis=1)]
        codes = self._code(np.stack(parts))
        at = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        found: NDArray[np.int64] = self._order[at]
        rest = np.flatnonzero(self._codes[at] != codes)
        if len(rest):
            upos, xpos, feats = self._places
            own = scores[rest]
            found[rest] = (own[:, upos] + own[:, xpos] + own[:, feats]).argmax(axis=1)
        return found
