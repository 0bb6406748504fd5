"""The words of a sentence as objects: views of its columns, which stay the storage."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dodona.data.other_names import explain_other_names
from dodona.data.ud import format_attributes, parse_attributes, read_confidence
from dodona.errors import OptionError

if TYPE_CHECKING:
    from dodona.data.sentence import Sentence

__all__ = ["Token"]


def _column(name: str, doc: str) -> property:
    """A property that reads and sets a word's value of a column of strings."""
    return property(
        lambda token: getattr(token.sentence, name)[token.id - 1],
        lambda token, value: token._replace(name, value),
        doc=doc,
    )


@explain_other_names("token")
class Token:
    """A word of a sentence. Two tokens are equal if they are the same word of the same sentence.

    A token has no values of its own: it reads the columns of its sentence, and what is set is set there. So it is made
    anew whenever it is asked for, and costs nothing where nobody asks. Values are strings as the columns have them, `_`
    for nothing.
    """

    __slots__ = ("id", "sentence")

    def __init__(self, sentence: "Sentence", id: int) -> None:
        """The word of this sentence with this number, from 1."""
        self.sentence, self.id = sentence, id

    lemma = _column("lemmas", "The lemma.")
    upos = _column("upos", "The universal part of speech.")
    xpos = _column("xpos", "The part of speech of the treebank's own tag set.")
    label = _column("labels", "The relation to the head, DEPREL in CoNLL-U.")
    deprel = label
    misc = _column("misc", "The column MISC.")

    def __repr__(self) -> str:
        return f"<Token {self.id} {self.form!r}>"

    def __str__(self) -> str:
        return self.form

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self.sentence is other.sentence and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self.sentence), self.id))

    @property
    def form(self) -> str:
        """The word itself. It cannot be set, because the text, the offsets and the tree are about this word."""
        return self.sentence.words[self.id - 1]

    @property
    def feats(self) -> Mapping[str, str]:
        """The morphological features, as a mapping that cannot be changed; set another one in its place."""
        return MappingProxyType(parse_attributes(self.sentence.feats[self.id - 1]))

    @feats.setter
    def feats(self, value: Mapping[str, str] | str) -> None:
        self._replace("feats", format_attributes(value) if isinstance(value, Mapping) else value)

    @property
    def head_id(self) -> int | None:
        """The number of the head: 0 for a root, None for a word that has no head yet."""
        return self.sentence.heads[self.id - 1]

    @property
    def head(self) -> "Token | None":
        """The head; None for a root, and for a word that has no head yet. Set a token, its number, 0 or None."""
        number = self.head_id
        return Token(self.sentence, number) if number else None

    @head.setter
    def head(self, value: "Token | int | None") -> None:
        if isinstance(value, Token):
            if value.sentence is not self.sentence:
                raise OptionError(f"head {value!r} of another sentence; expected a token of the same one")
            value = value.id
        self._replace("heads", value)

    @property
    def is_root(self) -> bool:
        """Whether the word hangs on ROOT."""
        return self.head_id == 0

    @property
    def children(self) -> "list[Token]":
        """The dependents, in order."""
        return [Token(self.sentence, d) for d in self.sentence.children(self.id)]

    @property
    def left(self) -> "list[Token]":
        """The dependents before the word, in order."""
        return [child for child in self.children if child.id < self.id]

    @property
    def right(self) -> "list[Token]":
        """The dependents after the word, in order."""
        return [child for child in self.children if child.id > self.id]

    @property
    def subtree(self) -> "list[Token]":
        """The word and all its descendants, in order."""
        return [Token(self.sentence, d) for d in self.sentence.subtree(self.id)]

    @property
    def ancestors(self) -> "list[Token]":
        """The head, its head and so on up to the root; in a cycle, each word once."""
        path = [self]
        above = self.head
        while above is not None and above not in path:
            path.append(above)
            above = above.head
        return path[1:]

    @property
    def offsets(self) -> tuple[int, int] | None:
        """Start and end in the text that was parsed, in characters; None for a word that is not from a text.

        The words of a multiword token share its offsets, unless the text shows each of them: *do* and *n't*.
        """
        return None if self.sentence.offsets is None else self.sentence.offsets[self.id - 1]

    @property
    def start(self) -> int | None:
        """Where the word begins in the text that was parsed, in characters."""
        return None if self.offsets is None else self.offsets[0]

    @property
    def end(self) -> int | None:
        """Where the word ends in the text that was parsed, in characters."""
        return None if self.offsets is None else self.offsets[1]

    @property
    def confidence(self) -> float | None:
        """How probable it is that head and label are right; None unless the parser was asked for it."""
        return read_confidence(self.sentence.misc[self.id - 1])

    def _replace(self, column: str, value: Any) -> None:
        values = list(getattr(self.sentence, column))
        values[self.id - 1] = value
        setattr(self.sentence, column, values)
