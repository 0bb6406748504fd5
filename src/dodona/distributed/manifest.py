"""The manifest of a folder of shards: what was parsed, with which model and options, and how far it is.

It is written before the first shard is parsed and after each. So a run that was stopped can go on, and nobody mixes the
shards of two runs in one folder.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dodona.data.files import output
from dodona.errors import DodonaError, FormatError

__all__ = ["MANIFEST", "PARTS", "Manifest", "Shard"]

MANIFEST = "manifest.json"
PARTS = ".parts"
FORMAT = "dodona shards 1"
SPARED = 20  # of the time that writing the manifest takes, so much passes before it is written again


@dataclass
class Shard:
    """A part of an input, and what has become of it."""

    file: str  # of the output
    input: int  # its number
    begin: int  # in bytes, as they are decompressed
    end: int
    line: int  # the number of its first line
    state: str = "waiting"  # or parsed (its sentences still need their numbers), finished, failed
    sentences: int = 0
    words: int = 0
    bytes: int = 0  # of the output
    tail: str = ""  # line feeds that must follow before another sentence can
    reason: str = ""  # why it failed

    @property
    def key(self) -> str:
        return self.file

    @property
    def weight(self) -> float:
        return self.end - self.begin + 1

    def __str__(self) -> str:
        return self.file

    @property
    def is_parsed(self) -> bool:
        return self.state in ("parsed", "finished")


@dataclass
class Manifest:
    """All of it, as in the file."""

    folder: str
    dodona: str
    model: dict[str, str]
    options: dict[str, Any]
    inputs: list[dict[str, Any]] = field(default_factory=list)
    shards: list[Shard] = field(default_factory=list)
    _due: float = 0.0

    @classmethod
    def load(cls, folder: str) -> "Manifest | None":
        """Read the manifest of a folder; None if there is nothing in it."""
        path = os.path.join(folder, MANIFEST)
        try:
            if not os.path.isdir(folder) or not os.listdir(folder):
                return None
            with open(path, encoding="utf-8") as stream:
                data = json.load(stream)
            if data.pop("format") != FORMAT:
                raise FormatError(f"{path}: another format; expected {FORMAT!r}")
            data["shards"] = [Shard(**shard) for shard in data["shards"]]
            return cls(folder=folder, **data)
        except FileNotFoundError:
            expected = f"expected an empty folder, or one with the {MANIFEST} of an earlier run"
            raise FormatError(f"{folder}: has files in it, but no {MANIFEST}; {expected}") from None
        except OSError as error:
            raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, DodonaError):
                raise
            raise FormatError(f"{path}: is not the manifest of a folder of shards ({error})") from error

    def check_same(self, other: "Manifest") -> None:
        """Raise an error if another manifest is for other work than this one; whatever it does not have yet is not
        compared."""
        for what, ours, theirs in (
            ("Dodona", {"version": self.dodona}, {"version": other.dodona}),
            ("model", self.model, other.model),
            ("option", self.options, other.options),
        ):
            for name in sorted(ours.keys() | theirs.keys()):
                if ours.get(name) != theirs.get(name):
                    self._refuse(f"{what} {name} {_shown(ours, name)}; now it is {_shown(theirs, name)}")
        if other.inputs:
            if len(self.inputs) != len(other.inputs):
                self._refuse(f"{len(self.inputs)} files; now there are {len(other.inputs)}")
            for ours, theirs in zip(self.inputs, other.inputs, strict=True):
                if any(ours[name] != theirs[name] for name in ("name", "kind", "size", "sha256")):
                    self._refuse(f"{ours['path']} with other contents than {theirs['path']} has now")
            if len(self.shards) != len(other.shards):
                self._refuse(f"{len(self.shards)} pieces; now there are {len(other.shards)}")

    def _refuse(self, reason: str) -> None:
        expected = "expected the same model, options and files, or another folder"
        raise FormatError(f"{self.folder}: its shards are those of {reason}; {expected}")

    def take_over(self, earlier: "Manifest") -> None:
        """Keep what an earlier run has done, as far as its files are still there, whole."""
        for shard, before in zip(self.shards, earlier.shards, strict=True):
            part, size = _size(self.part(before)), _size(self.path(before))
            if before.state == "parsed" and part is None and size is not None:
                before.state, before.bytes = "finished", size  # a worker did it, and nobody was told
            if before.is_parsed and before.bytes == (part if before.state == "parsed" else size):
                for name in ("state", "sentences", "words", "bytes", "tail"):
                    setattr(shard, name, getattr(before, name))

    def path(self, shard: Shard) -> str:
        return os.path.join(self.folder, shard.file)

    def part(self, shard: Shard) -> str:
        return os.path.join(self.folder, PARTS, shard.file)

    def save(self, now: bool = False) -> None:
        """Write the manifest; not again at once if that takes long, unless it must be `now`."""
        begin = time.monotonic()
        if begin < self._due and not now:
            return
        data: dict[str, Any] = {"format": FORMAT}
        data |= {name: getattr(self, name) for name in ("dodona", "model", "options", "inputs")}
        data["shards"] = [asdict(shard) for shard in self.shards]
        with output(Path(self.folder) / MANIFEST) as stream:
            stream.write(json.dumps(data, indent=1).encode() + b"\n")
        self._due = time.monotonic() + SPARED * (time.monotonic() - begin)


def _shown(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return f"{value[:12]}…" if name == "sha256" and isinstance(value, str) else repr(value)


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None
