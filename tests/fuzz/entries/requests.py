"""Requests to parsers of every kind: beams, n-best trees, confidence, and trees of which some arcs are given.

The first bytes of an input choose the model and the request, then three bytes make a word: its form and tag, its head,
its label.
"""

import random

from fuzz.trees import check_parsed
from samples.small_models import small_models
from samples.treebank import ADVERBS, NOUNS, VERBS

from dodona import FormatError, Request, Sentence
from dodona.data.trees import find_cycle
from dodona.pipeline.pipeline import Pipeline

LONGEST = 20  # words
FORMS = (*NOUNS, *VERBS, *ADVERBS, "the", ".", "Zeus", "δρῦς", "x" * 300)
TAGS = ("NOUN", "VERB", "ADV", "DET", "PUNCT", "_", "NEW")
LABELS = ("nsubj", "obj", "det", "root", "advmod", "_", "never:seen", "advmod↑nsubj", "a\\↓")
BEAMS = (None, None, 1, 2, 5)


def seeds() -> list[bytes]:
    chance = random.Random(1)
    return [bytes([model, *chance.randbytes(3 + 3 * LONGEST)]) for model in range(len(small_models()))]


def mutate(seeds: list[bytes], chance: random.Random) -> bytes:
    return chance.randbytes(4 + 3 * chance.randint(1, LONGEST))


def target(data: bytes) -> None:
    models = list(small_models().values())
    model, beam, flags, density, *words = data.ljust(4, b"\0")[: 4 + 3 * LONGEST]
    nlp = models[model % len(models)]
    width = BEAMS[beam % len(BEAMS)]
    request = Request(
        beam=width,
        nbest=1 + (flags >> 2) % (width or 1),
        confidence=bool(flags & 1),
        constrained=bool(flags & 2),
    )
    sentence = _sentence(words, 1 + density % 8)
    if sentence is None:
        raise FormatError("no words")
    _check(nlp, request, sentence)


def _sentence(numbers: list[int], density: int) -> Sentence | None:
    """Words with any heads, as long as there is no cycle: such arcs are refused at once."""
    n = len(numbers) // 3
    if n == 0:
        return None
    heads: list[int | None] = []
    for k in range(n):
        number = numbers[3 * k + 1]
        heads.append(number % (n + 1) if number % 8 < density else None)
        if find_cycle(heads + [None] * (n - len(heads))) is not None:
            heads[-1] = None
    return Sentence.from_words(
        [FORMS[number % len(FORMS)] for number in numbers[: 3 * n : 3]],
        [TAGS[number // 32 % len(TAGS)] for number in numbers[: 3 * n : 3]],
        heads=heads,
        labels=[
            LABELS[number % len(LABELS)] if h is not None else "_"
            for h, number in zip(heads, numbers[2::3], strict=False)
        ],
    )


def _check(nlp: Pipeline, request: Request, sentence: Sentence) -> None:
    given, labels = list(sentence.heads), list(sentence.labels)
    trees = list(nlp.parse([sentence], request))
    assert 1 <= len(trees) <= request.nbest
    for tree in trees:
        check_parsed(tree, nlp.parser.options.single_root)
        if request.constrained:
            for h, found, label, found_label in zip(given, tree.heads, labels, tree.labels, strict=True):
                assert h is None or h == found, "a given arc was not kept"
                assert h is None or label == "_" or label == found_label, "a given label was not kept"
        if request.confidence:
            values = [float(misc.partition("Confidence=")[2]) for misc in tree.misc]
            assert all(0 <= value <= 1 for value in values), values
    assert len({(*tree.heads, *tree.labels) for tree in trees}) == len(trees), "the same tree twice"
