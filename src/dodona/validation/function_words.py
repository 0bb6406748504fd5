"""Level 3: function words and punctuation have no dependents, but for a few kinds."""

from collections.abc import Iterator

from dodona.validation.rules import TREES, Spot
from dodona.validation.sentences import Tree
from dodona.validation.values import attribute

ALWAYS = "goeswith reparandum conj punct"  # in a function word too, parts can be apart, repeated or joined


def _leaf(name: str, relations: tuple[str, ...], allowed: str, why: str) -> None:
    """Register the rule that words with some relations have only dependents of these kinds."""
    kinds = frozenset(allowed.split())

    def check(s: Tree) -> Iterator[Spot]:
        for h in s.having(*relations):
            for d in s.children[h]:
                if s.relations[d - 1] not in kinds and not _is_exception(s, h, d):
                    yield Spot(s.word(d).line, f"{s.shown(d)} under {s.shown(h)}")

    check.__doc__ = why
    only = f"only {', '.join(allowed.split())} below it" if allowed else "nothing below it"
    TREES.rule(name, 3, only)(check)


def _is_exception(s: Tree, h: int, d: int) -> bool:
    """Negation can modify function words; punctuation can stand under one if it would cross an arc elsewhere; a
    possessive determiner stands for a person, who can be described."""
    head, relation = s.relations[h - 1], s.relations[d - 1]
    row = s.word(d)
    if head != "punct" and relation == "advmod" and row.upos in ("PART", "ADV"):
        return attribute(row.feats, "Polarity") == "Neg"
    if relation == "punct":
        return s.heads[h - 1] != 0 and not s.is_projective and bool(s.gap(h))
    if head == "det" and relation in ("appos", "acl", "nmod"):
        return attribute(s.word(h).feats, "Poss") == "Yes"
    return False


_leaf(
    "leaf-mark-case", ("mark", "case"), f"advmod obl fixed cc {ALWAYS}",
    "Conjunctions and adpositions (`mark`, `case`) have no dependents but adverbials: all others are those of the word "
    "that they introduce.",
)  # fmt: skip
_leaf(
    "leaf-aux-cop", ("aux", "cop"), f"fixed cc {ALWAYS}",
    "Auxiliaries and copulas have no dependents: these belong to the main verb or the predicate.",
)  # fmt: skip
_leaf(
    "leaf-det", ("det",), f"det case advmod obl clf fixed flat compound discourse parataxis cc {ALWAYS}",
    "Determiners have few kinds of dependents; most belong to the noun.",
)  # fmt: skip
_leaf(
    "leaf-clf", ("clf",), f"advmod obl fixed cc {ALWAYS}",
    "Classifiers have no dependents but adverbials.",
)  # fmt: skip
_leaf(
    "leaf-cc", ("cc",), f"fixed {ALWAYS}",
    "Coordinating conjunctions (`cc`) have no dependents.",
)  # fmt: skip
_leaf(
    "leaf-fixed", ("fixed",), ALWAYS,
    "The words of a fixed expression are all attached to the first one, and have no dependents.",
)  # fmt: skip
_leaf(
    "leaf-goeswith", ("goeswith",), "",
    "The parts of a word that was written apart are all attached to the first one, and have no dependents.",
)  # fmt: skip
_leaf(
    "leaf-punct", ("punct",), "punct",
    "Punctuation has no dependents, but for other punctuation around it.",
)  # fmt: skip
