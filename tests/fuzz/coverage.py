"""Fuzzing guided by coverage, with Atheris if it is installed (`pip install atheris`):

    PYTHONPATH=tests python -m fuzz.coverage ENTRY [-max_total_time=60] [other options of libFuzzer]

Inputs that reach new lines of Python are kept in build/fuzz/coverage/ENTRY/, and the next time it goes on from them.
The first fault ends it.
"""

import importlib
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

CORPUS = Path("build/fuzz/coverage")


def main() -> None:
    name, *options = sys.argv[1:] or sys.exit(__doc__)
    try:
        atheris: Any = importlib.import_module("atheris")
    except ImportError:
        sys.exit("fuzz.coverage: Atheris is not installed; `python -m fuzz` works without it")
    with atheris.instrument_imports(include=["dodona"]):
        from fuzz.entry import Entry, all_entries

        from dodona import DodonaError

        if name not in all_entries():
            sys.exit(f"fuzz.coverage: no entry {name!r}; the entries are: {', '.join(all_entries())}")
        entry = Entry(name)
        target = entry.target
    corpus = (CORPUS / name).absolute()
    corpus.mkdir(parents=True, exist_ok=True)
    found = tempfile.TemporaryDirectory(prefix="dodona-fuzz-")
    artifacts = f"-artifact_prefix={corpus.parent}/{name}-"
    os.chdir(found.name)  # entries that need a file write it here
    for number, seed in enumerate(entry.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    warnings.simplefilter("ignore")

    def refused_or_taken(data: bytes) -> None:
        try:
            target(data)
        except DodonaError:
            return

    atheris.Setup([sys.argv[0], str(corpus), artifacts, "-timeout=10", *options], refused_or_taken)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
