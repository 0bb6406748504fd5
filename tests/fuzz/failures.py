"""Inputs that revealed a fault, kept as files: `FOLDER/ENTRY-DIGEST.input`, with what happened in `.txt`."""

import hashlib
from pathlib import Path

__all__ = ["keep", "kept"]


def keep(folder: Path, entry: str, data: bytes, happened: str) -> Path:
    path = folder / f"{entry}-{hashlib.sha256(data).hexdigest()[:12]}.input"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(happened, encoding="utf-8")
    return path


def kept(folder: Path, since: float = 0.0) -> list[Path]:
    """The inputs that were kept since then, by the clock of the files."""
    return sorted(path for path in folder.glob("*.input") if path.stat().st_mtime >= since)
