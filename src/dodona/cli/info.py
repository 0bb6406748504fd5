"""`dodona info`: the description of a model file."""

import click

from dodona.components.network_options import NetworkOptions
from dodona.pipeline.doors import model_path
from dodona.pipeline.pipeline import Pipeline


def _network(options: NetworkOptions) -> str:
    return f"{options.layers} layers of {options.width} in each direction, {options.units} hidden units"


@click.command(short_help="Show the description and the scores of a model.")
@click.argument("model")
def info(model: str) -> None:
    """Show the training data, the options and the scores of MODEL."""
    path = model_path(model)
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
