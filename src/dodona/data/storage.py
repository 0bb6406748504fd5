"""How a sentence keeps its columns: as bytes, as values, or as lists of strings if somebody has looked at them."""

from array import array
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from dodona.data.columns import DECIMALS, HEAD, Columns, decimals
from dodona.data.table import Table
from dodona.data.values import Values, chosen, values_of
from dodona.data.views import SentenceViews

__all__ = ["COLUMNS", "NAMES", "Storage"]

COLUMNS = {"words": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "labels": 7, "deps": 8, "misc": 9}
NAMES = ("words", "lemmas", "upos", "xpos", "feats", "heads", "labels", "deps", "misc")
PLACES = {name: f"_{name}" for name in NAMES}
NUMBERS = {PLACES[name]: number for name, number in COLUMNS.items()}
DEPREL = COLUMNS["labels"]


class Storage(SentenceViews):
    """The storage of a sentence. Most of it is for readers and components, which know that what they give is valid."""

    __slots__ = (
        "_after", "_before", "_deps", "_end", "_feats", "_forms", "_has_lists", "_heads", "_labels", "_lemmas", "_misc",
        "_new_comments", "_replaced", "_table", "_upos", "_words", "_xpos", "comments", "file", "format", "line",
        "multiword", "offsets",
    )  # fmt: skip

    def __init__(
        self,
        file: str,
        line: int,
        format: str,
        table: Table | Columns,
        end: bytes,
        comments: list[str] | None,
        multiword: list[tuple[int, int, str]],
    ) -> None:
        """For readers; use `from_words` to create a sentence. `end` are the bytes after the table's. Comments that are
        None are those of the table, which has to be `Columns`."""
        self.file = file
        self.line = line
        self.format = format
        if comments is not None:
            self.comments = comments
        self.multiword = multiword
        self._table = table
        self._end = end
        self.offsets: list[tuple[int, int]] | None = None
        self._before = self._after = b""
        self._new_comments = self._has_lists = False
        self._replaced: dict[int, list[str] | Values] = {}

    def __getattr__(self, name: str) -> Any:
        """Convert a column, or the comments, when they are first used; `_upos` is where `upos` is kept."""
        found: Any
        if name == "_heads":
            values = self._replaced.get(HEAD)
            found = values.numbers.tolist() if isinstance(values, Values) and values.numbers else self._table.heads()
        elif name in NUMBERS:
            values = self._replaced.get(NUMBERS[name])
            found = values.strings() if isinstance(values, Values) else self._table.column(NUMBERS[name])
        elif name == "comments" and isinstance(self._table, Columns):
            found = self._table.comments()
        else:
            raise AttributeError(f"a sentence has no {name!r}")
        setattr(self, name, found)
        self._has_lists = True
        return found

    def accept_tree(self, heads: list[int], labels: list[str]) -> None:
        """Like `set_tree`, but without checks and without a copy of the labels; for parsers."""
        written = decimals(len(heads))
        self.keep_column("heads", list[int | None](heads))
        self.keep_column("labels", labels)
        self._replaced[HEAD] = [written[h] for h in heads]
        self._replaced[DEPREL] = labels

    def accept_arcs(self, heads: "array[int]", labels: Values) -> None:
        """Like `accept_tree`, but with numbers and values, which become lists only if somebody looks."""
        if len(heads) >= len(DECIMALS.values):
            self.accept_tree(heads.tolist(), labels.strings())
            return
        self._replaced[HEAD] = chosen(DECIMALS, heads)
        self._replaced[DEPREL] = labels
        self._forget("_heads")
        self._forget("_labels")

    def _forget(self, place: str) -> None:
        """Let a column be converted again when it is next used."""
        if self._has_lists:
            with suppress(AttributeError):
                delattr(self, place)

    def accept_column(self, name: str, values: list[str] | Values) -> None:
        """Like `set_column`, but without checks and without a copy of the values; for components."""
        if isinstance(values, Values):
            self._forget(PLACES[name])
        else:
            self.keep_column(name, values)
        self._replaced[COLUMNS[name]] = values

    def column(self, name: str) -> list[str] | Values:
        """Return a column without making strings: values where there are no strings yet, or else the list; for
        components."""
        values = self._replaced.get(COLUMNS[name])
        return values if isinstance(values, Values) else getattr(self, name)

    def forms(self) -> Values:
        """Return the words as values; for components. They are kept until `refresh` is called."""
        try:
            return self._forms
        except AttributeError:
            self.refresh()
            return self._forms

    def refresh(self) -> None:
        """Take the words from their list once more, if there is one: somebody may have changed it."""
        strings = self.listed("words")
        values = self._table.values(COLUMNS["words"]) if strings is None else None
        self._forms = values_of(self.words) if values is None else values

    @property
    def has_lists(self) -> bool:
        """Whether there are any lists that somebody may have, and may have changed."""
        return self._has_lists or self._table.has_lists

    def listed(self, name: str) -> list[str] | None:
        """Return a column if there is a list of strings that somebody may have, and may have changed."""
        try:
            found: list[str] = object.__getattribute__(self, PLACES[name])
            return found
        except AttributeError:
            return self._table.listed(COLUMNS[name]) if COLUMNS[name] not in self._replaced else None

    def keep_column(self, name: str, values: Sequence[Any]) -> None:
        """Let a column be read as this list, without any change of the output; for readers."""
        setattr(self, PLACES[name], values)
        self._has_lists = True

    def lacks(self, name: str) -> bool:
        """Whether a column is `_` for all words."""
        number = COLUMNS[name]
        values = self._replaced.get(number)
        if values is None:
            return self._table.lacks(number)
        return values.lacks() if isinstance(values, Values) else values.count("_") == len(self)

    def may_say(self, words: Sequence[str]) -> bool:
        """Whether any of these words is in the comments; also if that cannot be said without making strings."""
        if not self._has_lists and isinstance(self._table, Columns):
            return any(word.encode() in self._table.header for word in words)
        comments = "\n".join(self.comments)
        return any(word in comments for word in words)

    def may_mention(self, name: str, word: str) -> bool:
        """Whether a word is in one of the values of a column."""
        number = COLUMNS[name]
        values = self._replaced.get(number) or self._table.values(number)
        if isinstance(values, Values):
            return values.mentions(word.encode())
        return not self.lacks(name) and word in "|".join(getattr(self, name))

    def to_bytes(self) -> bytes:
        """Return the sentence exactly as it was read, except for replaced columns."""
        body = self._table.replaced(self._replaced) if self._replaced else self._table.body
        if self._new_comments:
            body = self._with_new_comments(body)
        return b"".join((self._before, body, self._end, self._after))

    def _with_new_comments(self, body: bytes) -> bytes:
        kept = [line for line in body.split(b"\n") if not line.startswith(b"#")]
        end = b"\r" if kept[0].endswith(b"\r") else b""
        return b"\n".join([comment.encode() + end for comment in self.comments] + kept)

    def enclose(self, before: bytes = b"", after: bytes = b"") -> None:
        """Add bytes that belong to no sentence: a BOM, blank lines, comments that stand alone."""
        self._before = before + self._before
        self._after += after
