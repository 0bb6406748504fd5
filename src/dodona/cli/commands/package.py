"""`dodona package`: a model as a wheel that can be installed."""

import click

from dodona import __version__
from dodona.cli.options import option
from dodona.errors import OptionError
from dodona.pipeline.models import model_path
from dodona.pipeline.packages import ModelPackage, write_package
from dodona.pipeline.pipeline import Pipeline


@click.command("package", short_help="Make a package of a model, to be installed with pip.")
@click.argument("model")
@option("--language CODE", "The language, as UD abbreviates it: ga.", required=True)
@option("--name NAME", "The name for `dodona parse` and `dodona.load`. [default: the language]")
@option("--licence", "Licence of the model. [default: what the model says of its training data]")
@option("--version", "Version of the package.", default=__version__)
@option("-o, --output FOLDER", "Where to write the wheel. [default: here]", default=".")
def package_command(
    model: str, language: str, name: str | None, licence: str | None, version: str, output: str
) -> None:
    """Write MODEL as a wheel, dodona_model_NAME-VERSION-py3-none-any.whl. Once it is installed, NAME is a model for all
    commands and for `dodona.load`.

    \b
    dodona package my.model --language ga --licence "CC BY-SA 3.0"
    pip install dodona_model_ga-*.whl
    dodona parse ga text.txt
    """
    path = model_path(model)
    if licence is None:
        licence = Pipeline.load(path).about.get("licence")
    if not licence:
        raise OptionError(f"{model}: the model does not say under which licence it is; expected --licence")
    click.echo(write_package(path, ModelPackage(name or language, language, licence, version), output))
