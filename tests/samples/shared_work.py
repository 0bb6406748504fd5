"""Everything that threads may do at the same time with shared objects: pipelines, components, parsers and systems.

Each kind of work is a function of a number, which chooses the input, and has the same result whenever it is called.
"""

import random
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from samples.small_models import full_treebank, small_models, whole
from samples.treebank import treebank

import dodona
from dodona import Document, DodonaError, Request, Sentence, System
from dodona.data.conllu import read_conllu
from dodona.data.spacing import raw_text
from dodona.data.stream import only_sentences
from dodona.pipeline.pipeline import Pipeline
from dodona.systems.registry import SYSTEMS

__all__ = ["Difference", "Work", "all_work", "in_threads", "parse_task", "quick_switches"]

INPUTS = 5  # different ones of each kind of work
PATIENCE = 600.0  # seconds until a thread that does not end is given up

Work = Callable[[int], object]


class Difference(NamedTuple):
    """What a thread got that is not what one thread alone gets."""

    name: str
    number: int
    found: object


def all_work() -> dict[str, Work]:
    """By a name that says what is shared."""
    found: dict[str, Work] = {"text to trees": _reading(whole())}
    found |= _component_work()
    for name, nlp in small_models().items():
        found[f"{name}, greedy"] = _parsing(nlp, Request(beam=1))
        found[f"{name}, greedy, confidence"] = _parsing(nlp, Request(beam=1, confidence=True))
        found[f"{name}, constrained"] = _parsing(nlp, Request(beam=1, constrained=True))
        if SYSTEMS[str(nlp.parser.options.system)].has_beam:
            found[f"{name}, beam, n-best, confidence"] = _parsing(nlp, Request(beam=4, nbest=3, confidence=True))
            found[f"{name}, beam, constrained"] = _parsing(nlp, Request(beam=3, constrained=True))
    for name in SYSTEMS:
        found[f"system {name}"] = _deriving(dodona.system(name, ["a", "root"]))
    found["training"] = _training
    found["files"] = _files
    return found


def _bytes(sentences: Iterable[Sentence]) -> bytes:
    return b"".join(sentence.to_bytes() for sentence in sentences)


def parse_task(task: tuple[Pipeline, str]) -> tuple[Document, bytes]:
    """For another process, which has to import it."""
    nlp, text = task
    document = nlp(text)
    return document, document.to_bytes()


def _reading(nlp: Pipeline) -> Work:
    texts = [raw_text(full_treebank(4, seed)) for seed in range(INPUTS)]
    return lambda number: _bytes(nlp(texts[number % INPUTS]))


def _component_work() -> dict[str, Work]:
    nlp = whole()
    texts = [raw_text(full_treebank(3, seed)) for seed in range(INPUTS)]
    words = [[sentence.words for sentence in treebank(3, seed)] for seed in range(INPUTS)]
    tokenizer, tagger, lemmatizer = nlp.tokenizer, nlp.tagger, nlp.lemmatizer
    assert tokenizer is not None
    assert tagger is not None
    assert lemmatizer is not None
    return {
        "tokenizer": lambda number: _bytes(tokenizer.apply([texts[number % INPUTS]])),
        "tagger": lambda number: [tagger.columns(each) for each in words[number % INPUTS]],
        "lemmatizer": lambda number: _bytes(lemmatizer.apply(_bare(number))),
    }


def _bare(number: int) -> list[Sentence]:
    return [Sentence.from_words(s.words, s.upos, xpos=s.xpos) for s in treebank(3, number % INPUTS)]


def _parsing(nlp: Pipeline, request: Request) -> Work:
    """Sentences with every other head given, if given arcs are kept. What cannot be parsed gives an error."""

    def work(number: int) -> object:
        sentences = _bare(number)
        if request.constrained:
            for sentence, gold in zip(sentences, treebank(3, number % INPUTS, crossing=0.0), strict=True):
                if len(sentence) == len(gold):
                    sentence.heads = [h if k % 2 else None for k, h in enumerate(gold.heads)]
        try:
            return _bytes(nlp.parse(sentences, request))
        except DodonaError as error:
            return str(error)

    return work


def _deriving(system: System) -> Work:
    """The same gold trees in all threads: a planned derivation is stored in them."""
    chains = [[*range(2, n + 1), 0] for n in range(2, 2 + INPUTS)]
    golds = [system.gold(heads, ["a"] * (len(heads) - 1) + ["root"]) for heads in chains]

    def work(number: int) -> object:
        gold = golds[number % INPUTS]
        c = system.initial(gold.core.n)
        names = system.static(gold, oracle=system.entry.static_oracles[number % len(system.entry.static_oracles)])
        costs = []
        for name in names:
            if "dynamic" in system.entry.oracles:
                costs.append(system.costs(c, gold))
            system.apply(c, name)
        return names, costs, system.tree(c)

    return work


def _training(number: int) -> object:
    name = list(SYSTEMS)[number % len(SYSTEMS)]
    nlp = dodona.train(treebank(4, number % INPUTS), components=["parser"], tags="gold", system=name, iterations=1)
    return _bytes(nlp.parse(_bare(number)))


def _files(number: int) -> object:
    data = _bytes(full_treebank(3, number % INPUTS))
    sentences = list(only_sentences(read_conllu([data], "memory")))
    return _bytes(sentences), [str(line) for sentence in sentences for line in dodona.draw(sentence)]


@contextmanager
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can, so that a race shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(work: dict[str, Work], names: Sequence[str], threads: int, seed: int = 1) -> list[Difference]:
    """Do all the work with these names, each in any of the threads, and return what was not as in one thread alone."""
    alone = {(name, number): work[name](number) for name in dict.fromkeys(names) for number in range(INPUTS)}
    chance = random.Random(seed)
    tasks = [(name, chance.randrange(INPUTS)) for name in names]
    chance.shuffle(tasks)
    differences: list[Difference] = []
    barrier = threading.Barrier(threads)

    def run(own: list[tuple[str, int]]) -> None:
        barrier.wait(timeout=PATIENCE)
        for name, number in own:
            try:
                found = work[name](number)
            except Exception as error:
                found = error
            if found != alone[name, number]:
                differences.append(Difference(name, number, found))
            time.sleep(0)

    running = [threading.Thread(target=run, args=(tasks[k::threads],), daemon=True) for k in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout=PATIENCE)
        if thread.is_alive():
            raise TimeoutError("a thread does not end")
    return differences
