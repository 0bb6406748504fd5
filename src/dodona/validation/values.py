"""The values of columns and comments: how they are read."""

import re
from functools import lru_cache

__all__ = ["attribute", "feature_faults", "is_unspaced", "texts", "universal"]

FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
TEXT = re.compile(r"#\s*text\s*=\s*(.*)")


@lru_cache(1 << 16)
def feature_faults(feats: str) -> tuple[tuple[str, str], ...]:
    """The names of the rules that a value of FEATS breaks, each with the part that does."""
    faults = []
    parts = feats.split("|")
    lowered = [part.lower() for part in parts]
    if lowered != sorted(lowered):
        faults.append(("unsorted-features", feats))
    names = set()
    for part in parts:
        found = FEATURE.fullmatch(part)
        if found is None:
            faults.append(("invalid-feature", part))
            continue
        name = found[1]
        if name in names:
            faults.append(("repeated-feature", part))
        names.add(name)
        values = found[2].split(",")
        if len(set(values)) < len(values):
            faults.append(("repeated-feature-value", part))
        lowered = [value.lower() for value in values]
        if lowered != sorted(lowered):
            faults.append(("unsorted-feature-values", part))
    return tuple(faults)


def texts(comments: list[str]) -> list[str]:
    """The values of all comments `# text = …`."""
    return [found[1] for comment in comments if (found := TEXT.fullmatch(comment))]


def is_unspaced(misc: str) -> bool:
    """Whether there is no space after a token."""
    return "SpaceAfter=No" in misc and "SpaceAfter=No" in misc.split("|")


@lru_cache(1 << 12)
def universal(relation: str) -> str:
    """The part of a relation that all languages share, before the first colon."""
    return relation.partition(":")[0]


def attribute(values: str, name: str) -> str:
    """The value of an attribute in FEATS or MISC, or ""."""
    if name not in values:
        return ""
    for pair in values.split("|"):
        key, _, value = pair.partition("=")
        if key == name:
            return value
    return ""
