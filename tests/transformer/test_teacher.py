"""A parser with a tiny encoder: it learns, is saved and resumed, and answers every request like any other parser."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from samples.encoders import SMALL, write_encoder
from samples.interruptions import Interruption, interrupt_everywhere
from samples.treebank import treebank

import dodona
from dodona import OptionError, Sentence, write
from dodona.component import TrainingProgress
from dodona.data.silver import survey_silver
from dodona.errors import FormatError
from dodona.neural.scorer import Contributions
from dodona.parser import transformer
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.training import NetworkSource, SilverSource, prepare_trees, train_parser
from dodona.parser.transformer import TransformerModel, quantize_parameters
from dodona.parser.transformer_training import TransformerTraining
from dodona.pipeline import modelfile
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.training import TrainingPlan, train_pipeline
from dodona.transformer.pretrained import read_encoder
from dodona.transformer.trainer import GoldSentence
from dodona.transitions import derivations

TRAIN, TEST = treebank(80), treebank(30, seed=2)
FEW = treebank(16)
FOUR_BEST = Request(beam=4, nbest=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def training(folder: Path) -> TransformerTraining:
    options = ParserOptions(scorer="transformer", iterations=8, transformer=SMALL)
    made = TransformerTraining(prepare_trees(TRAIN, options), NetworkSource(encoder=read_encoder(folder), device="cpu"))
    for _ in made.iterations():
        pass
    return made


@pytest.fixture(scope="module")
def parser(training: TransformerTraining) -> Parser:
    return training.parser()


def taught(folder: Path, sentences: list[Sentence], **options: Any) -> Parser:
    chosen: dict[str, Any] = {"iterations": 1, "transformer": SMALL} | options
    source = NetworkSource(encoder=read_encoder(folder), device="cpu")
    return train_parser(sentences, ParserOptions(scorer="transformer", **chosen), source=source)


def copied(parser: Parser) -> Parser:
    return Parser.from_parts(*parser.parts(), "copy")


def random_sentences(count: int, seed: int = 1) -> list[Sentence]:
    chance = random.Random(seed)
    words = sorted({word for each in TEST for word in each.words})
    return [Sentence.from_words(chance.choices([*words, "δρῦς", "?"], k=chance.randint(1, 12))) for _ in range(count)]


# Learning


def test_it_learns(parser: Parser) -> None:
    uas, las = parser.scores(TEST)
    assert uas >= las > 85
    tagged = [tag for each in parser.predict_tags(TEST) for tag in each.upos]
    assert np.mean([a == b for a, b in zip(tagged, (tag for each in TEST for tag in each.upos), strict=True)]) > 0.9
    assert parser.options.transformer == SMALL
    assert parser.temperature == 1.0


def test_the_encoder_learns_too(training: TransformerTraining, folder: Path) -> None:
    _, before = read_encoder(folder)
    after = training.learner.weights()
    moved = [name for name, values in before.items() if np.abs(after[f"encoder.{name}"] - values).max() > 1e-4]
    assert len(moved) > 0.9 * len(before)


def test_the_weights_of_a_model_are_close_to_those_of_training(training: TransformerTraining, parser: Parser) -> None:
    assert isinstance(parser.model, TransformerModel)
    weights, own = training.learner.weights(), dict(parser.model.network.named_parameters())
    for name, values in weights.items():
        off = np.abs(own[name].float().numpy() - values)
        if values.ndim < 2:
            assert not off.any()
        else:
            rounded = np.abs(values) / 256 if own[name].dtype == torch.bfloat16 else 0.0
            assert (off <= np.abs(values).max(axis=-1, keepdims=True) / 254 + rounded + 1e-7).all()
    arrays = parser.model.arrays
    assert {str(values.dtype) for values in arrays.values()} == {"int8", "float32"}
    assert sum(values.nbytes for values in arrays.values()) < 1.6 * sum(values.size for values in weights.values())


def test_a_session_scores_like_the_learner(parser: Parser) -> None:
    """Words, ROOT and nobody are where rollouts have them."""
    assert isinstance(parser.model, TransformerModel)
    network, session = parser.model.network, parser.model.session()
    with torch.inference_mode():
        words, _ = network.encode(parser.model.table().lay_out([each.words for each in TEST[:4]]))
        rows = network.contributions(torch.cat([words, network.ends])).numpy()
    first = 0
    for sentence, encoded in zip(TEST, session.encode(TEST[:4]), strict=False):
        start = derivations.start(parser._core, len(sentence))
        wanted = session.greedy.score(start, Contributions(len(sentence), rows, first, len(rows) - 2, len(rows) - 1))
        assert session.greedy.score(start, encoded) == pytest.approx(wanted, abs=1e-3)
        first += len(sentence)


def test_small_numbers_of_a_matrix_survive() -> None:
    matrix = np.array([[1e-3, -1e-3, 5e-4], [100, 50, -100], [0, 0, 0]], np.float32)
    arrays = quantize_parameters({"m": matrix, "v": matrix[0]})
    back = arrays["m"].reshape(3, 3) * arrays["m.scales"][:, None]
    assert back == pytest.approx(matrix, rel=0.01)
    assert arrays["v"].tolist() == matrix[0].tolist()


# What a parse depends on


@pytest.mark.parametrize("bits", [16, 32])
def test_neither_batch_nor_order_matters_on_a_cpu(parser: Parser, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_PRECISION", str(bits))
    parser = copied(parser)
    sentences = [*random_sentences(20), *TEST[:10], Sentence.from_words(["oak", "the", "dove"] * 40)]
    expected = [parser.analyses(sentence, FOUR_BEST) for sentence in sentences]
    order = random.Random(1).sample(range(len(sentences)), len(sentences))
    together = parser.analyses_of([sentences[i] for i in order], FOUR_BEST)
    assert [together[order.index(i)] for i in range(len(order))] == expected
    assert copied(parser).analyses_of(sentences, FOUR_BEST) == expected
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(partial(parser.analyses, request=FOUR_BEST), sentences)) == expected


def test_sentences_that_run_together_as_on_a_gpu(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Padding and windows change nothing but the last digits."""
    assert isinstance(parser.model, TransformerModel)
    sentences = [*TEST, Sentence.from_words(["oak", "the", "dove"] * 40)]
    network, table = parser.model.network, parser.model.table()
    with torch.inference_mode():
        together, scores = network.encode(table.lay_out([each.words for each in sentences]))
        alone = [network.encode(table.lay_out([each.words], 1.0)) for each in sentences]
    assert together.numpy() == pytest.approx(torch.cat([words for words, _ in alone]).numpy(), abs=1e-4)
    assert scores.numpy() == pytest.approx(torch.cat([own for _, own in alone]).numpy(), abs=1e-3)


def test_forms_that_were_forgotten(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = random_sentences(10)
    expected = [parser.tree(sentence) for sentence in sentences]
    monkeypatch.setattr(transformer, "MAX_FORMS", 3)
    other = copied(parser)
    assert [other.tree(sentence) for sentence in sentences] == expected


def test_a_saved_model_is_the_same(parser: Parser, tmp_path: Path) -> None:
    sentences = random_sentences(20)
    Pipeline(parser).save(tmp_path / "first")
    loaded = Pipeline.load(tmp_path / "first")
    assert loaded.parser.analyses_of(sentences, FOUR_BEST) == parser.analyses_of(sentences, FOUR_BEST)
    assert loaded.parser.options == parser.options
    loaded.save(tmp_path / "second")
    assert (tmp_path / "second").read_bytes() == (tmp_path / "first").read_bytes()


def test_the_seed_decides(folder: Path) -> None:
    first, again, other = (taught(folder, FEW, seed=seed).model.arrays for seed in (1, 1, 2))
    assert all(first[name].tobytes() == again[name].tobytes() for name in first)
    assert any(first[name].tobytes() != other[name].tobytes() for name in first)


def test_each_iteration_has_another_order_other_dropout_and_explores_when_it_should(folder: Path) -> None:
    """Every sentence once; PyTorch's generator and that of the rollouts never begin where they have begun before."""
    options = ParserOptions(
        scorer="transformer", iterations=3, transformer=replace(SMALL, batch=30), explore=0.7, explore_after=1
    )
    training = TransformerTraining(prepare_trees(FEW, options), NetworkSource(encoder=read_encoder(folder)))
    learner = training.learner
    learn, rollouts = learner._learn, learner.rollouts
    batches: dict[int, list[list[tuple[str, ...]]]] = {1: [], 2: [], 3: []}
    explored: set[tuple[int, float]] = set()
    dropout: list[bytes] = []
    seeds: list[int] = []

    def note(examples: list[GoldSentence], explore: float) -> Any:
        batches[training.done + 1].append([tuple(example.forms) for example in examples])
        dropout.append(torch.get_rng_state().numpy().tobytes())
        return learn(examples, explore)

    class Watched:
        def __getattr__(self, name: str) -> Any:
            return getattr(rollouts, name)

        def reseed(self, seed: int) -> None:
            seeds.append(seed)
            rollouts.reseed(seed)

        def follow(self, words: Any, gold: Any, moves: Any, explore: float) -> None:
            explored.add((training.done + 1, explore))
            rollouts.follow(words, gold, moves, explore)

    with mock.patch.object(learner, "_learn", note), mock.patch.object(learner, "rollouts", Watched()):
        for _ in training.iterations():
            pass
    for own in batches.values():
        assert sorted(forms for batch in own for forms in batch) == sorted(tuple(each.words) for each in FEW)
    assert len({repr(own) for own in batches.values()}) == 3
    assert len({repr(sorted(map(sorted, own))) for own in batches.values()}) == 3  # not only their order
    assert len(set(dropout)) == len(dropout) == sum(map(len, batches.values()))
    assert len(set(seeds)) == len(seeds) == 3
    assert explored == {(1, 0.0), (2, 0.7), (3, 0.7)}


# Requests, systems, strange data


@dataclass
class BareWords:
    """Words of any kind, also such as no file could hold."""

    words: list[str]


def test_given_arcs_come_out(parser: Parser) -> None:
    for beam in (1, 4):
        for sentence in TEST[:8]:
            heads: list[int | None] = [None] * len(sentence)
            heads[1] = len(sentence)
            given = Sentence.from_words(
                sentence.words, heads=heads, labels=["_" if h is None else "orphan" for h in heads]
            )
            (tree,) = parser.analyses(given, Request(beam=beam, constrained=True, confidence=True))
            assert (tree.heads[1], tree.labels[1], tree.confidence[1]) == (len(sentence), "orphan", 1.0)
            assert tree.heads.count(0) == 1


def test_beam_and_confidence(parser: Parser) -> None:
    for sentence in random_sentences(8):
        trees = parser.analyses(sentence, Request(beam=8, nbest=8, confidence=True))
        scores = [tree.score for tree in trees]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] <= 0
        assert all(0 <= value <= 1 + 1e-9 for tree in trees for value in tree.confidence)
    sure = [value for each in TEST for value in parser.analyses(each, Request(confidence=True))[0].confidence]
    unsure = [v for each in random_sentences(30) for v in parser.analyses(each, Request(confidence=True))[0].confidence]
    assert np.mean(sure) > np.mean(unsure) + 0.02


@pytest.mark.parametrize("system", ["swap-standard", "easy-first", "covington"])
def test_other_systems(folder: Path, system: str) -> None:
    made = taught(folder, FEW, system=system, explore_after=0)
    for sentence in random_sentences(5):
        assert made.tree(sentence)[0].count(0) == 1


def test_odd_sentences(parser: Parser) -> None:
    for words in (["oak"], [" ", "\t", "\0", "\N{ZERO WIDTH SPACE}", "ﬃ"], ["x" * 10_000, "rustles"], ["the"] * 400):
        bare: Any = BareWords(words)
        heads, labels = parser.tree(bare)
        assert len(heads) == len(labels) == len(words)
        assert heads.count(0) == 1
    nothing: Any = BareWords([])
    assert parser.tree(nothing) == ([], [])


def test_parts_of_trees(folder: Path) -> None:
    sentences = []
    for each in FEW:
        heads = [h if k % 3 else None for k, h in enumerate(each.heads)]
        labels = [label if h is not None else "_" for label, h in zip(each.labels, heads, strict=True)]
        sentences.append(Sentence.from_words(each.words, heads=heads, labels=labels))
    assert taught(folder, sentences).tree(TEST[0])[0].count(0) == 1


# Training of a pipeline


def plan(folder: Path, checkpoint: Path | None = None, **options: Any) -> TrainingPlan:
    return TrainingPlan(["parser"], "gold", encoder=folder, device="cpu", checkpoint=checkpoint, **options)


def same_arrays(first: Pipeline, second: Pipeline) -> bool:
    own, other = first.parser.model.arrays, second.parser.model.arrays
    return all(values.tobytes() == other[name].tobytes() for name, values in own.items())


@pytest.mark.parametrize("dev", [[], TEST[:3]], ids=["without", "with development data"])
def test_a_teacher_stopped_at_every_point(
    dev: list[Sentence], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within iterations, after them, and before and after the writing of a checkpoint."""
    monkeypatch.setattr("dodona.pipeline.training.PAUSE", 0.0)
    monkeypatch.setattr("dodona.pipeline.training.SHARE", 0.0)
    options = ParserOptions(scorer="transformer", iterations=2, transformer=replace(SMALL, batch=30))
    checkpoint = tmp_path / "checkpoint"

    def train(interruption: Interruption | None = None, resume: bool = False) -> Pipeline:
        def hear(progress: TrainingProgress) -> bool:
            if interruption is not None and progress.component == "parser":
                interruption.point(f"{progress.iteration} {progress.share:.2f}")
            return False

        return train_pipeline(FEW[:8], options, plan(folder, checkpoint, resume=resume), dev, hear)

    def begin(interruption: Interruption) -> None:
        checkpoint.unlink(missing_ok=True)
        train(interruption)

    whole = train()
    resumed = 0
    names = []
    for name in interrupt_everywhere(begin, [(modelfile, "save")]):
        names.append(name)
        resume = checkpoint.exists()
        assert same_arrays(train(resume=resume), whole), name
        resumed += resume
    assert resumed >= len(names) // 2 > 3
    assert any("1 0." in name for name in names)  # in the middle of an iteration
    other = write_encoder(tmp_path / "other", hidden_size=16, intermediate_size=16)
    with pytest.raises(FormatError, match="the checkpoint of another training"):
        train_pipeline(FEW[:8], options, plan(other, checkpoint, resume=True), dev)


def test_a_whole_pipeline(folder: Path, tmp_path: Path) -> None:
    nlp = dodona.train(
        TRAIN, TEST, scorer="transformer", encoder=folder, device="cpu", iterations=3, transformer=SMALL,
        components=["tagger", "parser"],
    )  # fmt: skip
    nlp.save(tmp_path / "teacher.model")
    loaded = dodona.load(tmp_path / "teacher.model")
    bare = [Sentence.from_words(each.words) for each in TEST]
    parsed = list(loaded.parse(bare, Request(confidence=True), jobs=2))
    assert all("Confidence=" in sentence.misc[0] for sentence in parsed)
    assert all(set(sentence.upos) != {"_"} for sentence in parsed)
    from dodona.pipeline.pipeline import describe

    rows = describe(loaded)
    assert rows["scorer"] == "transformer"
    assert rows["encoder"] == "tiny, licence: cc0-1.0"
    assert len(rows["encoder digest"]) == len("SHA-256 ") + 64


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scorer": "transformer"}, "a transformer without an encoder; expected the folder of one"),
        ({"scorer": "linear", "encoder": "x"}, "an encoder; expected it with the scorer 'transformer'"),
        ({"scorer": "transformer", "encoder": "./none"}, "none: there is no such folder"),
        (
            {"scorer": "transformer", "encoder": "x", "vectors": "y"},
            "vectors, or an encoder to begin with; expected them with the scorer 'neural'",
        ),
        ({"scorer": "transformer", "encoder": "x", "device": "tpu"}, "device 'tpu': expected one of auto, cpu, cuda"),
        ({"scorer": "transformer", "encoder": "x", "beam": 4}, "beam 4: expected only with the scorer 'linear'"),
        ({"scorer": "neural", "transformer": SMALL}, "options of a transformer; expected them with"),
    ],
)
def test_options_that_do_not_fit(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        dodona.train(FEW, **given)


def test_it_learns_from_silver_and_at_the_end_from_gold_alone(folder: Path, tmp_path: Path) -> None:
    """Each batch is gold or silver; silver in proportion, as much as was asked for; unknown tags are not learned."""
    write(
        [Sentence.from_words([*s.words[:-1], "!"], ["X"] * len(s), heads=s.heads, labels=s.labels) for s in TEST],
        tmp_path / "silver.conllu",
    )
    options = ParserOptions(scorer="transformer", iterations=4, transformer=replace(SMALL, batch=30))
    source = NetworkSource(encoder=read_encoder(folder), device="cpu")
    silver = SilverSource(survey_silver([tmp_path / "silver.conllu"], lambda sentence: "", lambda sentence: False, 200))
    training = TransformerTraining(prepare_trees(FEW, options), source, silver)
    batches: list[list[GoldSentence]] = []
    learn = training.learner._learn

    def record(examples: list[GoldSentence], explore: float) -> Any:
        batches.append(examples)
        return learn(examples, explore)

    with mock.patch.object(training.learner, "_learn", record):
        assert [progress.iteration for progress in training.iterations()] == [1, 2, 3, 4]
    kinds = [{example.forms[-1] == "!" for example in batch} for batch in batches]
    assert all(len(kind) == 1 for kind in kinds)  # a batch is either
    of_silver = [batch for batch, kind in zip(batches, kinds, strict=True) if kind == {True}]
    assert 200 <= sum(len(example) for batch in of_silver for example in batch) < 200 + 30
    assert all((example.tags[0] == -1).all() for batch in of_silver for example in batch)  # UPOS X
    learned = [batch for batch, kind in zip(batches, kinds, strict=True) if kind == {False}]
    gold = [list(example.forms) for batch in learned for example in batch]
    assert sorted(gold) == sorted(4 * [s.words for s in FEW])
    last = max(i for i, kind in enumerate(kinds) if kind == {True})
    assert 0 < len(kinds) - last - 1 < len(kinds) / 2
    assert training.learner.updates == len(batches)
