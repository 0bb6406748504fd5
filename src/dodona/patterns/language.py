"""The language of patterns: that of Grew's requests, as far as it is about searching.

    pattern { V [upos=VERB]; e: V -[nsubj|nsubj:pass]-> S; S << V }
    without { V -[obj]-> O }
    global { is_not_projective }

From text to clauses. What a clause means for a sentence is the matter of `dodona.patterns.matcher`; docs/search.md
describes the whole language. A fault is an error with its line and column, and a caret below the line.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from dodona.data.ud import parse_label
from dodona.errors import PatternError

__all__ = [
    "ANY", "CONDITIONS", "POSITION", "Clauses", "Comparing", "Crossing", "EdgeClause", "FeatureTest", "LabelTest",
    "Operand", "Precedence", "SearchRequest", "is_edge_value", "parse_pattern",
]  # fmt: skip

MAX_LETTERS = 20_000  # of a pattern
MAX_NAMES = 60  # of nodes and edges
ANY = "*"  # a node that has no name: any at all
POSITION = "__id__"
CONDITIONS = (
    "is_projective", "is_not_projective", "is_tree", "is_not_tree", "is_forest", "is_not_forest", "is_cyclic",
    "is_not_cyclic",
)  # fmt: skip
WORD_FEATURES = ("form", "lemma", "upos", "xpos", "deprel")  # beside the names in FEATS and MISC
EDGE_VALUES = ("label", "length", "delta")
LABEL_PARTS = ("1", "2", "3", "enhanced")

BLANK = re.compile(r"(?:\s|%[^\n]*)*+")
NAME = re.compile(r"[^\W\d]\w*")
FEATURE = re.compile(r"\w+(?:\[\w+\])?")
BEGIN_OF_PARTS = re.compile(r"!|\w+\s*(?:=|<>)|(?:[123]|enhanced)\b")
LAYER = re.compile(r"__(\w+)\Z")
PLAIN = re.compile(r"""[^\s,;|"=<>!^*{}()\[\]/%][^\s,;|"=<>{}()\[\]%]*""")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
EXPRESSION = re.compile(r're"((?:[^"\\]|\\.)*)"|/((?:[^/\\\n]|\\.)+)/(i?)', re.S)
OPERATORS = ("<>", "<=", ">=", "=", "<", ">")
ORDERS = ("<<", ">>", "<", ">")
NOT_HERE = {
    "match": "the word is `pattern` now, as in Grew",
    "commands": "rules that change graphs are not here; this is a search",
    "rule": "rules that change graphs are not here; this is a search",
    "strat": "strategies are not here; this is a search",
    "package": "packages of rules are not here; this is a search",
}


@dataclass(frozen=True)
class FeatureTest:
    """What the value of a feature has to be. `=` and `<>` and presence need a value; `!` needs that there is none."""

    feature: str
    values: frozenset[str] = frozenset()
    expressions: tuple[re.Pattern[str], ...] = ()
    negated: bool = False
    present: bool = True  # else the feature must be absent
    bare: bool = False  # presence or absence only, whatever the value

    def accepts(self, value: str | None) -> bool:
        if value is None or not self.present:
            return value is None and not self.present
        return self.bare or self.negated != self.has(value)

    def has(self, value: str) -> bool:
        """Whether the value is one of those that are listed."""
        return value in self.values or any(each.fullmatch(value) for each in self.expressions)


@dataclass(frozen=True)
class LabelTest:
    """Which labels an edge may have: any, those of a list or all others, or those with certain parts."""

    listed: FeatureTest | None = None
    parts: tuple[FeatureTest, ...] = ()

    def accepts(self, label: str) -> bool:
        if self.listed is not None:
            return self.listed.accepts(label)
        parts = parse_label(label) if self.parts else {}
        return all(test.accepts(parts.get(test.feature)) for test in self.parts)

    @property
    def is_free(self) -> bool:
        return self.listed is None and not self.parts

    @property
    def is_enhanced(self) -> bool:
        """Whether it is about enhanced dependencies, so that these have to be read."""
        values = self.listed.values if self.listed is not None else ()
        return any(value.startswith("E:") for value in values) or any(test.feature == "enhanced" for test in self.parts)


@dataclass(frozen=True)
class EdgeClause:
    """`name: source -[label]-> target`; a source or target without a name is ANY, and then the edge has none either."""

    source: str
    target: str
    label: LabelTest
    name: str | None = None


@dataclass(frozen=True)
class Precedence:
    """One node stands before another one, or immediately before it."""

    left: str
    right: str
    immediate: bool


@dataclass(frozen=True)
class Crossing:
    """`e >< f`: two edges cross."""

    one: str
    other: str


@dataclass(frozen=True)
class Operand:
    """A feature of a node or of an edge."""

    name: str
    feature: str


@dataclass(frozen=True)
class Comparing:
    """Two values compared, or a value and what is written in the pattern."""

    left: Operand
    operator: str
    right: Operand | FeatureTest | float

    @property
    def names(self) -> tuple[str, ...]:
        return (self.left.name, self.right.name) if isinstance(self.right, Operand) else (self.left.name,)


@dataclass
class Clauses:
    """What stands between two braces. `nodes` has for each name what is asked of it, each time as alternatives."""

    nodes: dict[str, list[tuple[tuple[FeatureTest, ...], ...]]] = field(default_factory=dict)
    edges: list[EdgeClause] = field(default_factory=list)
    orders: list[Precedence] = field(default_factory=list)
    comparisons: list[Comparing] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)

    @property
    def edge_names(self) -> list[str]:
        return [edge.name for edge in self.edges if edge.name is not None]


@dataclass
class SearchRequest:
    """A whole pattern. A filter says of a match that there has to be, or must not be, more."""

    clauses: Clauses = field(default_factory=Clauses)
    filters: list[tuple[bool, Clauses]] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    metadata: list[FeatureTest] = field(default_factory=list)

    @cached_property
    def is_enhanced(self) -> bool:
        blocks = [self.clauses, *(block for _, block in self.filters)]
        return any(edge.label.is_enhanced for block in blocks for edge in block.edges)

    @property
    def expressions(self) -> Iterable[re.Pattern[str]]:
        """All regular expressions."""
        for block in (self.clauses, *(block for _, block in self.filters)):
            for alternatives in block.nodes.values():
                yield from (
                    each for tests in alternatives for one in tests for test in one for each in test.expressions
                )
            for edge in block.edges:
                tests = (*edge.label.parts, *([edge.label.listed] if edge.label.listed else ()))
                yield from (each for test in tests for each in test.expressions)
            for comparison in block.comparisons:
                yield from comparison.right.expressions if isinstance(comparison.right, FeatureTest) else ()
        yield from (each for test in self.metadata for each in test.expressions)


def is_edge_value(feature: str) -> bool:
    """Whether an edge has a value of this name: its label, a part of it, or its length with and without direction."""
    return feature in EDGE_VALUES or feature in LABEL_PARTS


def parse_pattern(text: str) -> SearchRequest:
    """Return the clauses of a pattern; a PatternError shows where it is wrong."""
    if len(text) > MAX_LETTERS:
        raise PatternError(f"pattern: {len(text):,} characters; expected at most {MAX_LETTERS:,}")
    return _Parser(text).parse()


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind == "edge" else f"a {kind}"


class _Parser:
    """Goes through a pattern from left to right. What a character means depends on where it stands, so that there are
    no tokens: every method takes what it expects at the place where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.request = SearchRequest()
        self.kinds: dict[str, str] = {}  # of the names in the pattern block, and in the block that is being read
        self.uses: list[tuple[int, str, str]] = []  # where a name is used that has to be there, and as what
        self.operands: list[tuple[int, Operand]] = []

    def parse(self) -> SearchRequest:
        filters: list[tuple[bool, int]] = []
        self.skip()
        while self.at < len(self.text):
            begin = self.at
            word = self.find_name() or self.text[self.at]
            if word in ("without", "with"):  # they may use all names of the pattern, so they are read after it
                filters.append((word == "with", self.at))
                self.pass_block()
            elif word == "pattern":
                self.read_clauses(self.request.clauses)
            elif word == "global":
                self.read_global()
            else:
                self.fail(begin, f"{word!r}", NOT_HERE.get(word) or "expected pattern, without, with or global")
            self.skip()
        if not self.text.strip():
            self.fail(0, "an empty pattern", "expected pattern { … }")
        outer = dict(self.kinds)
        for wanted, begin in filters:
            self.at, self.kinds = begin, dict(outer)
            clauses = Clauses()
            self.read_clauses(clauses)
            self.request.filters.append((wanted, clauses))
        return self.request

    # Places

    def skip(self) -> None:
        blank = BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def fail(self, at: int, wrong: str, expected: str) -> NoReturn:
        """Raise an error that shows the line with a caret below the place."""
        at = min(at, len(self.text))
        begin = self.text.rfind("\n", 0, at) + 1
        end = self.text.find("\n", at)
        shown = self.text[begin : end if end >= 0 else None]
        line, column = self.text.count("\n", 0, at) + 1, at - begin + 1
        if len(shown) > 160:  # a long line is cut around the place
            cut = max(0, column - 80)
            shown, begin = shown[cut : cut + 160], begin + cut
        shown = "".join(each if each.isprintable() else " " for each in shown)
        caret = " " * (at - begin) + "^"
        raise PatternError(f"pattern, line {line}, column {column}: {wrong}; {expected}\n  {shown}\n  {caret}")

    def fail_here(self, expected: str) -> NoReturn:
        self.skip()
        word = PLAIN.match(self.text, self.at)
        wrong = repr((word[0] if word else self.text[self.at])[:30]) if self.at < len(self.text) else "the end"
        self.fail(self.at, wrong, f"expected {expected}")

    # Small parts

    def take(self, *symbols: str) -> str | None:
        """Return the first of these symbols that stands here, and go on behind it."""
        self.skip()
        for symbol in symbols:
            if self.text.startswith(symbol, self.at):
                self.at += len(symbol)
                return symbol
        return None

    def expect(self, symbol: str, expected: str = "") -> None:
        if not self.take(symbol):
            self.fail_here(expected or f"`{symbol}`")

    def find(self, form: re.Pattern[str]) -> re.Match[str] | None:
        self.skip()
        match = form.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def find_name(self) -> str | None:
        match = self.find(NAME)
        return match[0] if match else None

    def read_name(self, what: str) -> str:
        return self.find_name() or self.fail_here(what)

    def read_feature(self) -> str:
        match = self.find(FEATURE) or self.fail_here("the name of a feature")
        if match[0] == POSITION:
            return POSITION
        if match[0].lower() in WORD_FEATURES and match[0] not in WORD_FEATURES:
            self.fail(match.start(), f"there is no feature {match[0]!r}", f"expected {match[0].lower()}")
        return LAYER.sub(r"[\1]", match[0])  # Number[psor] is Number__psor in Grew

    def read_values(self, feature: str, negated: bool = False) -> FeatureTest:
        """Read values with `|` between them: plain, in quotes, or regular expressions."""
        values: list[str] = []
        expressions: list[re.Pattern[str]] = []
        while True:
            self.skip()
            begin = self.at
            if expression := self.find(EXPRESSION):
                expressions.append(self.compile(begin, expression))
            elif quoted := self.find(QUOTED):
                values.append(re.sub(r"\\(.)", r"\1", quoted[1], flags=re.S))
            elif plain := self.find(PLAIN):
                values.append(plain[0])
            elif self.text.startswith(('"', 're"', "/"), self.at):
                self.fail(begin, "a quote or an expression that does not end", 'expected "…", re"…" or /…/')
            else:
                self.fail_here('a value: plain, "in quotes", or re"an expression"')
            if not self.take("|"):
                return FeatureTest(feature, frozenset(values), tuple(expressions), negated)

    def compile(self, begin: int, expression: re.Match[str]) -> re.Pattern[str]:
        text = expression[1] if expression[1] is not None else expression[2]
        text = text.replace('\\"', '"') if expression[1] is not None else text.replace("\\/", "/")
        try:
            return re.compile(text, re.IGNORECASE if expression[3] else 0)
        except (re.error, RecursionError, OverflowError) as error:
            self.fail(begin, f"this is no regular expression ({error})", "expected one of Python's")

    # Names

    def declare(self, name: str, kind: str, at: int) -> None:
        if self.kinds.setdefault(name, kind) != kind:
            owner = _with_article(self.kinds[name])
            self.fail(at, f"{name!r} is the name of {owner}", f"expected another name for this {kind}")
        if len(self.kinds) > MAX_NAMES:
            self.fail(at, "too many names", f"expected at most {MAX_NAMES} nodes and edges")

    def check_uses(self) -> None:
        """Names may be used before the clause that declares them, but there has to be one."""
        for at, name, kind in self.uses:
            if name not in self.kinds:
                declared = ", ".join(self.kinds) or "none"
                self.fail(at, f"there is no {kind} {name!r}", f"expected one of the names in the pattern: {declared}")
            if kind not in ("name", self.kinds[name]):
                owner = _with_article(self.kinds[name])
                self.fail(at, f"{name!r} is the name of {owner}", f"expected that of {_with_article(kind)}")
        for at, operand in self.operands:
            if self.kinds[operand.name] == "edge" and not is_edge_value(operand.feature):
                wrong = f"an edge has no feature {operand.feature!r}"
                self.fail(at, wrong, f"expected {', '.join(EDGE_VALUES)}, or a part of the label: 1, 2, 3")
        self.uses.clear()
        self.operands.clear()

    # Blocks

    def pass_block(self) -> None:
        """Go on behind a block that is read later."""
        self.expect("{")
        while self.at < len(self.text):
            if self.take("}"):
                return
            if not (self.find(EXPRESSION) or self.find(QUOTED)):  # there may be braces in them
                self.at += 1
        self.fail_here("`}`")

    def read_clauses(self, clauses: Clauses) -> None:
        self.expect("{")
        while not self.take("}"):
            if not self.take(";"):
                self.read_clause(clauses)
                self.skip()
                if self.text[self.at : self.at + 1] not in (";", "}"):
                    self.fail_here("`;` or `}` after a clause")
        self.check_uses()

    def read_clause(self, clauses: Clauses) -> None:
        self.skip()
        begin = self.at
        if self.take(ANY):
            self.read_edge(clauses, ANY, None, begin)
            return
        name = self.read_name("a clause: N [upos=VERB], N -[nsubj]-> M, N < M, N.lemma = M.lemma")
        self.skip()
        if self.take("["):
            self.read_node(clauses, name, begin)
        elif self.take(":"):
            self.skip()
            at = self.at
            source = self.read_name("the name of the node that the edge comes from")
            if name in self.kinds and name in self.seen_edges(clauses):
                self.fail(begin, f"two edges of the name {name!r}", "expected another name")
            self.declare(name, "edge", begin)
            self.read_edge(clauses, source, name, at)
        elif self.text.startswith("-", self.at):
            self.read_edge(clauses, name, None, begin)
        elif self.take("."):
            self.read_comparison(clauses, name, begin)
        elif self.take("><"):
            other = self.use("edge")
            self.uses.append((begin, name, "edge"))
            clauses.crossings.append(Crossing(name, other))
        elif symbol := self.take("<>", *ORDERS):
            if symbol == "<>":
                self.fail(
                    self.at - 2, "`<>` between two names is not here", "expected features, as in A.lemma <> B.lemma"
                )
            self.read_order(clauses, name, symbol, begin)
        else:
            self.fail_here("`[`, `:`, `->`, `-[`, `<`, `<<`, `><` or `.` after a name")

    def seen_edges(self, clauses: Clauses) -> list[str]:
        return [*self.request.clauses.edge_names, *clauses.edge_names]

    def use(self, kind: str) -> str:
        """Read a name that another clause declares."""
        self.skip()
        at = self.at
        name = self.read_name(f"the name of {_with_article(kind)}")
        self.uses.append((at, name, kind))
        return name

    # Clauses

    def read_node(self, clauses: Clauses, name: str, begin: int) -> None:
        self.declare(name, "node", begin)
        alternatives = [self.read_features()]
        while self.take("|"):
            self.expect("[", "`[`: another list of features")
            alternatives.append(self.read_features())
        clauses.nodes.setdefault(name, []).append(tuple(alternatives))

    def read_features(self) -> tuple[FeatureTest, ...]:
        """Read features up to the closing bracket."""
        tests: list[FeatureTest] = []
        while not self.take("]"):
            if tests:
                self.expect(",", "`,` or `]` after a feature")
            tests.append(self.read_test())
        return tuple(tests)

    def read_test(self) -> FeatureTest:
        if self.take("!"):
            return FeatureTest(self.read_feature(), present=False, bare=True)
        self.skip()
        begin = self.at
        feature = self.read_feature()
        if feature == POSITION:
            self.fail(begin, f"{POSITION} in brackets", f"expected it in comparisons only: A.{POSITION} < B.{POSITION}")
        if self.take("<>"):
            return self.read_values(feature, negated=True)
        if self.take("="):
            return FeatureTest(feature, bare=True) if self.take(ANY) else self.read_values(feature)
        if operator := self.take("<=", ">=", "<", ">"):
            self.fail(self.at - len(operator), f"`{operator}` in brackets", "expected it as a clause: N.feature < 3")
        return FeatureTest(feature, bare=True)

    def read_edge(self, clauses: Clauses, source: str, name: str | None, begin: int) -> None:
        """Read the arrow and the target of an edge."""
        if self.take("->>"):
            self.fail(self.at - 3, "paths (`->>`) are not here", "expected `->` or `-[label]->`")
        label = LabelTest()
        if self.take("-["):
            label = self.read_label()
            self.expect("->", "`->` after the label of an edge")
        else:
            self.expect("->", "`->` or `-[label]->`")
        if self.text.startswith(">", self.at):
            self.fail(self.at - 2, "paths (`->>`) are not here", "expected `->` or `-[label]->`")
        self.skip()
        at = self.at
        target = ANY if self.take(ANY) else self.read_name("the name of the node that the edge leads to, or `*`")
        if ANY in (source, target) and (name is not None or source == target):
            self.fail(begin, "`*` where a node has to have a name", "expected names for both nodes of this edge")
        for node, place in ((source, begin), (target, at)):
            if node != ANY:
                self.declare(node, "node", place)
                clauses.nodes.setdefault(node, [])
        clauses.edges.append(EdgeClause(source, target, label, name))

    def read_label(self) -> LabelTest:
        """Read what stands in the brackets of an edge, and the closing one."""
        if self.take("]"):
            return LabelTest()
        begin = self.at
        if BEGIN_OF_PARTS.match(self.text, begin):
            parts = self.read_features()
            for part in parts:
                if part.feature not in LABEL_PARTS:
                    self.fail(begin, f"a label has no part {part.feature!r}", f"expected {', '.join(LABEL_PARTS)}")
            return LabelTest(parts=parts)
        listed = self.read_values("label", negated=self.take("^") is not None)
        self.expect("]", "`|` or `]` after a label")
        return LabelTest(listed)

    def read_order(self, clauses: Clauses, name: str, symbol: str, begin: int) -> None:
        self.skip()
        at = self.at
        other = self.read_name("the name of a node")
        for node, place in ((name, begin), (other, at)):
            self.declare(node, "node", place)
            clauses.nodes.setdefault(node, [])
        left, right = (name, other) if symbol[0] == "<" else (other, name)
        clauses.orders.append(Precedence(left, right, len(symbol) == 1))

    def read_comparison(self, clauses: Clauses, name: str, begin: int) -> None:
        left = self.read_operand(name, begin)
        operator = self.take(*OPERATORS) or self.fail_here("`=`, `<>`, `<`, `<=`, `>` or `>=`")
        self.skip()
        at = self.at
        right: Operand | FeatureTest | float
        if (other := NAME.match(self.text, at)) and self.text.startswith(".", other.end()):
            self.at = other.end() + 1
            right = self.read_operand(other[0], at)
        elif operator in ("=", "<>"):
            right = self.read_values(left.feature, negated=operator == "<>")
        else:
            number = self.find(re.compile(r"-?\d+(?:\.\d+)?"))
            right = float(number[0] if number else self.fail_here("a number, or a feature such as B.lemma"))
        clauses.comparisons.append(Comparing(left, operator, right))

    def read_operand(self, name: str, begin: int) -> Operand:
        operand = Operand(name, self.read_feature())
        self.uses.append((begin, name, "name"))
        self.operands.append((begin, operand))
        return operand

    # Conditions of the whole sentence

    def read_global(self) -> None:
        self.expect("{")
        while not self.take("}"):
            if self.take(";"):
                continue
            self.skip()
            begin = self.at
            condition = self.find_name()
            if condition in CONDITIONS:
                self.request.conditions.append(condition)
            else:
                self.at = begin
                test = self.read_test()
                if test.bare and test.present and test.feature.startswith("is_"):
                    self.fail(begin, repr(test.feature), f"expected one of: {', '.join(CONDITIONS)}")
                self.request.metadata.append(test)
            self.skip()
            if self.text[self.at : self.at + 1] not in (";", "}"):
                self.fail_here("`;` or `}` after a condition")
