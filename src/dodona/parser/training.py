"""Training a parser: from gold trees, complete or partial, to a linear model or a network.

`prepare_trees` makes trees that the system can build: it lifts arcs of non-projective ones, numbers labels, and plans
derivations for static oracles. A `ParserTraining` goes over them, one iteration after the other, and can make a parser
after each; that of a network is in `parser.neural_training`. `train_parser` does all of it. Trees that another parser
has made, if there are any, are prepared while they are learned from: `SilverTrees`.
"""

import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from dodona.component import Callback, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.pseudoprojective import ENCODINGS, escape_label, projectivize, remove_lift
from dodona.data.silver import MOST_FEATURES, Silver
from dodona.data.stream import batch_sentences
from dodona.data.trees import is_projective
from dodona.errors import FormatError, TreeError
from dodona.linear.frozen import freeze_weights
from dodona.linear.perceptron import GreedyLearner, StructuredLearner
from dodona.linear.scorer import Words
from dodona.linear.templates import Templates
from dodona.neural.learner import OutputSizes
from dodona.neural.options import check_network_can_learn
from dodona.neural.positions import Positions
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.vectors import Vectors
from dodona.parser.encoder import SentenceEncoder
from dodona.parser.linear import LinearModel
from dodona.parser.options import ParserOptions, check_positions
from dodona.parser.parser import Parser, check_can_run_transformer
from dodona.systems.registry import BUDGET, BuiltSystem
from dodona.tagger.tagger import Tag, list_values, tags_of
from dodona.transitions.derivations import gold_tree
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.policy import Policy, leaves_a_choice

__all__ = [
    "NO_TREE",
    "RARE",
    "GoldTags",
    "LearnerTraining",
    "LinearTraining",
    "NetworkSource",
    "ParserTraining",
    "SilverSource",
    "SilverTrees",
    "TrainingTree",
    "TrainingTrees",
    "begin_training",
    "build_for_labels",
    "check_learnable",
    "check_parser_options",
    "clip_number",
    "drop_rare_encodings",
    "lifts_arcs",
    "prepare_trees",
    "train_parser",
]

NO_TREE = "there is no tree to train on; expected sentences with HEAD filled in"
MAX_ACTIONS = 65_535
RARE = 50_000
"""An encoding of less than one in so many arcs is dropped."""


@dataclass(frozen=True)
class NetworkSource:
    """What a network begins with: pretrained vectors or an encoder, and the state of an interrupted training."""

    vectors: Vectors | None = None
    pretrained: PretrainedEncoder | None = None  # of a network
    pretrained_rate: float = 1.0  # the share of the rate that its weights go on learning at
    encoder: Any = None  # of a transformer, with its weights: what `transformer.pretrained.read_encoder` returns
    device: str = "auto"  # that a transformer learns on
    state: Mapping[str, NDArray[Any]] | None = None
    where: str = "state"  # named in errors


@dataclass(frozen=True)
class SilverSource:
    """What a parser learns from beside gold trees: silver sentences, and a function that gives a batch of them, in
    place, the tags that the parser will see; None: their own."""

    silver: Silver
    tag: Callable[[list[Sentence]], object] | None = None


def train_parser(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    callback: Callback = ignore,
    *,
    seen: Sequence[Sentence] | None = None,
    source: NetworkSource | None = None,
    silver: SilverSource | None = None,
) -> Parser:
    """Train a parser on gold trees. `callback` is told of its progress; if it returns True after an iteration, that was
    the last.

    `seen` are the same sentences with the tags that the parser learns to use, predicted ones; None: the gold ones.
    `source` is what a network can begin with: vectors, an encoder, or the state of an interrupted training. `silver` is
    what it learns from beside gold trees.
    """
    training = begin_training(sentences, options, seen, source, silver)
    for progress in training.iterations(callback):
        if callback(progress):
            break
    return training.parser()


def begin_training(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    seen: Sequence[Sentence] | None = None,
    source: NetworkSource | None = None,
    silver: SilverSource | None = None,
) -> "ParserTraining":
    """Return a training of a parser before its first iteration; the arguments are those of `train_parser`."""
    check_parser_options(options)
    trees = prepare_trees(sentences, options, seen)
    if options.scorer == "linear":
        return LinearTraining(trees, silver)
    if options.scorer == "transformer":
        from dodona.parser.transformer_training import TransformerTraining  # which needs PyTorch

        return TransformerTraining(trees, source or NetworkSource(), silver)
    from dodona.parser.neural_training import NetworkTraining  # which needs JAX

    return NetworkTraining(trees, source or NetworkSource(), silver)


def check_parser_options(options: ParserOptions) -> None:
    """Raise an error if templates or positions cannot be read, the system has no such places, or JAX or PyTorch is
    missing."""
    entry = options.build_system().entry
    if options.scorer == "linear":
        check_positions(entry, "templates", Templates.load(options.templates).places())
        return
    check_positions(entry, "positions", Positions.load(options.positions).places())
    if options.scorer == "transformer":
        check_can_run_transformer()
    else:
        check_network_can_learn()


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

    @property
    def words(self) -> int:
        return sum(tree.gold.n for tree in self.trees)


class SilverTrees:
    """Silver sentences as trees to be learned from, those of an iteration at a time, for any kind of scorer.

    Their labels are those of the gold trees. A lifted arc that no gold tree has is encoded as one that is not lifted.
    """

    def __init__(self, source: SilverSource, trees: TrainingTrees, iterations: int) -> None:
        self.silver, self.mixture = source.silver, source.silver.mixture(trees.words, iterations)
        self._tag, self._options, self._built = source.tag, trees.options, trees.built
        self._stream = source.silver.stream(trees.options.seed)
        self._numbers: dict[str | None, int] = {label: i for i, label in enumerate(trees.built.label_names)}

    def of_iteration(self, number: int) -> Iterator[TrainingTree]:
        """Yield the trees that belong to an iteration, counted from 1."""
        for sentences in batch_sentences(self._stream.between(*self.mixture.bounds(number))):
            seen = sentences
            if self._tag is not None:
                seen = [sentence.copy() for sentence in sentences]
                self._tag(seen)
            chosen = _select_trees(sentences, seen, self._built.entry.projective, self._options)
            for sentence, as_seen, heads, names in chosen:
                known = [name if name in self._numbers or name is None else remove_lift(name) for name in names]
                if all(name in self._numbers or name is None for name in known):  # gold has some only as lifted ones
                    yield _make_tree(sentence, as_seen, heads, known, self._built, self._numbers, self._options)


def prepare_trees(
    sentences: Iterable[Sentence], options: ParserOptions, seen: Sequence[Sentence] | None = None
) -> TrainingTrees:
    """Return trees for resolved options. `seen` are the sentences with predicted tags; None: with the gold ones."""
    plain = options.build_system()
    prepared = list(_select_trees(sentences, seen, plain.entry.projective, options))
    if not prepared:
        raise FormatError(NO_TREE)
    if plain.entry.projective and options.nonprojective in ENCODINGS[1:]:
        drop_rare_encodings([names for *_, names in prepared])
    labels = sorted({label for *_, names in prepared for label in names if label is not None})
    if "root_label" in plain.options and "root_label" not in options.system_options:
        arcs = (arc for _, _, heads, names in prepared for arc in zip(heads, names, strict=True))
        roots = Counter(label for h, label in arcs if h == 0 and label is not None)
        if roots:
            usual = {"root_label": roots.most_common(1)[0][0]}
            options = replace(options, system_options=options.system_options | usual)
    built = build_for_labels(labels, options)
    numbers: dict[str | None, int] = {label: i for i, label in enumerate(built.label_names)}
    trees = [_make_tree(*each, built, numbers, options) for each in prepared]
    return TrainingTrees(options, labels, built, trees)


def _make_tree(
    sentence: Sentence, seen: Sentence, heads: list[int], names: Sequence[str | None], built: BuiltSystem,
    numbers: Mapping[str | None, int], options: ParserOptions,
) -> TrainingTree:  # fmt: skip
    gold = gold_tree(heads, [numbers.get(name, NONE) for name in names])
    is_planned = options.oracle in built.entry.static_oracles
    moves = built.entry.plan(built.core, gold, options.oracle, BUDGET) if is_planned else None
    return TrainingTree(sentence, seen, gold, array("i", moves or []))


def build_for_labels(labels: Sequence[str], options: ParserOptions) -> BuiltSystem:
    """Return the system; an error if there is nothing to learn, or more than actions can be numbered."""
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    built = options.build_system(labels)
    if built.core.actions > MAX_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")
    return built


def _select_trees(
    sentences: Iterable[Sentence], seen: Sequence[Sentence] | None, projective: bool, options: ParserOptions
) -> Iterator[tuple[Sentence, Sentence, list[int], list[str | None]]]:
    """Yield sentences with trees, complete or partial, that the system can build; NONE and None are unknown."""
    for i, sentence in enumerate(sentences):
        as_seen = sentence if seen is None else seen[i]
        labels: list[str] = sentence.gold_labels()
        if None in sentence.heads and leaves_a_choice(options.oracle):
            known = sentence.known_heads()
            if any(h is not None for h in known):
                heads = [NONE if h is None else h for h in known]
                names = [None if h is None or label == "_" else label for h, label in zip(known, labels, strict=True)]
                escapes = projective and options.nonprojective in ENCODINGS[1:]
                yield sentence, as_seen, heads, [escape_label(name) if name and escapes else name for name in names]
            continue
        heads = _whole_tree(sentence, options)
        if projective:
            if options.nonprojective in ENCODINGS:
                heads, labels = _projectivize(sentence, heads, labels, options.nonprojective)
            elif options.nonprojective == "drop" and not is_projective(heads):
                continue
        yield sentence, as_seen, heads, [*labels]


def _projectivize(
    sentence: Sentence, heads: list[int], labels: list[str], encoding: str
) -> tuple[list[int], list[str]]:
    try:
        return projectivize(heads, labels, encoding)
    except TreeError as error:  # too long
        place = f"{sentence.file}:{sentence.word_line(1)}"
        raise FormatError(f"{place}: {error}; --max-length leaves longer sentences out") from None


def drop_rare_encodings(trees: Iterable[list[str | None]]) -> None:
    """Replace the rare labels of lifted arcs by those of arcs that were not lifted, in place."""
    trees = list(trees)
    counts = Counter(label for labels in trees for label in labels if label is not None)
    total = counts.total()
    rare = [label for label, count in counts.items() if count * RARE < total]
    plain: dict[str | None, str] = {label: remove_lift(label) for label in rare}
    for labels in trees:
        labels[:] = [plain.get(label, label) for label in labels]


def check_learnable(sentence: Sentence, options: ParserOptions) -> None:
    """Raise an error if a sentence cannot be learned from, as `prepare_trees` would."""
    sentence.gold_labels()
    if None in sentence.heads and leaves_a_choice(options.oracle):
        sentence.known_heads()
    else:
        _whole_tree(sentence, options)


def lifts_arcs(options: ParserOptions) -> bool:
    """Return whether crossing arcs are lifted: the system builds projective trees, and lifted arcs are encoded."""
    return options.nonprojective in ENCODINGS and options.build_system().entry.projective


def _whole_tree(sentence: Sentence, options: ParserOptions) -> list[int]:
    try:
        return sentence.gold_heads()
    except FormatError as error:
        if None not in sentence.heads:
            raise
        learn = "parts of trees can be learned from with a dynamic or non-deterministic oracle"
        raise FormatError(f"{error}; {learn}, not with {options.oracle!r}") from None


class ParserTraining:
    """The training of a parser's model, one iteration after the other."""

    def __init__(self, trees: TrainingTrees, planned: int, silver: SilverSource | None) -> None:
        self.trees, self.planned = trees, planned
        self.options = replace(trees.options, iterations=planned)
        self.silver = None if silver is None else SilverTrees(silver, trees, planned)
        self.longest = max(trees.longest, 0 if silver is None else silver.silver.longest)
        self.done = 0  # iterations

    def iterations(self, callback: Callback = ignore) -> Iterator[TrainingProgress]:
        """Train, and yield after each iteration. `callback` is told of what happens within one."""
        for number in range(self.done + 1, self.planned + 1):
            progress = self._iterate(number, self.options.explore_in(number), callback)
            self.done = number
            yield progress

    def _iterate(self, number: int, explore: float, callback: Callback) -> TrainingProgress:
        raise NotImplementedError

    def _progress(
        self, iteration: int, decisions: int = 0, mistakes: int = 0, transitions: int = 0, share: float = 1.0
    ) -> TrainingProgress:
        """Return how far the training is, in or after an iteration."""
        whole = None if self.silver is None else self.silver.mixture.share(iteration - 1 + share)
        return TrainingProgress(
            "parser", iteration, self.planned, decisions, mistakes, transitions, share=share, whole=whole
        )

    def parser(self) -> Parser:
        """Return a parser with the current averaged weights."""
        raise NotImplementedError

    def state(self) -> dict[str, NDArray[Any]] | None:
        """Return what training continues from after the iteration yielded last; None if it cannot be interrupted."""
        return None


def clip_number(number: int, bounds: tuple[int, int]) -> int:
    """Return the number that is nearest to this one within bounds."""
    return max(bounds[0], min(bounds[1], number))


class GoldTags:
    """The tags of gold trees, which a network learns to predict, as numbers."""

    def __init__(self, trees: Iterable[TrainingTree]) -> None:
        self.tags: list[Tag] = sorted({tag for tree in trees for tag in tags_of(tree.sentence)})
        self.kinds = list_values(self.tags)
        self.sizes = tuple(map(len, self.kinds))
        self._numbers = [{value: i for i, value in enumerate(kind)} for kind in self.kinds]

    def of(self, sentence: Sentence) -> list[list[int]]:
        """Return the values of each kind; -1 for one that the treebank does not have, which is not learned from."""
        columns = (sentence.upos, sentence.xpos, sentence.feats)
        return [[own.get(value, -1) for value in column] for own, column in zip(self._numbers, columns, strict=True)]


class LearnerTraining(ParserTraining):
    """The training of a network by a learner, which says what to continue from and how far each iteration is."""

    learner: Any

    def __init__(self, trees: TrainingTrees, silver: SilverSource | None, words: int, bounds: tuple[int, int]) -> None:
        """Unless a number of iterations is asked for, there are as many as it takes to learn from so many words, within
        bounds."""
        super().__init__(trees, trees.options.iterations or clip_number(words // max(1, trees.words), bounds), silver)
        self.positions = Positions.load(self.options.positions)
        self.gold_tags = GoldTags(trees.trees)
        sizes = len(trees.built.label_names), trees.built.core.actions
        self.sizes = OutputSizes(*sizes, len(self.positions.words), len(self.positions.labels), self.gold_tags.sizes)
        self.policy = Policy(trees.built.core, self.options.oracle, longest=self.longest)

    def restore(self, source: NetworkSource) -> None:
        """Continue from the state of an interrupted training, if there is one."""
        if source.state is None:
            return
        try:
            done = self.learner.restore(source.state)
        except ValueError as error:
            raise FormatError(f"{source.where}: {error}") from error
        if not 1 <= done <= self.planned or self.learner.updates < 1:
            raise FormatError(
                f"{source.where}: the state after iteration {done}; expected one from 1 to {self.planned}"
            )
        self.done = done

    def iterations(self, callback: Callback = ignore) -> Iterator[TrainingProgress]:
        if self.done == self.planned:  # interrupted after the last iteration, before the model was written
            yield self._progress(self.done)
        yield from super().iterations(callback)

    def _iterate(self, number: int, explore: float, callback: Callback) -> TrainingProgress:
        def report(share: float) -> None:
            if share < 1:
                callback(self._progress(number, share=share))

        steps, mistakes, _ = self.learner.iterate(number, explore, report)
        return self._progress(number, steps, mistakes)

    def state(self) -> dict[str, NDArray[Any]]:
        state: dict[str, NDArray[Any]] = self.learner.state(self.done)
        return state


LinearExample = tuple[Words, Gold, "array[int]"]


class LinearTraining(ParserTraining):
    """Feature templates and weights that are learned by a perceptron."""

    def __init__(self, trees: TrainingTrees, silver: SilverSource | None = None) -> None:
        assert trees.options.iterations is not None
        super().__init__(trees, trees.options.iterations, silver)
        self.templates = Templates.load(self.options.templates)
        self.learner = self._make_learner()
        self._encode = SentenceEncoder(self.templates)
        self._examples = list(map(self._make_example, trees.trees))
        self._generator = random.Random(self.options.seed)
        self._order = list(range(len(self._examples)))
        self._transitions = 0  # of all iterations before

    def _make_example(self, tree: TrainingTree) -> LinearExample:
        return self._encode(tree.seen), tree.gold, tree.moves

    def _make_learner(self) -> GreedyLearner | StructuredLearner:
        options, longest = self.options, self.longest
        policy = Policy(self.trees.built.core, options.oracle, longest=longest)
        own: dict[str, Any] = {"rule": options.update, "aggressiveness": options.aggressiveness, "longest": longest}
        if options.beam == 1:
            own |= {"random_choice": options.random_choice, "seed": options.seed}
            return GreedyLearner(policy, self.templates, **own)
        own |= {"width": options.beam, "latent": leaves_a_choice(options.oracle), "early": options.early_update}
        return StructuredLearner(policy, self.templates, **own)

    def _iterate(self, number: int, explore: float, callback: Callback) -> TrainingProgress:
        for example in self._list_examples(number):
            self.learner.train(*example, explore)
            if self.silver is not None and self.learner.weights.features > MOST_FEATURES:
                self.learner.weights.forget(MOST_FEATURES // 2)
        before, self._transitions = self._transitions, self.learner.transitions
        return self._progress(number, *self.learner.count(), self._transitions - before)

    def _list_examples(self, number: int) -> Iterable[LinearExample]:
        """Return what an iteration learns from, in its order."""
        self._generator.shuffle(self._order)
        gold = (self._examples[i] for i in self._order)
        if self.silver is None:
            return gold
        silver = map(self._make_example, self.silver.of_iteration(number))
        return self.silver.mixture.mix(number, gold, silver, lambda example: example[1].n)

    def parser(self) -> Parser:
        arrays = freeze_weights(self.learner.weights, self.options.size)
        model = LinearModel(self.templates, arrays, self.trees.built.core.actions, "parser")
        return Parser(self.options, self.trees.labels, model)
