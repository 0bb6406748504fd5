"""A sentence as programs want it: word by word, as a dictionary, as JSON and as a table of pandas."""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from dodona.data.columns import Columns
from dodona.data.notebook import ShownSentence
from dodona.data.settable import number_column, string_column
from dodona.data.tokens import Token
from dodona.errors import OptionError

if TYPE_CHECKING:
    from dodona.data.table import Table

__all__ = ["SentenceViews"]


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
