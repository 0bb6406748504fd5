"""Model files: damaged ones, and crafted ones, whose digest is right and whose contents are not."""

import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.trees import check_parsed
from numpy.typing import NDArray
from samples.small_models import linear, neural, whole
from samples.treebank import treebank

from dodona import DodonaError, Request, Sentence
from dodona.pipeline import modelfile
from dodona.pipeline.pipeline import Pipeline

Arrays = dict[str, NDArray[Any]]

TEXT = "the old oak answers. the dove hears the priest slowly"
REQUESTS = (Request(), Request(beam=3, nbest=2, confidence=True), Request(constrained=True, confidence=True))
WIDEST = 50  # a wider beam is slow, and nothing else
JUNK: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2, 65536, 1 << 31, 1 << 63, 1e308, -0.5, "", "a", "S0.w", "S0", "\0", "\ud800", [], {}, [[]],
    ["a"], [1], {"a": 1}, ["a", "b", "c"], "covington", "easy-first", "neural", "path",
)  # fmt: skip


def seeds() -> list[bytes]:
    models = [whole(), linear("easy-first"), linear("swap-standard", 4), neural("arc-eager"), neural("covington")]
    return [_saved(*_parts(model)) for model in models]


def _parts(model: Pipeline) -> tuple[dict[str, Any], Arrays]:
    model.save("seed.model")
    return modelfile.load("seed.model")


def _saved(metadata: dict[str, Any], arrays: Arrays) -> bytes:
    path = Path("crafted.model")
    modelfile.save(path, metadata, arrays)
    return path.read_bytes()


def target(data: bytes) -> None:
    path = Path("fuzz.model")
    path.write_bytes(data)
    nlp = Pipeline.load(path)
    if nlp.parser.options.beam > WIDEST:
        return
    results = [_parsed(nlp, request) for request in REQUESTS]
    nlp.save("again.model")
    other = Pipeline.load("again.model")
    assert [_parsed(other, request) for request in REQUESTS] == results, "saved and loaded, it parses otherwise"


def _parsed(nlp: Pipeline, request: Request) -> list[bytes] | str:
    """All sentences as they are parsed, or the error that says why not."""
    sentences = [Sentence.from_words(s.words, heads=[None, *s.heads[1:]], labels=s.labels) for s in treebank(2, 5, 0.0)]
    try:
        if nlp.tokenizer is not None:
            sentences += nlp.sentences([TEXT])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = list(nlp.parse(sentences, request, retag=True))
    except DodonaError as error:
        return str(error)
    for sentence in parsed:
        check_parsed(sentence, nlp.parser.options.single_root)
    return [sentence.to_bytes() for sentence in parsed]


def mutate(seeds: list[bytes], chance: random.Random) -> bytes:
    """A model with a right digest, of which a few arrays or entries are changed."""
    path = Path("mutated.model")
    path.write_bytes(chance.choice(seeds))
    metadata, arrays = modelfile.load(path)
    for _ in range(chance.choice((1, 1, 2, 4))):
        if chance.random() < 0.6:
            name = chance.choice(sorted(arrays))
            arrays[name] = np.ascontiguousarray(chance.choice(ARRAY_CHANGES)(arrays[name], chance))
        elif chance.random() < 0.2:
            one, other = chance.choice(sorted(arrays)), chance.choice(sorted(arrays))
            arrays[one], arrays[other] = arrays[other], arrays[one]
        else:
            components = [entry for _, entry in sorted(metadata.items()) if isinstance(entry, dict) and entry]
            _change_entry(chance.choice(components) if components and chance.random() < 0.9 else metadata, chance)
    try:
        return _saved(metadata, arrays)
    except UnicodeEncodeError:  # a lone surrogate cannot be written; JSON may have one all the same
        return path.read_bytes().replace(b"nsubj", b"\\ud800", 1)


def _other_numbers(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    raw = bytearray(array.tobytes())
    for _ in range(chance.choice((1, 4, 64))):
        if raw:
            raw[chance.randrange(len(raw))] = chance.randrange(256)
    return np.frombuffer(bytes(raw), array.dtype)


def _all_the_same(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    raw = bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF))]) * array.nbytes
    return np.frombuffer(raw, array.dtype)


def _one_extreme(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    if not array.size:
        return array
    other = array.copy()
    kind: Any = np.finfo(array.dtype) if array.dtype.kind == "f" else np.iinfo(array.dtype)
    other[chance.randrange(array.size)] = chance.choice((kind.min, kind.max, 0, 1, chance.choice(array.tolist())))
    return other


def _other_length(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    if chance.random() < 0.5:
        return array[: chance.randint(0, array.size)]
    return np.concatenate([array, array[: chance.choice((1, 2, 8, array.size))]])


def _other_order(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    return array[chance.sample(range(array.size), array.size)]


def _other_type(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    dtype = np.dtype(chance.choice(list(modelfile.DTYPES.values())))
    raw = array.tobytes()
    return np.frombuffer(raw[: len(raw) // dtype.itemsize * dtype.itemsize], dtype)


ArrayChange = Callable[[NDArray[Any], random.Random], NDArray[Any]]
ARRAY_CHANGES: tuple[ArrayChange, ...] = (
    _other_numbers, _other_numbers, _all_the_same, _one_extreme, _one_extreme, _other_length, _other_order, _other_type,
)  # fmt: skip


def _change_entry(value: Any, chance: random.Random) -> None:
    """Walk down to some entry of the description, and replace, remove or repeat it; in place."""
    while True:
        keys = sorted(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(value[key], dict | list) and value[key] and chance.random() < 0.85:
            value = value[key]
            continue
        kind = chance.randrange(5)
        if kind == 0:
            del value[key]
        elif kind == 1 and isinstance(value, list):
            value.insert(chance.randrange(len(value) + 1), json.loads(json.dumps(chance.choice(value))))
        elif kind == 2 and type(value[key]) is int:
            value[key] += chance.choice((-1, 1, 7))
        elif kind == 3 and isinstance(value[key], str) and value[key]:
            at = chance.randrange(len(value[key]))
            value[key] = value[key][:at] + chance.choice(("", "x", ".", "\n", "\t", "|", "é")) + value[key][at + 1 :]
        else:
            value[key] = chance.choice(JUNK)
        return
