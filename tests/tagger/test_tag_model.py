"""The compiled tagger against a naive one: every weight after training, every tag, on random words."""

import random

import numpy as np
import pytest
from reference.mixing import text_hash
from reference.quantized import quantized
from reference.tagging import Entry, Tag, TaggerReference

from dodona.data.values import values_of
from dodona.linear.frozen import FrozenWeights, freeze
from dodona.tagger.model import GreedyTagger, Lexicon, TagLearner, TagSet, Traits

TAGS = [
    Tag((0,), "PUNCT", "PUNCT"),
    Tag((1, 2), "NOUN\tN", "NOUN"),
    Tag((1, 2, 3), "NOUN\tN\tNumber=Plur", "NOUN"),
    Tag((4, 5, 6), "VERB\tV\tNumber=Plur", "VERB"),
    Tag((4, 5, 3, 6), "VERB\tV\tNumber=Plur|Tense=Past", "VERB"),
    Tag((7,), "ADJ", "ADJ"),
]
PARTS = 8
STEMS = ["oak", "Dove", "a", "priest", "x2", "É", "spring", "ask-", "rustle", "10", "McX's", "Zeus", "a1b-C2d.E"]
ENDINGS = ["", "s", "ed", "ing", "S", "-like", "nesses"]
LEXICON = {
    "oak": Entry(1, ()),
    "Zeus": Entry(1, (1,)),
    "oaks": Entry(2, (2, 3)),
    "springs": Entry(3, (3, 1, 2)),
    "dove": Entry(1, ()),
    "a": Entry(5, (5,)),
    "McX's": Entry(0, ()),
}
Example = tuple[list[str], list[int]]


def tagset() -> TagSet:
    """Tags as paths in a tree of parts."""
    nodes: dict[tuple[int, ...], int] = {}
    for tag in TAGS:
        for size in range(1, len(tag.parts) + 1):
            nodes.setdefault(tag.parts[:size], len(nodes))
    return TagSet(
        PARTS,
        np.array([nodes.get(path[:-1], -1) for path in nodes], np.int32),
        np.array([path[-1] for path in nodes], np.uint16),
        np.array([nodes[tag.parts] for tag in TAGS], np.int32),
        np.array([text_hash(tag.name) for tag in TAGS], np.uint64),
        np.array([text_hash(tag.upos) for tag in TAGS], np.uint64),
    )


def lexicon(entries: dict[str, Entry]) -> Lexicon:
    sizes = [len(entry.possible) for entry in entries.values()]
    return Lexicon(
        np.array([text_hash(word) & 0xFFFFFFFF | 1 for word in entries], np.uint32),
        np.arange(len(entries), dtype=np.int32),
        np.array([entry.usual for entry in entries.values()], np.int32),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int32),
        np.array([tag for entry in entries.values() for tag in entry.possible], np.int32),
    )


def examples(count: int, seed: int) -> list[Example]:
    """A word's tag depends on its ending, mostly, and is one that the lexicon allows."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        words = [chance.choice(STEMS) + chance.choice(ENDINGS) for _ in range(chance.randint(0, 7))]
        tags = []
        for word in words:
            possible = LEXICON[word].possible if word in LEXICON else ()
            wanted = len(word) % 6 if chance.random() < 0.8 else chance.randrange(6)
            tags.append(wanted if not possible or wanted in possible else chance.choice(possible))
        found.append((words, tags))
    return found


def trained(entries: dict[str, Entry], seed: int, sentences: list[Example]) -> tuple[TagLearner, TaggerReference]:
    compiled_tags, compiled_lexicon = tagset(), lexicon(entries)
    learner = TagLearner(compiled_tags, seed)
    naive = TaggerReference(TAGS, entries, seed)
    for words, tags in sentences:
        learner.train(Traits(words, compiled_tags, compiled_lexicon), np.array(tags, np.int32))
        naive.tag(words, naive.weights.score, tags)
    return learner, naive


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
@pytest.mark.parametrize("entries", [{}, LEXICON], ids=["no lexicon", "lexicon"])
def test_every_weight_and_every_tag(entries: dict[str, Entry], seed: int) -> None:
    sentences = examples(40, seed=3)
    learner, naive = trained(entries, seed, sentences * 3)
    assert learner.count() == (naive.weights.steps, naive.mistakes)
    assert naive.mistakes > 100
    averages = learner.weights.averages()
    found = {(int(key), int(part)): float(weight) for key, part, weight in zip(*averages, strict=True)}
    expected = {place: weight for place, weight in naive.weights.averages().items() if weight}
    assert found == pytest.approx(expected)
    keys, parts, weights = averages
    model = [(key, part, weight) for (key, part), weight in found.items()]
    numbers = quantized(model, PARTS)
    greedy = GreedyTagger(tagset(), FrozenWeights(PARTS, *freeze(keys, parts, weights.astype(np.float64), PARTS)))
    known = lexicon(entries)
    same = 0
    for words, tags in examples(60, seed=4):
        naive_tags = naive.tag(words, lambda keys, part: sum(numbers.get((key, part), 0) for key in keys))
        (predicted,) = greedy.tag_all([values_of(words)], known)
        assert predicted.tolist() == naive_tags
        same += naive_tags == tags
    assert same > 5


def test_where_all_scores_are_equal_the_first_tag_wins() -> None:
    none = freeze(np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0), PARTS)
    greedy = GreedyTagger(tagset(), FrozenWeights(PARTS, *none))
    words = ["oak", "Zeus", "oaks", "springs", "OAKS", "unknown"]
    (predicted,) = greedy.tag_all([values_of(words)], lexicon(LEXICON))
    assert predicted.tolist() == [0, 1, 2, 3, 0, 0]


def test_the_share_that_is_hidden() -> None:
    """Of all features that a first sentence teaches something about: seven in ten."""
    words = [f"word{n}{'x' * (n % 5)}" for n in range(400)]
    learner, naive = trained({}, 5, [(words, [4] * 400)])
    _, whole = trained({}, 5, [])
    assert naive.weights.steps == 400
    kept = sum(len(whole.not_hidden([k + (n << 20) for k in range(1, 41)])) for n in range(400))
    assert 0.68 < kept / 16_000 < 0.72
    assert learner.weights.features == len({key for key, _ in naive.weights.weights})
