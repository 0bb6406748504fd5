"""Beam search on UD English EWT: `python bench/beam.py TREEBANKS [WIDTH] [ITERATIONS]`.

Trains arc-eager with gold tags, greedy with the dynamic oracle and with a beam, then measures accuracy on dev and test,
words per CPU second by width, memory, calibration on dev, and whether every given arc comes out of constrained parses
of 2,000 random partial annotations. CPU time on one core, best of several runs.
"""

import random
import sys
import time
from functools import partial

from parsing import peak_memory, seconds
from treebank_folder import treebank_folder

from dodona import Sentence, read
from dodona.evaluation import compare
from dodona.evaluation.calibration import confidences, reliability
from dodona.parser.confidence import fit_temperature
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.training import train_parser
from dodona.search.beam import Beam
from dodona.search.scorer import EncodedSentence
from dodona.transitions.derivations import gold_tree

WIDTHS = (1, 2, 5, 10, 20, 40)
PARTS = 2000


def trained(training: list[Sentence], dev: list[Sentence], test: list[Sentence], **options: object) -> Parser:
    begin = time.process_time()
    parser = train_parser(training, ParserOptions(nonprojective="baseline", **options))  # type: ignore[arg-type]
    spent = time.process_time() - begin
    (_, dev_las), (_, test_las) = parser.scores(dev), parser.scores(test)
    print(f"beam {parser.options.beam}: LAS {dev_las:.2f} on dev, {test_las:.2f} on test; trained in {spent:.0f} CPU s")
    return parser


def show_speed(parser: Parser, sentences: list[Sentence]) -> None:
    encoded = parser._searches.session.encode(sentences)
    count = sum(map(len, sentences))
    for width in WIDTHS:
        beam = parser._searches.beam(width)
        best = seconds(partial(_search, beam, encoded), 3)
        print(f"  width {width}: {count / best:,.0f} words a CPU second", flush=True)


def _search(beam: Beam, encoded: list[EncodedSentence]) -> None:
    for words in encoded:
        beam.search(words)


def show_calibration(parser: Parser, dev: list[Sentence]) -> None:
    parser.temperature = fit_temperature(parser, dev)
    parsed = list(parser.apply([sentence.copied() for sentence in dev], request=Request(confidence=True)))
    found = reliability(compare(dev, parsed), confidences(parsed))
    print(f"  temperature {parser.temperature:.0f}, calibration error {found.error:.4f}, Brier {found.brier:.4f}")
    for one in found.bins:
        print(
            f"  {one.low:.2f}-{one.high:.2f}: {one.arcs:>6} arcs, {one.confidence:.3f} sure, {one.accuracy:.3f} right"
        )


def show_constraints(parser: Parser, dev: list[Sentence], width: int) -> None:
    """Random parts of projective dev trees; each given arc must come out."""
    chance = random.Random(1)
    given = kept = 0
    projective = [sentence for sentence in dev if _is_projective(sentence)]
    for _ in range(PARTS):
        sentence = chance.choice(projective)
        share = chance.random()
        heads = [h if chance.random() < share else None for h in sentence.heads]
        pairs = zip(heads, sentence.labels, strict=True)
        labels = [label if h is not None and chance.random() < 0.5 else "_" for h, label in pairs]
        columns = {name: getattr(sentence, name) for name in ("upos", "xpos", "feats")}
        part = Sentence.from_words(sentence.words, heads=heads, labels=labels, **columns)
        (found,) = parser.analyses(part, Request(beam=width, constrained=True))
        for h, label, new_h, new_label in zip(heads, labels, found.heads, found.labels, strict=True):
            if h is not None:
                given += 1
                kept += h == new_h and label in ("_", new_label)
    print(f"  constrained, width {width}: {kept} of {given} given arcs in {PARTS} random parts of dev trees came out")


def _is_projective(sentence: Sentence) -> bool:
    return bool(gold_tree(sentence.gold_heads(), [0] * len(sentence)).is_projective)


def main() -> None:
    folder = treebank_folder(sys.argv[1:]) / "en_ewt"
    width, iterations = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((2, 20), (3, 10)))
    training, dev, test = (list(read(folder / f"{part}.conllu.gz")) for part in ("train", "dev", "test"))
    greedy = trained(training, dev, test)
    show_constraints(greedy, dev, 1)
    parser = trained(training, dev, test, beam=width, iterations=iterations)
    show_speed(parser, test[:800])
    show_calibration(parser, dev)
    show_constraints(parser, dev, width)
    print(f"  peak memory with training data {peak_memory()} MB")


if __name__ == "__main__":
    main()
