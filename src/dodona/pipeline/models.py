"""Models by name: those that come with Dodona, and those that are installed as packages. `load` is `dodona.load`."""

from pathlib import Path
from typing import TYPE_CHECKING

from dodona.errors import FormatError

if TYPE_CHECKING:
    from dodona.pipeline.pipeline import Pipeline

__all__ = ["GROUP", "MODELS", "installed_models", "load", "model_names", "model_path"]

GROUP = "dodona.models"
MODELS = Path(__file__).parent.parent / "models"
GET_ONE = "install the package of another one, or make one with `dodona train`"


def load(model: str | Path = "en") -> "Pipeline":
    """Return a trained pipeline: one that comes with Dodona or is installed, by its name, or one from a file.

    `nlp(text)` returns a document; `nlp.parse(sentences)` fills in missing columns.
    """
    from dodona.pipeline.pipeline import Pipeline

    return Pipeline.load(model_path(model))


def model_path(model: str | Path) -> Path:
    """Return the file of a model. The name of a model that comes with Dodona takes precedence over a file name, and a
    file over the name of an installed model."""
    if str(model) in _shipped():
        return MODELS / f"{model}.model"
    path = Path(model)
    if path.exists() and not path.is_dir():
        return path
    installed = installed_models()
    if str(model) in installed:
        return installed[str(model)]
    if not path.exists():
        names = ", ".join(model_names())
        known = f"; the models here are: {names}" if names else "; no models are installed"
        raise FormatError(f"{model}: there is no such file or model{known} ({GET_ONE})")
    return path


def model_names() -> list[str]:
    """Return the names of all models for `load`: those that come with Dodona, and those that are installed."""
    return sorted({*_shipped(), *installed_models()})


def installed_models() -> dict[str, Path]:
    """Return the files of all installed models by name. It takes some time: all installed packages are looked at."""
    from importlib.metadata import entry_points

    models = {}
    for entry in sorted(entry_points(group=GROUP)):
        if entry.dist is not None and entry.value.isidentifier() and "/" not in entry.name:
            path = Path(str(entry.dist.locate_file(f"{entry.value}/{entry.name}.model")))
            if path.is_file():
                models[entry.name] = path
    return models


def _shipped() -> list[str]:
    """Return the names of the models that come with Dodona."""
    return [path.name.removesuffix(".model") for path in MODELS.glob("*.model")]
