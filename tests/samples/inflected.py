"""A small treebank of inflected words, with capitals at the beginning of sentences; free of anyone's sentences."""

import random

from dodona import Sentence

NOUNS = ["oak", "dove", "priest", "spring", "question", "bronze", "tree", "voice", "grove", "lot"]
VERBS = ["rustle", "ask", "answer", "hear", "bring", "question", "live", "want"]
NAMES = ["Zeus", "Dione", "Homer", "NATO"]
Row = tuple[str, str, str, str, str]  # form, lemma, UPOS, XPOS, FEATS


def noun(chance: random.Random, plural: bool) -> Row:
    stem = chance.choice(NOUNS)
    form = stem + "s" * plural
    return form, stem, "NOUN", "NNS" if plural else "NN", f"Number={'Plur' if plural else 'Sing'}"


def verb(chance: random.Random, plural: bool) -> Row:
    stem = chance.choice(VERBS)
    if chance.random() < 0.4:
        return stem.removesuffix("e") + "ed", stem, "VERB", "VBD", "Tense=Past|VerbForm=Fin"
    if plural:
        return stem, stem, "VERB", "VBP", "Number=Plur|Tense=Pres|VerbForm=Fin"
    return stem + "s", stem, "VERB", "VBZ", "Number=Sing|Tense=Pres|VerbForm=Fin"


def sentence(chance: random.Random) -> Sentence:
    plural = chance.random() < 0.5
    if chance.random() < 0.3:
        name = chance.choice(NAMES)
        rows, plural = [(name, name, "PROPN", "NNP", "Number=Sing")], False
    else:
        rows = [("the", "the", "DET", "DT", "Definite=Def"), noun(chance, plural)]
    rows += [verb(chance, plural), ("the", "the", "DET", "DT", "Definite=Def"), noun(chance, chance.random() < 0.5)]
    rows.append((".", ".", "PUNCT", ".", "_"))
    form = rows[0][0]
    rows[0] = (form[0].upper() + form[1:], *rows[0][1:])
    forms, lemmas, upos, xpos, feats = map(list, zip(*rows, strict=True))
    return Sentence.from_words(forms, upos, lemmas=lemmas, xpos=xpos, feats=feats)


def inflected(count: int, seed: int = 1) -> list[Sentence]:
    chance = random.Random(seed)
    return [sentence(chance) for _ in range(count)]


def bare(sentences: list[Sentence]) -> list[Sentence]:
    """The same words without anything about them."""
    return [Sentence.from_words(sentence.words) for sentence in sentences]


STRANGE = [
    "\N{CRYING FACE}",
    "\N{FAMILY}\N{ZERO WIDTH JOINER}\N{BOY}",
    "e\N{COMBINING ACUTE ACCENT}\N{COMBINING CEDILLA}tes",
    "\N{COMBINING ACUTE ACCENT}",
    "x" * 10_000,
    "\u202eabc",
    "İSTANBUL",
    "STRASSE",
    "straße",
    "ΟΔΟΣ",
    "\N{LATIN SMALL LIGATURE FF}",
    "\U0010ffff",
    " ",
    "two words",
    "_",
]
