"""Model files of networks: each array and each entry of the description is checked before the network runs."""

import json
import math
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples.networks import untaught
from samples.treebank import treebank

import dodona
from dodona import FormatError
from dodona.parser.request import Request
from dodona.pipeline import modelfile
from dodona.pipeline.pipeline import Pipeline

Contents = tuple[dict[str, Any], dict[str, NDArray[Any]]]


def contents() -> Contents:
    """The contents of a model, with random weights."""
    description, arrays = untaught(treebank(16)).parts()
    return {"about": {}, "parser": json.loads(json.dumps(description))}, {f"parser.{k}": v for k, v in arrays.items()}


METADATA, ARRAYS = contents()
NAMES = list(ARRAYS)


def refuse(path: Path, metadata: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    """The file with these contents cannot be loaded; returns the reason, which names the file."""
    modelfile.save(path, metadata, arrays)
    with pytest.raises(FormatError) as error:
        dodona.load(path)
    assert str(error.value).startswith(f"{path}, parser: ")
    return str(error.value).removeprefix(f"{path}, parser: ")


def described(path: Path, **changes: Any) -> str:
    return refuse(path, METADATA | {"parser": METADATA["parser"] | changes}, ARRAYS)


def test_the_model_itself_is_good(tmp_path: Path) -> None:
    modelfile.save(tmp_path / "m", METADATA, ARRAYS)
    assert isinstance(dodona.load(tmp_path / "m"), Pipeline)


@pytest.mark.parametrize("name", NAMES)
def test_each_array(name: str, tmp_path: Path) -> None:
    path, array = tmp_path / "m", ARRAYS[name]
    key = name.removeprefix("parser.")
    said = refuse(path, METADATA, {k: v for k, v in ARRAYS.items() if k != name})
    assert re.search(rf"(^|'){re.escape(key)}\b", said)
    wrong: list[NDArray[Any]] = [array.view(np.uint8), np.append(array, array[:1]), array.astype(np.int32)]
    if len(array):
        wrong += [array[:-1], array[:0]]
    if key == "vectors":
        wrong = [array.view(np.uint8), np.zeros(1, np.uint32)]  # a number, but no vector
    for one in wrong:
        said = refuse(path, METADATA, ARRAYS | {name: np.ascontiguousarray(one)})
        assert re.search(r"expected .*\d|expected different", said), said


@pytest.mark.parametrize("name", [name for name in NAMES if ARRAYS[name].dtype == np.float32])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(name: str, value: float, tmp_path: Path) -> None:
    for at in (0, -1):
        array = ARRAYS[name].copy()
        array[at] = value
        assert "expected finite numbers" in refuse(tmp_path / "m", METADATA, ARRAYS | {name: array})


def test_words_that_stand_twice(tmp_path: Path) -> None:
    array = ARRAYS["parser.words"].copy()
    array[-1] = array[0]
    assert "'words': expected different numbers" in refuse(tmp_path / "m", METADATA, ARRAYS | {"parser.words": array})


def test_vectors(tmp_path: Path) -> None:
    """A table of vectors has the width that its size says, and a matrix of that width."""
    good: dict[str, NDArray[Any]] = {
        "parser.vectors": np.array([5, 7], np.uint32),
        "parser.vector": np.ones(3 * 4, np.int8),
        "parser.vector.scales": np.ones(3, np.float32),
        "parser.input.vector": np.ones(4 * 12, np.int8),
        "parser.input.vector.scales": np.ones(4, np.float32),
    }
    modelfile.save(tmp_path / "good", METADATA, ARRAYS | good)
    dodona.load(tmp_path / "good").parser.tree(treebank(1)[0])
    for name, array in good.items():
        refuse(tmp_path / "m", METADATA, ARRAYS | {k: v for k, v in good.items() if k != name})
        for wrong in (array[:-1], array[:0], np.append(array, array[-1:])):
            refuse(tmp_path / "m", METADATA, ARRAYS | good | {name: wrong})
    for dimensions in (0, 1, 5):
        other = good | {"parser.vector": np.ones(3 * dimensions, np.int8)}
        refuse(tmp_path / "m", METADATA, ARRAYS | other)


@pytest.mark.parametrize(
    "name", ["parser.more", "parser.", "parser.layer7.forward.input", "parser.layer", "parser.layer0.forward.inputs"]
)
def test_unknown_arrays(name: str, tmp_path: Path) -> None:
    key = name.removeprefix("parser.")
    said = refuse(tmp_path / "m", METADATA, ARRAYS | {name: np.zeros(3, np.int8)})
    assert said == f"array {key!r}: expected none of this name"


@pytest.mark.parametrize("name", ["positions", "tag_parts", "tags", "retags", "labels", "options", "temperature"])
@pytest.mark.parametrize("value", [None, 3, -1.5, True, "text", [], [1], {}, {"a": 1}, [["a"]], [[[]]]], ids=str)
def test_entries_of_the_wrong_kind(name: str, value: Any, tmp_path: Path) -> None:
    if (name, value) in (("retags", True), ("temperature", 3)):
        return
    assert described(tmp_path / "m", **{name: value})


@pytest.mark.parametrize("name", ["positions", "tag_parts", "tags", "retags", "labels", "options", "temperature"])
def test_missing_entries(name: str, tmp_path: Path) -> None:
    less = {key: value for key, value in METADATA["parser"].items() if key != name}
    assert name in refuse(tmp_path / "m", METADATA | {"parser": less}, ARRAYS)


@pytest.mark.parametrize("bonus", [-0.5, 1000.5, math.inf, math.nan, 3, "1", None, True])
def test_a_bonus_that_is_none(bonus: Any, tmp_path: Path) -> None:
    assert "bonus" in described(tmp_path / "m", tagger_bonus=bonus)


def test_models_from_before_there_was_a_bonus(tmp_path: Path) -> None:
    old = {key: value for key, value in METADATA["parser"].items() if key != "tagger_bonus"}
    for own, bonus in ((old, 0.0), (old | {"tagger_bonus": 2.0}, 2.0)):
        modelfile.save(tmp_path / "m", METADATA | {"parser": own}, ARRAYS)
        model = Pipeline.load(tmp_path / "m").parser.model
        assert (model.tagger_bonus, model.description().get("tagger_bonus")) == (bonus, bonus)


def test_tags_and_positions(tmp_path: Path) -> None:
    path, parser = tmp_path / "m", METADATA["parser"]
    tags, parts, text = parser["tags"], parser["tag_parts"], parser["positions"]
    for wrong in (
        [*tags, tags[0]],
        [*tags[:-1], tags[0]],
        tags[:-1],
        [],
        [*tags[:-1], ["NOUN", "noun"]],
        [*tags[:-1], ["NOUN", "noun", "_", "_"]],
        [*tags[:-1], ["", "_", "_"]],
        [*tags[:-1], ["a\tb", "_", "_"]],
        [*tags[:-1], ["a\nb", "_", "_"]],
        [*tags[:-1], ["a", 3, "_"]],
        [*tags[:-1], "abc\n"],
        [*tags[:-1], None],
        [*tags, ["NEW", "new", "New=Yes"]],
    ):
        assert described(path, tags=wrong)
    for wrong in (
        [*parts, parts[0]],
        [*parts[:-1], parts[0]],
        parts[:-1],
        [*parts, "uNEW"],
        [*parts[:-1], 3],
        "".join(parts),
    ):
        assert described(path, tag_parts=wrong)
    for wrong_text in ("", "S0", f"{text}\nN3", "S0\nnonsense", text.replace("S0", "P0"), "L1\nP0\n" + text):
        assert described(path, positions=wrong_text)


@pytest.mark.parametrize(
    "network",
    [
        None,
        3,
        [],
        "network",
        {"layers": 2},
        {"layers": 0},
        {"layers": 10**30},
        {"width": 7},
        {"width": 4096},
        {"width": 4097},
        {"units": 4096},
        {"units": "16"},
        {"inputs": 8192},
        {"embedding": 4096},
        {"tag_embedding": 4096},
        {"subwords": 1 << 24},
        {"subwords": 1},
        {"tag_layer": 1},
        {"tag_layer": -1},
        {"dropout": "0.1"},
        {"batch": -5},
        {"colour": 3},
        {"layers": 16, "width": 4096, "units": 4096, "inputs": 8192, "embedding": 4096, "subwords": 1 << 24},
    ],
    ids=str,
)
def test_sizes_of_the_network(network: Any, tmp_path: Path) -> None:
    """A number in the description is not believed before the arrays have that size: nothing large is allocated."""
    options = METADATA["parser"]["options"]
    changed = options["network"] | network if isinstance(network, dict) else network
    tracemalloc.start()
    try:
        said = described(tmp_path / "m", options=options | {"network": changed})
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert "expected" in said or "must be a mapping" in said


def test_a_scorer_that_is_not_that_of_the_model(tmp_path: Path) -> None:
    options = METADATA["parser"]["options"]
    for change in (
        {"scorer": "linear"},
        {"scorer": "linear", "network": None},
        {"scorer": "linear", "network": None, "positions": None},
        {"scorer": "other"},
        {"scorer": None},
        {"system": "easy-first"},
        {"system": "arc-eager"},
        {"beam": 4},
    ):
        assert described(tmp_path / "m", options=options | change)


@pytest.mark.filterwarnings("ignore:(invalid value|overflow) encountered")
@pytest.mark.parametrize("name", [name for name in NAMES if ARRAYS[name].dtype in (np.int8, np.float32)])
def test_extreme_weights(name: str, tmp_path: Path) -> None:
    """Numbers that their type can hold are weights like others, or refused: never a crash or an endless search."""
    sentences = treebank(3)
    fills = (0, 1, -128, 127) if ARRAYS[name].dtype == np.int8 else (0, 1e-45, 3e38, -3e38)
    for fill in fills:
        modelfile.save(tmp_path / "m", METADATA, ARRAYS | {name: np.full_like(ARRAYS[name], fill)})
        try:
            parser = dodona.load(tmp_path / "m").parser
        except FormatError as error:
            assert re.search("expected (finite numbers|a positive number)", str(error))  # noqa: PT017
            continue
        for sentence in sentences:
            for request in (Request(), Request(confidence=True), Request(beam=4, nbest=2, confidence=True)):
                assert all(tree.heads.count(0) == 1 for tree in parser.analyses(sentence, request))
        parser.predict_tags(sentences)
