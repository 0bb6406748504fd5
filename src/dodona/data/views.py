"""A sentence as other programs want it: as a dictionary and as JSON."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dodona.data.columns import Columns

if TYPE_CHECKING:
    from dodona.data.table import Table

__all__ = ["SentenceViews"]


class SentenceViews:
    """The part of `Sentence` that reads its columns for others, which stay the storage."""

    __slots__ = ()

    words: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int | None]
    labels: list[str]
    deps: list[str]
    misc: list[str]
    comments: list[str]
    format: str
    multiword: list[tuple[int, int, str]]
    offsets: list[tuple[int, int]] | None
    _table: "Table | Columns"

    if TYPE_CHECKING:

        @property
        def sent_id(self) -> str | None: ...
        @property
        def text(self) -> str | None: ...

    def __len__(self) -> int:
        return self._table.n

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as a dictionary that JSON can hold: `dodona.data.dictionary` describes it."""
        from dodona.data.dictionary import dictionary

        return dictionary(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict()` as JSON: on one line, or indented."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def rows(self) -> Iterator[list[str]]:
        """Yield the ten columns of each line that is no comment, as it was read or made."""
        for line in self._table.body.decode().split("\n"):
            if not line.startswith("#"):
                yield line.removesuffix("\r").split("\t")
