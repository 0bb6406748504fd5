"""The official scorer of the shared task as the referee: every count of every metric, run as a program of its own."""

import random
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from samples.inflected import inflected
from samples.texts import english, japanese
from samples.treebank import treebank

from dodona import Sentence, read, write
from dodona.evaluation import METRICS, evaluate

OFFICIAL = "import sys; from udtools.cli import main_eval; sys.exit(main_eval())"
LABELS = ["nsubj", "nsubj:pass", "obj", "det", "case", "punct", "aux:pass", "cc", "advmod", "nmod:poss", "flat"]
UPOS = ["NOUN", "VERB", "PUNCT", "DET"]
FEATS = ["_", "Number=Plur", "Number=Sing", "Case=Nom|Number=Plur", "Own=Yes", "Number=Plur|Own=Yes", "Typo=Yes"]
Token = tuple[str, list[str]]  # what the text has, and its words


def official(gold: Path, system: Path) -> dict[str, list[int]]:
    """The counts that the scorer prints: correct, gold, system and, where it has them, aligned."""
    command = [sys.executable, "-c", OFFICIAL, "--counts", "--no-enhanced", "--multiple-roots-okay"]
    run = subprocess.run(
        [*command, gold, system], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=True
    )
    rows = [[cell.strip() for cell in line.split("|")] for line in run.stdout.splitlines() if "|" in line]
    return {name: [int(cell) for cell in cells if cell] for name, *cells in rows[1:]}


def ours(gold: Path, system: Path) -> dict[str, list[int]]:
    found = {}
    for name, score in evaluate(read(gold), read(system)).items():
        found[name] = [score.correct, score.gold, score.system]
        if score.aligned is not None or name == "Words":
            found[name].append(score.correct if score.aligned is None else score.aligned)
    return found


def tokens_of(sentence: Sentence) -> list[Token]:
    ranges = {first: (last, form) for first, last, form in sentence.multiword}
    found, k = [], 1
    while k <= len(sentence):
        last, form = ranges.get(k, (k, sentence.words[k - 1]))
        found.append((form, sentence.words[k - 1 : last]))
        k = last + 1
    return found


def annotate(tokens: list[Token], chance: random.Random) -> Sentence:
    """Tags, lemma and label depend on the form, mostly; heads on the neighbours, mostly."""
    words = [word for _, parts in tokens for word in parts]
    ranges, k = [], 0
    for form, parts in tokens:
        if len(parts) > 1:
            ranges.append((k + 1, k + len(parts), form))
        k += len(parts)

    def usual(values: Sequence[str]) -> list[str]:
        return [
            chance.choice(values) if chance.random() < 0.15 else values[zlib.crc32(word.encode()) % len(values)]
            for word in words
        ]

    order = [*range(1, len(words) + 1)]
    if chance.random() < 0.2:
        chance.shuffle(order)
    heads = [0] * len(words)
    for i, d in enumerate(order[1:], start=1):
        heads[d - 1] = order[i - 1] if chance.random() < 0.8 else chance.choice(order[:i])
    labels = ["root" if h == 0 else label for h, label in zip(heads, usual(LABELS), strict=True)]
    return Sentence.from_words(
        words,
        usual(UPOS),
        xpos=usual(["A", "B", "_"]),
        feats=usual(FEATS),
        lemmas=usual(["oak", "dove", "_"]),
        heads=heads,
        labels=labels,
        multiword=ranges,
    )


def as_it_is(tokens: list[list[Token]], chance: random.Random) -> list[list[Token]]:
    return tokens


def cut_again(tokens: list[list[Token]], chance: random.Random) -> list[list[Token]]:
    """The same characters with other tokens, sentences and multiword tokens; most stay."""
    kept = {form: words for sentence in tokens for form, words in sentence}
    text = "".join(form for sentence in tokens for form, _ in sentence)
    ends = [*accumulate(len(form) for sentence in tokens for form, _ in sentence)]
    closing = {ends[k - 1] for k in accumulate(map(len, tokens)) if chance.random() < 0.9} | {len(text)}
    cuts = {end for end in ends if chance.random() < 0.9} | {k for k in range(1, len(text)) if chance.random() < 0.03}
    found: list[list[Token]] = [[]]
    for begin, end in pairwise([0, *sorted(cuts | closing)]):
        form = text[begin:end]
        words = kept.get(form, [form])
        if chance.random() < 0.08:
            words = [chance.choice(["de", "le", "n't", form.lower(), *words]) for _ in range(chance.randint(2, 3))]
        found[-1].append((form, words))
        if end in closing and end < len(text):
            found.append([])
    return found


@pytest.mark.parametrize("cut", [as_it_is, cut_again])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_counts(
    cut: Callable[[list[list[Token]], random.Random], list[list[Token]]], seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    sources = [*english(40, seed), *treebank(20, seed), *inflected(20, seed), *japanese(10, seed)]
    tokens = [[(form.replace(" ", ""), words) for form, words in tokens_of(sentence)] for sentence in sources]
    write([annotate(sentence, chance) for sentence in tokens], tmp_path / "gold.conllu")
    write([annotate(sentence, chance) for sentence in cut(tokens, chance)], tmp_path / "system.conllu")
    found = ours(tmp_path / "gold.conllu", tmp_path / "system.conllu")
    assert tuple(found) == METRICS
    assert found == official(tmp_path / "gold.conllu", tmp_path / "system.conllu")
    assert all(0 < correct < gold for name, (correct, gold, *_) in found.items() if name not in METRICS[:3])
    if cut is cut_again:
        assert all(0 < found[name][0] < found[name][1] for name in METRICS[:3])


def test_spaces_inside_words(tmp_path: Path) -> None:
    """They count for nothing: a word of one file may be two of the other."""
    chance = random.Random(5)
    gold = [annotate([("10 000", ["10 000"]), ("oaks", ["oaks"])], chance) for _ in range(20)]
    system = [
        annotate([("10", ["10"]), ("000", ["000"]), ("oaks", ["oaks"])] if k % 2 else tokens_of(sentence), chance)
        for k, sentence in enumerate(gold)
    ]
    write(gold, tmp_path / "gold.conllu")
    write(system, tmp_path / "system.conllu")
    found = ours(tmp_path / "gold.conllu", tmp_path / "system.conllu")
    assert found == official(tmp_path / "gold.conllu", tmp_path / "system.conllu")
    assert found["Words"][:3] == [30, 40, 50]
