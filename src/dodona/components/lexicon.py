"""The tag lexicon: the most frequent tag of each word, and the possible tags of frequent words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError
from dodona.text.hashing import hash_text
from dodona.text.tag_features import Lexicon

__all__ = ["checked_lexicon", "lexicon_arrays", "lexicons_of_the_rest"]

FREQUENT = 20  # a word with this frequency can have only the tags it was seen with
SURE = 0.995  # and only its most frequent tag, if that has this share
FOLDS = 10

Example = tuple[Sequence[str], Sequence[int]]  # words and the numbers of their tags
Counts = dict[str, dict[int, int]]
Entry = tuple[int, tuple[int, ...]]  # the most frequent tag, and the possible ones; empty: all


def lexicon_arrays(examples: Iterable[Example]) -> dict[str, NDArray[Any]]:
    """Return the lexicon of all words, as arrays."""
    forms, lowers = _counts(examples)
    return _arrays({word: _entry(forms.get(word) or lowers[word]) for word in forms.keys() | lowers.keys()})


def lexicons_of_the_rest(examples: Sequence[Example]) -> Iterator[tuple[Sequence[Example], Lexicon]]:
    """Yield each fold of the examples with a lexicon made from the other folds.

    Otherwise every word would be in the lexicon during training, and the lexicon always right, unlike in new text.
    """
    forms, lowers = _counts(examples)
    for fold in range(FOLDS):
        part = examples[fold::FOLDS]
        entries = {}
        part_forms, part_lowers = _counts(part)
        for word in part_forms.keys() | part_lowers.keys():
            counts = _rest(word, forms, part_forms) or _rest(word, lowers, part_lowers)
            if counts:
                entries[word] = _entry(counts)
        yield part, _lexicon(_arrays(entries))


def checked_lexicon(where: str, tags: int, arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
    """Return the lexicon in these arrays, after a check that all indices are valid."""
    names = ("words", "entries", "usual", "sizes", "tags")
    if any(name not in arrays or arrays[name].dtype.kind != "u" for name in names):
        raise FormatError(f"{where}: no lexicon, or one of another kind than expected")
    words, entries, usual, sizes, possible = (arrays[name] for name in names)
    sound = words.dtype == np.uint32 and len(words) == len(entries) and len(usual) == len(sizes)
    sound = sound and int(sizes.sum(dtype=np.int64)) == len(possible)
    for values, limit in ((entries, len(usual)), (usual, tags), (possible, tags)):
        sound = sound and (not len(values) or int(values.max()) < limit)
    sound = sound and bool((words[1:] > words[:-1]).all())
    if not sound or not bool((words & 1).all()) or len(words) > 1 << 28:
        raise FormatError(f"{where}: the lexicon does not fit the {tags} tags of the model")
    return _lexicon(arrays)


def _counts(examples: Iterable[Example]) -> tuple[Counts, Counts]:
    """Count how often each word has each tag: as written, and lowercased."""
    pairs: Counter[tuple[str, int]] = Counter()
    for words, tags in examples:
        pairs.update(zip(words, tags, strict=True))
    forms: Counts = {}
    lowers: Counts = {}
    for (word, tag), count in pairs.items():
        forms.setdefault(word, {})[tag] = count
        lower = lowers.setdefault(word.lower(), {})
        lower[tag] = lower.get(tag, 0) + count
    return forms, lowers


def _rest(word: str, counts: Counts, part: Counts) -> dict[int, int]:
    without = part.get(word, {})
    return {tag: n - without.get(tag, 0) for tag, n in counts.get(word, {}).items() if n > without.get(tag, 0)}


def _entry(counts: dict[int, int]) -> Entry:
    total = sum(counts.values())
    usual = min(counts, key=lambda tag: (-counts[tag], tag))
    if total < FREQUENT:
        return usual, ()
    return usual, (usual,) if counts[usual] >= SURE * total else tuple(sorted(counts))


def _arrays(entries: dict[str, Entry]) -> dict[str, NDArray[Any]]:
    """Return the words by half of their hash, made odd, each with the number of its entry, which many share."""
    by_hash = {hash_text(word) & 0xFFFFFFFF | 1: entries[word] for word in sorted(entries)}
    words = sorted(by_hash)
    different = sorted(set(by_hash.values()))
    numbers = {entry: number for number, entry in enumerate(different)}
    return {
        "words": np.array(words, dtype=np.uint32),
        "entries": _small([numbers[by_hash[word]] for word in words]),
        "usual": _small([usual for usual, _ in different]),
        "sizes": _small([len(tags) for _, tags in different]),
        "tags": _small([tag for _, tags in different for tag in tags]),
    }


def _small(values: list[int]) -> NDArray[Any]:
    return np.array(values, dtype=np.min_scalar_type(max(values, default=0)))


def _lexicon(arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
    begins = np.concatenate(([0], np.cumsum(arrays["sizes"], dtype=np.int64))).astype(np.int32)
    numbers = (arrays[name].astype(np.int32) for name in ("entries", "usual", "tags"))
    entries, usual, tags = numbers
    return Lexicon(arrays["words"], entries, usual, begins, tags)
