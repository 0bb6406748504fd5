"""Letters: what may be shown of a text, how many columns of a terminal it takes, and in which direction it runs."""

import unicodedata

__all__ = ["END_ISOLATE", "ISOLATE", "is_right_to_left", "isolated", "shortened", "shown", "width_of"]

JOINER = "\N{ZERO WIDTH JOINER}"
JOINERS = (JOINER, "\N{ZERO WIDTH NON-JOINER}")
AS_EMOJI = "\N{VARIATION SELECTOR-16}"
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def shown(text: str) -> str:
    """Return text that is safe on a terminal: without control characters, all whitespace as spaces."""
    return "".join(_shown(letter) for letter in text) if not text.isprintable() else text


def _shown(letter: str) -> str:
    if letter.isprintable() or letter in JOINERS:
        return letter
    if letter.isspace():
        return " "
    return "" if unicodedata.category(letter) == "Cf" else "\N{REPLACEMENT CHARACTER}"


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    total = last = 0
    before = ""
    for letter in text:
        width = _letter_width(letter)
        if letter == AS_EMOJI and last == 1:
            total += 1  # a sign in black and white that becomes a picture
            last = 2
        elif before == JOINER or (0x1F3FB <= ord(letter) <= 0x1F3FF and last == 2):
            width = 0  # one picture with the one before
        total += width
        last = width or last
        before = letter
    return total


def _letter_width(letter: str) -> int:
    if (
        unicodedata.category(letter) in ("Mn", "Me", "Cf") or "\u1160" <= letter <= "\u11ff"
    ):  # Jamo inside of a syllable
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def is_right_to_left(word: str) -> bool:
    """Return whether a word has letters that are written from right to left."""
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in word)


def shortened(word: str, width: int) -> str:
    """Return a word, or its beginning with `…`, if it takes more columns than this."""
    if width_of(word) <= width:
        return word
    word = word[: 4 * width]  # leaves room for marks
    while width_of(word) >= width:
        word = word[:-1]
    return f"{word}…"


def isolated(word: str) -> str:
    """Return a word between zero-width characters, if it is written from right to left; others stay as they are."""
    return f"{ISOLATE}{word}{END_ISOLATE}" if is_right_to_left(word) else word
