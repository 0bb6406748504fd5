"""Dodona: transition-based dependency parsing with exact oracles and a compiled core."""

from typing import TYPE_CHECKING, Any

from dodona.data import Sentence, read, write
from dodona.drawing import draw
from dodona.errors import (
    DodonaError,
    FormatError,
    FormatWarning,
    MismatchError,
    OptionError,
    TransitionError,
    TreeError,
)
from dodona.pipeline.doors import load, model_names, train
from dodona.research.configuration import Configuration
from dodona.research.system import System, system

if TYPE_CHECKING:
    from dodona.components.parser import Request
    from dodona.pipeline.pipeline import Pipeline

__version__ = "0.1.0"

__all__ = [
    "Configuration",
    "DodonaError",
    "FormatError",
    "FormatWarning",
    "MismatchError",
    "OptionError",
    "Pipeline",
    "Request",
    "Sentence",
    "System",
    "TransitionError",
    "TreeError",
    "draw",
    "load",
    "model_names",
    "read",
    "system",
    "train",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import Pipeline and Request only when they are used: they need numpy, which the research API does not."""
    if name == "Pipeline":
        from dodona.pipeline.pipeline import Pipeline

        return Pipeline
    if name == "Request":
        from dodona.components.parser import Request

        return Request
    raise AttributeError(f"module 'dodona' has no attribute {name!r}")
