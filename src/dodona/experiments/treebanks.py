"""Treebanks in a folder: where their parts are, what their digests are, and their sentences; as they are, and as
parsers see them in use, with predicted tags.

The training part is tagged in ten folds, each by a tagger trained on the others; all else by a tagger trained on the
whole training part. That is done once for each treebank, and kept beside the records of the runs.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import file_digest, sha256
from itertools import chain, islice
from pathlib import Path

from dodona.data import Sentence, read, write
from dodona.errors import FormatError, OptionError
from dodona.pipeline.jackknife import jackknife
from dodona.tagger.tagger import TaggerOptions, train_tagger

__all__ = [
    "FORMAT", "PARTS", "Tagging", "Treebank", "count_words", "digest_of", "find_parts", "find_treebanks",
    "sentences_of", "tag",
]  # fmt: skip

FORMAT = 1
"""The version of what is stored: records of runs, and tagged treebanks. It changes when what is measured, or the
default of an option, gets another meaning."""

PARTS = ("train", "dev", "test")
SUFFIXES = (".conllu", ".conllu.gz", ".conllu.xz")

Files = tuple[str, ...]


@dataclass(frozen=True)
class Treebank:
    """A name, and the files of each part; a part may be missing. `silver` are sentences that a parser has parsed."""

    name: str
    train: Files = ()
    dev: Files = ()
    test: Files = ()
    silver: Files = ()
    digests: dict[str, str] = field(default_factory=dict, compare=False)  # by part, of the contents of the files

    @property
    def language(self) -> str:
        """The part of the name that treebanks of the same language share: `en` of `en_ewt`."""
        return self.name.partition("_")[0]

    def files(self, part: str) -> Files:
        files: Files = getattr(self, part)
        return files

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
    paths = [path for path in sorted(home.iterdir()) if path.is_dir()]
    folders = {path.name: find_parts(path) for path in paths}
    folders = {name: parts for name, parts in folders.items() if any(parts.values())}
    for name in wanted:
        if name not in folders:
            raise OptionError(f"no treebank {name!r} in {folder}; it has: {', '.join(folders) or 'none'}")
    if not folders:
        raise FormatError(f"{folder}: no treebank; expected folders with files like train{SUFFIXES[1]}")
    treebanks = []
    for name in sorted(wanted) or folders:
        digests = {part: digest_of(files) for part, files in folders[name].items() if files}
        treebanks.append(Treebank(name, **folders[name], silver=_files(home / name, "silver"), digests=digests))
    return tuple(treebanks)


def find_parts(folder: str | Path) -> dict[str, Files]:
    """Return the files of each of PARTS in the folder of a treebank; none where a part is missing."""
    return {part: _files(Path(folder), part) for part in PARTS}


def _files(folder: Path, part: str) -> Files:
    """The files of a part: train.conllu, en_ewt-ud-train.conllu.gz, or all files of a folder `train`."""
    if (folder / part).is_dir():
        return tuple(str(path) for path in sorted((folder / part).iterdir()) if path.name.endswith(SUFFIXES))
    names = [part + suffix for suffix in SUFFIXES]
    paths = [path for path in sorted(folder.iterdir()) if any(path.name.endswith(("-" + n, "_" + n)) for n in names)]
    paths += [folder / name for name in names if (folder / name).exists()]
    if len(paths) > 1:
        raise FormatError(
            f"{folder}: {' and '.join(path.name for path in paths)}; expected one file of the part {part}"
        )
    return tuple(map(str, paths))


def digest_of(files: Sequence[str]) -> str:
    """The SHA-256 of the files as they are on the disk, one after the other."""
    return _digest(tuple((file, os.path.getsize(file), os.stat(file).st_mtime_ns) for file in files))


@lru_cache(maxsize=1024)
def _digest(files: tuple[tuple[str, int, int], ...]) -> str:
    total = sha256()
    for name, size, _ in files:
        total.update(f"{size}\n".encode())  # so that two files are not one
        with open(name, "rb") as stream:
            file_digest(stream, lambda: total)
    return total.hexdigest()


def sentences_of(files: Sequence[str], limit: int | None = None) -> list[Sentence]:
    """Return the sentences of the files, or the first of them."""
    return list(islice(chain.from_iterable(map(read, files)), limit))


@lru_cache(maxsize=64)
def count_words(files: Files) -> int:
    """Return the number of words in these files."""
    return sum(len(sentence) for file in files for sentence in read(file))


@dataclass(frozen=True)
class Tagging:
    """A treebank to be tagged, and others in the same language, whose test parts its parsers may be tested on."""

    treebank: Treebank
    others: tuple[Treebank, ...]
    limit: int | None
    home: str

    @property
    def key(self) -> str:
        data = {**self.treebank.digests, **{f"test of {other.name}": other.digests["test"] for other in self.others}}
        return sha256(repr((FORMAT, sorted(data.items()), self.limit)).encode()).hexdigest()[:24]

    @property
    def folder(self) -> Path:
        return Path(self.home) / "tags" / self.key

    @property
    def files(self) -> dict[Path, tuple[str, ...]]:
        """The files that are made, and what each is made from."""
        sources = {part: self.treebank.files(part) for part in PARTS if self.treebank.files(part)}
        sources |= {other.name: other.test for other in self.others}
        return {self.folder / f"{name}.conllu.gz": files for name, files in sources.items()}

    @property
    def weight(self) -> float:
        return 1.0 + self.treebank.size

    def is_finished(self) -> bool:
        return all(path.exists() for path in self.files)

    def __str__(self) -> str:
        return f"tags of {self.treebank.name}"


def tag(tagging: Tagging) -> dict[str, str]:
    """Write the files of a tagging that are not there yet; returns what was done, as a record does."""
    train = sentences_of(tagging.treebank.train, tagging.limit)
    tagger = train_tagger(train, TaggerOptions())
    tagging.folder.mkdir(parents=True, exist_ok=True)
    for path, sources in tagging.files.items():
        if path.exists():
            continue
        if sources == tagging.treebank.train:
            tagged = jackknife(train, jobs=1)
        else:
            tagged = tagger.apply(sentences_of(sources, tagging.limit))
        write(tagged, path)
    return {"key": tagging.key}
