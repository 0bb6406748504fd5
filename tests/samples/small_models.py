"""Small models of every kind, trained in milliseconds or drawn at random, and sentences that have every column."""

from functools import cache

from samples.random_networks import random_network
from samples.treebank import treebank

import dodona
from dodona import Sentence
from dodona.data.spacing import detokenize
from dodona.pipeline.pipeline import Pipeline
from dodona.systems.registry import SYSTEMS

__all__ = ["SENTENCES", "full_treebank", "linear", "neural", "small_models", "whole"]

SENTENCES = 12


def full_treebank(count: int, seed: int = 1) -> list[Sentence]:
    """With lemmas, features and raw text too, so that every component can learn from it."""
    return detokenize(
        Sentence.from_words(
            s.words,
            s.upos,
            lemmas=[word.removesuffix("s") or word for word in s.words],
            xpos=s.xpos,
            feats=["Number=Sing" if tag == "NOUN" else "_" for tag in s.upos],
            heads=[h or 0 for h in s.heads],
            labels=s.labels,
        )
        for s in treebank(count, seed, crossing=0.4)
    )


@cache
def whole() -> Pipeline:
    """Tokenizer, tagger, lemmatizer and a linear parser."""
    return dodona.train(full_treebank(SENTENCES), iterations=2, folds=2, templates="stack", beam=1)


@cache
def linear(system: str, beam: int = 1) -> Pipeline:
    """A linear parser, with few features."""
    return dodona.train(
        treebank(SENTENCES, crossing=0.4),
        components=["parser"],
        tags="gold",
        system=system,
        templates=SYSTEMS[system].templates,
        beam=beam,
        iterations=2,
    )


@cache
def neural(system: str) -> Pipeline:
    """Random weights: nobody can say in advance which trees come out."""
    return Pipeline(random_network(system))


def small_models() -> dict[str, Pipeline]:
    """All of them, by a name."""
    found = {"whole": whole()}
    for name, entry in SYSTEMS.items():
        found[f"linear {name}"] = linear(name)
        found[f"neural {name}"] = neural(name)
        if entry.has_beam:
            found[f"beam {name}"] = linear(name, 4)
    return found
