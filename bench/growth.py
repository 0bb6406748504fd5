"""How time grows: with the length of a sentence, with the size of a corpus, and with threads.

    python bench/growth.py MODEL TREEBANK [--systems]

Microseconds of processor time a word. `--systems` trains a small parser with each transition system on the treebank
(its training part; a few minutes), and measures how it grows with the length of sentences, greedy and with a beam.
"""

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from dodona import Pipeline, Request, Sentence, load, read, train
from dodona.data.spacing import raw_text
from dodona.evaluation.speed import measure_threads
from dodona.pipeline.processes import available_cores
from dodona.systems.registry import SYSTEMS

LENGTHS = (10, 30, 100, 300, 1000, 3000)
WORDS = 6000  # parsed of each length
SIZES = (10_000, 100_000, 1_000_000, 4_000_000)
BEAM = 8
QUADRATIC = ("covington",)  # long sentences would take minutes
ROUNDS = 3


def seconds(work: Callable[[], object]) -> float:
    """The best of a few rounds."""
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def of_length(sentences: list[Sentence], length: int, words: int = WORDS) -> list[Sentence]:
    """Sentences of exactly this many words, from the words and tags of a treebank in their order."""
    rows = cycle([row for one in sentences for row in zip(one.words, one.upos, one.xpos, one.feats, strict=True)])
    found = []
    for _ in range(max(1, words // length)):
        forms, upos, xpos, feats = (list(column) for column in zip(*islice(rows, length), strict=True))
        found.append(Sentence.from_words(forms, upos, xpos=xpos, feats=feats))
    return found


def with_length(nlp: Pipeline, sentences: list[Sentence], beam: int) -> list[str]:
    """Microseconds a word, for each of the lengths."""

    found = []
    for length in LENGTHS:
        if nlp.parser.options.system in QUADRATIC and length > 1000:
            found.append("–")
            continue
        some = of_length(sentences, length, WORDS if beam == 1 else WORDS // 10)
        request = Request(beam=beam)
        taken = seconds(lambda some=some, request=request: list(Pipeline(nlp.parser).parse(some, request)))  # type: ignore[misc]
        found.append(f"{taken / sum(map(len, some)) * 1e6:.2f}")
    return found


def corpora(model: str, text: str, words: int) -> None:
    print("\ncorpus: words, CPU seconds, µs a word, from the start of the program to its end")
    for size in SIZES:
        copies = max(1, round(size / words))
        command = [sys.executable, "-m", "dodona", "parse", model, "-", "-o", os.devnull]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdin is not None
        for _ in range(copies):
            process.stdin.write(text.encode())
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"dodona parse ended with {status}")
        taken = used.ru_utime + used.ru_stime
        print(
            f"  {copies * words:>10,} {taken:8.2f} {taken / copies / words * 1e6:8.2f} {used.ru_maxrss / 1024:8.0f} MB"
        )


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--systems"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    model, folder = arguments[0], Path(arguments[1])
    nlp, sentences = load(model), list(read(folder / "test.conllu.gz"))
    text = raw_text(sentences)
    print(f"sentences of {LENGTHS} words: µs a word")
    print(f"  {model:<24}", *(f"{value:>8}" for value in with_length(nlp, sentences, nlp.parser.options.beam)))
    if "--systems" in sys.argv:
        training = list(read(folder / "train.conllu.gz"))[:1000]
        for system, entry in SYSTEMS.items():
            own = train(training, components=["parser"], tags="gold", system=system, iterations=2)
            for beam in (1, BEAM) if entry.has_beam else (1,):
                name = f"{system}, beam {beam}" if beam > 1 else system
                print(f"  {name:<24}", *(f"{value:>8}" for value in with_length(own, sentences, beam)), flush=True)
    words = sum(map(len, nlp.sentences([text])))
    corpora(model, text, words)
    print("\nthreads: times as fast as one, times the processor")
    for threads in range(2, available_cores() + 1):
        faster, dearer = measure_threads(nlp, text, threads)
        print(f"  {threads} {faster:8.2f} {dearer:8.2f}")


if __name__ == "__main__":
    main()
