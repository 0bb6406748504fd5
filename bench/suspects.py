"""How many annotation errors are found: `python bench/suspects.py [FOLDER]`, with treebanks as in treebank_folder.py.

One word in a hundred of each training part gets another label by chance, and one in a hundred another head. Printed are
the share of these errors among the first 5 % of all words, and the share of errors among the first 200 suspects. Then
18 words of 1,656 sentences of Turkish get the label obj for nsubj, or nsubj for obj: how many are among the first 200.

Options: --only NAME,…  --swaps SEEDS (how often the 18 are drawn)  --seeds N (of find_suspects)  --jobs N
"""

import argparse
import random
import time
from collections.abc import Sequence, Set
from pathlib import Path

from treebank_folder import treebank_folder

from dodona import read
from dodona.annotation.suspects import Suspect, find_suspects, put_in_errors
from dodona.data import Sentence
from dodona.parser.options import ParserOptions
from dodona.pipeline.training import TrainingPlan

TREEBANKS = ("hu_szeged", "sv_lines", "tr_imst")
SHARE = 0.05  # of all words
FIRST = 200  # suspects
SWAPPED = {"nsubj": "obj", "obj": "nsubj"}
SWAPS, SAMPLE = 18, 1656

Word = tuple[int, int]
"""The number of a sentence, from 0, and of a word, from 1."""


def change(sentences: Sequence[Sentence], seed: int) -> tuple[list[Sentence], set[Word]]:
    """Return the sentences with errors put in by chance, and the words that are wrong."""
    copies = [sentence.copy() for sentence in sentences]
    words: set[Word] = set()
    for i, ((heads, labels), wrong) in put_in_errors(sentences, random.Random(f"bench {seed}"), 0.01).items():
        copies[i].set_tree(heads, labels)
        words |= {(i, d) for d in wrong}
    return copies, words


def swap(sentences: Sequence[Sentence], seed: int) -> tuple[list[Sentence], set[Word]]:
    """Return a sample of the sentences with some subjects as objects and the reverse, and the words that are wrong."""
    rng = random.Random(f"bench {seed}")
    copies = [sentence.copy() for sentence in rng.sample(sentences, min(SAMPLE, len(sentences)))]
    words = [(i, d) for i, each in enumerate(copies) for d, label in enumerate(each.labels, 1) if label in SWAPPED]
    wrong = set(rng.sample(words, SWAPS))
    for i, d in sorted(wrong):
        labels = list(copies[i].labels)
        labels[d - 1] = SWAPPED[labels[d - 1]]
        copies[i].set_tree(copies[i].gold_heads(), labels)
    return copies, wrong


def count(suspects: Sequence[Suspect], wrong: Set[Word], first: int) -> int:
    """Return how many of the first suspects are errors."""
    return sum((each.sentence, each.word) in wrong for each in suspects[:first])


def train_part(folder: Path, name: str) -> list[Sentence]:
    return list(read(folder / name / "train.conllu.gz"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", default=",".join(TREEBANKS))
    parser.add_argument("--swaps", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    folder = treebank_folder([given.folder] if given.folder else [])
    options, plan = ParserOptions(), TrainingPlan()
    rates = []
    for name in filter(None, given.only.split(",")):
        sentences, wrong = change(train_part(folder, name), 1)
        begin = time.process_time()
        suspects = find_suspects(sentences, options, plan, given.seeds, given.jobs)
        words = sum(map(len, sentences))
        rates.append((
            count(suspects, wrong, round(SHARE * words)) / len(wrong), count(suspects, wrong, FIRST) / FIRST,
        ))  # fmt: skip
        spent = time.process_time() - begin
        early, precise = rates[-1]
        print(
            f"{name:12}{words:8} words{len(wrong):6} wrong{early:8.1%} early{precise:8.1%} right{spent:7.0f} s",
            flush=True,
        )
    if rates:
        early, precise = (sum(column) / len(rates) for column in zip(*rates, strict=True))
        print(f"{'mean':39}{early:8.1%} early{precise:8.1%} right", flush=True)
    for seed in range(1, given.swaps + 1):
        sentences, wrong = swap(train_part(folder, "tr_imst"), seed)
        suspects = find_suspects(sentences, options, plan, given.seeds, given.jobs)
        words = sum(map(len, sentences))
        inside = count(suspects, wrong, FIRST), count(suspects, wrong, round(SHARE * words))
        print(
            f"tr_imst, sample {seed}: {inside[0]} of {SWAPS} swaps in the first {FIRST}, {inside[1]} in the first 5 %",
            flush=True,
        )


if __name__ == "__main__":
    main()
