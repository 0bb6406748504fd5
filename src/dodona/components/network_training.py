"""Training a network: gold trees as numbers, epochs, and the learned weights as the arrays of a model."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.components.network_options import NetworkOptions
from dodona.components.neural_model import NeuralModel
from dodona.components.parser import Parser
from dodona.components.tag_choice import Tag, values_of
from dodona.components.training_trees import TrainingTrees
from dodona.data.vectors import Vectors
from dodona.errors import FormatError, OptionError
from dodona.oracles.policy import Policy
from dodona.scoring.neural.inputs import Inputs, Table
from dodona.scoring.neural.positions import Positions
from dodona.scoring.neural.quantization import quantized
from dodona.text.word_numbers import WordNumbers, fingerprint, tag_parts

__all__ = ["NetworkSource", "check_network_can_learn", "network_iterations"]

FREQUENT = 2  # a word of the vocabulary stands so often in the training data
EPOCHS = 30, 40  # at least, at most
WORDS = 6_000_000  # words to learn from in all epochs, within these bounds
BATCH = 512, 2000  # words, at least and at most
BATCHES = 100  # of an epoch, within these bounds
SAMPLE = 20_000  # words that the scale of the inputs is measured on
CLIPPED = 1e-4  # the share of inputs outside of the scale

State = dict[str, NDArray[Any]]
Epoch = tuple[int, int, tuple[int, int], int, Callable[[], Parser], Callable[[], State]]


@dataclass(frozen=True)
class NetworkSource:
    """What a network begins with: pretrained vectors, and the state of an interrupted training. `progress` is called
    with the number of iterations that are done, with parts of them, and their number in all."""

    vectors: Vectors | None = None
    state: Mapping[str, NDArray[Any]] | None = None
    where: str = "state"  # named in errors
    progress: Callable[[float, int], None] = lambda done, planned: None


def check_network_can_learn() -> None:
    """Raise an error if JAX is not installed."""
    try:
        import dodona.learning.neural  # noqa: F401
    except ImportError as error:
        raise OptionError(f"a network needs JAX ({error}); install it with: pip install 'dodona[neural]'") from error


def network_iterations(trees: TrainingTrees, source: NetworkSource) -> Iterator[Epoch]:
    """Train, and yield after each epoch its number, the number of epochs, (steps, mistakes), the number of weights, and
    functions that return a parser and the state of training."""
    check_network_can_learn()
    from dodona.learning.neural import Course, NeuralLearner
    from dodona.learning.sizes import Sizes

    data = _Data(trees, _told_apart(source.vectors))
    options = trees.options
    network = options.network or NetworkOptions()
    positions = Positions.load(str(options.positions))
    words = sum(len(tree.seen.words) for tree in trees.trees)
    epochs = options.iterations or max(EPOCHS[0], min(EPOCHS[1], WORDS // max(1, words)))
    batch = network.batch or max(BATCH[0], min(BATCH[1], words // BATCHES))
    sizes = Sizes(
        words=len(data.words) + 1,
        subwords=network.subwords,
        tags=len(data.tag_parts) + 1,
        labels=len(trees.built.label_names),
        actions=trees.built.core.actions,
        positions=len(positions.words),
        label_positions=len(positions.labels),
        tag_kinds=tuple(map(len, data.kinds)),
        vector=data.vectors.dimensions if data.vectors is not None else 0,
        embedding=network.embedding,
        tag_embedding=network.tag_embedding,
        inputs=network.inputs,
        width=network.width,
        layers=network.layers,
        tag_layer=network.tag_layer,
        units=network.units,
    )
    course = Course(epochs=epochs, batch=batch, rate=network.rate, dropout=network.dropout, seed=options.seed)
    policy = Policy(trees.built.core, str(options.oracle), longest=trees.longest)
    learner = NeuralLearner(
        sizes, course, positions, policy, data.tables(), data.examples(), random_choice=options.random_choice
    )
    done = _restored(learner, source, epochs)

    def make() -> Parser:
        resolved = replace(options, iterations=epochs, network=network)
        return _parser(trees, resolved, positions, data, learner.weights())

    if done == epochs:  # interrupted after the last epoch, before the model was written
        yield done, epochs, (0, 0), learner.size, make, partial(learner.state, done)
    for number in range(done + 1, epochs + 1):
        explore = options.explore if options.oracle == "dynamic" and number > options.explore_after else 0.0
        steps, mistakes, _ = learner.epoch(number, explore, partial(_tell, source, number - 1, epochs))
        yield number, epochs, (steps, mistakes), learner.size, make, partial(learner.state, number)


def _tell(source: NetworkSource, done: int, planned: int, share: float) -> None:
    source.progress(done + share, planned)


def _restored(learner: Any, source: NetworkSource, epochs: int) -> int:
    """Return the number of epochs that were done before training was interrupted."""
    if source.state is None:
        return 0
    try:
        done: int = learner.restore(source.state)
    except ValueError as error:
        raise FormatError(f"{source.where}: {error}") from error
    if not 1 <= done <= epochs or learner.step < 1:
        raise FormatError(f"{source.where}: the state after epoch {done}; expected one from 1 to {epochs}")
    return done


class _Data:
    """The training data as numbers."""

    def __init__(self, trees: TrainingTrees, vectors: Vectors | None) -> None:
        self.trees, self.vectors = trees, vectors
        seen = [tree.seen for tree in trees.trees]
        self.counts = Counter(word.lower() for sentence in seen for word in sentence.words)
        frequent = [word for word, count in self.counts.items() if count >= FREQUENT]
        self.words = sorted({fingerprint(word) for word in frequent})
        parts = {
            part
            for sentence in seen
            for tag in zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)
            for part in tag_parts(tag)
        }
        self.tag_parts = sorted(parts)
        gold = [tree.sentence for tree in trees.trees]
        self.tags: list[Tag] = sorted(
            {tag for sentence in gold for tag in zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)}
        )
        self.kinds = values_of(self.tags)
        self.numbers = WordNumbers(
            {word: i for i, word in enumerate(self.words, start=1)},
            {fingerprint(word): i for i, word in enumerate(vectors.words, start=1)} if vectors is not None else {},
            {part: i for i, part in enumerate(self.tag_parts, start=1)},
            (trees.options.network or NetworkOptions()).subwords,
        )
        forms = dict.fromkeys(word for sentence in seen for word in sentence.words)
        tags = dict.fromkeys(
            tag for sentence in seen for tag in zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)
        )
        self.forms = {form: i for i, form in enumerate(forms)}
        self.seen_tags = {tag: i for i, tag in enumerate(tags)}
        self.form_numbers = np.array([self.numbers.of_form(form) for form in self.forms], dtype=np.int32)
        self.tag_numbers = [self.numbers.of_tag(tag) for tag in self.seen_tags]

    def tables(self) -> Any:
        from dodona.learning.lanes import Tables

        parts = self.tag_numbers
        most = max(1, max(map(len, parts)))
        return Tables(
            self.form_numbers,
            np.array([self.counts[form.lower()] for form in self.forms], dtype=np.int32),
            np.array([[*numbers, *[0] * (most - len(numbers))] for numbers in parts], dtype=np.int32),
            None if self.vectors is None else _with_nothing(self.vectors.values * self.vectors.scales[:, None]),
        )

    def examples(self) -> list[Any]:
        from dodona.learning.lanes import Example

        values = [{value: i for i, value in enumerate(kind)} for kind in self.kinds]
        found = []
        for tree in self.trees.trees:
            gold = (tree.sentence.upos, tree.sentence.xpos, tree.sentence.feats)
            numbers = [[known[value] for value in column] for known, column in zip(values, gold, strict=True)]
            found.append(Example(*self.words_and_tags(tree.seen), np.array(numbers, np.int32), tree.gold, tree.moves))
        return found

    def words_and_tags(self, sentence: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        tags = zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)
        return (
            np.array([self.forms[word] for word in sentence.words], dtype=np.int32),
            np.array([self.seen_tags[tag] for tag in tags], dtype=np.int32),
        )

    def input_scale(self, inputs: Inputs) -> float:
        """Return the scale of the first layer's inputs in 8 bits, measured on a part of the training data."""
        forms = inputs.of_forms(self.form_numbers)
        tags = inputs.of_tags(self.tag_numbers)
        sizes = []
        words = 0
        for tree in self.trees.trees:
            form, tag = self.words_and_tags(tree.seen)
            sizes.append(np.abs(forms[form] + tags[tag]).reshape(-1))
            words += len(form)
            if words > SAMPLE:
                break
        return max(1e-6, float(np.quantile(np.concatenate(sizes), 1 - CLIPPED)) / 127)


def _told_apart(vectors: Vectors | None) -> Vectors | None:
    """Return the vectors without the few words that have the fingerprint of another word before them."""
    if vectors is None:
        return None
    first: dict[int, int] = {}
    for i, word in enumerate(vectors.words):
        first.setdefault(fingerprint(word), i)
    kept = list(first.values())
    return replace(
        vectors, words=[vectors.words[i] for i in kept], values=vectors.values[kept], scales=vectors.scales[kept]
    )


def _with_nothing(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a table with a row 0 of zeros."""
    return np.concatenate([np.zeros((1, rows.shape[1]), np.float32), rows.astype(np.float32)])


def _parser(
    trees: TrainingTrees, options: Any, positions: Positions, data: _Data, weights: dict[str, NDArray[np.float32]]
) -> Parser:
    arrays = _arrays(data, options.network, weights)
    sizes = len(trees.built.label_names), trees.built.core.actions
    model = NeuralModel(options.network, positions, data.tag_parts, data.tags, False, arrays, *sizes, "parser")
    return Parser(options, trees.labels, model)


def _arrays(data: _Data, options: NetworkOptions, weights: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Return the weights as the arrays of a model: matrices in 8 bits, biases and scales as floats."""
    found: dict[str, NDArray[Any]] = {"words": np.array(data.words, dtype=np.uint32)}
    vectors = data.vectors
    found["vectors"] = np.array([fingerprint(word) for word in vectors.words] if vectors else [], dtype=np.uint32)
    tables: dict[str, Table] = {}
    for name in ("word", "subword", "tag"):
        values, scales = quantized(weights[name].T)
        found[name], found[f"{name}.scales"] = values, scales
        tables[name] = Table(values.reshape(weights[name].shape), scales)
    if vectors is not None:
        values = np.concatenate([np.zeros((1, vectors.dimensions), np.int8), vectors.values])
        scales = np.concatenate([np.zeros(1, np.float32), vectors.scales]).astype(np.float32)
        found["vector"], found["vector.scales"] = values.reshape(-1), scales
        tables["vector"] = Table(values, scales)
    names = ("word", "subword", "vector", "tag")
    matrices: list[NDArray[np.float32] | None] = []
    for name in names:
        if name not in tables:
            matrices.append(None)
            continue
        values, scales = quantized(weights[f"input.{name}"].T)
        found[f"input.{name}"], found[f"input.{name}.scales"] = values, scales
        matrices.append(values.reshape(weights[f"input.{name}"].shape).astype(np.float32) * scales[:, None])
    found["input.bias"] = weights["input.bias"]
    inputs = Inputs(
        tables["word"], tables["subword"], tables.get("vector"), tables["tag"], matrices, weights["input.bias"]
    )
    found["input.scale"] = np.array([data.input_scale(inputs)], dtype=np.float32)
    for layer in range(options.layers):
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            for part in ("input", "recurrent"):
                found[f"{name}.{part}"], found[f"{name}.{part}_scales"] = quantized(weights[f"{name}.{part}"])
            found[f"{name}.bias"] = weights[f"{name}.bias"]
    ends = np.tanh(np.stack([weights["root"], weights["nobody"]]))
    found["ends"] = np.rint(127 * ends).astype(np.int8).reshape(-1)
    heads = np.concatenate([weights[f"head{kind}"] for kind in range(3)], axis=1)
    found["heads"], found["heads.scales"] = quantized(heads)
    found["heads.bias"] = np.concatenate([weights[f"head{kind}.bias"] for kind in range(3)])
    found["positions"], found["positions.scales"] = quantized(weights["positions"])
    found["positions.bias"] = np.zeros(weights["positions"].shape[1], np.float32)
    units = options.units
    found["labels"], found["labels.scales"] = quantized(weights["labels"].reshape(-1, units).T)
    found["hidden.bias"] = weights["hidden.bias"]
    found["actions"], found["actions.scales"] = quantized(weights["actions"].T)
    found["actions.bias"] = weights["actions.bias"]
    return found
