"""Matching: which nodes of a sentence a pattern can stand for.

A pattern is compiled once. For each sentence, every node of the pattern gets its candidates, by their features, and
every edge clause its pairs, by label and candidates; as soon as one of these lists is empty, the sentence has no match.
What is left is joined by a walk that binds one name after the other, in an order that was planned beforehand: the
rarest clause first, then what hangs on names that are bound. A walk takes at most MAX_STEPS steps, so that no pattern
takes forever.

Two names never stand for the same node. Nodes are numbers, as `dodona.patterns.graph` has them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from dodona.data import Sentence
from dodona.data.trees import find_cycle, is_projective
from dodona.data.ud import split_comment
from dodona.errors import PatternError
from dodona.patterns.graph import ATTRIBUTES, COLUMNS, NodeGraph, find_attribute, read_value
from dodona.patterns.language import (
    ANY,
    Clauses,
    Comparing,
    EdgeClause,
    FeatureTest,
    Operand,
    Precedence,
    SearchRequest,
    parse_pattern,
)

__all__ = ["MAX_STEPS", "Binding", "Pattern"]

MAX_STEPS = 1_000_000
"""Of the walk through one sentence. A step is a candidate that is tried; a million take about a second."""
MAX_MEMORY = 1 << 16  # values of a column whose test is remembered
SELECTIVITY = {"form": 0.01, "lemma": 0.01, "xpos": 0.05, "deprel": 0.07, "upos": 0.1, ATTRIBUTES: 0.2}
"""About which share of all words has one of the values that a pattern names; only for the order of the walk."""

Binding = int | tuple[int, int, str]
"""What a name stands for: the number of a node; or an edge, by its source, its target and its label."""
K = TypeVar("K")


class Memory(dict[K, bool], Generic[K]):
    """A test by value that is done once for each value."""

    def __init__(self, test: Callable[[K], bool]) -> None:
        super().__init__()
        self.test = test

    def __missing__(self, value: K) -> bool:
        if len(self) >= MAX_MEMORY:
            self.clear()
        result = self[value] = self.test(value)
        return result


# What is asked of nodes


class NodeTest:
    """What a block asks of the features of a node: some lists of alternatives, of which each needs one to hold."""

    def __init__(self, asked: Sequence[tuple[tuple[FeatureTest, ...], ...]]) -> None:
        self.is_free = all(() in alternatives for alternatives in asked)
        together = [test for alternatives in asked if len(alternatives) == 1 for test in alternatives[0]]
        self._single = _group(together)
        self._choices = [list(map(_group, alternatives)) for alternatives in asked if len(alternatives) > 1]
        self.share = _estimate(together)
        for alternatives in asked:
            if len(alternatives) > 1:
                self.share *= min(1.0, sum(map(_estimate, alternatives)))

    def select(self, graph: NodeGraph) -> list[int]:
        """Return the nodes that fit, in order."""
        nodes: Sequence[int] = range(graph.size)
        first = True
        for column, memory in self._single:
            values = graph.column(column)
            if first:
                nodes = [k for k, value in enumerate(values) if memory[value]]
            else:
                nodes = [k for k in nodes if memory[values[k]]]
            if not nodes:
                return []
            first = False
        for choice in self._choices:
            nodes = [k for k in nodes if any(_holds(tests, graph, k) for tests in choice)]
        return list(nodes)

    def accepts(self, graph: NodeGraph, node: int) -> bool:
        """Whether one node fits."""
        if not _holds(self._single, graph, node):
            return False
        return all(any(_holds(tests, graph, node) for tests in choice) for choice in self._choices)


def _holds(tests: list[tuple[str, Memory[Any]]], graph: NodeGraph, node: int) -> bool:
    return all(memory[graph.column(column)[node]] for column, memory in tests)


def _group(tests: Iterable[FeatureTest]) -> list[tuple[str, Memory[Any]]]:
    """Return one remembered test for each column, the most selective one first."""
    by_column: dict[str, list[FeatureTest]] = {}
    for test in tests:
        by_column.setdefault(test.feature if test.feature in COLUMNS else ATTRIBUTES, []).append(test)
    order = sorted(by_column, key=lambda column: _estimate(by_column[column]))
    return [(column, Memory(_join_tests(column, by_column[column]))) for column in order]


def _join_tests(column: str, tests: list[FeatureTest]) -> Callable[[Any], bool]:
    if column == ATTRIBUTES:
        return lambda pair: all(test.accepts(find_attribute(pair, test.feature)) for test in tests)
    return lambda value: all(test.accepts(read_value(column, value)) for test in tests)


def _estimate(tests: Iterable[FeatureTest]) -> float:
    share = 1.0
    for test in tests:
        if test.bare or test.negated:
            share *= 0.5
        else:
            once = SELECTIVITY[test.feature if test.feature in COLUMNS else ATTRIBUTES]
            share *= min(0.9, once * (len(test.values) + 5 * len(test.expressions)))
    return share


# What is asked of several nodes

Bindings = list[Any]
Check = Callable[[NodeGraph, Bindings], bool]


class Relation:
    """An edge clause between two names: which pairs of nodes it allows."""

    def __init__(self, clause: EdgeClause, slots: dict[str, int]) -> None:
        self.source, self.target = slots[clause.source], slots[clause.target]
        self.slot = slots[clause.name] if clause.name is not None else None
        self.labels = None if clause.label.is_free else Memory(clause.label.accepts)
        listed = clause.label.listed
        tests = [listed] if listed is not None else list(clause.label.parts)
        self.share = 1.0 if clause.label.is_free else _estimate(_as_deprel(test) for test in tests)

    def edges(self, graph: NodeGraph) -> list[tuple[int, int, str]]:
        """Return the edges that fit by label."""
        labels = self.labels
        if labels is None:
            return graph.edges
        return [edge for edge in graph.edges if labels[edge[2]]]


def _as_deprel(test: FeatureTest) -> FeatureTest:
    return FeatureTest("deprel", test.values, test.expressions, test.negated, test.present, test.bare)


class WalkStep:
    """How a walk binds the next name: to a node or, where it has an edge, to one of the edges between two nodes."""

    def __init__(self, slot: int, *, relation: int = -1, from_source: bool = False, is_edge: bool = False) -> None:
        self.slot = slot
        self.relation = relation  # by which the node hangs on one that is bound; -1: none, all candidates are tried
        self.from_source = from_source
        self.is_edge = is_edge
        self.order: tuple[int, int] | None = None  # bound node, and how many places the new one is behind it
        self.relations: list[int] = []  # that must hold now
        self.checks: list[Check] = []


class ClausesMatcher:
    """The clauses of one block. `bound` are the slots that have values already, those of the pattern for a filter."""

    def __init__(self, clauses: Clauses, slots: dict[str, int], bound: set[int]) -> None:
        self.slots = slots
        self.tests = {slots[name]: NodeTest(asked) for name, asked in clauses.nodes.items()}
        pairs = [edge for edge in clauses.edges if ANY not in (edge.source, edge.target)]
        self.relations = [Relation(edge, slots) for edge in pairs]
        self.given = frozenset(bound)
        self.first = WalkStep(-1)  # what can be checked before anything is bound
        self.first.relations = [k for k, each in enumerate(self.relations) if {each.source, each.target} <= bound]
        checks = [(_slots_of(names, slots), check) for names, check in _make_checks(clauses, slots)]
        self.steps = self._plan(clauses.orders, set(bound))
        known = set(bound)
        for step in (self.first, *self.steps):
            known.add(step.slot)
            step.checks = [check for needed, check in checks if needed <= known]
            checks = [(needed, check) for needed, check in checks if not needed <= known]
        self.is_pairs = self._is_pairs(clauses)

    def _is_pairs(self, clauses: Clauses) -> bool:
        """Whether all that is asked is one edge between two nodes: then its pairs are the matches."""
        return (
            not self.given and len(self.relations) == 1 == len(clauses.edges) and len(self.tests) == 2
            and self.relations[0].source != self.relations[0].target
            and not (clauses.orders or clauses.comparisons or clauses.crossings)
        )  # fmt: skip

    # The plan

    def _plan(self, orders: Sequence[Precedence], known: set[int]) -> list[WalkStep]:
        """Return the steps: rare nodes first, and after each of them what hangs on it."""
        share = {slot: test.share for slot, test in self.tests.items()}
        for each in self.relations:
            share[each.target] *= each.share
            share[each.source] *= min(1.0, 2 * each.share)
        steps: list[WalkStep] = []
        waiting = [slot for slot in self.tests if slot not in known]
        done = set(self.first.relations)
        self._add_edges(self.first.relations, steps)
        while waiting:
            hanging = {slot: step for slot in waiting if (step := self._hang(slot, known, orders)) is not None}
            slot = min(hanging or waiting, key=lambda slot: (share[slot], slot))
            step = hanging.get(slot) or WalkStep(slot)
            waiting.remove(slot)
            known.add(slot)
            ready = {k for k, each in enumerate(self.relations) if {each.source, each.target} <= known}
            step.relations = [k for k in sorted(ready - done) if k != step.relation]
            steps.append(step)
            self._add_edges(sorted(ready - done), steps)
            done |= ready
        return steps

    def _add_edges(self, ready: Iterable[int], steps: list[WalkStep]) -> None:
        """Let an edge with a name be bound when both of its nodes are."""
        for k in ready:
            slot = self.relations[k].slot
            if slot is not None:
                steps.append(WalkStep(slot, relation=k, is_edge=True))

    def _hang(self, slot: int, known: set[int], orders: Sequence[Precedence]) -> WalkStep | None:
        """Return a step that finds the candidates of a name by a node that is bound; None if it hangs on none."""
        for k, each in enumerate(self.relations):  # a node has one head, but many dependents
            if each.source == slot and each.target in known:
                return WalkStep(slot, relation=k)
        for order in orders:
            left, right = self.slots[order.left], self.slots[order.right]
            if order.immediate and (left if right == slot else right) in known and slot in (left, right):
                step = WalkStep(slot)
                step.order = (left, 1) if right == slot else (right, -1)
                return step
        for k, each in enumerate(self.relations):
            if each.target == slot and each.source in known:
                return WalkStep(slot, relation=k, from_source=True)
        return None

    # The walk

    def prepare(self, graph: NodeGraph) -> "Walker | None":
        """Return what walks through a sentence; None if the candidates say already that there is no match."""
        candidates: dict[int, list[int]] = {}
        for slot, test in self.tests.items():
            if slot not in self.given and not test.is_free:
                nodes = candidates[slot] = test.select(graph)
                if not nodes:
                    return None
        sets = {slot: set(nodes) for slot, nodes in candidates.items()}
        tables: list[list[tuple[int, int, str]]] = []
        for relation in self.relations:
            edges = relation.edges(graph)
            sources, targets = sets.get(relation.source), sets.get(relation.target)
            if targets is not None:
                edges = [edge for edge in edges if edge[1] in targets]
            if sources is not None:
                edges = [edge for edge in edges if edge[0] in sources]
            if not edges:
                return None
            tables.append(edges)
        return Walker(self, graph, candidates, sets, tables)


class Walker:
    """A walk through one sentence."""

    def __init__(
        self, matcher: ClausesMatcher, graph: NodeGraph, candidates: dict[int, list[int]], sets: dict[int, set[int]],
        tables: list[list[tuple[int, int, str]]],
    ) -> None:  # fmt: skip
        self.matcher, self.graph, self.candidates, self.sets, self.tables = matcher, graph, candidates, sets, tables
        self._indices: dict[tuple[int, int], dict[int, list[int]]] = {}
        self._parallel: dict[int, dict[tuple[int, int], list[tuple[int, int, str]]]] = {}
        self._ways: list[tuple[dict[int, list[int]], int] | None] = []  # of each step, when the walk begins
        self._node_at = {place: node for node, place in enumerate(graph.position)} if graph.empty else None

    def _open(self, step: WalkStep) -> tuple[dict[int, list[int]], int] | None:
        """Return where a step by a relation looks up its values, and the slot of the node that they hang on."""
        if step.is_edge or step.relation < 0:
            return None
        relation = self.matcher.relations[step.relation]
        if step.from_source:
            return self._index(step.relation, 0), relation.source
        return self._index(step.relation, 1), relation.target

    def begin(self, bindings: Bindings, accept: Callable[[Bindings], bool], steps: list[int]) -> bool:
        """Walk with these bindings; `accept` is called for each match, and says whether that is enough. `steps` has
        the number of steps that are left: below 0, the walk has ended early."""
        for slot in self.matcher.given & self.matcher.tests.keys():
            if not self.matcher.tests[slot].accepts(self.graph, bindings[slot]):
                return False
        if not self._holds(self.matcher.first, bindings):
            return False
        self._ways = self._ways or [self._open(step) for step in self.matcher.steps]
        return self._go(0, bindings, accept, steps) if self.matcher.steps else accept(bindings)

    def _go(self, depth: int, bindings: Bindings, accept: Callable[[Bindings], bool], steps: list[int]) -> bool:
        step, way = self.matcher.steps[depth], self._ways[depth]
        slot, is_edge = step.slot, step.is_edge
        is_free = not step.relations and not step.checks
        is_last = depth + 1 == len(self._ways)
        values = self._find_values(step, bindings) if way is None else way[0].get(bindings[way[1]], ())
        steps[0] -= len(values)
        if steps[0] < 0:
            return True
        for value in values:
            if value in bindings and not is_edge:  # two names never stand for the same node
                continue
            bindings[slot] = value
            if not is_free and not self._holds(step, bindings):
                continue
            if accept(bindings) if is_last else self._go(depth + 1, bindings, accept, steps):
                return True
        bindings[slot] = None
        return False

    def _find_values(self, step: WalkStep, bindings: Bindings) -> Sequence[Any]:
        if step.is_edge:
            relation = self.matcher.relations[step.relation]
            ends = (bindings[relation.source], bindings[relation.target])
            return self._find_parallel(step.relation).get(ends, ())
        if step.order is not None:
            return self._find_neighbour(step.slot, bindings[step.order[0]], step.order[1])
        return self.candidates.get(step.slot) or range(self.graph.size)

    def _find_neighbour(self, slot: int, node: int, distance: int) -> Sequence[int]:
        place = self.graph.position[node] + distance
        if not 0 <= place < self.graph.size:
            return ()
        neighbour = place if self._node_at is None else self._node_at[place]
        allowed = self.sets.get(slot)
        return (neighbour,) if allowed is None or neighbour in allowed else ()

    def _index(self, relation: int, end: int) -> dict[int, list[int]]:
        """Return the targets of each source (end 0), or the sources of each target (end 1), each once."""
        index = self._indices.get((relation, end))
        if index is None:
            index = self._indices[relation, end] = {}
            for source, target, _ in self.tables[relation]:
                key, other = (target, source) if end else (source, target)
                others = index.setdefault(key, [])
                if not self.graph.is_enhanced or other not in others:  # there may be several edges between two nodes
                    others.append(other)
        return index

    def _find_parallel(self, relation: int) -> dict[tuple[int, int], list[tuple[int, int, str]]]:
        """Return all edges between two nodes, by these."""
        edges = self._parallel.get(relation)
        if edges is None:
            edges = self._parallel[relation] = {}
            for edge in self.tables[relation]:
                edges.setdefault(edge[:2], []).append(edge)
        return edges

    def _holds(self, step: WalkStep, bindings: Bindings) -> bool:
        for k in step.relations:
            relation = self.matcher.relations[k]
            if bindings[relation.source] not in self._index(k, 1).get(bindings[relation.target], ()):
                return False
        for check in step.checks:
            if not check(self.graph, bindings):
                return False
        return True


def _slots_of(names: Iterable[str], slots: dict[str, int]) -> frozenset[int]:
    return frozenset(slots[name] for name in names)


def _make_checks(clauses: Clauses, slots: dict[str, int]) -> Iterator[tuple[tuple[str, ...], Check]]:
    """Yield what has to hold of names once they are bound."""
    for order in clauses.orders:
        yield (order.left, order.right), _check_order(slots[order.left], slots[order.right], order.immediate)
    for comparison in clauses.comparisons:
        yield comparison.names, _check_comparison(comparison, slots)
    for crossing in clauses.crossings:
        yield (crossing.one, crossing.other), _check_crossing(slots[crossing.one], slots[crossing.other])
    for edge in clauses.edges:
        if ANY in (edge.source, edge.target):
            name = edge.target if edge.source == ANY else edge.source
            yield (name,), _check_any(edge, slots[name])


def _check_order(left: int, right: int, immediate: bool) -> Check:
    if immediate:
        return lambda graph, bindings: graph.position[bindings[left]] + 1 == graph.position[bindings[right]]
    return lambda graph, bindings: graph.position[bindings[left]] < graph.position[bindings[right]]


def _check_crossing(one: int, other: int) -> Check:
    def crosses(graph: NodeGraph, bindings: Bindings) -> bool:
        place = graph.position
        (a, b), (c, d) = (sorted((place[edge[0]], place[edge[1]])) for edge in (bindings[one], bindings[other]))
        return bool(a < c < b < d or c < a < d < b)

    return crosses


def _check_any(edge: EdgeClause, slot: int) -> Check:
    """The check that a node has any edge of a label, from whatever node or to whatever node."""
    labels = Memory(edge.label.accepts)
    end = 0 if edge.target == ANY else 1

    def has_edge(graph: NodeGraph, bindings: Bindings) -> bool:
        nodes = graph.having.get(id(labels))
        if nodes is None:
            nodes = graph.having[id(labels)] = {each[:2][end] for each in graph.edges if labels[each[2]]}
        return bindings[slot] in nodes

    return has_edge


def _check_comparison(comparison: Comparing, slots: dict[str, int]) -> Check:
    operator, right = comparison.operator, comparison.right
    left_value = _reader(comparison.left, slots)
    if isinstance(right, FeatureTest):
        return lambda graph, bindings: right.accepts(left_value(graph, bindings))
    if isinstance(right, float):
        return lambda graph, bindings: _compare(left_value(graph, bindings), operator, right)
    right_value = _reader(right, slots)
    return lambda graph, bindings: _compare(left_value(graph, bindings), operator, right_value(graph, bindings))


def _reader(operand: Operand, slots: dict[str, int]) -> Callable[[NodeGraph, Bindings], str | None]:
    slot, feature = slots[operand.name], operand.feature

    def read(graph: NodeGraph, bindings: Bindings) -> str | None:
        value = bindings[slot]
        return graph.edge_value(value, feature) if isinstance(value, tuple) else graph.value(value, feature)

    return read


def _compare(left: str | None, operator: str, right: str | float | None) -> bool:
    """Compare two values: by `=` and `<>` as text, by the others as numbers. None of them holds without two values."""
    if left is None or right is None:
        return False
    if operator in ("=", "<>"):
        return (left == right) == (operator == "=")
    try:
        one, other = float(left), float(right)
    except ValueError:
        return False
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator]


# Whole patterns


class Pattern:
    """A pattern, ready to be matched with any number of sentences.

    `nodes` and `edges` are its names, in the order in which the pattern mentions them. A sentence that takes more than
    `max_steps` is an error.
    """

    def __init__(self, text: str, max_steps: int = MAX_STEPS) -> None:
        self.text, self.max_steps = text, max_steps
        self.request: SearchRequest = parse_pattern(text)
        clauses = self.request.clauses
        self.nodes, self.edges = list(clauses.nodes), clauses.edge_names
        self.slots = {name: slot for slot, name in enumerate((*self.nodes, *self.edges))}
        self._matcher = ClausesMatcher(clauses, self.slots, set())
        self._filters = [(wanted, self._make_filter(block)) for wanted, block in self.request.filters]
        self._size = max([len(self.slots), *(len(block.slots) for _, block in self._filters)])
        if self.request.is_enhanced:
            self._matcher.is_pairs = False

    def _make_filter(self, clauses: Clauses) -> ClausesMatcher:
        slots = dict(self.slots)
        for name in (*clauses.nodes, *clauses.edge_names):
            slots.setdefault(name, len(slots))
        return ClausesMatcher(clauses, slots, set(self.slots.values()))

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __reduce__(self) -> tuple[type["Pattern"], tuple[str, int]]:
        return Pattern, (self.text, self.max_steps)

    def bind(self, sentence: Sentence) -> tuple[NodeGraph, list[tuple[Binding, ...]]] | None:
        """Return what the names can stand for in a sentence, each way a tuple in the order of `slots`, and the graph
        that the numbers are about; None if there is no way."""
        if self.request.metadata and not self._has_metadata(sentence):
            return None
        graph = NodeGraph(sentence, self.request.is_enhanced)
        walker = self._matcher.prepare(graph)
        if walker is None or not all(_check_condition(name, sentence) for name in self.request.conditions):
            return None
        ways = self._walk(graph, walker) if self._filters or not self._matcher.is_pairs else self._pair(walker)
        return (graph, ways) if ways else None

    def _pair(self, walker: Walker) -> list[tuple[Binding, ...]]:
        """The matches of a single edge, in order."""
        (relation,) = self._matcher.relations
        (edges,) = walker.tables
        if relation.source == 0:
            ways: list[tuple[Binding, ...]] = [edge[:2] for edge in edges if edge[0] != edge[1]]
        else:
            ways = [(edge[1], edge[0]) for edge in edges if edge[0] != edge[1]]
        if relation.slot is not None:
            ways = [(*way, edge) for way, edge in zip(ways, (e for e in edges if e[0] != e[1]), strict=True)]
        ways.sort()
        return ways

    def _walk(self, graph: NodeGraph, walker: Walker) -> list[tuple[Binding, ...]]:
        ways: list[tuple[Binding, ...]] = []
        steps = [self.max_steps]
        count = len(self.slots)
        filters: list[tuple[bool, Walker | None]] = []

        def accept(bindings: Bindings) -> bool:
            if not filters:
                filters.extend((wanted, each.prepare(graph)) for wanted, each in self._filters)
            way = bindings[:count]
            for wanted, each in filters:
                holds = each is not None and each.begin(bindings, lambda _: True, steps)
                if steps[0] < 0:
                    return True
                bindings[count:] = [None] * (self._size - count)
                if holds != wanted:
                    return False
            ways.append(tuple(way))
            return False

        def append(bindings: Bindings) -> bool:
            ways.append(tuple(bindings))
            return False

        walker.begin([None] * self._size, accept if self._filters else append, steps)
        if steps[0] < 0:
            raise PatternError(self._explain_steps(graph.sentence))
        ways.sort()
        return ways

    def _explain_steps(self, sentence: Sentence) -> str:
        place = f"{sentence.file}:{sentence.line}" if sentence.file else "a sentence"
        name = f" ({sentence.sent_id})" if sentence.sent_id else ""
        return (
            f"pattern: more than {self.max_steps:,} steps in {place}{name}, which has {len(sentence)} words; expected "
            "a pattern with fewer nodes, or with more edges between them"
        )

    def _has_metadata(self, sentence: Sentence) -> bool:
        values = dict(filter(None, map(split_comment, reversed(sentence.comments))))  # the first of a name counts
        return all(test.accepts(values.get(test.feature)) for test in self.request.metadata)


def _check_condition(name: str, sentence: Sentence) -> bool:
    """Whether a sentence is what `global` says of it, by its tree of HEAD."""
    is_not, kind = name.startswith("is_not_"), name.rpartition("_")[2]
    heads = sentence.heads
    is_cyclic = find_cycle(heads) is not None
    if kind == "cyclic":
        holds = is_cyclic
    elif kind == "forest":
        holds = not is_cyclic
    elif kind == "tree":
        holds = not is_cyclic and None not in heads
    else:
        holds = not is_cyclic and is_projective([head or 0 for head in heads])
    return holds != is_not
