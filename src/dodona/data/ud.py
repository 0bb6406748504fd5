"""Attributes with values, as FEATS and MISC have them: `Case=Nom|Number=Sing`."""

import re
from collections.abc import Mapping

__all__ = ["CONFIDENCE", "attributes", "confidence_of", "written"]

CONFIDENCE = "Confidence="  # of a word, in MISC
SHARE = re.compile(rf"(?:^|\|){CONFIDENCE}([01](?:\.[0-9]+)?)(?:$|\|)", re.ASCII)


def attributes(value: str) -> dict[str, str]:
    """Return the attributes of a column, in their order. What has no `=` has the value ''."""
    if value in ("_", ""):
        return {}
    pairs = (part.partition("=") for part in value.split("|"))
    return {name: of for name, _, of in pairs}


def written(pairs: Mapping[str, str]) -> str:
    """Return attributes as a column has them."""
    return "|".join(f"{name}={of}" for name, of in pairs.items()) or "_"


def confidence_of(misc: str) -> float | None:
    """Return how probable a word's head and label are, where the parser has written that into MISC."""
    found = SHARE.search(misc) if CONFIDENCE in misc else None
    return float(found[1]) if found is not None and float(found[1]) <= 1 else None
