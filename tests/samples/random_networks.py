"""Networks with random weights, made without JAX: nothing is trained, and nothing has to be compiled."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from samples.treebank import NOUNS, VERBS, treebank

from dodona.neural.options import NetworkOptions
from dodona.neural.positions import Positions
from dodona.neural.vocabulary import fingerprint
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.tagger.tagger import TagChoice

__all__ = ["LABELS", "random_network"]

LABELS = ["nsubj", "obj", "det", "amod", "advmod", "punct", "root", "advmod↑nsubj"]
TINY = NetworkOptions(
    layers=2, width=3, units=7, inputs=5, embedding=4, tag_embedding=2, subwords=11, tag_layer=1, batch=64
)
DIMENSIONS = 3  # of word vectors


def random_network(
    system: str = "arc-hybrid", positions: str | None = None, retags: bool = True, seed: int = 1, **more: Any
) -> Parser:
    """A parser whose trees are valid, and nothing more. `positions` is a text, not a name; `more` are its options."""
    options = ParserOptions(system=system, scorer="neural", network=TINY, **more)
    tags = sorted({(tag, xpos, "_") for s in treebank(8) for tag, xpos in zip(s.upos, s.xpos, strict=True)})
    parts = sorted({f"u{tag}" for tag, _, _ in tags} | {f"x{xpos}" for _, xpos, _ in tags})
    text = positions if positions is not None else Positions.load(str(options.positions)).text
    description: dict[str, Any] = {
        "options": asdict(options),
        "labels": LABELS,
        "temperature": 1.0,
        "positions": text,
        "tag_parts": parts,
        "tags": [list(tag) for tag in tags],
        "retags": retags,
    }
    built = options.build_system(LABELS)
    sizes = len(parts), sum(TagChoice(tags).sizes), len(built.label_names), built.core.actions
    return Parser.from_parts(description, _arrays(Positions.parse(text), *sizes, seed), "a random network")


def _arrays(positions: Positions, parts: int, tags: int, labels: int, actions: int, seed: int) -> dict[str, Any]:
    chance = np.random.default_rng(seed)
    found: dict[str, NDArray[Any]] = {
        "words": np.array([fingerprint(word) for word in NOUNS], np.uint32),
        "vectors": np.array([fingerprint(word) for word in VERBS], np.uint32),
        "input.scale": np.array([0.02], np.float32),
    }

    def floats(name: str, *shape: int) -> None:
        found[name] = chance.normal(0, 0.5, int(np.prod(shape))).astype(np.float32)

    def rows(name: str, count: int, width: int, scales: str = "") -> None:
        """Rows in 8 bits, with a scale for each."""
        found[name] = chance.integers(-127, 128, count * width).astype(np.int8)
        found[scales or f"{name}.scales"] = np.full(count, 0.01, np.float32)

    width, units, inputs = TINY.width, TINY.units, TINY.inputs
    tables = {"word": TINY.embedding, "subword": TINY.embedding, "vector": DIMENSIONS, "tag": TINY.tag_embedding}
    counts = {"word": len(NOUNS) + 1, "subword": TINY.subwords, "vector": len(VERBS) + 1, "tag": parts + 1}
    for name, size in tables.items():
        rows(name, counts[name], size)
        rows(f"input.{name}", size, inputs)
    floats("input.bias", inputs)
    for layer in range(TINY.layers):
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            rows(f"{name}.input", 4 * width, inputs if layer == 0 else 2 * width, f"{name}.input_scales")
            rows(f"{name}.recurrent", 4 * width, width, f"{name}.recurrent_scales")
            floats(f"{name}.bias", 4 * width)
    found["ends"] = chance.integers(-127, 128, 4 * width).astype(np.int8)
    for name, outputs in (("positions", len(positions.words) * units), ("heads", tags)):
        rows(name, outputs, 2 * width)
        floats(f"{name}.bias", outputs)
    rows("labels", len(positions.labels) * (labels + 1), units)
    floats("hidden.bias", units)
    rows("actions", units, actions)
    floats("actions.bias", actions)
    return found
