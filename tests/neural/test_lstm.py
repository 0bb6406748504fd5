"""The LSTM layer and its gradient: against a loop over the words of each sentence, and JAX's own gradient of that."""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray
from reference import lstm as reference
from reference.float_encoder import random_weights, run

from dodona.neural.network import run_both_ways, run_lstm

TIME, LANES, WIDTH = 6, 3, 4
SENTENCES = [(0, 0, 3), (3, 0, 1), (4, 0, 2), (1, 1, 1), (2, 1, 3)]  # time, lane, length

Floats = NDArray[np.float64]


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def edges(sentences: list[tuple[int, int, int]]) -> tuple[Floats, Floats]:
    """1 where a sentence begins, and where it ends; also where there is none."""
    first, last = np.ones((2, TIME, LANES))
    for time, lane, length in sentences:
        first[time + 1 : time + length, lane] = 0
        last[time : time + length - 1, lane] = 0
    return first, last


def in_sentences() -> Floats:
    inside = np.zeros((TIME, LANES, 1))
    for time, lane, length in SENTENCES:
        inside[time : time + length, lane] = 1
    return inside


def random_numbers(seed: int) -> tuple[Floats, Floats, Floats]:
    """Inputs, recurrent weights, and what the loss says about each state: nothing where there is no sentence."""
    chance = np.random.default_rng(seed)
    z = 1.5 * chance.normal(size=(TIME, LANES, 4 * WIDTH))
    recurrent = chance.normal(size=(WIDTH, 4 * WIDTH))
    return z, recurrent, chance.normal(size=(TIME, LANES, WIDTH)) * in_sentences()


@pytest.mark.parametrize("reverse", [False, True])
def test_states_and_gradient(reverse: bool) -> None:
    z, recurrent, said = random_numbers(1)
    keep = (1 - edges(SENTENCES)[reverse])[..., None]

    def ours(z: Any, recurrent: Any) -> Any:
        found = run_lstm(z, keep, recurrent, reverse) * in_sentences()
        return (found * said).sum(), found

    def naive(z: Any, recurrent: Any) -> Any:
        found = reference.lanes(z, SENTENCES, recurrent, reverse)
        return (found * said).sum(), found

    (gradients, found), (wanted_gradients, wanted) = (
        jax.jit(jax.grad(loss, (0, 1), has_aux=True))(z, recurrent) for loss in (ours, naive)
    )
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    for one, other in zip(gradients, wanted_gradients, strict=True):
        assert np.abs(other).max() > 0.1
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_both_directions_against_numpy() -> None:
    """Input weights and bias too; forward comes first."""
    inputs = 3
    weights = random_weights(1, inputs, WIDTH, 1)
    chance = np.random.default_rng(2)
    x = chance.normal(size=(TIME, LANES, inputs))
    forward, backward = (
        (weights[f"layer0.{way}.input"], weights[f"layer0.{way}.recurrent"], weights[f"layer0.{way}.bias"])
        for way in ("forward", "backward")
    )
    found = np.asarray(run_both_ways(x, *edges(SENTENCES), (forward, backward)))
    assert found.shape == (TIME, LANES, 2 * WIDTH)
    for time, lane, length in SENTENCES:
        sentence = x[time : time + length, lane]
        wanted = np.hstack(
            [
                run(sentence, weights, "layer0.forward", WIDTH),
                run(sentence[::-1], weights, "layer0.backward", WIDTH)[::-1],
            ]
        )
        np.testing.assert_allclose(found[time : time + length, lane], wanted, atol=1e-12)


def test_a_sentence_does_not_feel_its_neighbours() -> None:
    """Neither do its states depend on where it lies, nor on what lies around it; nor does its gradient."""
    length = 3
    sentence = np.random.default_rng(3).normal(size=(length, 4 * WIDTH))
    _, recurrent, said = random_numbers(4)
    seen: list[list[Floats]] = [[], []]

    def loss(z: Any, keep: Any, recurrent: Any, weights: Any, reverse: bool) -> Any:
        found = run_lstm(z, keep, recurrent, reverse)
        return (found * weights).sum(), found

    derived = jax.jit(jax.grad(loss, has_aux=True), static_argnums=4)
    for seed, (time, lane) in enumerate([(0, 0), (2, 1), (3, 2), (3, 0)], start=5):
        around = [(0, lane, time), (time + length, lane, TIME - time - length)]
        sentences = [(time, lane, length), *(place for place in around if place[2] > 0)]
        z = random_numbers(seed)[0]
        z[time : time + length, lane] = sentence
        weights = np.zeros((TIME, LANES, WIDTH))
        weights[time : time + length, lane] = said[:length, 0]
        for reverse in (False, True):
            keep = (1 - edges(sentences)[reverse])[..., None]
            gradient, found = derived(z, keep, recurrent, weights, reverse)
            here = (slice(time, time + length), lane)
            outside = np.array(gradient)
            outside[here] = 0
            assert not outside.any()
            seen[reverse].append(np.concatenate([found[here], gradient[here]], axis=1))
    for copies in seen:
        for other in copies[1:]:
            np.testing.assert_allclose(other, copies[0], atol=1e-12)
    assert np.abs(seen[0][0] - seen[1][0]).max() > 0.1
