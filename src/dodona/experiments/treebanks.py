"""Treebanks in a folder: where their parts are, what their digests are, and their sentences."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path

from dodona.data import Sentence, read
from dodona.errors import FormatError, OptionError

__all__ = ["PARTS", "Treebank", "find_treebanks", "sentences_of"]

PARTS = ("train", "dev", "test")
SUFFIXES = (".conllu", ".conllu.gz", ".conllu.xz")

Files = tuple[str, ...]


@dataclass(frozen=True)
class Treebank:
    """A name, and the files of each part; a part may be missing."""

    name: str
    train: Files = ()
    dev: Files = ()
    test: Files = ()
    digests: dict[str, str] = field(default_factory=dict, compare=False)  # by part, of the contents of the files

    @property
    def language(self) -> str:
        """The part of the name that treebanks of the same language share: `en` of `en_ewt`."""
        return self.name.partition("_")[0]

    def files(self, part: str) -> Files:
        found: Files = getattr(self, part)
        return found

    @property
    def size(self) -> int:
        """Bytes of the training files: about how much work a run is."""
        return sum(os.path.getsize(file) for file in self.train)

    def check_unchanged(self) -> None:
        """Raise an error if a file is not the one that the run was planned with: edited, or on another machine."""
        for part, digest in self.digests.items():
            if digest_of(self.files(part)) != digest:
                raise FormatError(
                    f"{', '.join(self.files(part))}: not the file that was there when the run was planned"
                )


def find_treebanks(folder: str | Path, only: Iterable[str] = ()) -> tuple[Treebank, ...]:
    """Return the treebanks of a folder, by name: folders with the files train, dev and test, or folders of files."""
    home = Path(folder)
    if not home.is_dir():
        raise FormatError(f"{folder}: no such folder; expected one with a folder for each treebank")
    wanted = list(only)
    found = {path.name: path for path in sorted(home.iterdir()) if path.is_dir() and any(_parts(path).values())}
    for name in wanted:
        if name not in found:
            raise OptionError(f"no treebank {name!r} in {folder}; it has: {', '.join(found) or 'none'}")
    if not found:
        raise FormatError(f"{folder}: no treebank; expected folders with files like train{SUFFIXES[1]}")
    return tuple(_treebank(found[name]) for name in (sorted(wanted) or found))


def _treebank(folder: Path) -> Treebank:
    parts = _parts(folder)
    digests = {part: digest_of(files) for part, files in parts.items() if files}
    return Treebank(folder.name, **parts, digests=digests)


def _parts(folder: Path) -> dict[str, Files]:
    return {part: _files(folder, part) for part in PARTS}


def _files(folder: Path, part: str) -> Files:
    """The files of a part: train.conllu, en_ewt-ud-train.conllu.gz, or all files of a folder `train`."""
    if (folder / part).is_dir():
        return tuple(str(path) for path in sorted((folder / part).iterdir()) if path.name.endswith(SUFFIXES))
    names = [part + suffix for suffix in SUFFIXES]
    found = [path for path in sorted(folder.iterdir()) if any(path.name.endswith(("-" + n, "_" + n)) for n in names)]
    found += [folder / name for name in names if (folder / name).exists()]
    if len(found) > 1:
        raise FormatError(
            f"{folder}: {' and '.join(path.name for path in found)}; expected one file of the part {part}"
        )
    return tuple(map(str, found))


def digest_of(files: Sequence[str]) -> str:
    """The SHA-256 of the files as they are on the disk, one after the other."""
    return _digest(tuple((file, os.path.getsize(file), os.stat(file).st_mtime_ns) for file in files))


@lru_cache(maxsize=1024)
def _digest(files: tuple[tuple[str, int, int], ...]) -> str:
    total = sha256()
    for name, size, _ in files:
        total.update(f"{size}\n".encode())  # so that two files are not one
        with open(name, "rb") as stream:
            while chunk := stream.read(1 << 20):
                total.update(chunk)
    return total.hexdigest()


def sentences_of(files: Sequence[str], limit: int | None = None) -> list[Sentence]:
    """Return the sentences of the files, or the first of them."""
    return list(islice(_all(files), limit))


def _all(files: Sequence[str]) -> Iterator[Sentence]:
    for file in files:
        yield from read(file)
