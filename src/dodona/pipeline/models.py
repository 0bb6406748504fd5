"""Models by name: those that come with Dodona, and those that are installed as packages. `load` is `dodona.load`."""

import threading
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from dodona.errors import FormatError

if TYPE_CHECKING:
    from dodona.pipeline.pipeline import Pipeline

__all__ = [
    "GROUP",
    "MODELS",
    "find_installed_models",
    "find_kept",
    "keep",
    "load",
    "model_names",
    "model_path",
    "restore",
]

GROUP = "dodona.models"
MODELS = Path(__file__).parent.parent / "models"
MAX_KEPT = 4  # models that came from another process
GET_ONE = "install the package of another one, or make one with `dodona train`"

_kept: dict[str, "Pipeline"] = {}  # by digest
_lock = threading.Lock()


def load(model: str | Path = "en") -> "Pipeline":
    """Return a trained pipeline: one that comes with Dodona or is installed, by its name, or one from a file.

    `nlp(text)` returns a document; `nlp.parse(sentences)` fills in missing columns.
    """
    from dodona.pipeline.pipeline import Pipeline

    path = model_path(model)
    return Pipeline.load(path, None if path == Path(model) else str(model))


def keep(digest: str, load: Callable[[], "Pipeline"]) -> "Pipeline":
    """Return the pipeline with this digest, loaded once in this process: one that is sent along with each of many small
    tasks should not be loaded for each of them. The last few are kept."""
    with _lock:
        if digest not in _kept:
            _kept[digest] = load()
            while len(_kept) > MAX_KEPT:
                del _kept[next(iter(_kept))]
        return _kept[digest]


def find_kept(digest: str) -> "Pipeline | None":
    """Return the pipeline with this digest, if this process has it."""
    with _lock:
        return _kept.get(digest)


def restore(name: str, digest: str) -> "Pipeline":
    """Return the pipeline of a model that comes with Dodona or is installed; for `pickle`, which keeps no more of it.

    A model with another digest is an error.
    """
    return copy(keep(digest, lambda: _load_by_name(name, digest)))


def _load_by_name(name: str, digest: str) -> "Pipeline":
    from dodona.pipeline.pipeline import Pipeline

    path = MODELS / f"{name}.model" if name in _shipped() else find_installed_models().get(name)
    if path is None:
        names = ", ".join(model_names()) or "none"
        raise FormatError(f"a pickled pipeline: there is no model {name!r} here; the models here are: {names}")
    pipeline = Pipeline.load(path, name)
    if pipeline.source is None or pipeline.source.digest != digest:
        raise FormatError(f"a pickled pipeline: the model {name!r} here is another one; expected digest {digest[:12]}…")
    return pipeline


def model_path(model: str | Path) -> Path:
    """Return the file of a model. The name of a model that comes with Dodona takes precedence over a file name, and a
    file over the name of an installed model."""
    if str(model) in _shipped():
        return MODELS / f"{model}.model"
    path = Path(model)
    if path.exists() and not path.is_dir():
        return path
    installed = find_installed_models()
    if str(model) in installed:
        return installed[str(model)]
    if not path.exists():
        names = ", ".join(model_names())
        known = f"; the models here are: {names}" if names else "; no models are installed"
        raise FormatError(f"{model}: there is no such file or model{known} ({GET_ONE})")
    return path


def model_names() -> list[str]:
    """Return the names of all models for `load`: those that come with Dodona, and those that are installed."""
    return sorted({*_shipped(), *find_installed_models()})


def find_installed_models() -> dict[str, Path]:
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
