"""The columns of a sentence at the door of the pipeline, checked once: whoever has changed its lists may have put
anything there, and compiled loops rely on them."""

from operator import index

from dodona.data import Sentence
from dodona.data.values import strings
from dodona.errors import OptionError

__all__ = ["check_columns"]

COLUMNS = ("words", "upos", "xpos", "feats")


def check_columns(sentence: Sentence, constrained: bool = False) -> None:
    """Check that each column that a component reads has a string for each word, and with `constrained` the given arcs.

    Columns of which nobody has a list cannot have changed. Other kinds of strings, such as those of numpy, become plain
    ones, in place.
    """
    n = len(sentence)
    for name in (*COLUMNS, "labels") if constrained else COLUMNS:
        values = sentence.listed(name)
        if values is None:
            continue
        if len(values) != n:
            raise _wrong(sentence, f"{name}: {len(values)} values; expected {n}, one for each word")
        try:
            plain = strings(values)
        except TypeError as error:
            raise _wrong(sentence, f"{name}: {error}") from None
        if plain is not values:
            sentence.keep_column(name, plain)
    sentence.refresh()
    if constrained:
        _check_heads(sentence, n)


def _check_heads(sentence: Sentence, n: int) -> None:
    heads = sentence.heads
    if len(heads) != n:
        raise _wrong(sentence, f"heads: {len(heads)} values; expected {n}, one for each word")
    for d, h in enumerate(heads, start=1):
        try:
            sound = h is None or 0 <= index(h) <= n
        except TypeError:
            sound = False
        if not sound:
            raise _wrong(sentence, f"word {d} has head {h!r}; expected None or a number from 0 to {n}")


def _wrong(sentence: Sentence, fault: str) -> OptionError:
    place = f"{sentence.file}:{sentence.line}: " if sentence.file else ""
    return OptionError(f"{place}{fault}")
