"""Guessing hidden words: the loss and its gradient against plain numpy, what is hidden, and that it is learned."""

import itertools
import math
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray
from reference import guessing as reference

from dodona import Sentence
from dodona.neural import pretraining
from dodona.neural.batching import Lanes
from dodona.neural.network import Batch, Dropout
from dodona.neural.options import NetworkOptions
from dodona.neural.pretraining import (
    GUESSED,
    HIDDEN,
    Guesses,
    WordGuesser,
    choose_guesses,
    guess_loss,
    initial_guesser,
    pick_candidates,
)
from dodona.neural.raw_text import LONGEST, RawText, choose_words

TINY = NetworkOptions(layers=2, width=3, inputs=5, embedding=4, subwords=9)
SMALL = NetworkOptions(
    layers=1, width=16, inputs=16, embedding=12, subwords=40, batch=4 * LONGEST, dropout=0.05, rate=0.02
)
STILL = Dropout(0.0, rare=0.0, words=0.0)
WORDS = 30
TIME, LANES = 5, 2
SENTENCES = [(0, 0, 2), (2, 0, 3), (0, 1, 4)]  # time, lane, length
COMPANIONS = {"oak": "rustles", "dove": "coos", "priest": "asks", "spring": "flows", "leaf": "falls"}


# The loss


def batch() -> tuple[Batch, Guesses]:
    chance = np.random.default_rng(2)
    forms = chance.integers(1, 9, (7, 2 + 4))
    forms[:, 0], forms[:, 1] = chance.integers(0, WORDS + 1, 7), 0
    forms[0], forms[1, 4:] = 0, 0  # a hidden word, and one with fewer subwords
    form = chance.integers(1, 7, (TIME, LANES))
    form[1, 0] = form[3, 1] = 0
    first, last = np.ones((2, TIME, LANES))
    for begin, lane, length in SENTENCES:
        first[begin + 1 : begin + length, lane] = 0
        last[begin : begin + length - 1, lane] = 0
    none = np.zeros((1, 1), np.int32)
    guesses = Guesses(np.array([2, 7, 5, 0]), np.array([3, 25, 30, 0]))  # the last is padding
    return Batch(forms, np.ones(7), none, form, np.zeros_like(form), first, last, none), guesses


def weights() -> dict[str, NDArray[np.float64]]:
    chance = np.random.default_rng(1)
    initial = initial_guesser(TINY, WORDS, 1)
    return {name: np.asarray(v, np.float64) + 0.3 * chance.normal(size=v.shape) for name, v in initial.items()}


@pytest.fixture
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def states_of(p: Any, b: Batch) -> dict[int, NDArray[np.float64]]:
    """By their places in the batch."""
    states = {}
    for begin, lane, length in SENTENCES:
        forms = [b.forms[b.form[t, lane]] for t in range(begin, begin + length)]
        for t, state in enumerate(reference.encode(p, forms, TINY.width, TINY.layers), start=begin):
            states[t * LANES + lane] = state
    return states


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("offset", [None, 0, 2])
def test_loss_against_numpy(offset: int | None) -> None:
    """Of all words (None), and of a sample that begins at an offset: 10 words always, then one in four."""
    p, (b, guesses) = weights(), batch()
    if offset is None:
        candidates = np.arange(1, WORDS + 1), np.zeros(WORDS)
        times = dict.fromkeys(range(1, WORDS + 1), 1.0)
    else:
        candidates = pick_candidates(WORDS, offset, always=10, stride=4)
        times = dict.fromkeys(range(1, 11), 1.0) | dict.fromkeys(range(11 + offset, WORDS + 1, 4), 4.0)
    total, count = guess_loss(p, b, guesses, candidates, TINY, STILL, jax.random.key(1))
    states = states_of(p, b)
    wanted = [
        reference.guess_loss(p, states[place], word, times)
        for place, word in zip(guesses.places[:3].tolist(), guesses.words[:3].tolist(), strict=True)
    ]
    assert int(count) == 3
    assert float(total) == pytest.approx(sum(wanted), abs=1e-9)


@pytest.mark.usefixtures("double_precision")
def test_gradient_against_differences() -> None:
    b, guesses = batch()
    candidates = pick_candidates(WORDS, 1, always=10, stride=4)
    derived = jax.jit(
        jax.value_and_grad(lambda p: guess_loss(p, b, guesses, candidates, TINY, STILL, jax.random.key(1))[0])
    )
    p = weights()
    _, gradient = derived(p)
    chance = np.random.default_rng(3)
    for name, values in p.items():
        direction = chance.normal(size=values.shape)
        near = [float(derived(p | {name: values + step * direction})[0]) for step in (1e-6, -1e-6)]
        found = float((gradient[name] * direction).sum())
        assert abs(found) > 1e-6, name
        assert found == pytest.approx((near[0] - near[1]) / 2e-6, rel=1e-4, abs=1e-7), name


@pytest.mark.parametrize("bits", ["16", "32"])
def test_a_compiled_step_in_16_bits_or_32(bits: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a processor multiplies in 16 bits is compiled in another way; the loss is nearly the same."""
    monkeypatch.setenv("DODONA_PRECISION", bits)
    b, guesses = batch()
    exact = weights()
    p = {name: values.astype(np.float32) for name, values in exact.items()}
    candidates = pick_candidates(WORDS, 1, always=10, stride=4)

    def loss(p: Any) -> Any:
        return guess_loss(p, b, guesses, candidates, TINY, STILL, jax.random.key(1))[0]

    found, gradient = jax.jit(jax.value_and_grad(loss))(p)
    states = states_of(exact, b)
    times = dict.fromkeys(range(1, 11), 1.0) | dict.fromkeys(range(12, WORDS + 1, 4), 4.0)
    pairs = zip(guesses.places[:3].tolist(), guesses.words[:3].tolist(), strict=True)
    wanted = sum(float(reference.guess_loss(exact, states[place], word, times)) for place, word in pairs)
    assert float(found) == pytest.approx(wanted, rel=0.02 if bits == "16" else 1e-5)
    assert all(np.isfinite(values).all() and np.any(values) for values in gradient.values())


@pytest.mark.parametrize(("words", "always", "stride"), [(30, 10, 4), (33, 8, 8), (5, 10, 4), (11, 10, 4)])
def test_samples_are_right_on_average(words: int, always: int, stride: int) -> None:
    """Over all offsets the weights of each word add up to as much as if it were always there."""
    times = np.zeros(words + 1)
    for offset in range(stride):
        numbers, weights = map(np.asarray, pick_candidates(words, offset, always, stride))
        np.add.at(times, numbers, np.exp(weights) / stride)
    np.testing.assert_allclose(times[1:], 1, rtol=1e-6)
    assert times[0] == 0


def test_what_is_guessed_and_hidden() -> None:
    """18 % of the words of the vocabulary, of which 85 % are hidden; no others, all alike."""
    generator = np.random.default_rng(1)
    known = np.tile([0, 5, 7, 0, 1, 2, 3, 4, 9, 8], 300)
    guessed = np.zeros(len(known))
    hidden = 0
    for _ in range(100):
        places, is_hidden = choose_guesses(known, generator)
        assert len(set(places.tolist())) == len(places) == math.ceil(GUESSED * 2400)
        guessed[places] += 1
        hidden += int(is_hidden.sum())
    assert not guessed[known == 0].any()
    assert hidden / guessed.sum() == pytest.approx(HIDDEN, abs=0.01)
    by_word = guessed.reshape(300, 10).sum(0)[known[:10] > 0] / 30_000
    assert by_word == pytest.approx(GUESSED, abs=0.015)
    assert len(choose_guesses(np.zeros(9, int), generator)[0]) == 0


# Learning


def text_of(folder: Path, count: int = 300) -> RawText:
    """Sentences in which a noun tells the verb, and the verb the noun."""
    chance = random.Random(1)
    text = RawText(str(folder))
    for number in range(count):
        words = []
        for _ in range(chance.randint(1, 3)):
            noun, verb = chance.choice(list(COMPANIONS.items()))
            words += ["the", noun, verb, "and"]
        text.add(Sentence.from_words([*words, f"x{number}", "."]))
    return text


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawText]:
    with text_of(tmp_path_factory.mktemp("text")) as text:
        yield text


def guesser(text: RawText, **options: Any) -> WordGuesser:
    """All of them have the same sizes, so that they are compiled once."""
    return WordGuesser(SMALL, text, choose_words(text.counts, 100, 2), **{"passes": 3} | options)


def test_a_batch_hides_what_is_guessed(text: RawText) -> None:
    made = guesser(text)
    sentences = [text[i] for i in range(30)]
    lanes = Lanes(LONGEST, 4)
    assert all(lanes.add(len(words)) for words in sentences[:8])
    count, batch, guesses = made._lay_out(sentences[:8], lanes, [1])
    assert count == sum(map(len, sentences[:8]))
    forms = {tuple(made.vocabulary.of_form(word)): word for words in sentences[:8] for word in words}
    shown = np.asarray(batch.forms)[batch.form.reshape(-1)]
    guessed = dict(zip(guesses.places.tolist(), guesses.words.tolist(), strict=True))
    hidden = 0
    for words, (begin, lane) in zip(sentences[:8], lanes.places, strict=True):
        for t, word in enumerate(words, start=begin):
            place = t * 4 + lane
            number = made.vocabulary.of_form(word)[0]
            if not shown[place].any():
                hidden += 1
                assert guessed[place] == number > 0
            else:
                assert forms[tuple(shown[place].tolist())] == word
                assert guessed.get(place, number) in (number, 0)
            assert batch.first[t, lane] == (t == begin)
            assert batch.last[t, lane] == (t == begin + len(words) - 1)
    assert 0 < hidden <= np.count_nonzero(guesses.words)


def test_held_out_loss_falls_the_same_with_the_same_seed(text: RawText) -> None:
    """A noun and its verb tell each other: less is left to guess than the frequencies of words leave."""
    made = guesser(text, passes=10)
    before = made.held_out_loss()
    seen = list(made.run())
    after = made.held_out_loss()
    assert after < 0.5 * before
    assert [each.share for each in seen] == sorted(each.share for each in seen)
    assert seen[-1].share == 1
    assert seen[-1].number == 10
    measured = [each.held_out for each in seen if each.held_out is not None]
    assert len(measured) >= 10
    assert measured[-1] == after
    words = sum(len(text[i]) for i in range(len(text)) if i % text.spacing)
    assert seen[-1].words == 10 * words
    again, other = (guesser(text, passes=10, seed=seed) for seed in (1, 2))
    for _ in again.run():
        pass
    assert all(np.array_equal(again.parameters[name], values) for name, values in made.parameters.items())
    next(other.run())
    assert not np.array_equal(other.parameters["word"], made.parameters["word"])


def test_resumed_at_every_point(text: RawText) -> None:
    """A training that goes on from any state gives the same encoder as one that was never interrupted."""
    first = guesser(text, passes=2)
    states = [first.state() for _ in first.run()]
    assert len(states) > 10
    wanted = first.encoder().weights
    for state in states:
        second = guesser(text, passes=2)
        second.restore(state)
        for _ in second.run():
            pass
        assert second.seen == first.seen
        assert second.updates == first.updates
        for name, values in second.encoder().weights.items():
            np.testing.assert_array_equal(values, wanted[name])


def test_states_of_other_trainings(text: RawText) -> None:
    made = guesser(text)
    state = made.state()
    for name, values in (
        ("weights.word", None),
        ("first.layer0.forward.bias", state["first.layer0.forward.bias"][1:]),
        ("second.guess.word", state["second.guess.word"].astype(np.int32)),
        ("progress", state["progress"][1:]),
        ("progress", -state["progress"]),
        ("seconds", None),
    ):
        other = {key: value for key, value in (state | {name: values}).items() if value is not None}
        with pytest.raises(ValueError, match=r"expected|another"):
            made.restore(other)


def test_so_many_minutes(text: RawText) -> None:
    """As long as the clock says, whatever the number of passes."""
    ticks = iter(range(10_000))
    made = guesser(text, passes=None, minutes=1.0, clock=lambda: float(next(ticks)))
    seen = list(made.run())
    assert len(seen) == 60
    assert seen[-1].share == 1
    assert seen[-1].number > 1
    assert [each.share for each in seen[:3]] == pytest.approx([1 / 60, 2 / 60, 3 / 60])


def test_minutes_go_on_where_they_were(text: RawText) -> None:
    """The time of both parts counts, and not that between them."""
    first, second = (
        guesser(text, passes=None, minutes=0.1, clock=partial(next, itertools.count(float(begin))))
        for begin in (0, 1000)
    )
    states = [first.state() for _ in first.run()]
    second.restore(states[3])
    seen = list(second.run())
    assert len(states) == 6
    assert len(seen) == 2
    assert seen[0].share == pytest.approx(5 / 6)


def test_forgotten_forms_change_nothing(text: RawText, monkeypatch: pytest.MonkeyPatch) -> None:
    made = guesser(text, passes=1)
    for _ in made.run():
        pass
    monkeypatch.setattr(pretraining, "CACHED", 20)
    again = guesser(text, passes=1)
    for _ in again.run():
        pass
    np.testing.assert_array_equal(again.parameters["word"], made.parameters["word"])
