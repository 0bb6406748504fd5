"""Small text files that come with Dodona (templates, positions), or a file of the user's in their place."""

from pathlib import Path

from dodona.errors import OptionError

__all__ = ["shipped_text"]

HOME = Path(__file__).parents[1]


def shipped_text(folder: str, name: str) -> tuple[str, str]:
    """Return (text, path) of a file that is shipped in this folder under that name, or else of a file of that name."""
    path = HOME / folder / f"{name}.txt"
    if not path.exists():
        path = Path(name)
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except FileNotFoundError as error:
        known = ", ".join(sorted(file.stem for file in (HOME / folder).glob("*.txt")))
        raise OptionError(f"no {folder} {name!r}; expected a file, or one of: {known}") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text in UTF-8"
        raise OptionError(f"{path}: cannot be read: {reason}; expected {folder}") from error
