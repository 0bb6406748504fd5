"""The kinds of characters: those of Unicode, in numbers that model files rely on."""

import pytest
from reference import characters as reference

from dodona.data import characters
from dodona.data.characters import KIND_COUNT, is_blank, kind_of


def test_every_character_has_the_kind_that_its_name_says() -> None:
    """Of all planes that have letters in use, and the last character of all."""
    wrong = [hex(code) for code in (*range(0x30000), 0x10FFFF) if kind_of(code) != reference.kind_of(code)]
    assert wrong == []


def test_blanks_are_whitespace_and_what_is_no_text() -> None:
    found = {code for code in range(0x110000) if is_blank(chr(code))}
    assert found == {code for code in range(0x110000) if chr(code).isspace()} | {0} | set(range(0xD800, 0xE000))


@pytest.mark.parametrize(
    ("letters", "kind"),
    [
        ("aß", characters.LOWER), ("AÉ", characters.UPPER), ("1٣", characters.DIGIT), ("Ⅳ½", characters.NUMBER),
        ("\u0301\u093f", characters.MARK), ("樫々𠀀豈", characters.HAN), ("かん", characters.HIRAGANA),
        ("カｱㇰ", characters.KATAKANA), ("한힣", characters.HANGUL), ("กຂကក", characters.UNSPACED),
        ("אब", characters.LETTER), ("\u200b\u0007", characters.CONTROL), ("€+±", None), ("°^", None),
        ("–—", characters.DASH), ("«“", characters.INITIAL), ("»”", characters.FINAL), ("（「", characters.OPEN),
        ("）」", characters.CLOSE), ("‿", characters.CONNECTOR), ("·¿", characters.PUNCTUATION),
        ("。؟።‼", characters.FULL_STOP),
    ],
)  # fmt: skip
def test_examples(letters: str, kind: int | None) -> None:
    kinds = [kind_of(ord(letter)) for letter in letters]
    assert all(0 < each < KIND_COUNT for each in kinds)
    if kind is not None:
        assert kinds == [kind] * len(letters)


def test_each_ascii_sign_is_a_kind_of_its_own() -> None:
    signs = [code for code in range(33, 127) if not chr(code).isalnum()]
    assert [kind_of(code) for code in signs] == list(range(24, 24 + 32))
