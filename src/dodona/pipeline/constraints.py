"""Arcs that are given before parsing: read from a sentence, checked, and turned into what an oracle looks at.

An oracle that knows the exact cost of every action also knows which actions keep a part of a tree within reach: those
that cost nothing with regard to it. So a parser that takes only these ends with every given arc, whatever its weights
say.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dodona.core import derive
from dodona.core.gold import Gold
from dodona.core.moves import NONE
from dodona.data import Sentence
from dodona.data.pseudoprojective import escaped
from dodona.errors import DodonaError, FormatError

if TYPE_CHECKING:
    from dodona.pipeline.parser import Analysis

__all__ = ["Given", "given_arcs"]


class Given:
    """The arcs of a sentence that must come out."""

    def __init__(self, gold: Gold, heads: Sequence[int | None], labels: Sequence[str | None]) -> None:
        self.gold = gold
        self.heads = heads
        self.labels = labels

    def checked(self, sentence: Sentence, analysis: "Analysis") -> "Analysis":
        """The analysis with the given labels, also those that the model does not know."""
        for d, (h, found) in enumerate(zip(self.heads, analysis.heads, strict=True), start=1):
            if h is not None and h != found:
                place = f"{sentence.file}:{sentence.word_line(d)}"
                raise DodonaError(f"{place}: no tree was found in which word {d} has the given HEAD {h}")
        labels = [given or found for given, found in zip(self.labels, analysis.labels, strict=True)]
        return analysis._replace(labels=labels)


def given_arcs(
    sentence: Sentence, names: Sequence[str], decorated: bool, projective: bool, single_root: bool
) -> Given | None:
    """HEAD and DEPREL as far as they are filled in, None if no HEAD is. Arcs that no tree can have are an error."""
    heads = sentence.heads
    if not any(h is not None for h in heads):
        return None
    _check(sentence, [0, *(h if h is not None else NONE for h in heads)], projective, single_root)
    labels = [
        label if h is not None and label not in ("_", "") else None
        for h, label in zip(heads, sentence.labels, strict=True)
    ]
    numbers = {name: i for i, name in enumerate(names)}
    # labels of roots are left to the end: some systems give all of them the same one
    wanted = [
        numbers.get(escaped(label) if decorated else label, NONE) if label is not None and h else NONE
        for h, label in zip(heads, labels, strict=True)
    ]
    return Given(derive.gold_tree([NONE if h is None else h for h in heads], wanted), heads, labels)


def _check(sentence: Sentence, head: list[int], projective: bool, single_root: bool) -> None:
    """`head[0]` is ROOT's, which has none."""
    for d in range(1, len(head)):
        path = [d]
        while (h := head[path[-1]]) > 0:
            if h in path:
                cycle = " → ".join(map(str, [h, *reversed(path[path.index(h) :])]))
                raise _impossible(sentence, d, f"HEAD {head[d]}", f"the given arcs form a cycle: {cycle}")
            path.append(h)
    roots = [d for d in range(1, len(head)) if head[d] == 0]
    if single_root and len(roots) > 1:
        raise _impossible(sentence, roots[1], "HEAD 0", f"word {roots[0]} is the root already, and a tree has one")
    if projective:
        for d in range(1, len(head)):
            if head[d] > 0:
                _check_span(sentence, head, d)


def _check_span(sentence: Sentence, head: list[int], d: int) -> None:
    """In a projective tree every word between a head and its dependent is below the head."""
    h = head[d]
    low, high = min(h, d), max(h, d)
    above_head = _climb(head, h, NONE)[-1]
    for k in range(low + 1, high):
        path = _climb(head, k, h)
        top = path[-1]
        if top == h or (low < top < high and top != above_head):
            continue
        crossing = (m for m in path if head[m] != NONE and not low <= head[m] <= high)
        reason = next(
            (f"arc {head[m]} → {m} crosses it" for m in crossing), f"word {top} between them is above word {h}"
        )
        raise _impossible(sentence, d, f"HEAD {h}", f"{reason}, and this parser builds projective trees only")


def _climb(head: list[int], k: int, stop: int) -> list[int]:
    """The words from k upwards along given arcs, not beyond `stop` and ROOT."""
    path = [k]
    while path[-1] not in (stop, 0) and head[path[-1]] != NONE:
        path.append(head[path[-1]])
    return path


def _impossible(sentence: Sentence, d: int, given: str, reason: str) -> FormatError:
    return FormatError(f"{sentence.file}:{sentence.word_line(d)}: word {d} has {given}, but {reason}")
