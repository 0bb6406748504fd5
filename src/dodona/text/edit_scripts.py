"""Edit scripts: how a lemma is derived from a form, so that the script can be applied to other forms."""

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["CASINGS", "Script", "lowered", "script_for"]

LONGEST = 64  # maximum length of a form for a full search of the longest common substring


def lowered(text: str) -> str:
    """Return the text lowercased, with the same length: only the Turkish İ would become two characters."""
    lower = text.replace("İ", "i").lower()
    return lower if len(lower) == len(text) else text


CASINGS: dict[str, Callable[[str], str]] = {
    "lower": lowered,
    "keep": lambda text: text,
    "title": lambda text: text[:1].upper() + lowered(text[1:]),
    "upper": lambda text: text.upper(),
    "nothing": lambda text: "",
}


class Script(NamedTuple):
    """Remove a prefix and a suffix, change the case of the rest, and add another prefix and suffix.

    The removed affixes are lowercased, and match a form of any case.
    """

    casing: str = "lower"
    prefix: str = ""
    new_prefix: str = ""
    suffix: str = ""
    new_suffix: str = ""

    def apply(self, form: str) -> str:
        """Return the lemma of a form that has the prefix and the suffix."""
        middle = form[len(self.prefix) : len(form) - len(self.suffix)]
        return self.new_prefix + CASINGS[self.casing](middle) + self.new_suffix


def script_for(form: str, lemma: str) -> Script:
    """Return the script that derives this lemma from this form and keeps as much of the form as possible."""
    if lemma == "_":
        return Script("nothing", new_prefix="_")
    lower = lowered(form)
    found, longest = Script("keep", prefix=lower, new_prefix=lemma), 0
    for casing in ("lower",) if lemma == lowered(lemma) else ("keep", "title", "upper", "lower"):
        cased = CASINGS[casing](form)
        begin, at, size = _shared(cased, lemma)
        if size > longest and len(cased) == len(form):
            script = Script(casing, lower[:begin], lemma[:at], lower[begin + size :], lemma[at + size :])
            if script.apply(form) == lemma:
                found, longest = script, size
    return found


def _shared(form: str, lemma: str) -> tuple[int, int, int]:
    """Return (start in the form, start in the lemma, length) of the longest common substring, the first of several.

    For very long forms only the common prefix is considered.
    """
    for size in range(min(len(form), len(lemma)), 0, -1):
        for begin in range(len(form) - size + 1 if len(form) <= LONGEST else 1):
            at = lemma.find(form[begin : begin + size])
            if at >= 0:
                return begin, at, size
    return 0, 0, 0
