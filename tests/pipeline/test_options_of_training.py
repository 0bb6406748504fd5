"""No option of a training is accepted and then ignored: with another value, other weights are learned.

Every option must be named here. So one that is new, or that gets lost on its way to a learner, is noticed.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest
from samples.networks import SMALL
from samples.small_models import full_treebank

from dodona import Sentence
from dodona.component import TrainingOptions
from dodona.lemmatizer.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.neural.options import NetworkOptions
from dodona.neural.trainer import NeuralLearner
from dodona.parser.options import ParserOptions
from dodona.parser.training import begin_training
from dodona.tagger.tagger import TaggerOptions, train_tagger
from dodona.tokenizer.tokenizer import TokenizerOptions, train_tokenizer


def random_tree(chance: random.Random) -> Sentence:
    """A tree that nobody can guess, so that there are always mistakes to learn from."""
    n = chance.randint(3, 8)
    order = chance.sample(range(1, n + 1), n)
    heads = [0] * n
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = chance.choice(order[:place])
    labels = ["root" if head == 0 else chance.choice(["a", "b", "c"]) for head in heads]
    return Sentence.from_words(chance.choices("uvwx", k=n), chance.choices(["X", "Y"], k=n), heads=heads, labels=labels)


CHANCE = random.Random(1)
TRAIN = [random_tree(CHANCE) for _ in range(24)]
NEURAL: dict[str, Any] = {"scorer": "neural", "network": SMALL, "iterations": 2, "explore": 0.5}
LINEAR: dict[str, Any] = {"templates": "stack", "iterations": 3, "explore": 0.5}

PARSER: dict[str, tuple[dict[str, Any], Any]] = {
    "system": ({"templates": None}, "arc-hybrid"),
    "system_options": ({}, {"root": "first"}),
    "templates": ({}, "stack-full"),
    "oracle": ({}, "nondeterministic"),
    "iterations": ({}, 2),
    "explore_after": ({}, 0),
    "explore": ({}, 1.0),
    "random_choice": ({"oracle": "nondeterministic"}, True),
    "update": ({}, "pa"),
    "aggressiveness": ({"update": "pa"}, 0.01),
    "beam": ({"oracle": "nondeterministic"}, 2),
    "early_update": ({"beam": 3, "oracle": "nondeterministic"}, True),
    "nonprojective": ({}, "drop"),
    "size": ({}, 0.001),
    "seed": ({}, 2),
}
"""For each option another value, and the other options with which it decides something."""
NOT_LINEAR = {"scorer", "network", "transformer", "positions"}
NOT_LEARNED = {"single_root"}  # of parsing alone
NETWORK: dict[str, tuple[dict[str, Any], Any]] = {
    "oracle": ({}, "static"),
    "iterations": ({}, 1),
    "explore_after": ({}, 0),
    "explore": ({"explore_after": 0}, 1.0),
    "random_choice": ({"explore": 0.0}, True),
    "seed": ({}, 2),
}
BEFORE = {"system", "positions", "network", "nonprojective"}  # which decide about the weights before any is learned
SIZES = {"layers", "width", "units", "inputs", "embedding", "tag_embedding", "subwords", "batch"}
LEARNING: dict[str, Any] = {"dropout": 0.7, "rate": 0.03}


def inflect(sentence: Sentence) -> Sentence:
    """Words of chance, with lemmas that follow no rule."""
    words = ["".join(CHANCE.choices("abc", k=CHANCE.randint(2, 6))) for _ in sentence.words]
    lemmas = [word[: -CHANCE.randint(0, 2) or None] + CHANCE.choice(["", "a", "b"]) for word in words]
    return Sentence.from_words(words, sentence.upos, lemmas=[lemma or "c" for lemma in lemmas])


def content(arrays: Mapping[str, Any]) -> dict[str, tuple[Any, bytes]]:
    return {name: (values.shape, values.tobytes()) for name, values in arrays.items()}


def learned(**options: Any) -> dict[str, tuple[Any, bytes]]:
    """The weights of a parser, before they are made smaller where it is a network."""
    training = begin_training(TRAIN, ParserOptions(**options))
    for _ in training.iterations():
        pass
    if options.get("scorer") == "neural":
        return content(training.learner.weights())  # type: ignore[attr-defined]
    return content(training.parser().model.arrays)


@cache
def usual_network() -> dict[str, tuple[Any, bytes]]:
    return learned(**NEURAL)


def test_every_option_of_a_parser_is_tried() -> None:
    names = {field.name for field in fields(ParserOptions)}
    assert names == {*PARSER} | NOT_LINEAR | NOT_LEARNED
    assert names == {*NETWORK} | BEFORE | {"scorer", "transformer", "system_options"} | NOT_LEARNED | OF_LINEAR
    assert {field.name for field in fields(NetworkOptions)} == SIZES | {*LEARNING, "tag_layer"}


OF_LINEAR = {"templates", "update", "aggressiveness", "beam", "early_update", "size"}


@pytest.mark.parametrize("name", PARSER)
def test_a_linear_parser(name: str) -> None:
    beside, other = PARSER[name]
    plain = {key: value for key, value in (LINEAR | beside).items() if value is not None}
    assert learned(**plain | {name: other}) != learned(**plain)


@pytest.mark.parametrize("name", NETWORK)
def test_a_network(name: str) -> None:
    beside, other = NETWORK[name]
    plain = learned(**NEURAL | beside) if beside else usual_network()
    assert learned(**NEURAL | beside | {name: other}) != plain


@pytest.mark.parametrize("name", LEARNING)
def test_how_a_network_learns(name: str) -> None:
    assert learned(**NEURAL | {"network": replace(SMALL, **{name: LEARNING[name]})}) != usual_network()


@pytest.mark.parametrize(
    "change",
    [
        {"system": "swap-standard"},
        {"positions": "standard"},
        {"nonprojective": "drop"},
        *({"network": replace(SMALL, **{name: 2 * getattr(SMALL, name)})} for name in sorted(SIZES)),
    ],
    ids=str,
)
def test_the_shape_of_a_network(change: dict[str, Any]) -> None:
    """It is there before anything is learned."""

    def shapes(options: dict[str, Any]) -> tuple[dict[str, Any], list[str], int]:
        training = begin_training(TRAIN, ParserOptions(**NEURAL | options))
        learner: NeuralLearner = training.learner  # type: ignore[attr-defined]
        sizes = {name: values.shape for name, values in learner.weights().items()}
        return sizes, training.trees.labels, learner.planned  # the number of batches

    assert shapes(change) != shapes({})


Train = Callable[[Any, Any], Any]


@pytest.mark.parametrize(
    ("train", "kind", "others"),
    [
        (train_tokenizer, TokenizerOptions, {"iterations": 1, "size": 0.0005, "seed": 2, "rate": 0.1}),
        (train_tagger, TaggerOptions, {"iterations": 1, "size": 0.002, "seed": 2}),
        (train_lemmatizer, LemmatizerOptions, {"iterations": 1, "size": 0.0002, "seed": 2}),
    ],
    ids=["tokenizer", "tagger", "lemmatizer"],
)
def test_the_other_components(train: Train, kind: type[TrainingOptions], others: dict[str, Any]) -> None:
    assert {field.name for field in fields(kind)} == {*others}
    sentences = (
        [inflect(sentence) for sentence in full_treebank(40)] if train is train_lemmatizer else full_treebank(40)
    )

    def weights(**options: Any) -> dict[str, Any]:
        return content(train(sentences, kind(**{"iterations": 3} | options)).parts()[1])

    plain = weights()
    for name, value in others.items():
        assert weights(**{name: value}) != plain, name
