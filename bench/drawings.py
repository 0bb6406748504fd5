"""Whether all pictures of treebanks can be read, by their coordinates: `python bench/drawings.py [TREEBANKS [NAMES]]`.

Draws every sentence, as it is and with errors below the words, and looks for text or lines that cover each other. The
last treebank is also drawn from right to left, with Hebrew letters in place of its own. Exit status 1 if any is found.
"""

import random
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.pictures import faults
from treebank_folder import treebank_folder

from dodona import Sentence, read
from dodona.data.trees import is_projective
from dodona.drawing import svg_of

NAMES = ("grc_ptnk", "en_ewt")
HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
PARTS = ("train", "dev", "test")


def in_hebrew(sentence: Sentence) -> Sentence:
    """The same tree with other words, from right to left."""
    words = ["".join(HEBREW[ord(c) % len(HEBREW)] if c.isalpha() else c for c in word) for word in sentence.words]
    return Sentence.from_words(words, sentence.upos, heads=sentence.heads, labels=sentence.labels)


def with_errors(sentence: Sentence, chance: random.Random) -> Sentence:
    """A tree in which about one head and one label of ten are others."""
    parsed = sentence.copy()
    heads, labels = sentence.gold_heads(), list(sentence.labels)
    for k in range(len(heads)):
        if chance.random() < 0.1 and heads[k] and heads[heads[k] - 1]:
            heads[k] = heads[heads[k] - 1]  # the head of its head: still a tree
        if chance.random() < 0.1:
            labels[k] = chance.choice(labels)
    parsed.set_tree(heads, labels)
    return parsed


def check(name: str, sentences: Iterable[Sentence]) -> int:
    """Draw sentences, print what was found, and return how many pictures cannot be read."""
    chance = random.Random(1)
    count = crossing = words = longest = bad = 0
    seconds = 0.0
    for sentence in sentences:
        begin = time.process_time()
        picture = svg_of(sentence)
        seconds += time.process_time() - begin
        count += 1
        words += len(sentence)
        longest = max(longest, len(sentence))
        crossing += not is_projective(sentence.gold_heads())
        for each in (picture, svg_of(sentence, with_errors(sentence, chance))):
            found = faults(each)
            bad += bool(found)
            if found:
                print(f"{name}: {sentence.sent_id}: {found[:3]}")
    print(
        f"{name}: {count:,} sentences, {crossing:,} with crossing arcs, at most {longest} words; "
        f"{bad} of {2 * count:,} pictures with faults; {words / max(seconds, 1e-9):,.0f} words per CPU second"
    )
    return bad


def main(arguments: Sequence[str]) -> int:
    folder = treebank_folder(arguments[:1])
    names = arguments[1:] or NAMES
    files = {name: [folder / name / f"{part}.conllu.gz" for part in PARTS] for name in names}
    bad = sum(check(name, (s for file in files[name] for s in read(file))) for name in names)
    last = names[-1]
    reversed_ones = (in_hebrew(sentence) for file in files[last] for sentence in read(file))
    return min(1, bad + check(f"{last} from right to left", reversed_ones))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
