"""Models that were installed as packages, found by their entry points.

A package of a model has an entry point in the group `dodona.models`, whose name is that of the model and whose value is
the folder where the file NAME.model is. Nothing of it is imported: a model is data, never code.
"""

from pathlib import Path

__all__ = ["GROUP", "installed_models"]

GROUP = "dodona.models"


def installed_models() -> dict[str, Path]:
    """Return the files of all installed models by name. It takes some time: all installed packages are looked at."""
    from importlib.metadata import entry_points

    found = {}
    for entry in sorted(entry_points(group=GROUP)):
        if entry.dist is not None and entry.value.isidentifier() and "/" not in entry.name:
            path = Path(str(entry.dist.locate_file(f"{entry.value}/{entry.name}.model")))
            if path.is_file():
                found[entry.name] = path
    return found
