"""A bidirectional LSTM layer in JAX, with its gradient written out.

Sentences lie one after the other in lanes of equal length, so that batches of all kinds have the same shape and are
compiled once. Where a sentence begins, the state is set to zero.

The gradient that JAX would derive adds up the weights' gradient step by step. Here the backward pass only goes through
the states, and the weights' gradient is one product over all steps at the end.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

__all__ = ["bidirectional"]

Array = Any
Weights = tuple[Array, Array, Array]
Saved = tuple[Array, Array, Array, Array, Array]


def bidirectional(x: Array, first: Array, last: Array, weights: tuple[Weights, Weights]) -> Array:
    """Encode x [time, lanes, inputs]; the result is [time, lanes, 2 × width], forward first.

    `first` and `last` [time, lanes] are 1 where a sentence begins and where it ends, else 0. `weights` are (input,
    recurrent, bias) of each direction; gates are in the order input, forget, candidate, output.
    """
    outputs = []
    for reverse, edge, (inputs, recurrent, bias) in zip((False, True), (first, last), weights, strict=True):
        outputs.append(states(x @ inputs + bias, (1 - edge)[..., None], recurrent, reverse))
    return jnp.concatenate(outputs, axis=-1)


@partial(jax.custom_vjp, nondiff_argnums=(3,))
def states(z: Array, keep: Array, recurrent: Array, reverse: bool) -> Array:
    """Return the states h [time, lanes, width] of an LSTM with inputs z [time, lanes, 4 × width].

    `keep` [time, lanes, 1] is 0 where the state of the step before is forgotten; `reverse`: from the last step to the
    first.
    """
    return _forward(z, keep, recurrent, reverse)[0]


def _forward(z: Array, keep: Array, recurrent: Array, reverse: bool) -> tuple[Array, Saved]:
    def step(carry: tuple[Array, Array], now: tuple[Array, Array]) -> Any:
        inputs, kept = now
        h, c = carry[0] * kept, carry[1] * kept
        i, f, g, o = jnp.split(inputs + h @ recurrent, 4, axis=-1)
        i, f, g, o = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(g), jax.nn.sigmoid(o)
        after = f * c + i * g
        return (o * jnp.tanh(after), after), (o * jnp.tanh(after), c, h, jnp.concatenate([i, f, g, o], axis=-1))

    zero = jnp.zeros((z.shape[1], recurrent.shape[0]), z.dtype)
    _, (hs, before, h_before, gates) = jax.lax.scan(step, (zero, zero), (z, keep), reverse=reverse)
    return hs, (before, h_before, gates, keep, recurrent)


def _backward(reverse: bool, saved: Saved, dhs: Array) -> tuple[Array, None, Array]:
    before, h_before, gates, keep, recurrent = saved
    zero = jnp.zeros_like(before[0])

    def step(carry: tuple[Array, Array], now: tuple[Array, Array, Array, Array]) -> Any:
        above, c, gate, kept = now
        i, f, g, o = jnp.split(gate, 4, axis=-1)
        t = jnp.tanh(f * c + i * g)
        dh = carry[0] + above
        dc = carry[1] + dh * o * (1 - t * t)
        dz = jnp.concatenate(
            [dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)], axis=-1
        )
        return (dz @ recurrent.T * kept, dc * f * kept), dz

    _, dzs = jax.lax.scan(step, (zero, zero), (dhs, before, gates, keep), reverse=not reverse)
    width = before.shape[-1]
    return dzs, None, h_before.reshape(-1, width).T @ dzs.reshape(-1, 4 * width)


states.defvjp(_forward, _backward)
