"""The network of a teacher: from word pieces to what each word contributes, and the loss of recorded configurations.

    word         vector of its first piece: a mix of the encoder's last layers; beside it the mean of subword embeddings
    sentence     a linear layer, a bidirectional LSTM; heads that predict the tags; the distribution of UPOS is added
    positions    what each word contributes to the hidden layer at each position
    action       ReLU of the contributions of words and labels, then a score for each action

Everything above the word is as in `neural.network`. The loss of a configuration is minus the logarithm of the
probability of all correct actions together.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import dropout, log_softmax, relu
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from dodona.errors import OptionError
from dodona.neural.encoder import trains_in_16_bits
from dodona.neural.learner import OutputSizes
from dodona.transformer.options import DEVICES, TransformerOptions
from dodona.transformer.pieces import PieceBatch
from dodona.transformer.pretrained import build_encoder

__all__ = ["TeacherNetwork", "choose_device", "multiplies_in_16_bits", "step_loss", "tag_loss"]

LOW = -1e9
LAYER = ("labels", "hidden_bias", "actions", "actions_bias")  # what the compiled hidden layer takes


def choose_device(name: str) -> str:
    """Return the device of this name; `auto` is a GPU if there is one."""
    if name not in DEVICES:
        raise OptionError(f"device {name!r}: expected one of {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise OptionError("device 'cuda': PyTorch finds no GPU; expected one, or the device 'cpu'")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def multiplies_in_16_bits(device: str) -> bool:
    """Return whether encoders run in bfloat16 on a device: on GPUs, and where networks are trained so."""
    return device == "cuda" or trains_in_16_bits()


class TeacherNetwork(nn.Module):
    """An encoder with a small network on top. `where` is named in errors."""

    def __init__(
        self, config: Mapping[str, Any], options: TransformerOptions, sizes: OutputSizes, where: str = "encoder"
    ) -> None:
        super().__init__()
        self.options, self.sizes = options, sizes
        self.encoder = build_encoder(config, where)
        width, units, kinds = 2 * options.width, options.units, sizes.tag_kinds
        hidden, layers = self.encoder.config.hidden_size, self.encoder.config.num_hidden_layers
        self.mix = nn.Parameter(torch.zeros(min(options.mix, layers)))
        self.subword = nn.Parameter(0.2 * torch.randn(options.subwords, options.embedding))
        self.input = nn.Linear(hidden + options.embedding, options.inputs)
        self.lstm = nn.LSTM(options.inputs, options.width, bidirectional=True)
        self.heads = nn.Linear(width, sum(kinds))
        self.upos = nn.Linear(kinds[0], width, bias=False)
        self.ends = nn.Parameter(0.1 * torch.randn(2, width))  # ROOT and nobody
        self.positions = nn.Linear(width, sizes.positions * units, bias=False)
        self.labels = nn.Parameter(0.05 * torch.randn(sizes.label_positions, sizes.labels + 1, units))
        self.hidden_bias = nn.Parameter(torch.zeros(units))
        self.actions = nn.Parameter(torch.empty(units, sizes.actions).uniform_(-(units**-0.5), units**-0.5))
        self.actions_bias = nn.Parameter(torch.zeros(sizes.actions))
        with torch.no_grad():
            self.positions.weight.normal_(0, (3 * width) ** -0.5)

    @property
    def device(self) -> Any:
        return self.mix.device

    def encode(self, batch: PieceBatch) -> tuple[Any, Any]:
        """Return the words of a batch, encoded [words, 2 × width], and their scores of all tags."""
        return self.encode_words(self.piece_vectors(batch), batch.subwords, batch.lengths.tolist())

    def encode_words(self, vectors: Any, subwords: NDArray[np.int64], lengths: Sequence[int]) -> tuple[Any, Any]:
        """Return what `encode` does, from the vectors of first pieces, subwords, and the words of each sentence."""
        if not len(vectors):
            return self.ends.new_zeros((0, self.ends.shape[1])), self.ends.new_zeros((0, sum(self.sizes.tag_kinds)))
        x = torch.cat([self._drop(vectors), self._drop(self.subword_vectors(subwords))], dim=1)
        states = self._drop(self._run_lstm(self._drop(self.input(x)), lengths))
        scores = self.heads(states)
        return states + self.upos(torch.softmax(scores[:, : self.sizes.tag_kinds[0]], dim=1)), scores

    def round_encoder(self) -> None:
        """Store the encoder's matrices in the 16 bits that they are multiplied in: a call need not round them again."""
        for module in self.encoder.modules():
            if isinstance(module, nn.Linear):
                module.weight.data = module.weight.data.to(torch.bfloat16)

    def contributions(self, words: Any) -> Any:
        """Return what encoded words contribute to the hidden layer [words, positions × units]."""
        return self.positions(words)

    def piece_vectors(self, batch: PieceBatch) -> Any:
        """Return for each word the vector of its first piece: a mix of the last layers, by softmax."""
        weights = torch.softmax(self.mix, dim=0)
        rows = [self.ends.new_zeros((0, self.encoder.config.hidden_size))]
        device = self.device.type
        with torch.autocast(device, torch.bfloat16, enabled=multiplies_in_16_bits(device)):
            for pieces, mask in zip(batch.pieces, batch.masks, strict=True):
                layers = self.encoder(
                    input_ids=self._move(pieces), attention_mask=self._move(mask), output_hidden_states=True,
                    return_dict=True,
                ).hidden_states  # fmt: skip
                last = layers[len(layers) - len(weights) :]
                mixed = sum(weight * layer.to(weight.dtype) for weight, layer in zip(weights, last, strict=True))
                rows.append(mixed.reshape(-1, mixed.shape[-1]))
        return torch.cat(rows)[self._move(batch.first)]

    def subword_vectors(self, subwords: NDArray[np.int64]) -> Any:
        """Return for each word the mean of the embeddings of its subwords."""
        numbers = self._move(subwords)
        some = (numbers > 0).unsqueeze(-1)
        return (self.subword[numbers] * some).sum(1) / some.sum(1).clamp(min=1)

    def _run_lstm(self, x: Any, lengths: Sequence[int]) -> Any:
        filled = [int(n) for n in lengths if n]
        packed = pack_padded_sequence(pad_sequence(torch.split(x, filled)), torch.tensor(filled), enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0])
        return torch.cat([states[:n, i] for i, n in enumerate(filled)])

    def _drop(self, x: Any) -> Any:
        return dropout(x, self.options.dropout, self.training)

    def _move(self, numbers: NDArray[Any]) -> Any:
        return torch.from_numpy(numbers).to(self.device)

    def layer(self) -> tuple[NDArray[np.float32], ...]:
        """Return the weights of the hidden layer, for the compiled one."""
        return tuple(getattr(self, name).detach().float().cpu().numpy().copy() for name in LAYER)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(value.shape) for name, value in self.named_parameters()}

    def fill(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Take these weights, in place; the others stay as they are."""
        own = dict(self.named_parameters())
        with torch.no_grad():
            for name, values in weights.items():
                own[name].copy_(torch.from_numpy(np.array(values, np.float32).reshape(tuple(own[name].shape))))


def tag_loss(scores: Any, kinds: tuple[int, ...], gold: Any) -> Any:
    """Return the sum over the kinds of tags of the mean loss of a word; `gold` is [kinds, words], -1 is unknown."""
    total = scores.new_zeros(())
    for own, right in zip(torch.split(scores, list(kinds), dim=1), gold, strict=True):
        known = right >= 0
        of_right = log_softmax(own, dim=1).gather(1, right.clamp(min=0).unsqueeze(1)).squeeze(1)
        total = total - (of_right * known).sum() / known.sum().clamp(min=1)
    return total


def step_loss(network: TeacherNetwork, rows: Any, words: Any, labels: Any, verdicts: Any, step_of: Any) -> Any:
    """Return the sum of the losses of all configurations; the arguments after the rows are those of rollouts."""
    positions = words.shape[1]
    by_position = rows.reshape(rows.shape[0] * positions, -1)
    at = torch.arange(positions, device=rows.device)
    hidden = network.hidden_bias + by_position[words * positions + at].sum(1)
    at = torch.arange(labels.shape[1], device=rows.device)
    hidden = hidden + network.labels[at, labels].sum(1)
    scores = network._drop(relu(hidden)) @ network.actions + network.actions_bias
    legal = _mass(torch.where(verdicts >= 0, scores, LOW), step_of)
    correct = _mass(torch.where(verdicts == 1, scores, LOW), step_of)
    return (legal - correct).sum()


def _mass(scores: Any, step_of: Any) -> Any:
    """Return the logarithm of the sum of exp(score) over all sites of each configuration."""
    of_row = torch.logsumexp(scores, dim=1)
    count = int(step_of[-1]) + 1 if len(step_of) else 0
    most = scores.new_full((count,), LOW).scatter_reduce(0, step_of, of_row.detach(), "amax")
    total = torch.zeros_like(most).index_add(0, step_of, torch.exp(of_row - most[step_of]))
    return torch.log(total) + most
