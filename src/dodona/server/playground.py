"""The functions behind the playground page, by the names under which it calls them.

Each takes the fields of a request and the models of the server, and returns the fields of an answer. What is wrong with
a request is told in one sentence, as a DodonaError. Nothing is kept between two requests.
"""

from typing import Any

from dodona.server import playground_lattice, playground_oracle
from dodona.server.models import Models
from dodona.server.playground_examples import EXAMPLES
from dodona.server.playground_parse import correct, described, parse

__all__ = ["correct", "lattice", "parse", "step", "systems"]


def systems(request: dict[str, Any], models: Models) -> dict[str, Any]:
    """Return what the page offers: models, transition systems with their oracles and options, and sentences."""
    return {"models": described(models), "systems": playground_oracle.systems(), "examples": EXAMPLES}


def step(request: dict[str, Any], models: Models) -> dict[str, Any]:
    """Return a configuration with its legal moves, their costs, and the gold arcs that each of them loses."""
    return playground_oracle.step(request)


def lattice(request: dict[str, Any], models: Models) -> dict[str, Any]:
    """Return all correct derivations of a tree as a graph."""
    return playground_lattice.lattice(request)
