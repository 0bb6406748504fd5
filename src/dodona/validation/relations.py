"""Level 3: roots, directions, subjects and objects, and which parts of speech a relation can have."""

from collections.abc import Iterator

from dodona.validation.rules import TREES, Spot
from dodona.validation.sentences import Tree
from dodona.validation.values import attribute

NOMINALS = frozenset(("NOUN", "PROPN", "PRON"))
NOMINAL_RELATIONS = frozenset(("nsubj", "obj", "iobj", "obl", "vocative", "dislocated", "expl", "nmod"))
CLAUSE_SIGNS = frozenset(("cop", "nsubj", "csubj"))


@TREES.rule("0-is-not-root", 3, "DEPREL root where HEAD is 0")
def zero_is_not_root(s: Tree) -> Iterator[Spot]:
    """The word with HEAD 0 has the relation `root`."""
    for d, h in enumerate(s.heads, start=1):
        if h == 0 and s.relations[d - 1] != "root":
            yield Spot(s.word(d).line, s.shown(d))


@TREES.rule("root-is-not-0", 3, "HEAD 0 where DEPREL is root")
def root_is_not_zero(s: Tree) -> Iterator[Spot]:
    """Only the word with HEAD 0 has the relation `root`."""
    for d in s.having("root"):
        if s.heads[d - 1] != 0:
            yield Spot(s.word(d).line, s.shown(d))


def part_of_speech(s: Tree, d: int) -> str:
    """That of a word, or of the fixed expression that it heads (ExtPos)."""
    row = s.word(d)
    return attribute(row.feats, "ExtPos") or row.upos


def _only(relation: str, tags: str) -> None:
    """Register the rule that words with a relation have one of these tags."""
    allowed = frozenset(tags.split())

    def check(s: Tree) -> Iterator[Spot]:
        for d in s.having(relation):
            tag = part_of_speech(s, d)
            if tag not in allowed and not (relation == "advmod" and s.under(d, "goeswith")):
                yield Spot(s.word(d).line, f"{s.shown(d)} is {tag}")

    check.__doc__ = f"A word with the relation `{relation}` has one of these tags, or says so in ExtPos: {tags}."
    TREES.rule(f"rel-upos-{relation}", 3, f"one of {tags}")(check)


def _never(relation: str, tags: str) -> None:
    """Register the rule that words with a relation have none of these tags."""
    forbidden = frozenset(tags.split())

    def check(s: Tree) -> Iterator[Spot]:
        for d in s.having(relation):
            tag = part_of_speech(s, d)
            if tag in forbidden:
                yield Spot(s.word(d).line, f"{s.shown(d)} is {tag}")

    check.__doc__ = f"A word with the relation `{relation}` has none of these tags: {tags}."
    TREES.rule(f"rel-upos-{relation}", 3, f"none of {tags}")(check)


_only("det", "DET PRON")
_only("nummod", "NUM NOUN SYM")
_only("advmod", "ADV ADJ CCONJ DET PART SYM")
_only("expl", "PRON DET PART")
_only("aux", "AUX")
_only("cop", "AUX PRON DET SYM")
_never("case", "PROPN ADJ PRON DET NUM AUX")
_never("mark", "NOUN PROPN ADJ PRON DET NUM AUX INTJ")
_never("cc", "NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ")
_only("punct", "PUNCT")


@TREES.rule("upos-rel-punct", 3, "the relation punct, or root")
def upos_rel_punct(s: Tree) -> Iterator[Spot]:
    """Punctuation (PUNCT) is attached as `punct`, or is the root of a sentence without words."""
    for d, row in enumerate(s.words, start=1):
        tag = row.upos if "ExtPos" not in row.feats else part_of_speech(s, d)
        if tag == "PUNCT" and s.relations[d - 1] not in ("punct", "root"):
            yield Spot(row.line, s.shown(d))


@TREES.rule("rel-upos-fixed", 3, "flat for names")
def rel_upos_fixed(s: Tree) -> Iterator[Spot]:
    """Fixed expressions are function words; names of several words are `flat`."""
    fixed = s.having("fixed")
    for d in sorted({*fixed, *(s.heads[k - 1] for k in fixed)} - {0}):
        if part_of_speech(s, d) == "PROPN":
            yield Spot(s.word(d).line, s.shown(d))


def _head_first(relation: str) -> None:
    """Register the rule that the head of a relation comes before the dependent."""

    def check(s: Tree) -> Iterator[Spot]:
        for d in s.having(relation):
            if d < s.heads[d - 1]:
                yield Spot(s.word(d).line, s.shown(d))

    check.__doc__ = f"The first word is the head of `{relation}`: nothing else would say which one it is."
    TREES.rule(f"right-to-left-{relation}", 3, "a head before it")(check)


for _relation in ("conj", "fixed", "flat", "goeswith", "appos"):
    _head_first(_relation)


@TREES.rule("too-many-subjects", 3, "one subject; those of an outer clause are nsubj:outer or csubj:outer")
def too_many_subjects(s: Tree) -> Iterator[Spot]:
    """A predicate has one subject. Where a whole clause is the predicate, the other one is `outer`, in DEPREL or as
    Subject=Outer in MISC."""
    subjects = s.having("nsubj", "csubj")
    if len(subjects) > 1:
        yield from _several(s, [d for d in subjects if not _is_outer(s, d)])


def _is_outer(s: Tree, d: int) -> bool:
    row = s.word(d)
    return row.deprel in ("nsubj:outer", "csubj:outer") or attribute(row.misc, "Subject") == "Outer"


@TREES.rule("too-many-objects", 3, "one obj; others are iobj or obl")
def too_many_objects(s: Tree) -> Iterator[Spot]:
    """A predicate has one direct object."""
    objects = s.having("obj")
    if len(objects) > 1:
        yield from _several(s, objects)


def _several(s: Tree, words: list[int]) -> Iterator[Spot]:
    by_head: dict[int, list[int]] = {}
    for d in sorted(words):
        by_head.setdefault(s.heads[d - 1], []).append(d)
    for h, found in by_head.items():
        if len(found) > 1 and h:
            yield Spot(s.word(h).line, f"{s.word(h).form}: {', '.join(map(s.shown, found))}")


@TREES.rule("obl-should-be-nmod", 3, "nmod, as its head is a nominal")
def obl_should_be_nmod(s: Tree) -> Iterator[Spot]:
    """Modifiers of a noun or pronoun are `nmod`, unless that is a predicate, with a subject or a copula of its own."""
    for d in s.having("obl"):
        h = s.heads[d - 1]
        if h == 0 or s.word(h).upos not in NOMINALS or s.relations[h - 1] not in NOMINAL_RELATIONS:
            continue
        if not any(s.relations[k - 1] in CLAUSE_SIGNS for k in s.children[h]):
            yield Spot(s.word(d).line, s.shown(d))
