"""Dodona: transition-based dependency parsing with exact oracles and a compiled core."""

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from dodona.data import Document, Sentence, Token, read, write
    from dodona.data.dataframe import to_dataframe
    from dodona.drawing import draw
    from dodona.errors import (
        DodonaError,
        FormatError,
        FormatWarning,
        MismatchError,
        OptionError,
        PatternError,
        TransitionError,
        TreeError,
    )
    from dodona.parser.request import Request
    from dodona.patterns import Match, Pattern, search
    from dodona.pipeline.models import load, model_names
    from dodona.pipeline.pipeline import Pipeline
    from dodona.pipeline.pretraining import pretrain
    from dodona.pipeline.training import train
    from dodona.research.configuration import Configuration
    from dodona.research.system import System, system

__version__ = "0.1.0"

__all__ = [
    "Configuration",
    "Document",
    "DodonaError",
    "FormatError",
    "FormatWarning",
    "Match",
    "MismatchError",
    "OptionError",
    "Pattern",
    "PatternError",
    "Pipeline",
    "Request",
    "Sentence",
    "System",
    "Token",
    "TransitionError",
    "TreeError",
    "draw",
    "load",
    "model_names",
    "pretrain",
    "read",
    "search",
    "system",
    "to_dataframe",
    "train",
    "write",
]

PLACES = {
    "parser.request": ("Request",),
    "data": ("Document", "Sentence", "Token", "read", "write"),
    "data.dataframe": ("to_dataframe",),
    "drawing": ("draw",),
    "errors": tuple(name for name in __all__ if name.endswith(("Error", "Warning"))),
    "patterns": ("Match", "Pattern"),
    "pipeline.models": ("load", "model_names"),
    "pipeline.pipeline": ("Pipeline",),
    "pipeline.pretraining": ("pretrain",),
    "pipeline.training": ("train",),
    "research.configuration": ("Configuration",),
    "research.system": ("System", "system"),
}
"""Where the names above are. They are imported when they are first used: the command line starts with an empty package,
so that Ctrl-C is heard from the beginning, and the research API does without numpy."""

PACKAGES = (
    "data", "drawing", "errors", "evaluation", "parser", "patterns", "pipeline", "research", "search", "systems",
    "transitions",
)  # fmt: skip
"""Folders that need no import of their own. `search` is one of them and a function, too: see there."""


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in PACKAGES:
        return import_module(f"dodona.{name}")
    for place, names in PLACES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"dodona.{place}"), name)
            return found
    raise AttributeError(f"module 'dodona' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *PACKAGES})
