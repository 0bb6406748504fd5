"""How notebooks show what belongs to rooms below `dodona.drawing`.

A notebook asks an object for `_repr_html_` and `_repr_svg_`. What draws them lies above these rooms, which must not
import it, so it is found by its name, at the moment when someone looks.
"""

from importlib import import_module
from typing import Any

from dodona.errors import FormatError

__all__ = ["ShownSentence", "drawing"]


def drawing(module: str) -> Any:
    """Return a module of `dodona.drawing` by its name."""
    return import_module(f"dodona.drawing.{module}")


class ShownSentence:
    """The part of a sentence that notebooks ask for; what is no tree is shown like any other object."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        try:
            return str(drawing("dependencies").svg_of(self))
        except FormatError:
            return None

    def _repr_html_(self) -> str | None:
        try:
            return str(drawing("page").html_of(self))
        except FormatError:
            return None
