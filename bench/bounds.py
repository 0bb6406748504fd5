"""Whether time and memory grow with the input and no faster, for inputs that nobody means well with.

    python bench/bounds.py [MEGABYTES] [COMMAND …]

Each command gets each kind of input, of MEGABYTES (1) and of twice as many: seconds of processor time, less those of an
input of some bytes, how many times as long the second one takes (2 is linear), and megabytes of memory. An input that
is refused at once takes no time.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

LONGEST = 300  # seconds for a command
Make = Callable[[int], bytes]
"""Returns an input of about so many bytes."""


def repeat(unit: bytes) -> Make:
    return lambda size: unit * (size // len(unit) + 1)


def number_words(head: str) -> Make:
    """One sentence; `head` is the head of each word but the first, by its number."""

    def make(size: int) -> bytes:
        rows = ["1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\t_"]
        total = 0
        while total < size:
            number = len(rows) + 1
            rows.append(f"{number}\ta\ta\tNOUN\tNN\t_\t{head.format(before=number - 1, half=number // 2)}\tdep\t_\t_")
            total += len(rows[-1]) + 1
        return "\n".join([*rows, "", ""]).encode()

    return make


SMALL = b"1\tOak\toak\tNOUN\tNN\t_\t2\tcompound\t_\t_\n2\ttrees\ttree\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n"
ROW = b"1\ta\ta\tNOUN\tNN\t_\t0\troot\t_\t_\n"
TEXTS: dict[str, Make] = {
    "blanks": repeat(b" "),
    "tabs after words": repeat(b"a" + b"\t" * 10_000),
    "empty lines": repeat(b"\n"),
    "one word": repeat(b"a"),
    "words": repeat(b"oak "),
    "commas": repeat(b"a, "),
    "full stops": repeat(b"."),
    "short sentences": repeat(b"Oak trees grow. "),
}
TREEBANKS: dict[str, Make] = {
    "short sentences": repeat(ROW + b"\n"),
    "comments": repeat(b"# a comment\n"),
    "comments alone": repeat(b"# a comment\n\n"),
    "chain": number_words("{before}"),
    "star": number_words("1"),
    "halves, which cross": number_words("{half}"),
    "a wrong second line": repeat(ROW),
    "one word": lambda size: b"1\t" + b"a" * size + ROW[3:] + b"\n",
    "features": lambda size: b"1\ta\ta\tNOUN\tNN\t" + b"A=B|" * (size // 4) + b"C=D" + ROW[15:] + b"\n",
}
COMMANDS: dict[str, tuple[str, dict[str, Callable[[int], bytes]]]] = {
    "parse": ("parse en-fast {file} -o {out}", TEXTS),
    "parse CoNLL-U": ("parse en-fast {file} -o {out}", TREEBANKS),
    "convert": ("convert {file} --to text -o {out}", TREEBANKS),
    "validate": ("validate {file} --level 2", TREEBANKS),
    "draw": ("draw {file} --format svg -o {out}", TREEBANKS),
    "stats": ("stats {file}", TREEBANKS),
    "stats --swaps": ("stats {file} --swaps", TREEBANKS),
    "evaluate": ("evaluate {file} {file}", TREEBANKS),
    "search": ("search pattern{{V[]}} {file} -o {out}", TREEBANKS),
    "search --count": ("search pattern{{e:H->D}} {file} --count H.form e.label -o {out}", TREEBANKS),
    "annotate --status": ("annotate --status {file}", TREEBANKS),
    "train": ("train {file} --iterations 2 --folds 2 --jobs 1 -o {out}", TREEBANKS),
    "train --silver": ("train {small} --silver {file} --iterations 2 --folds 2 --jobs 1 -o {out}", TREEBANKS),
    "crossvalidate": (
        "crossvalidate {file} --suspects {out}.txt --seeds 1 --iterations 2 --folds 2 --jobs 1",
        TREEBANKS,
    ),
    "distill": (
        "distill en-fast {small} --dev {small} --text {file} --iterations 2 --folds 2 --jobs 1 -o {out}",
        TEXTS,
    ),
    "pretrain": ("pretrain {file} --passes 1 --layers 1 --width 16 --embedding 8 -o {out}", TEXTS),
}


def measure(command: str, data: bytes, name: str) -> tuple[float, float]:
    """Seconds of processor time, and megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(data)
        small = Path(folder) / "small.conllu"
        small.write_bytes(SMALL)
        words = command.format(file=file, small=small, out=Path(folder) / "out").split()
        process = subprocess.Popen(
            ["timeout", str(LONGEST), sys.executable, "-m", "dodona", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    arguments = sys.argv[1:]
    size = float(arguments.pop(0)) if arguments and arguments[0].replace(".", "").isdigit() else 1.0
    print(f"{'command':<17} {'input':<22} {size:>6g} MB {2 * size:>6g} MB  times  memory")
    for name in arguments or COMMANDS:
        command, kinds = COMMANDS[name]
        file = "input.txt" if kinds is TEXTS else "input.conllu"
        for kind, make in kinds.items():
            start, _ = measure(command, make(100), file)
            (once, _), (twice, memory) = (measure(command, make(int(s * 1e6)), file) for s in (size, 2 * size))
            first, second = max(0.0, once - start), max(0.0, twice - start)
            times = f"{second / first:6.1f}" if first > 0.2 else "     –"
            print(f"{name:<17} {kind:<22} {first:>7.2f} s {second:>7.2f} s {times} {memory:>5.0f} MB", flush=True)


if __name__ == "__main__":
    main()
