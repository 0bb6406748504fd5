"""How fast a pipeline is on this machine: stage by stage, from text to CoNLL-U, and with several threads.

Times are those of the processor, the best of several rounds, because machines are noisy. Each round also runs a loop
that has nothing to do with parsing: reading a table at random places, and a checksum. How long a word takes in relation
to this loop can be compared between two versions of the program, even if the machine was busier during one of them.
"""

import os
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dodona.data import Sentence, write
from dodona.pipeline.pipeline import Pipeline, collect_rarely

__all__ = ["Speed", "measure_speed", "measure_threads"]

WHOLE = "text to CoNLL-U"
LEAST_ROUNDS = 3
LEAST_CHARACTERS = 1 << 20  # of a text for several threads


@dataclass(frozen=True)
class Speed:
    """Seconds of the processor for all words, by stage; `WHOLE` is everything together, as `dodona parse` does it."""

    words: int
    rounds: int
    seconds: dict[str, float]
    reference: float  # seconds of the loop

    def microseconds(self, stage: str) -> float:
        """For a word."""
        return self.seconds[stage] / self.words * 1e6

    def relative(self, stage: str) -> float:
        """Words in the time that the loop takes: independent of how fast the machine was."""
        return self.words / self.seconds[stage] * self.reference


def measure_speed(nlp: Pipeline, text: str, seconds: float, after: Callable[[float], object]) -> Speed:
    """Work for about so many seconds. `after` is called after each round with the share of the time that has passed."""
    loop = _make_loop()
    best: dict[str, float] = {}
    words = rounds = 0
    begin = time.monotonic()
    while rounds < LEAST_ROUNDS or time.monotonic() - begin < seconds:
        stages, words = _measure_round(nlp, text)
        stages["reference"] = _measure(loop)
        best = {name: min(taken, best.get(name, taken)) for name, taken in stages.items()}
        rounds += 1
        after(min(1.0, (time.monotonic() - begin) / seconds))
    return Speed(words, rounds, best, best.pop("reference"))


def _measure_round(nlp: Pipeline, text: str) -> tuple[dict[str, float], int]:
    """Return the seconds of each stage, and the number of words."""
    begin = time.process_time()
    sentences = list(nlp.sentences([text]))
    tokenizing = time.process_time() - begin
    tagged = {id(sentence) for sentence in sentences}
    work: dict[str, Callable[[], object]] = {
        name: partial(_exhaust, component.apply, sentences)
        for name, component in (("tag", nlp.tagger), ("lemmatize", nlp.lemmatizer))
        if component is not None
    }
    work["parse"] = partial(_exhaust, partial(nlp.parser.apply, tagged=tagged), sentences)
    work["write"] = partial(write, sentences, os.devnull)
    work[WHOLE] = lambda: write(nlp.parse(nlp.sentences([text])), os.devnull)
    seconds = {"tokenize": tokenizing} | {name: _measure(each) for name, each in work.items()}
    return seconds, sum(map(len, sentences))


def _exhaust(function: Callable[[list[Sentence]], Iterable[Sentence]], sentences: list[Sentence]) -> None:
    for _ in function(sentences):
        pass


def _measure(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _make_loop() -> Callable[[], object]:
    """It reads a table that is larger than most caches at random places, and computes a checksum of it."""
    chance = np.random.default_rng(1)
    table = chance.integers(0, 1 << 32, 1 << 22, dtype=np.uint32)
    places = chance.integers(0, len(table), 1 << 21)
    return lambda: int(table[places].sum()) ^ zlib.crc32(table.data)


def measure_threads(nlp: Pipeline, text: str, threads: int, rounds: int = 5) -> tuple[float, float]:
    """Return how much faster so many threads parse a text than one, by the clock; and how much more of the processor
    they need for it. One and many take turns."""
    text *= 1 + LEAST_CHARACTERS // len(text)
    taken = [[_measure_with(nlp, text, count) for count in (1, threads)] for _ in range(rounds)]
    one, many = map(min, zip(*taken, strict=True))
    return one[0] / many[0], many[1] / one[1]


def _measure_with(nlp: Pipeline, text: str, threads: int) -> tuple[float, float]:
    """Return the seconds by the clock and of the processor, from text to CoNLL-U, as `dodona parse --jobs` does it."""
    with collect_rarely():
        begin, cpu = time.perf_counter(), time.process_time()
        write(nlp.stream(nlp.tokenize([text]), jobs=threads), os.devnull)
    return time.perf_counter() - begin, time.process_time() - cpu
