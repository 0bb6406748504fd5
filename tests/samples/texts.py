"""Small treebanks with raw text that a grammar writes: enough to learn tokens, sentences and contractions from."""

import random

from dodona import Sentence
from dodona.data.ud import NO_SPACE

NAMES = ["Ares", "Hera", "Leto", "Zeus"]
VERBS = ["asked", "answered", "heard", "saw"]
NOUNS = ["oak", "dove", "priest", "leaf", "question", "bronze"]
NEGATED = ["did", "had", "could", "would", "should"]
JAPANESE_NOUNS = ["木", "鳩", "神", "葉", "泉"]
JAPANESE_VERBS = ["見る", "聞く", "話す"]


def english(count: int, seed: int = 1) -> list[Sentence]:
    """`Dr. Ares didn't see 10 000 oaks.`: an abbreviation, a contraction, a space inside a number."""
    chance = random.Random(seed)
    sentences = []
    for number in range(count):
        words = ["Dr.", chance.choice(NAMES)] if chance.random() < 0.3 else [chance.choice(NAMES)]
        spaces = [" "] * len(words)
        ranges = []
        if chance.random() < 0.4:
            verb = chance.choice(NEGATED)
            words += [verb, "n't"]
            spaces += ["", " "]
            ranges.append((len(words) - 1, len(words), verb + "n't"))
        if number % 60 == 7:
            words += ["gim", "me"]
            spaces += ["", " "]
        else:
            words.append(chance.choice(VERBS))
            spaces.append(" ")
        words.append("10 000" if chance.random() < 0.2 else "the")
        spaces.append(" ")
        if chance.random() < 0.2:
            words += ["(", "old", ")"]
            spaces += ["", "", " "]
        words += [chance.choice(NOUNS), chance.choice([".", ".", "!", "?"])]
        spaces += ["", " "]
        text = "".join(word + space for word, space in zip(words, spaces, strict=True)).rstrip()
        inside = {k for first, last, _ in ranges for k in range(first, last + 1)}
        misc = [NO_SPACE if not space and k not in inside else "_" for k, space in enumerate(spaces, start=1)]
        comments = ["# newpar", f"# text = {text}"] if number % 5 == 0 else [f"# text = {text}"]
        heads = [0] + [1] * (len(words) - 1)
        sentences.append(
            Sentence.from_words(
                words, heads=heads, labels=["dep"] * len(words), misc=misc, comments=comments, multiword=ranges
            )
        )
    return sentences


def japanese(count: int, seed: int = 1) -> list[Sentence]:
    """No spaces at all, neither in `# text` nor between sentences."""
    chance = random.Random(seed)
    sentences = []
    for _ in range(count):
        words = [
            chance.choice(JAPANESE_NOUNS),
            "は",
            chance.choice(JAPANESE_NOUNS),
            "を",
            chance.choice(JAPANESE_VERBS),
            "。",
        ]
        sentences.append(
            Sentence.from_words(
                words,
                heads=[5, 1, 5, 3, 0, 5],
                labels=["dep"] * 6,
                misc=[NO_SPACE] * 6,
                comments=[f"# text = {''.join(words)}"],
            )
        )
    return sentences
