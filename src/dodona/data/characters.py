"""The kinds of characters that a tokenizer distinguishes, by number; each ASCII punctuation mark is one."""

import re
import unicodedata

__all__ = ["BLANKS", "KIND_COUNT", "is_blank", "kind_of"]

KIND_COUNT = 64
BLANKS = "\\s\0\ud800-\udfff"
"""Separators, which cannot occur in tokens, as a class for regular expressions: whitespace, NUL, and lone surrogates.
The last two are not text, and a CoNLL-U file cannot contain them."""

BLANK, LOWER, UPPER, DIGIT, NUMBER, MARK, HAN, HIRAGANA, KATAKANA, HANGUL, UNSPACED, LETTER = range(1, 13)
CONTROL, SYMBOL, MATH, DASH, OPEN, CLOSE, INITIAL, FINAL, CONNECTOR, PUNCTUATION, FULL_STOP = range(13, 24)
WORD_KINDS = range(LOWER, LETTER + 1)
SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
FIRST_SIGN = 24
FULL_STOPS = "。．｡！？…؟۔।॥።፧‼⁇⁈⁉"

CATEGORIES = {
    "Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Lo": LETTER, "Lm": LETTER, "Nd": DIGIT, "Nl": NUMBER, "No": NUMBER,
    "Mn": MARK, "Mc": MARK, "Me": MARK, "So": SYMBOL, "Sk": SYMBOL, "Sm": MATH, "Sc": MATH, "Pd": DASH, "Ps": OPEN,
    "Pe": CLOSE, "Pi": INITIAL, "Pf": FINAL, "Pc": CONNECTOR, "Po": PUNCTUATION,
}  # fmt: skip
SCRIPTS = (
    (0x0E00, 0x0EFF, UNSPACED),  # Thai, Lao
    (0x1000, 0x109F, UNSPACED),  # Burmese
    (0x1780, 0x17FF, UNSPACED),  # Khmer
    (0x3005, 0x3007, HAN),
    (0x3040, 0x309F, HIRAGANA),
    (0x30A0, 0x30FF, KATAKANA),
    (0x31F0, 0x31FF, KATAKANA),
    (0x3400, 0x9FFF, HAN),
    (0xAC00, 0xD7FF, HANGUL),
    (0xF900, 0xFAFF, HAN),
    (0xFF66, 0xFF9F, KATAKANA),
    (0x20000, 0x3FFFF, HAN),
)
IS_BLANK = re.compile(f"[{BLANKS}]")


def is_blank(char: str) -> bool:
    return IS_BLANK.match(char) is not None


def kind_of(code: int) -> int:
    char = chr(code)
    if is_blank(char):
        return BLANK
    if char in SIGNS:
        return FIRST_SIGN + SIGNS.index(char)
    if char in FULL_STOPS:
        return FULL_STOP
    category = unicodedata.category(char)
    if category[0] == "L":
        for first, last, script in SCRIPTS:
            if first <= code <= last:
                return script
    return CATEGORIES.get(category, CONTROL)
