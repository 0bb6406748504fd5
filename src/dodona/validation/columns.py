"""Level 2: the values of the columns, each on its own."""

import re
from collections.abc import Iterator
from functools import lru_cache

from dodona.validation.rules import COLUMNS, Spot
from dodona.validation.sentences import Rows
from dodona.validation.values import universal

UPOS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"),
        *("SCONJ", "SYM", "VERB", "X"),
    )
)
RELATIONS = frozenset(
    (
        *("acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop"),
        *("csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list"),
        *("mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root"),
        *("vocative", "xcomp"),
    )
)
ENHANCED_RELATIONS = RELATIONS | {"ref"}
RELATION = re.compile(r"[a-z]+(?::[a-z]+)?")
ONCE = frozenset(("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref"))
BETWEEN = (("LEMMA", 2), ("UPOS", 3), ("XPOS", 4), ("FEATS", 5), ("HEAD", 6), ("DEPREL", 7), ("DEPS", 8))


@COLUMNS.rule("mwt-nonempty-field", 2, "`_` in all columns of a multiword token but ID, FORM and MISC")
def mwt_nonempty_field(s: Rows) -> Iterator[Spot]:
    """A multiword token has only a form; everything else belongs to its words. FEATS may say Typo=Yes."""
    for row, *_ in s.ranges:
        for name, k in BETWEEN:
            if row[k] != "_" and not (name == "FEATS" and row[k] == "Typo=Yes"):
                yield Spot(row.line, f"{name} {row[k]}")


@COLUMNS.rule("empty-node-nonempty-field", 2, "`_` in HEAD and DEPREL of an empty node")
def empty_node_nonempty_field(s: Rows) -> Iterator[Spot]:
    """Empty nodes are no part of the basic tree; they are attached in DEPS."""
    for row, _ in s.empty:
        for name, value in (("HEAD", row.head), ("DEPREL", row.deprel)):
            if value != "_":
                yield Spot(row.line, f"{name} {value}")


@COLUMNS.rule("unknown-upos", 2, f"one of {' '.join(sorted(UPOS))}")
def unknown_upos(s: Rows) -> Iterator[Spot]:
    """UPOS is one of the 17 universal tags. An empty node may have `_`."""
    for row in s.nodes:
        if row.upos not in UPOS and not (row.upos == "_" and "." in row.id):
            yield Spot(row.line, row.upos)


def _faulty_features(s: Rows, name: str) -> Iterator[Spot]:
    for line, rule, value in s.feature_faults:
        if rule == name:
            yield Spot(line, value)


@COLUMNS.rule("invalid-feature", 2, "Name=Value or Name[layer]=Value,Value; letters and digits, a capital first")
def invalid_feature(s: Rows) -> Iterator[Spot]:
    """FEATS has pairs of name and value with `|` between them."""
    return _faulty_features(s, "invalid-feature")


@COLUMNS.rule("unsorted-features", 2, "features in alphabetical order, capital or not")
def unsorted_features(s: Rows) -> Iterator[Spot]:
    """Features are sorted, so that the same features are always the same string."""
    return _faulty_features(s, "unsorted-features")


@COLUMNS.rule("repeated-feature", 2, "each feature once; several values are Name=A,B")
def repeated_feature(s: Rows) -> Iterator[Spot]:
    """A word has each feature once."""
    return _faulty_features(s, "repeated-feature")


@COLUMNS.rule("unsorted-feature-values", 2, "values in alphabetical order, capital or not")
def unsorted_feature_values(s: Rows) -> Iterator[Spot]:
    """Several values of a feature are sorted."""
    return _faulty_features(s, "unsorted-feature-values")


@COLUMNS.rule("repeated-feature-value", 2, "each value once")
def repeated_feature_value(s: Rows) -> Iterator[Spot]:
    """A feature has each value once."""
    return _faulty_features(s, "repeated-feature-value")


@lru_cache(1 << 12)
def is_relation(deprel: str) -> bool:
    return RELATION.fullmatch(deprel) is not None


@COLUMNS.rule("invalid-deprel", 2, "a relation in small letters, with a subtype after a colon or without")
def invalid_deprel(s: Rows) -> Iterator[Spot]:
    """DEPREL is a relation, or a relation and its subtype: nsubj, nsubj:pass."""
    for row in s.words:
        if not is_relation(row.deprel):
            yield Spot(row.line, row.deprel)


@COLUMNS.rule("unknown-udeprel", 2, f"one of {' '.join(sorted(RELATIONS))}")
def unknown_udeprel(s: Rows) -> Iterator[Spot]:
    """Before the colon, DEPREL is one of the 37 universal relations."""
    for row in s.words:
        if universal(row.deprel) not in RELATIONS and is_relation(row.deprel):
            yield Spot(row.line, universal(row.deprel))


@COLUMNS.rule("repeated-misc", 2, f"each of {' '.join(sorted(ONCE))} once")
def repeated_misc(s: Rows) -> Iterator[Spot]:
    """MISC may have anything, but an attribute that UD documents has one value."""
    for row in s.all_rows:
        if "|" in row.misc:
            names = [part.partition("=")[0] for part in row.misc.split("|")]
            if len(set(names)) < len(names):
                for name in sorted(ONCE.intersection(name for name in names if names.count(name) > 1)):
                    yield Spot(row.line, name)
