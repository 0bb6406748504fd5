"""Level 3: the enhanced graph in DEPS."""

from collections.abc import Iterator

from dodona.validation.rules import TREES, Spot, file_rule
from dodona.validation.sentences import Tree
from dodona.validation.values import universal


@TREES.rule("enhanced-0-is-not-root", 3, "the relation root where the head is 0")
def enhanced_zero_is_not_root(s: Tree) -> Iterator[Spot]:
    """In DEPS too, what depends on 0 is `root`."""
    for row, pairs in s.rows.deps:
        if any(head == "0" and universal(relation) != "root" for head, relation in pairs):
            yield Spot(row.line, row.deps)


@TREES.rule("enhanced-root-is-not-0", 3, "0 as the head of root")
def enhanced_root_is_not_zero(s: Tree) -> Iterator[Spot]:
    """In DEPS too, only what depends on 0 is `root`."""
    for row, pairs in s.rows.deps:
        if any(head != "0" and universal(relation) == "root" for head, relation in pairs):
            yield Spot(row.line, row.deps)


@TREES.rule("orphan-beside-empty-nodes", 3, "no orphan in DEPS of a treebank that has empty nodes")
def orphan_beside_empty_nodes(s: Tree) -> Iterator[Spot]:
    """`orphan` stands for a missing predicate. Where missing predicates are empty nodes, DEPS does not need it."""
    memory = s.memory
    if not s.rows.has_graph:
        return
    pairs_of = {row.id: pairs for row, pairs in s.rows.deps}
    for row in s.rows.nodes:
        if "." in row.id and not memory.empty_node:
            memory.empty_node = row.line
            if memory.orphan:
                yield Spot(row.line, row.id, f"no empty node, as line {memory.orphan} has orphan in DEPS")
        if any(universal(relation) == "orphan" for _, relation in pairs_of.get(row.id, ())):
            memory.orphan = memory.orphan or row.line
            if memory.empty_node:
                yield Spot(row.line, row.deps, f"no orphan, as line {memory.empty_node} has an empty node")


IDENTICAL = file_rule(
    "edeps-identical-to-basic-trees",
    3,
    "`_` in DEPS, or a relation in DEPS that HEAD and DEPREL do not have",
    "DEPS adds to the basic tree. A file in which it is a mere copy should have none.",
)
