"""Works for an hour without a pause, and fails if memory, open files or threads grow.

    python scripts/soak.py [--minutes M] [--every SECONDS] [--seed S]

Parses texts, words and treebanks with all kinds of models, in this thread, in threads that come and go and in other
processes; trains, saves and loads; reads and writes files, and files that are refused. Prints a line a minute. At the
end the second quarter of all samples is compared with the last, by their medians: what is set up once is there by then.
Components remember up to 16,384 words, so the words are few enough to come again and again: a few thousand of them.
"""

import argparse
import gc
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.small_models import full_treebank, small_models

import dodona
from dodona import DodonaError, Pipeline, Request, Sentence
from dodona.systems.registry import SYSTEMS

ALLOWED = {"memory": 12.0, "files": 2.0, "threads": 1.0}
"""How much more the last quarter may have than the second: megabytes, open files, threads."""

SAMPLES_A_MINUTE = 60
LETTERS = "abcdefghijklmnoprstuvyßéλж"
WORDS = 3000  # different ones
REQUESTS = (Request(), Request(beam=1, confidence=True), Request(beam=3, nbest=2), Request(constrained=True))


@dataclass
class Samples:
    """Memory in megabytes, open files and threads, at many points in time."""

    memory: list[float] = field(default_factory=list)
    files: list[float] = field(default_factory=list)
    threads: list[float] = field(default_factory=list)

    def take(self) -> None:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        self.memory.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
        self.files.append(len(os.listdir("/proc/self/fd")))
        self.threads.append(threading.active_count())

    def find_growth(self) -> dict[str, float]:
        """What has grown more than it may, and by how much."""
        grown = {name: measure_growth(getattr(self, name)) for name in ALLOWED}
        return {name: value for name, value in grown.items() if value > ALLOWED[name]}


def measure_growth(values: Sequence[float]) -> float:
    """How much larger the last quarter is than the second, by their medians; single peaks make no difference."""
    quarter = len(values) // 4
    if quarter == 0:
        return 0.0
    return median(values[-quarter:]) - median(values[quarter : 2 * quarter])


class Soak:
    """All kinds of work, each a method that returns how many words it was about."""

    def __init__(self, chance: random.Random, folder: Path) -> None:
        self.chance = chance
        self.folder = folder
        self.words = ["".join(chance.choices(LETTERS, k=chance.randint(1, 9))) for _ in range(WORDS)]
        self.models = small_models() | {name: dodona.load(name) for name in dodona.model_names()}
        self.file = folder / "whole.model"
        self.models["whole"].save(self.file)
        self.kinds: list[Callable[[], int]] = [
            *[self.parses] * 12, *[self.reads_text] * 6, self.uses_a_thread, self.trains, self.saves_and_loads,
            self.writes_and_reads, *[self.is_refused] * 2, self.derives,
        ]  # fmt: skip
        self.rare: list[Callable[[], int]] = [self.uses_threads]

    def step(self, number: int) -> int:
        return self.chance.choice(self.rare if number % 2000 == 1999 else self.kinds)()

    def sentence(self) -> Sentence:
        words = self.chance.choices(self.words, k=self.chance.randint(1, 25))
        return Sentence.from_words(words, heads=[0, *[None] * (len(words) - 1)])

    def model(self) -> Pipeline:
        return self.models[self.chance.choice(sorted(self.models))]

    def parses(self) -> int:
        nlp, request = self.model(), self.chance.choice(REQUESTS)
        if (request.beam or 1) > 1 and not SYSTEMS[str(nlp.parser.options.system)].has_beam:
            request = Request()
        return sum(map(len, nlp.parse([self.sentence() for _ in range(4)], request)))

    def reads_text(self) -> int:
        nlp = self.models[self.chance.choice(["whole", *dodona.model_names()])]
        text = ". ".join(" ".join(self.sentence().words) for _ in range(5))
        return sum(map(len, nlp(text)))

    def uses_a_thread(self) -> int:
        """A thread has a workspace of its own for each model, which must go when the thread goes."""
        thread = threading.Thread(target=self.parses)
        thread.start()
        thread.join()
        return 0

    def uses_threads(self) -> int:
        sentences = [self.sentence() for _ in range(20)]
        return sum(map(len, self.models["whole"].parse(sentences, jobs=2)))

    def trains(self) -> int:
        treebank = full_treebank(5, self.chance.randrange(1000))
        system = self.chance.choice(list(SYSTEMS))
        dodona.train(treebank, components=["parser"], tags="gold", system=system, iterations=1)
        return sum(map(len, treebank))

    def saves_and_loads(self) -> int:
        path = self.folder / "again.model"
        self.models[self.chance.choice([name for name in self.models if name not in dodona.model_names()])].save(path)
        return sum(map(len, dodona.load(path).parse([self.sentence()])))

    def writes_and_reads(self) -> int:
        path = self.folder / self.chance.choice(["a.conllu", "a.conllu.gz", "a.conllu.xz"])
        dodona.write([self.sentence() for _ in range(20)], path)
        return sum(map(len, dodona.read(path)))

    def is_refused(self) -> int:
        """Damaged files: whatever was opened must be closed again."""
        path = self.folder / self.chance.choice(["b.conllu", "b.conllu.gz", "b.conllu.xz", "b.model"])
        path.write_bytes(self.file.read_bytes()[:500] if path.suffix == ".model" else self.chance.randbytes(200))
        try:
            dodona.load(path) if path.suffix == ".model" else list(dodona.read(path))
        except DodonaError:
            return 0
        raise AssertionError(f"{path} was taken")

    def derives(self) -> int:
        system = dodona.system(self.chance.choice(list(SYSTEMS)), ["a", "root"])
        c = system.initial(12)
        while legal := system.legal(c):
            system.apply(c, self.chance.choice(legal))
        return len(c)


def work(soak: Soak, minutes: float, every: float, samples: Samples) -> Iterator[str]:
    """Work, and yield a line now and then."""
    calls = words = 0
    begun = told = time.monotonic()
    interval = min(60 / SAMPLES_A_MINUTE, minutes * 60 / 20)
    while (now := time.monotonic()) < begun + minutes * 60:
        if now - begun >= len(samples.memory) * interval:
            samples.take()
        if now - told >= every:
            told = now
            yield _line((now - begun) / 60, calls, words, samples)
        words += soak.step(calls)
        calls += 1
    samples.take()
    yield _line(minutes, calls, words, samples)


def _line(minutes: float, calls: int, words: int, samples: Samples) -> str:
    return (
        f"{minutes:6.1f} min {calls:>10,} calls {words:>12,} words {samples.memory[-1]:8.1f} MB "
        f"{samples.files[-1]:4.0f} files {samples.threads[-1]:3.0f} threads"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Work for long, and look whether anything grows.")
    parser.add_argument("--minutes", type=float, default=60.0, help="[default: %(default)s]")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between lines [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if not Path("/proc/self/statm").exists():
        raise SystemExit("soak.py: needs /proc, to know how much memory is in use")
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="dodona-soak-") as folder:
        for line in work(Soak(random.Random(given.seed), Path(folder)), given.minutes, given.every, samples):
            print(line, flush=True)
    grown = samples.find_growth()
    for name, value in grown.items():
        print(f"{name} grew by {value:.1f}; allowed are {ALLOWED[name]:.0f}")
    if not grown:
        print("nothing grew: " + ", ".join(f"{name} {measure_growth(getattr(samples, name)):+.1f}" for name in ALLOWED))
    sys.exit(1 if grown else 0)


if __name__ == "__main__":
    main()
