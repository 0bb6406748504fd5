"""Values from a request of the playground, checked one by one: a wrong one is refused with one plain sentence."""

from collections.abc import Mapping
from typing import Any

from dodona.errors import OptionError

__all__ = ["Fields", "quoted"]

SHOWN = 40  # characters of a value in a message


class Fields:
    """The fields of a request. Nothing in them can be trusted: not the types, and not the lengths."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        if not isinstance(request, Mapping):
            raise OptionError("the request is not an object with fields")
        self._request = request

    def text(self, name: str, longest: int, default: str | None = None) -> str:
        """Return a string of at most `longest` characters; without a default it must be there."""
        value = self._request.get(name, default)
        if not isinstance(value, str):
            raise OptionError(f"{name}: expected a text")
        _check_text(name, value, longest)
        return value

    def name(self, name: str, default: str | None = None) -> str | None:
        """Return a short string, or None if it is not there."""
        return None if self._request.get(name, default) is None else self.text(name, 100, default)

    def flag(self, name: str, default: bool) -> bool:
        value = self._request.get(name, default)
        if not isinstance(value, bool):
            raise OptionError(f"{name}: expected true or false, not {quoted(value)}")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self._request.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise OptionError(f"{name}: expected a number from {least} to {most}, not {quoted(value)}")
        return value

    def values(self, name: str, most: int, default: list[Any] | None = None) -> list[Any]:
        """Return a list of at most `most` values of any kind."""
        value = self._request.get(name, default)
        if not isinstance(value, list):
            raise OptionError(f"{name}: expected a list")
        if len(value) > most:
            raise OptionError(f"{name}: a list of {len(value):,}; expected at most {most:,}")
        return value

    def texts(self, name: str, most: int, longest: int, default: list[Any] | None = None) -> list[str]:
        """Return a list of strings that are not empty."""
        values = self.values(name, most, default)
        for value in values:
            if not isinstance(value, str) or not value:
                raise OptionError(f"{name}: expected a list of words, not {quoted(value)} in it")
            _check_text(name, value, longest)
        return values

    def has(self, name: str) -> bool:
        return self._request.get(name) is not None

    def names(self, name: str) -> dict[str, Any]:
        """Return an object whose values are strings or true and false; empty if it is not there."""
        value = self._request.get(name, {})
        if not isinstance(value, Mapping) or not all(isinstance(each, str | bool) for each in value.values()):
            raise OptionError(f"{name}: expected an object with texts, true and false")
        return dict(value)


def quoted(value: object) -> str:
    """Return a value as a message shows it, shortened."""
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"


def _check_text(name: str, value: str, longest: int) -> None:
    if len(value) > longest:
        raise OptionError(f"{name}: {len(value):,} characters; expected at most {longest:,}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise OptionError(f"{name}: expected text in Unicode, without lone surrogates")
