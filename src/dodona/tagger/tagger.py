"""The tagger as a component: it learns UPOS, XPOS and FEATS from sentences, and fills them in."""

import random
import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.component import Callback, Parts, TrainingOptions, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.hashing import hash_text
from dodona.data.silver import MOST_FEATURES, Silver
from dodona.data.storage import columns_of, fill_in_tags, forms_of
from dodona.data.values import Inventory, Values, pick, values_of
from dodona.errors import FormatError, name_faults
from dodona.linear.frozen import check_weights, freeze_weights
from dodona.tagger.model import GreedyTagger, Lexicon, TagLearner, TagSet, Traits, choose_tags

__all__ = [
    "COLUMNS",
    "Tag",
    "TagChoice",
    "Tagger",
    "TaggerOptions",
    "check_lexicon",
    "check_tag",
    "list_values",
    "tags_of",
    "train_tagger",
]

COLUMNS = ("upos", "xpos", "feats")
MAX_TAGS = 65_535  # and parts of tags
FREQUENT_TAG = 100  # a tag with this frequency has its own weights, in addition to those of its parts
FREQUENT_WORD = 20  # a word with this frequency can have only the tags it was seen with
SURE = 0.995  # and only its most frequent tag, if that has this share
FOLDS = 10

Tag = tuple[str, str, str]  # UPOS, XPOS, FEATS
Example = tuple[Sequence[str], Sequence[int]]  # words and the numbers of their tags
Counts = defaultdict[str, Counter[int]]
Prepared = tuple[Traits, NDArray[np.int32]]  # what is learned from: words with their features, numbers of tags
Entry = tuple[int, tuple[int, ...]]  # the most frequent tag, and the possible ones; empty: all


def build_lexicon(examples: Iterable[Example]) -> dict[str, NDArray[Any]]:
    """Return the lexicon of all words, as arrays."""
    forms, lowers = _count(examples)
    return _make_arrays({word: _make_entry(forms[word] or lowers[word]) for word in {*forms, *lowers}})


def hold_out_lexicons(examples: Sequence[Example]) -> Iterator[tuple[Sequence[Example], Lexicon]]:
    """Yield each fold of the examples with a lexicon made from the other folds.

    Otherwise every word would be in the lexicon during training, and the lexicon always right, unlike in new text.
    """
    forms, lowers = _count(examples)
    for fold in range(FOLDS):
        part = examples[fold::FOLDS]
        part_forms, part_lowers = _count(part)
        rest = {
            word: forms[word] - part_forms[word] or lowers[word] - part_lowers[word]
            for word in {*part_forms, *part_lowers}
        }
        entries = {word: _make_entry(counts) for word, counts in rest.items() if counts}
        yield part, _make_lexicon(_make_arrays(entries))


def check_lexicon(where: str, tags: int, arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
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
    return _make_lexicon(arrays)


def _count(examples: Iterable[Example]) -> tuple[Counts, Counts]:
    """Count how often each word has each tag: as written, and lowercased."""
    forms: Counts = defaultdict(Counter)
    lowers: Counts = defaultdict(Counter)
    for words, tags in examples:
        for word, tag in zip(words, tags, strict=True):
            forms[word][tag] += 1
            lowers[word.lower()][tag] += 1
    return forms, lowers


def _make_entry(counts: Counter[int]) -> Entry:
    total = counts.total()
    usual = min(counts, key=lambda tag: (-counts[tag], tag))
    if total < FREQUENT_WORD:
        return usual, ()
    return usual, (usual,) if counts[usual] >= SURE * total else tuple(sorted(counts))


def _make_arrays(entries: dict[str, Entry]) -> dict[str, NDArray[Any]]:
    """Return the words by half of their hash, made odd, each with the number of its entry, which many share."""
    by_hash = {hash_text(word) & 0xFFFFFFFF | 1: entries[word] for word in sorted(entries)}
    words = sorted(by_hash)
    different = sorted(set(by_hash.values()))
    numbers = {entry: number for number, entry in enumerate(different)}
    return {
        "words": np.array(words, dtype=np.uint32),
        "entries": _pack([numbers[by_hash[word]] for word in words]),
        "usual": _pack([usual for usual, _ in different]),
        "sizes": _pack([len(tags) for _, tags in different]),
        "tags": _pack([tag for _, tags in different for tag in tags]),
    }


def _pack(values: list[int]) -> NDArray[Any]:
    return np.array(values, dtype=np.min_scalar_type(max(values, default=0)))


def _make_lexicon(arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
    begins = np.concatenate(([0], np.cumsum(arrays["sizes"], dtype=np.int64))).astype(np.int32)
    entries, usual, tags = (arrays[name].astype(np.int32) for name in ("entries", "usual", "tags"))
    return Lexicon(arrays["words"], entries, usual, begins, tags)


def list_values(tags: Sequence[Tag]) -> list[list[str]]:
    """Return the values of each kind, in the order of their scores."""
    return [sorted({tag[kind] for tag in tags}) for kind in range(len(COLUMNS))]


def check_tag(tag: Any) -> Tag:
    """Return a tag of a model file; an error if it is none."""
    upos, xpos, feats = tag
    for value in (upos, xpos, feats):
        if not isinstance(value, str) or not value or set(value) & set("\t\n\r\0"):
            raise ValueError(f"{value!r} is no value of a column")
    return upos, xpos, feats


class TagChoice:
    """All tags of a treebank. The score of a tag is the sum of the scores of its parts."""

    def __init__(self, tags: Sequence[Tag]) -> None:
        kinds = list_values(tags)
        self.sizes = [len(values) for values in kinds]
        columns = [[tag[kind] for tag in tags] for kind in range(len(COLUMNS))]
        for values in columns:
            check_values(values, len(values))  # checked once, so that columns need no check
        self._inventories = [(name, Inventory(values)) for name, values in zip(COLUMNS, columns, strict=True)]
        self._starts = np.cumsum([0, *self.sizes], dtype=np.int32)
        self._place = [
            {value: start + i for i, value in enumerate(values)}
            for start, values in zip(self._starts.tolist(), kinds, strict=False)
        ]
        places = [list(map(place.__getitem__, column)) for place, column in zip(self._place, columns, strict=True)]
        self._places = np.array(places, np.int32)
        upos, xpos, feats = (self._places - self._starts[:-1, None]).astype(np.int64)
        codes = (upos * self.sizes[1] + xpos) * self.sizes[2] + feats
        self._order = np.argsort(codes).astype(np.int32)
        self._codes = codes[self._order]

    def tag(self, scores: NDArray[np.float32], sentences: Sequence[Sentence], bonus: float = 0.0) -> "list[array[int]]":
        """Return the numbers of the best tags of each sentence, by scores [words, values of all kinds]. The parts of
        the tags that their words have already get a bonus."""
        own = np.full((len(COLUMNS), len(scores)), -1, np.int32)
        if bonus:
            for row, name, place in zip(own, COLUMNS, self._place, strict=True):
                row[:] = _find_places(columns_of(list(sentences), name), place)
        best = np.empty(len(scores), np.int32)
        choose_tags(scores, self._starts, self._codes, self._order, self._places, own, bonus, best)
        ends = np.cumsum([len(sentence) for sentence in sentences])
        return [array("i", own.tobytes()) for own in np.split(best, ends[:-1])]

    def fill_in(self, sentences: Sequence[Sentence], numbers: "Sequence[array[int]]") -> None:
        """Give sentences the tags with these numbers, in place."""
        fill_in_tags(list(sentences), self._inventories, list(numbers))


def _find_places(columns: Iterable[list[str] | Values], place: Mapping[str, int]) -> NDArray[np.int32]:
    """Return the place of each value of the columns, -1 where it has none: another tagger may have values of its own.

    A tagger gives all its columns numbers of one list of values, each of which is looked up once.
    """
    known: dict[int, NDArray[np.int32]] = {}
    parts = []
    for column in columns:
        if isinstance(column, Values) and column.inventory is not None and column.numbers is not None:
            inventory = column.inventory
            if id(inventory) not in known:
                known[id(inventory)] = np.array([place.get(value, -1) for value in inventory.values], np.int32)
            parts.append(known[id(inventory)][np.frombuffer(column.numbers, np.int32)])
        else:
            values = column.strings() if isinstance(column, Values) else column
            parts.append(np.array([place.get(value, -1) for value in values], np.int32))
    return np.concatenate(parts)


@dataclass(frozen=True)
class TaggerOptions(TrainingOptions):
    """How a tagger is trained."""

    iterations: int = 12
    size: float = 3.3


class Tagger:
    """A trained tagger, returned by `train_tagger` or `Tagger.from_parts`."""

    def __init__(
        self, options: TaggerOptions, tags: Sequence[Tag], frequent: int, arrays: dict[str, NDArray[Any]], where: str
    ) -> None:
        self.options = options
        self.tags = list(tags)
        self.frequent = frequent  # the number of tags, the first ones, that have their own weights
        self._arrays = arrays
        self._tagset = _make_tagset(self.tags, frequent, where)
        self._lexicon = check_lexicon(where, len(self.tags), arrays)
        self._weights = check_weights(where, self._tagset.parts, arrays)
        self._threads = threading.local()  # a GreedyTagger has a workspace: one per thread
        columns = zip(COLUMNS, map(list, zip(*self.tags, strict=True)), strict=True)
        self._inventories = [(name, Inventory(values)) for name, values in columns]
        for _, inventory in self._inventories:
            check_values(inventory.values, len(self.tags))  # checked once, so that columns need no check

    def apply(self, batch: list[Sentence], /) -> list[Sentence]:
        """Fill in UPOS, XPOS and FEATS, in place."""
        fill_in_tags(batch, self._inventories, self._tag(forms_of(batch)))
        return batch

    def columns(self, words: list[str]) -> list[list[str]]:
        """Return UPOS, XPOS and FEATS of these words."""
        (numbers,) = self._tag([values_of(words)])
        return [pick(inventory, numbers).strings() for _, inventory in self._inventories]

    def _tag(self, sentences: list[Values]) -> "list[array[int]]":
        """Return the number of the tag of each word."""
        if not hasattr(self._threads, "greedy"):
            self._threads.greedy = GreedyTagger(self._tagset, self._weights)
        numbers: list[array[int]] = self._threads.greedy.tag_all(sentences, self._lexicon)
        return numbers

    def parts(self) -> Parts:
        """Return the contents for a model file."""
        tags = [list(tag) for tag in self.tags]
        return {"options": asdict(self.options), "tags": tags, "frequent": self.frequent}, self._arrays

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> "Tagger":
        """Restore the tagger from these parts; `where` is named in errors."""
        with name_faults(f"{where}: the tagger's description is not valid"):
            options = TaggerOptions(**description["options"])
            tags = [check_tag(tag) for tag in description["tags"]]
            frequent = description["frequent"]
            if not isinstance(frequent, int) or not 0 <= frequent <= len(tags):
                raise ValueError(f"{frequent!r} frequent tags of {len(tags)}")
        if not 0 < len(tags) <= MAX_TAGS or len(set(tags)) != len(tags):
            raise FormatError(f"{where}: {len(tags)} tags; expected from 1 to {MAX_TAGS}, each once")
        return cls(options, tags, frequent, dict(arrays), where)


def train_tagger(
    sentences: Sequence[Sentence], options: TaggerOptions, callback: Callback = ignore, silver: Silver | None = None
) -> Tagger:
    """Train a tagger on gold tags. `callback` is told of each iteration; if it returns True, that was the last.

    The tags of `silver` are learned from, too. The lexicon is that of the gold sentences alone: it forbids tags, and
    what another parser has tagged does not forbid any.
    """
    if not sentences:
        raise FormatError("there is no sentence to train on")
    gold = [tags_of(sentence) for sentence in sentences]
    counts = Counter(tag for tags in gold for tag in tags)
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))
    frequent = sum(count >= FREQUENT_TAG for count in counts.values())
    if len(tags) > MAX_TAGS:
        raise FormatError(f"{len(tags)} different tags; expected at most {MAX_TAGS}")
    number = {tag: i for i, tag in enumerate(tags)}
    examples = [(sentence.words, [number[tag] for tag in own]) for sentence, own in zip(sentences, gold, strict=True)]
    tagset = _make_tagset(tags, frequent, "the training data")
    prepared = [
        (Traits(list(words), tagset, lexicon), np.array(numbers, dtype=np.int32))
        for part, lexicon in hold_out_lexicons(examples)
        for words, numbers in part
    ]
    arrays = build_lexicon(examples)
    learner = TagLearner(tagset, options.seed % (1 << 64))
    generator = random.Random(options.seed)
    mixed = None if silver is None else _SilverTags(silver, sum(map(len, gold)), options, number, tagset, arrays)
    for iteration in range(1, options.iterations + 1):
        generator.shuffle(prepared)
        for traits, numbers in prepared if mixed is None else mixed.mix(iteration, prepared):
            learner.train(traits, numbers)
            if mixed is not None and learner.weights.features > MOST_FEATURES:
                learner.weights.forget(MOST_FEATURES // 2)
        whole = None if mixed is None else mixed.mixture.share(iteration)
        if callback(TrainingProgress("tagger", iteration, options.iterations, *learner.count(), whole=whole)):
            break
    return Tagger(options, tags, frequent, arrays | freeze_weights(learner.weights, options.size), "this tagger")


class _SilverTags:
    """Silver sentences as a learner takes them. Their words are looked up in the lexicon as those of new text are."""

    def __init__(
        self, silver: Silver, gold: int, options: TaggerOptions, number: Mapping[Tag, int], tagset: TagSet,
        lexicon: Mapping[str, NDArray[Any]],
    ) -> None:  # fmt: skip
        self.mixture = silver.mixture(gold, options.iterations, tags=True)
        self._stream = silver.stream(options.seed, tags=True)
        self._number, self._tagset, self._lexicon = number, tagset, _make_lexicon(lexicon)

    def mix(self, iteration: int, gold: Iterable[Prepared]) -> Iterator[Prepared]:
        """Yield the examples of an iteration, gold and silver."""
        silver = self._prepare(self._stream.between(*self.mixture.bounds(iteration)))
        return self.mixture.mix(iteration, gold, silver, lambda example: len(example[1]))

    def _prepare(self, sentences: Iterable[Sentence]) -> Iterator[Prepared]:
        for sentence in sentences:
            numbers = [self._number.get(tag, -1) for tag in tags_of(sentence)]
            if -1 not in numbers:  # a tag of the treebank may be missing in a part of it
                yield Traits(sentence.words, self._tagset, self._lexicon), np.array(numbers, dtype=np.int32)


def tags_of(sentence: Sentence) -> list[Tag]:
    return list(zip(sentence.upos, sentence.xpos, sentence.feats, strict=True))


def _make_tagset(tags: Sequence[Tag], frequent: int, where: str) -> TagSet:
    """Return the tags with their parts as a prefix tree."""
    parts: dict[str, int] = {}
    nodes: dict[tuple[int, int], int] = {}
    ends = []
    for number, tag in enumerate(tags):
        node = -1
        for name in _split(tag, number < frequent):
            step = node, parts.setdefault(name, len(parts))
            node = nodes.setdefault(step, len(nodes))
        ends.append(node)
    if len(parts) > MAX_TAGS:
        raise FormatError(f"{where}: the tags have {len(parts)} different parts; expected at most {MAX_TAGS}")
    return TagSet(
        len(parts),
        np.array([parent for parent, _ in nodes], dtype=np.int32),
        np.array([part for _, part in nodes], dtype=np.uint16),
        np.array(ends, dtype=np.int32),
        np.array([hash_text("\t".join(tag)) for tag in tags], dtype=np.uint64),
        np.array([hash_text(upos) for upos, _, _ in tags], dtype=np.uint64),
    )


def _split(tag: Tag, frequent: bool) -> Iterator[str]:
    """Return the parts that have weights: UPOS, XPOS, each feature, and a frequent tag of many parts as a whole."""
    upos, xpos, feats = tag
    yield upos
    if xpos != "_":
        yield f"\t{xpos}"
    if feats != "_":
        for feature in feats.split("|"):
            yield f"\t\t{feature}"
        if frequent and "|" in feats:
            yield "\t".join(tag)
