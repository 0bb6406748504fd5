"""The functions of the JSON interface, by the names under which they are called: `/api/NAME`.

A function takes a request, which is a dictionary (from JSON), and the models of the server. It returns a dictionary
(for JSON). It runs in a thread, raises a DodonaError for a bad request, and knows nothing of HTTP.
"""

from collections.abc import Callable
from typing import Any

from dodona.server.annotate import annotate
from dodona.server.models import Models
from dodona.server.playground import correct, lattice, parse, step, systems

__all__ = ["ASK_NOTHING", "FUNCTIONS", "Function"]

Function = Callable[[dict[str, Any], Models], dict[str, Any]]
"""From a request and the models to an answer; a DodonaError is the answer to a bad request."""


def models(request: dict[str, Any], models: Models) -> dict[str, Any]:
    """The components of each model, and the name of the default."""
    return models.described()


FUNCTIONS: dict[str, Function] = {
    "models": models,
    "annotate": annotate,
    "parse": parse,
    "correct": correct,
    "systems": systems,
    "step": step,
    "lattice": lattice,
}
ASK_NOTHING = ("models", "systems")  # these answer without a request, so that GET is enough
