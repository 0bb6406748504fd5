"""The options of a teacher, which are there without PyTorch, too."""

from dataclasses import replace
from typing import Any

import pytest

from dodona import OptionError
from dodona.transformer.options import TransformerOptions

LIMITS: dict[str, tuple[float, float]] = {  # the least and the most
    "mix": (1, 64),
    "window": (64, 4096),
    "embedding": (1, 4096),
    "subwords": (2, 1 << 24),
    "inputs": (1, 8192),
    "width": (1, 4096),
    "units": (1, 4096),
    "dropout": (0, 0.95),
    "batch": (1, 1_000_000),
    "rate": (1e-9, 1),
    "encoder_rate": (0, 1),
}


@pytest.mark.parametrize("name", LIMITS)
def test_every_option_has_limits(name: str) -> None:
    least, most = LIMITS[name]
    given: dict[str, Any]
    for value in LIMITS[name]:
        given = {name: value}
        assert getattr(replace(TransformerOptions(), **given), name) == value
    wrong: list[Any] = [least - 1, most + 1, "1", True]
    for value in wrong if name == "batch" else [*wrong, None]:
        with pytest.raises(
            OptionError, match=f"{name} {value!r}: expected a number from {least:g} to ".replace("+", r"\+")
        ):
            replace(TransformerOptions(), **{name: value})
