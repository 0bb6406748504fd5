"""The quick way of reading: it takes what is usual, and says the same as the careful one."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import FormatWarning, Sentence
from dodona.data.conllu import Block, _Reader
from dodona.data.storage import scan_rows

COLUMNS = ("words", "lemmas", "upos", "xpos", "feats", "heads", "labels", "deps", "misc", "multiword", "comments")
USUAL = (
    "# sent_id = 1\n# text = dámelo .\n1-2\tdámelo\t_\t_\t_\t_\t_\t_\t_\tz=1\n1\tda\tdar\tVERB\tV\tA=a\t0\troot\t_\tx\n"
    "2\tme\tyo\tPRON\t_\t\t1\tiobj\t\t\n3\t.\t.\tPUNCT\t_\t_\t_\tpunct\t_\t_"
)
TEN = "\n".join(f"{k}\tw\t_\t_\t_\t_\t{k - 1}\td\t_\t_" for k in range(1, 12))


def all_of(sentence: Sentence) -> list[object]:
    lines = [sentence.word_line(d) for d in range(1, len(sentence) + 1)]
    return [*(getattr(sentence, name) for name in COLUMNS), lines, len(sentence), sentence.to_bytes()]


@pytest.mark.parametrize("text", [USUAL, TEN, TEN.replace("10\td", "_\td")])
def test_what_is_usual_goes_the_quick_way(text: str) -> None:
    assert scan_rows(text.encode(), True) is not None


@settings(max_examples=500, deadline=None)
@given(
    text=st.sampled_from([USUAL, TEN]),
    changes=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 2), st.sampled_from([*"\t\n\r\0#1023-._é ", "", "12", "\u2028"])),
        max_size=3,
    ),
)
def test_the_quick_way_says_what_the_careful_one_says(text: str, changes: list[tuple[float, int, str]]) -> None:
    for place, length, new in changes:
        at = int(place * len(text))
        text = text[:at] + new + text[at + length :]
    block = Block(5, b"", text.encode(), b"\n\n")
    reader = _Reader("x", "conllu", True)
    quick = reader.read_quickly(block)
    if quick is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        careful = reader.read_carefully(block)
    assert careful is not None
    assert all_of(quick) == all_of(careful)
    words = [row for row in quick.rows() if row[0].isdecimal()]
    assert [[row[number] for row in words] for number in (1, 2, 9)] == [quick.words, quick.lemmas, quick.misc]
    values = [f"{k}é" for k in range(len(quick))]
    for sentence in (quick, careful):
        sentence.lemmas = sentence.misc = values
    assert quick.to_bytes() == careful.to_bytes()
    lines = [line.split("\t") for line in quick.to_bytes().decode().split("\n") if line[:1].isdecimal()]
    expected = [[*row[:2], value, *row[3:9], value] for row, value in zip(words, values, strict=True)]
    assert [line for line in lines if line[0].isdecimal()] == expected
