"""How fast files are read and written: `make bench`, or `python bench/conllu.py [TREEBANKS]`.

All of en_ewt/train, packed, on one core: read with every check, read and given back as bytes, and with a new tree in
every sentence. CPU time with unpacking, best of three; the memory is that of reading alone.
"""

import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

from treebank_folder import treebank_folder

from dodona.data import read
from dodona.errors import FormatWarning


def reading(file: Path) -> int:
    return sum(len(sentence) for sentence in read(file))


def round_trip(file: Path) -> int:
    return sum(len(sentence) for sentence in read(file) if sentence.to_bytes())


def new_trees(file: Path) -> int:
    words = 0
    for sentence in read(file):
        sentence.set_tree(range(len(sentence)), ["dep"] * len(sentence))
        sentence.to_bytes()
        words += len(sentence)
    return words


def gold_trees(file: Path) -> int:
    return sum(len(sentence.gold_heads()) for sentence in read(file))


TASKS: list[tuple[str, Callable[[Path], int], float | None]] = [
    ("read", reading, 0.6),
    ("read, to_bytes", round_trip, 0.8),
    ("read, set_tree, to_bytes", new_trees, None),
    ("read, gold_heads", gold_trees, None),
]


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    file = folder / "en_ewt" / "train.conllu.gz"
    warnings.simplefilter("ignore", FormatWarning)
    for name, task, bar in TASKS:
        times = []
        for _ in range(3):
            begin = time.process_time()
            words = task(file)
            times.append(time.process_time() - begin)
        wanted = f" (bar {bar} s)" if bar else ""
        print(f"{name:26} {min(times):.3f} s{wanted}, {words / min(times) / 1e6:.2f} million words/s")
    tracemalloc.start()
    reading(file)
    print(f"{'memory while reading':26} {tracemalloc.get_traced_memory()[1] / 1e6:.1f} MB at most")


if __name__ == "__main__":
    main()
