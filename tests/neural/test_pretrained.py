"""A pretrained encoder as data: it comes back from its parts, wrong parts are refused, and it takes more words."""

from typing import Any

import numpy as np
import pytest
from samples.pretrained_encoders import random_encoder

from dodona import FormatError, OptionError
from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.vocabulary import fingerprint

KNOWN = ("the", "oak", "rustles")


def encoder() -> PretrainedEncoder:
    return random_encoder(*KNOWN)


def test_it_comes_back_from_its_parts() -> None:
    one = encoder()
    other = PretrainedEncoder.from_parts(*one.parts(), one.about, "file")
    assert other.sizes == one.sizes
    assert other.about == {"text": "oaks"}
    np.testing.assert_array_equal(other.words, one.words)
    assert list(other.weights) == list(one.weights)
    for name, values in one.weights.items():
        np.testing.assert_array_equal(other.weights[name], values)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("words", None, "expected different numbers"),
        ("words", np.array([1, 1, 2], np.uint32), "expected different numbers"),
        ("words", np.array([1, 3, 2], np.int32), "expected different numbers"),
        ("words", np.zeros(0, np.uint32), "expected different numbers"),
        ("words", np.array([1, 2], np.uint32), "'word': 16 of float32; expected 12 of float32"),
        ("subword", None, "'subword': nothing; expected 36 of float32"),
        ("layer1.backward.bias", np.zeros(11, np.float32), "bias': 11 of float32; expected 12 of float32"),
        ("input.bias", np.full(5, np.nan, np.float32), "'input.bias': expected finite numbers"),
        ("input.word", np.zeros(20, np.int32), "'input.word': 20 of int32; expected 20 of float32"),
        ("layer2.forward.bias", np.zeros(12, np.float32), "'layer2.forward.bias': expected none of this name"),
    ],
)
def test_wrong_arrays(name: str, value: Any, message: str) -> None:
    description, arrays = encoder().parts()
    arrays = {key: each for key, each in (arrays | {name: value}).items() if each is not None}
    with pytest.raises(FormatError, match=message) as error:
        PretrainedEncoder.from_parts(description, arrays, {}, "hu.encoder")
    assert str(error.value).startswith("hu.encoder: ")


@pytest.mark.parametrize(
    "sizes", [None, [], {}, {"width": 3}, {"extra": 1}, {"width": -1}, {"width": "3"}, {"width": 4}]
)
def test_wrong_sizes(sizes: Any) -> None:
    description, arrays = encoder().parts()
    if isinstance(sizes, dict) and len(sizes) == 1 and "width" in sizes and sizes["width"] != 3:
        sizes = description["sizes"] | sizes
    with pytest.raises(FormatError, match=r"^file: "):
        PretrainedEncoder.from_parts({"sizes": sizes}, arrays, {}, "file")
    with pytest.raises(FormatError, match=r"^file: "):
        PretrainedEncoder.from_parts(sizes, arrays, {}, "file")


def test_a_network_of_its_size() -> None:
    one = encoder()
    fitted = one.fit(NetworkOptions(units=7, dropout=0.3))
    assert (fitted.width, fitted.layers, fitted.units, fitted.dropout) == (3, 2, 7, 0.3)
    one.check(fitted, "hu.encoder")
    with pytest.raises(OptionError, match=r"width 192: hu.encoder has 3; expected the same, or none given"):
        one.check(NetworkOptions(layers=2), "hu.encoder")


def test_more_words_begin_as_unknown_ones() -> None:
    one = encoder()
    words, weights = one.extend([7, fingerprint("oak"), 8])
    assert words == [*one.words.tolist(), 7, 8]
    np.testing.assert_array_equal(weights["word"][:4], one.weights["word"])
    np.testing.assert_array_equal(weights["word"][4:], one.weights["word"][[0, 0]])
    assert one.weights["word"].shape == (4, 4)


def test_how_much_it_knows() -> None:
    assert encoder().known_share(["The", "OAK", "sleeps", ".", "1", "木"]) == 0.5
    assert encoder().known_share([]) == 0
