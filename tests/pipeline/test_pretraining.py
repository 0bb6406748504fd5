"""Pretraining from text to a file, and a parser that begins with it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from samples.networks import SMALL
from samples.texts import english, japanese
from samples.treebank import treebank

import dodona
from dodona import FormatError, OptionError, Sentence
from dodona.component import TrainingProgress
from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.trainer import NeuralLearner
from dodona.neural.vocabulary import fingerprint
from dodona.parser.neural_training import NetworkTraining
from dodona.parser.options import ParserOptions
from dodona.parser.training import NetworkSource, prepare_trees
from dodona.pipeline import pretraining
from dodona.pipeline.pretraining import (
    PretrainingPlan,
    choose_tokenizer,
    collect_text,
    describe_encoder,
    is_encoder,
    load_encoder,
    pretrain_on,
    save_encoder,
)

TEXT = treebank(60, seed=9)


def network(**options: Any) -> NetworkOptions:
    return NetworkOptions(
        **{"layers": 1, "width": 8, "inputs": 8, "embedding": 6, "subwords": 30, "dropout": 0.1, **options}
    )


@pytest.fixture(scope="module")
def encoder() -> PretrainedEncoder:
    return dodona.pretrain(TEXT, passes=1, network=network(), name="oaks", licence="CC0")


def test_a_file_comes_back_and_is_described(encoder: PretrainedEncoder, tmp_path: Path) -> None:
    path = tmp_path / "oaks.encoder"
    save_encoder(path, encoder)
    assert is_encoder(path)
    other = load_encoder(path)
    assert other.about == encoder.about
    for name, values in encoder.weights.items():
        np.testing.assert_array_equal(other.weights[name], values)
    rows = describe_encoder(other)
    assert rows["encoder"] == "1 layers of 8 in each direction, 8 inputs"
    assert rows["text"] == "oaks"
    assert rows["licence"] == "CC0"
    assert rows["words"] == f"{sum(map(len, {tuple(s.words): s.words for s in TEXT}.values())):,}"
    assert rows["vocabulary"] == f"{len(encoder.words)} words, 30 subwords, 6 dimensions"


def test_damaged_and_foreign_files(encoder: PretrainedEncoder, tmp_path: Path) -> None:
    path = tmp_path / "oaks.encoder"
    save_encoder(path, encoder)
    good = path.read_bytes()
    for place in range(0, len(good), len(good) // 25):
        path.write_bytes(good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])
        with pytest.raises(FormatError, match=r"oaks.encoder"):
            load_encoder(path)
        path.write_bytes(good[:place])
        with pytest.raises(FormatError, match=r"oaks.encoder"):
            load_encoder(path)
    with pytest.raises(FormatError, match="expected an encoder made by `dodona pretrain`, found"):
        load_encoder(dodona.pipeline.models.model_path("en-fast"))
    path.write_bytes(good)
    with pytest.raises(FormatError, match="expected the description of a model with a parser"):
        dodona.load(path)


def test_the_same_text_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    """From a file, and from the same words that are read one by one."""
    text = tmp_path / "text.txt"
    text.write_text("".join(" ".join(each.words) + "\n" for each in TEXT))
    one, other = tmp_path / "one", tmp_path / "other"
    dodona.pretrain(text, one, format="horizontal", passes=1, network=network(), name="oaks")
    dodona.pretrain(TEXT, other, passes=1, network=network(), name="oaks")
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.slow
def test_interrupted_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C at any point there is an encoder and a checkpoint, and what is resumed gives the same bytes."""
    monkeypatch.setattr(pretraining, "PAUSE", -1.0)
    path, whole, checkpoint = (tmp_path / name for name in ("one", "whole", "checkpoint"))
    plan = PretrainingPlan(passes=1, name="oaks", checkpoint=checkpoint)
    options = network(batch=64)
    with collect_text(TEXT, tmp_path) as text:
        pretrain_on(text, whole, options, plan)
        checkpoint.unlink()
        for after in (0.1, 0.4, 0.7):

            def interrupt(progress: TrainingProgress, after: float = after) -> None:
                if after < progress.share < 1:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                pretrain_on(text, path, options, plan, interrupt)
            assert load_encoder(path).about["words"] == text.counts.words
            assert path.read_bytes() != whole.read_bytes()
            if not checkpoint.exists():
                continue
            pretrain_on(text, path, options, replace(plan, resume=True))
            assert path.read_bytes() == whole.read_bytes()
        for other in (replace(options, width=9), replace(options, dropout=0.2)):
            with pytest.raises(FormatError, match="the checkpoint of another pretraining"):
                pretrain_on(text, path, other, replace(plan, resume=True))
        assert path.read_bytes() == whole.read_bytes()
        checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
        with pytest.raises(FormatError, match="cut or damaged"):
            pretrain_on(text, path, options, replace(plan, resume=True))


def test_held_out_sentences_are_left_out_and_counted(tmp_path: Path) -> None:
    files = [tmp_path / "dev.conllu", tmp_path / "test.conllu"]
    dodona.write(TEXT[:4], files[0])
    dodona.write(TEXT[4:7], files[1])
    held = {tuple(sentence.words) for sentence in TEXT[:7]}
    said: list[str] = []

    def listen(progress: TrainingProgress) -> None:
        if progress.share == 1:
            said.append(str(progress))

    dodona.pretrain(TEXT, held_out=files, passes=1, network=network(), callback=listen)
    different = len({tuple(sentence.words) for sentence in TEXT})
    assert f"left out: {60 - different} duplicates, 0 unusable, {len(held)} held out; " in said[0]
    assert said[-1].startswith("pretraining: 100%: pass 1, ")
    assert "held-out" in said[-1]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "1 2 3 4 .\n", "too short\n", "only one sentence here .\n", "a b c\nd e f\n"]
)
def test_nothing_to_learn_from(tmp_path: Path, text: str) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"text.txt: nothing to learn from; expected several"):
        dodona.pretrain(path, format="horizontal", network=network())


def test_plans_that_do_not_fit() -> None:
    for options, message in (
        ({"passes": 1, "minutes": 1.0}, "passes and minutes"),
        ({"passes": 0}, "passes 0"),
        ({"minutes": 0.0}, "minutes 0.0"),
        ({"minutes": float("nan")}, "minutes nan"),
        ({"vocabulary": 0}, "vocabulary 0"),
    ):
        with pytest.raises(OptionError, match=message):
            dodona.pretrain(TEXT, network=network(), **options)


def test_tokenizers(tmp_path: Path) -> None:
    """Rules know no contractions; a treebank and a model do."""
    text = "Hera didn't see it. Zeus saw"
    by_rules = [each.words for each in choose_tokenizer()(iter([text])) if isinstance(each, Sentence)]
    assert by_rules == [["Hera", "didn't", "see", "it", "."], ["Zeus", "saw"]]
    dodona.write(english(200), tmp_path / "train.conllu")
    learned = choose_tokenizer(treebank=tmp_path / "train.conllu")(iter([text]))
    by_treebank = [each.words for each in learned if isinstance(each, Sentence)]
    assert by_treebank[0][:3] == ["Hera", "did", "n't"]
    dodona.write(treebank(3), tmp_path / "bare.conllu")
    with pytest.raises(FormatError, match="no raw text"):
        choose_tokenizer(treebank=tmp_path / "bare.conllu")
    with pytest.raises(OptionError, match="a model and a treebank"):
        choose_tokenizer("en-fast", tmp_path / "train.conllu")


# A parser that begins with an encoder


def training(encoder: PretrainedEncoder | None, rate: float = 0.5) -> NetworkTraining:
    options = ParserOptions(scorer="neural", iterations=2, network=encoder.fit(SMALL) if encoder else SMALL)
    source = NetworkSource(pretrained=encoder, pretrained_rate=rate)
    return NetworkTraining(prepare_trees(capitalised(treebank(12)), options), source)


def capitalised(sentences: list[Sentence]) -> list[Sentence]:
    """Sentences that begin as they are written: a word has several forms, and is as frequent as all of them."""
    return [
        Sentence.from_words(
            [s.words[0].capitalize(), *s.words[1:]],
            s.upos,
            xpos=s.xpos,
            heads=[h or 0 for h in s.heads],
            labels=s.labels,
        )
        for s in sentences
    ]


def test_a_network_begins_with_the_encoder(encoder: PretrainedEncoder) -> None:
    """Its words keep their numbers, words that it lacks come after them, and all its weights are there."""
    begun = training(encoder)
    words = begun.data.words
    assert words[: len(encoder.words)] == encoder.words.tolist()
    lacking = {fingerprint(word) for word, count in begun.data.counts.items() if count > 1} - set(
        encoder.words.tolist()
    )
    assert words[len(encoder.words) :] == sorted(lacking)
    for name, values in encoder.weights.items():
        np.testing.assert_array_equal(np.asarray(begun.learner.parameters[name])[: len(values)], values)
    assert "tag" in begun.learner.parameters


def test_words_of_the_text_are_seldom_hidden(encoder: PretrainedEncoder) -> None:
    """A word that is rare in the treebank is often hidden from the network, but not if it was read before."""
    first = treebank(12)[0].words[0].lower()
    others = range(1, len(encoder.words))  # fingerprints of no word
    known = replace(encoder, words=np.array([fingerprint(first), *others], np.uint32))
    for pretrained, read in ((None, set()), (known, {first})):
        data = training(pretrained).data
        assert max(data.counts.values()) < 100
        expected = [100 if form.lower() in read else data.counts[form.lower()] for form in data.forms]
        np.testing.assert_array_equal(data.tables().frequency, expected)
    assert {"The", "the"} <= set(data.forms)


def test_the_encoder_can_stay_as_it_is(encoder: PretrainedEncoder) -> None:
    """At rate 0 only the rest learns."""
    begun = training(encoder, 0.0)
    before = {name: np.array(values) for name, values in begun.learner.parameters.items()}
    generator = np.random.default_rng(1)
    with begun.learner._draw(generator):
        begun.learner._learn(next(begun.learner.batches(generator)), 0.0)
    same = {name for name, values in begun.learner.parameters.items() if np.array_equal(values, before[name])}
    assert same == {*encoder.weights, "head2", "head2.bias"}  # of FEATS, of which there is only one


@pytest.fixture
def without_learning() -> Iterator[None]:
    """Nothing has to be compiled."""
    with mock.patch.object(NeuralLearner, "iterate", return_value=(1, 0, 0.0)):
        yield


@pytest.mark.usefixtures("without_learning")
def test_trained_saved_and_described(encoder: PretrainedEncoder, tmp_path: Path) -> None:
    save_encoder(tmp_path / "oaks.encoder", encoder)
    pipeline = dodona.train(
        treebank(20), scorer="neural", iterations=1, components=["parser"], tags="gold",
        pretrained=tmp_path / "oaks.encoder",
    )  # fmt: skip
    assert pipeline.parser.options.network is not None
    assert pipeline.parser.options.network.width == 8
    assert pipeline.about["pretrained"] == {"text": "oaks", "words": encoder.about["words"], "licence": "CC0"}
    pipeline.save(tmp_path / "model")
    again = dodona.load(tmp_path / "model")
    assert again.parser.model.arrays["words"].tolist()[: len(encoder.words)] == encoder.words.tolist()
    parsed = list(again.parse([sentence.copy() for sentence in treebank(3)]))
    assert all(None not in sentence.heads for sentence in parsed)


def test_sizes_and_scorers_that_do_not_fit(encoder: PretrainedEncoder) -> None:
    plain: dict[str, Any] = {"components": ["parser"], "tags": "gold", "pretrained": encoder}
    with pytest.raises(OptionError, match="width 9: the encoder has 8; expected the same"):
        dodona.train(treebank(4), scorer="neural", network=network(width=9), **plain)
    with pytest.raises(OptionError, match="expected them with the scorer 'neural'"):
        dodona.train(treebank(4), **plain | {"network": None})
    with pytest.raises(OptionError, match="pretrained_rate 2"):
        dodona.train(treebank(4), scorer="neural", pretrained_rate=2.0, **plain)


@pytest.mark.usefixtures("without_learning")
def test_text_in_another_script(encoder: PretrainedEncoder) -> None:
    with pytest.warns(UserWarning, match="the encoder knows 0% of the words in the treebank; expected"):
        dodona.train(japanese(6), scorer="neural", iterations=1, components=["parser"], tags="gold", pretrained=encoder)
