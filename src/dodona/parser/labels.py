"""The labels of a parser by number, and how its trees are finished: lifted arcs are lowered, and labels get names."""

from array import array
from collections.abc import Sequence

from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.pseudoprojective import decode_label, deprojectivize
from dodona.data.storage import fill_in_arcs
from dodona.data.values import Inventory
from dodona.transitions.moves import NONE

__all__ = ["LabelNames"]


class LabelNames:
    """The names of labels. With an encoding of non-projective trees, some of them mark arcs that have to be lowered."""

    def __init__(self, names: Sequence[str], late: str, encoding: str | None) -> None:
        """`late` is the label of words that are headless at the end, and attached to ROOT."""
        check_values(names, len(names))  # checked once, so that trees need no check
        self.names = list(names)
        self.late = len(self.names)  # its number; NONE is the same
        self._all = [*self.names, late]
        self._encoding = encoding
        lowers = encoding is not None
        self.lifted = [i for i, name in enumerate(self._all) if lowers and decode_label(name).is_lifted]
        self._flags = bytes(i in self.lifted for i in range(len(self._all))) if self.lifted else None
        self._written = Inventory([decode_label(name).label for name in self._all] if lowers else self._all)

    @property
    def are_decorated(self) -> bool:
        """Whether the labels encode non-projective trees."""
        return self._encoding is not None

    def tree(self, heads: list[int], labels: Sequence[int]) -> tuple[list[int], list[str]]:
        """Return the tree that these arcs stand for."""
        names = [self._all[label if label != NONE else self.late] for label in labels]
        return deprojectivize(heads, names, self._encoding) if self._encoding is not None else (heads, names)

    def fill_in(self, sentences: list[Sentence], arcs: "list[tuple[array[int], array[int]]]") -> None:
        """Give the sentences the trees that these arcs stand for; nearly always nothing has to be lowered."""
        for i in fill_in_arcs(sentences, arcs, self._written, self._flags):
            heads, labels = arcs[i]
            sentences[i].accept_tree(*self.tree(heads.tolist(), labels))
