"""`dodona models`: the models that come with Dodona, and those that are installed."""

import re
from pathlib import Path

import click

from dodona.cli.outputs import say
from dodona.errors import FormatError
from dodona.pipeline.models import GET_ONE, model_names, model_path
from dodona.pipeline.pipeline import Pipeline

COLUMNS = ("model", "language", "scorer", "size", "LAS (dev)", "data", "licence")
PAGE_LINE = re.compile(r"^- (language|licence): (.+)$", re.M)  # of the page of a model


@click.command(short_help="List the models that are here.")
def models() -> None:
    """List the models that come with Dodona, and those that are installed as packages.

    \b
    dodona models
    """
    names = model_names()
    if not names:
        say(f"no models are installed ({GET_ONE})")
        return
    rows = [COLUMNS, *(_row(name, model_path(name)) for name in names)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        click.echo("  ".join(cell.ljust(width) for cell, width in cells).rstrip())


def _row(name: str, path: Path) -> tuple[str, ...]:
    try:
        pipeline = Pipeline.load(path)
    except FormatError as error:  # of one model: the others are listed all the same
        say(f"{error}")
        return (name, *[""] * (len(COLUMNS) - 1))
    page = path.with_suffix(".md")
    facts = dict(PAGE_LINE.findall(page.read_text(encoding="utf-8"))) if page.exists() else {}
    about = pipeline.about
    last = (about.get("dev", {}).get("LAS"), about.get("data"), facts.get("licence") or about.get("licence"))
    return (
        name,
        facts.get("language", ""),
        pipeline.parser.options.scorer,
        f"{path.stat().st_size / 1e6:.1f} MB",
        *("" if x is None else str(x) for x in last),
    )
