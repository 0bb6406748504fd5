"""The columns of a sentence from its tokens, one string after the other."""

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from reference.characters import is_blank
from reference.segmenting import Cut

ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}

Ranges = list[tuple[int, int, str]]


class Expansion(Protocol):
    @property
    def words(self) -> list[str]: ...
    @property
    def is_certain(self) -> bool: ...


def columns_of(
    cut: Cut,
    before: str,
    expander: Mapping[str, Expansion | None],
    is_multiword: Callable[[int, int, int], bool],
) -> tuple[str, list[str], list[str], Ranges, list[str]]:
    """Return `# text`, forms, MISC, multiword tokens and their MISC."""
    forms: list[str] = []
    misc: list[str] = []
    ranges: Ranges = []
    range_misc: list[str] = []
    text = ""
    first = cut.first
    for k, (token, gap) in enumerate(zip(cut.forms, cut.gaps, strict=True)):
        form = re.sub(" +", " ", "".join(" " if is_blank(char) else char for char in token))
        notes = [] if gap == " " else ["SpaceAfter=No"] if not gap else [f"SpacesAfter={escape(gap)}"]
        if k == 0 and before:
            notes.append(f"SpacesBefore={escape(before)}")
        if form != token:
            notes.append(f"SpacesInToken={escape(token)}")
        note = "|".join(notes) or "_"
        text += form + (" " if gap else "")
        expansion = expander[form]
        if expansion and (expansion.is_certain or is_multiword(cut.first, first, cut.lasts[k])):
            ranges.append((len(forms) + 1, len(forms) + len(expansion.words), form))
            range_misc.append(note)
            forms += expansion.words
            misc += ["_"] * len(expansion.words)
        else:
            forms.append(form)
            misc.append(note)
        first = cut.lasts[k] + 1
    return text.rstrip(" "), forms, misc, ranges, range_misc


def escape(text: str) -> str:
    """As the documentation of `dodona.data.spacing` has it, one character after the other."""
    return "".join(ESCAPES.get(char) or (f"\\u{ord(char):04X}" if is_blank(char) else char) for char in text)
