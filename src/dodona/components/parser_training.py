"""Training a parser: from gold trees, complete or partial, to averaged weights."""

import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dodona.components.component import Iteration
from dodona.components.parser import Parser
from dodona.components.parser_options import ParserOptions, check_positions
from dodona.data import Sentence
from dodona.data.pseudoprojective import ENCODINGS, escaped, projectivize
from dodona.data.trees import is_projective
from dodona.errors import FormatError
from dodona.learning.perceptron import GreedyLearner
from dodona.learning.structured import StructuredLearner
from dodona.oracles.policy import Policy, leaves_a_choice
from dodona.scoring.linear.pruning import frozen_arrays
from dodona.scoring.linear.templates import Templates
from dodona.systems.build import BUDGET, BuiltSystem
from dodona.text.encoder import Encoder
from dodona.transitions.driver import gold_tree
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE

__all__ = ["ParserIteration", "load_templates", "train_parser"]

MOST_ACTIONS = 65_535

Learner = GreedyLearner | StructuredLearner


@dataclass(frozen=True)
class ParserIteration(Iteration):
    """An iteration with everything that is needed to build a parser from the current weights."""

    learner: Learner
    options: ParserOptions  # with the defaults that depend on the data
    labels: list[str]
    templates: Templates

    def parser(self) -> Parser:
        """Return a parser with the current averaged weights."""
        return frozen_parser(self.learner, self.options, self.labels, self.templates)


def train_parser(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    report: Callable[[ParserIteration], bool | None] | None = None,
) -> Parser:
    """Train a parser on gold trees. `report` is called after each iteration; if it returns True, that was the last."""
    options = options.resolved()
    templates = load_templates(options)
    plain = options.built()
    prepared = list(_prepared(sentences, plain.entry.projective, options))
    if not prepared:
        raise FormatError("there is no tree to train on; expected sentences with HEAD filled in")
    labels = sorted({label for _, _, names in prepared for label in names if label is not None})
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    if "root_label" in plain.options and "root_label" not in options.system_options:
        arcs = (arc for _, heads, names in prepared for arc in zip(heads, names, strict=True))
        roots = Counter(label for h, label in arcs if h == 0 and label is not None)
        if roots:
            usual = {"root_label": roots.most_common(1)[0][0]}
            options = replace(options, system_options=options.system_options | usual)
    built = options.built(labels)
    if built.core.actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")
    numbers: dict[str | None, int] = {label: i for i, label in enumerate(built.label_names)}
    encode = Encoder(templates)
    learner = _learner(options, built, templates, max(len(heads) for _, heads, _ in prepared))
    examples = [
        (encode(sentence), *_gold(heads, [numbers.get(name, NONE) for name in names], options, built))
        for sentence, heads, names in prepared
    ]
    generator = random.Random(options.seed)
    order = list(range(len(examples)))
    for number in range(1, (options.iterations or 0) + 1):
        generator.shuffle(order)
        explore = options.explore if options.oracle == "dynamic" and number > options.explore_after else 0.0
        for i in order:
            words, gold, moves = examples[i]
            learner.train(words, gold, moves, explore)
        steps, mistakes = learner.count()
        if report is not None and report(
            ParserIteration(number, steps, mistakes, learner.weights.features, learner, options, labels, templates)
        ):
            break
    return frozen_parser(learner, options, labels, templates)


def load_templates(options: ParserOptions) -> Templates:
    """Load the feature templates of resolved options and check that the system has the places that they name."""
    templates = Templates.load(str(options.templates))
    check_positions(options.built().entry, templates)
    return templates


def frozen_parser(learner: Learner, options: ParserOptions, labels: Sequence[str], templates: Templates) -> Parser:
    """Return a parser with the current averaged weights, pruned to the maximum size."""
    arrays = frozen_arrays(learner.weights, options.size)
    return Parser(options, labels, templates, arrays)


def _prepared(
    sentences: Iterable[Sentence], projective: bool, options: ParserOptions
) -> Iterator[tuple[Sentence, list[int], list[str | None]]]:
    """Return sentences with trees, complete or partial, that the system can build; NONE and None are unknown."""
    for sentence in sentences:
        labels: list[str] = sentence.gold_labels()
        if None in sentence.heads and leaves_a_choice(str(options.oracle)):
            known = sentence.known_heads()
            if any(h is not None for h in known):
                heads = [NONE if h is None else h for h in known]
                names = [None if h is None or label == "_" else label for h, label in zip(known, labels, strict=True)]
                escapes = projective and options.nonprojective in ENCODINGS[1:]
                yield sentence, heads, [escaped(name) if name and escapes else name for name in names]
            continue
        heads = _whole_tree(sentence, options)
        if projective:
            if options.nonprojective in ENCODINGS:
                heads, labels = projectivize(heads, labels, options.nonprojective)
            elif options.nonprojective == "drop" and not is_projective(heads):
                continue
        yield sentence, heads, [*labels]


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


def _learner(options: ParserOptions, built: BuiltSystem, templates: Templates, longest: int) -> Learner:
    oracle = str(options.oracle)
    policy = Policy(built.core, oracle, longest=longest)
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
