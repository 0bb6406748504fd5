"""How wide text will be at most in a sans-serif font that nobody has measured: browsers choose it themselves.

The widths are those of a wide font, DejaVu Sans, rounded up. In a narrower one there is a little more space between
words. Where even that is a guess, in scripts whose letters have very different widths, `is_known` is false, and a
picture tells the browser to fit the text into its width.
"""

import unicodedata
from functools import lru_cache

from dodona.drawing.letters import width_of

__all__ = ["is_known", "text_width"]

NARROW = frozenset("ijlIJ'|.,:;!` ·’‘")
SLIM = frozenset("frt()[]{}/\\-ſς")
WIDE = frozenset("mwMW@%…—œæŒÆ&+=<>~#÷×±¬жшщюыфмЖШЩЮЫФМДӔωψΩΨ‰№™")
LETTERS = ((NARROW, 0.4), (SLIM, 0.45), (WIDE, 1.1))
PLAIN, CAPITAL, FULL, UNKNOWN = 0.68, 0.82, 1.05, 1.2
NARROW_WITH_MARK = 0.5  # ï
SCRIPTS = (  # first and last letter of those whose widths are known, and the width if it is the same for all
    (0x0020, 0x052F, None),  # Latin, Greek, Cyrillic
    (0x0590, 0x05FF, 0.72),  # Hebrew
    (0x0600, 0x06FF, 1.0),  # Arabic
    (0x1E00, 0x1FFF, None),  # Latin and Greek with marks
    (0x2010, 0x20BF, 0.85),  # punctuation, signs of currencies
    (0x2190, 0x21FF, 1.0),  # arrows
    (0x3000, 0x30FF, FULL),  # Japanese syllables
    (0x4E00, 0x9FFF, FULL),  # Chinese characters
    (0xAC00, 0xD7A3, FULL),  # Korean syllables
    (0xFF01, 0xFF5E, FULL),  # full-width letters
)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in a font of this size, in the same unit."""
    return size * sum(map(_width, text))


def is_known(text: str) -> bool:
    """Return whether the width is more than a guess."""
    return text.isascii() or all(map(_is_known, text))


@lru_cache(1 << 12)
def _is_known(letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last, _ in SCRIPTS) or width_of(letter) == 0


@lru_cache(1 << 12)
def _width(letter: str) -> float:
    for letters, width in LETTERS:
        if letter in letters:
            return width
    if not letter.isascii():
        if width_of(letter) == 0:
            return 0.0
        for first, last, width_of_all in SCRIPTS:
            if first <= ord(letter) <= last and width_of_all is not None:
                return width_of_all
        if not _is_known(letter):
            return UNKNOWN * width_of(letter)
        plain = unicodedata.normalize("NFD", letter)[0]
        if plain != letter:
            return max(_width(plain), NARROW_WITH_MARK)
    return CAPITAL if letter.isupper() else PLAIN
