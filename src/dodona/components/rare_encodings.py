"""Rare labels of pseudo-projective parsing: what is not worth its own actions.

The label of a lifted arc names two labels of the treebank, so there are many of them, and most occur once or twice. No
parser learns these, but each is an action that is scored in every configuration.
"""

from collections import Counter
from collections.abc import Iterable

from dodona.data.pseudoprojective import without_lift

__all__ = ["RARE", "drop_rare_encodings"]

RARE = 50_000
"""An encoding of less than one in so many arcs is dropped."""


def drop_rare_encodings(trees: Iterable[list[str | None]]) -> None:
    """Replace the rare labels of lifted arcs by those of arcs that were not lifted, in place."""
    trees = list(trees)
    counts = Counter(label for labels in trees for label in labels if label is not None)
    total = counts.total()
    plain = {label: without_lift(label) for label, count in counts.items() if count * RARE < total}
    for labels in trees:
        for i, label in enumerate(labels):
            if label is not None:
                labels[i] = plain.get(label, label)
