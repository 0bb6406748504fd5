"""The words of a sentence that was created and not read: columns are converted to bytes only when they are written."""

from collections.abc import Mapping, Sequence

__all__ = ["HEAD", "Columns", "decimals"]

HEAD = 6
NUMBERS = [str(k) for k in range(1024)]


class Columns:
    """The counterpart of `Table` for a sentence that was created and not read. The columns are already checked; a
    missing column is `_`."""

    def __init__(
        self, n: int, comments: Sequence[str], columns: Mapping[int, list[str]], between: Mapping[int, str]
    ) -> None:
        """`between` has the lines of multiword ranges and empty nodes, by the word that comes after them."""
        self.n = n
        self._comments = tuple(comments)
        self._columns = columns
        self.between = between

    @property
    def body(self) -> bytes:
        return self.replaced({})

    def row(self, d: int) -> int:
        """How many lines are above that of word d."""
        above = sum(lines.count("\n") + 1 for word, lines in self.between.items() if word <= d)
        return len(self._comments) + above + d - 1

    def column(self, number: int) -> list[str]:
        """The values of a column, from 1 to 9."""
        return self._columns.get(number) or ["_"] * self.n

    def lacks(self, number: int) -> bool:
        """Whether all values of a column are `_`."""
        return number not in self._columns or self._columns[number].count("_") == self.n

    def heads(self) -> list[int | None]:
        """The HEAD column as numbers, None for `_`."""
        return [None if head == "_" else int(head) for head in self.column(HEAD)]

    def replaced(self, columns: Mapping[int, Sequence[str]]) -> bytes:
        """The bytes of the sentence with other values in these columns."""
        values = [columns.get(number) or self.column(number) for number in range(1, 10)]
        lines = list(map("\t".join, zip(decimals(self.n)[1 : self.n + 1], *values, strict=True)))
        for word, others in self.between.items():
            if word > self.n:
                lines.append(others)
            else:
                lines[word - 1] = f"{others}\n{lines[word - 1]}"
        return "\n".join([*self._comments, *lines]).encode()


def decimals(n: int) -> list[str]:
    """Return the numbers from 0 to at least n as strings; usually the same cached list."""
    return NUMBERS if n < len(NUMBERS) else list(map(str, range(n + 1)))
