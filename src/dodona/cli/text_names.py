"""Names for texts that are parsed into one output: their documents and sentences must be told apart."""

import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

__all__ = ["safe_name", "text_names"]

NOT_IN_NAMES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""White space, which UD does not allow in a sent_id; control characters; and bytes that are not UTF-8, as Python shows
them in the names of files."""
NOT_IN_FILES = re.compile(NOT_IN_NAMES.pattern[:-1] + r'/\\:*?"<>|]')


def text_names(files: Sequence[str | None]) -> list[str]:
    """Return a name for each input, no two of them the same: that of its file, or else a number. An input that is no
    file is None."""
    names = ["" if file in (None, "-") else _name(str(file)) for file in files]
    taken = {name for name in names if names.count(name) == 1}
    for place, name in enumerate(names):
        if name not in taken or not name:
            names[place] = next(number for k in count(place + 1) if (number := str(k)) not in taken)
            taken.add(names[place])
    return names


def safe_name(name: str) -> str:
    """Return a name that can be that of a file: in no folder, not hidden, without what other systems do not allow."""
    return NOT_IN_FILES.sub("_", name).lstrip(".")


def _name(file: str) -> str:
    return NOT_IN_NAMES.sub("_", Path(file).name.partition(".")[0])
