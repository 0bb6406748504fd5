"""Feature templates: what comes with Dodona can be read, and a bad one is named by its line."""

import pytest

from dodona import OptionError
from dodona.linear.templates import Templates
from dodona.systems.registry import SYSTEMS


def test_zhang_and_nivres_templates_are_72() -> None:
    assert len(Templates.load("stack")) == 72


@pytest.mark.parametrize("kind", sorted({entry.templates for entry in SYSTEMS.values()}))
def test_every_kind_comes_plain_and_full(kind: str) -> None:
    plain, full = Templates.load(kind), Templates.load(f"{kind}-full")
    assert len(full) > len(plain)
    for letter in "xf":
        assert f".{letter}" in full.text
        assert f".{letter}\n" not in plain.text


def test_shared_addresses_and_atoms_are_found_once() -> None:
    templates = Templates.parse("S0.w\nS0.w+N0.p\nS0.lc.w  # a comment\n\nS0.w+dist")
    assert (len(templates), len(templates.nodes), len(templates.atoms)) == (4, 3, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S0.w\nS9.w", "mine.txt:2: 'S9' in 'S9.w'; expected one of the places S0 S1"),
        ("S0.up.w", "mine.txt:1: 'up' in 'S0.up.w'; expected one of the steps h h2"),
        ("S0.lc.lc.w", "mine.txt:1: 'lc.lc' in"),
        ("S0.colour", "mine.txt:1: 'colour' in 'S0.colour'; expected one of the attributes w p"),
        ("S0", "mine.txt:1: '' in 'S0'"),
        ("S0.w+", "mine.txt:1: '' in ''"),
        ("S0.w\n\nS0.w", "mine.txt:3: the template 'S0.w' is there already"),
        ("# nothing", "mine.txt: no templates"),
    ],
)
def test_bad_templates(text: str, message: str) -> None:
    with pytest.raises(OptionError) as error:
        Templates.parse(text, "mine.txt")
    assert message in str(error.value)


def test_unknown_templates() -> None:
    with pytest.raises(OptionError, match=r"covington.*stack-full"):
        Templates.load("missing")
