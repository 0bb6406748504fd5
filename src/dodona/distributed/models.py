"""Models on workers: a model is sent to a process once, known by its digest, and loaded once for all that it parses."""

import hashlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from dodona.data.files import name_errors
from dodona.distributed.cluster import ClusterSession, DaskSession, describe_error
from dodona.distributed.processes import ProcessSession
from dodona.errors import DodonaError
from dodona.pipeline.models import find_kept, keep, model_path
from dodona.pipeline.pipeline import Pipeline

__all__ = ["Model", "provide", "read_model", "read_version"]


@dataclass(frozen=True, repr=False)
class Model:
    """The bytes of a model file. Wherever it is sent, `pipeline` is loaded once a process."""

    name: str
    digest: str  # SHA-256 of the bytes
    data: bytes

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.digest[:12]}…)"

    def __dask_tokenize__(self) -> str:
        return self.digest

    def pipeline(self) -> Pipeline:
        return keep(self.digest, lambda: Pipeline.from_bytes(self.data, self.name))


def read_model(model: str | Path) -> Model:
    """Read a model file: one that comes with Dodona, by its name, or another one."""
    path = model_path(model)
    with name_errors(str(path), "read"):
        data = path.read_bytes()
    return Model(path.name, hashlib.sha256(data).hexdigest(), data)


def read_version() -> str:
    """The version of Dodona, which stands in the package above all layers."""
    return str(import_module("dodona").__version__)


def provide(session: ClusterSession, model: Model, worker: str | None = None) -> None:
    """Send the model to the workers that do not have it: all that are there, or one.

    A worker that goes away meanwhile is nothing to worry about: the next one will ask.
    """
    if isinstance(session, ProcessSession):
        session.prepare(_receive, model)
        return
    assert isinstance(session, DaskSession)
    present = list(session.client.nthreads())
    workers = present if worker is None else [worker] if worker in present else []
    states = _ask(session, workers, _describe_state, model.digest)
    for address, (theirs, _) in states.items():
        if theirs != read_version():
            ours = f"expected {read_version()}, as in this process"
            raise DodonaError(f"the worker at {address} has Dodona {theirs}; {ours}")
    _ask(session, [address for address, (_, has) in states.items() if not has], _receive, model)


def _ask(session: DaskSession, workers: list[str], function: Any, argument: Any) -> dict[str, Any]:
    if not workers:
        return {}
    answers = session.client.run(function, argument, workers=workers, on_error="return")
    for address, answer in answers.items():
        if isinstance(answer, Exception) and not isinstance(answer, OSError):
            raise DodonaError(f"the worker at {address} cannot use Dodona: {describe_error(answer)}")
    return {address: answer for address, answer in answers.items() if not isinstance(answer, Exception)}


def _describe_state(digest: str) -> tuple[str, bool]:
    return read_version(), find_kept(digest) is not None


def _receive(model: Model) -> None:
    model.pipeline()
