"""An LSTM over one sentence, word by word, in JAX: so that JAX itself can derive its gradient."""

from typing import Any

import jax.numpy as jnp

Array = Any


def sigmoid(x: Array) -> Array:
    return 1 / (1 + jnp.exp(-x))


def states(z: Array, recurrent: Array, reverse: bool) -> Array:
    """The states h [words, width] for inputs z [words, 4 × width], gates in the order input, forget, candidate, output.

    `reverse`: from the last word to the first.
    """
    width = recurrent.shape[0]
    h = c = jnp.zeros(width)
    found: list[Array] = [None] * len(z)
    order = range(len(z))
    for word in reversed(order) if reverse else order:
        gates = z[word] + h @ recurrent
        i, f = sigmoid(gates[:width]), sigmoid(gates[width : 2 * width])
        g, o = jnp.tanh(gates[2 * width : 3 * width]), sigmoid(gates[3 * width :])
        c = f * c + i * g
        h = o * jnp.tanh(c)
        found[word] = h
    return jnp.stack(found)


def lanes(z: Array, sentences: list[tuple[int, int, int]], recurrent: Array, reverse: bool) -> Array:
    """The same for sentences (time, lane, length) in z [time, lanes, 4 × width]; 0 outside of them."""
    found = jnp.zeros((*z.shape[:2], recurrent.shape[0]))
    for time, lane, length in sentences:
        here = slice(time, time + length)
        found = found.at[here, lane].set(states(z[here, lane], recurrent, reverse))
    return found
