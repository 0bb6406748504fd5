"""The parser with a network: it learns, and what it finds depends on nothing but the sentence and the model."""

import gc
import random
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray
from samples.networks import DEEP, copied, taught, trained, untaught
from samples.treebank import treebank

from dodona import DodonaError, OptionError, Sentence
from dodona.data.trees import is_projective
from dodona.neural.batching import Lanes, lay_out
from dodona.neural.encoder import Dense, Network, kernels
from dodona.neural.network import Dropout, encode
from dodona.neural.options import NetworkOptions
from dodona.parser import neural as neural_model
from dodona.parser.confidence import calibrate
from dodona.parser.neural import InputCache, NeuralModel, NeuralSession
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.request import Analysis
from dodona.pipeline.pipeline import Pipeline
from dodona.systems.registry import SYSTEMS
from dodona.tagger.tagger import TaggerOptions, train_tagger
from dodona.transformer.options import TransformerOptions
from dodona.transitions import derivations

TEST = treebank(40, seed=2)
FEW = treebank(16)
FOUR_BEST = Request(beam=4, nbest=4)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return trained().parser


def random_sentences(count: int, seed: int = 1) -> list[Sentence]:
    """Words of the treebank in any order, some of them unknown, so that the network is in doubt."""
    chance = random.Random(seed)
    words = sorted({pair for each in TEST for pair in zip(each.words, each.upos, strict=True)})
    found = []
    for _ in range(count):
        chosen = chance.choices([*words, ("δρῦς", "NOUN"), ("?", "_")], k=chance.randint(1, 12))
        found.append(Sentence.from_words([word for word, _ in chosen], [tag for _, tag in chosen]))
    return found


def all_scores(parser: Parser, sentences: list[Sentence]) -> list[list[Analysis]]:
    """The four best trees, with scores of all digits."""
    return [parser.analyses(sentence, FOUR_BEST) for sentence in sentences]


def columns(sentence: Sentence) -> list[list[Any]]:
    return [list(getattr(sentence, name)) for name in ("upos", "xpos", "feats", "heads", "labels")]


# Learning


def test_it_learns(parser: Parser) -> None:
    uas, las = parser.scores(TEST)
    assert uas >= las > 95
    assert any(not is_projective(parser.tree(sentence)[0]) for sentence in TEST)  # lifted arcs are lowered
    tagged = [tag for each in parser.predict_tags(TEST) for tag in each.upos]
    assert np.mean([a == b for a, b in zip(tagged, (tag for each in TEST for tag in each.upos), strict=True)]) > 0.9
    assert parser.options.network == DEEP
    assert parser.temperature == 1.0


def test_contributions_are_close_to_those_in_floating_point() -> None:
    """The weights and states of 8 bits against the weights of training, for words, ROOT and nobody."""
    made = trained()
    model = made.parser.model
    assert isinstance(model, NeuralModel)
    examples = made.data.examples[:6]
    sentences = treebank(100)[:6]
    lanes = Lanes(64, 1)
    assert all(lanes.add(len(example)) for example in examples)
    batch = lay_out(made.data.tables(), examples, lanes)
    rows, _, heads = encode(made.weights, batch, None, DEEP, Dropout(0.0, 0.0, 0.0), jax.random.key(1))
    count = sum(map(len, sentences))
    expected = np.concatenate([np.asarray(rows)[:count], np.asarray(rows)[-2:]])
    session = model.session()
    lengths = np.array(list(map(len, sentences)), np.int32)
    layers = session._encoder.encode(session._inputs(sentences), lengths)
    found = model.project.apply(np.concatenate([layers[-1], model.ends]))
    assert found.shape == expected.shape
    error = np.sqrt(((found - expected) ** 2).mean() / (expected**2).mean())
    assert 0 < error < 0.04
    for row, right in zip(found, expected, strict=True):
        assert np.corrcoef(row, right)[0, 1] > 0.99
    for encoded, example, place in zip(session.encode(sentences), examples, lanes.places, strict=True):
        start = derivations.start(made.parser._core, len(example))
        scores = session.greedy.score(start, encoded)
        wanted = session.greedy.score(start, lanes.sentence(len(example), np.asarray(rows), *place))
        assert np.abs(np.subtract(scores, wanted)).max() < 0.1 * np.ptp(wanted)
    tag_scores = np.concatenate([np.asarray(head)[:count, 0] for head in heads], axis=1)
    assert np.abs(model.heads.apply(layers[0]) - tag_scores).max() < 0.05 * np.abs(tag_scores).max()


# What a parse depends on


def test_neither_batch_nor_order_nor_earlier_sentences_matter(parser: Parser) -> None:
    sentences = [*random_sentences(30), *TEST[:10]]
    expected = all_scores(copied(parser), sentences)
    assert len({analysis.score for analyses in expected for analysis in analyses}) > 60
    chance = random.Random(1)
    for size in (1, 3, 64):
        order = chance.sample(range(len(sentences)), len(sentences))
        found: dict[int, list[Analysis]] = {}
        for begin in range(0, len(order), size):
            chosen = order[begin : begin + size]
            batch = [sentences[i] for i in chosen]
            found.update(zip(chosen, parser.analyses_of(batch, FOUR_BEST), strict=True))
        assert [found[i] for i in range(len(order))] == expected
    twice = parser.analyses_of([sentences[0]] * 3, FOUR_BEST)
    assert twice == [expected[0]] * 3


def test_forms_that_were_forgotten(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = random_sentences(20)
    expected = all_scores(copied(parser), sentences)
    forgotten = []
    forget = NeuralSession._forget

    def counting(session: NeuralSession) -> None:
        forgotten.append(session._forms.count if hasattr(session, "_forms") else 0)
        forget(session)

    monkeypatch.setattr(NeuralSession, "_forget", counting)
    monkeypatch.setattr(neural_model, "MAX_FORMS", 10)
    assert all_scores(copied(parser), sentences) == expected
    assert len(forgotten) > 4
    assert max(forgotten) <= 10 + max(map(len, sentences))


def test_inputs_are_computed_once_in_any_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_model, "COMPUTED", 3)
    computed: list[str] = []

    def compute(keys: list[str]) -> NDArray[np.float32]:
        assert 0 < len(keys) <= 3
        if "bad" in keys and "bad" not in computed:
            computed.append("bad")
            raise MemoryError
        computed.extend(keys)
        return np.array([[len(key), ord(key[0])] for key in keys], np.float32)

    cache = InputCache[str](2)
    texts = ["a bb ccc a", "a", "", "d e f g h ii j k bb", "l m n bad o p", "ccc l p bad z"]
    for text in texts:
        keys = text.split()
        with pytest.raises(MemoryError) if text == texts[4] else nullcontext():  # what is lacking is computed later
            assert cache.look_up(keys, compute).tolist() == [[len(key), ord(key[0])] for key in keys]
    assert sorted(computed) == sorted([*{*" ".join(texts).split()}, "bad"])  # which was tried twice
    assert cache.count == len(set(computed))


def test_a_workspace_that_is_released_is_gone_at_once(parser: Parser) -> None:
    """A server counts on that. Nothing may wait for the garbage collector, which may come much later."""
    own = copied(parser)
    gc.collect()
    gc.disable()
    try:
        all_scores(own, random_sentences(3))
        session = weakref.ref(own._searches.session)
        assert session() is not None
        own.release_workspace()
        assert session() is None
    finally:
        gc.enable()
    assert all_scores(own, random_sentences(3)) == all_scores(copied(parser), random_sentences(3))


def test_threads_share_a_model(parser: Parser) -> None:
    sentences = random_sentences(60)
    expected = all_scores(copied(parser), sentences)
    shared = copied(parser)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(partial(shared.analyses, request=FOUR_BEST), sentences))
    assert found == expected


def test_threads_find_the_same(parser: Parser) -> None:
    pipeline = Pipeline(parser)
    sentences = random_sentences(250)
    alone = [copy.to_bytes() for copy in pipeline.parse([each.copy() for each in sentences], FOUR_BEST)]
    found = pipeline.parse(sentences, FOUR_BEST, jobs=2)
    assert [sentence.to_bytes() for sentence in found] == alone


@pytest.mark.parametrize("kernel", kernels())
def test_every_kernel_finds_the_same(parser: Parser, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = random_sentences(20)
    expected = all_scores(parser, sentences)
    monkeypatch.setattr(neural_model, "Network", partial(Network, kernel=kernel))
    monkeypatch.setattr(neural_model, "Dense", partial(Dense, kernel=kernel))
    other = copied(parser)
    assert isinstance(other.model, NeuralModel)
    assert other.model.network.kernel == other.model.project.kernel == kernel
    assert all_scores(other, sentences) == expected
    again = [columns(sentence) for sentence in other.predict_tags(sentences)]
    assert again == [columns(sentence) for sentence in parser.predict_tags(sentences)]


@pytest.mark.parametrize("kernel", kernels())
def test_the_environment_chooses_the_kernel(parser: Parser, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = random_sentences(20)
    monkeypatch.setenv("DODONA_KERNEL", kernel)
    other = copied(parser)
    assert isinstance(other.model, NeuralModel)
    assert {part.kernel for part in (other.model.network, other.model.project, other.model.heads)} == {kernel}
    assert all_scores(other, sentences) == all_scores(parser, sentences)


def test_only_a_kernel_that_this_machine_has_can_be_chosen(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_KERNEL", "")
    assert isinstance(copied(parser).model, NeuralModel)
    monkeypatch.setenv("DODONA_KERNEL", "sse9")
    with pytest.raises(DodonaError, match=f"DODONA_KERNEL=sse9: expected .* can run: {', '.join(kernels())}$"):
        copied(parser)


def test_a_saved_model_is_the_same(parser: Parser, tmp_path: Path) -> None:
    sentences = random_sentences(20)
    Pipeline(parser).save(tmp_path / "first")
    loaded = Pipeline.load(tmp_path / "first")
    assert all_scores(loaded.parser, sentences) == all_scores(parser, sentences)
    assert loaded.parser.options == parser.options
    loaded.save(tmp_path / "second")
    assert (tmp_path / "second").read_bytes() == (tmp_path / "first").read_bytes()


def arrays_of(parser: Parser) -> dict[str, bytes]:
    return {name: values.tobytes() for name, values in parser.parts()[1].items()}


def test_the_seed_decides() -> None:
    first = taught(FEW, system="swap-standard")
    again = taught(FEW, system="swap-standard")
    other = taught(FEW, system="swap-standard", seed=2)
    assert first.parts()[0] == again.parts()[0]
    assert arrays_of(first) == arrays_of(again)
    different = {name for name, values in arrays_of(other).items() if values != arrays_of(first)[name]}
    same = {"words", "vectors", "positions.bias"}
    assert different == set(arrays_of(first)) - same


# Systems and requests


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system(name: str) -> None:
    """Three learn for an iteration, with exploration; the others parse with random weights."""
    learns = name in ("easy-first", "covington", "swap-standard")
    made = (taught if learns else untaught)(FEW, system=name, explore_after=0)
    assert made.options.oracle == ("nd-all" if name == "swap-standard" else "dynamic")
    labels = {label for each in FEW for label in each.labels}
    parses = {}
    for beam in (1, 4):
        request = Request(beam=beam)
        if beam > 1 and not SYSTEMS[name].has_beam:
            with pytest.raises(OptionError, match="no beam search"):
                made.analyses(TEST[0], request)
            continue
        for sentence in random_sentences(10):
            (tree,) = made.analyses(sentence, request)
            assert len(tree.heads) == len(sentence)
            assert tree.heads.count(0) == 1
            assert set(tree.labels) <= labels
            checked = sentence.copy()
            checked.set_tree(tree.heads, tree.labels)
            parses[beam, tuple(sentence.words)] = tree
    assert len({tuple(tree.heads) for tree in parses.values()}) > 5


@pytest.mark.parametrize("beam", [1, 6])
def test_given_arcs_come_out(parser: Parser, beam: int) -> None:
    chance = random.Random(beam)
    changed = 0
    for sentence in TEST:
        free = parser.tree(sentence)[0]
        heads: list[int | None] = [None] * len(sentence)
        word = chance.randrange(len(sentence))
        heads[word] = chance.choice([h for h in range(len(sentence) + 1) if h != word + 1])
        given = Sentence.from_words(
            sentence.words, sentence.upos, heads=heads, labels=["_" if h is None else "orphan" for h in heads]
        )
        (tree,) = parser.analyses(given, Request(beam=beam, constrained=True, confidence=True))
        assert tree.heads[word] == heads[word]
        assert tree.labels[word] == "orphan"
        assert tree.heads.count(0) == 1
        assert tree.confidence[word] == 1.0
        changed += free[word] != heads[word]
    assert changed > 10


def test_scores_and_confidence_of_a_beam(parser: Parser) -> None:
    """Scores are sums of logarithms of probabilities, and confidence adds up to 1 over the trees."""
    for sentence in random_sentences(20):
        trees = parser.analyses(sentence, Request(beam=16, nbest=16, confidence=True))
        scores = [tree.score for tree in trees]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] <= 0
        assert len({(tuple(tree.heads), tuple(tree.labels)) for tree in trees}) == len(trees)
        assert all(0 <= value <= 1 + 1e-9 for tree in trees for value in tree.confidence)
        for word in range(len(sentence)):
            shares = {(tree.heads[word], tree.labels[word]): tree.confidence[word] for tree in trees}
            assert sum(shares.values()) == pytest.approx(1, abs=1e-6)


def test_confidence_of_greedy_parses(parser: Parser) -> None:
    sure = [value for each in TEST for value in parser.analyses(each, Request(confidence=True))[0].confidence]
    strange = random_sentences(40)
    unsure = [value for each in strange for value in parser.analyses(each, Request(confidence=True))[0].confidence]
    assert all(0 < value < 1 for value in [*sure, *unsure])
    assert np.mean(sure) > np.mean(unsure) + 0.03
    assert [parser.analyses(each, Request(confidence=True))[0].heads for each in TEST] == [
        parser.tree(each)[0] for each in TEST
    ]
    calibrated = copied(parser)
    before = calibrated.calibration
    calibrate(calibrated, TEST)
    assert calibrated.calibration != before
    assert calibrated.beam_calibration is not None
    again = copied(calibrated)
    assert again.calibration == calibrated.calibration
    assert again.beam_calibration == calibrated.beam_calibration


# Tags


@pytest.fixture(scope="module")
def pipeline(parser: Parser) -> Pipeline:
    """A tagger that knows one tag only, and a parser that knows better."""
    same = [Sentence.from_words(each.words, ["X"] * len(each)) for each in FEW]
    better = copied(parser)
    assert isinstance(better.model, NeuralModel)
    better.model.retags = True
    return Pipeline(better, train_tagger(same, TaggerOptions(iterations=1)))


def words_only(sentences: list[Sentence], tag: str = "_") -> list[Sentence]:
    return [Sentence.from_words(each.words, [tag] * len(each)) for each in sentences]


def test_predicted_tags_are_replaced_and_given_ones_are_not(pipeline: Pipeline) -> None:
    bare, given = words_only(TEST[:8]), words_only(TEST[8:16], "INTJ")
    mixed = [sentence for pair in zip(bare, given, strict=True) for sentence in pair]
    elsewhere = list(pipeline.parse([each.copy() for each in mixed], jobs=2))
    with_beam = list(pipeline.parse([each.copy() for each in mixed], FOUR_BEST))
    assert list(pipeline.parse(mixed)) == mixed
    assert all(set(sentence.upos) == {"INTJ"} and set(sentence.xpos) == {"_"} for sentence in given)
    predicted = [tag for sentence in bare for tag in sentence.upos]
    assert "X" not in predicted
    assert len(set(predicted)) > 2
    known = {(upos, xpos) for each in treebank(100) for upos, xpos in zip(each.upos, each.xpos, strict=True)}
    assert {pair for each in bare for pair in zip(each.upos, each.xpos, strict=True)} <= known  # tags seen together
    assert [columns(sentence) for sentence in elsewhere] == [columns(sentence) for sentence in mixed]
    tags = {tuple(each.words): each.upos for each in mixed}
    assert all(each.upos == tags[tuple(each.words)] for each in with_beam)
    again = [each.copy() for each in given]
    list(pipeline.parse(again, retag=True))
    assert not {"X", "INTJ"} & {tag for each in again for tag in each.upos}


def test_a_parser_that_is_no_better_leaves_tags_alone(pipeline: Pipeline, parser: Parser) -> None:
    worse = Pipeline(parser, pipeline.tagger)
    sentences = list(worse.parse(words_only(TEST[:5])))
    assert {tag for each in sentences for tag in each.upos} == {"X"}
    without = list(Pipeline(pipeline.parser).parse(words_only(TEST[:5])))  # nobody tagged them
    assert {tag for each in without for tag in each.upos} == {"_"}
    bare = words_only(TEST[:5])
    found = pipeline.parser.predict_tags(bare)
    assert {tag for each in bare for tag in each.upos} == {"_"}
    assert not {tag for each in found for tag in each.upos} & {"_", "X"}


def test_tags_for_several_bonuses_at_once(pipeline: Pipeline) -> None:
    """As for each alone; with a large one, only tags of the tagger are left; the sentences stay as they are."""
    model = pipeline.parser.model
    tagged = [Sentence.from_words(each.words, ["DET"] * len(each)) for each in TEST[:10]]
    before = [columns(each) for each in tagged]
    found = pipeline.parser.predict_tags_by_bonus(tagged, (0.0, 2.0, 500.0))
    assert [columns(each) for each in tagged] == before
    for bonus, made in zip((0.0, 2.0, 500.0), found, strict=True):
        model.tagger_bonus = bonus
        assert [columns(each) for each in pipeline.parser.predict_tags(tagged)] == [columns(each) for each in made]
    model.tagger_bonus = 0.0
    assert {tag for each in found[2] for tag in each.upos} == {"DET"} != {tag for each in found[0] for tag in each.upos}


# Strange data


def test_partial_trees() -> None:
    chance = random.Random(1)
    sentences = []
    for each in FEW:
        known = [chance.random() < 0.6 for _ in each.words]
        heads = [h if sure else None for h, sure in zip(each.heads, known, strict=True)]
        labels = [label if sure else "_" for label, sure in zip(each.labels, known, strict=True)]
        sentences.append(Sentence.from_words(each.words, each.upos, xpos=each.xpos, heads=heads, labels=labels))
    made = taught(sentences, system="easy-first")
    assert made.tree(TEST[0])[0].count(0) == 1


def test_a_treebank_without_tags() -> None:
    bare = [Sentence.from_words(each.words, heads=each.heads, labels=each.labels) for each in FEW]
    made = copied(untaught(bare))
    assert made.parts()[0]["tag_parts"] == []
    assert made.tree(TEST[0]) == made.tree(words_only(TEST[:1])[0])  # tags that it does not know are nothing
    assert {tag for each in made.predict_tags(TEST[:3]) for tag in each.upos} == {"_"}


@dataclass
class Bare:
    """Words and tags of any kind."""

    words: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]

    def __len__(self) -> int:
        return len(self.words)


@pytest.mark.parametrize(
    "words",
    [
        ["oak"],
        ["unheard-of", "oak"],
        ["x" * 10_000, "rustles"],
        [" ", "\t", "", "\0", "\N{ZERO WIDTH SPACE}", "\U0010ffff", "ﬃ", "İ"],
        ["the", "oak", "rustles"] * 100,
    ],
    ids=["one", "unknown", "long-word", "odd", "long-sentence"],
)
def test_odd_words_and_tags(parser: Parser, words: list[str]) -> None:
    for tag in ("", "_", "NOUN", "||", "Case=Nom|Case=Nom"):
        bare: Any = Bare(words, *([tag] * len(words) for _ in range(3)))
        heads, labels = parser.tree(bare)
        assert len(heads) == len(labels) == len(words)
        assert heads.count(0) == 1
        assert parser.tree(bare) == (heads, labels)


def test_no_words(parser: Parser) -> None:
    nothing: Any = Bare([], [], [], [])
    assert parser.tree(nothing) == ([], [])
    mixed = [nothing, TEST[0], nothing]
    found = parser.analyses_of(mixed, Request())
    assert [len(analyses[0].heads) for analyses in found] == [0, len(TEST[0]), 0]
    assert found[1] == parser.analyses(TEST[0])
    assert parser.scores([]) == (0, 0)


# Options


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layers": 0}, "layers 0: expected a number from 1 to 16"),
        ({"layers": 17}, "layers 17: expected"),
        ({"width": 2.0}, r"width 2\.0: expected"),
        ({"units": True}, "units True: expected"),
        ({"subwords": 1}, "subwords 1: expected a number from 2"),
        ({"dropout": 1}, "dropout 1: expected a number from 0 to 0.95"),
        ({"dropout": float("nan")}, "dropout nan: expected"),
        ({"rate": 0}, "rate 0: expected"),
        ({"batch": 0}, "batch 0: expected"),
        ({"inputs": None}, "inputs None: expected"),
        ({"tag_layer": 1}, "tag_layer 1: expected a layer, counted from 0, of 1"),
    ],
)
def test_sizes_of_a_network(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        replace(NetworkOptions(layers=1), **change)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scorer": "nerual"}, "scorer 'nerual': expected one of linear, neural, transformer"),
        ({"network": DEEP}, "options of a network; expected them with the scorer 'neural'"),
        ({"positions": "hybrid"}, "positions; expected them with the scorer 'neural' or 'transformer'"),
        (
            {"transformer": TransformerOptions()},
            "options of a transformer; expected them with the scorer 'transformer'",
        ),
        ({"scorer": "neural", "beam": 4}, "beam 4: expected only with the scorer 'linear'"),
        ({"scorer": "neural", "templates": "stack"}, "templates 'stack': expected only with the scorer 'linear'"),
        ({"scorer": "neural", "size": 3.0}, "size 3.0: expected only with the scorer 'linear'"),
        ({"scorer": "neural", "update": "pa"}, "update 'pa': expected only with the scorer 'linear'"),
        ({"scorer": "neural", "aggressiveness": 0.5}, "aggressiveness 0.5: expected only with the scorer 'linear'"),
        ({"scorer": "transformer", "size": 3.0}, "size 3.0: expected only with the scorer 'linear'"),
    ],
)
def test_options_of_the_other_scorer(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        ParserOptions(**options)
    assert str(raised.value) == message
