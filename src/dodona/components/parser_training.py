"""Training a parser: from gold trees, complete or partial, to a linear model or a network."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dodona.components.component import Iteration
from dodona.components.network_training import NetworkSource, check_network_can_learn, network_iterations
from dodona.components.parser import Parser
from dodona.components.parser_model import LinearModel
from dodona.components.parser_options import ParserOptions, check_positions
from dodona.components.training_trees import TrainingTrees, training_trees
from dodona.data import Sentence
from dodona.learning.perceptron import GreedyLearner
from dodona.learning.structured import StructuredLearner
from dodona.oracles.policy import Policy, leaves_a_choice
from dodona.scoring.linear.pruning import frozen_arrays
from dodona.scoring.linear.templates import Templates
from dodona.scoring.neural.positions import Positions
from dodona.text.encoder import Encoder

__all__ = ["ParserIteration", "check_parser_options", "train_parser"]

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
        arrays = frozen_arrays(learner.weights, options.size)
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
