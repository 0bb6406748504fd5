"""Training a network of the parser: its data as numbers, and the learner that goes over them again and again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dodona.neural.batching import Example, Tables
from dodona.neural.inputs import Inputs
from dodona.neural.learner import SilverExamples
from dodona.neural.network import DataSizes
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.quantization import quantize_weights
from dodona.neural.trainer import NeuralLearner
from dodona.neural.vectors import Vectors
from dodona.neural.vocabulary import Vocabulary, fingerprint, tag_parts
from dodona.parser.neural import NeuralModel
from dodona.parser.parser import Parser
from dodona.parser.training import (
    GoldTags,
    LearnerTraining,
    NetworkSource,
    SilverSource,
    SilverTrees,
    TrainingTree,
    TrainingTrees,
    clip_number,
)
from dodona.tagger.tagger import Tag, tags_of

__all__ = ["NetworkTraining"]

FREQUENT = 2  # a word of the vocabulary stands so often in the training data
READ_OFTEN = 100  # how often a word counts as seen that the encoder has learned from raw text
VOCABULARY = 20_000  # words: beside the frequent ones of the treebank, the most frequent ones of silver up to so many
SILVER_TREES = 4096  # that are turned into batches together
CACHED_FORMS = 200_000  # of silver, whose numbers are kept
ITERATIONS = 30, 40  # at least, at most
WORDS = 6_000_000  # words to learn from in all iterations, within these bounds
BATCH = 512, 2000  # words, at least and at most
BATCHES = 100  # of an iteration, within these bounds
SAMPLE = 20_000  # words that the scale of the inputs is measured on
CLIPPED = 1e-4  # the share of inputs outside of the scale


class NetworkTraining(LearnerTraining):
    """A network, which learns with JAX."""

    def __init__(self, trees: TrainingTrees, source: NetworkSource, silver: SilverSource | None = None) -> None:
        super().__init__(trees, silver, WORDS, ITERATIONS)
        options, network = self.options, self.options.network
        assert network is not None
        self.network = network
        self.data = _NetworkData(
            trees, self.gold_tags, network.subwords, source.vectors, self.silver, source.pretrained
        )
        words, tags = len(self.data.words) + 1, len(self.data.tag_parts) + 1
        vector = self.data.vectors.dimensions if self.data.vectors is not None else 0
        sizes = DataSizes(**asdict(self.sizes), words=words, tags=tags, vector=vector)
        self.learner = NeuralLearner(
            replace(network, batch=network.batch or clip_number(trees.words // BATCHES, BATCH)),
            sizes,
            self.positions,
            self.policy,
            self.data.tables(),
            self.data.examples,
            iterations=self.planned,
            seed=options.seed,
            random_choice=options.random_choice,
            silver=None if self.silver is None else SilverExamples(self.silver.mixture, self.data.silver_examples),
            longest=self.longest,
            pretrained=self.data.pretrained,
            pretrained_rate=source.pretrained_rate,
        )
        self.restore(source)

    def parser(self) -> Parser:
        data, trees = self.data, self.trees
        arrays = quantize_weights(self.network, data.words, data.vectors, self.learner.weights(), data.input_scale)
        sizes = self.sizes.labels, self.sizes.actions
        model = NeuralModel(self.network, self.positions, data.tag_parts, data.gold_tags.tags, arrays, *sizes, "parser")
        return Parser(self.options, trees.labels, model)


class _NetworkData:
    """The training data as numbers. Silver sentences become numbers when they are learned from."""

    def __init__(
        self, trees: TrainingTrees, gold_tags: GoldTags, subwords: int, vectors: Vectors | None,
        silver: SilverTrees | None = None, encoder: PretrainedEncoder | None = None,
    ) -> None:  # fmt: skip
        self.vectors = None if vectors is None else _drop_collisions(vectors)
        self.silver = silver
        seen = [tree.seen for tree in trees.trees]
        self.counts = Counter(word.lower() for sentence in seen for word in sentence.words)
        frequent = [word for word, count in self.counts.items() if count >= FREQUENT]
        if silver is not None:
            frequent += _most_frequent(silver.silver.forms, VOCABULARY - len(frequent), set(frequent))
            self.counts.update({word: silver.silver.forms[word] for word in {*self.counts, *frequent}})
        self.words = sorted({fingerprint(word) for word in frequent})
        self.pretrained: Mapping[str, NDArray[np.float32]] = {}  # weights that are there already
        self.read_before: frozenset[int] = frozenset()  # the words of the encoder
        if encoder is not None:
            self.words, self.pretrained = encoder.extend(self.words)
            self.read_before = frozenset(encoder.words.tolist())
        forms = dict.fromkeys(word for sentence in seen for word in sentence.words)
        tags = dict.fromkeys(tag for sentence in seen for tag in tags_of(sentence))
        self.forms = {form: i for i, form in enumerate(forms)}
        self.seen_tags = {tag: i for i, tag in enumerate(tags)}
        self.tag_parts = sorted({part for tag in tags for part in tag_parts(tag)})
        self.gold_tags = gold_tags
        with_vectors = map(fingerprint, self.vectors.words if self.vectors is not None else ())
        self.vocabulary = Vocabulary(self.words, with_vectors, self.tag_parts, subwords)
        self.form_numbers = np.array([self.vocabulary.of_form(form) for form in self.forms], dtype=np.int32)
        self.tag_numbers = [self.vocabulary.of_tag(tag) for tag in self.seen_tags]
        self.tag_width = max(1, max(map(len, self.tag_numbers)))  # parts of a tag, at most
        self._form_numbers = lru_cache(CACHED_FORMS)(self.vocabulary.of_form)
        self.examples = [self._make_example(tree, self.forms, self.seen_tags) for tree in trees.trees]

    def tables(self) -> Tables:
        vectors = None
        if self.vectors is not None:  # row 0, for nothing, is zeros
            vectors = np.pad(self.vectors.values * self.vectors.scales[:, None], ((1, 0), (0, 0))).astype(np.float32)
        return self._make_tables(self.form_numbers, self.forms, self.tag_numbers, vectors)

    def _make_tables(
        self, form_numbers: NDArray[np.int32], forms: Iterable[str], tag_numbers: Sequence[list[int]],
        vectors: NDArray[np.float32] | None = None,
    ) -> Tables:  # fmt: skip
        width = self.tag_width
        return Tables(
            form_numbers,
            np.array([self._frequency(form.lower()) for form in forms], dtype=np.int32),
            np.array([[*numbers[:width], *[0] * (width - len(numbers))] for numbers in tag_numbers], dtype=np.int32),
            vectors,
        )

    def _frequency(self, word: str) -> int:
        """Return how often a word was seen, in raw text or in the data. A rare one is often hidden in training, as new
        text has words that nobody has seen; one that was read before is not among these."""
        count = self.counts[word]
        return max(count, READ_OFTEN) if self.read_before and fingerprint(word) in self.read_before else count

    def silver_examples(self, iteration: int) -> Iterator[tuple[Tables, list[Example]]]:
        """Yield the silver examples of an iteration, some at a time, with tables of their own: there are more forms
        than memory should hold."""
        assert self.silver is not None
        trees = self.silver.of_iteration(iteration)
        while some := list(islice(trees, SILVER_TREES)):
            forms: dict[str, int] = {}
            tags: dict[Tag, int] = {}
            for tree in some:
                for form in tree.seen.words:
                    forms.setdefault(form, len(forms))
                for tag in tags_of(tree.seen):
                    tags.setdefault(tag, len(tags))
            numbers = np.array([self._form_numbers(form) for form in forms], dtype=np.int32)
            tables = self._make_tables(numbers, forms, [self.vocabulary.of_tag(tag) for tag in tags])
            yield tables, [self._make_example(tree, forms, tags) for tree in some]

    def _make_example(self, tree: TrainingTree, forms: Mapping[str, int], tags: Mapping[Tag, int]) -> Example:
        return Example(
            np.array([forms[word] for word in tree.seen.words], dtype=np.int32),
            np.array([tags[tag] for tag in tags_of(tree.seen)], dtype=np.int32),
            np.array(self.gold_tags.of(tree.sentence), np.int32),
            tree.gold,
            tree.moves,
        )

    def input_scale(self, inputs: Inputs) -> float:
        """Return the scale of the first layer's inputs in 8 bits, measured on a part of the training data."""
        forms = inputs.of_forms(self.form_numbers)
        tags = inputs.of_tags(self.tag_numbers)
        sizes = []
        words = 0
        for example in self.examples:
            sizes.append(np.abs(forms[example.forms] + tags[example.tags]).reshape(-1))
            words += len(example)
            if words > SAMPLE:
                break
        return max(1e-6, float(np.quantile(np.concatenate(sizes), 1 - CLIPPED)) / 127)


def _most_frequent(counts: Counter[str], most: int, without: set[str]) -> list[str]:
    """Return the words of silver that become part of the vocabulary, the most frequent ones first."""
    frequent = sorted((-count, word) for word, count in counts.items() if count >= FREQUENT and word not in without)
    return [word for _, word in frequent[: max(0, most)]]


def _drop_collisions(vectors: Vectors) -> Vectors:
    """Return the vectors without the few words that have the fingerprint of another word before them."""
    first = {fingerprint(word): i for i, word in reversed(list(enumerate(vectors.words)))}
    kept = sorted(first.values())
    words = [vectors.words[i] for i in kept]
    return replace(vectors, words=words, values=vectors.values[kept], scales=vectors.scales[kept])
