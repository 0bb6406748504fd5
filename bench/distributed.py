"""A corpus in shards on two local workers against one process: `python bench/distributed.py [TREEBANKS [MILLIONS]]`.

The corpus is the raw text of the training part of en_ewt, again and again, in two files: so many million words (3). The
model is `en-fast`. Prints seconds, CPU seconds of all processes (with their start), and whether the bytes are the same.
On a machine with other work two workers do not get two cores. Then twice the ratio of the CPU times says what two free
cores would give.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from treebank_folder import treebank_folder

from dodona import read
from dodona.data.spacing import paragraphs

WORKERS = 2
MODEL = "en-fast"


def make_corpus(treebank: Path, words: int, folder: Path) -> list[Path]:
    """Two files of about the same size."""
    sentences = list(read(treebank))
    text = "\n\n".join(text for text, _ in paragraphs(sentences)) + "\n\n"
    times = max(1, round(words / sum(map(len, sentences)) / 2))
    files = [folder / "one.txt", folder / "two.txt"]
    for file in files:
        with file.open("w", encoding="utf-8") as stream:
            for _ in range(times):
                stream.write(text)
    return files


def timed(*arguments: str | Path) -> tuple[float, float]:
    """Run `dodona parse`; returns seconds, and CPU seconds of all its processes."""
    begin, before = time.perf_counter(), os.times()
    command = [sys.executable, "-m", "dodona", "parse", MODEL, *map(str, arguments)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - begin, cpu


def digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 22):
                found.update(block)
    return found.hexdigest()


def main() -> None:
    arguments = sys.argv[1:]
    treebanks = treebank_folder(arguments)
    millions = float(arguments[1]) if len(arguments) > 1 else 3.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make_corpus(treebanks / "en_ewt" / "train.conllu.gz", round(millions * 1e6), folder)
        print(f"about {millions:g} million words, {sum(file.stat().st_size for file in files) / 1e6:.0f} MB of text")
        one, one_cpu = timed(*files, "-o", folder / "one.conllu")
        print(f"one process: {one:.0f} s, {one_cpu:.0f} CPU s; load {os.getloadavg()[0]:.1f}", flush=True)
        shards, shards_cpu = timed(*files, "-o", folder / "out", "--scheduler", "local", "--jobs", str(WORKERS))
        print(f"{WORKERS} workers: {shards:.0f} s, {shards_cpu:.0f} CPU s; load {os.getloadavg()[0]:.1f}")
        print(f"  {one / shards:.2f} times as fast; by CPU time {WORKERS * one_cpu / shards_cpu:.2f} on free cores")
        same = digest([folder / "one.conllu"]) == digest(sorted((folder / "out").glob("*.conllu")))
        print(f"  the same bytes: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
