"""Every error Dodona raises on purpose.

    DodonaError
    ├── OptionError       an unknown system, option, oracle or label; the message lists the valid ones
    ├── TransitionError   a transition that does not exist or is not legal in this configuration
    ├── TreeError         heads that are no tree, or a tree the system cannot build
    └── FormatError       a file that is not what it should be; names the file, the line, the value, the rule
        └── MismatchError two files that do not belong together: other words, other sentences

FormatWarning, a UserWarning, tells what a reader took leniently.

They are raised at the doors (research, readers, command line), never in the compiled loops.
"""

__all__ = [
    "DodonaError",
    "FormatError",
    "FormatWarning",
    "MismatchError",
    "OptionError",
    "TransitionError",
    "TreeError",
]


class DodonaError(Exception):
    """Base class: `except DodonaError` catches whatever bad input can cause."""


class OptionError(DodonaError, ValueError):
    """A name that is not among the valid ones."""


class TransitionError(DodonaError, ValueError):
    """A transition that cannot be taken here."""


class TreeError(DodonaError, ValueError):
    """Gold heads that are no dependency tree, or not one this system can build."""


class FormatError(DodonaError, ValueError):
    """A data file that breaks its format."""


class MismatchError(FormatError):
    """Files that should have the same words and do not."""


class FormatWarning(UserWarning):
    """Something harmless in a data file that its format does not allow; it is read, and kept for output."""
