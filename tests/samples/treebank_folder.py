"""A folder of small treebanks that the grammar of `samples.treebank` writes."""

from pathlib import Path

from samples.treebank import treebank

from dodona import Sentence, write

__all__ = ["treebank_folder"]

SIZES = {"train": 24, "dev": 10, "test": 12}
TANGLED = ([2, 0, 1, 3], [2, 0, 1, 1, 3])
"""Trees for which EAGER, LAZY and MINIMAL need different numbers of swaps."""


def tangled(heads: list[int]) -> Sentence:
    words = [f"w{d}" for d in range(len(heads))]
    labels = ["dep" if h else "root" for h in heads]
    return Sentence.from_words(words, ["X"] * len(heads), heads=heads, labels=labels)


def treebank_folder(home: Path, *names: str) -> Path:
    """Treebanks with train, dev and test parts, each with sentences of its own."""
    for number, name in enumerate(names):
        folder = home / name
        folder.mkdir(parents=True)
        for place, (part, size) in enumerate(SIZES.items()):
            sentences = treebank(size - len(TANGLED), seed=10 * number + place + 1, crossing=0.4)
            sentences += [tangled(heads) for heads in TANGLED]
            write(sentences, folder / f"{part}.conllu.gz")
    return home
