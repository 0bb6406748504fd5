"""The journal of a project: every action, a line of JSON each, on disk before anybody is told that it is saved.

Lines are only ever added. If the machine dies while one is written, that line is torn; nobody was told of it, and it is
cut off when the journal is opened again. Any other line that cannot be read is an error.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dodona.data.files import lock, name_errors, sync
from dodona.errors import DodonaError, FormatError

__all__ = ["JOURNAL", "Journal", "read_journal"]

JOURNAL = "annotation.jsonl"
Line = dict[str, Any]
BASE: dict[str, Any] = {"file": str, "digest": str, "numbers": list}
EVENT: dict[str, Any] = {"time": int | float, "name": str, "file": str, "sentence": int, "was": dict}
FIELDS = {
    "file": BASE,
    "saving": BASE,
    "act": EVENT | {"action": dict, "steps": list},
    "undo": EVENT,
    "redo": EVENT,
    "training": {"time": int | float, "point": dict, "swapped": bool},
}
"""What each kind of line has."""
CARRIED: dict[str, Any] = {"sentence": int, "from": int, "by": dict}
POINT: dict[str, Any] = dict.fromkeys(("sentences", "words", "las", "seconds"), int | float)
MOST_SENTENCES = 10_000_000


def read_journal(path: Path) -> tuple[list[Line], int]:
    """Return the lines of a journal, and how many bytes of it they are: fewer than the file has if its last line is
    torn. Without a journal there are none."""
    if not path.exists():
        return [], 0
    with name_errors(str(path), "read"):
        data = path.read_bytes()
    lines = list(_parse_lines(data, path))
    return lines, data.rfind(b"\n") + 1


def _parse_lines(data: bytes, path: Path) -> Iterator[Line]:
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):  # what comes after the last line feed is torn
        try:
            parsed = json.loads(line)
            kind = parsed.get("kind") if isinstance(parsed, dict) else None
            fields = FIELDS.get(kind) if isinstance(kind, str) else None
            if fields is None:
                raise ValueError(f"its kind is none of: {', '.join(FIELDS)}")
            _check_fields(parsed, fields)
            if kind in ("file", "saving"):
                _check_numbers(parsed["numbers"])
            if "carried" in parsed:
                _check_fields(parsed, {"carried": list})
                for each in parsed["carried"]:
                    _check_fields(each, CARRIED)
            if kind == "training":
                _check_fields(parsed["point"], POINT)
        except ValueError as error:
            shown = line[:40].decode(errors="replace")
            raise FormatError(f"{path}:{number}: {shown!r} is no line of a journal: {error}") from None
        yield parsed


def _check_fields(given: Any, fields: dict[str, Any]) -> None:
    for name, expected in fields.items():
        if not isinstance(given, dict) or not isinstance(given.get(name), expected):
            raise ValueError(f"{name!r} is missing, or of another type than expected")


def _check_numbers(runs: list[Any]) -> None:
    """Raise an error unless these are runs of numbers of sentences."""
    total = 0
    for run in runs:
        if not (isinstance(run, list) and len(run) == 2 and all(type(each) is int and each > 0 for each in run)):
            raise ValueError(f"{run!r} are no numbers of sentences")
        total += run[1]
    if total > MOST_SENTENCES:
        raise ValueError(f"{total:,} sentences; expected {MOST_SENTENCES:,} at most")


class Journal:
    """A journal that is written to. One process has it at a time; without `writes`, it is only read."""

    def __init__(self, path: Path, writes: bool = True) -> None:
        self.path = path
        self.torn, self._handle = 0, -1
        self.unwritten: list[Line] = []  # of a journal that is only read: what would be written
        self._is_broken = False
        if not writes:
            self.lines, _ = read_journal(path)
            return
        is_new = not path.exists()
        with name_errors(str(path)):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if not lock(self._handle):
                message = "another `dodona annotate` has this project open; expected one at a time"
                raise DodonaError(f"{path}: {message}")
            self.lines, size = read_journal(path)
            self.torn = os.fstat(self._handle).st_size - size
            with name_errors(str(path)):
                if self.torn:
                    os.ftruncate(self._handle, size)
                    os.fsync(self._handle)
                if is_new:
                    sync(path.parent)
        except BaseException:
            os.close(self._handle)
            raise

    def write(self, line: Line) -> None:
        """Add a line; when this returns, it is on disk. After an error (a full disk) nothing of it is there, or if that
        cannot be said either, nothing more is written."""
        if self._handle < 0:
            self.unwritten.append(line)
            return
        if self._is_broken:
            raise DodonaError(f"{self.path}: cannot be written any more; nothing is saved from now on")
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        before = os.fstat(self._handle).st_size
        try:
            with name_errors(str(self.path)):
                view = memoryview(data)
                while view:
                    view = view[os.write(self._handle, view) :]
                os.fsync(self._handle)
        except BaseException:
            try:
                os.ftruncate(self._handle, before)
            except OSError:
                self._is_broken = True
            raise

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
