"""`dodona info`: the description of a model file, and the models that come with Dodona."""

import re
from pathlib import Path

import click

from dodona.errors import OptionError
from dodona.pipeline.description import description
from dodona.pipeline.doors import model_names, model_path
from dodona.pipeline.pipeline import Pipeline

COLUMNS = ("model", "language", "scorer", "size", "LAS (dev)", "data", "licence")
LANGUAGE = re.compile(r"^- language: (.+)$", re.M)


@click.command(short_help="Show the description and the scores of a model, or list the models.")
@click.argument("model", required=False)
@click.option("--models", is_flag=True, help="List the models that come with Dodona.")
def info(model: str | None, models: bool) -> None:
    """Show the training data, the options and the scores of MODEL; without one, the models that come with Dodona.

    \b
    dodona info
    dodona info en
    dodona info my.model
    """
    if model is None:
        _list()
    elif models:
        raise OptionError(f"{model}: a model and --models; expected only one of them")
    else:
        _describe(model_path(model))


def _list() -> None:
    """Print a table of the models that come with Dodona."""
    names = model_names()
    if not names:
        click.echo("dodona: no models are installed", err=True)
        return
    rows = [COLUMNS, *(_row(name) for name in names)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        click.echo("  ".join(cell.ljust(width) for cell, width in cells).rstrip())


def _row(name: str) -> tuple[str, ...]:
    path = model_path(name)
    pipeline = Pipeline.load(path)
    page = path.with_suffix(".md")
    language = LANGUAGE.search(page.read_text(encoding="utf-8")) if page.exists() else None
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    about = pipeline.about
    told = (about.get("dev", {}).get("LAS"), about.get("data"), about.get("licence"))
    return (
        name,
        language[1] if language else "",
        pipeline.parser.options.scorer,
        size,
        *("" if x is None else str(x) for x in told),
    )


def _describe(path: Path) -> None:
    """Print what a model file says about itself."""
    pipeline = Pipeline.load(path)
    rows = {"file": f"{path}, {path.stat().st_size / 1e6:.1f} MB"} | description(pipeline)
    for key, value in rows.items():
        line = f"{key + ':':<16}{value}"
        click.echo("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line))
