"""A trained network as a model of the parser: restored from arrays, checked, and applied to batches of sentences.

Weights are 8-bit numbers. Everything that depends on the form of a word alone, or on its tag alone, is computed once
and kept. All products are exact or have a fixed order: the same parse on every machine, whatever else is in the batch.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import FormatError
from dodona.neural.encoder import Dense, Encoder, Network
from dodona.neural.inputs import Inputs
from dodona.neural.options import NetworkOptions
from dodona.neural.positions import Positions
from dodona.neural.quantization import TABLES, CheckedArrays, list_directions
from dodona.neural.scorer import Contributions, HiddenLayer
from dodona.neural.vocabulary import Vocabulary
from dodona.search.scorer import EncodedSentence
from dodona.tagger.tagger import Tag, TagChoice, check_tag

__all__ = [
    "MAX_CHARACTERS", "MAX_FORMS", "NetworkModel", "NetworkSession", "NeuralModel", "NeuralSession", "check_outputs",
]  # fmt: skip

MAX_FORMS = 20_000  # kept in a thread; then it begins anew
MAX_CHARACTERS = 1 << 22  # in them, and in tags
MAX_BONUS = 1e3  # of the tagger's tags
COMPUTED = 1024  # forms or tags at a time whose inputs are computed

K = TypeVar("K")  # a form or a tag


class NetworkModel:
    """What networks and teachers have in common: a hidden layer that sees some positions, and tags to be predicted.
    Whether these are better than the tagger's, and what the tagger's are worth then, is found out after training."""

    layer: tuple[NDArray[np.float32], ...]  # the weights of the hidden layer

    def __init__(self, positions: Positions, tags: Sequence[Tag], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.positions, self.tags, self.arrays = positions, list(tags), arrays
        self.choice = TagChoice(tags)
        self.retags = False
        self.tagger_bonus = 0.0

    def description(self) -> dict[str, Any]:
        return {
            "positions": self.positions.text,
            "tags": [list(tag) for tag in self.tags],
            "retags": self.retags,
            "tagger_bonus": self.tagger_bonus,
        }


class NetworkSession:
    """A network or a teacher at work in one thread."""

    def __init__(self, model: NetworkModel) -> None:
        self.greedy = HiddenLayer(model.positions, *model.layer)
        self.beam = HiddenLayer(model.positions, *model.layer, cached=True)
        self._choice = model.choice

    def _contribute(self, lengths: Sequence[int], rows: NDArray[np.float32]) -> list[EncodedSentence]:
        """Return sentences of so many words by what each word contributes; the last rows are ROOT and nobody."""
        firsts = accumulate(lengths, initial=0)
        ends = len(rows) - 2, len(rows) - 1
        encoded: list[EncodedSentence] = [
            Contributions(n, rows, first, *ends) for n, first in zip(lengths, firsts, strict=False)
        ]
        self.greedy.prepare(encoded)
        return encoded

    def tags(self, sentences: Sequence[Sentence], bonus: float) -> "list[array[int]]":
        """Return the numbers of the tags whose parts together score highest, for the sentences encoded last."""
        return self._choice.tag(self._score_tags(), sentences, bonus)

    def _score_tags(self) -> NDArray[np.float32]:
        """Return the scores of all values of tags, for each word of the sentences encoded last."""
        raise NotImplementedError


class NeuralModel(NetworkModel):
    """A network and the numbers of words, tags and labels; shared by threads."""

    def __init__(
        self,
        options: NetworkOptions,
        positions: Positions,
        tag_parts: Sequence[str],
        tags: Sequence[Tag],
        arrays: Mapping[str, NDArray[Any]],
        labels: int,
        actions: int,
        where: str,
    ) -> None:
        super().__init__(positions, tags, arrays)
        self.options, self.tag_parts = options, list(tag_parts)
        take = CheckedArrays(arrays, where)
        words, vectors = take.numbers("words"), take.numbers("vectors")
        self.vocabulary = Vocabulary(words.tolist(), vectors.tolist(), tag_parts, options.subwords)
        width, units = options.width, options.units
        self.inputs = self._inputs(take, len(words), len(vectors))
        try:
            self.network = Network(arrays, inputs=options.inputs, width=width, layers=options.layers)
            parts = ("input", "input_scales", "recurrent", "recurrent_scales", "bias")
            take.seen |= {
                "input.scale",
                *(f"{name}.{part}" for name in list_directions(options.layers) for part in parts),
            }
            self.ends = take.bytes("ends", 2, 2 * width)
            self.project = self._dense(take, "positions", len(positions.words) * units)
            self.heads = self._dense(take, "heads", sum(self.choice.sizes))
        except ValueError as error:
            raise FormatError(f"{where}: {error}") from error
        label_rows = take.rows("labels", len(positions.labels) * (labels + 1), units)
        self.layer = (
            label_rows.reshape(len(positions.labels), labels + 1, units),
            take.floats("hidden.bias", units),
            take.rows("actions", units, actions),
            take.floats("actions.bias", actions),
        )
        take.end()

    def _inputs(self, take: "CheckedArrays", words: int, vectors: int) -> Inputs:
        options = self.options
        word = take.table("word", words + 1, options.embedding)
        subword = take.table("subword", options.subwords, options.embedding)
        vector = take.table("vector", vectors + 1, None) if vectors else None
        tag = take.table("tag", len(self.tag_parts) + 1, options.tag_embedding)
        matrices = [
            take.rows(f"input.{name}", table.width, options.inputs) if table is not None else None
            for name, table in zip(TABLES, (word, subword, vector, tag), strict=True)
        ]
        return Inputs(word, subword, vector, tag, matrices, take.floats("input.bias", options.inputs))

    def _dense(self, take: "CheckedArrays", name: str, outputs: int) -> Dense:
        inputs = 2 * self.options.width
        bias = take.floats(f"{name}.bias", outputs)
        return Dense(take.bytes(name, outputs * inputs), take.floats(f"{name}.scales", outputs), bias, inputs)

    def session(self) -> "NeuralSession":
        return NeuralSession(self)

    def description(self) -> dict[str, Any]:
        return super().description() | {"tag_parts": self.tag_parts}

    @classmethod
    def restore(
        cls,
        options: NetworkOptions,
        description: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        labels: int,
        actions: int,
        where: str,
    ) -> "NeuralModel":
        positions, tags, retags, bonus = check_outputs(description, where)
        tag_parts = description["tag_parts"]
        if not isinstance(tag_parts, list) or not all(isinstance(part, str) for part in tag_parts):
            raise TypeError("expected the parts of tags as a list of strings")
        if len(set(tag_parts)) != len(tag_parts):
            raise ValueError("expected the parts of tags, each once")
        model = cls(options, positions, tag_parts, tags, arrays, labels, actions, where)
        model.retags, model.tagger_bonus = retags, bonus
        return model


class InputCache(Generic[K]):
    """What each form, or each tag, contributes to the inputs of the network: a row that is computed once."""

    def __init__(self, width: int) -> None:
        self.count = 0  # rows that are computed: an error may have come in between
        self._numbers: dict[K, int] = {}
        self._rows = np.empty((0, width), np.float32)

    def look_up(self, keys: Iterable[K], compute: Callable[[list[K]], NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return a row for each key; `compute` makes those of new ones. It is not kept: a session that refers to itself
        would keep its memory until Python looks for such cycles."""
        numbers = self._numbers
        wanted = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) > len(self._rows):
            rows = np.empty((max(len(numbers), 2 * len(self._rows)), self._rows.shape[1]), np.float32)
            rows[: self.count] = self._rows[: self.count]
            self._rows = rows
        if len(numbers) > self.count:
            new = islice(numbers, self.count, None)
            while some := list(islice(new, COMPUTED)):
                self._rows[self.count : self.count + len(some)] = compute(some)
                self.count += len(some)
        return self._rows[np.array(wanted, dtype=np.intp)]


class NeuralSession(NetworkSession):
    """A network at work in one thread."""

    def __init__(self, model: NeuralModel) -> None:
        super().__init__(model)
        self._model = model
        self._encoder = Encoder(model.network)
        self._forget()

    def _forget(self) -> None:
        inputs = self._model.options.inputs
        self._forms = InputCache[str](inputs)
        self._tags = InputCache[Tag](inputs)
        self._characters = 0

    def encode(self, sentences: Sequence[Sentence]) -> list[EncodedSentence]:
        if self._forms.count + self._tags.count > MAX_FORMS or self._characters > MAX_CHARACTERS:
            self._forget()
        model = self._model
        lengths = [len(sentence.words) for sentence in sentences]
        layers = self._encoder.encode(self._inputs(sentences), np.array(lengths, dtype=np.int32))
        self._seen = layers[model.options.tag_layer]
        return self._contribute(lengths, model.project.apply(np.concatenate([layers[-1], model.ends])))

    def _inputs(self, sentences: Sequence[Sentence]) -> NDArray[np.float32]:
        forms = (form for sentence in sentences for form in sentence.words)
        tags = (tag for each in sentences for tag in zip(each.upos, each.xpos, each.feats, strict=True))
        x = self._forms.look_up(forms, self._of_forms)
        x += self._tags.look_up(tags, self._of_tags)
        return x

    def _of_forms(self, forms: list[str]) -> NDArray[np.float32]:
        self._characters += sum(map(len, forms))
        numbers = np.array([self._model.vocabulary.of_form(form) for form in forms], dtype=np.int32)
        rows: NDArray[np.float32] = self._model.inputs.of_forms(numbers)
        return rows

    def _of_tags(self, tags: list[Tag]) -> NDArray[np.float32]:
        self._characters += sum(len(part) for tag in tags for part in tag)
        rows: NDArray[np.float32] = self._model.inputs.of_tags([self._model.vocabulary.of_tag(tag) for tag in tags])
        return rows

    def _score_tags(self) -> NDArray[np.float32]:
        return self._model.heads.apply(self._seen)


def check_outputs(description: Mapping[str, Any], where: str) -> tuple[Positions, list[Tag], bool, float]:
    """Return what a description says of a network's positions, of the tags it knows, whether they are better than the
    tagger's, and the bonus of the tagger's among them; older models give none."""
    text, tags, retags = (description[key] for key in ("positions", "tags", "retags"))
    if not isinstance(text, str) or type(retags) is not bool:
        raise TypeError("expected positions as text, and whether it predicts tags")
    bonus = description.get("tagger_bonus", 0.0)
    if type(bonus) is not float or not 0 <= bonus <= MAX_BONUS:
        raise ValueError(f"a bonus of {bonus!r} for the tagger's tags; expected a number from 0 to {MAX_BONUS:g}")
    triples = [check_tag(tag) for tag in tags]
    if not triples or len(set(triples)) != len(triples):
        raise ValueError("expected tags, each once")
    return Positions.parse(text, f"{where}, positions"), triples, retags, bonus
