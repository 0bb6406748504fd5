"""Pretraining: the encoder of a network learns to guess hidden words of raw text, before it sees any tree.

Of the words in the vocabulary a part is to be guessed, and most of these are hidden: the network sees an unknown word
without subwords. The state of the top layer goes through a layer of its own and a softmax over the vocabulary.

The softmax is sampled. Frequent words are always compared with the right one; of all others, sorted by frequency, every
`STRIDE`-th is, beginning anywhere, and stands for its neighbours. The sum over the sample is the sum over all words on
average, at a fifth of the cost. Held-out loss is that of all words.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from dodona.neural.batching import Lanes, pad_rows
from dodona.neural.encoder import trains_in_16_bits
from dodona.neural.network import (
    LOW,
    Batch,
    DataSizes,
    Dropout,
    Parameters,
    drop_out,
    initial_weights,
    make_moments,
    multiply,
    multiply_by_rows,
    run_layers,
    word_inputs,
)
from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import SIZES, PretrainedEncoder, encoder_shapes
from dodona.neural.raw_text import LONGEST, RawText, pick_order
from dodona.neural.trainer import pack_state, unpack_state, update_by_adam
from dodona.neural.vocabulary import SUBWORDS, Vocabulary

__all__ = ["Guesses", "PretrainingProgress", "WordGuesser", "choose_guesses", "guess_loss", "has_accelerator"]

Array = Any

GUESSED = 0.18  # of the words in the vocabulary
HIDDEN = 0.85  # of those that are to be guessed
UNITS = 256  # of the layer before the softmax
ALWAYS = 2000  # words that are always in the sample
STRIDE = 8  # one in so many of the others is
CLIP = 1.0
BETAS = 0.9, 0.98
DECAY = 1e-3
WARMUP = 300  # updates during which the rate rises, a tenth of all at most
CACHED = 200_000  # forms whose numbers are kept
MEASURED = 20  # how often the held-out loss is measured
BATCH = 2048, 8192  # words, on a CPU and on an accelerator


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Guesses:
    """What is to be guessed in a batch; padded with the word 0."""

    places: Array  # [guesses]: time × lanes + lane
    words: Array  # [guesses]: numbers of the vocabulary


@dataclass(frozen=True)
class PretrainingProgress:
    """How far pretraining is."""

    share: float  # of the time, or of the passes
    number: int  # of the pass, from 1
    words: int  # learned from so far, in all passes
    loss: float  # of a guess, recently
    held_out: float | None = None  # loss of a guess in sentences that are not learned from, where it was measured

    def __str__(self) -> str:
        held = "" if self.held_out is None else f", held-out {self.held_out:.3f}"
        return f"{self.share:.0%}: pass {self.number}, {self.words:,} words, loss {self.loss:.3f}{held}"


def has_accelerator() -> bool:
    """Return whether JAX works on something faster than the processor."""
    return bool(jax.default_backend() != "cpu")


def choose_guesses(known: NDArray[Any], generator: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return which words of a batch are to be guessed, and which of these are hidden.

    `known` are the numbers of the batch's words, 0 for those that are not in the vocabulary.
    """
    places = np.flatnonzero(known)
    chosen = np.sort(generator.choice(places, math.ceil(GUESSED * len(places)), replace=False))
    return chosen, generator.random(len(chosen)) < HIDDEN


def initial_guesser(sizes: NetworkOptions, words: int, seed: int) -> Parameters:
    """Return random weights of an encoder, and of what guesses words from its states: at first by their rank alone, by
    the law of Zipf and Mandelbrot."""
    none = DataSizes(labels=0, actions=1, positions=1, label_positions=0, tag_kinds=(), words=words + 1, tags=1)
    weights = initial_weights(sizes, none, seed)
    generator = np.random.default_rng([seed, 1])
    bound = (2 * sizes.width) ** -0.5
    return {name: weights[name] for name in encoder_shapes(sizes, words)} | {
        "guess.hidden": jnp.asarray(generator.uniform(-bound, bound, (2 * sizes.width, UNITS)).astype(np.float32)),
        "guess.hidden.bias": jnp.zeros(UNITS),
        "guess.word": jnp.asarray(generator.normal(0, UNITS**-0.5, (words + 1, UNITS)).astype(np.float32)),
        "guess.bias": -jnp.log(jnp.arange(words + 1) + 2.7),
    }


def pick_candidates(words: int, offset: Array, always: int = ALWAYS, stride: int = STRIDE) -> tuple[Array, Array]:
    """Return a sample of a vocabulary of so many words, and the logarithm of how many words each stands for.

    What the sample has too many is the word 0, which stands for none.
    """
    always = min(always, words)
    others = always + 1 + offset + stride * jnp.arange(-(-(words - always) // stride))
    others = jnp.where(others <= words, others, 0)
    weights = jnp.where(others > 0, math.log(stride), LOW)
    return jnp.concatenate([jnp.arange(1, always + 1), others]), jnp.concatenate([jnp.zeros(always), weights])


def guess_loss(
    p: Parameters, batch: Batch, guesses: Guesses, candidates: tuple[Array, Array], options: NetworkOptions,
    dropout: Dropout, key: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Return the sum of the losses of all guesses, and their number."""
    first, second = jax.random.split(key)
    x = word_inputs(p, batch, None, dropout, first)
    for x, second in run_layers(p, x, batch, options, dropout, second):  # noqa: B007, B020
        pass
    states = drop_out(dropout.units, x.reshape(-1, x.shape[-1])[guesses.places], second)
    hidden = jax.nn.gelu(multiply(states, p["guess.hidden"]) + p["guess.hidden.bias"])
    right = (hidden * p["guess.word"][guesses.words]).sum(-1) + p["guess.bias"][guesses.words]
    others, weights = candidates
    scores = multiply_by_rows(hidden, p["guess.word"][others]) + p["guess.bias"][others] + weights
    scores = jnp.where(others == guesses.words[:, None], LOW, scores)  # the right one is there already
    total = jnp.logaddexp(right, jax.nn.logsumexp(scores, axis=-1))
    counted = guesses.words > 0
    return jnp.where(counted, total - right, 0).sum(), counted.sum()


class WordGuesser:
    """An encoder while it learns from a text, `passes` times or for some minutes. Sizes are those of `options`, with
    the words of a batch, dropout and rate; `words` are the fingerprints of the vocabulary, the most frequent first."""

    def __init__(
        self, options: NetworkOptions, text: RawText, words: Sequence[int], *, passes: int | None = 1,
        minutes: float | None = None, seed: int = 1, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        assert (passes is None) != (minutes is None)
        usual = BATCH[has_accelerator()]
        self.options = replace(options, batch=max(LONGEST, options.batch or usual))
        self.text, self.words, self.passes, self.minutes, self.seed = text, words, passes, minutes, seed
        self.vocabulary = Vocabulary(words, (), (), options.subwords)
        self.parameters = initial_guesser(self.options, len(words), seed)
        self.moments = make_moments(self.parameters)
        self.updates = self.seen = self.position = self.measured = 0  # position: in the order of this pass
        self.number = 1  # of the pass
        self.seconds = 0.0  # before this call
        self._clock, self._numbers = clock, dict[str, NDArray[np.int32]]()
        self._lanes = self.options.batch // LONGEST  # type: ignore[operator]
        self._learn, self._measure = _compile(self.options, trains_in_16_bits())

    def run(self) -> Iterator[PretrainingProgress]:
        """Learn, and yield after each batch; after some, and at the end, with the held-out loss."""
        begin = self._clock() - self.seconds
        recent = 0.0
        share = self._share()
        while share < 1:
            batches = self._batches()
            now = next(batches, None)
            while now is not None:
                self.position, words, batch, guesses = now
                loss = self._update(batch, guesses, share)
                now = next(batches, None)  # laid out while JAX is at work
                recent = float(loss) if not recent else 0.95 * recent + 0.05 * float(loss)
                self.seen += words
                self.seconds = self._clock() - begin
                share = self._share()
                held_out = None
                if share * MEASURED >= self.measured + 1:
                    self.measured = int(share * MEASURED)
                    held_out = self.held_out_loss()
                yield PretrainingProgress(min(1.0, share), self.number, self.seen, recent, held_out)
                if share >= 1:
                    return
            self.number, self.position = self.number + 1, 0
            share = self._share()

    def _share(self) -> float:
        """Return how much of all is done."""
        if self.minutes is not None:
            return self.seconds / (60 * self.minutes)
        assert self.passes is not None
        usable = len(self.text) - len(self.text.list_held_back())
        return (self.number - 1 + self.position / max(1, usable)) / self.passes

    def _update(self, batch: Batch, guesses: Guesses, share: float) -> Array:
        """Learn from a batch; all that is random follows from the seed and the number of updates before."""
        generator = np.random.default_rng([self.seed, 3, self.updates])
        key = jax.random.key(int(generator.integers(1 << 31)), impl="rbg")
        offset = int(generator.integers(STRIDE))
        warmup = min(WARMUP, 0.1 * self.updates / share) if share else WARMUP
        rising = min(1.0, (self.updates + 1) / max(1.0, warmup))
        rate = self.options.rate * rising * (0.5 * (1 + math.cos(math.pi * share)) + 0.02)
        after, self.moments, loss = self._learn(
            self.parameters, self.moments, batch, guesses, offset, self.updates + 1, rate, key
        )
        self.parameters, self.updates = after, self.updates + 1
        return loss

    def _batches(self) -> Iterator[tuple[int, int, Batch, Guesses]]:
        """Yield the batches of this pass from its position on, each after the position that follows it, and its number
        of words."""
        order = pick_order(len(self.text), self.text.spacing, self.seed, self.number)
        for places, lanes, sentences in self._fill_lanes(islice(enumerate(order), self.position, None)):
            end = places[-1] + 1
            yield end, *self._lay_out(sentences, lanes, [self.seed, 2, self.number, end])

    def _fill_lanes(self, numbers: Iterable[tuple[int, int]]) -> Iterator[tuple[list[int], Lanes, list[list[str]]]]:
        """Yield the sentences with these numbers, as many as lanes have room for, each after its place."""
        lanes, places, sentences = Lanes(LONGEST, self._lanes), list[int](), list[list[str]]()
        for place, number in numbers:
            words = self.text[number]
            if not lanes.add(len(words)):
                yield places, lanes, sentences
                lanes, places, sentences = Lanes(LONGEST, self._lanes), [], []
                lanes.add(len(words))
            places.append(place)
            sentences.append(words)
        if sentences:
            yield places, lanes, sentences

    def _lay_out(self, sentences: list[list[str]], lanes: Lanes, seed: list[int]) -> tuple[int, Batch, Guesses]:
        """Return the number of words, the batch with some words hidden, and what is to be guessed."""
        form = np.zeros((LONGEST, self._lanes), np.int32)  # 0: a hidden word, and padding
        first, last = np.ones((2, LONGEST, self._lanes), np.float32)
        forms: dict[str, int] = {}  # in the order of the batch: sums, and so their last bits, depend on it
        for words, (begin, lane) in zip(sentences, lanes.places, strict=True):
            end = begin + len(words)
            form[begin:end, lane] = [forms.setdefault(word, len(forms) + 1) for word in words]
            first[begin + 1 : end, lane] = 0
            last[begin : end - 1, lane] = 0
        rows = np.zeros((len(forms) + 1, 2 + SUBWORDS), np.int32)
        rows[1:] = self._number_forms(forms)
        flat = form.reshape(-1)
        known = rows[flat, 0]
        places, hidden = choose_guesses(known, np.random.default_rng(seed))
        guesses = Guesses(*np.zeros((2, math.ceil(GUESSED * form.size)), np.int32))
        guesses.places[: len(places)], guesses.words[: len(places)] = places, known[places]
        flat[places[hidden]] = 0
        rows = pad_rows(rows, form.size // 2, form.size + 1)
        none = np.zeros((1, 1), np.int32)
        batch = Batch(rows, np.ones(len(rows), np.int32), none, form, np.zeros_like(form), first, last, none)
        return sum(map(len, sentences)), batch, guesses

    def _number_forms(self, forms: Iterable[str]) -> NDArray[np.int32]:
        """Return the numbers of forms, which are kept; when there are too many, it begins anew."""
        if len(self._numbers) > CACHED:
            self._numbers = {}
        for form in forms:
            if form not in self._numbers:
                self._numbers[form] = np.array(self.vocabulary.of_form(form), np.int32)
        return np.stack([self._numbers[form] for form in forms])

    def held_out_loss(self) -> float:
        """Return the mean loss of a guess in the sentences that are held back, compared with all words."""
        everything = np.arange(1, len(self.words) + 1), np.zeros(len(self.words), np.float32)
        total = guessed = 0.0
        key = jax.random.key(0, impl="rbg")
        for places, lanes, sentences in self._fill_lanes((number, number) for number in self.text.list_held_back()):
            _, batch, guesses = self._lay_out(sentences, lanes, [self.seed, 4, places[0]])
            loss, count = self._measure(self.parameters, batch, guesses, everything, key=key)
            total, guessed = total + float(loss), guessed + float(count)
        return total / max(1.0, guessed)

    def encoder(self, about: Mapping[str, Any] | None = None) -> PretrainedEncoder:
        """Return what was learned so far."""
        sizes = {name: getattr(self.options, name) for name in SIZES}
        shapes = encoder_shapes(self.options, len(self.words))
        weights = {name: np.array(self.parameters[name], np.float32) for name in shapes}
        return PretrainedEncoder(sizes, np.array(self.words, np.uint32), weights, dict(about or {}))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that training continues from."""
        first, second = self.moments
        arrays = pack_state(weights=self.parameters, first=first, second=second)
        counts = [self.updates, self.number, self.position, self.measured, self.seen // 1000, self.seen % 1000]
        return arrays | {
            "progress": np.array(counts, np.int32),
            "seconds": np.array([self.seconds], np.float32),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a state; a ValueError if it is that of another training."""
        weights, first, second = unpack_state(state, ("weights", "first", "second"), self.parameters, "encoder")
        progress, seconds = state.get("progress"), state.get("seconds")
        if progress is None or seconds is None or progress.size != 6 or seconds.size != 1 or (progress < 0).any():
            raise ValueError("expected how far pretraining is")
        self.parameters, self.moments = weights, (first, second)
        self.updates, self.number, self.position, self.measured, thousands, rest = map(int, progress)
        self.seen, self.seconds = 1000 * thousands + rest, float(seconds[0])


@lru_cache(maxsize=8)
def _compile(options: NetworkOptions, in_16_bits: bool) -> tuple[Any, Any]:
    """Return what learns from a batch and what measures the loss, compiled once for all pretrainings of a process that
    have the same options; how many bits there are is asked while it is compiled."""
    dropout, none = (Dropout(units, rare=0.0, words=0.0) for units in (options.dropout, 0.0))
    return (
        jax.jit(partial(_learn, options=options, dropout=dropout), donate_argnums=1),
        jax.jit(partial(guess_loss, options=options, dropout=none)),
    )


def _learn(
    parameters: Parameters, moments: Any, batch: Batch, guesses: Guesses, offset: Array, number: Array, rate: Array,
    key: Array, *, options: NetworkOptions, dropout: Dropout,
) -> Any:  # fmt: skip
    """Return weights, moments and the mean loss of a guess after an update."""
    candidates = pick_candidates(parameters["guess.word"].shape[0] - 1, offset)

    def mean_loss(p: Parameters) -> Array:
        total, count = guess_loss(p, batch, guesses, candidates, options, dropout, key)
        return total / jnp.maximum(count, 1)

    loss, gradient = jax.value_and_grad(mean_loss)(parameters)
    after, moments = update_by_adam(parameters, moments, gradient, number, rate, clip=CLIP, betas=BETAS, decay=DECAY)
    return after, moments, loss
