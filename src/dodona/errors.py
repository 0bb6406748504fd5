"""All errors and warnings of Dodona.

    DodonaError
    ├── OptionError       an unknown system, option, oracle or label; the message lists the valid ones
    │   └── PatternError  a pattern for tree search that cannot be read, with a caret, or that takes too long
    ├── TransitionError   a transition that does not exist or is not legal in this configuration
    ├── TreeError         heads that are no tree, or a tree the system cannot build
    ├── TimeLimitError    a sentence that took longer than it was allowed to
    └── FormatError       a file that breaks its format; names the file, the line, the value, the rule
        └── MismatchError two files that do not match: other words, other sentences

FormatWarning, a UserWarning, reports what a reader has tolerated.

They are raised where input is checked (research, readers, command line), in the compiled loops only for
faults of a transition system.
"""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "DodonaError", "FormatError", "FormatWarning", "MismatchError", "OptionError", "PatternError", "TimeLimitError",
    "TransitionError", "TreeError", "name_faults",
]  # fmt: skip


class DodonaError(Exception):
    """Base class: `except DodonaError` catches every error that bad input can cause."""


class OptionError(DodonaError, ValueError):
    """A name that is not among the valid ones."""


class PatternError(OptionError):
    """A pattern for tree search that is wrong, or that has too many ways to match a sentence."""


class TransitionError(DodonaError, ValueError):
    """A transition that cannot be taken here."""


class TreeError(DodonaError, ValueError):
    """Gold heads that are no dependency tree, or not one this system can build."""


class TimeLimitError(DodonaError):
    """A sentence that took longer than it was allowed to. The parser catches it, and parses the sentence in pieces."""


class FormatError(DodonaError, ValueError):
    """A data file that breaks its format."""


class MismatchError(FormatError):
    """Files that do not have the same words or sentences."""


@contextmanager
def name_faults(what: str) -> Iterator[None]:
    """Turn what goes wrong with data from outside, whatever they are, into a FormatError that says of what; one that is
    raised meanwhile says that already."""
    try:
        yield
    except FormatError:
        raise
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise FormatError(f"{what}: {error}") from error


class FormatWarning(UserWarning):
    """A harmless violation of a file format; the data is read, and kept for output."""
