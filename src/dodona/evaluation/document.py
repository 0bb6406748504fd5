"""A whole file as one sequence of characters, which two tokenizations of the same text have in common."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from dodona.data import Sentence
from dodona.errors import FormatError

__all__ = ["ROOT", "Document", "flatten", "universal"]

Span = tuple[int, int]  # of characters, the second one past the end

ROOT = -1  # as the parent of a word
SPACES = dict.fromkeys(map(ord, "\x20\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))))

# the features that UD defined for all languages at the time of the shared task; its UFeats looks at no others
UNIVERSAL_FEATURES = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite",
))  # fmt: skip


@dataclass(slots=True)
class Document:
    """Tokens and sentences as spans of `characters`, and the columns of all words, one list each."""

    characters: str = ""
    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    places: list[str] = field(default_factory=list)  # file:line of each sentence, for errors
    spans: list[Span] = field(default_factory=list)  # of each word; the words of a multiword token share its span
    multiword: list[bool] = field(default_factory=list)  # whether the word is a part of a multiword token
    forms: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)  # the universal ones, sorted
    labels: list[str] = field(default_factory=list)  # their universal part
    parents: list[int] = field(default_factory=list)  # the index of another word, or ROOT

    def __len__(self) -> int:
        return len(self.parents)


def universal(label: str) -> str:
    """A relation without its language-specific subtype: `nsubj` of `nsubj:pass`."""
    return label.partition(":")[0]


def flatten(sentences: Iterable[Sentence]) -> Document:
    """Read a whole file. Every sentence needs a tree: a missing head is an error, not a wrong head."""
    document = Document()
    pieces: list[str] = []
    universal_feats: dict[str, str] = {}
    position = 0
    for sentence in sentences:
        start, first_word = position, len(document)
        for first, last, form in sentence.tokens():
            is_multiword = last > first
            form = form.translate(SPACES)  # one tokenizer may keep a space inside a word and another split there
            if not form:
                place = f"{sentence.file}:{sentence.word_line(first)}"
                raise FormatError(f"{place}: the FORM of word {first} is only spaces; expected a word")
            span = (position, position + len(form))
            position = span[1]
            pieces.append(form)
            document.tokens.append(span)
            document.spans += [span] * (last - first + 1)
            document.multiword += [is_multiword] * (last - first + 1)
            document.forms += sentence.words[first - 1 : last] if is_multiword else [form]
        document.sentences.append((start, position))
        document.places.append(f"{sentence.file}:{sentence.line}")
        document.lemmas += sentence.lemmas
        document.upos += sentence.upos
        document.xpos += sentence.xpos
        for feats in sentence.feats:
            if feats not in universal_feats:
                kept = (feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL_FEATURES)
                universal_feats[feats] = "|".join(sorted(kept))
            document.feats.append(universal_feats[feats])
        document.labels += map(universal, sentence.labels)
        document.parents += [first_word + h - 1 if h else ROOT for h in sentence.gold_heads()]
    document.characters = "".join(pieces)
    return document
