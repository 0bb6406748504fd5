"""Tagging and lemmatizing on all treebanks of a folder or on some: `python bench/tagging.py TREEBANKS [NAME ...]`

For each: accuracy on test from gold words (lemmas from predicted tags, all = UPOS, XPOS and FEATS together), seconds to
train, megabytes, and words per CPU second of each component, best of several runs. The lemmatizer remembers words that
it has seen, so each of its runs begins with a new one.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treebank_folder import treebank_folder

from dodona import Sentence, read
from dodona.lemmatizer.lemmatizer import Lemmatizer, LemmatizerOptions, train_lemmatizer
from dodona.tagger.tagger import TaggerOptions, train_tagger

RUNS = 7


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def megabytes(component: Any) -> float:
    description, arrays = component.parts()
    return float(len(str(description)) + sum(array.nbytes for array in arrays.values())) / 1e6


def columns(sentences: list[Sentence]) -> list[tuple[str, ...]]:
    return [
        row
        for sentence in sentences
        for row in zip(sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas, strict=True)
    ]


def percent(gold: list[Any], found: list[Any]) -> float:
    return 100 * sum(bool(one == other) for one, other in zip(gold, found, strict=True)) / len(gold)


def measure(folder: Path) -> None:
    training, test = (list(read(folder / f"{part}.conllu.gz")) for part in ("train", "test"))
    gold = columns(test)
    begin = time.process_time()
    tags = train_tagger(training, TaggerOptions())
    middle = time.process_time()
    lemmas = train_lemmatizer(training, LemmatizerOptions())
    end = time.process_time()
    tagging = min(seconds(lambda: list(tags.apply(test))) for _ in range(RUNS))
    again = [Lemmatizer.from_parts(*lemmas.parts(), "here") for _ in range(RUNS)]
    lemmatizing = min(seconds(lambda: list(one.apply(test))) for one in again)  # noqa: B023
    found = columns(test)
    scores = [percent([row[k] for row in gold], [row[k] for row in found]) for k in range(4)]
    scores.insert(3, percent([row[:3] for row in gold], [row[:3] for row in found]))
    print(
        f"{folder.name:14}",
        *(f"{score:6.2f}" for score in scores),
        f"{middle - begin:6.1f} {end - middle:6.1f}",
        f"{megabytes(tags):6.2f} {megabytes(lemmas):6.2f}",
        f"{len(gold) / tagging:9,.0f} {len(gold) / lemmatizing:9,.0f}",
        flush=True,
    )


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    names = sys.argv[2:] or sorted(path.name for path in folder.iterdir() if (path / "train.conllu.gz").exists())
    print("treebank         UPOS   XPOS  FEATS    all  lemma  train CPU s      megabytes  words per CPU second")
    for name in names:
        measure(folder / name)


if __name__ == "__main__":
    main()
