"""Small networks, trained once for all tests of a process."""

from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest import mock

from samples.treebank import treebank

from dodona import Sentence
from dodona.neural.options import NetworkOptions
from dodona.neural.trainer import NeuralLearner
from dodona.parser.neural_training import NetworkTraining
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import NetworkSource, prepare_trees, train_parser

SMALL = NetworkOptions(
    layers=1, width=8, units=16, inputs=12, embedding=6, tag_embedding=4, subwords=64, batch=64, dropout=0.1
)
DEEP = NetworkOptions(
    layers=2, width=8, units=16, inputs=12, embedding=6, tag_embedding=4, subwords=64, batch=64, dropout=0.1, rate=0.05
)


@dataclass
class Trained:
    """A parser, with what it was made of."""

    parser: Parser
    data: Any
    weights: dict[str, Any]


@cache
def trained() -> Trained:
    """A network that has learned the treebank by heart. The parser is shared: do not change it."""
    options = ParserOptions(scorer="neural", iterations=12, network=DEEP)
    training = NetworkTraining(prepare_trees(treebank(100), options), NetworkSource())
    for _ in training.iterations():
        pass
    return Trained(training.parser(), training.data, training.learner.weights())


def copied(parser: Parser) -> Parser:
    """Another parser with the same weights."""
    return Parser.from_parts(*parser.parts(), "copy")


def taught(sentences: list[Sentence], **options: Any) -> Parser:
    """A network after one iteration."""
    return train_parser(sentences, ParserOptions(scorer="neural", iterations=1, network=SMALL, **options))


def untaught(sentences: list[Sentence], **options: Any) -> Parser:
    """A network with random weights; nothing has to be compiled."""
    with mock.patch.object(NeuralLearner, "iterate", return_value=(1, 0, 0.0)):
        return taught(sentences, **options)
