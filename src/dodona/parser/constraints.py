"""Arcs that are given before parsing: read from a sentence, checked, and converted to a partial gold tree.

An oracle that computes the exact cost of every action also knows which actions keep a partial tree reachable: those of
zero cost with regard to it. So a parser that takes only these builds every given arc, whatever its weights are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dodona.data import Sentence
from dodona.data.marks import take_annotated_arcs
from dodona.data.pseudoprojective import escape_label
from dodona.data.trees import find_cycle
from dodona.errors import DodonaError, FormatError
from dodona.parser.request import Analysis
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE

__all__ = ["Constraints", "read_constraints"]


@dataclass(frozen=True)
class Constraints:
    """The arcs of a sentence that the parse must contain."""

    gold: Gold
    heads: Sequence[int | None]
    labels: Sequence[str | None]

    def complete(self, sentence: Sentence, analysis: Analysis) -> Analysis:
        """Return the analysis with the given labels, also those that the model does not know, and check its heads."""
        for d, (h, head) in enumerate(zip(self.heads, analysis.heads, strict=True), start=1):
            if h is not None and h != head:
                location = f"{sentence.file}:{sentence.word_line(d)}"
                raise DodonaError(f"{location}: no tree was found in which word {d} has the given HEAD {h}")
        labels = [given or label for given, label in zip(self.labels, analysis.labels, strict=True)]
        return analysis._replace(labels=labels)


def read_constraints(
    sentence: Sentence, names: Sequence[str], decorated: bool, projective: bool, single_root: bool
) -> Constraints | None:
    """Return the arcs that are filled in and annotated, None if no HEAD is. Arcs that no tree can contain raise an
    error."""
    heads, own = take_annotated_arcs(sentence)
    if not any(h is not None for h in heads):
        return None
    _check(sentence, [0, *(h if h is not None else NONE for h in heads)], projective, single_root)
    labels = [label if h is not None and label not in ("_", "") else None for h, label in zip(heads, own, strict=True)]
    numbers = {name: i for i, name in enumerate(names)}
    # labels of roots are set at the end: some systems give all of them the same one
    wanted = [
        numbers.get(escape_label(label) if decorated else label, NONE) if label is not None and h else NONE
        for h, label in zip(heads, labels, strict=True)
    ]
    return Constraints(derivations.gold_tree([NONE if h is None else h for h in heads], wanted), heads, labels)


def _check(sentence: Sentence, head: list[int], projective: bool, single_root: bool) -> None:
    """`head[0]` is ROOT's, which has none."""
    start_and_cycle = find_cycle([None if h == NONE else h for h in head[1:]])
    if start_and_cycle is not None:
        d, cycle = start_and_cycle
        shown = " → ".join(map(str, reversed([*cycle, cycle[0]])))
        raise _impossible(sentence, d, f"the given arcs form a cycle: {shown}")
    roots = [d for d in range(1, len(head)) if head[d] == 0]
    if single_root and len(roots) > 1:
        raise _impossible(sentence, roots[1], f"word {roots[0]} is the root already, and a tree has one")
    if projective:
        _check_crossing(sentence, head)
        for d in range(1, len(head)):
            if head[d] > 0:
                _check_span(sentence, head, d)


def _check_crossing(sentence: Sentence, head: list[int]) -> None:
    """Check that no given arcs cross: from left to right, longer ones first, each must end within those still open."""
    arcs = sorted((min(h, d), -max(h, d), d) for d, h in enumerate(head) if d > 0 and h != NONE)
    pending: list[tuple[int, int]] = []
    for low, minus_high, d in arcs:
        while pending and pending[-1][0] <= low:
            pending.pop()
        if pending and pending[-1][0] < -minus_high:
            other = pending[-1][1]
            first, second = (d, other) if head[d] > 0 else (other, d)
            reason = f"arc {head[second]} → {second} crosses it, and this parser builds projective trees only"
            raise _impossible(sentence, first, reason)
        pending.append((-minus_high, d))


def _check_span(sentence: Sentence, head: list[int], d: int) -> None:
    """Check that no word between a head and its dependent is above the head, as in every projective tree."""
    h = head[d]
    low, high = min(h, d), max(h, d)
    k = h
    while high - low > 1 and head[k] > 0:
        k = head[k]
        if low < k < high:
            reason = f"word {k} between them is above word {h}, and this parser builds projective trees only"
            raise _impossible(sentence, d, reason)


def _impossible(sentence: Sentence, d: int, reason: str) -> FormatError:
    location = f"{sentence.file}:{sentence.word_line(d)}"
    return FormatError(f"{location}: word {d} has HEAD {sentence.heads[d - 1]}, but {reason}")
