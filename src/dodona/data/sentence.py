"""A sentence of a treebank: its columns for access, its bytes for output."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from dodona.data.checks import check_heads, check_values, checked_comments, checked_ranges, checked_values
from dodona.data.columns import Columns, header_of
from dodona.data.storage import COLUMNS, Storage
from dodona.data.token import Token
from dodona.data.trees import find_cycle
from dodona.data.values import Values
from dodona.errors import FormatError, OptionError

if TYPE_CHECKING:
    from dodona.data.table import Table

__all__ = ["Column", "Sentence", "SentenceViews", "ShownSentence", "drawing", "number_column", "string_column"]


def drawing(module: str) -> Any:
    """Return a module of `dodona.drawing` by its name."""
    return import_module(f"dodona.drawing.{module}")


class ShownSentence:
    """The part of a sentence that notebooks ask for; what is no tree is shown like any other object."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        try:
            return str(drawing("dependencies").svg_of(self))
        except FormatError:
            return None

    def _repr_html_(self) -> str | None:
        try:
            return str(drawing("dependencies").html_of(self))
        except FormatError:
            return None


FIXED = ("words", "deps")
Value = TypeVar("Value", str, int | None)


class Column(Generic[Value]):
    """What type checkers see of a column: a list is read, any sequence is set. At run time it is a property."""

    if TYPE_CHECKING:

        def __get__(self, sentence: object, owner: object = None) -> list[Value]: ...
        def __set__(self, sentence: object, values: Sequence[Value]) -> None: ...


def string_column(name: str) -> Column[str]:
    """Return the property for a column of strings."""

    def set_column(sentence: "Sentence", values: Sequence[str]) -> None:
        if name in FIXED:
            raise OptionError(f"column {name!r} cannot be replaced; expected a new sentence (Sentence.from_words)")
        sentence.accept_column(name, checked_values(values, len(sentence), name))

    return cast("Column[str]", _property(name, set_column))


def number_column(name: str) -> Column[int | None]:
    """Return the property for the column of heads."""

    def set_column(sentence: "Sentence", values: Sequence[int | None]) -> None:
        check_heads(values, len(sentence))
        sentence.accept_heads(list(values), ["_" if head is None else str(head) for head in values])

    return cast("Column[int | None]", _property(name, set_column))


def _property(name: str, set_column: Any) -> property:
    """A column is read without Python code, once it is converted."""
    return property(methodcaller("listed_column", COLUMNS[name]), set_column)


class SentenceViews(ShownSentence):
    """The part of `Sentence` that reads its columns for others, which stay the storage."""

    __slots__ = ()

    words = string_column("words")
    lemmas = string_column("lemmas")
    upos = string_column("upos")
    xpos = string_column("xpos")
    feats = string_column("feats")
    heads = number_column("heads")
    labels = string_column("labels")
    deps = string_column("deps")
    misc = string_column("misc")
    comments: list[str]
    format: str
    multiword: list[tuple[int, int, str]]
    offsets: list[tuple[int, int]] | None
    _table: "Table | Columns"

    if TYPE_CHECKING:  # what the storage has

        def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Token]:
        for id in range(1, len(self) + 1):
            yield Token(self, id)

    @overload
    def __getitem__(self, place: int) -> Token: ...
    @overload
    def __getitem__(self, place: slice) -> list[Token]: ...
    def __getitem__(self, place: int | slice) -> Token | list[Token]:
        """The token at this place, counted from 0 as in any list: word 1 is `sentence[0]`. Of a slice, a list."""
        if isinstance(place, slice):
            return [Token(self, id) for id in range(1, len(self) + 1)[place]]
        try:
            return Token(self, range(1, len(self) + 1)[place])
        except IndexError:
            n = len(self)
            raise IndexError(f"place {place} of {n} tokens; expected a number from {-n} to {n - 1}") from None

    @property
    def sent_id(self) -> str | None:
        """The value of the comment `# sent_id = …`."""
        return self._said("sent_id")

    @property
    def text(self) -> str | None:
        """The value of the comment `# text = …`."""
        return self._said("text")

    def _said(self, wanted: str) -> str | None:
        for comment in self.comments:
            if wanted not in comment:
                continue
            key, equals, value = comment[1:].partition("=")
            if equals and key.strip() == wanted:
                return value.strip()
        return None

    def children(self, k: int) -> list[int]:
        """Return the dependents of word k, in order; 0 is ROOT."""
        return [d for d, h in enumerate(self.heads, start=1) if h == k]

    def subtree(self, k: int) -> list[int]:
        """Return word k and all its descendants, in order."""
        below: dict[int | None, list[int]] = {}
        for d, h in enumerate(self.heads, start=1):
            below.setdefault(h, []).append(d)
        found = [k]
        for h in found:  # grows while it is walked through; the second condition ends what is no tree
            found += below.get(h, []) if len(found) <= len(self) else []
        return sorted(set(found))

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as a dictionary that JSON can hold: `dodona.data.dictionary` describes it."""
        from dodona.data.dictionary import dictionary

        return dictionary(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict()` as JSON: on one line, or indented."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_dataframe(self) -> Any:
        """Return the tokens of `to_dict()` as a table of pandas, a row for each word; needs pandas."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise OptionError(f"a data frame needs pandas: {error}; expected it to be installed") from error
        from dodona.data.dictionary import TOKEN

        return pandas.DataFrame(self.to_dict()["tokens"], columns=list(TOKEN))

    def rows(self) -> Iterator[list[str]]:
        """Yield the ten columns of each line that is no comment, as it was read or made."""
        for line in self._table.body.decode().split("\n"):
            if not line.startswith("#"):
                yield line.removesuffix("\r").split("\t")


NAMES = list(COLUMNS)
REPLACEABLE = ("lemmas", "upos", "xpos", "feats", "misc")


class Sentence(SentenceViews, Storage):
    """The words 1..n of a sentence, column by column, and everything around them kept for output.

    `words`, `lemmas`, `upos`, `xpos`, `feats`, `labels`, `deps` and `misc` have one string per word, as written; in
    CoNLL-X `upos` and `xpos` are CPOSTAG and POSTAG, `deps` and `misc` are PHEAD and PDEPREL. `heads` has numbers, None
    where HEAD is `_`. Multiword ranges are in `multiword` as (first word, last word, form); empty nodes come out again
    with `to_bytes`. Look at the lists, but do not change them: set a whole column (`sentence.upos = […]`), a value of a
    token, or use `set_tree` and `set_comments`. These are checked, and reach the output. `words` and `deps` cannot be
    set. A sentence made from a text has `offsets`, the start and end of each word in it. Columns are converted to lists
    lazily, when they are first used. `for token in sentence`, `sentence[0]` and `sentence[1:3]` are words as objects.
    """

    __slots__ = ()

    @classmethod
    def from_words(
        cls,
        words: Sequence[str],
        upos: Sequence[str] | None = None,
        *,
        lemmas: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Sequence[int | None] | None = None,
        labels: Sequence[str] | None = None,
        deps: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        comments: Iterable[str] = (),
        multiword: Sequence[tuple[int, int, str]] = (),
        multiword_misc: Sequence[str] | None = None,
        format: str = "conllu",
    ) -> "Sentence":
        """A sentence from scratch; columns not given are `_`. Comments are whole lines, with their `#`.

        `multiword_misc` has the MISC column of each multiword range.
        """
        n = len(words)
        if n == 0:
            raise OptionError("a sentence without words; expected at least one")
        written = None
        if heads is not None:
            check_heads(heads, n)
            written = ["_" if h is None else str(h) for h in heads]
        columns: dict[int, list[str] | Values] = {}
        for number, values in enumerate((words, lemmas, upos, xpos, feats, written, labels, deps, misc), start=1):
            if values is not None:
                check_values(values, n, NAMES[number - 1])
                columns[number] = list(values)
        notes = checked_comments(comments)
        ranges = checked_ranges(multiword, multiword_misc, n)
        return cls("", 1, format, Columns(n, header_of(notes), columns, ranges), b"\n\n", notes, list(multiword))

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Sentence":
        """The sentence of a dictionary as `to_dict` returns it. Of each token only `form` is needed; the rest is `_`.

        `sent_id` and `text` are read if there are no `comments`; `confidence` is not read, because `misc` has it.
        """
        from dodona.data.dictionary import pieces

        comments, columns, lines, multiword, offsets = pieces(given)
        table = Columns(len(columns[1]), header_of(comments), columns, lines)
        found = cls("", 1, "conllu", table, b"\n\n", comments, multiword)
        found.offsets = offsets
        return found

    def __repr__(self) -> str:
        return f"<Sentence {self.file}:{self.line} {' '.join(self.words)!r}>"

    def tokens(self) -> Iterator[tuple[int, int, str]]:
        """First word, last word and form of every token as it stands in the text."""
        ranges = {first: (last, form) for first, last, form in self.multiword}
        first = 1
        while first <= len(self):
            last, form = ranges.get(first) or (first, self.words[first - 1])
            yield first, last, form
            first = last + 1

    def surface(self) -> Iterable[str]:
        """The forms of the tokens."""
        return [form for _, _, form in self.tokens()] if self.multiword else self.words

    def word_line(self, d: int) -> int:
        """The number of the line of word d in the file."""
        return self.line + self._table.row(d)

    def set_tree(self, heads: Sequence[int], labels: Sequence[str]) -> None:
        """Replace HEAD and DEPREL of all words."""
        if None in heads:
            raise OptionError("head None; expected a head for each word")
        check_heads(heads, len(self))
        check_values(labels, len(self), "labels")
        self.accept_tree(list(heads), list(labels))

    def set_column(self, name: str, values: Sequence[str]) -> None:
        """Replace `lemmas`, `upos`, `xpos`, `feats` or `misc` of all words."""
        if name not in REPLACEABLE:
            raise OptionError(f"column {name!r} cannot be replaced; expected one of: {', '.join(REPLACEABLE)}")
        setattr(self, name, values)

    def set_comments(self, lines: Iterable[str]) -> None:
        """Replace all comments by these lines, which begin with `#`; they come before the first word."""
        self.accept_comments(checked_comments(lines))

    def converted(self, format: str) -> "Sentence":
        """The sentence in the other format, as far as that has room for it.

        CoNLL-X has neither comments, multiword tokens and empty nodes nor DEPS and MISC; CoNLL-U no PHEAD and PDEPREL.
        """
        if format == self.format:
            return self
        columns = {name: getattr(self, name) for name in ("lemmas", "upos", "xpos", "feats", "heads", "labels")}
        other = Sentence.from_words(self.words, **columns, format=format)
        other.file = self.file
        return other

    def check_gold(self) -> None:
        """Raise an error unless the sentence has a complete tree; several roots are allowed."""
        for d, h in enumerate(self.heads, start=1):
            if h is None:
                raise self._no_gold(d, "HEAD '_'; expected the number of its head, or 0 for the root")
        if 0 not in self.heads:
            raise FormatError(f"{self.file}:{self.line}: no root in this sentence; expected a word with HEAD 0")
        self.known_heads()

    def known_heads(self) -> list[int | None]:
        """The heads of a tree or a part of one, checked; None where HEAD is `_`."""
        n = len(self)
        for d, h in enumerate(self.heads, start=1):
            if h is not None and (not 0 <= h <= n or h == d):
                raise self._no_gold(d, f"HEAD {h}; expected another word from 0 to {n}")
        cycle = find_cycle(self.heads)
        if cycle is not None:
            d, _ = cycle
            raise self._no_gold(d, f"HEAD {self.heads[d - 1]} leads into a cycle; expected a path to the root")
        return self.heads

    def gold_heads(self) -> list[int]:
        """The heads of a full tree, checked; what learning and evaluation take instead of `heads`."""
        self.check_gold()
        return [h for h in self.heads if h is not None]

    def gold_labels(self) -> list[str]:
        """The labels of a tree to learn from; none may be empty."""
        if "" in self.labels:
            raise self._no_gold(self.labels.index("") + 1, "DEPREL ''; expected the name of a relation")
        return list(self.labels)

    def _no_gold(self, d: int, fault: str) -> FormatError:
        return FormatError(f"{self.file}:{self.word_line(d)}: word {d} of this sentence has {fault}")
