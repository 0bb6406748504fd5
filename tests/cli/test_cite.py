"""`dodona cite`: every system, recipe and shipped model has its papers, and CITATION.cff says the same of Dodona."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dodona import OptionError, __version__
from dodona.cli.commands.cite import cite
from dodona.data.pseudoprojective import ENCODINGS
from dodona.experiments.recipes import RECIPES
from dodona.parser.options import ParserOptions
from dodona.systems.registry import SYSTEMS

ROOT = Path(__file__).parents[2]
Keys = Callable[..., list[str]]


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """The keys of what is written to a file."""

    def find(*names: str) -> list[str]:
        file = tmp_path / "references.bib"
        cite.main([*names, "-o", str(file)], standalone_mode=False)
        return re.findall(r"^@[a-z]+\{(.+),$", file.read_text(), re.M)

    return find


def test_dodona_itself(keys: Keys, capfd: pytest.CaptureFixture[str]) -> None:
    cite.main([], standalone_mode=False)
    written = capfd.readouterr().out
    record = (ROOT / "CITATION.cff").read_text()
    (title,) = re.findall(r'^title: "(.+)"$', record, re.M)
    (author,) = re.findall(r"- name: (.+)$", record, re.M)
    assert title in written.replace("{", "").replace("}", "")
    assert f"author = {{{{{author}}}}}" in written
    assert f"version = {{{__version__}}}" in written
    assert keys() == ["dodona"]


@pytest.mark.parametrize("name", [*SYSTEMS, *(name for name, recipe in RECIPES.items() if recipe.paper != "Dodona")])
def test_everything_has_its_papers(name: str, keys: Keys) -> None:
    assert len(keys(name)) > 1
    paper = SYSTEMS[name].paper if name in SYSTEMS else RECIPES[name].paper
    assert len(keys(name)) == 1 + len(re.findall(r"\b\d{4}\b", paper))


def test_models(keys: Keys) -> None:
    shared = ["nivre-nilsson-2005", "nivre-etal-2020", "silveira-etal-2014"]
    assert keys("en-fast") == ["dodona", "goldberg-nivre-2012", "goldberg-nivre-2013", "zhang-nivre-2011", *shared]
    vectors = "pennington-socher-manning-2014"
    assert keys("en") == ["dodona", "goldberg-nivre-2013", "kiperwasser-goldberg-2016", *shared, vectors]
    assert keys("arc-eager", "arc-eager") == ["dodona", "goldberg-nivre-2012", "goldberg-nivre-2013"]


def test_the_bibliography_is_bibtex() -> None:
    text = (ROOT / "src" / "dodona" / "cli" / "papers.bib").read_text()
    entries = re.findall(r"^@.*?^}$", text, re.M | re.S)
    assert len(entries) == text.count("\n@") == text.count("% ")
    for entry in entries:
        assert entry.count("{") == entry.count("}")
        fields = re.findall(r"^  ([a-z]+) = \{", entry, re.M)
        assert {"author", "title", "pages", "year"} < set(fields)
        assert ("journal" in fields) != ("booktitle" in fields)


def test_bad_names(tmp_path: Path, keys: Keys) -> None:
    with pytest.raises(OptionError, match=r"expected a model, or one of: arc-eager"):
        keys("nobody")
    with pytest.raises(OptionError, match=r"expected one of .bib"):
        cite.main(["-o", str(tmp_path / "a.txt")], standalone_mode=False)


@pytest.mark.parametrize(
    ("options", "papers"),
    [
        ({}, ["zhang-nivre-2011"]),
        ({"beam": 2}, ["zhang-nivre-2011", "huang-fayong-guo-2012"]),
        ({"beam": 2, "early_update": True}, ["zhang-nivre-2011", "collins-roark-2004"]),
        *(({"nonprojective": name}, ["zhang-nivre-2011", "nivre-nilsson-2005"]) for name in ENCODINGS),
        ({"nonprojective": "drop"}, ["zhang-nivre-2011"]),
        ({"system": "swap-standard", "nonprojective": "head"}, ["zhang-nivre-2011"]),
    ],
)
def test_what_a_model_was_trained_with(
    options: dict[str, Any], papers: list[str], keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = options.get("system", "arc-standard")
    made = ParserOptions(**({"system": system, "nonprojective": "keep"} | options))
    model = SimpleNamespace(parser=SimpleNamespace(options=made), about={})
    monkeypatch.setattr("dodona.pipeline.models.load", lambda name: model)
    own = keys(system)
    assert keys("some.model") == own + papers
    for data, paper in (
        ("UD Irish IDT", "nivre-etal-2020"), ("UD_Irish-IDT", "nivre-etal-2020"), ("ga-ud-train", "nivre-etal-2020"),
        ("the EWT", "silveira-etal-2014"), ("GloVe", "pennington-socher-manning-2014"),
    ):  # fmt: skip
        model.about["data"] = data
        assert keys("some.model") == [*own, *papers, paper]
    model.about["data"] = "STUD EWTs"
    assert keys("some.model") == own + papers
