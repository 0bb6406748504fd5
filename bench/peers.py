"""Dodona beside spaCy and UDPipe 1, in one run on one core: `python bench/peers.py TREEBANK PEERS [--plot FILE]`.

TREEBANK is a folder with test.conllu.gz; PEERS has `ewt-tagger.udpipe`, `ewt-parser.udpipe` and the folder `model-best`
of a spaCy model, all trained on the same data. A peer whose package (spacy, ufal.udpipe) is not installed is left out.
Each tags and parses gold words. Speed is words per CPU second, the best of three runs; LAS counts full labels.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import sys
import time
from collections.abc import Callable
from html import escape
from importlib import import_module
from importlib.util import find_spec
from math import log10
from pathlib import Path

from dodona import Sentence, load, read
from dodona.components.analysis import Request

Arcs = list[list[tuple[int, str]]]
Row = tuple[str, float, float, float]

RUNS = 3


def measured(name: str, gold: list[Sentence], parse: Callable[[], Arcs]) -> Row:
    """Return UAS, LAS and speed."""
    best = float("inf")
    found: Arcs = []
    for _ in range(RUNS):
        begin = time.process_time()
        found = parse()
        best = min(best, time.process_time() - begin)
    arcs = [list(zip(sentence.gold_heads(), sentence.labels, strict=True)) for sentence in gold]
    pairs = [pair for one, other in zip(arcs, found, strict=True) for pair in zip(one, other, strict=True)]
    uas = sum(one[0] == other[0] for one, other in pairs) / len(pairs)
    las = sum(one == other for one, other in pairs) / len(pairs)
    row = name, 100 * uas, 100 * las, len(pairs) / best
    print(f"| {row[0]} | {row[1]:.2f} | {row[2]:.2f} | {row[3]:,.0f} |", flush=True)
    return row


def dodona(model: str, gold: list[Sentence], beam: int = 1) -> Callable[[], Arcs]:
    pipeline = load(model)
    request = Request(beam=beam) if beam > 1 else None

    def parse() -> Arcs:
        sentences = [Sentence.from_words(sentence.words) for sentence in gold]
        pipeline.lemmatizer = None
        parsed = pipeline.parse(sentences, request)
        return [list(zip(sentence.gold_heads(), sentence.labels, strict=True)) for sentence in parsed]

    return parse


def spacy(folder: Path, gold: list[Sentence]) -> Callable[[], Arcs]:
    peer = import_module("spacy")
    document = import_module("spacy.tokens").Doc
    nlp = peer.load(folder)

    def parse() -> Arcs:
        docs = (document(nlp.vocab, sentence.words) for sentence in gold)
        found = []
        for doc in nlp.pipe(docs, batch_size=256):
            heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
            labels = ["root" if token.head.i == token.i else token.dep_ for token in doc]
            found.append(list(zip(heads, labels, strict=True)))
        return found

    return parse


def udpipe(folder: Path, gold: list[Sentence], beam: int) -> Callable[[], Arcs]:
    peer = import_module("ufal.udpipe")
    tagger, parser = (peer.Model.load(str(folder / f"ewt-{name}.udpipe")) for name in ("tagger", "parser"))

    def parse() -> Arcs:
        found = []
        for sentence in gold:
            words = peer.Sentence()
            for word in sentence.words:
                words.addWord(word)
            tagger.tag(words, "")
            parser.parse(words, f"beam_search={beam}")
            found.append([(words.words[k].head, words.words[k].deprel) for k in range(1, len(sentence.words) + 1)])
        return found

    return parse


def plot(rows: list[Row], path: str) -> None:
    """Draw accuracy against speed, on a logarithmic axis, as SVG."""
    width, height, left, bottom = 640, 360, 60, 40
    low, high = 3.5, 5.5
    least, most = min(row[2] for row in rows) - 1, max(row[2] for row in rows) + 1

    def x(speed: float) -> float:
        return left + (log10(speed) - low) / (high - low) * (width - left - 90)

    def y(las: float) -> float:
        return height - bottom - (las - least) / (most - least) * (height - bottom - 20)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"',
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<path d="M{left} 10V{height - bottom}H{width - 20}" fill="none" stroke="black"/>',
        f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">words per CPU second, tagging and parsing</text>',
        f'<text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">LAS</text>',
    ]
    for tick in (5_000, 10_000, 20_000, 50_000, 100_000, 200_000):
        lines.append(f'<path d="M{x(tick):.1f} {height - bottom}v5" stroke="black"/>')
        lines.append(f'<text x="{x(tick):.1f}" y="{height - bottom + 18}" text-anchor="middle">{tick:,}</text>')
    for mark in range(int(least) + 1, int(most) + 1):
        lines.append(f'<path d="M{left - 5} {y(mark):.1f}h5" stroke="black"/>')
        lines.append(f'<text x="{left - 8}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark}</text>')
    for name, _, las, speed in rows:
        colour = "#b03020" if name.startswith("Dodona") else "#305080"
        lines.append(f'<circle cx="{x(speed):.1f}" cy="{y(las):.1f}" r="5" fill="{colour}"/>')
        before = "beam" in name and x(speed) > left + 170  # names of neighbours must not lie on each other
        place = f'x="{x(speed) + (-8 if before else 8):.1f}" y="{y(las) - 6:.1f}"'
        anchor = "end" if before else "start"
        lines.append(f'<text {place} text-anchor="{anchor}" fill="{colour}">{escape(name)}</text>')
    Path(path).write_text("\n".join([*lines, "</svg>"]) + "\n")


def main() -> None:
    arguments = sys.argv[1:]
    picture = None
    if "--plot" in arguments:
        picture = arguments.pop(arguments.index("--plot") + 1)
        arguments.remove("--plot")
    if len(arguments) != 2:
        sys.exit(__doc__)
    treebank, peers = map(Path, arguments)
    gold = list(read(treebank / "test.conllu.gz"))
    print("| | UAS | LAS | words per CPU second |\n|---|---|---|---|")
    rows = [
        measured("Dodona en", gold, dodona("en", gold)),
        measured("Dodona en, beam 8", gold, dodona("en", gold, 8)),
        measured("Dodona en-fast", gold, dodona("en-fast", gold)),
    ]
    if find_spec("spacy"):
        rows.append(measured("spaCy", gold, spacy(peers / "model-best", gold)))
    if find_spec("ufal"):
        rows += [measured(f"UDPipe 1, beam {beam}", gold, udpipe(peers, gold, beam)) for beam in (1, 5)]
    if picture is not None:
        plot(rows, picture)


if __name__ == "__main__":
    main()
