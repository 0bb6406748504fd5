"""The tagger as a component: it learns UPOS, XPOS and FEATS from sentences, and fills them in."""

import random
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.components.component import Iteration, Parts, TrainingOptions, batches
from dodona.components.lexicon import checked_lexicon, lexicon_arrays, lexicons_of_the_rest
from dodona.components.tag_choice import Tag, checked_tag
from dodona.data import Sentence
from dodona.data.batches import fill_in_tags, forms_of
from dodona.data.checks import check_values
from dodona.data.values import Inventory, Values, chosen, values_of
from dodona.errors import FormatError
from dodona.scoring.linear.pruning import checked_weights, frozen_arrays
from dodona.text.hashing import hash_text
from dodona.text.tag_features import TagSet, Traits
from dodona.text.tag_model import GreedyTagger, TagLearner

__all__ = ["COLUMNS", "Tagger", "TaggerOptions", "train_tagger"]

COLUMNS = ("upos", "xpos", "feats")
FREQUENT = 100  # a tag with this frequency has its own weights, in addition to those of its parts
MOST = 65_535  # tags, and parts of tags


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
        self._tagset = _tagset(self.tags, frequent, where)
        self._lexicon = checked_lexicon(where, len(self.tags), arrays)
        self._weights = checked_weights(where, self._tagset.parts, arrays)
        self._threads = threading.local()  # a GreedyTagger has a workspace: one per thread
        values = [list(values) for values in zip(*self.tags, strict=True)]
        self._inventories = [(name, Inventory(own)) for name, own in zip(COLUMNS, values, strict=True)]
        for _, inventory in self._inventories:
            check_values(inventory.values, len(self.tags))  # checked once, so that columns need no check

    def apply(self, sentences: Iterable[Sentence], /) -> Iterator[Sentence]:
        """Fill in UPOS, XPOS and FEATS, one sentence after the other, in place."""
        for batch in batches(sentences):
            fill_in_tags(batch, self._inventories, self._numbers(forms_of(batch)))
            yield from batch

    def columns(self, words: list[str]) -> list[list[str]]:
        """Return UPOS, XPOS and FEATS of these words."""
        (numbers,) = self._numbers([values_of(words)])
        return [chosen(inventory, numbers).strings() for _, inventory in self._inventories]

    def _numbers(self, sentences: list[Values]) -> "list[array[int]]":
        """Return the number of the tag of each word."""
        if not hasattr(self._threads, "greedy"):
            self._threads.greedy = GreedyTagger(self._tagset, self._weights)
        found: list[array[int]] = self._threads.greedy.tag_all(sentences, self._lexicon)
        return found

    def parts(self) -> Parts:
        """Return the contents for a model file."""
        tags = [list(tag) for tag in self.tags]
        return {"options": asdict(self.options), "tags": tags, "frequent": self.frequent}, self._arrays

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> "Tagger":
        """Restore the tagger from these parts; `where` is named in errors."""
        try:
            options = TaggerOptions(**description["options"])
            tags = [checked_tag(tag) for tag in description["tags"]]
            frequent = description["frequent"]
            if not isinstance(frequent, int) or not 0 <= frequent <= len(tags):
                raise ValueError(f"{frequent!r} frequent tags of {len(tags)}")
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"{where}: the tagger's description is not valid: {error}") from error
        if not 0 < len(tags) <= MOST or len(set(tags)) != len(tags):
            raise FormatError(f"{where}: {len(tags)} tags; expected from 1 to {MOST}, each once")
        return cls(options, tags, frequent, dict(arrays), where)


def train_tagger(
    sentences: Sequence[Sentence], options: TaggerOptions, report: Callable[[Iteration], bool | None] | None = None
) -> Tagger:
    """Train a tagger on gold tags. `report` is called after each iteration; if it returns True, that was the last."""
    if not sentences:
        raise FormatError("there is no sentence to train on")
    gold = [list(zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)) for sentence in sentences]
    counts = Counter(tag for tags in gold for tag in tags)
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))
    frequent = sum(count >= FREQUENT for count in counts.values())
    if len(tags) > MOST:
        raise FormatError(f"{len(tags)} different tags; expected at most {MOST}")
    number = {tag: i for i, tag in enumerate(tags)}
    numbered = [[number[tag] for tag in tags] for tags in gold]
    words = [sentence.words for sentence in sentences]
    examples = list(zip(words, numbered, strict=True))
    tagset = _tagset(tags, frequent, "the training data")
    prepared = [
        (Traits(list(words), tagset, lexicon), np.array(numbers, dtype=np.int32))
        for part, lexicon in lexicons_of_the_rest(examples)
        for words, numbers in part
    ]
    learner = TagLearner(tagset, options.seed % (1 << 64))
    generator = random.Random(options.seed)
    for iteration in range(1, options.iterations + 1):
        generator.shuffle(prepared)
        for traits, numbers in prepared:
            learner.train(traits, numbers)
        if report is not None and report(Iteration(iteration, *learner.count(), learner.weights.features)):
            break
    arrays = lexicon_arrays(examples) | frozen_arrays(learner.weights, options.size)
    return Tagger(options, tags, frequent, arrays, "this tagger")


def _tagset(tags: Sequence[Tag], frequent: int, where: str) -> TagSet:
    """Return the tags with their parts as a prefix tree."""
    parts: dict[str, int] = {}
    nodes: dict[tuple[int, int], int] = {}
    ends = []
    for number, tag in enumerate(tags):
        node = -1
        for name in _parts(tag, number < frequent):
            step = node, parts.setdefault(name, len(parts))
            node = nodes.setdefault(step, len(nodes))
        ends.append(node)
    if len(parts) > MOST:
        raise FormatError(f"{where}: the tags have {len(parts)} different parts; expected at most {MOST}")
    return TagSet(
        len(parts),
        np.array([parent for parent, _ in nodes], dtype=np.int32),
        np.array([part for _, part in nodes], dtype=np.uint16),
        np.array(ends, dtype=np.int32),
        np.array([hash_text("\t".join(tag)) for tag in tags], dtype=np.uint64),
        np.array([hash_text(upos) for upos, _, _ in tags], dtype=np.uint64),
    )


def _parts(tag: Tag, frequent: bool) -> Iterator[str]:
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
