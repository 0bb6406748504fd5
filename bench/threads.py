"""Threads that share a model: `python bench/threads.py [TREEBANKS]`, on the test part of English EWT.

Parses the same text with one thread and with two and four, which share it out, and prints words a second by the clock
on the wall, and a CPU second, for all threads together: from raw text to trees, and trees alone. Only the search for
trees runs without the interpreter's lock, so little is gained by more threads; but they must not be slower than one.
Best of several runs, in turns, because machines are noisy.
"""

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from treebank_folder import treebank_folder

from dodona import FormatWarning, Pipeline, Sentence, load, read
from dodona.data.spacing import raw_text

RUNS = 7
THREADS = (1, 2, 4)
PARTS = 64  # of the text, taken by whichever thread is free
MODELS = ("en", "en-fast")


def seconds(work: Callable[[int], object], threads: int) -> tuple[float, float]:
    """By the clock, and of the processor."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, [0] * threads))  # each thread has a workspace, which is set up once
        begin, begin_cpu = time.perf_counter(), time.process_time()
        list(pool.map(work, range(PARTS)))
        return time.perf_counter() - begin, time.process_time() - begin_cpu


def measure(nlp: Pipeline, sentences: Sequence[Sentence]) -> None:
    texts = [raw_text(sentences[k::PARTS]) for k in range(PARTS)]
    parts = [list(nlp.parse(nlp.sentences([text]))) for text in texts]
    words = sum(len(sentence) for part in parts for sentence in part)
    kinds: dict[str, Callable[[int], object]] = {
        "text to trees": lambda k: nlp(texts[k]),
        "trees alone": lambda k: list(nlp.parse(parts[k])),
    }
    for name, work in kinds.items():
        taken: dict[int, list[tuple[float, float]]] = {threads: [] for threads in THREADS}
        for _ in range(RUNS):
            for threads in THREADS:
                taken[threads].append(seconds(work, threads))
        for threads, found in taken.items():
            clock, cpu = (words / min(column) for column in zip(*found, strict=True))
            print(f"  {name}, {threads} threads: {clock:,.0f} words a second, {cpu:,.0f} a CPU second")


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    warnings.simplefilter("ignore", FormatWarning)
    sentences = list(read(folder / "en_ewt" / "test.conllu.gz"))
    for model in MODELS:
        print(model, flush=True)
        measure(load(model), sentences)


if __name__ == "__main__":
    main()
