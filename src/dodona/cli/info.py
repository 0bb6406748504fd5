"""`dodona info`: the description of a model file, and the models that come with Dodona."""

import re
from pathlib import Path

import click

from dodona.components.network_options import NetworkOptions
from dodona.errors import OptionError
from dodona.pipeline.doors import model_names, model_path
from dodona.pipeline.pipeline import Pipeline

COLUMNS = ("model", "language", "scorer", "size", "LAS (dev)", "data", "licence")
LANGUAGE = re.compile(r"^- language: (.+)$", re.M)


def _network(options: NetworkOptions) -> str:
    return f"{options.layers} layers of {options.width} in each direction, {options.units} hidden units"


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
    parser = pipeline.parser
    options = parser.options
    how = options.update if options.scorer == "linear" else "log likelihood"
    rows = {
        "file": f"{path}, {path.stat().st_size / 1e6:.1f} MB",
        "scorer": options.scorer,
        "components": ", ".join(pipeline.components()),
        "system": " ".join([str(options.system), *(f"{k}={v}" for k, v in options.system_options.items())]),
        "oracle": options.oracle,
        "training": f"{options.iterations} iterations, {how}, seed {options.seed}",
        "beam": f"{options.beam}, {'early update' if options.early_update else 'max-violation'}"
        if options.beam > 1
        else None,
        "exploration": f"after {options.explore_after}, p = {options.explore}" if options.oracle == "dynamic" else None,
        "templates": options.templates,
        "network": _network(options.network) if options.network is not None else None,
        "positions": options.positions,
        "word vectors": f"{len(parser.model.arrays['vectors']):,} words" if options.network is not None else None,
        "tags": "those of the network replace the tagger's" if parser.model.retags else None,
        "non-projective": options.nonprojective,
        "roots": "exactly one" if options.single_root else "any number",
        "labels": f"{len(parser.labels)}: {' '.join(parser.labels)}",
    }
    rows |= {key: value for key, value in pipeline.about.items() if key not in rows}
    for key, value in rows.items():
        if value is not None:
            shown = " ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
            line = f"{key + ':':<16}{shown}"
            click.echo("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line))
