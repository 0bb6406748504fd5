"""Fuzzing: damaged and random input at every entry.

    PYTHONPATH=tests python -m fuzz [--minutes M | --cases N] [--seed S] [--jobs J] [--folder F] [ENTRY …]
    PYTHONPATH=tests python -m fuzz --again FILE …

Every input must be refused with a DodonaError or taken with all that its entry promises; never a crash, another
exception, or more than ten seconds. An input that reveals a fault is kept as a file in build/fuzz/, and `--again` tries
it once more. The same seed gives the same inputs. The exit status is 1 if there is a fault.
"""

import argparse
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.driver import Result, run_tasks
from fuzz.entry import Entry, all_entries
from fuzz.failures import kept
from fuzz.worker import Task

FOLDER = Path("build/fuzz")
ANY_NUMBER = 1 << 60


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Damaged and random input at every entry.")
    parser.add_argument(
        "entries", nargs="*", metavar="ENTRY", help=f"some of: {', '.join(all_entries())} [default: all]"
    )
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--minutes", type=float, default=5.0, help="for all entries together [default: %(default)s]")
    budget.add_argument("--cases", type=int, help="inputs at each entry, instead of a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for inputs with a fault [default: %(default)s]")
    parser.add_argument("--again", nargs="+", type=Path, metavar="FILE", help="try these inputs in this process")
    given = parser.parse_args()
    unknown = [entry for entry in given.entries if "." not in entry and entry not in all_entries()]
    if unknown:
        parser.error(f"no entry {unknown[0]!r}; the entries are: {', '.join(all_entries())}")
    return given


def again(paths: list[Path]) -> None:
    """Try kept inputs: the entry is in their name. A fault shows as what it is."""
    for path in paths:
        print(path, flush=True)
        Entry(path.stem.rpartition("-")[0]).target(path.read_bytes())


def headline(happened: str) -> str:
    """The line that says most: what a sanitizer reports, how a process ended, or which exception it was."""
    lines = happened.strip().splitlines() or [""]
    for line in lines:
        if re.search(r"ERROR: \w+Sanitizer|runtime error:|Timeout \(|^signal ", line):
            return line
    return lines[-1]


def fuzzed(given: argparse.Namespace) -> bool:
    """Return whether there was no fault."""
    entries = given.entries or all_entries()
    share = given.minutes * 60 / len(entries) * given.jobs
    begun = time.time() - 1  # clocks of file systems are coarse

    def at(entry: str) -> Result:
        until = time.time() + (share if given.cases is None else 1e6)
        return run_tasks([Task(entry, 0, given.cases or ANY_NUMBER, until)], given.seed, given.folder / entry)

    print(f"{'entry':<16}{'cases':>10}{'refused':>10}{'faults':>8}", flush=True)
    total = 0
    found: list[Path] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for entry, result in zip(entries, pool.map(at, entries), strict=True):
            faults = kept(given.folder / entry, begun)
            cases = result.cases.get(entry, 0)
            print(f"{entry:<16}{cases:>10,}{result.refused.get(entry, 0):>10,}{len(faults):>8}", flush=True)
            total += cases
            found += faults
    print(f"{'all':<16}{total:>10,}{'':>10}{len(found):>8}")
    for path in found:
        print(f"{path}: {headline(path.with_suffix('.txt').read_text(encoding='utf-8'))}")
    return not found


if __name__ == "__main__":
    options = arguments()
    if options.again:
        again(options.again)
    else:
        sys.exit(0 if fuzzed(options) else 1)
