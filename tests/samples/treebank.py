"""A small treebank that a grammar writes: enough to learn from, free of anyone's sentences."""

import random

from dodona import Sentence

NOUNS = ["oak", "dove", "priest", "leaf", "question", "answer", "bronze", "spring"]
VERBS = ["rustles", "asks", "answers", "hears", "sees", "brings"]
ADJECTIVES = ["old", "sacred", "green", "deep"]
ADVERBS = ["slowly", "today", "often"]


def noun_phrase(chance: random.Random) -> tuple[list[tuple[str, str]], list[int], list[str]]:
    """Words with tags, heads within the phrase (0 for its head) and labels."""
    words, heads, labels = [("the", "DET")], [-1], ["det"]
    for _ in range(chance.choice([0, 0, 1, 2])):
        words.append((chance.choice(ADJECTIVES), "ADJ"))
        heads.append(-1)
        labels.append("amod")
    words.append((chance.choice(NOUNS), "NOUN"))
    head = len(words)
    return words, [head] * (head - 1) + [0], [*labels, "HEAD"]


def sentence(chance: random.Random, crossing: bool) -> Sentence:
    subject, subject_heads, subject_labels = noun_phrase(chance)
    thing, thing_heads, thing_labels = noun_phrase(chance)
    verb = len(subject) + 1
    words = [*subject, (chance.choice(VERBS), "VERB"), *thing]
    heads = [h or verb for h in subject_heads] + [0] + [h + verb if h else verb for h in thing_heads]
    labels = [*subject_labels, "root", *thing_labels]
    labels[len(subject) - 1] = "nsubj"
    labels[-1] = "obj"
    if crossing:  # an adverb that belongs to the subject stands at the end
        words.append((chance.choice(ADVERBS), "ADV"))
        heads.append(len(subject))
        labels.append("advmod")
    words.append((".", "PUNCT"))
    heads.append(verb)
    labels.append("punct")
    return Sentence.from_words(
        [word for word, _ in words],
        [tag for _, tag in words],
        xpos=[tag.lower() for _, tag in words],
        heads=heads,
        labels=labels,
    )


def treebank(count: int, seed: int = 1, crossing: float = 0.2) -> list[Sentence]:
    chance = random.Random(seed)
    return [sentence(chance, chance.random() < crossing) for _ in range(count)]
