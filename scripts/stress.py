"""Sixteen threads share pipelines, components and systems: every result must be that of one thread alone.

    python scripts/stress.py [--calls N] [--threads N] [--seed S]

Parses with every system: greedily, with beams, constrained, with n-best trees and confidence, by linear and neural
parsers, the models that come with Dodona among them. Tokenizes, tags, lemmatizes, trains, and derives trees step by
step. Threads take turns as often as the interpreter lets them. Exit status 1 if any result differs.
"""

import argparse
import faulthandler
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.shared_work import Work, all_work, in_threads, quick_switches

import dodona
from dodona import Request

TEXTS = (
    "Oak trees grow slowly. The wind moves the leaves of the old oak.",
    "Who asked the doves? Nobody did; they didn't answer.",
    "Dodona, in Epirus, is older than Delphi (so says Herodotus).",
)
MAX_SECONDS = 3600.0  # then all threads show where they are, and the program ends


def shipped_work() -> dict[str, Work]:
    """The models that come with Dodona, from raw text to trees."""
    shipped: dict[str, Work] = {}
    for name in dodona.model_names():
        nlp = dodona.load(name)
        for request in (Request(), Request(beam=4, nbest=2, confidence=True)):

            def work(number: int, nlp: dodona.Pipeline = nlp, request: Request = request) -> object:
                return b"".join(s.to_bytes() for s in nlp(TEXTS[number % len(TEXTS)], request))

            shipped[f"{name} with {request}"] = work
    return shipped


def main() -> None:
    parser = argparse.ArgumentParser(description="Threads that share everything.")
    parser.add_argument("--calls", type=int, default=10_000, help="[default: %(default)s]")
    parser.add_argument("--threads", type=int, default=16, help="[default: %(default)s]")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faulthandler.dump_traceback_later(MAX_SECONDS, exit=True)
    work = all_work() | shipped_work()
    chance = random.Random(given.seed)
    names = [chance.choice(list(work)) for _ in range(given.calls)]
    begun = time.perf_counter()
    with quick_switches():
        differences = in_threads(work, names, given.threads, given.seed)
    seconds = time.perf_counter() - begun
    kinds = f"{len(set(names))} kinds of work"
    print(f"{given.calls:,} calls in {given.threads} threads, {kinds}, {seconds:.0f} s: {len(differences)} differences")
    for each in differences[:20]:
        print(f"{each.name}, input {each.number}: {str(each.found)[:200]}")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
