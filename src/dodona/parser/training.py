"""Training a parser: from gold trees, complete or partial, to a linear model or a network."""

import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.component import Iteration
from dodona.data import Sentence
from dodona.data.pseudoprojective import ENCODINGS, escaped, projectivize, without_lift
from dodona.data.trees import is_projective
from dodona.errors import FormatError, OptionError
from dodona.linear.frozen import freeze_weights
from dodona.linear.perceptron import GreedyLearner
from dodona.linear.structured import StructuredLearner
from dodona.linear.templates import Templates
from dodona.neural.inputs import Inputs, Table
from dodona.neural.options import NetworkOptions
from dodona.neural.positions import Positions
from dodona.neural.quantization import quantized
from dodona.neural.vectors import Vectors
from dodona.neural.vocabulary import WordNumbers, fingerprint, tag_parts
from dodona.parser.linear import Encoder, LinearModel
from dodona.parser.neural import NeuralModel
from dodona.parser.options import ParserOptions, check_positions
from dodona.parser.parser import Parser
from dodona.systems.build import BUDGET, BuiltSystem
from dodona.tagger.tagger import Tag
from dodona.tagger.tagger import list_values as values_of
from dodona.transitions.derivations import gold_tree
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.policy import Policy, leaves_a_choice

__all__ = [
    "MOST_ACTIONS",
    "RARE",
    "NetworkSource",
    "ParserIteration",
    "TrainingTree",
    "TrainingTrees",
    "check_network_can_learn",
    "check_parser_options",
    "check_tree",
    "drop_rare_encodings",
    "network_iterations",
    "train_parser",
    "training_trees",
]

RARE = 50_000
"""An encoding of less than one in so many arcs is dropped."""


def drop_rare_encodings(trees: Iterable[list[str | None]]) -> None:
    """Replace the rare labels of lifted arcs by those of arcs that were not lifted, in place."""
    trees = list(trees)
    counts = Counter(label for labels in trees for label in labels if label is not None)
    total = counts.total()
    plain = {label: without_lift(label) for label, count in counts.items() if count * RARE < total}
    for labels in trees:
        for i, label in enumerate(labels):
            if label is not None:
                labels[i] = plain.get(label, label)


MOST_ACTIONS = 65_535


@dataclass(frozen=True)
class TrainingTree:
    """A gold sentence, the same sentence with the tags that the parser will see, and its tree."""

    sentence: Sentence
    seen: Sentence
    gold: Gold
    moves: "array[int]"  # the derivation, if the oracle plans it in advance; else empty


@dataclass(frozen=True)
class TrainingTrees:
    """All trees, with the system that builds them."""

    options: ParserOptions  # with the defaults that depend on the data
    labels: list[str]
    built: BuiltSystem
    trees: list[TrainingTree]

    @property
    def longest(self) -> int:
        return max(tree.gold.n for tree in self.trees)


def training_trees(
    sentences: Iterable[Sentence], options: ParserOptions, seen: Sequence[Sentence] | None = None
) -> TrainingTrees:
    """Return trees for resolved options. `seen` are the sentences with predicted tags; None: with the gold ones."""
    plain = options.built()
    prepared = list(_prepared(sentences, seen, plain.entry.projective, options))
    if not prepared:
        raise FormatError("there is no tree to train on; expected sentences with HEAD filled in")
    if plain.entry.projective and options.nonprojective in ENCODINGS[1:]:
        drop_rare_encodings([names for *_, names in prepared])
    labels = sorted({label for *_, names in prepared for label in names if label is not None})
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    if "root_label" in plain.options and "root_label" not in options.system_options:
        arcs = (arc for _, _, heads, names in prepared for arc in zip(heads, names, strict=True))
        roots = Counter(label for h, label in arcs if h == 0 and label is not None)
        if roots:
            usual = {"root_label": roots.most_common(1)[0][0]}
            options = replace(options, system_options=options.system_options | usual)
    built = options.built(labels)
    if built.core.actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")
    numbers: dict[str | None, int] = {label: i for i, label in enumerate(built.label_names)}
    trees = [
        TrainingTree(sentence, as_seen, *_gold(heads, [numbers.get(name, NONE) for name in names], options, built))
        for sentence, as_seen, heads, names in prepared
    ]
    return TrainingTrees(options, labels, built, trees)


def _prepared(
    sentences: Iterable[Sentence], seen: Sequence[Sentence] | None, projective: bool, options: ParserOptions
) -> Iterator[tuple[Sentence, Sentence, list[int], list[str | None]]]:
    """Return sentences with trees, complete or partial, that the system can build; NONE and None are unknown."""
    for i, sentence in enumerate(sentences):
        as_seen = sentence if seen is None else seen[i]
        labels: list[str] = sentence.gold_labels()
        if None in sentence.heads and leaves_a_choice(str(options.oracle)):
            known = sentence.known_heads()
            if any(h is not None for h in known):
                heads = [NONE if h is None else h for h in known]
                names = [None if h is None or label == "_" else label for h, label in zip(known, labels, strict=True)]
                escapes = projective and options.nonprojective in ENCODINGS[1:]
                yield sentence, as_seen, heads, [escaped(name) if name and escapes else name for name in names]
            continue
        heads = _whole_tree(sentence, options)
        if projective:
            if options.nonprojective in ENCODINGS:
                heads, labels = projectivize(heads, labels, options.nonprojective)
            elif options.nonprojective == "drop" and not is_projective(heads):
                continue
        yield sentence, as_seen, heads, [*labels]


def check_tree(sentence: Sentence, options: ParserOptions) -> None:
    """Raise an error if a sentence cannot be learned from, as `training_trees` would."""
    sentence.gold_labels()
    if None in sentence.heads and leaves_a_choice(str(options.oracle)):
        sentence.known_heads()
    else:
        _whole_tree(sentence, options)


def _whole_tree(sentence: Sentence, options: ParserOptions) -> list[int]:
    try:
        return sentence.gold_heads()
    except FormatError as error:
        if None not in sentence.heads:
            raise
        learn = "parts of trees can be learned from with a dynamic or non-deterministic oracle"
        raise FormatError(f"{error}; {learn}, not with {options.oracle!r}") from None


def _gold(heads: list[int], labels: list[int], options: ParserOptions, built: BuiltSystem) -> tuple[Gold, "array[int]"]:
    """Return the gold tree for the oracle and, if the oracle plans it in advance, its derivation."""
    gold = gold_tree(heads, labels)
    moves = None
    if options.oracle in built.entry.static_oracles:
        moves = built.entry.plan(built.core, gold, str(options.oracle), BUDGET)
    return gold, array("i", moves or [])


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
        import dodona.neural.trainer  # noqa: F401
    except ImportError as error:
        raise OptionError(f"a network needs JAX ({error}); install it with: pip install 'dodona[neural]'") from error


def network_iterations(trees: TrainingTrees, source: NetworkSource) -> Iterator[Epoch]:
    """Train, and yield after each epoch its number, the number of epochs, (steps, mistakes), the number of weights, and
    functions that return a parser and the state of training."""
    check_network_can_learn()
    from dodona.neural.options import Sizes
    from dodona.neural.trainer import Course, NeuralLearner

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
        from dodona.neural.batching import Tables

        parts = self.tag_numbers
        most = max(1, max(map(len, parts)))
        return Tables(
            self.form_numbers,
            np.array([self.counts[form.lower()] for form in self.forms], dtype=np.int32),
            np.array([[*numbers, *[0] * (most - len(numbers))] for numbers in parts], dtype=np.int32),
            None if self.vectors is None else _with_nothing(self.vectors.values * self.vectors.scales[:, None]),
        )

    def examples(self) -> list[Any]:
        from dodona.neural.batching import Example

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


Learner = GreedyLearner | StructuredLearner


@dataclass(frozen=True)
class ParserIteration(Iteration):
    """An iteration, and how a parser is made from what was learned so far."""

    planned: int  # iterations
    make: Callable[[], Parser]
    state: Callable[[], Any] | None = None  # what training continues from, if it can be interrupted
    transitions: int = 0  # of the derivations that a linear model was trained on in this iteration

    def parser(self) -> Parser:
        """Return a parser with the current averaged weights."""
        return self.make()


def train_parser(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    report: Callable[[ParserIteration], bool | None] | None = None,
    *,
    seen: Sequence[Sentence] | None = None,
    source: NetworkSource | None = None,
) -> Parser:
    """Train a parser on gold trees. `report` is called after each iteration; if it returns True, that was the last.

    `seen` are the same sentences with the tags that the parser learns to use, predicted ones; None: the gold ones.
    `source` is what a network can begin with: vectors, or the state of an interrupted training.
    """
    options = options.resolved()
    check_parser_options(options)
    trees = training_trees(sentences, options, seen)
    found: Iterator[ParserIteration]
    found = _linear(trees) if options.scorer == "linear" else _neural(trees, source or NetworkSource())
    last = None
    for iteration in found:
        last = iteration
        if report is not None and report(iteration):
            break
    assert last is not None
    return last.parser()


def check_parser_options(options: ParserOptions) -> None:
    """Raise an error if templates or positions cannot be read, the system has no such places, or JAX is missing."""
    entry = options.built().entry
    if options.scorer == "linear":
        check_positions(entry, "templates", Templates.load(str(options.templates)).places())
    else:
        check_positions(entry, "positions", Positions.load(str(options.positions)).places())
        check_network_can_learn()


def _linear(trees: TrainingTrees) -> Iterator[ParserIteration]:
    options = trees.options
    templates = Templates.load(str(options.templates))
    encode = Encoder(templates)
    learner = _learner(trees, templates)
    examples = [(encode(tree.seen), tree.gold, tree.moves) for tree in trees.trees]
    generator = random.Random(options.seed)
    order = list(range(len(examples)))
    planned = options.iterations or 0
    before = 0

    def make() -> Parser:
        arrays = freeze_weights(learner.weights, options.size)
        model = LinearModel(templates, arrays, trees.built.core.actions, "parser")
        return Parser(options, trees.labels, model)

    for number in range(1, planned + 1):
        generator.shuffle(order)
        explore = options.explore if options.oracle == "dynamic" and number > options.explore_after else 0.0
        for i in order:
            words, gold, moves = examples[i]
            learner.train(words, gold, moves, explore)
        taken, before = learner.transitions - before, learner.transitions
        counts = (*learner.count(), learner.weights.features)
        yield ParserIteration(number, *counts, planned, make, transitions=taken)


def _neural(trees: TrainingTrees, source: NetworkSource) -> Iterator[ParserIteration]:
    for number, planned, counted, size, make, state in network_iterations(trees, source):
        yield ParserIteration(number, *counted, size, planned, make, state)


def _learner(trees: TrainingTrees, templates: Templates) -> Learner:
    options, longest = trees.options, trees.longest
    oracle = str(options.oracle)
    policy = Policy(trees.built.core, oracle, longest=longest)
    rule: dict[str, Any] = {
        "rule": options.update,
        "aggressiveness": options.aggressiveness,
        "longest": longest,
    }
    if options.beam > 1:
        latent = leaves_a_choice(oracle)
        return StructuredLearner(
            policy, templates, width=options.beam, latent=latent, early=options.early_update, **rule
        )
    return GreedyLearner(policy, templates, random_choice=options.random_choice, seed=options.seed, **rule)
