"""The quick way of reading: it takes what is usual, says the same as the careful one, and runs uncompiled too."""

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import FormatWarning, Sentence
from dodona.data import table
from dodona.data.conllu import Block, _Reader

COLUMNS = ("words", "lemmas", "upos", "xpos", "feats", "heads", "labels", "deps", "misc", "multiword", "comments")
USUAL = (
    "# sent_id = 1\n# text = dámelo .\n1-2\tdámelo\t_\t_\t_\t_\t_\t_\t_\tz=1\n1\tda\tdar\tVERB\tV\tA=a\t0\troot\t_\tx\n"
    "2\tme\tyo\tPRON\t_\t\t1\tiobj\t\t\n3\t.\t.\tPUNCT\t_\t_\t_\tpunct\t_\t_"
)
TEN = "\n".join(f"{k}\tw\t_\t_\t_\t_\t{k - 1}\td\t_\t_" for k in range(1, 12))


def interpreted() -> ModuleType:
    """The same file, run by the interpreter."""
    file = Path(__file__).parents[2] / "src" / "dodona" / "data" / "table.py"
    spec = importlib.util.spec_from_file_location("interpreted_table", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


INTERPRETED = interpreted()


def all_of(sentence: Sentence) -> list[object]:
    lines = [sentence.word_line(d) for d in range(1, len(sentence) + 1)]
    return [*(getattr(sentence, name) for name in COLUMNS), lines, len(sentence), sentence.to_bytes()]


@pytest.mark.parametrize("text", [USUAL, TEN, TEN.replace("10\td", "_\td")])
def test_what_is_usual_goes_the_quick_way(text: str) -> None:
    assert table.plain_words(text.encode(), True) is not None


def test_one_is_compiled_and_the_other_is_not() -> None:
    assert not str(table.__file__).endswith(".py")
    assert str(INTERPRETED.__file__).endswith(".py")


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
    body = text.encode()
    quick, same = table.plain_words(body, True), INTERPRETED.plain_words(body, True)
    assert (quick is None) == (same is None)
    if quick is None:
        return
    assert (list(quick[0].starts)[: 11 * quick[0].n], *quick[1:]) == (list(same[0].starts)[: 11 * same[0].n], *same[1:])
    values = [f"{k}é" for k in range(quick[0].n)]
    assert quick[0].replaced({2: values, 9: values}) == same[0].replaced({2: values, 9: values})
    assert [quick[0].column(c) for c in range(10)] == [same[0].column(c) for c in range(10)]
    block = Block(5, b"", body, b"\n\n")
    reader = _Reader("x", "conllu", True)
    plain = reader._plain(block)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        careful = reader._careful(block)
    assert plain is not None
    assert careful is not None
    assert all_of(plain) == all_of(careful)
