"""Repairs mend what is safe, leave the rest alone, and find nothing to do the second time."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.bad_treebanks import BAD, enhanced, plain

from dodona.validation import repair_chunks, validate_chunks

REPAIRABLE = {
    "byte-order-mark",
    "non-unix-newline",
    "unicode-normalization",
    "pseudo-empty-line",
    "extra-empty-line",
    "missing-empty-line",
    "leading-whitespace",
    "trailing-whitespace",
    "unsorted-features",
    "unsorted-feature-values",
    "text-trailing-whitespace",
    "unsorted-deps",
}
LINES = [line.encode() for line in (plain() + enhanced()).decode().split("\n")]
NOISE = (b" ", b"\t", b"\r", b"\n", b"\r\n", b"\n \n", b"|", b":", b"_", b"=", b",", b"#", b"\xc2\xa0", b"e\xcc\x81")
MORE_NOISE = (b"\xef\xbb\xbf", b"\xff", b"\0", b"B=C|A=D", b"2:a|1:b", b"SpaceAfter=No", b"1.10:x|1.2:y")


def fix(data: bytes) -> tuple[bytes, Counter[str]]:
    repairs: Counter[str] = Counter()
    return b"".join(repair_chunks([data], "it", repairs)), +repairs


@pytest.mark.parametrize("data", [plain(), enhanced(), b""])
def test_what_is_valid_stays_as_it_is(data: bytes) -> None:
    assert fix(data) == (data, Counter())


@pytest.mark.parametrize("name", sorted(REPAIRABLE))
def test_repairable_rules_are_repaired(name: str) -> None:
    data, repairs = fix(BAD[name])
    assert repairs.total() >= 1
    assert list(validate_chunks([data], "it")) == []


@pytest.mark.parametrize("name", sorted(BAD.keys() - REPAIRABLE))
def test_all_other_files_stay_as_they_are(name: str) -> None:
    assert fix(BAD[name]) == (BAD[name], Counter())


def test_order_of_features_and_of_deps() -> None:
    data = plain(("Case=Nom|Number=Sing", "number=Sing|Case=Nom"))
    assert fix(data)[0] == data  # no feature, so it is not known what it is
    data, repairs = fix(plain(("Case=Nom|Number=Sing", "b[x]=C|Abc=B,a|Aa=B".replace("b[", "B[").replace(",a", ",A"))))
    assert b"\tAa=B|Abc=A,B|B[x]=C\t" in data
    assert repairs == {"unsorted-features": 1, "unsorted-feature-values": 1}
    data, _ = fix(plain(("Case=Nom|Number=Sing", "Ba=1|BC=Ad,AC,Ab")))
    assert b"\tBa=1|BC=Ab,AC,Ad\t" in data  # as if all letters were small
    data, repairs = fix(enhanced(("0:root|1:conj:and", "10:b|1.10:a|1.2:c|1:z|1:a")))
    assert b"\t1:a|1:z|1.2:c|1.10:a|10:b\t" in data
    assert repairs == {"unsorted-deps": 1}


def test_features_and_deps_are_sorted_in_every_row() -> None:
    """Also those of multiword tokens and empty nodes."""
    lines = enhanced().decode().split("\n")
    kinds = set()
    for k, line in enumerate(lines):
        cells = line.split("\t")
        for place, wrong, right in ((5, "B=1|A=2", "A=2|B=1"), (8, "2:b|1:a", "1:a|2:b")):
            if len(cells) == 10:
                made = ["\t".join([*cells[:place], value, *cells[place + 1 :]]) for value in (wrong, right)]
                unsorted, expected = ("\n".join([*lines[:k], row, *lines[k + 1 :]]).encode() for row in made)
                assert fix(unsorted)[0] == expected
                kinds |= set(cells[0]) & set("-.")
    assert "." in kinds


def test_white_space_that_stands_for_that_of_the_text_is_kept() -> None:
    data = plain(("\toaks\toak", "\toaks \toak"))  # says SpaceAfter=No
    assert fix(data) == (data, Counter())
    data = plain(("\n7\t.\t", "\n7\t .\t"))  # the row before says so
    assert fix(data) == (data, Counter())
    assert fix(plain(("\told\t", "\told \t"))) == (plain(), Counter({"white-space": 1}))


@pytest.mark.parametrize("unspaced", range(1, 8))
def test_in_which_rows_white_space_is_kept(unspaced: int) -> None:
    """In one that says SpaceAfter=No, and in the next one; not in those further below."""
    lines = [f"{k}\tw{k}" + "\t_" * 7 + ("\tSpaceAfter=No" if k == unspaced else "\t_") for k in range(1, 9)]
    lines += ["", ""]
    data = "\n".join(lines).encode()
    assert fix(data) == (data, Counter())
    kept = 0
    for k, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) == 10:
            cells[1] += " "
            changed = "\n".join([*lines[:k], "\t".join(cells), *lines[k + 1 :]]).encode()
            is_kept = k + 1 in (unspaced, unspaced + 1)
            assert fix(changed) == ((changed, Counter()) if is_kept else (data, Counter({"white-space": 1})))
            kept += is_kept
    assert kept == 2


@pytest.mark.parametrize("begin", ["# text = ", "#text=", "# sent_id = ", "#sent_id = ", "# note = ", "# newpar "])
def test_comments_whose_blanks_at_the_end_go(begin: str) -> None:
    """Those that have a value which ends with none."""
    whole = plain(("# newpar", f"# newpar\n{begin}x \u3000\t"))
    is_stripped = "text" in begin or "sent_id" in begin
    expected = plain(("# newpar", f"# newpar\n{begin}x")) if is_stripped else whole
    assert fix(whole) == (expected, Counter({"text-trailing-whitespace": 1}) if is_stripped else Counter())


def test_tabs_at_the_end_of_a_row() -> None:
    assert fix(plain(("amod\t_\t_", "amod\t_\t_\t \t"))) == (plain(), Counter({"number-of-columns": 2}))


def test_counts_of_lines() -> None:
    _, repairs = fix(plain().replace(b"\n", b"\r\n"))
    assert repairs == {"non-unix-newline": plain().count(b"\n")}
    _, repairs = fix(b"\n \n" + plain() + b"\n\n")
    assert repairs == {"extra-empty-line": 4}
    _, repairs = fix(
        plain(("\n\n# sent_id = two", "\n \n\t\n# sent_id = two"), ("old\told\t", "old \t old\t"), ("oak\t", "oak \t"))
    )
    assert repairs == {"pseudo-empty-line": 2, "extra-empty-line": 1, "white-space": 3}
    data, repairs = fix(b"\rnot understood\n\r\n")
    assert (data, repairs) == (b"\rnot understood\n\n", {"non-unix-newline": 1})


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(LINES), max_size=12),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(NOISE + MORE_NOISE)), max_size=8),
)
def test_a_second_repair_finds_nothing_to_do(lines: list[bytes], noise: list[tuple[float, bytes]]) -> None:
    data = b"\n".join(lines)
    for place, more in noise:
        at = int(place * len(data))
        data = data[:at] + more + data[at:]
    once, repairs = fix(data)
    assert fix(once) == (once, Counter())
    if not list(validate_chunks([data], "it")):
        assert once == data
    assert (once == data) == (not repairs)
