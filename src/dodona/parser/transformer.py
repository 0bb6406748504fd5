"""A teacher as a model of the parser: restored from arrays, checked, and applied to batches of sentences.

In a model, a matrix has 8 bits a number with a scale for each row, as in `parser.neural`; biases and the weights of
layer normalization are few, and stay floats. The network runs in floating point, and its encoder in 16 bits where the
device has instructions for that. On a CPU a parse does not depend on what else is in the batch: with 16 bits, only
windows of equal length run together through the encoder, without padding, and the rest is done sentence by sentence;
with 32 bits, where the order of a sum depends on the number of rows, each sentence runs alone. On a GPU, where that
would be slow, sentences of like length run together, and the last digits of their scores may differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.neural.encoder import quantize
from dodona.neural.learner import OutputSizes
from dodona.neural.positions import Positions
from dodona.neural.quantization import CheckedArrays
from dodona.parser.neural import MAX_CHARACTERS, MAX_FORMS, NetworkModel, NetworkSession, check_outputs
from dodona.search.scorer import EncodedSentence
from dodona.tagger.tagger import Tag
from dodona.transformer.network import TeacherNetwork, choose_device, multiplies_in_16_bits
from dodona.transformer.options import TransformerOptions
from dodona.transformer.pieces import PieceTable, WordPieces
from dodona.transformer.pretrained import TeacherEncoder, count_positions

__all__ = ["TransformerModel", "TransformerSession", "make_table", "quantize_parameters"]

TOGETHER = 8192  # words that run together where several sentences may
EQUAL = 1.0  # the share of the longest that the others of a group have at least: all of it


class TransformerModel(NetworkModel):
    """A teacher with its encoder, and the numbers of tags and labels; shared by threads."""

    def __init__(
        self,
        options: TransformerOptions,
        positions: Positions,
        encoder: TeacherEncoder,
        tags: Sequence[Tag],
        arrays: Mapping[str, NDArray[Any]],
        labels: int,
        actions: int,
        where: str,
        device: str = "auto",
        threads: int | None = 1,
    ) -> None:
        """`threads`: of PyTorch, in each thread of the parser; None: as many as PyTorch likes."""
        super().__init__(positions, tags, arrays)
        self.options, self.encoder, self.threads = options, encoder, threads
        sizes = OutputSizes(
            labels, actions, len(positions.words), len(positions.labels), tuple(map(int, self.choice.sizes))
        )
        with torch.device("meta"):  # nothing is allocated before all sizes are known to be right
            shapes = TeacherNetwork(encoder.config, options, sizes, where).shapes()
        weights = _take_weights(arrays, shapes, where)
        with torch.random.fork_rng(devices=[]):
            self.network = TeacherNetwork(encoder.config, options, sizes, where)
        self.network.fill(weights)
        self.network.to(choose_device(device)).eval().requires_grad_(False)
        if multiplies_in_16_bits(self.network.device.type):
            self.network.round_encoder()
        self.pieces = make_pieces(encoder, self.network, where)
        with torch.inference_mode():
            self.ends = self.network.contributions(self.network.ends).cpu().numpy()
        self.layer = self.network.layer()

    def table(self) -> PieceTable:
        return make_table(self.pieces, self.network)

    def session(self) -> "TransformerSession":
        return TransformerSession(self)

    def description(self) -> dict[str, Any]:
        return super().description() | {"encoder": self.encoder.description()}

    @classmethod
    def restore(
        cls,
        options: TransformerOptions,
        description: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        labels: int,
        actions: int,
        where: str,
    ) -> "TransformerModel":
        positions, tags, retags, bonus = check_outputs(description, where)
        encoder = TeacherEncoder.restore(description["encoder"])
        model = cls(options, positions, encoder, tags, arrays, labels, actions, where)
        model.retags, model.tagger_bonus = retags, bonus
        return model


def make_pieces(encoder: TeacherEncoder, network: TeacherNetwork, where: str) -> WordPieces:
    """Return the word pieces that the encoder of this network reads."""
    return WordPieces(encoder.tokenizer, network.encoder.get_input_embeddings().weight.shape[0], where)


def make_table(pieces: WordPieces, network: TeacherNetwork) -> PieceTable:
    """Return an empty table of forms, with windows that the encoder of this network can see."""
    options = network.options
    return PieceTable(pieces, options.subwords, count_positions(network.encoder.config, options.window))


def quantize_parameters(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Return trained weights as the arrays of a model: matrices in 8 bits a row with scales, vectors as floats."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, values in weights.items():
        if values.ndim < 2:
            arrays[name] = np.ascontiguousarray(values, np.float32)
        else:
            arrays[name], arrays[f"{name}.scales"] = quantize(_as_rows(values).T)
    return arrays


def _as_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values.reshape(-1, values.shape[-1])


def _take_weights(
    arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]], where: str
) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of a model as weights of these shapes."""
    take = CheckedArrays(arrays, where)
    weights = {}
    for name, shape in shapes.items():
        if len(shape) < 2:
            weights[name] = take.floats(name, *shape)
        else:
            weights[name] = take.rows(name, int(np.prod(shape[:-1])), shape[-1])
    take.end()
    return weights


class TransformerSession(NetworkSession):
    """A teacher at work in one thread."""

    def __init__(self, model: TransformerModel) -> None:
        super().__init__(model)
        self._model = model
        self._table = model.table()
        if model.threads is not None:
            torch.set_num_threads(model.threads)  # of this thread; threads of the parser are chosen by its user

    def encode(self, sentences: Sequence[Sentence]) -> list[EncodedSentence]:
        if len(self._table) > MAX_FORMS or self._table.characters > MAX_CHARACTERS:
            self._table = self._model.table()
        model = self._model
        lengths = [len(sentence.words) for sentence in sentences]
        words = sum(lengths)
        rows = np.empty((words + len(model.ends), model.ends.shape[1]), np.float32)
        self._scores = np.empty((words, sum(model.choice.sizes)), np.float32)
        first = 0
        with torch.inference_mode():
            for part in self._parts(sentences):
                for encoded, scores in self._encode(part):
                    last = first + len(encoded)
                    rows[first:last] = model.network.contributions(encoded).cpu().numpy()
                    self._scores[first:last] = scores.cpu().numpy()
                    first = last
        rows[words:] = model.ends
        return self._contribute(lengths, rows)

    def _parts(self, sentences: Sequence[Sentence]) -> Iterator[list[Sequence[str]]]:
        """Yield the forms of sentences that run together through the encoder."""
        most = TOGETHER if multiplies_in_16_bits(self._model.network.device.type) else 0
        part: list[Sequence[str]] = []
        words = 0
        for sentence in sentences:
            if part and words + len(sentence.words) > most:
                yield part
                part, words = [], 0
            part.append(sentence.words)
            words += len(sentence.words)
        if part:
            yield part

    def _encode(self, part: list[Sequence[str]]) -> Iterator[tuple[Any, Any]]:
        """Yield the words of some of these sentences, encoded, with their scores of all tags."""
        network = self._model.network
        if network.device.type != "cpu":
            yield network.encode(self._table.lay_out(part))
            return
        batch = self._table.lay_out(part, EQUAL)
        vectors = network.piece_vectors(batch)
        first = 0
        for forms in part:
            last = first + len(forms)
            yield network.encode_words(vectors[first:last], batch.subwords[first:last], [len(forms)])
            first = last

    def _score_tags(self) -> NDArray[np.float32]:
        return self._scores
