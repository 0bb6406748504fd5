"""The functions of the JSON interface, by the names under which they are called: `/api/NAME`."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dodona.server.models import Models

__all__ = ["FUNCTIONS", "Function"]

Function = Callable[[dict[str, Any], Models], dict[str, Any]]
"""From a request and the models to an answer; a DodonaError is the answer to a bad request."""


def models(request: dict[str, Any], models: Models) -> dict[str, Any]:
    """The components of each model, and the name of the default."""
    return models.described()


FUNCTIONS: dict[str, Function] = {"models": models}

if find_spec("dodona.server.playground") is not None:
    _playground = import_module("dodona.server.playground")
    FUNCTIONS |= {
        name: getattr(_playground, name)
        for name in ("parse", "correct", "systems", "step", "lattice")
        if hasattr(_playground, name)
    }
