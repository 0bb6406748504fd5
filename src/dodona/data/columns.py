"""The words of a sentence that was created and not read: columns are converted to bytes only when they are written."""

from collections.abc import Mapping, Sequence

from dodona.data.lines_of import rows
from dodona.data.values import Inventory, Values

__all__ = ["DECIMALS", "HEAD", "Columns", "decimals", "header_of"]

HEAD = 6
DECIMALS = Inventory([str(k) for k in range(1024)])


class Columns:
    """The counterpart of `Table` for a sentence that was created and not read. The columns are already checked; a
    missing column is `_`."""

    def __init__(
        self,
        n: int,
        header: bytes,
        columns: Mapping[int, list[str] | Values],
        between: Mapping[int, str],
        is_new: bool = False,
    ) -> None:
        """`header` are the comments; `between` has the lines of multiword ranges and empty nodes, by the word that
        comes after them. `is_new`: they are from a tokenizer, and no parse has written anything into them."""
        self.n = n
        self.header = header
        self._columns = columns
        self.between = between
        self.is_new = is_new
        self.has_lists = not is_new and list in map(type, columns.values())

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.n, self.header, self._columns, self.between, self.is_new)

    @property
    def body(self) -> bytes:
        return self.replaced({})

    def comments(self) -> list[str]:
        return self.header.decode().split("\n")[:-1]

    def row(self, d: int) -> int:
        """How many lines are above that of word d."""
        above = sum(lines.count("\n") + 1 for word, lines in self.between.items() if word <= d)
        return self.header.count(b"\n") + above + d - 1

    def column(self, number: int) -> list[str]:
        """The values of a column, from 1 to 9."""
        found = self._columns.get(number)
        return ["_"] * self.n if found is None else found if isinstance(found, list) else found.strings()

    def values(self, number: int) -> Values | None:
        """The values of a column, if they are no list."""
        found = self._columns.get(number)
        return found if isinstance(found, Values) else None

    def listed(self, number: int) -> list[str] | None:
        """The values of a column, if they are a list."""
        found = self._columns.get(number)
        return found if isinstance(found, list) else None

    def lacks(self, number: int) -> bool:
        """Whether all values of a column are `_`."""
        found = self._columns.get(number)
        if found is None:
            return True
        return found.lacks() if isinstance(found, Values) else found.count("_") == self.n

    def heads(self) -> list[int | None]:
        """The HEAD column as numbers, None for `_`."""
        return [None if head == "_" else int(head) for head in self.column(HEAD)]

    def replaced(self, columns: Mapping[int, Sequence[str] | Values]) -> bytes:
        """The bytes of the sentence with other values in these columns."""
        return rows(self.header, self.n, {**self._columns, **columns}, self.between)


def header_of(comments: Sequence[str]) -> bytes:
    """Return comments as the lines above a sentence."""
    return "".join([f"{comment}\n" for comment in comments]).encode()


def decimals(n: int) -> list[str]:
    """Return the numbers from 0 to at least n as strings; usually the same cached list."""
    return DECIMALS.values if n < len(DECIMALS.values) else list(map(str, range(n + 1)))
