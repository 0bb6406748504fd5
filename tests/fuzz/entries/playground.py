"""Requests of the playground, as JSON: whatever is in their fields, they are answered or refused with one sentence."""

import json
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from samples.asgi import call
from samples.small_models import linear, whole

from dodona import DodonaError, OptionError
from dodona.server.models import Models
from dodona.systems.registry import SYSTEMS

FUNCTIONS = ("parse", "correct", "draw", "step", "lattice", "systems")
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    1,
    2,
    3,
    1e9,
    0.5,
    "",
    "x",
    "SHIFT",
    "_",
    "\t",
    "\n",
    [],
    [0],
    {},
    "😀",
    "static",
]
TOKENS = [b'"moves"', b'"heads"', b"SHIFT", b"LEFT", b"RIGHT", b"null", b"[", b"]", b"-1", b"0", b"\\ud800"]


@cache
def models() -> Models:
    return Models({"whole": whole(), "swap": linear("swap-standard")})


def seeds() -> list[bytes]:
    tree = {"words": ["a", "b", "c", "d"], "heads": [2, 0, 4, 2], "labels": ["x", "root", "y", "x"]}
    found: list[dict[str, Any]] = [{"call": "systems"}]
    for name, entry in SYSTEMS.items():
        for oracle in entry.oracles[-2:]:
            found.append({"call": "step", **tree, "system": name, "oracle": oracle, "moves": [], "options": {}})
        found.append({"call": "lattice", **tree, "labels": None, "system": name, "options": {"single_root": True}})
    found.append({"call": "step", **tree, "system": "arc-eager", "moves": ["SHIFT", "LEFT:x", "SHIFT", "SHIFT"]})
    found.append({"call": "parse", "text": "the dog sees a cat .", "nbest": 2, "model": "whole"})
    rows = "".join(f"{k}\tw{k}\t_\tNOUN\t_\t_\t{k - 1}\tx\t_\t_\n" for k in range(1, 5))
    found.append({"call": "parse", "text": f"{rows}\n", "model": "swap"})
    for rest in (True, False):
        found.append({"call": "correct", "conllu": f"{rows}\n", "given": [[3, 1, "y"], [2, 4, None]], "rest": rest})
    found += [{"call": "draw", "conllu": f"{rows}\n", "format": form} for form in ("svg", "tikz")]
    return [json.dumps(request).encode() for request in found]


def mutate(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """Another tree and other moves, which are mostly refused late or not at all; or other values in a field."""
    request = json.loads(chance.choice(seeds))
    if "heads" in request and chance.random() < 0.8:
        n = len(request["heads"])
        request["heads"] = [chance.choice((head, chance.randint(0, n))) for head in request["heads"]]
        labels = ["", ":x", ":y", ":root"] if request["labels"] else [""]
        verbs = chance.choices(("SHIFT", "LEFT", "RIGHT", "REDUCE", "NOARC", "SWAP"), (4, 2, 2, 1, 1, 1), k=6)
        request["moves"] = [verb + chance.choice(labels) for verb in verbs[: chance.randint(0, 6)]]
        return json.dumps(request).encode()
    if "given" in request and chance.random() < 0.8:
        arcs = range(chance.randint(0, 4))
        names = (None, "x", "mine")
        request["given"] = [[chance.randint(1, 4), chance.randint(0, 4), chance.choice(names)] for _ in arcs]
        return json.dumps(request).encode()
    name = chance.choice(list(request))
    value = request[name]
    if isinstance(value, list) and value and chance.random() < 0.7:
        value[chance.randrange(len(value))] = chance.choice(VALUES)
    elif name != "call":
        request[name] = chance.choice(VALUES)
    return json.dumps(request).encode()


def target(data: bytes) -> None:
    try:
        request = json.loads(data)
    except (ValueError, RecursionError):
        raise OptionError("no JSON") from None
    if not isinstance(request, dict) or request.get("call") not in FUNCTIONS:
        raise OptionError("no request")
    try:
        answer = call(request.pop("call"), request, models())
    except DodonaError as error:
        message = str(error)
        if not message.isprintable() or len(message) > 2000:
            raise RuntimeError(f"not one plain sentence: {message!r}") from error
        raise
    json.dumps(answer, allow_nan=False).encode()
    if "tree" in answer and "conllu" in (answer["tree"] or ()):
        heads = answer["tree"]["heads"]
        rows = [line.split("\t") for line in answer["tree"]["conllu"].splitlines() if line[:1].isdigit()]
        assert [row[6] for row in rows if row[0].isdigit()] == [str(head) for head in heads]
