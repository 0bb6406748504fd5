"""What Universal Dependencies define: the columns of CoNLL-U, attributes in FEATS and MISC, comments with values."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

__all__ = [
    "COLUMNS", "CONFIDENCE", "DEPREL", "DEPS", "EMPTY_ID", "FEATS", "FORM", "FORMATS", "HEAD", "HEAD_NUMBER", "ID",
    "LEMMA", "MISC", "NO_SPACE", "NUMBERS", "RANGE_ID", "UNIVERSAL_RELATIONS", "UNIVERSAL_TAGS", "UPOS", "WORD_ID",
    "XPOS", "find_comment", "format_attributes", "is_unspaced", "parse_attributes", "parse_label", "read_confidence",
    "split_comment", "strip_subtype", "write_comment",
]  # fmt: skip

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
NUMBERS = {
    "words": FORM, "lemmas": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS, "heads": HEAD, "labels": DEPREL,
    "deps": DEPS, "misc": MISC,
}  # fmt: skip
"""The columns by the names that they have in a `Sentence`."""
FORMATS = {"conllu": "CoNLL-U", "conllx": "CoNLL-X"}
HEAD_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
WORD_ID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
RANGE_ID = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
EMPTY_ID = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)
NO_SPACE = "SpaceAfter=No"  # in MISC
CONFIDENCE = "Confidence="  # of a word, in MISC; not UD's, but written like its attributes
UNIVERSAL_TAGS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
)  # fmt: skip
UNIVERSAL_RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop", "csubj",
    "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark", "nmod",
    "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
)  # fmt: skip
PROBABILITY = re.compile(rf"(?:^|\|){CONFIDENCE}([01](?:\.[0-9]+)?)(?:$|\|)", re.ASCII)


def parse_attributes(value: str) -> dict[str, str]:
    """Return the attributes of a column, in their order. What has no `=` has the value ''."""
    if value in ("_", ""):
        return {}
    pairs = (part.partition("=") for part in value.split("|"))
    return {name: of for name, _, of in pairs}


def format_attributes(pairs: Mapping[str, str]) -> str:
    """Return attributes as a column has them."""
    return "|".join(f"{name}={of}" for name, of in pairs.items()) or "_"


def is_unspaced(misc: str) -> bool:
    """Whether MISC says that there is no space after a token."""
    return NO_SPACE in misc and NO_SPACE in misc.split("|")


def split_comment(comment: str) -> tuple[str, str] | None:
    """Return name and value of a comment `# NAME = …`; None for any other."""
    name, equals, value = comment[1:].partition("=")
    return (name.strip(), value.strip()) if equals else None


def find_comment(comments: Iterable[str], name: str) -> str | None:
    """Return the value of the first comment of this name."""
    for comment in comments:
        if name in comment and (pair := split_comment(comment)) is not None and pair[0] == name:
            return pair[1]
    return None


def write_comment(comments: Iterable[str], name: str, value: str | None) -> list[str]:
    """Return the comments with this value, in the place of the one before, or at the end; None: without it."""
    lines: list[str] = []
    line = None if value is None else f"# {name} = {value}"
    for comment in comments:
        pair = split_comment(comment)
        if pair is None or pair[0] != name:
            lines.append(comment)
        elif line is not None:
            lines.append(line)
            line = None
    return lines if line is None else [*lines, line]


def read_confidence(misc: str) -> float | None:
    """Return how probable a word's head and label are, where the parser has written that into MISC."""
    match = PROBABILITY.search(misc) if CONFIDENCE in misc else None
    return float(match[1]) if match is not None and float(match[1]) <= 1 else None


@lru_cache(1 << 12)
def strip_subtype(relation: str) -> str:
    """Return the part of a relation that all languages share, before the first colon: `nsubj` of `nsubj:pass`."""
    return relation.partition(":")[0]


@lru_cache(1 << 12)
def parse_label(label: str) -> Mapping[str, str]:
    """Return the parts of a relation by their numbers: 1 and 2 of `nsubj:pass`. One that begins with `E:` is an
    enhanced one, and has the part `enhanced`."""
    plain = label.removeprefix("E:")
    parts = {str(number): part for number, part in enumerate(plain.split(":"), start=1)}
    return {**parts, "enhanced": "yes"} if len(plain) < len(label) else parts
