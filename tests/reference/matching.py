"""A naive matcher: every assignment of nodes to names is tried, and every clause is looked up as it is written.

It reads the clauses of the language, and shares nothing else with the matcher: neither indices, nor a plan, nor a
walk. Edges are taken from HEAD, DEPREL and DEPS line by line.
"""

from itertools import permutations, product
from typing import Any

from dodona import Sentence
from dodona.patterns.language import Clauses, FeatureTest, Operand, SearchRequest

Edge = tuple[str, str, str]


class NaiveGraph:
    """Nodes by the numbers of CoNLL-U, in order, with a dictionary of features each; and edges."""

    def __init__(self, sentence: Sentence, enhanced: bool) -> None:
        self.features: dict[str, dict[str, str]] = {"0": {"form": "__0__"}}
        self.edges: list[Edge] = []
        for row in sentence.rows():
            if "-" in row[0] or ("." in row[0] and not enhanced):
                continue
            features: dict[str, str] = {}
            for column in (9, 5):  # FEATS wins over MISC
                if row[column] != "_":
                    features |= {part.partition("=")[0]: part.partition("=")[2] for part in row[column].split("|")}
            features |= {"form": row[1]}
            named = {"lemma": row[2], "upos": row[3], "xpos": row[4], "deprel": row[7]}
            features |= {name: value for name, value in named.items() if value != "_"}
            self.features[row[0]] = features
            if "." not in row[0] and row[6] != "_":
                self.edges.append((row[6], row[0], row[7]))
            if enhanced and row[8] != "_":
                for dep in row[8].split("|"):
                    head, _, label = dep.partition(":")
                    self.edges.append((head, row[0], f"E:{label}"))
        self.order = sorted(self.features, key=lambda node: tuple(map(int, node.split("."))))

    def place(self, node: str) -> int:
        return self.order.index(node)


def naive_matches(request: SearchRequest, sentence: Sentence) -> set[tuple[tuple[str, Any], ...]]:
    """All matches as sorted pairs of a name and a node or an edge. Conditions of the whole sentence are not checked."""
    graph = NaiveGraph(sentence, request.is_enhanced)
    found = set()
    for match in extend({}, request.clauses, graph):
        if all(any(True for _ in extend(match, block, graph)) == wanted for wanted, block in request.filters):
            found.add(tuple(sorted(match.items())))
    return found


def extend(match: dict[str, Any], clauses: Clauses, graph: NaiveGraph) -> Any:
    """All ways to bind the names of a block that are not bound yet."""
    names = [name for name in clauses.nodes if name not in match]
    taken = {node for node in match.values() if isinstance(node, str)}
    edges = [edge for edge in clauses.edges if edge.name is not None]
    for nodes in permutations([node for node in graph.features if node not in taken], len(names)):
        whole = match | dict(zip(names, nodes, strict=True))
        choices = [
            [e for e in graph.edges if (e[0], e[1]) == (whole[edge.source], whole[edge.target])] for edge in edges
        ]
        for chosen in product(*choices):
            bound = whole | {str(edge.name): each for edge, each in zip(edges, chosen, strict=True)}
            if holds(bound, clauses, graph):
                yield bound


def holds(bound: dict[str, Any], clauses: Clauses, graph: NaiveGraph) -> bool:
    for name, asked in clauses.nodes.items():
        features = graph.features[bound[name]]
        for alternatives in asked:
            if not any(all(fits(test, features.get(test.feature)) for test in tests) for tests in alternatives):
                return False
    for edge in clauses.edges:
        edges = [bound[edge.name]] if edge.name is not None else graph.edges
        source, target = bound.get(edge.source), bound.get(edge.target)
        if not any(
            (source is None or e[0] == source) and (target is None or e[1] == target) and label_fits(edge.label, e[2])
            for e in edges
        ):
            return False
    for order in clauses.orders:
        distance = graph.place(bound[order.right]) - graph.place(bound[order.left])
        if distance != 1 if order.immediate else distance <= 0:
            return False
    for crossing in clauses.crossings:
        one, other = (range_of(bound[name], graph) for name in (crossing.one, crossing.other))
        if len(one & other) == 0 or one <= other or other <= one or len(set(ends(one) + ends(other))) < 4:
            return False
    return all(compares(comparison, bound, graph) for comparison in clauses.comparisons)


def range_of(edge: Edge, graph: NaiveGraph) -> set[int]:
    low, high = sorted((graph.place(edge[0]), graph.place(edge[1])))
    return set(range(low, high + 1))


def ends(places: set[int]) -> list[int]:
    return [min(places), max(places)]


def fits(test: FeatureTest, value: str | None) -> bool:
    if test.bare:
        return (value is not None) == test.present
    if value is None:
        return False
    listed = value in test.values or any(expression.fullmatch(value) is not None for expression in test.expressions)
    return not listed if test.negated else listed


def label_fits(test: Any, label: str) -> bool:
    if test.listed is not None:
        return fits(test.listed, label)
    parts = dict(zip("123", label.removeprefix("E:").split(":"), strict=False))
    if label.startswith("E:"):
        parts["enhanced"] = "yes"
    return all(fits(each, parts.get(each.feature)) for each in test.parts)


def value_of(operand: Operand, bound: dict[str, Any], graph: NaiveGraph) -> str | None:
    value = bound[operand.name]
    if isinstance(value, str):
        return str(graph.place(value)) if operand.feature == "__id__" else graph.features[value].get(operand.feature)
    source, target, label = value
    distance = graph.place(target) - graph.place(source)
    parts = dict(zip("123", label.removeprefix("E:").split(":"), strict=False))
    return {"label": label, "length": str(abs(distance)), "delta": str(distance), **parts}.get(operand.feature)


def compares(comparison: Any, bound: dict[str, Any], graph: NaiveGraph) -> bool:
    left = value_of(comparison.left, bound, graph)
    if isinstance(comparison.right, FeatureTest):
        return fits(comparison.right, left)
    right = value_of(comparison.right, bound, graph) if isinstance(comparison.right, Operand) else comparison.right
    if left is None or right is None:
        return False
    if comparison.operator == "=":
        return bool(left == right)
    if comparison.operator == "<>":
        return bool(left != right)
    try:
        one, other = float(left), float(right)
    except ValueError:
        return False
    if comparison.operator == "<":
        return one < other
    if comparison.operator == "<=":
        return one <= other
    return one > other if comparison.operator == ">" else one >= other
