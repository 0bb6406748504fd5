"""The network of a teacher against plain NumPy: each part by its formula, the loss, and the gradient of it all."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from numpy.typing import NDArray
from samples.encoders import SMALL, write_encoder

from dodona.errors import OptionError
from dodona.neural.learner import OutputSizes
from dodona.transformer import trainer
from dodona.transformer.network import TeacherNetwork, choose_device, step_loss, tag_loss
from dodona.transformer.pieces import PieceBatch, PieceTable, WordPieces
from dodona.transformer.pretrained import read_encoder

SIZES = OutputSizes(labels=3, actions=5, positions=2, label_positions=2, tag_kinds=(3, 2, 4))
SENTENCES = [["dove", "asks", "oak"], ["the", "priest"], ["hears"] + ["oak", "dove"] * 12]
Arrays = dict[str, NDArray[np.float64]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture
def network(folder: Path) -> Any:
    """A network in double precision, without dropout."""
    encoder, weights = read_encoder(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        made = TeacherNetwork(encoder.config, SMALL, SIZES)
        made.fill({f"encoder.{name}": values for name, values in weights.items()})
        torch.nn.init.normal_(made.mix)
        torch.nn.init.normal_(made.hidden_bias)
        torch.nn.init.normal_(made.actions_bias)
    return made.double().eval()


@pytest.fixture
def batch(folder: Path) -> PieceBatch:
    """Sentences of which the last one is seen in several windows."""
    encoder, _ = read_encoder(folder)
    pieces = WordPieces(encoder.tokenizer, 1000, "test")
    return PieceTable(pieces, SMALL.subwords, 20).lay_out(SENTENCES)


def arrays_of(network: Any) -> Arrays:
    return {name: value.detach().numpy() for name, value in network.named_parameters()}


def softmax(x: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-x))


def run_lstm(x: NDArray[np.float64], p: Arrays, suffix: str) -> NDArray[np.float64]:
    h = c = np.zeros(SMALL.width)
    states = []
    for now in x:
        z = p[f"lstm.weight_ih_l0{suffix}"] @ now + p[f"lstm.bias_ih_l0{suffix}"]
        z = z + p[f"lstm.weight_hh_l0{suffix}"] @ h + p[f"lstm.bias_hh_l0{suffix}"]
        i, f, g, o = np.split(z, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def piece_vectors(network: Any, batch: PieceBatch) -> NDArray[np.float64]:
    """Each window by itself, without padding; then the first piece of each word."""
    shares = softmax(network.mix.detach().numpy())
    rows = []
    for group, masks in zip(batch.pieces, batch.masks, strict=True):
        for pieces, mask in zip(group, masks, strict=True):
            seen = torch.from_numpy(pieces[: mask.sum()])[None]
            with torch.no_grad():
                layers = network.encoder(input_ids=seen, output_hidden_states=True).hidden_states
            own = sum(share * layers[k - 2][0].numpy() for k, share in enumerate(shares))
            rows += [*own, *np.zeros((len(mask) - mask.sum(), own.shape[1]))]
    return np.array([rows[i] for i in batch.first])


def naive_encode(network: Any, batch: PieceBatch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p = arrays_of(network)
    subwords = np.array([p["subword"][[n for n in numbers if n]].mean(axis=0) for numbers in batch.subwords])
    x = np.concatenate([piece_vectors(network, batch), subwords], axis=1) @ p["input.weight"].T + p["input.bias"]
    states = []
    for sentence in np.split(x, np.cumsum(batch.lengths)[:-1]):
        there, back = run_lstm(sentence, p, ""), run_lstm(sentence[::-1], p, "_reverse")[::-1]
        states.append(np.concatenate([there, back], axis=1))
    all_states = np.concatenate(states)
    scores = all_states @ p["heads.weight"].T + p["heads.bias"]
    return all_states + softmax(scores[:, :3]) @ p["upos.weight"].T, scores


def test_words_are_encoded_by_the_formula(network: Any, batch: PieceBatch) -> None:
    assert max(len(group) for group in batch.pieces) > 1  # padding is there
    assert any((mask == 0).any() for mask in batch.masks)
    with torch.no_grad():
        words, scores = network.encode(batch)
        wanted, wanted_scores = naive_encode(network, batch)
        assert words.numpy() == pytest.approx(wanted, abs=1e-5)
        assert scores.numpy() == pytest.approx(wanted_scores, abs=1e-5)
        assert np.abs(wanted).max() > 0.01
        rows = network.contributions(words).numpy()
        assert rows == pytest.approx(wanted @ arrays_of(network)["positions.weight"].T, abs=1e-5)


def test_the_mix_is_of_the_last_layers(network: Any, batch: PieceBatch) -> None:
    with torch.no_grad():
        network.mix.copy_(torch.tensor([-50.0, 50.0]))
        last = network.piece_vectors(batch).numpy()
        outputs = [
            network.encoder(input_ids=torch.from_numpy(g), attention_mask=torch.from_numpy(m)).last_hidden_state
            for g, m in zip(batch.pieces, batch.masks, strict=True)
        ]
    rows = np.concatenate([output.reshape(-1, output.shape[-1]).numpy() for output in outputs])
    assert last == pytest.approx(rows[batch.first], abs=1e-6)


def test_nothing_to_encode(network: Any, folder: Path) -> None:
    encoder, _ = read_encoder(folder)
    nothing = PieceTable(WordPieces(encoder.tokenizer, 1000, "test"), SMALL.subwords, 20).lay_out([[]])
    words, scores = network.encode(nothing)
    assert (words.shape, scores.shape) == ((0, 2 * SMALL.width), (0, 9))


# The loss

ROWS = 7
WORDS = np.array([[0, 1], [6, 2], [3, 3], [5, 6], [4, 0]])
LABELS = np.array([[0, 1], [2, 0], [3, 3], [0, 0], [1, 2]])
VERDICTS = np.array(
    [[1, 0, -1, 0, 1], [-1, -1, 1, 0, 0], [0, 0, 0, -1, 0], [0, 1, 0, 0, 0], [0, -1, -1, -1, 1]], np.int8
)
STEP_OF = np.array([0, 1, 2, 2, 3])  # two sites of one configuration


def steps() -> tuple[Any, ...]:
    return tuple(torch.from_numpy(part) for part in (WORDS, LABELS, VERDICTS, STEP_OF))


def contributions() -> NDArray[np.float64]:
    return np.random.default_rng(1).normal(size=(ROWS, 2 * SMALL.units))


def naive_loss(p: Arrays, rows: NDArray[np.float64]) -> float:
    legal, correct = np.zeros(4), np.zeros(4)
    for words, labels, verdicts, step in zip(WORDS, LABELS, VERDICTS, STEP_OF, strict=True):
        hidden = p["hidden_bias"].copy()
        for position, word in enumerate(words):
            hidden += rows[word, position * SMALL.units : (position + 1) * SMALL.units]
        for position, label in enumerate(labels):
            hidden += p["labels"][position, label]
        scores = np.maximum(hidden, 0) @ p["actions"] + p["actions_bias"]
        legal[step] += np.exp(scores[verdicts >= 0]).sum()
        correct[step] += np.exp(scores[verdicts == 1]).sum()
    return float(-np.log(correct / legal).sum())


def test_the_loss_of_configurations(network: Any) -> None:
    rows = contributions()
    with torch.no_grad():
        loss = step_loss(network, torch.from_numpy(rows), *steps())
    assert loss.item() == pytest.approx(naive_loss(arrays_of(network), rows), rel=1e-9)
    assert loss.item() > 1


def test_the_loss_of_tags(network: Any) -> None:
    scores = np.random.default_rng(2).normal(size=(4, 9))
    gold = np.array([[0, 2, 1, 1], [1, 0, 0, 1], [3, 3, 0, 2]])
    loss = tag_loss(torch.from_numpy(scores), (3, 2, 4), torch.from_numpy(gold)).item()
    wanted = 0.0
    for kind, (begin, end) in enumerate([(0, 3), (3, 5), (5, 9)]):
        shares = softmax(scores[:, begin:end])
        wanted -= np.mean([np.log(shares[k, gold[kind, k]]) for k in range(4)])
    assert loss == pytest.approx(wanted, rel=1e-9)


def test_the_gradient_of_the_loss(network: Any, batch: PieceBatch) -> None:
    """Through the hidden layer, the LSTM, the mix and the encoder, by finite differences, at some weights of each."""
    generator = np.random.default_rng(1)
    gold = torch.from_numpy(np.stack([generator.integers(0, n, len(batch.first)) for n in SIZES.tag_kinds]))

    def loss() -> Any:
        words, scores = network.encode(batch)
        rows = network.contributions(torch.cat([words[: ROWS - 2], network.ends]))
        return step_loss(network, rows, *steps()) + tag_loss(scores, SIZES.tag_kinds, gold)

    loss().backward()
    checked = 0
    for name, value in network.named_parameters():
        if "layer.0" in name or value.grad is None:
            continue
        flat, gradient = value.data.view(-1), value.grad.view(-1).clone()
        i = int(gradient.abs().argmax())
        before, size = flat[i].item(), 1e-5
        with torch.no_grad():
            flat[i] = before + size
            above = loss().item()
            flat[i] = before - size
            below = loss().item()
            flat[i] = before
        assert (above - below) / (2 * size) == pytest.approx(gradient[i].item(), rel=2e-3, abs=1e-5), name
        checked += abs(gradient[i].item()) > 1e-4
    assert checked > 25


# Learning rates, devices


def test_the_rate_rises_and_falls() -> None:
    shares = [trainer.share_of_rate(number, 100) for number in range(1, 111)]
    assert shares[:10] == sorted(shares[:10])
    assert shares[0] == pytest.approx(0.1, abs=0.001)
    assert max(shares) == shares[9] > 0.97
    assert shares[9:] == sorted(shares[9:], reverse=True)
    assert shares[49] == pytest.approx(0.505)
    assert shares[99] == pytest.approx(0.01)
    assert shares[109] == pytest.approx(0.01)


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == choose_device("cpu") == "cpu"
    with pytest.raises(OptionError, match="device 'cuda': PyTorch finds no GPU"):
        choose_device("cuda")
    with pytest.raises(OptionError, match="device 'tpu': expected one of auto, cpu, cuda"):
        choose_device("tpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [choose_device(name) for name in ("auto", "cpu", "cuda")] == ["cuda", "cpu", "cuda"]
