"""Noun chunks: the base noun phrases of a tree, by the relations of Universal Dependencies alone.

A noun chunk is a noun, proper noun or pronoun with what belongs to it closely: *the leaves* and *the old oak* of *the
leaves of the old oak that fell*. Neither a preposition nor a clause, an apposition or a conjunct of its head is in it.
docs/objects.md has the definition; the constants here are its sets.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from dodona.data.other_names import explain_other_names
from dodona.data.ud import strip_subtype

if TYPE_CHECKING:
    from dodona.data.sentence import Sentence
    from dodona.data.token import Token

__all__ = ["NounChunk", "find_noun_chunks"]

HEADS = frozenset({"NOUN", "PROPN", "PRON"})
"""The parts of speech that the head of a chunk has."""
NO_HEADS = frozenset(
    {"aux", "case", "cc", "compound", "cop", "det", "discourse", "expl", "fixed", "flat", "goeswith", "mark", "punct"}
)
"""The relations of function words, of parts of names and of pronouns that stand for nothing."""
CLOSE = frozenset({"amod", "clf", "compound", "det", "fixed", "flat", "goeswith", "nummod"})
"""The relations by which a dependent belongs to the chunk of its head."""
POSSESSOR = "nmod:poss"  # belongs to the chunk, too, before its head: *the dog's tail*
LIGHT = CLOSE | {"advmod", "cc", "conj", "punct"}
"""The relations that there may be below a dependent after the head: *une forêt dense et humide*, but *a land rich in
water* ends after *land*."""


def find_noun_chunks(
    heads: Sequence[int | None], upos: Sequence[str], labels: Sequence[str]
) -> list[tuple[int, int, int]]:
    """Return first word, last word and head of each noun chunk, from left to right.

    No two of them overlap: the words of a chunk are its head and words below that, and if the chunk of a word above has
    any of them, it has the head too.

    What is not connected to a root, because it is in a cycle, has no chunks.
    """
    n = len(heads)
    relations = ["", *map(strip_subtype, labels)]
    dependents: list[list[int]] = [[] for _ in range(n + 1)]
    for d, h in enumerate(heads, start=1):
        dependents[h or 0].append(d)
    order = [*dependents[0]]
    for k in order:  # grows while it is walked through: heads come before their dependents
        order += dependents[k]
    is_light = [True] * (n + 1)
    for k in reversed(order):
        is_light[k] = all(relations[d] in LIGHT and is_light[d] for d in dependents[k])
    taken = [False] * (n + 1)
    chunks = []
    for h in order:
        if upos[h - 1] not in HEADS or relations[h] in NO_HEADS or taken[h]:
            continue
        inside = [
            d
            for d in dependents[h]
            if (relations[d] in CLOSE and (d < h or is_light[d]))
            or (d < h and (labels[d - 1] == POSSESSOR or relations[d] == "punct"))
        ]
        for k in inside:
            inside += dependents[k]
        words = {h, *inside}
        first = last = h
        while first - 1 in words:
            first -= 1
        while last + 1 in words:
            last += 1
        while relations[first] == "punct":
            first += 1
        while relations[last] == "punct":
            last -= 1
        taken[first : last + 1] = [True] * (last - first + 1)
        chunks.append((first, last, h))
    return sorted(chunks)


@explain_other_names("span")
class NounChunk(Sequence["Token"]):
    """The words `first` to `last` of a sentence: a noun phrase, whose head is the token `root`."""

    __slots__ = ("first", "last", "root", "sentence")

    def __init__(self, sentence: "Sentence", first: int, last: int, root: int) -> None:
        self.sentence, self.first, self.last, self.root = sentence, first, last, sentence[root - 1]

    def __repr__(self) -> str:
        return f"<NounChunk {self.first}-{self.last} {self.text!r}>"

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NounChunk) and (self.root, self.first, self.last) == (
            other.root, other.first, other.last,
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.root, self.first, self.last))

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __iter__(self) -> "Iterator[Token]":
        return iter(self.sentence[self.first - 1 : self.last])

    @overload
    def __getitem__(self, place: int) -> "Token": ...
    @overload
    def __getitem__(self, place: slice) -> "list[Token]": ...
    def __getitem__(self, place: int | slice) -> "Token | list[Token]":
        return self.sentence[self.first - 1 : self.last][place]

    @property
    def text(self) -> str:
        """The words as they are written, with a space wherever there are blanks in the text."""
        from dodona.data.spacing import join_words  # which needs sentences

        return join_words(self.sentence, self.first, self.last)

    @property
    def start(self) -> int | None:
        """Where it begins in the text that was parsed, in characters; None for words that are not from a text."""
        return self[0].start

    @property
    def end(self) -> int | None:
        """Where it ends in the text that was parsed."""
        return self[-1].end
