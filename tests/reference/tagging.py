"""The tagger as its documentation tells it: features of words, sums of weights, one word after the other.

Weights belong to parts of tags; the score of a tag is the sum over its parts. A frequent word can have only the tags
that the lexicon has for it. Training is an averaged perceptron: the gold tag must win by a margin for every part that
it does not share with the rival, and a random share of the features is hidden at each step.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reference.averaged import AveragedDict
from reference.mixing import mix, prefix_hash, shape_hash, suffix_hash, text_hash

NOBODY, RARE = 5, 7
MARGIN = 3
HIDDEN = 19_660  # of 65,536: three in ten
Score = Callable[[list[int], int], float]  # of features, for a part


class Tag(NamedTuple):
    parts: tuple[int, ...]
    name: str  # as its neighbours see it
    upos: str


class Entry(NamedTuple):
    """Of a word in the lexicon."""

    usual: int
    possible: tuple[int, ...]  # none: all


class Word(NamedTuple):
    """What the tagger sees of a word; the default is a place outside the sentence."""

    form: int = 0
    lower: int = NOBODY
    shape: int = 0
    kind: int = NOBODY
    prefixes: tuple[int, ...] = (0,) * 4
    suffixes: tuple[int, ...] = (0,) * 7


def seen(form: str, tags: Sequence[Tag], lexicon: dict[str, Entry]) -> Word:
    """A word that the lexicon does not have, in any case, is known by its shape and its last two letters alone."""
    lower = form.lower()
    shape = shape_hash(form)
    suffixes = tuple(suffix_hash(lower, size) for size in range(1, 8))
    entry = lexicon.get(form) or lexicon.get(lower)
    return Word(
        text_hash(form),
        text_hash(lower) if entry else RARE,
        shape,
        text_hash(tags[entry.usual].name) if entry else mix(shape, suffixes[1]),
        tuple(prefix_hash(lower, size) for size in range(1, 5)),
        suffixes,
    )


def features(words: list[Word], i: int, tag1: int, class1: int, class2: int) -> list[int]:
    """Names of what is to be seen at word i: the number of a template, and one or two values."""
    sentence = [Word(), Word(), *words, Word(), Word()]
    before2, before1, word, after1, after2 = sentence[i : i + 5]
    found = [(1 + k, prefix, 0) for k, prefix in enumerate(word.prefixes) if prefix]
    found += [(5 + k, suffix, 0) for k, suffix in enumerate(word.suffixes) if suffix]
    found += [
        (12, word.form, 0),
        (13, word.lower, 0),
        (14, word.kind, 0),
        (15, word.shape, int(i == 0)),
        (16, word.shape, word.suffixes[2]),
        (17, word.shape, word.kind),
        (18, before1.lower, 0),
        (19, before1.lower, word.lower),
        (20, before1.shape, word.shape),
        (21, before1.suffixes[2], 0),
        (22, before2.lower, 0),
        (23, after1.lower, 0),
        (24, after1.lower, word.lower),
        (25, after1.shape, word.shape),
        (26, after1.suffixes[2], 0),
        (27, after1.kind, 0),
        (28, after1.kind, word.lower),
        (29, after1.kind, word.kind),
        (30, after1.kind, after2.kind),
        (31, after2.lower, 0),
        (32, before1.kind, after1.kind),
        (33, tag1, 0),
        (34, tag1, class2),
        (35, tag1, word.kind),
        (36, tag1, word.suffixes[2]),
        (37, tag1, after1.kind),
        (38, class1, class2),
        (39, class1, word.lower),
        (40, class1, word.shape),
    ]
    return [mix(0, *feature) for feature in found]


class TaggerReference:
    def __init__(self, tags: Sequence[Tag], lexicon: dict[str, Entry], seed: int = 0) -> None:
        self.tags, self.lexicon, self.seed = tags, lexicon, seed
        self.weights = AveragedDict()
        self.mistakes = 0

    def choices(self, form: str) -> Sequence[int]:
        entry = self.lexicon.get(form)
        return entry.possible if entry and entry.possible else range(len(self.tags))

    def best(self, form: str, keys: list[int], score: Score, handicap: int = -1) -> int:
        """The first of the tags with the highest score; one tag may have to win by a margin for every part."""
        parts = {part: score(keys, part) for tag in self.choices(form) for part in self.tags[tag].parts}
        for part in self.tags[handicap].parts if handicap >= 0 else ():
            parts[part] -= MARGIN
        return max(self.choices(form), key=lambda tag: sum(parts[part] for part in self.tags[tag].parts))

    def tag(self, forms: list[str], score: Score, learn: Sequence[int] | None = None) -> list[int]:
        """Tag a sentence from left to right, each tag given those before it; learn if gold tags are told."""
        words = [seen(form, self.tags, self.lexicon) for form in forms]
        found: list[int] = []
        for i, form in enumerate(forms):
            last = [self.tags[tag] for tag in found[-1:-3:-1]]
            tag1 = text_hash(last[0].name) if last else NOBODY
            class1, class2 = [*(text_hash(tag.upos) for tag in last), NOBODY, NOBODY][:2]
            choices = self.choices(form)
            if len(choices) == 1:
                found.append(choices[0])
                continue
            keys = features(words, i, tag1, class1, class2)
            if learn is not None:
                keys = self.not_hidden(keys)
            found.append(self.best(form, keys, score))
            if learn is not None:
                self.learn(form, keys, found[-1], learn[i])
        return found

    def not_hidden(self, keys: list[int]) -> list[int]:
        chance = mix(0, self.seed, self.weights.steps)
        return [key for key in keys if mix(chance, key) >> 48 >= HIDDEN]

    def learn(self, form: str, keys: list[int], tag: int, gold: int) -> None:
        self.mistakes += tag != gold
        rival = self.best(form, keys, self.weights.score, gold) if tag == gold else tag
        gold_parts, rival_parts = set(self.tags[gold].parts), set(self.tags[rival].parts)
        changes = [(key, part, 1.0) for part in sorted(gold_parts - rival_parts) for key in keys]
        changes += [(key, part, -1.0) for part in sorted(rival_parts - gold_parts) for key in keys]
        self.weights.step(changes)
