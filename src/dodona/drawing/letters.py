"""Letters: how wide a text is on a terminal and in a picture, in which direction it runs, and how it is shorten.

How wide text is in a picture is known at most: browsers choose the font themselves. The widths are those of a wide
sans-serif font, DejaVu Sans, rounded up. In a narrower one there is a little more space between words. Where even that
is a guess, in scripts whose letters have very different widths, `has_known_width` is false, and a picture tells the
browser to fit the text into its width.
"""

import unicodedata
from functools import lru_cache

from dodona.tables import END_ISOLATE, ISOLATE

__all__ = ["has_known_width", "is_right_to_left", "isolate", "pad", "shorten", "text_width", "width_of"]

JOINER = "\N{ZERO WIDTH JOINER}"
AS_EMOJI = "\N{VARIATION SELECTOR-16}"

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


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes, as the C library and most terminals count them.

    rich counts the vowel signs of Indian scripts as nothing, so that lines with them would not be aligned.
    """
    if text.isascii():
        return len(text)
    total = last = 0
    before = ""
    for letter in text:
        width = _letter_columns(letter)
        if letter == AS_EMOJI and last == 1:
            total += 1  # a sign in black and white that becomes a picture
            last = 2
        elif before == JOINER or (0x1F3FB <= ord(letter) <= 0x1F3FF and last == 2):
            width = 0  # one picture with the one before
        total += width
        last = width or last
        before = letter
    return total


def _letter_columns(letter: str) -> int:
    is_inside_syllable = "\u1160" <= letter <= "\u11ff"  # Jamo
    if is_inside_syllable or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def pad(text: str, width: int) -> str:
    """Return a text with as many spaces after it as it needs to take this many columns."""
    return text + " " * (width - width_of(text))


def shorten(word: str, width: int) -> str:
    """Return a word, or its beginning with `…`, if it takes more columns than this."""
    if width_of(word) <= width:
        return word
    word = word[: 4 * width]  # leaves room for marks
    while width_of(word) >= width:
        word = word[:-1]
    return f"{word}…"


def is_right_to_left(word: str) -> bool:
    """Return whether a word has letters that are written from right to left."""
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in word)


def isolate(word: str) -> str:
    """Return a word between zero-width characters, if it is written from right to left; others stay as they are."""
    return f"{ISOLATE}{word}{END_ISOLATE}" if is_right_to_left(word) else word


def text_width(text: str, size: float) -> float:
    """Return the width of a text in a picture, in a font of this size and in the same unit."""
    return size * sum(map(_letter_width, text))


def has_known_width(text: str) -> bool:
    """Return whether the width in a picture is more than a guess."""
    return text.isascii() or all(map(_is_known, text))


@lru_cache(1 << 12)
def _is_known(letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last, _ in SCRIPTS) or width_of(letter) == 0


@lru_cache(1 << 12)
def _letter_width(letter: str) -> float:
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
            return max(_letter_width(plain), NARROW_WITH_MARK)
    return CAPITAL if letter.isupper() else PLAIN
