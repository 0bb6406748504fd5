"""Files of feature templates: what is taken can be trained and parsed with."""

from pathlib import Path

from fuzz.trees import check_parsed
from samples.small_templates import SITES, STACK
from samples.treebank import treebank

import dodona
from dodona import OptionError, Sentence
from dodona.data.files import read_shipped
from dodona.linear.templates import ATTRIBUTES, Templates
from dodona.search.addresses import PLACES, STEPS
from dodona.systems.registry import SYSTEMS

TOKENS = tuple(name.encode() for name in (*PLACES, *STEPS, *ATTRIBUTES, "+", ".", "#", "\n", "S0.lc.w", " + ", "dist"))


def seeds() -> list[bytes]:
    return [
        STACK.encode(),
        SITES.encode(),
        *(read_shipped("linear/templates", s)[0].encode() for s in ("covington", "hybrid")),
    ]


def target(data: bytes) -> None:
    path = Path("mine.txt")
    path.write_bytes(data)
    places = set(Templates.load("./mine.txt").places())
    fitting = [entry.name for entry in SYSTEMS.values() if places <= set(entry.positions)]
    if not fitting:
        raise OptionError("no system has all these places")
    name = fitting[len(data) % len(fitting)]
    nlp = dodona.train(
        treebank(2), components=["parser"], tags="gold", system=name, templates="./mine.txt", iterations=1
    )
    for sentence in nlp.parse(Sentence.from_words(s.words, s.upos) for s in treebank(3, 2)):
        check_parsed(sentence, single_root=True)
