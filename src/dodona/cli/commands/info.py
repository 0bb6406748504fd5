"""`dodona info`: the description of a model file, or of an encoder's."""

import click

from dodona.cli.commands.models import models as models_command
from dodona.cli.options import flag
from dodona.errors import OptionError
from dodona.pipeline.modelfile import describe_version
from dodona.pipeline.models import model_path
from dodona.pipeline.pipeline import Pipeline, describe
from dodona.pipeline.pretraining import describe_encoder, is_encoder, load_encoder


@click.command(short_help="Show the description and the scores of a model, or list the models.")
@click.argument("model", required=False)
@flag("--models", "List the models, as `dodona models` does.")
def info(model: str | None, models: bool) -> None:
    """Show the training data, the options and the scores of MODEL, or the text that an encoder has learned from, and
    which Dodona reads it; without one, list the models.

    \b
    dodona info
    dodona info en
    dodona info my.model
    dodona info my.encoder
    """
    if model is None:
        click.get_current_context().invoke(models_command)
        return
    if models:
        raise OptionError(f"{model}: a model and --models; expected only one of them")
    path = model_path(model)
    own = describe_encoder(load_encoder(path)) if is_encoder(path) else describe(Pipeline.load(path))
    rows = {"file": f"{path}, {path.stat().st_size / 1e6:.1f} MB", "format": describe_version(path), **own}
    for key, value in rows.items():
        line = f"{key + ':':<16}{value}"
        click.echo("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line))
