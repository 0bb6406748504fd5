"""Level 2: HEAD and DEPREL are a tree, DEPS a graph that begins at the root."""

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import category

from dodona.data.trees import find_cycle
from dodona.validation.columns import ENHANCED_RELATIONS
from dodona.validation.rules import COLUMNS, Spot
from dodona.validation.sentences import HEAD, Rows
from dodona.validation.values import universal

ENHANCED_HEAD = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?", re.ASCII)
SMALL = re.compile(r"[a-z]+")
LEMMA = frozenset(("Ll", "Lm", "Lo", "Mn", "Mc", "Me"))


@COLUMNS.rule("invalid-head", 2, "the number of a word, or 0 for the root", severe=True)
def invalid_head(s: Rows) -> Iterator[Spot]:
    """HEAD is a number; `_` is for words that are not yet annotated."""
    for row in s.words:
        if HEAD.fullmatch(row.head) is None:
            yield Spot(row.line, row.head)


@COLUMNS.rule("unknown-head", 2, "the number of a word of this sentence", severe=True)
def unknown_head(s: Rows) -> Iterator[Spot]:
    """HEAD is a word of the same sentence."""
    n = len(s.words)
    if s.heads is None:
        for row in s.words:
            if HEAD.fullmatch(row.head) and int(row.head) > n:
                yield Spot(row.line, row.head, f"a number from 0 to {n}")


@COLUMNS.rule("head-self-loop", 2, "another word as head", severe=True)
def head_self_loop(s: Rows) -> Iterator[Spot]:
    """No word is its own head."""
    for row in s.words:
        if row.head == row.id:
            yield Spot(row.line, row.head)


@COLUMNS.rule("multiple-roots", 2, "one word with HEAD 0")
def multiple_roots(s: Rows) -> Iterator[Spot]:
    """A sentence has one root."""
    if s.heads and s.heads.count(0) > 1:
        roots = [row for row in s.words if row.head == "0"]
        yield Spot(roots[1].line, " ".join(row.id for row in roots))


@COLUMNS.rule("non-tree", 2, "a path from every word to the root", severe=True)
def non_tree(s: Rows) -> Iterator[Spot]:
    """The words are a tree under the root: following the heads, one gets from every word to 0."""
    if s.heads:
        cycle = find_cycle(s.heads)
        if cycle is not None and len(cycle[1]) > 1:
            yield Spot(s.words[cycle[0] - 1].line, " → ".join(map(str, [*cycle[1], cycle[1][0]])))


@COLUMNS.rule("invalid-deps", 2, "head:relation, with | between several")
def invalid_deps(s: Rows) -> Iterator[Spot]:
    """DEPS has pairs of head and relation with `|` between them."""
    if s.has_graph:
        parsed = {row.id for row, _ in s.deps}
        for row in s.nodes:
            if row.deps != "_" and row.id not in parsed:
                yield Spot(row.line, row.deps)


@COLUMNS.rule("invalid-ehead", 2, "the number of a word or an empty node, or 0 for the root")
def invalid_ehead(s: Rows) -> Iterator[Spot]:
    """The heads in DEPS are numbers: 3, or 3.1 for an empty node."""
    for row, pairs in s.deps:
        for head, _ in pairs:
            if ENHANCED_HEAD.fullmatch(head) is None:
                yield Spot(row.line, head)


@COLUMNS.rule("unknown-ehead", 2, "a word or an empty node of this sentence")
def unknown_ehead(s: Rows) -> Iterator[Spot]:
    """The heads in DEPS are words or empty nodes of the same sentence."""
    if s.deps:
        known = {"0", *(row.id for row in s.nodes)}
        for row, pairs in s.deps:
            for head, _ in pairs:
                if head not in known and ENHANCED_HEAD.fullmatch(head):
                    yield Spot(row.line, head)


def head_order(head: str) -> tuple[int, int] | None:
    """By what heads in DEPS are sorted; 1.10 comes after 1.2."""
    found = ENHANCED_HEAD.fullmatch(head)
    return (int(found[1]), int(found[2] or 0)) if found else None


@COLUMNS.rule("unsorted-deps", 2, "DEPS sorted by head, and by relation where heads are the same")
def unsorted_deps(s: Rows) -> Iterator[Spot]:
    """DEPS is sorted, so that the same graph is always the same string."""
    for row, pairs in s.deps:
        if len(pairs) > 1:
            keys = [(order, relation) for head, relation in pairs if (order := head_order(head)) is not None]
            if keys != sorted(keys):
                yield Spot(row.line, row.deps)


@COLUMNS.rule("repeated-deps", 2, "each head and relation once")
def repeated_deps(s: Rows) -> Iterator[Spot]:
    """DEPS has each pair of head and relation once."""
    for row, pairs in s.deps:
        if len(set(pairs)) < len(pairs):
            yield Spot(row.line, row.deps)


@COLUMNS.rule("deps-self-loop", 2, "other words as heads")
def deps_self_loop(s: Rows) -> Iterator[Spot]:
    """No node is its own head in DEPS. Longer cycles are allowed there."""
    for row, pairs in s.deps:
        if any(head == row.id for head, _ in pairs):
            yield Spot(row.line, row.deps)


@lru_cache(1 << 14)
def is_enhanced_relation(relation: str) -> bool:
    """Whether this is a relation, then perhaps a subtype, the lemma of a preposition or conjunction, and a case."""
    first, *rest = relation.split(":")
    if SMALL.fullmatch(first) is None or len(rest) > 3:
        return False
    small = [SMALL.fullmatch(part) is not None for part in rest]
    if all(small):
        return True
    lemma = small.index(False)  # the only part that may have other letters
    return lemma <= 1 and len(rest) - lemma <= 2 and all(small[lemma + 1 :]) and _is_lemma(rest[lemma])


def _is_lemma(text: str) -> bool:
    """Letters without capitals, and marks; `_` between words."""
    return all(part and all(category(char) in LEMMA for char in part) for part in text.split("_"))


@COLUMNS.rule("invalid-edeprel", 2, "relation:subtype:lemma:case, where all but the first may be missing")
def invalid_edeprel(s: Rows) -> Iterator[Spot]:
    """A relation in DEPS can have the lemma of a preposition or conjunction, and the name of a case."""
    for row, pairs in s.deps:
        for _, relation in pairs:
            if not is_enhanced_relation(relation):
                yield Spot(row.line, relation)


@COLUMNS.rule("unknown-eudeprel", 2, "a universal relation, or ref")
def unknown_eudeprel(s: Rows) -> Iterator[Spot]:
    """Before the first colon, a relation in DEPS is a universal one, or `ref` for relative pronouns."""
    for row, pairs in s.deps:
        for _, relation in pairs:
            if universal(relation) not in ENHANCED_RELATIONS and is_enhanced_relation(relation):
                yield Spot(row.line, relation)


@COLUMNS.rule("edeps-only-sometimes", 2, "DEPS in all sentences, or in none")
def edeps_only_sometimes(s: Rows) -> Iterator[Spot]:
    """A treebank has enhanced graphs or has none; reported at the first sentence that differs."""
    memory = s.memory
    if s.has_graph and not memory.with_deps:
        memory.with_deps = s.line
        if memory.without_deps:
            yield Spot(s.line, "DEPS", f"none, as in the sentence of line {memory.without_deps}")
    elif not s.has_graph and not memory.without_deps:
        memory.without_deps = s.line
        if memory.with_deps:
            yield Spot(s.line, "no DEPS", f"some, as in the sentence of line {memory.with_deps}")


@COLUMNS.rule("unconnected-egraph", 2, "a path from the root to every node")
def unconnected_egraph(s: Rows) -> Iterator[Spot]:
    """Where there are DEPS, every word and every empty node is reached from the root."""
    if not s.has_graph or any(True for rule in (invalid_deps, unknown_ehead) for _ in rule(s)):
        return
    below: dict[str, list[str]] = {}
    for row, pairs in s.deps:
        for head, _ in pairs:
            below.setdefault(head, []).append(row.id)
    reached = {"0"}
    walk = ["0"]
    for node in walk:  # grows while it is walked through
        new = [d for d in below.get(node, ()) if d not in reached]
        reached.update(new)
        walk += new
    if lost := [row for row in s.nodes if row.id not in reached]:
        yield Spot(lost[0].line, " ".join(row.id for row in lost))
