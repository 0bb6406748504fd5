"""Dodona: transition-based dependency parsing with exact oracles and a compiled core."""

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
from dodona.pipeline import load, train
from dodona.research.configuration import Configuration
from dodona.research.system import System, system

__version__ = "0.1.0"

__all__ = [
    "Configuration",
    "DodonaError",
    "FormatError",
    "FormatWarning",
    "MismatchError",
    "OptionError",
    "Sentence",
    "System",
    "TransitionError",
    "TreeError",
    "draw",
    "load",
    "read",
    "system",
    "train",
    "write",
]
