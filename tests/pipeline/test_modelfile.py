"""Model files: whatever is wrong with them is an error, never a crash and never believed."""

import io
import json
import pickle
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples.treebank import treebank

import dodona
from dodona import FormatError
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.pipeline import modelfile
from dodona.pipeline.pipeline import Pipeline


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "small"
    Pipeline(train_parser(treebank(5), ParserOptions(iterations=1, templates="stack"))).save(path)
    return path.read_bytes()


def refuse(path: Path, data: bytes, message: str = "") -> None:
    path.write_bytes(data)
    with pytest.raises(FormatError) as error:
        dodona.load(path)
    said = str(error.value).replace(str(path), "")  # where the file is may have the same words
    assert re.search(message, said), said


def rewritten(model: bytes, change: object) -> bytes:
    """The model with a changed header; `change` works on the parsed header, in place."""
    length = int.from_bytes(model[:8], "little")
    header = json.loads(model[8 : 8 + length])
    change(header)  # type: ignore[operator]
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + model[8 + length :]


def test_it_is_a_safetensors_file(model: bytes) -> None:
    length = int.from_bytes(model[:8], "little")
    header = json.loads(model[8 : 8 + length])
    assert set(header) == {"__metadata__", *(f"parser.{name}" for name in ("fingerprints", "counts", "rows", "wide"))}
    assert max(entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__") == len(
        model[8 + length :]
    )


def test_truncated_anywhere(model: bytes, tmp_path: Path) -> None:
    for length in [*range(0, 64), *range(64, len(model), max(1, len(model) // 300)), len(model) - 1]:
        refuse(tmp_path / "cut", model[:length])


def test_a_flipped_bit_anywhere(model: bytes, tmp_path: Path) -> None:
    for at in [*range(0, 64), *range(64, len(model), max(1, len(model) // 300))]:
        refuse(tmp_path / "bit", model[:at] + bytes([model[at] ^ 1 << at % 8]) + model[at + 1 :])


def test_other_files(tmp_path: Path) -> None:
    refuse(tmp_path / "empty", b"")
    refuse(tmp_path / "text", b"1\tword\t_\n" * 20)
    refuse(tmp_path / "pickle", pickle.dumps({"weights": list(range(100))}))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("weights", b"0" * 100)
    refuse(tmp_path / "zip", packed.getvalue())
    refuse(tmp_path / "long", (2**63).to_bytes(8, "little") + b"{}")
    with pytest.raises(FormatError, match="there is no such file or model"):
        dodona.load(tmp_path / "missing")
    with pytest.raises(FormatError, match="cannot be read"):
        dodona.load(tmp_path)


@pytest.mark.parametrize("version", ["1", "99"])
def test_another_version(model: bytes, tmp_path: Path, version: str) -> None:
    other = rewritten(model, lambda h: h["__metadata__"].update(version=version))
    refuse(tmp_path / "m", other, f"reads version {modelfile.VERSION}")


def test_without_a_digest(model: bytes, tmp_path: Path) -> None:
    for wrong in ("", "0" * 64):
        refuse(
            tmp_path / "m", rewritten(model, lambda h, w=wrong: h["__metadata__"].update(digest=w)), "the digest does"
        )
    refuse(tmp_path / "m", rewritten(model, lambda h: h["__metadata__"].pop("digest")), "the digest does not fit")


@pytest.mark.parametrize("key", ["parser", "about"])
def test_half_a_character(model: bytes, tmp_path: Path, key: str) -> None:
    """It can be written as an escape, and would end the program when the label is to be written."""
    path = tmp_path / "m"
    path.write_bytes(model)
    metadata, arrays = modelfile.load(path)
    half = json.dumps("nsubj")[:-1] + r'\ud800"'
    values = {name: json.dumps(value).replace('"nsubj"', half) for name, value in metadata.items()}
    values["about"] = json.dumps({"data": "x"}).replace('"x"', half) if key == "about" else values["about"]
    assert r"\ud800" in values[key]
    whole = {"format": "dodona", "version": str(modelfile.VERSION), **values}
    header = rewritten(model, lambda h: h.update(__metadata__=whole))
    length = int.from_bytes(header[:8], "little")
    entries = json.loads(header[8 : 8 + length])
    entries.pop("__metadata__")
    whole["digest"] = modelfile._digest(whole, entries, b"".join(each.tobytes() for each in arrays.values()))
    refuse(path, rewritten(model, lambda h: h.update(__metadata__=whole)), "metadata that is no JSON in UTF-8")


def test_arrays_in_wrong_places(model: bytes, tmp_path: Path) -> None:
    def overlap(header: dict[str, dict[str, list[int]]]) -> None:
        header["parser.counts"]["data_offsets"] = header["parser.fingerprints"]["data_offsets"]

    def huge(header: dict[str, dict[str, list[int]]]) -> None:
        header["parser.fingerprints"]["shape"] = [2**62]

    def negative(header: dict[str, dict[str, list[int]]]) -> None:
        header["parser.fingerprints"]["shape"] = [-1]

    def strange(header: dict[str, dict[str, object]]) -> None:
        header["parser.fingerprints"]["dtype"] = "F99"

    for change in (overlap, huge, negative, strange):
        refuse(tmp_path / "m", rewritten(model, change), "array")


def test_a_name_that_stands_twice(model: bytes, tmp_path: Path) -> None:
    length = int.from_bytes(model[:8], "little")
    again = b', "parser.rows": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}}'
    header = model[8 : 8 + length].rstrip()[:-1] + again
    data = len(header).to_bytes(8, "little") + header + model[8 + length :]
    refuse(tmp_path / "m", data, r"\(a name that stands twice\)")


@pytest.mark.parametrize("name", ["fingerprints", "counts", "rows", "wide"])
def test_weights_that_do_not_fit_each_other(model: bytes, tmp_path: Path, name: str) -> None:
    """With a digest that is right: the arrays themselves are checked before the compiled loops see them."""
    path = tmp_path / "m"
    path.write_bytes(model)
    metadata, arrays = modelfile.load(path)
    key = f"parser.{name}"
    for values in (arrays[key][:-1], np.full_like(arrays[key], 0xFF if name == "counts" else 0x7FFF)):
        modelfile.save(tmp_path / "changed", metadata, {**arrays, key: np.ascontiguousarray(values)})
        if name == "fingerprints" and len(values) == len(arrays[key]):
            dodona.load(tmp_path / "changed")  # other features, but nothing that points outside
        elif name == "wide" and len(values) == len(arrays[key]):
            dodona.load(tmp_path / "changed")
        else:
            with pytest.raises(FormatError, match="weights"):
                dodona.load(tmp_path / "changed")


def test_labels_that_do_not_fit_the_weights(model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(model)
    metadata, arrays = modelfile.load(path)
    for change in (
        {"labels": metadata["parser"]["labels"][:1]},
        {"labels": "abc"},
        {"labels": [1, 2]},
        {"labels": [*metadata["parser"]["labels"][:-1], "a\tb"]},
        {"temperature": 0.0},
        {"temperature": "warm"},
        {"templates": "S0.nonsense"},
        {"options": {"system": "arc-lager"}},
        {"options": 3},
    ):
        changed = metadata["parser"] | change
        modelfile.save(tmp_path / "changed", {**metadata, "parser": changed}, arrays)
        with pytest.raises(FormatError):
            dodona.load(tmp_path / "changed")


def test_saving_is_all_or_nothing(model: bytes, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be written"):
        modelfile.save(tmp_path / "missing" / "m", {}, {})
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="cannot be written"):
        modelfile.save(tmp_path / "folder", {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_file_replaced_while_it_is_in_use(model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(model)
    parser = dodona.load(path).parser
    sentences = treebank(5)
    before = [parser.tree(sentence) for sentence in sentences]
    Pipeline(train_parser(treebank(5, seed=9), ParserOptions(iterations=1))).save(
        path
    )  # moved into place: the old one lives on
    assert [parser.tree(sentence) for sentence in sentences] == before


def test_the_reference_implementation_reads_it(model: bytes, tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    arrays = safetensors.load(model)
    path = tmp_path / "m"
    path.write_bytes(model)
    for name, values in modelfile.load(path)[1].items():
        assert (arrays[name] == values).all()


def test_a_file_changed_in_place_while_it_is_in_use(model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(model)
    parser = dodona.load(path).parser
    before = parser.tree(treebank(1)[0])
    path.write_bytes(bytes(len(model) // 2))
    assert parser.tree(treebank(1)[0]) == before


def test_descriptions_of_the_wrong_kind(model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(model)
    metadata, arrays = modelfile.load(path)
    changes: list[dict[str, object]] = [
        {"parser": 3},
        {"about": []},
        {"parser": {}},
        {"oracle": {}},
        {"tagger": {}},
        {"tokenizer": 1},
        {"lemmatizer": []},
    ]
    for change in changes:
        modelfile.save(tmp_path / "changed", {**metadata, **change}, arrays)
        with pytest.raises(FormatError):
            dodona.load(tmp_path / "changed")


def test_a_header_that_is_a_list(tmp_path: Path) -> None:
    header = b"[1, 2, 3] "
    refuse(tmp_path / "m", len(header).to_bytes(8, "little") + header, "not that of a model")


def test_arrays_begin_where_their_numbers_can_be_read(tmp_path: Path) -> None:
    """However long the arrays before them are."""
    arrays: dict[str, NDArray[Any]] = {"odd": np.arange(3, dtype=np.uint8), "wide": np.arange(5, dtype=np.uint32)}
    modelfile.save(tmp_path / "m", {}, arrays)
    _, found = modelfile.load(tmp_path / "m")
    assert found["wide"].flags.aligned
    assert found["wide"].tolist() == [0, 1, 2, 3, 4]
