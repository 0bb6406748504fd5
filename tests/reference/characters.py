"""The kinds of characters, by what Unicode calls them; the numbers are those of model files, and never change."""

import unicodedata
from functools import cache

__all__ = ["BLANK", "CLOSING", "OPENING", "is_blank", "kind_of"]

BLANK = 1
BY_NAME = {  # beginnings of the names of letters
    ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC CLOSING"): 7,
    ("HIRAGANA",): 8,
    ("KATAKANA", "HALFWIDTH KATAKANA"): 9,
    ("HANGUL",): 10,
    ("THAI", "LAO", "MYANMAR", "KHMER"): 11,
}
BY_CATEGORY = {
    "Ll": 2, "Lu": 3, "Lt": 3, "Nd": 4, "Nl": 5, "No": 5, "Mn": 6, "Mc": 6, "Me": 6, "Lo": 12, "Lm": 12,
    "So": 14, "Sk": 14, "Sm": 15, "Sc": 15, "Pd": 16, "Ps": 17, "Pe": 18, "Pi": 19, "Pf": 20, "Pc": 21, "Po": 22,
}  # fmt: skip
PLAIN_LETTERS = (  # that Unicode has added later, or that are not written in running text
    *(range(0x1100, 0x1200), range(0x3131, 0x318F), range(0xA960, 0xA980), range(0xFFA0, 0xFFDD)),  # parts of Hangul
    *(range(0xA9E0, 0xAA80), range(0x1AFF0, 0x1B170), range(0x1D360, 0x1D380)),
)
OTHER, FULL_STOP, FIRST_SIGN = 13, 23, 24
OPENING = {17, 19, *(FIRST_SIGN + place for place in (7, 26, 29))}  # ( [ {
CLOSING = {18, 20, *(FIRST_SIGN + place for place in (8, 28, 31))}  # ) ] }


def is_blank(char: str) -> bool:
    """Whitespace, and what is no text: NUL and halves of surrogate pairs."""
    return char.isspace() or char == "\0" or 0xD800 <= ord(char) < 0xE000


@cache
def kind_of(code: int) -> int:
    char = chr(code)
    if is_blank(char):
        return BLANK
    if 33 <= code < 127 and not char.isalnum():  # ASCII signs, in their order
        return FIRST_SIGN + sum(33 <= other < code and not chr(other).isalnum() for other in range(128))
    name = unicodedata.name(char, "")
    if char in "。．｡！？…؟۔।॥።፧‼⁇⁈⁉":
        return FULL_STOP
    category = unicodedata.category(char)
    for beginnings, kind in BY_NAME.items():
        if category[0] == "L" and name.startswith(beginnings) and not any(code in some for some in PLAIN_LETTERS):
            return kind
    return BY_CATEGORY.get(category, OTHER)
