"""`dodona cite`: what to cite, as BibTeX: Dodona, and the papers behind a model, a system or an experiment."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dodona import __version__
from dodona.cli.outputs import choose_format, output_option, write_text
from dodona.errors import DodonaError, OptionError

if TYPE_CHECKING:
    from dodona.pipeline.pipeline import Pipeline

DODONA = f"""\
@software{{dodona,
  author = {{{{The Dodona developers}}}},
  title = {{{{Dodona}}: transition-based dependency parsing with exact oracles}},
  version = {{{__version__}}}
}}
"""
ENTRY = re.compile(r"^% (?P<names>[^\n]+) (?P<year>\d{4})\n(?P<entry>@.*?^}\n)", re.M | re.S)
DATA = {  # what the record of a model says of its data
    r"\bUD(?:\b|_)|-ud-": "Nivre et al. 2020",
    r"\bEWT\b": "Silveira et al. 2014",
    r"\bGloVe\b": "Pennington, Socher & Manning 2014",
}


@click.command(short_help="Print what to cite, as BibTeX.")
@click.argument("names", nargs=-1, metavar="[MODEL|SYSTEM|EXPERIMENT]...")
@output_option("Where to write: a file that ends with .bib.")
def cite(names: tuple[str, ...], target: str) -> None:
    """Print the BibTeX of Dodona and of the papers behind a MODEL (a name or a file), a transition SYSTEM or an
    EXPERIMENT (`dodona experiment --list`): those of its system and oracle, and of what it was trained with and on.

    \b
    dodona cite
    dodona cite en
    dodona cite my.model swap-standard -o references.bib
    """
    choose_format(target, None, ["bibtex"], "bibtex")
    papers = [paper for name in names for paper in _find_papers(name)]
    entries = dict.fromkeys(entry for paper in papers for entry in _find_entries(paper))
    write_text("\n".join([DODONA, *entries]), target)


def _find_papers(name: str) -> Iterator[str]:
    """Yield the papers behind something, by authors and years."""
    from dodona.experiments.recipes import RECIPES
    from dodona.pipeline.models import load
    from dodona.systems.registry import SYSTEMS

    if name in SYSTEMS:
        yield SYSTEMS[name].paper
    elif name in RECIPES:
        yield RECIPES[name].paper
    else:
        try:
            pipeline = load(name)
        except DodonaError as error:
            known = ", ".join([*SYSTEMS, *RECIPES])
            raise OptionError(f"{error}; expected a model, or one of: {known}") from None
        yield from _find_papers_of_model(pipeline)


def _find_papers_of_model(pipeline: "Pipeline") -> Iterator[str]:
    from dodona.data.pseudoprojective import ENCODINGS
    from dodona.systems.registry import entry_of

    options = pipeline.parser.options
    entry = entry_of(options.system)
    yield entry.paper
    yield "Kiperwasser & Goldberg 2016" if options.scorer == "neural" else "Zhang & Nivre 2011"
    if options.beam > 1:
        yield "Collins & Roark 2004" if options.early_update else "Huang, Fayong & Guo 2012"
    if entry.projective and options.nonprojective in ENCODINGS:
        yield "Nivre & Nilsson 2005"
    data = str(pipeline.about.get("data"))
    yield from (paper for pattern, paper in DATA.items() if re.search(pattern, data))


def _find_entries(paper: str) -> Iterator[str]:
    """Yield the entries of papers that are named as in `Goldberg & Nivre 2012, 2013; Nivre 2004`."""
    bibliography = Path(__file__).parents[1].joinpath("papers.bib").read_text(encoding="utf-8")
    for part in paper.split(";"):
        names = re.split(r" \d{4}", part.strip())[0]
        years = re.findall(r"\b\d{4}\b", part)
        yield from (m["entry"] for m in ENTRY.finditer(bibliography) if m["names"] == names and m["year"] in years)
