"""What a pipeline is given, checked at its doors: texts, pairs of texts and contexts, and sentences."""

from collections.abc import Iterable, Iterator
from typing import Any

from dodona.data import Sentence
from dodona.data.marks import Mark
from dodona.errors import OptionError

__all__ = ["check_items", "check_jobs", "check_sentences", "check_text", "check_texts", "text_pairs"]


def check_text(text: Any, hint: str = "") -> None:
    """Raise an error unless this is a string; the hint is for one that is a collection."""
    if isinstance(text, str):
        return
    if isinstance(text, bytes | bytearray):
        hint = "decode it first, with `.decode()`"
    elif isinstance(text, Sentence):
        hint = "for sentences: `nlp.parse(sentences)`"
    elif not isinstance(text, list | tuple | set | Iterator):
        hint = ""
    raise OptionError(f"{_shown(text)}; expected a text, as a string{f' ({hint})' if hint else ''}")


def check_texts(texts: Any) -> None:
    """Raise an error unless this may be several texts: a string is one, and its letters are none."""
    if isinstance(texts, str):
        raise OptionError("one text; expected several texts (for one: `nlp(text)`)")
    if isinstance(texts, bytes | bytearray | Sentence) or not hasattr(texts, "__iter__"):
        raise OptionError(f"{_shown(texts)}; expected several texts, as strings")


def text_pairs(texts: Iterable[Any], as_tuples: bool) -> Iterator[tuple[str, Any]]:
    """Yield pairs of texts and contexts, each checked when it is taken."""
    for number, item in enumerate(texts, start=1):
        if not as_tuples:
            text, context = item, None
            hint = (
                "for pairs (text, context): `as_tuples=True`" if isinstance(item, tuple) else "one item for each text"
            )
        elif isinstance(item, list | tuple) and len(item) == 2:
            (text, context), hint = item, ""
        else:
            raise OptionError(f"item {number}: {_shown(item)}; with `as_tuples` expected a pair (text, context)")
        try:
            check_text(text, hint)
        except OptionError as error:
            raise OptionError(f"item {number}: {error}") from None
        yield text, context


def check_sentences(sentences: Any) -> None:
    """Raise an error unless this may be several sentences."""
    if isinstance(sentences, str):
        raise OptionError(f"{_shown(sentences)}; expected sentences (for a text: `nlp(text)`)")
    if isinstance(sentences, Sentence):
        raise OptionError("one sentence; expected several (for one: `nlp.parse([sentence])`)")
    if isinstance(sentences, bytes | bytearray) or not hasattr(sentences, "__iter__"):
        raise OptionError(f"{_shown(sentences)}; expected sentences, from `dodona.read` for example")


def check_items(items: Iterable[Any]) -> None:
    """Raise an error unless these are sentences and marks."""
    for item in items:
        if not isinstance(item, Sentence | Mark):
            hint = " (for texts: `nlp.pipe(texts)`)" if isinstance(item, str) else ""
            raise OptionError(f"{_shown(item)}; expected sentences{hint}")


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    shown = repr(value)
    return f"{shown if len(shown) <= 40 else shown[:37] + '...'} of type {type(value).__name__}"


def check_jobs(number: int, name: str = "jobs") -> None:
    if not isinstance(number, int) or number < 1:
        raise OptionError(f"{name} {number!r}: expected at least 1")
