"""What happens in each iteration, for every learner: all examples once, in another order each time, with other dropout,
and exploration from the very iteration on that was asked for."""

from collections import Counter
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import numpy as np
import pytest
from samples.networks import SMALL
from samples.recording import record
from samples.small_models import full_treebank

from dodona import Sentence
from dodona.data.hashing import hash_text
from dodona.lemmatizer import lemmatizer as lemmatizer_module
from dodona.lemmatizer.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.lemmatizer.model import ScriptLearner
from dodona.linear.perceptron import GreedyLearner, StructuredLearner
from dodona.neural.trainer import NeuralLearner
from dodona.parser import training as parser_module
from dodona.parser.options import ParserOptions
from dodona.parser.training import begin_training
from dodona.tagger import tagger as tagger_module
from dodona.tagger.model import TagLearner, Traits
from dodona.tagger.tagger import FOLDS, TaggerOptions, tags_of, train_tagger
from dodona.tokenizer import tokenizer as tokenizer_module
from dodona.tokenizer.model import SegmentLearner
from dodona.tokenizer.tokenizer import TokenizerOptions, train_tokenizer

ITERATIONS = 5
TRAIN = full_treebank(14)


class Recorded:
    """A compiled learner, which cannot be derived from: its calls are written down, and done."""

    def __init__(self, kind: Any, log: list[Any], name: str, *arguments: Any, **options: Any) -> None:
        self._learner, self._log, self._name = kind(*arguments, **options), log, name

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._learner, name)
        if name != self._name:
            return real

        def recorded(*arguments: Any) -> Any:
            self._log.append(arguments)
            return real(*arguments)

        return recorded


def learned(monkeypatch: pytest.MonkeyPatch, component: str, seed: int) -> list[Any]:
    """What a component learns from, in its order, as something that can be compared."""
    log: list[Any] = []
    homes: dict[str, tuple[Any, Any, str]] = {
        "tokenizer": (tokenizer_module, SegmentLearner, "sentence"),
        "tagger": (tagger_module, TagLearner, "train"),
        "lemmatizer": (lemmatizer_module, ScriptLearner, "train"),
        "greedy": (parser_module, GreedyLearner, "train"),
        "beam": (parser_module, StructuredLearner, "train"),
    }
    home, kind, name = homes[component]
    monkeypatch.setattr(home, kind.__name__, partial(Recorded, kind, log, name))
    if component == "tokenizer":
        train_tokenizer(TRAIN, TokenizerOptions(ITERATIONS, seed=seed))
        return [k for _, _, k in log]
    if component == "tagger":
        train_tagger(TRAIN, TaggerOptions(ITERATIONS, seed=seed))
        return [id(traits) for traits, _ in log]
    if component == "lemmatizer":
        train_lemmatizer(TRAIN, LemmatizerOptions(ITERATIONS, seed=seed))
        return log
    options = ParserOptions(iterations=ITERATIONS, seed=seed, beam=1 if component == "greedy" else 3, templates="stack")
    for _ in begin_training(TRAIN, options).iterations():
        pass
    return [id(words) for words, *_ in log]


@pytest.mark.parametrize("component", ["tokenizer", "tagger", "lemmatizer", "greedy", "beam"])
def test_every_example_once_in_another_order(monkeypatch: pytest.MonkeyPatch, component: str) -> None:
    found = {seed: learned(monkeypatch, component, seed) for seed in (1, 2)}
    orders = []
    for log in found.values():
        count, rest = divmod(len(log), ITERATIONS)
        assert rest == 0
        assert count >= 10
        parts = [log[i * count : (i + 1) * count] for i in range(ITERATIONS)]
        assert all(Counter(part) == Counter(parts[0]) for part in parts)
        if component != "lemmatizer":
            assert len(set(parts[0])) == len(TRAIN) or component == "tokenizer"
        assert len(set(map(tuple, parts))) == ITERATIONS
        numbers = {each: i for i, each in enumerate(dict.fromkeys(parts[0]))}
        orders.append([numbers[each] for each in log])
    if component in ("lemmatizer", "tokenizer"):  # what is compared is the same in both trainings
        assert found[1] != found[2]
    else:
        assert orders[0] != orders[1]


# Exploration


def explored(monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[set[float]]:
    """The probabilities that each iteration explores with."""
    log: list[Any] = []
    for kind in (GreedyLearner, StructuredLearner):
        monkeypatch.setattr(parser_module, kind.__name__, partial(Recorded, kind, log, "train"))
    followed = record(monkeypatch, NeuralLearner, "iterate")
    chosen = ParserOptions(iterations=ITERATIONS, explore=0.7, **options)
    training = begin_training(TRAIN, chosen)
    found = []
    for _ in training.iterations():
        found.append({arguments[-1] for arguments in log} | {call["explore"] for call in followed})
        log.clear()
        followed.clear()
    return found


LINEAR: dict[str, Any] = {"templates": "stack"}
NEURAL: dict[str, Any] = {"scorer": "neural", "network": SMALL}


@pytest.mark.parametrize("after", [0, 1, 3, ITERATIONS - 1, ITERATIONS, 99])
@pytest.mark.parametrize("learner", [LINEAR, NEURAL], ids=["linear", "neural"])
def test_exploration_begins_after_exactly_so_many_iterations(
    monkeypatch: pytest.MonkeyPatch, learner: dict[str, Any], after: int
) -> None:
    if learner is NEURAL:
        monkeypatch.setattr(NeuralLearner, "iterate", lambda self, number, explore, report=None: (1, 0, 0.0))
    found = explored(monkeypatch, explore_after=after, **learner)
    assert found == [{0.7} if number > after else {0.0} for number in range(1, ITERATIONS + 1)]


@pytest.mark.parametrize(
    "options", [LINEAR | {"oracle": "static"}, LINEAR | {"beam": 2}, NEURAL | {"oracle": "static"}]
)
def test_nothing_is_explored_without_a_dynamic_oracle(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    monkeypatch.setattr(NeuralLearner, "iterate", lambda self, number, explore, report=None: (1, 0, 0.0))
    assert explored(monkeypatch, explore_after=0, **options) == [{0.0}] * ITERATIONS


@pytest.fixture(scope="module")
def network() -> dict[str, Any]:
    """What a network did in three iterations, of which the last two explore: keys of dropout, batches, seeds."""
    monkeypatch = pytest.MonkeyPatch()
    training = begin_training(TRAIN, ParserOptions(iterations=3, explore=0.7, explore_after=1, **NEURAL))
    learner: NeuralLearner = training.learner  # type: ignore[attr-defined]
    log: dict[str, list[Any]] = {name: [] for name in ("batches", "encoder", "head", "explore", "seeds", "updates")}
    forward, head, rollouts, learn = learner._forward, learner._head, learner.rollouts, learner._learn

    def drop_in_encoder(*arguments: Any) -> Any:
        log["encoder"].append(np.asarray(jax.random.key_data(arguments[3])).tolist())
        return forward(*arguments)

    def drop_in_head(*arguments: Any) -> Any:
        log["head"].append(np.asarray(jax.random.key_data(arguments[4])).tolist())
        assert arguments[3] == SMALL.dropout
        return head(*arguments)

    def learn_from(batch: Any, explore: float) -> Any:
        log["batches"].append((training.done + 1, [tuple(example.forms) for example in learner.examples_of(batch)]))
        return learn(batch, explore)

    class Watched:
        def __getattr__(self, name: str) -> Any:
            return getattr(rollouts, name)

        def reseed(self, seed: int) -> None:
            log["seeds"].append(seed)
            rollouts.reseed(seed)

        def follow(self, words: Any, gold: Any, moves: Any, explore: float) -> None:
            log["explore"].append((training.done + 1, explore))
            rollouts.follow(words, gold, moves, explore)

    monkeypatch.setattr(learner, "_forward", drop_in_encoder)
    monkeypatch.setattr(learner, "_head", drop_in_head)
    monkeypatch.setattr(learner, "_learn", learn_from)
    monkeypatch.setattr(learner, "rollouts", Watched())
    for _ in training.iterations():
        log["updates"].append(learner.updates)
    monkeypatch.undo()
    return log | {"planned": [learner.planned]}


def test_a_network_sees_every_sentence_once_in_other_batches(network: dict[str, Any]) -> None:
    by_iteration = [[batch for number, batch in network["batches"] if number == i] for i in (1, 2, 3)]
    assert all(len(batches) > 1 for batches in by_iteration)
    for batches in by_iteration:
        assert Counter(forms for batch in batches for forms in batch) == Counter(
            forms for batch in by_iteration[0] for forms in batch
        )
        assert sum(map(len, batches)) == len(TRAIN)
    assert len({repr(batches) for batches in by_iteration}) == 3
    assert len({repr(sorted(map(sorted, batches))) for batches in by_iteration}) == 3  # not only their order


def test_a_network_sees_silver_in_another_order_each_time() -> None:
    """Also if the same sentences come again; in the same iteration in the same one, for whoever resumes a training."""
    learner: NeuralLearner = begin_training(TRAIN, ParserOptions(iterations=2, **NEURAL)).learner  # type: ignore[attr-defined]
    orders = [
        [
            [tuple(example.forms) for example in examples]
            for _, _, examples in learner.silver_batches(number, iter([(learner.tables, list(learner.examples))]))
        ]
        for number in (1, 2, 3, 1)
    ]
    assert len({frozenset(Counter(forms for batch in order for forms in batch).items()) for order in orders}) == 1
    assert orders[0] == orders[3]
    assert len({repr(order) for order in orders}) == 3


def test_dropout_is_another_one_in_each_batch_and_iteration(network: dict[str, Any]) -> None:
    for name in ("encoder", "head"):
        keys = [tuple(key) for key in network[name]]
        assert len(set(keys)) == len(keys) >= 6
    assert not set(map(tuple, network["encoder"])) & set(map(tuple, network["head"]))
    assert len(set(network["seeds"])) == len(network["seeds"]) == 3


def test_a_networks_rollouts_explore_from_the_iteration_on(network: dict[str, Any]) -> None:
    assert set(network["explore"]) == {(1, 0.0), (2, 0.7), (3, 0.7)}
    assert len(network["explore"]) == 3 * len(TRAIN)


def test_the_rate_falls_by_as_many_updates_as_there_are(network: dict[str, Any]) -> None:
    steps = [after - before for before, after in pairwise([0, *network["updates"]])]
    assert min(steps) > 1
    assert network["planned"][0] == pytest.approx(sum(steps), abs=3)


# The lexicon of the tagger


def test_no_fold_of_the_lexicon_sees_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tagger knows of a word in training is what the other folds say of it: naively, for every sentence.

    A word that stands only in its own fold is unknown, as in new text. A word has the tags that it has as it is
    written; only if it has none, those with other capitals.
    """
    sentences = [
        Sentence.from_words(
            [f"own{i}", "Own", "own", *s.words[1:]],
            ["NOUN", "X" if i % 3 else "ADJ", "VERB" if i % 2 else "X", *s.upos[1:]],
            xpos=[f"x{i % 4}", "_", "_", *s.xpos[1:]],
        )
        for i, s in enumerate(full_treebank(33))
    ]
    lexicons: dict[int, tuple[Any, dict[str, Any]]] = {}
    plain = tagger_module._make_lexicon

    def remember(arrays: Any) -> Any:
        made = plain(arrays)
        lexicons[id(made)] = made, dict(arrays)
        return made

    monkeypatch.setattr(tagger_module, "_make_lexicon", remember)
    seen = list[tuple[list[str], int]]()

    def watch(words: list[str], tagset: Any, lexicon: Any) -> Any:
        seen.append((list(words), id(lexicon)))
        return Traits(words, tagset, lexicon)

    monkeypatch.setattr(tagger_module, "Traits", watch)
    tagger = train_tagger(sentences, TaggerOptions(1))
    assert sorted(words for words, _ in seen) == sorted(s.words for s in sentences)
    place = {tuple(s.words): i for i, s in enumerate(sentences)}
    for words, lexicon in seen:
        fold = place[tuple(words)] % FOLDS
        others = [s for i, s in enumerate(sentences) if i % FOLDS != fold]
        known = naive_lexicon(others, {tag: number for number, tag in enumerate(tagger.tags)})
        arrays = lexicons[lexicon][1]
        for word in {*words, *map(str.lower, words)}:
            assert look_up(arrays, word) == known.get(word), word
        assert look_up(arrays, words[0]) is None
    everything = naive_lexicon(sentences, {tag: number for number, tag in enumerate(tagger.tags)})
    arrays = tagger.parts()[1]
    assert {word: look_up(arrays, word) for word in everything} == everything


def naive_lexicon(sentences: list[Sentence], number: dict[Any, int]) -> dict[str, tuple[int, tuple[int, ...]]]:
    """Of each word, as it is written and lowercased: its most frequent tag, and for a frequent word all of its tags."""
    forms: dict[str, Counter[int]] = {}
    lowers: dict[str, Counter[int]] = {}
    for sentence in sentences:
        for word, tag in zip(sentence.words, tags_of(sentence), strict=True):
            forms.setdefault(word, Counter())[number[tag]] += 1
            lowers.setdefault(word.lower(), Counter())[number[tag]] += 1
    known = {}
    for word, counts in (lowers | forms).items():
        usual = sorted(counts, key=lambda tag: (-counts[tag], tag))[0]
        total = sum(counts.values())
        possible = () if total < 20 else (usual,) if counts[usual] / total >= 0.995 else tuple(sorted(counts))
        known[word] = usual, possible
    return known


def look_up(arrays: dict[str, Any], word: str) -> tuple[int, tuple[int, ...]] | None:
    places = np.flatnonzero(arrays["words"] == (hash_text(word) & 0xFFFFFFFF | 1))
    if not len(places):
        return None
    entry = int(arrays["entries"][places[0]])
    begin = int(arrays["sizes"][:entry].sum())
    return int(arrays["usual"][entry]), tuple(arrays["tags"][begin : begin + int(arrays["sizes"][entry])].tolist())
