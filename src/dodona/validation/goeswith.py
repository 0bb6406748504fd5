"""Level 3: words that were written apart by mistake (`goeswith`)."""

from collections.abc import Iterator

from dodona.validation.rules import TREES, Spot
from dodona.validation.sentences import Tree
from dodona.validation.values import attribute


def _groups(s: Tree) -> Iterator[tuple[int, list[int]]]:
    """The first part of each such word, and the others."""
    for h in sorted({s.heads[d - 1] for d in s.having("goeswith")} - {0}):
        yield h, s.under(h, "goeswith")


@TREES.rule("goeswith-gap", 3, "the parts of the word one after the other")
def goeswith_gap(s: Tree) -> Iterator[Spot]:
    """Between the parts of a word there are no other words."""
    for h, parts in _groups(s):
        if parts != list(range(h + 1, h + 1 + len(parts))):
            yield Spot(s.word(h).line, " ".join(map(str, [h, *parts])))


@TREES.rule("goeswith-nospace", 3, "a space between the parts")
def goeswith_nospace(s: Tree) -> Iterator[Spot]:
    """The parts of a word are `goeswith` only because there is a space between them."""
    for h, parts in _groups(s):
        if any(attribute(s.word(d).misc, "SpaceAfter") == "No" for d in sorted([h, *parts])[:-1]):
            yield Spot(s.word(h).line, " ".join(s.word(d).form for d in sorted([h, *parts])))


@TREES.rule("goeswith-missing-typo", 3, "Typo=Yes in FEATS of the first part")
def goeswith_missing_typo(s: Tree) -> Iterator[Spot]:
    """A word that is written apart is a typo. A treebank without any FEATS need not say so."""
    memory = s.memory
    memory.features = memory.features or any(row.feats != "_" for row in s.rows.nodes)
    for h, _ in _groups(s):
        if attribute(s.word(h).feats, "Typo") != "Yes":
            memory.untyped.append((s.word(h).line, s.word(h).form, s.rows.sent_id))
    if memory.features and memory.untyped:  # of sentences before the first FEATS too
        for line, form, sentence in memory.untyped:
            yield Spot(line, form, sentence=sentence)
        memory.untyped.clear()


@TREES.rule("goeswith-lemma", 3, "`_` as lemma of all parts but the first")
def goeswith_lemma(s: Tree) -> Iterator[Spot]:
    """The lemma of the whole word is that of its first part."""
    for d in s.having("goeswith"):
        if s.word(d).lemma != "_":
            yield Spot(s.word(d).line, s.word(d).lemma)


@TREES.rule("goeswith-upos", 3, "X as tag of all parts but the first")
def goeswith_upos(s: Tree) -> Iterator[Spot]:
    """The tag of the whole word is that of its first part; the others are X."""
    for d in s.having("goeswith"):
        if s.word(d).upos != "X":
            yield Spot(s.word(d).line, s.word(d).upos)


@TREES.rule("goeswith-feats", 3, "`_` in FEATS of all parts but the first")
def goeswith_feats(s: Tree) -> Iterator[Spot]:
    """The features of the whole word are those of its first part."""
    for d in s.having("goeswith"):
        if s.word(d).feats != "_":
            yield Spot(s.word(d).line, s.word(d).feats)


@TREES.rule("goeswith-edeps", 3, "the same in DEPS as in HEAD and DEPREL")
def goeswith_edeps(s: Tree) -> Iterator[Spot]:
    """Part of a word has no relations of its own in the enhanced graph."""
    for d in s.having("goeswith"):
        row = s.word(d)
        if row.deps not in ("_", f"{row.head}:{row.deprel}"):
            yield Spot(row.line, row.deps)
