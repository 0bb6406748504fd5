"""Words and tags as numbers for a network: a vocabulary of frequent words, hashed subwords, and parts of tags."""

from collections.abc import Iterable

from dodona.data.hashing import hash_text

__all__ = ["SUBWORDS", "Vocabulary", "fingerprint", "tag_parts"]

SUBWORDS = 24  # at most, of one form
MAX_SHAPE = 8


class Vocabulary:
    """Numbers of forms and tags. 0 is a word that is not in the vocabulary, a missing vector, a missing part.

    Words are given as fingerprints, lower-cased ones and as in the file of vectors; `subwords` is the size of the table
    that subwords are hashed into.
    """

    def __init__(self, words: Iterable[int], vectors: Iterable[int], tag_parts: Iterable[str], subwords: int) -> None:
        self.words = {word: i for i, word in enumerate(words, start=1)}
        self.vectors = {word: i for i, word in enumerate(vectors, start=1)}
        self.tags = {part: i for i, part in enumerate(tag_parts, start=1)}
        self.subwords = subwords

    def of_form(self, form: str) -> list[int]:
        """Return the numbers of a form: vocabulary, vector, subwords; padded with 0."""
        lower = form.lower()
        vector = self.vectors.get(fingerprint(form), 0) or self.vectors.get(fingerprint(lower), 0)
        numbers = [self.words.get(fingerprint(lower), 0), vector]
        numbers += [hash_text(part) % (self.subwords - 1) + 1 for part in _subwords(form, lower)]
        return numbers + [0] * (2 + SUBWORDS - len(numbers))

    def of_tag(self, tag: tuple[str, str, str]) -> list[int]:
        """Return the numbers of the parts of a tag (UPOS, XPOS, FEATS) that are known."""
        return [self.tags[part] for part in tag_parts(tag) if part in self.tags]


def fingerprint(word: str) -> int:
    """Return 32 bits that stand for a word in a model. An unknown word is taken for a known one once in 100,000."""
    return hash_text(word) & 0xFFFFFFFF


def tag_parts(tag: tuple[str, str, str]) -> list[str]:
    """Return UPOS, XPOS and single features as different strings; `_` is nothing."""
    upos, xpos, feats = tag
    parts = [f"u{upos}", f"x{xpos}", *(f"f{feature}" for feature in feats.split("|"))]
    return [part for part in parts if part[1:] != "_"]


def _subwords(form: str, lower: str) -> list[str]:
    """Return the parts of a form that stand for it: itself, its shape, prefixes, suffixes, the first trigrams."""
    parts = [f"s{_shape(form)}", f"w{form}"]
    parts += [f"p{lower[:length]}" for length in range(1, min(4, len(lower)) + 1)]
    parts += [f"e{lower[-length:]}" for length in range(1, min(5, len(lower)) + 1)]
    marked = f"<{lower}>"
    return parts + [f"n{marked[i : i + 3]}" for i in range(min(len(marked) - 2, SUBWORDS - len(parts)))]


def _shape(form: str) -> str:
    """Return the form with X for capitals, x for letters, 0 for digits; of three equal ones in a row, two."""
    shape = ""
    for character in form:
        kind = "X" if character.isupper() else "x" if character.isalpha() else "0" if character.isdigit() else character
        if shape[-2:] != 2 * kind:
            shape += kind
        if len(shape) == MAX_SHAPE:
            break
    return shape
