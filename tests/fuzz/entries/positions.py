"""Files of positions that a network sees: what is taken can be parsed with."""

from pathlib import Path

from fuzz.trees import check_parsed
from samples.random_networks import random_network
from samples.treebank import treebank

from dodona import OptionError, Sentence
from dodona.data.files import read_shipped
from dodona.neural.positions import Positions
from dodona.pipeline.pipeline import Pipeline
from dodona.search.addresses import PLACES, STEPS
from dodona.systems.registry import SYSTEMS

TOKENS = tuple(name.encode() for name in (*PLACES, *STEPS, ".l", ".", "#", "\n", "S0.lc.l"))


def seeds() -> list[bytes]:
    names = ("stack", "hybrid", "covington", "easy-first")
    return [b"S0\nN0\nS0.lc\nS0.l\n", *(read_shipped("neural/positions", name)[0].encode() for name in names)]


def target(data: bytes) -> None:
    path = Path("mine.txt")
    path.write_bytes(data)
    positions = Positions.load("./mine.txt")
    places = set(positions.places())
    fitting = [entry.name for entry in SYSTEMS.values() if places <= set(entry.positions)]
    if not fitting:
        raise OptionError("no system has all these places")
    nlp = Pipeline(random_network(fitting[len(data) % len(fitting)], positions.text))
    for sentence in nlp.parse(Sentence.from_words(s.words, s.upos) for s in treebank(2, 2)):
        check_parsed(sentence, single_root=True)
