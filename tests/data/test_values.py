"""Columns as bytes: the same strings come out, and the same lines as from strings put together."""

import pickle
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona import OptionError, Sentence
from dodona.data.storage import MadeRows, scan_rows
from dodona.data.ud import NUMBERS
from dodona.data.values import Inventory, Values, make_plain, pick, values_of

WORD = st.text(alphabet="aé木\U0001f333_'", min_size=1, max_size=5)
TAGS = ["_", "NOUN", "木", "\U0001f333é"]


def columns(n: int) -> st.SearchStrategy[dict[int, list[str] | Values]]:
    lists = st.lists(WORD, min_size=n, max_size=n)
    numbers = st.lists(st.integers(0, len(TAGS) - 1), min_size=n, max_size=n)
    picked = numbers.map(lambda found: pick(Inventory(TAGS), array("i", found)))
    return st.dictionaries(st.integers(1, 9), lists | lists.map(values_of) | picked, max_size=9)


def rows(header: bytes, n: int, columns: dict[int, list[str] | Values], between: dict[int, str]) -> bytes:
    made = Sentence("", 1, "conllu", MadeRows(n, header, columns, between), b"", None, [])
    return made.to_bytes()


def listed(column: list[str] | Values) -> list[str]:
    return column.strings() if isinstance(column, Values) else column


@given(st.lists(st.text(alphabet="aé木\U0001f333"), max_size=6))
def test_strings_come_out_again(given: list[str]) -> None:
    values = values_of(given)
    assert values.strings() == given == pickle.loads(pickle.dumps(values)).strings()
    assert len(values) == len(given)
    assert values.lacks() == all(value == "_" for value in given)


@pytest.mark.parametrize("value", ["a", "_a", "__", "é", ""])
def test_what_is_no_underscore_is_not_lacking(value: str) -> None:
    assert not values_of([value]).lacks()
    assert not values_of(["_", value]).lacks()
    assert values_of(["_", "_"]).lacks()


def test_chosen_values() -> None:
    values = pick(Inventory(TAGS), array("i", [1, 3, 1]))
    assert values.strings() == ["NOUN", "\U0001f333é", "NOUN"]
    assert not values.lacks()
    assert pick(Inventory(TAGS), array("i", [0, 0])).lacks()
    assert not pick(Inventory(TAGS), array("i", [0, 1])).lacks()
    for wrong in (4, -1):
        with pytest.raises(ValueError, match=f"value {wrong} of an inventory of 4"):
            pick(Inventory(TAGS), array("i", [0, wrong]))
    with pytest.raises(TypeError, match="numbers of type 'q'; expected 'i'"):
        pick(Inventory(TAGS), array("q", [0]))


def test_only_plain_strings() -> None:
    class Loud(str):
        def encode(self, *_: object) -> bytes:
            return b"no"

    plain = ["a", "b"]
    assert make_plain(plain) is plain
    assert make_plain([Loud("a"), "b"]) == plain
    assert values_of([Loud("a")]).strings() == ["a"]
    with pytest.raises(TypeError, match="value 7 of type int; expected a string"):
        values_of([7])  # type: ignore[list-item]
    with pytest.raises(OptionError, match=r"value '\\udc80'; expected text without lone surrogates"):
        values_of(["a", "\udc80"])


@given(st.data(), st.sampled_from([1, 2, 9, 10, 11, 101]), st.sampled_from([b"", b"# text = \xc3\xa9\n"]))
def test_rows(data: st.DataObject, n: int, header: bytes) -> None:
    found = data.draw(columns(n))
    between = {1: "1-2\tab", n: "0.1\tx", n + 1: "9.1\ty\n9.2\tz"}
    lines = header.decode().splitlines()
    for k in range(1, n + 1):
        lines += [between[k]] if k in between else []
        cells = (listed(found[i])[k - 1] if i in found else "_" for i in range(1, 10))
        lines.append("\t".join([str(k), *cells]))
    assert rows(header, n, found, between).decode() == "\n".join([*lines, between[n + 1]])
    assert rows(header, n, found, {}).decode() == "\n".join([line for line in lines if line not in between.values()])


@given(st.data())
def test_other_columns_of_a_table(data: st.DataObject) -> None:
    n = 3
    written: dict[int, list[str] | Values] = {i: [f"{i}é{k}" for k in range(n)] for i in (1, 2, 3, 4, 5, 7, 8, 9)}
    body = rows(b"# here\n", n, written, {2: "2-3\tab" + "\t_" * 8})
    scanned = scan_rows(body, True)
    assert scanned is not None
    sentence = Sentence("", 1, "conllu", scanned[0], b"", None, [])
    assert [sentence.column(name) for name in ("words", "misc")] != [written[1], written[9]]  # values, no lists yet
    assert [listed(sentence.column(name)) for name in ("words", "misc")] == [written[1], written[9]]
    new = data.draw(columns(n))
    for name, number in NUMBERS.items():
        if number in new:
            sentence.accept_column(name, new[number])
    expected = rows(b"# here\n", n, {**written, **new}, {2: "2-3\tab" + "\t_" * 8})
    assert sentence.to_bytes() == expected


def test_columns_of_another_length() -> None:
    with pytest.raises(ValueError, match="1 values; expected 2"):
        rows(b"", 2, {1: ["a"]}, {})
