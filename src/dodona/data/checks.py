"""Checks of columns, comments and multiword ranges, so that what is written can be read again."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dodona.data.trees import find_cycle, is_head
from dodona.data.values import make_plain
from dodona.errors import OptionError

if TYPE_CHECKING:
    from dodona.data.sentence import Sentence

__all__ = [
    "check_arcs", "check_columns", "check_comments", "check_heads", "check_ranges", "check_values", "format_range",
]  # fmt: skip

READ = ("words", "upos", "xpos", "feats")  # by components
SHOWN = 8  # words of a cycle that an error names


def check_columns(sentence: "Sentence", constrained: bool = False) -> None:
    """Check that each column that a component reads has a string for each word, and with `constrained` the given arcs.

    Columns of which nobody has a list cannot have changed. Other kinds of strings, such as those of numpy, become plain
    ones, in place.
    """
    n = len(sentence)
    for name in (*READ, "labels") if constrained else READ:
        values = sentence.find_list(name)
        if values is None:
            continue
        if len(values) != n:
            raise _locate(sentence, f"{name}: {len(values)} values; expected {n}, one for each word")
        try:
            plain = make_plain(values)
        except TypeError as error:
            raise _locate(sentence, f"{name}: {error}") from None
        if plain is not values:
            sentence.keep_column(name, plain)
    sentence.refresh()
    if constrained:
        try:
            check_heads(sentence.heads, n)
        except OptionError as error:
            raise _locate(sentence, str(error)) from None


def _locate(sentence: "Sentence", fault: str) -> OptionError:
    return OptionError(f"{sentence.file}:{sentence.line}: {fault}" if sentence.file else fault)


def check_heads(heads: Sequence[int | None], n: int) -> None:
    _check_length(heads, n, "heads: ", "a number")
    for d, h in enumerate(heads, start=1):
        if h is not None and not is_head(h, n):
            raise OptionError(f"word {d} has head {h!r}; expected a number from 0 to {n}, or None")


def check_arcs(heads: Sequence[int | None], n: int) -> None:
    """Check that heads are those of a tree or of parts of one: numbers of words, and no cycle among them."""
    check_heads(heads, n)
    if (found := find_cycle(heads)) is not None:
        _, cycle = found
        if len(cycle) == 1:
            raise OptionError(f"word {cycle[0]} has itself as its head; expected another word, 0 or None")
        shown = [*cycle[:SHOWN], "…"] if len(cycle) > SHOWN else [*cycle, cycle[0]]
        path = " → ".join(map(str, shown))
        raise OptionError(f"the heads have a cycle, {path}; expected a path from each word to the root (0), or to None")


def check_values(values: Sequence[str], n: int, name: str = "") -> list[str]:
    """Return the values of a column as a list of plain strings: one for each word, and none that would break a line or
    leave a column empty. The name of the column is for errors."""
    prefix = f"{name}: " if name else ""
    if type(values) is not list or len(values) != n:
        _check_length(values, n, prefix, "a string")
    try:
        together = "".join(values)
    except TypeError:
        bad = next(value for value in values if not isinstance(value, str))
        raise OptionError(f"{prefix}value {bad!r:.60} of type {type(bad).__name__}; expected a string") from None
    if "\t" in together or "\n" in together or "\r" in together or "\0" in together or "" in values:
        bad = next(value for value in values if not value or set(value) & set("\t\n\r\0"))
        raise OptionError(f"{prefix}value {bad!r}; expected text without tabs and line ends, `_` for nothing")
    if not is_unicode(together):
        bad = next(value for value in values if not is_unicode(value))
        fault = "expected text without lone surrogates, which UTF-8 does not have"
        raise OptionError(f"{prefix}value {bad!r}; {fault}")
    return make_plain(list(values))


def _check_length(values: Sequence[object], n: int, prefix: str, what: str) -> None:
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise OptionError(f"{prefix}{values!r:.60}; expected a list with {what} for each word")
    if len(values) != n:
        count = f"{len(values)} value{'s' * (len(values) != 1)}"
        raise OptionError(f"{prefix}{count}; expected {n}, one for each word")


def is_unicode(text: str) -> bool:
    """Whether a text can be written in UTF-8: Python's strings can have halves of characters (surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_comments(comments: Iterable[str]) -> list[str]:
    lines = list(comments)
    for line in lines:
        if not line.startswith("#") or "\n" in line or "\r" in line or "\0" in line or not is_unicode(line):
            raise OptionError(f"comment {line!r}; expected a single line that begins with '#'")
    return lines


def format_range(first: int, last: int, form: str, misc: str) -> str:
    """Return the line of a multiword token."""
    return "\t".join((f"{first}-{last}", form, *"_______", misc))


def check_ranges(multiword: Sequence[tuple[int, int, str]], misc: Sequence[str] | None, n: int) -> dict[int, str]:
    """Return the line of each range, by its first word."""
    if misc is None:
        misc = ["_"] * len(multiword)
    if len(misc) != len(multiword):
        raise OptionError(f"{len(misc)} values in multiword_misc; expected {len(multiword)}, one for each range")
    lines = {}
    free = 1
    for (first, last, form), note in zip(multiword, misc, strict=True):
        if not free <= first < last <= n:
            raise OptionError(f"multiword range {first}-{last}; expected ranges in order, from {free} to {n}")
        check_values((form, note), 2)
        lines[first] = format_range(first, last, form, note)
        free = last + 1
    return lines
