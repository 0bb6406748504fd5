"""Calls of real functions, recorded: what each was called with, as it was then, and what it returned."""

import inspect
from dataclasses import dataclass
from functools import wraps
from typing import Any

import pytest

from dodona import Sentence

__all__ = ["Call", "record"]


@dataclass
class Call:
    """One call. Sentences among the arguments are copies: whoever fills in a column later does not change them."""

    arguments: dict[str, Any]
    result: Any = None

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]


def record(monkeypatch: pytest.MonkeyPatch, home: Any, name: str) -> list[Call]:
    """Return a list that grows with each call of the function or method of this name; it does what it always does."""
    plain = getattr(home, name)
    signature = inspect.signature(plain)
    calls: list[Call] = []

    @wraps(plain)
    def recorded(*arguments: Any, **options: Any) -> Any:
        bound = signature.bind(*arguments, **options)
        bound.apply_defaults()
        call = Call({key: _copy(value) for key, value in bound.arguments.items()})
        calls.append(call)
        call.result = plain(*arguments, **options)
        return call.result

    monkeypatch.setattr(home, name, recorded)
    return calls


def _copy(value: Any) -> Any:
    if isinstance(value, list | tuple) and any(isinstance(each, Sentence) for each in value):
        return [each.copy() for each in value]
    return value
