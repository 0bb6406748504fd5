"""Models that are valid files and yet too much: refused before they take memory or time."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples.treebank import treebank

import dodona
from dodona import FormatError, OptionError, system
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.pipeline import modelfile
from dodona.pipeline.pipeline import Pipeline
from dodona.tagger.tagger import check_lexicon


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    path = tmp_path_factory.mktemp("model") / "small"
    Pipeline(train_parser(treebank(5), ParserOptions(iterations=1, templates="stack"))).save(path)
    return modelfile.load(path)


def refuse(path: Path, metadata: dict[str, Any], arrays: dict[str, NDArray[Any]], message: str) -> None:
    modelfile.save(path, metadata, arrays)
    with pytest.raises(FormatError, match=message):
        dodona.load(path)


def test_more_buckets_than_features(parts: tuple[Any, Any], tmp_path: Path) -> None:
    """Each bucket takes 32 bytes in memory and one in the file, where zeros are next to nothing when compressed."""
    metadata, arrays = parts
    counts = arrays["parser.counts"]
    features = len(arrays["parser.fingerprints"])
    assert len(counts) == features // 2
    most = np.concatenate([counts, np.zeros(features - len(counts), np.uint8)])
    modelfile.save(tmp_path / "m", metadata, {**arrays, "parser.counts": most})
    dodona.load(tmp_path / "m")
    more = {**arrays, "parser.counts": np.concatenate([most, np.zeros(1, np.uint8)])}
    refuse(tmp_path / "m", metadata, more, f"{features + 1} buckets for {features} features")


def test_more_labels_than_there_are_numbers(parts: tuple[Any, Any], tmp_path: Path) -> None:
    metadata, arrays = parts
    labels = [f"l{k}" for k in range(65_536)]
    changed = {**metadata, "parser": metadata["parser"] | {"labels": labels}}
    refuse(tmp_path / "m", changed, arrays, "65536 labels; expected at most 65535")
    with pytest.raises(OptionError, match="expected at most 65535"):
        system("arc-eager", labels=labels)
    assert len(system("arc-eager", labels=labels[:-1]).labels) == 65_535


def test_labels_that_cannot_be_written(parts: tuple[Any, Any], tmp_path: Path) -> None:
    metadata, arrays = parts
    labels = [*metadata["parser"]["labels"][:-1], "a\ud800"]
    about = {"parser": json.loads(json.dumps(metadata["parser"] | {"labels": labels}))}
    dumps = json.dumps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json, "dumps", lambda value, **options: dumps(value, **options | {"ensure_ascii": True}))
        modelfile.save(tmp_path / "m", {**metadata, **about}, arrays)
        with pytest.raises(FormatError, match="expected text without lone surrogates"):
            dodona.load(tmp_path / "m")


def test_numbers_of_thousands_of_digits(parts: tuple[Any, Any], tmp_path: Path) -> None:
    """Python refuses to read them, by an error of its own."""
    metadata, arrays = parts
    path = tmp_path / "m"
    dumps = json.dumps
    digits = "9" * 5000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json, "dumps", lambda value, **options: dumps(value, **options).replace("12321", digits))
        modelfile.save(path, {**metadata, "about": {"size": 12321}}, arrays)
        with pytest.raises(FormatError, match="metadata that is no JSON"):
            dodona.load(path)


def test_a_lexicon_with_equal_words() -> None:
    arrays: dict[str, NDArray[Any]] = {
        "words": np.array([3, 5, 9], np.uint32),
        "entries": np.zeros(3, np.uint8),
        "usual": np.zeros(1, np.uint8),
        "sizes": np.zeros(1, np.uint8),
        "tags": np.zeros(0, np.uint8),
    }
    check_lexicon("here", 1, arrays)
    for words in ([3, 5, 5], [5, 3, 9]):
        with pytest.raises(FormatError, match="here: the lexicon does not fit"):
            check_lexicon("here", 1, {**arrays, "words": np.array(words, np.uint32)})
