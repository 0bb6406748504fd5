"""One run: a parser is trained on a treebank with some options, and measured. The result is a record in JSON.

A run's key is a digest of everything that decides its result, except for the program itself: a record of an older
program is still a record, and tables say when the records of different programs are mixed.
"""

import json
import platform
import time
import warnings
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import dodona
from dodona.errors import FormatWarning
from dodona.experiments.measures import MEASURES, Subject
from dodona.experiments.treebanks import Treebank
from dodona.neural.options import NetworkOptions
from dodona.parser.options import ParserOptions

__all__ = ["FORMAT", "Run", "perform"]

FORMAT = 1
"""The version of records. It changes when what is measured, or the default of an option, gets another meaning."""

ALWAYS = frozenset(field.name for field in fields(ParserOptions)) - {"network"}
"""The options that are always part of the key. One that comes later is part of it where it is not the default, so that
older records stay valid."""

SOURCES = (".py", ".pyx", ".pxd", ".h", ".txt")
BESIDE = ("cli", "drawing", "models", "validation", "__init__.py")  # that decide no result
DECIDING = ("run.py", "measures.py", "repairs.py", "treebanks.py", "tagging.py")  # of the experiments, those that do


@dataclass(frozen=True)
class Run:
    """One task. Without options nothing is trained: the treebank itself is measured."""

    treebank: Treebank
    options: ParserOptions | None
    measures: tuple[str, ...] = ("dev", "test")
    tags: str = "gold"
    limit: int | None = None  # sentences of each part
    keep: str = "last"  # the iteration that is measured; "best": the one with the highest LAS on dev
    elsewhere: tuple[Treebank, ...] = ()  # whose test parts are parsed too
    tagged: str | None = None  # a folder with the sentences as a tagger sees them; not part of the key

    def __post_init__(self) -> None:
        if self.options is not None:
            object.__setattr__(self, "options", without_exploration(self.options))

    @property
    def seed(self) -> int:
        return self.options.seed if self.options is not None else 0

    @property
    def weight(self) -> float:
        """About how much work it is, in no particular unit: to tell how much time is left."""
        if self.options is None:
            return 1.0 + self.treebank.size
        neural = 100 if self.options.scorer == "neural" else 1
        return (1.0 + self.treebank.size) * (self.options.iterations or 30) * self.options.beam * neural

    def description(self) -> dict[str, Any]:
        """Everything that decides the result, as JSON."""
        data = dict(self.treebank.digests) | {
            f"test of {other.name}": other.digests["test"] for other in self.elsewhere
        }
        return {
            "options": described(self.options),
            "measures": list(self.measures),
            "tags": self.tags,
            "limit": self.limit,
            "keep": self.keep,
            "data": data,
        }

    @property
    def key(self) -> str:
        canonical = json.dumps({"format": FORMAT, **self.description()}, sort_keys=True, ensure_ascii=False)
        return sha256(canonical.encode()).hexdigest()[:24]

    def __str__(self) -> str:
        """The run in a line, for messages."""
        what = [self.treebank.name]
        if self.options is not None:
            plain = without_exploration(ParserOptions(system=self.options.system, oracle=self.options.oracle))
            own = {k: v for k, v in asdict(self.options).items() if v != getattr(plain, k) and k != "seed"}
            what += [str(self.options.system), str(self.options.oracle)]
            what += [f"{name}={value}" for name, value in own.items() if value is not None]
            what.append(f"seed={self.seed}")
        return " ".join([*what, "measuring", *self.measures])


def without_exploration(options: ParserOptions) -> ParserOptions:
    """The same training, told in one way only: where nothing is explored, k and p say nothing."""
    if options.oracle == "dynamic" and options.explore > 0 and options.explore_after < (options.iterations or 1 << 30):
        return options
    return replace(options, explore=0.0, explore_after=0)


def described(options: ParserOptions | None) -> dict[str, Any] | None:
    if options is None:
        return None
    plain = ParserOptions()
    found = {
        field.name: getattr(options, field.name)
        for field in fields(options)
        if field.name in ALWAYS or getattr(options, field.name) != getattr(plain, field.name)
    }
    if options.network is not None:
        usual = asdict(NetworkOptions())
        found["network"] = {k: v for k, v in asdict(options.network).items() if v != usual[k]}
    return found


def perform(run: Run) -> dict[str, Any]:
    """Carry out a run; returns its record, ready for JSON."""
    begin, cpu = time.monotonic(), time.process_time()
    for treebank in (run.treebank, *run.elsewhere):
        treebank.check_unchanged()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # a run that takes hours is not the place; `dodona stats` tells
        subject = Subject(run.treebank, run.options, run.limit, run.keep, run.measures, run.elsewhere, run.tagged)
        results = {name: MEASURES[name](subject) for name in run.measures}
    return {
        "format": FORMAT,
        "key": run.key,
        "treebank": run.treebank.name,
        "seed": run.seed,
        **run.description(),
        "program": program_digest(),
        "versions": versions(),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(time.monotonic() - begin, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "results": results,
    }


def versions() -> dict[str, str]:
    return {"dodona": dodona.__version__, "python": platform.python_version(), "numpy": np.__version__}


@lru_cache(maxsize=1)
def program_digest() -> str:
    """A digest of the sources that decide results; the command line, drawings, tables and figures do not."""
    home = Path(dodona.__file__).parent
    total = sha256()
    for path in sorted(home.rglob("*")):
        room, *_ = path.relative_to(home).parts
        beside = room == "experiments" and path.name not in DECIDING
        if path.suffix in SOURCES and not beside and room not in BESIDE:
            total.update(f"{path.relative_to(home).as_posix()}\n".encode())
            total.update(sha256(path.read_bytes().replace(b"\r\n", b"\n")).digest())
    return total.hexdigest()[:12]
