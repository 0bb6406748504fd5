"""Positions: what comes with Dodona can be read and suits its systems, and a bad line is named."""

from pathlib import Path

import pytest

import dodona
from dodona.data.files import read_shipped
from dodona.errors import OptionError
from dodona.neural.positions import MAX_LINES, Positions
from dodona.search.addresses import PLACES, STEPS
from dodona.systems.registry import SYSTEMS

FILES = sorted(path.stem for path in (Path(dodona.__file__).parent / "neural" / "positions").glob("*.txt"))


def test_every_file_suits_a_system() -> None:
    assert {entry.templates for entry in SYSTEMS.values()} == set(FILES)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_has_the_places_of_its_positions(name: str) -> None:
    entry = SYSTEMS[name]
    places = Positions.load(entry.templates).places()
    assert set(places) <= set(entry.positions)
    assert {"P0"} <= set(places) or {"S0", "N0"} <= set(places)


def test_words_and_labels_in_the_order_of_the_lines() -> None:
    text = "# a comment\n\nN0.lc.l\nS0  # the top\n  S0.l\nN0.h2\nS0.lc\nCR\n"
    positions = Positions.parse(text)
    named = [[(PLACES[place], STEPS[step]) for place, step in part] for part in (positions.words, positions.labels)]
    assert named == [[("S0", ""), ("N0", "h2"), ("S0", "lc"), ("CR", "")], [("N0", "lc"), ("S0", "")]]
    assert positions.text == text
    assert positions.places() == ["S0", "N0", "CR"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S0\nS9", "mine.txt:2: 'S9' in 'S9'; expected one of the places S0 S1 "),
        ("S0\n\n# x\ns0.l", "mine.txt:4: 's0' in 's0'; expected one of the places S0 S1 "),
        ("S0\n.l", "mine.txt:2: '' in ''; expected one of the places"),
        ("S0.", "mine.txt:1: '' in 'S0.'; expected one of the steps h h2 lc lc2 rc rc2 ln rn, or l"),
        ("S0.up", "mine.txt:1: 'up' in 'S0.up'; expected one of the steps"),
        ("S0.lc.lc", "mine.txt:1: 'lc.lc' in 'S0.lc.lc'; expected one of the steps"),
        ("S0.lc.l.l", "mine.txt:1: 'lc.l' in 'S0.lc.l'; expected one of the steps"),
        ("S0\nS0 # again", "mine.txt:2: the position 'S0' is there already"),
        ("S0\nS0.lc.l\nS0.lc.l", "mine.txt:3: the position 'S0.lc.l' is there already"),
        ("# nothing", "mine.txt: 0 words and 0 labels; expected a word, and 64 lines at most"),
        ("S0.l\nN0.l", "mine.txt: 0 words and 2 labels; expected a word, and 64 lines at most"),
    ],
)
def test_bad_positions(text: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        Positions.parse(text, "mine.txt")
    assert str(raised.value).startswith(message)


def test_no_more_than_64_lines() -> None:
    lines = [f"{place}.{step}.l" for place in PLACES[:8] for step in STEPS[1:]]
    assert len(lines) == MAX_LINES
    assert len(Positions.parse("\n".join(["S0", *lines[1:]])).labels) == MAX_LINES - 1
    with pytest.raises(OptionError, match="1 words and 64 labels"):
        Positions.parse("\n".join(["S0", *lines]))


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("S0\nS1\n", encoding="utf-8")
    assert len(Positions.load(str(path)).words) == 2
    path.write_text("S0\nS7\n", encoding="utf-8")
    with pytest.raises(OptionError) as raised:
        Positions.load(str(path))
    assert str(raised.value).startswith(f"{path}:2: 'S7'")


def test_shipped_texts(tmp_path: Path) -> None:
    text, path = read_shipped("neural/positions", "hybrid")
    assert "arc-hybrid" in text
    assert Path(path).name == "hybrid.txt"
    assert read_shipped("linear/templates", "hybrid")[0] != text
    with pytest.raises(OptionError, match=f"no positions 'hybird'; expected a file, or one of: {', '.join(FILES)}$"):
        read_shipped("neural/positions", "hybird")
    with pytest.raises(OptionError, match=r"cannot be read: .*; expected positions$"):
        read_shipped("neural/positions", str(tmp_path))
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"S0\n\xff")
    with pytest.raises(OptionError, match=r"bad\.txt: cannot be read: not a text in UTF-8; expected positions$"):
        read_shipped("neural/positions", str(bad))
