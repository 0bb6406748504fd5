"""The network for training against plain numpy, and its gradient against differences, in double precision."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray
from reference import network as reference

from dodona.errors import DodonaError
from dodona.neural.encoder import trains_in_16_bits
from dodona.neural.network import (
    Batch,
    DataSizes,
    Dropout,
    Steps,
    drop_out,
    encode,
    initial_weights,
    multiply,
    multiply_by_rows,
    step_loss,
    tag_loss,
    word_inputs,
)
from dodona.neural.options import NetworkOptions

SIZES = DataSizes(
    words=6, tags=5, labels=3, actions=4, positions=3, label_positions=2, tag_kinds=(3, 4), vector=2
)  # fmt: skip
OPTIONS = NetworkOptions(layers=2, width=3, units=6, inputs=5, embedding=3, tag_embedding=2, subwords=7)
TIME, LANES = 6, 2
SENTENCES = [(0, 0, 3), (3, 0, 2), (0, 1, 5)]  # time, lane, length
NODES = TIME * LANES + 2
KEY = 7

Arrays = dict[str, NDArray[np.float64]]


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def parameters(sizes: DataSizes = SIZES, seed: int = 1) -> Arrays:
    """Random ones, in which no bias is 0."""
    chance = np.random.default_rng(seed)
    found = {name: np.asarray(values, np.float64) for name, values in initial_weights(OPTIONS, sizes, seed).items()}
    return {name: 2 * values + 0.3 * chance.normal(size=values.shape) for name, values in found.items()}


def batch() -> Batch:
    chance = np.random.default_rng(2)
    forms = chance.integers(0, 7, (8, 2 + 4))
    forms[:, 0] %= SIZES.words
    forms[:, 1] %= 4  # vectors
    forms[0, 2:] = 0  # no subwords at all
    forms[1, 4:] = 0
    tags = chance.integers(0, SIZES.tags, (5, 3))
    tags[0] = 0
    first, last = np.ones((2, TIME, LANES))
    gold = np.full((2, TIME, LANES), -1)
    for time, lane, length in SENTENCES:
        first[time + 1 : time + length, lane] = 0
        last[time : time + length - 1, lane] = 0
        for kind, count in enumerate(SIZES.tag_kinds):
            gold[kind, time : time + length, lane] = chance.integers(-1, count, length)
    form, tag = chance.integers(0, 8, (TIME, LANES)), chance.integers(0, 5, (TIME, LANES))
    form[0, 0], tag[0, 0], form[1, 0] = 0, 0, 1
    return Batch(forms, np.arange(1, 9), tags, form, tag, first, last, gold)


def steps() -> Steps:
    """Configurations with one, two and three sites, more or less correct actions in them, and padding."""
    chance = np.random.default_rng(3)
    step_of = np.array([0, 1, 2, 2, 3, 4, 4, 4, 5, 6, 6])
    verdicts = chance.integers(-1, 2, (len(step_of), SIZES.actions))
    for step in range(5):
        verdicts[int(np.flatnonzero(step_of == step)[-1]), step % SIZES.actions] = 1  # an action is correct
    verdicts[2] = [0, 0, -1, 0]  # nothing at this site is correct
    verdicts[5] = -1  # nothing at this site is legal
    verdicts[8:] = -1  # padding
    words = chance.integers(0, NODES, (len(step_of), SIZES.positions))
    words[::2, 0], words[1::2, 1] = NODES - 2, NODES - 1  # ROOT and nobody
    labels = chance.integers(0, SIZES.labels + 1, (len(step_of), SIZES.label_positions))
    return Steps(words, labels, verdicts, step_of)


STILL = Dropout(0.0, rare=0.0, words=0.0)
VECTORS = np.random.default_rng(4).normal(size=(4, 2))


def key() -> Any:
    return jax.random.key(KEY)


compiled_encode = jax.jit(encode, static_argnums=(3, 4))
compiled_loss = jax.jit(jax.value_and_grad(step_loss, argnums=(0, 1)), static_argnums=3)
HEAD = ("hidden.bias", "labels", "actions", "actions.bias")


def loss_and_gradient(p: Arrays, rows: Any, s: Steps, units: float = 0.0, number: int = KEY) -> Any:
    return compiled_loss({name: p[name] for name in HEAD}, rows, s, units, jax.random.key(number))


def random_rows() -> NDArray[np.float64]:
    return np.random.default_rng(5).normal(size=(NODES, SIZES.positions * OPTIONS.units))


@cache
def loss_of(with_vectors: bool) -> Callable[[Any], Any]:
    vectors = VECTORS if with_vectors else None

    def loss(p: Any) -> Any:
        rows, tags, _ = encode(p, batch(), vectors, OPTIONS, STILL, key())
        return step_loss(p, rows, jax.tree.map(jnp.asarray, steps()), 0.0, key()) + 0.7 * tags

    return loss


def test_encode_against_numpy() -> None:
    """Also with the tag heads on another layer."""
    p, b = parameters(), batch()
    for vectors, options in ((VECTORS, OPTIONS), (None, replace(OPTIONS, tag_layer=1))):
        rows, tags, heads = compiled_encode(p, b, vectors, options, STILL, key())
        rows = np.asarray(rows)
        assert rows.shape == (NODES, SIZES.positions * OPTIONS.units)
        seen, gold = [], []
        for time, lane, length in SENTENCES:
            here = range(time, time + length)
            x = [reference.word_input(p, b.forms[b.form[t, lane]], b.tags[b.tag[t, lane]], vectors) for t in here]
            encoded = reference.layers(p, np.array(x), OPTIONS.width, OPTIONS.layers)
            for t, word, early in zip(here, encoded[-1], encoded[options.tag_layer], strict=True):
                np.testing.assert_allclose(rows[t * LANES + lane], reference.contributions(p, word), atol=1e-12)
                seen.append(early)
                gold.append(b.gold[:, t, lane])
                for kind, scores in enumerate(heads):
                    wanted = early @ p[f"head{kind}"] + p[f"head{kind}.bias"]
                    np.testing.assert_allclose(scores[t, lane], wanted, atol=1e-12)
        np.testing.assert_allclose(rows[-2:], reference.ends(p), atol=1e-12)
        assert float(tags) == pytest.approx(reference.tag_losses(p, seen, list(zip(*gold, strict=True))), abs=1e-12)


def test_tags_that_nobody_knows_have_no_loss() -> None:
    heads = [np.ones((TIME, LANES, 3))]
    assert float(tag_loss(heads, np.full((1, TIME, LANES), -1))) == 0


def test_step_loss_against_numpy() -> None:
    p, s, rows = parameters(), steps(), random_rows()
    found = float(loss_and_gradient(p, rows, s)[0])
    assert found == pytest.approx(reference.step_loss(p, rows, s), abs=1e-10)
    assert found > 1


def test_large_scores_do_not_overflow() -> None:
    """Also where the sites of a configuration are far apart."""
    p, s, rows = parameters(), steps(), random_rows()
    found = float(loss_and_gradient(p, 50 * rows, s)[0])
    assert found == pytest.approx(reference.step_loss(p, 50 * rows, s), rel=1e-9)
    for leaf in jax.tree.leaves(loss_and_gradient(p, 1e5 * rows, s)):
        assert np.isfinite(leaf).all()


def test_padding_changes_nothing() -> None:
    """Neither the loss nor the gradient, wherever the rows of the padding point to."""
    p, s, rows = parameters(), steps(), random_rows()
    wanted = jax.tree.leaves(loss_and_gradient(p, rows, jax.tree.map(lambda part: part[:8], s)))
    words, labels = s.words.copy(), s.labels.copy()
    words[8:], labels[8:] = 0, 0
    one_step = np.array([0, 1, 2, 2, 3, 4, 4, 4, 5, 5, 5])
    for padded in (s, replace(s, words=words, labels=labels), replace(s, step_of=one_step)):
        for found, leaf in zip(jax.tree.leaves(loss_and_gradient(p, rows, padded)), wanted, strict=True):
            np.testing.assert_allclose(found, leaf, atol=1e-12)
    nothing = replace(s, verdicts=np.full_like(s.verdicts, -1))
    assert not any(np.asarray(leaf).any() for leaf in jax.tree.leaves(loss_and_gradient(p, rows, nothing)))


@pytest.mark.parametrize("with_vectors", [True, False])
def test_gradient_against_differences(with_vectors: bool) -> None:
    """For each array of the network in a random direction."""
    p = parameters(SIZES if with_vectors else replace(SIZES, vector=0), seed=3)
    derived = jax.jit(jax.value_and_grad(loss_of(with_vectors)))
    _, gradient = derived(p)
    chance = np.random.default_rng(6)
    assert ("input.vector" in p) == with_vectors
    for name, values in p.items():
        direction = chance.normal(size=values.shape)
        near = [float(derived(p | {name: values + step * direction})[0]) for step in (1e-6, -1e-6)]
        found = float((gradient[name] * direction).sum())
        assert abs(found) > 1e-5, name
        assert found == pytest.approx((near[0] - near[1]) / 2e-6, rel=1e-5, abs=1e-7), name


def test_initial_weights_have_the_sizes_that_are_wanted() -> None:
    found = initial_weights(OPTIONS, SIZES, 1)
    assert {name: values.shape for name, values in found.items()} == {
        "word": (6, 3), "subword": (7, 3), "tag": (5, 2),
        "input.word": (3, 5), "input.subword": (3, 5), "input.tag": (2, 5), "input.vector": (2, 5), "input.bias": (5,),
        "root": (6,), "nobody": (6,), "positions": (6, 18), "labels": (2, 4, 6), "hidden.bias": (6,),
        "actions": (6, 4), "actions.bias": (4,),
        **{f"layer{layer}.{way}.{part}": shape for layer, depth in ((0, 5), (1, 6)) for way in ("forward", "backward")
           for part, shape in (("input", (depth, 12)), ("recurrent", (3, 12)), ("bias", (12,)))},
        "head0": (6, 3), "head0.bias": (3,), "head1": (6, 4), "head1.bias": (4,),
    }  # fmt: skip
    again, other = initial_weights(OPTIONS, SIZES, 1), initial_weights(OPTIONS, SIZES, 2)
    for name, values in found.items():
        np.testing.assert_array_equal(values, again[name])
        assert name.endswith((".bias", "bias")) or (values != other[name]).any()
    assert (found["root"] != found["nobody"]).any()


def test_dropping_out() -> None:
    """What is left is scaled up, so that the mean stays."""
    x = jnp.ones((100, 100)) * 3
    found = np.asarray(drop_out(0.25, x, key()))
    assert sorted(set(found.ravel().tolist())) == [0, 4]
    assert found.mean() == pytest.approx(3, abs=0.1)
    assert drop_out(0.0, x, key()) is x


@pytest.mark.parametrize("rate", [0.1, 0.4, 0.95])
def test_each_unit_is_dropped_by_itself(rate: float) -> None:
    """As often as was asked for, to 1/256, at every place; also where the number of units is no multiple of four."""
    found = np.asarray(drop_out(rate, jnp.ones((4001, 3)), key())) == 0
    np.testing.assert_allclose(found.mean(axis=0), rate, atol=0.03)
    together = np.corrcoef(found.T)
    np.testing.assert_allclose(together - np.eye(3), 0, atol=0.08)


@pytest.mark.parametrize("bits", [16, 32])
def test_products_and_their_gradients(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In 16 bits, a factor is off by one part in 256 at most, and sums are exact."""
    monkeypatch.setenv("DODONA_PRECISION", str(bits))
    chance = np.random.default_rng(1)
    x, weights, d = (chance.normal(size=shape) for shape in ((5, 4, 30), (30, 7), (5, 4, 7)))
    product, backward = jax.vjp(multiply, *(jnp.asarray(each, jnp.float32) for each in (x, weights)))
    found = [product, *backward(jnp.asarray(d, jnp.float32))]
    rows, d_rows = x.reshape(-1, 30), d.reshape(-1, 7)
    for one, (a, b) in zip(found, ((rows, weights), (d_rows, weights.T), (rows.T, d_rows)), strict=True):
        assert one.dtype == jnp.float32
        off = np.abs(np.asarray(one, np.float64).reshape(len(a), -1) - a @ b)
        bound = np.abs(a) @ np.abs(b)
        assert (off <= bound * (2 / 256 if bits == 16 else 1e-6)).all()
        assert bits == 32 or (off > bound * 1e-5).any()


@pytest.mark.parametrize("bits", [16, 32])
def test_products_with_chosen_rows(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the words of a sample are scored: compiled, with rows that are picked from a table."""
    monkeypatch.setenv("DODONA_PRECISION", str(bits))
    chance = np.random.default_rng(1)
    x, table, d = (chance.normal(size=shape).astype(np.float32) for shape in ((12, 8), (40, 8), (12, 20)))
    chosen = np.arange(1, 40, 2)

    def product(x: Any, table: Any) -> Any:
        return multiply_by_rows(x, table[chosen])

    found, d_x, d_table = jax.jit(lambda *both: (product(*both), *jax.vjp(product, *both)[1](d)))(x, table)
    rows = table[chosen]
    wanted_table = np.zeros_like(table)
    wanted_table[chosen] = d.T @ x
    for one, wanted, bound in (
        (found, x @ rows.T, np.abs(x) @ np.abs(rows).T),
        (d_x, d @ rows, np.abs(d) @ np.abs(rows)),
        (d_table[chosen], d.T @ x, np.abs(d).T @ np.abs(x)),
    ):
        assert (np.abs(np.asarray(one) - wanted) <= bound * (2 / 256 if bits == 16 else 1e-6)).all()
    assert not np.asarray(d_table)[::2].any()


def test_gradients_of_the_network_in_16_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """They point nearly where those in 32 bits do, for every weight."""
    p, b = parameters(), batch()

    def loss(p: Any) -> Any:
        rows, tags, _ = encode(p, b, VECTORS, OPTIONS, STILL, key())
        return (rows**2).sum() + tags

    def gradients(bits: str) -> dict[str, NDArray[Any]]:
        monkeypatch.setenv("DODONA_PRECISION", bits)
        with jax.enable_x64(False):
            found = jax.grad(loss)({name: jnp.asarray(values) for name, values in p.items()})
            return {name: np.asarray(values, np.float64) for name, values in found.items()}

    wide, narrow = gradients("32"), gradients("16")
    assert any((wide[name] != narrow[name]).any() for name in wide)
    for name, values in wide.items():
        if length := np.linalg.norm(values):
            assert np.linalg.norm(values - narrow[name]) < 0.05 * length, name


@pytest.mark.parametrize(("said", "narrow"), [("16", True), ("32", False)])
def test_the_bits_of_training_can_be_chosen(said: str, narrow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_PRECISION", said)
    assert trains_in_16_bits() is narrow


def test_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_PRECISION", "8")
    with pytest.raises(DodonaError, match="DODONA_PRECISION=8: expected 16 or 32 bits"):
        trains_in_16_bits()
    for nothing_said in ("", None):
        monkeypatch.delenv("DODONA_PRECISION")
        if nothing_said is not None:
            monkeypatch.setenv("DODONA_PRECISION", nothing_said)
        assert trains_in_16_bits() is _processor_has_bfloat16()


def _processor_has_bfloat16() -> bool:
    file = Path("/proc/cpuinfo")
    return file.exists() and "avx512_bf16" in file.read_text()


def test_rare_words_are_dropped_more_often() -> None:
    """A word that is dropped has the embedding of number 0. Nothing else is dropped where units are not."""
    count = 4000
    p = parameters()
    p["word"] = np.repeat(np.arange(6.0)[:, None], 3, axis=1)
    for name in ("subword", "tag", "input.bias"):
        p[name] = np.zeros_like(p[name])
    p["input.word"] = np.eye(3, 5)
    forms = np.zeros((3, 6), int)
    forms[:, 0] = [1, 2, 3]
    frequency = np.array([0, 1, 1000])
    form = np.tile(np.arange(3), (count, 1))
    tags, tag, none = np.zeros((1, 1), int), np.zeros_like(form), np.zeros((0, count, 3))
    b = Batch(forms, frequency, tags, form, tag, np.ones(form.shape), np.ones(form.shape), none)
    found = np.asarray(word_inputs(p, b, None, Dropout(0.0, rare=0.25, words=0.05), key()))[..., 0]
    kept = (found == [1, 2, 3]).mean(axis=0)
    assert set(np.unique(found)) == {0, 2, 3}
    np.testing.assert_allclose(kept, [0, 0.75, 0.95], atol=0.03)
    known = replace(b, frequency=frequency + 1)
    assert (np.asarray(word_inputs(p, known, None, STILL, key()))[..., 0] == [1, 2, 3]).all()


def test_units_of_every_part_are_drop_out() -> None:
    """With vectors, layers, heads and hidden units: another key, another result; the same key, the same."""
    p, b = parameters(), batch()
    dropout = Dropout(0.5)

    def results(number: int, dropout: Dropout) -> list[NDArray[Any]]:
        rows, tags, heads = compiled_encode(p, b, VECTORS, OPTIONS, dropout, jax.random.key(number))
        return [np.asarray(rows), np.asarray(tags), *map(np.asarray, heads)]

    for one, same, other, none in zip(
        results(1, dropout), results(1, dropout), results(2, dropout), results(1, STILL), strict=True
    ):
        np.testing.assert_array_equal(one, same)
        assert (one != other).any()
        assert (one != none).any()
    runs = ((0.5, 1), (0.5, 2), (0.0, 1))
    losses = [float(loss_and_gradient(p, random_rows(), steps(), units, number)[0]) for units, number in runs]
    assert len(set(losses)) == 3
