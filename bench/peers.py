"""Dodona beside spaCy and UDPipe 1, in one run on one core.

    python bench/peers.py TREEBANK PEERS [--plot FILE] [--parser NAME=MODEL …]

TREEBANK is a folder with test.conllu.gz; PEERS has `ewt-tagger.udpipe`, `ewt-parser.udpipe` and the folder `model-best`
of a spaCy model, all trained on the same data. A peer whose package (spacy, ufal.udpipe) is not installed is left out.
Three tables: gold words are tagged and parsed; gold words with gold tags are parsed, which spaCy cannot do without its
tagger; raw text is parsed, with sentences and tokens of its own, which these models of UDPipe cannot do. Speed is words
per CPU second, the best of three runs in turns, from sentences in the memory of each program to trees there; LAS counts
full labels.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import sys
import time
from collections.abc import Callable, Iterable
from html import escape
from importlib import import_module
from importlib.util import find_spec
from math import log10
from pathlib import Path
from typing import Any

from dodona import Pipeline, Sentence, load, read, write
from dodona.data.spacing import raw_text
from dodona.parser.request import Request

Arcs = list[list[tuple[int, str]]]
Row = tuple[str, float, float, float]
Place = tuple[float, float, int]
"""Where a name begins or ends in the plot, and to which side it goes on: 1 for the right, -1 for the left."""
Parse = Callable[[], tuple[float, Arcs]]
"""Does the work once; returns the seconds that it took, and the trees."""

RUNS = 3
MODELS = "en", "en-small", "en-fast"
PUBLISHED = {"UDPipe 2, published (UD 2.17, labels without subtypes, no speed)": 92.36}


def timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measured(title: str, gold: list[Sentence], candidates: dict[str, Parse]) -> list[Row]:
    """Print UAS, LAS and speed of all, which take turns."""
    print(f"\n| {title} | UAS | LAS | words per CPU second |\n|---|---:|---:|---:|")
    best = dict.fromkeys(candidates, float("inf"))
    trees: dict[str, Arcs] = {}
    for _ in range(RUNS):
        for name, parse in candidates.items():
            seconds, trees[name] = parse()
            best[name] = min(best[name], seconds)
    arcs = [arc for sentence in gold for arc in zip(sentence.gold_heads(), sentence.labels, strict=True)]
    rows = []
    for name, found in trees.items():
        pairs = list(zip(arcs, (arc for tree in found for arc in tree), strict=True))
        uas = sum(one[0] == other[0] for one, other in pairs) / len(pairs)
        las = sum(one == other for one, other in pairs) / len(pairs)
        rows.append((name, 100 * uas, 100 * las, len(pairs) / best[name]))
        print(f"| {name} | {100 * uas:.2f} | {100 * las:.2f} | {len(pairs) / best[name]:,.0f} |", flush=True)
    return rows


def trees_of(sentences: Iterable[Sentence]) -> Arcs:
    return [list(zip(sentence.gold_heads(), sentence.labels, strict=True)) for sentence in sentences]


def dodona(model: str, gold: list[Sentence], beam: int = 1) -> Parse:
    """Tags and trees."""
    pipeline = load(model)
    pipeline.lemmatizer = None
    request = Request(beam=beam) if beam > 1 else None

    def parse() -> tuple[float, Arcs]:
        sentences = [Sentence.from_words(sentence.words) for sentence in gold]
        return timed(lambda: list(pipeline.parse(sentences, request))), trees_of(sentences)

    return parse


def dodona_parser(model: str, gold: list[Sentence], beam: int = 1) -> Parse:
    """Trees alone."""
    nlp = Pipeline(load(model).parser)
    request = Request(beam=beam) if beam > 1 else None

    def parse() -> tuple[float, Arcs]:
        copies = [sentence.copy() for sentence in gold]
        return timed(lambda: list(nlp.parse(copies, request))), trees_of(copies)

    return parse


def spacy(folder: Path, gold: list[Sentence]) -> Parse:
    peer = import_module("spacy")
    document = import_module("spacy.tokens").Doc
    nlp = peer.load(folder)

    def parse() -> tuple[float, Arcs]:
        docs = [document(nlp.vocab, sentence.words) for sentence in gold]
        seconds = timed(lambda: list(nlp.pipe(docs, batch_size=256)))
        found = []
        for doc in docs:
            heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
            labels = ["root" if token.head.i == token.i else token.dep_ for token in doc]
            found.append(list(zip(heads, labels, strict=True)))
        return seconds, found

    return parse


def udpipe(folder: Path, gold: list[Sentence], beam: int, tags: bool) -> Parse:
    """Trees, from gold tags or from predicted ones."""
    peer = import_module("ufal.udpipe")
    tagger, parser = (peer.Model.load(str(folder / f"ewt-{name}.udpipe")) for name in ("tagger", "parser"))

    def given(sentence: Sentence) -> Any:
        words = peer.Sentence()
        for word, lemma, upos, xpos, feats in zip(
            sentence.words, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True
        ):
            new = words.addWord(word)
            if tags:
                new.lemma, new.upostag, new.xpostag = lemma, upos, xpos
                new.feats = "" if feats == "_" else feats
        return words

    def parse() -> tuple[float, Arcs]:
        prepared = [given(sentence) for sentence in gold]

        def work() -> None:
            for words in prepared:
                if not tags:
                    tagger.tag(words, "")
                parser.parse(words, f"beam_search={beam}")

        seconds = timed(work)
        return seconds, [[(word.head, word.deprel) for word in list(words.words)[1:]] for words in prepared]

    return parse


def from_text(gold: list[Sentence], peers: Path) -> None:
    """Print the speed from raw text to trees, in words of the treebank."""
    text = raw_text(gold)
    paragraphs = text.split("\n\n")
    work: dict[str, Callable[[], object]] = {}
    for model in MODELS:
        nlp = load(model)
        work[f"Dodona {model}"] = lambda nlp=nlp: write(nlp.parse(nlp.sentences([text])), os.devnull)  # type: ignore[misc]
    if find_spec("spacy"):
        peer = import_module("spacy").load(peers / "model-best")
        work["spaCy"] = lambda: [len(doc) for doc in peer.pipe(paragraphs, batch_size=256)]
    best = dict.fromkeys(work, float("inf"))
    for _ in range(RUNS):
        for name, each in work.items():
            begin = time.process_time()
            each()
            best[name] = min(best[name], time.process_time() - begin)
    print("\n| text to trees | words per CPU second |\n|---|---:|")
    for name, seconds in best.items():
        print(f"| {name} | {sum(map(len, gold)) / seconds:,.0f} |", flush=True)


def overlap(one: Place, length: float, other: Place, other_length: float) -> bool:
    (left, y, side), (other_left, other_y, other_side) = one, other
    left, other_left = left - length * (side < 0), other_left - other_length * (other_side < 0)
    return abs(y - other_y) < 13 and left < other_left + other_length and other_left < left + length


def plot(rows: list[Row], path: str) -> None:
    """Draw accuracy against speed, on a logarithmic axis, as SVG; a dashed line for what was not measured here."""
    width, height, left, bottom = 640, 360, 60, 40
    low, high = 3.3, 5.7
    scores = [*(row[2] for row in rows), *PUBLISHED.values()]
    least, most = min(scores) - 1, max(scores) + 1

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
    for tick in (5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 400_000):
        lines.append(f'<path d="M{x(tick):.1f} {height - bottom}v5" stroke="black"/>')
        lines.append(f'<text x="{x(tick):.1f}" y="{height - bottom + 18}" text-anchor="middle">{tick:,}</text>')
    for mark in range(int(least) + 1, int(most) + 1):
        lines.append(f'<path d="M{left - 5} {y(mark):.1f}h5" stroke="black"/>')
        lines.append(f'<text x="{left - 8}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark}</text>')
    for name, las in PUBLISHED.items():
        lines.append(f'<path d="M{left} {y(las):.1f}H{width - 20}" stroke="#888" stroke-dasharray="4 4"/>')
        lines.append(f'<text x="{left + 8}" y="{y(las) - 6:.1f}" fill="#666">{escape(name)}</text>')
    names = [((x(speed) - 5, y(las) + 5, 1), 10.0) for _, _, las, speed in rows]  # no name lies on a point or a name
    for name, _, las, speed in rows:
        colour = "#b03020" if name.startswith("Dodona") else "#305080"
        lines.append(f'<circle cx="{x(speed):.1f}" cy="{y(las):.1f}" r="5" fill="{colour}"/>')
        length = 7.0 * len(name)
        places = [(x(speed) + side * 8, y(las) + below, side) for below in (-6, 15) for side in (1, -1)]
        places = [place for place in places if left < place[0] + min(0, place[2]) * length]  # none lies on the axis
        free = (place for place in places if not any(overlap(place, length, *other) for other in names))
        place = next(free, places[0])
        names.append((place, length))
        at = f'x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{"start" if place[2] == 1 else "end"}"'
        lines.append(f'<text {at} fill="{colour}">{escape(name)}</text>')
    Path(path).write_text("\n".join([*lines, "</svg>"]) + "\n")


def main() -> None:
    arguments = sys.argv[1:]
    picture = None
    if "--plot" in arguments:
        picture = arguments.pop(arguments.index("--plot") + 1)
        arguments.remove("--plot")
    parsers = {}
    while "--parser" in arguments:
        name, _, model = arguments.pop(arguments.index("--parser") + 1).partition("=")
        arguments.remove("--parser")
        parsers[name] = model
    if len(arguments) != 2:
        sys.exit(__doc__)
    treebank, peers = map(Path, arguments)
    gold = list(read(treebank / "test.conllu.gz"))
    both = {f"Dodona {model}": dodona(model, gold) for model in MODELS}
    both["Dodona en, beam 8"] = dodona("en", gold, 8)
    alone = {f"Dodona {name}": dodona_parser(model, gold) for name, model in parsers.items()}
    for name, model in parsers.items():
        alone[f"Dodona {name}, beam 20"] = dodona_parser(model, gold, 20)
    if find_spec("spacy"):
        both["spaCy"] = spacy(peers / "model-best", gold)
    if find_spec("ufal"):
        for beam in (1, 5):
            both[f"UDPipe 1, beam {beam}"] = udpipe(peers, gold, beam, tags=False)
            alone[f"UDPipe 1, beam {beam}"] = udpipe(peers, gold, beam, tags=True)
    rows = measured("tags and trees", gold, both)
    measured("trees from gold tags", gold, alone)
    from_text(gold, peers)
    if picture is not None:
        plot(rows, picture)


if __name__ == "__main__":
    main()
