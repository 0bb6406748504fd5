"""The models that a server offers, and the names by which requests select them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dodona.errors import OptionError
from dodona.pipeline.models import load, model_names, model_path
from dodona.pipeline.pipeline import Pipeline

__all__ = ["Models"]

SHOWN = 40  # characters of a name from outside, in a message


class Models:
    """Pipelines by name; the first one is the default.

    A request may also give one of the other names of a model, or the beginning of a name up to a hyphen, as with
    UDPipe's service: `english` and `english-ewt` select `english-ewt-ud-2.15`. The first model that fits is taken.
    """

    def __init__(self, pipelines: Mapping[str, Pipeline], others: Mapping[str, str] | None = None) -> None:
        if not pipelines:
            raise OptionError("no model; expected at least one")
        self.pipelines = dict(pipelines)
        self.default = next(iter(self.pipelines))
        self._names = {name: name for name in self.pipelines}
        self._names |= dict(others or {})
        for name, model in list(self._names.items()):
            parts = name.split("-")
            for end in range(len(parts) - 1, 0, -1):
                self._names.setdefault("-".join(parts[:end]), model)

    @classmethod
    def load(cls, wanted: Sequence[str]) -> "Models":
        """Load models, each given as a name, a file or `NAME[:NAME…]=FILE`; without any, those of Dodona."""
        pipelines: dict[str, Pipeline] = {}
        others: dict[str, str] = {}
        for given in wanted or model_names():
            names, file = _named(given)
            for name in names:
                if name in pipelines or name in others:
                    raise OptionError(f"two models of the name {name!r}; expected NAME=FILE with other names")
            pipelines[names[0]] = load(file)
            others |= dict.fromkeys(names[1:], names[0])
        return cls(pipelines, others)

    def pick(self, name: str | None = None) -> tuple[str, Pipeline]:
        """Return the name and the pipeline of the model that a request asks for; without a name, of the default."""
        found = self.default if name is None else self._names.get(name)
        if found is None:
            shown = name if name is None or len(name) <= SHOWN else f"{name[:SHOWN]}…"
            raise OptionError(f"there is no model {shown!r}; the models are: {', '.join(self.pipelines)}")
        return found, self.pipelines[found]

    def described(self) -> dict[str, object]:
        """Return what `/models` answers: the components of each model, and the name of the default."""
        components = {name: _components(pipeline) for name, pipeline in self.pipelines.items()}
        return {"models": components, "default_model": self.default}


def _components(pipeline: Pipeline) -> list[str]:
    """In UDPipe's words, where the lemmatizer belongs to the tagger."""
    return [name for name in pipeline.components() if name != "lemmatizer"]


def _named(given: str) -> tuple[list[str], Path]:
    """Return the names and the file of a model; a file gets its own name, without `.model`."""
    names, equals, file = given.partition("=")
    if not equals or Path(given).exists():
        path = model_path(given)
        return [path.name.removesuffix(".model")], path
    found = names.split(":")
    if not file or not all(name and name.isprintable() and " " not in name for name in found):
        raise OptionError(f"{given!r}: expected NAME=FILE or NAME:NAME=FILE, with names without spaces")
    return found, model_path(file)
