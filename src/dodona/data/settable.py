"""Columns that are checked when they are set: a mistake shows where it is made, not when the sentence is written."""

from collections.abc import Sequence
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from dodona.data.checks import check_heads, checked_values
from dodona.data.storage import COLUMNS
from dodona.errors import OptionError

if TYPE_CHECKING:
    from dodona.data.sentence import Sentence

__all__ = ["Column", "number_column", "string_column"]

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
