"""The cache of lemmas: whatever it has kept, the lemmas are those of the function behind it."""

import random
from array import array
from collections.abc import Sequence

import pytest

from dodona.data.values import Inventory, Values, pick, values_of
from dodona.lemmatizer.model import LemmaCache

UPOS, FEATS = Inventory(["NOUN", "VERB"]), Inventory(["_", "Number=Plur", "é"])


def lemma(form: str, upos: str, feats: str) -> str:
    return f"{form[:-1]}{upos[0]}{feats[-1]}"


def lemmas(cache: LemmaCache, sentences: Sequence[tuple[Values, ...]]) -> list[list[str] | None]:
    forms, upos, feats = (list(column) for column in zip(*sentences, strict=True))
    return [None if found is None else found.strings() for found in cache.lemmas(forms, upos, feats)]


def sentence(chance: random.Random, words: int, kinds: int) -> tuple[list[tuple[str, str, str]], tuple[Values, ...]]:
    forms = [f"é{chance.randrange(kinds)}" * chance.choice([1, 1, 3]) for _ in range(words)]
    upos, feats = ([chance.randrange(k) for _ in forms] for k in (2, 3))
    strings = [(f, UPOS.values[u], FEATS.values[x]) for f, u, x in zip(forms, upos, feats, strict=True)]
    return strings, (values_of(forms), pick(UPOS, array("i", upos)), pick(FEATS, array("i", feats)))


@pytest.mark.parametrize("kinds", [3, 40, 100_000])
def test_lemmas_are_the_same_whatever_was_kept(kinds: int) -> None:
    chance = random.Random(1)
    asked = []

    def counted(*word: str) -> str:
        asked.append(word)
        return lemma(*word)

    cache = LemmaCache(counted)
    for _ in range(30):
        batch = [sentence(chance, chance.randint(1, 80), kinds) for _ in range(5)]
        found = lemmas(cache, [columns for _, columns in batch])
        assert found == [[lemma(*word) for word in words] for words, _ in batch]
    if kinds == 3:
        assert len(asked) == len(set(asked)) == cache.count == 3 * 2 * 2 * 3


def test_the_cache_is_bounded_and_cleared() -> None:
    cache = LemmaCache(lambda form, upos, feats: form)
    for begin in range(0, 40_000, 500):
        forms = [f"w{k}" for k in range(begin, begin + 500)]
        tags = pick(UPOS, array("i", [0] * 500)), pick(FEATS, array("i", [0] * 500))
        assert lemmas(cache, [(values_of(forms), *tags)]) == [forms]
    assert 0 < cache.count <= 1 << 15
    long = "x" * 1020
    tags = pick(UPOS, array("i", [0])), pick(FEATS, array("i", [0]))
    cache.clear()
    assert lemmas(cache, [(values_of([long]), *tags)]) == [[long]]
    assert (cache.count, cache.used) == (0, 0)
    for k in range(3000):  # not more than a megabyte
        lemmas(cache, [(values_of([f"{k:0>500}"]), *tags)])
    assert cache.used <= 1 << 20


def test_only_tags_of_one_tagger_are_cached() -> None:
    cache = LemmaCache(lemma)
    other = Inventory(["VERB", "NOUN"])
    zeros = pick(FEATS, array("i", [0]))
    tags = [
        pick(UPOS, array("i", [1])),
        pick(other, array("i", [1])),
        values_of(["NOUN"]),
        pick(UPOS, array("i", [0])),
    ]
    words = values_of(["oak"])
    assert lemmas(cache, [(words, upos, zeros) for upos in tags]) == [["oaV_"], None, None, ["oaN_"]]
    assert cache.lemmas([words], [["NOUN"]], [zeros]) == [None]
    with pytest.raises(ValueError, match="expected tags for each word"):
        lemmas(cache, [(values_of(["two", "words"]), tags[0], zeros)])
