"""What a rule is, what it looks at, and what it reports.

A rule is a function that looks at one sentence and yields a `Violation` for each place that breaks it. It is registered
with the stage at which it can run: a later stage relies on what the rules of the earlier ones have checked.

    LINES      the lines of a sentence, as text
    NUMBERS    rows of ten columns
    COLUMNS    rows whose IDs are in order
    TREES      rows whose heads are a tree

A sentence that breaks a severe rule is not looked at in later stages: what they would say could be misleading.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

from dodona.data.conllu import BOM, Block
from dodona.errors import OptionError

Subject = TypeVar("Subject")
LEVELS = {
    1: "the CoNLL-U format",
    2: "UD's tags, features, relations and trees",
    3: "UD's guidelines",
    4: "the features, relations and words with spaces of a language",
    5: "the auxiliaries and copulas of a language",
}
MAX_VALUE = 200
"""How many characters of a value are reported."""
COLUMN_COUNT = 10
WORD_ID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
RANGE_ID = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
EMPTY_ID = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)
SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
HEAD = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
SPACE = re.compile(r"[^\S\t]")
FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
TEXT = re.compile(r"#\s*text\s*=\s*(.*)")


class Violation(NamedTuple):
    """A place that breaks a rule."""

    line: int
    value: str
    expected: str = ""  # what is expected here, where the rule's own text can be more precise
    sentence: str | None = None  # its sent_id, where it is not that of the sentence looked at


class Finding(NamedTuple):
    """A broken rule, as it is reported."""

    file: str
    line: int
    sentence: str  # its sent_id, or ""
    rule: str
    level: int
    value: str  # or a whole message, where `expected` is empty
    expected: str


@dataclass(frozen=True)
class Rule:
    """A rule by its name, which is the one that UD's validator uses where it has the same rule."""

    name: str
    level: int
    expected: str
    why: str  # the rule and its reason, from the docstring of its function

    def report(self, file: str, sentence: str, violation: Violation) -> Finding:
        line, value, expected, other_sentence = violation
        sent_id = sentence if other_sentence is None else other_sentence
        value = value if len(value) <= MAX_VALUE else value[:MAX_VALUE] + "…"
        return Finding(file, line, sent_id, self.name, self.level, value, expected or self.expected)


RULES: dict[str, Rule] = {}
"""All rules by name, in the order of levels and stages; not those of udtools."""


def register_rule(name: str, level: int, expected: str, why: str) -> Rule:
    if name in RULES:
        raise OptionError(f"rule {name!r} is registered already; expected another name")
    RULES[name] = Rule(name, level, expected, " ".join(why.split()))
    return RULES[name]


class Stage(Generic[Subject]):
    """Rules that look at the same kind of subject."""

    def __init__(self) -> None:
        self._checks: list[tuple[Rule, Callable[[Subject], Iterator[Violation]], bool]] = []

    def rule(
        self, name: str, level: int, expected: str, *, severe: bool = False
    ) -> Callable[[Callable[[Subject], Iterator[Violation]]], Callable[[Subject], Iterator[Violation]]]:
        """Register a function as a rule."""

        def register(check: Callable[[Subject], Iterator[Violation]]) -> Callable[[Subject], Iterator[Violation]]:
            self._checks.append((register_rule(name, level, expected, check.__doc__ or ""), check, severe))
            return check

        return register

    def check(self, subject: Subject, level: int, violations: list[tuple[Rule, Violation]]) -> bool:
        """Add what breaks the rules up to a level; return whether the next stage can follow."""
        sound = True
        for rule, check, severe in self._checks:
            if rule.level <= level:
                for violation in check(subject):
                    violations.append((rule, violation))
                    sound = sound and not severe
        return sound


@dataclass
class FileHistory:
    """What is known of the sentences before in the same file. Its size is bounded."""

    sent_ids: set[int] = field(default_factory=set)  # hashes
    parallel_ids: dict[str, tuple[int, int]] = field(default_factory=dict)  # by sentence: alternative and part, 0: none
    whole_parallel_ids: set[int] = field(default_factory=set)
    unspaced: bool = False  # the last token says SpaceAfter=No
    with_deps: int = 0  # line of the first sentence with DEPS
    without_deps: int = 0
    enhanced: bool = False  # some DEPS differ from HEAD and DEPREL
    empty_node: int = 0  # line of the first one
    orphan: int = 0  # line of the first `orphan` in DEPS
    features: bool = False  # some word has FEATS
    untyped: list[tuple[int, str, str]] = field(default_factory=list)  # goeswith heads before the first FEATS


class TokenLine(NamedTuple):
    """A line of ten columns. `line` is its number in the file."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str
    line: int


class Range(NamedTuple):
    """The line of a multiword token."""

    row: TokenLine
    first: int
    last: int
    after: int  # the number of the last word above it


class Lines:
    """The lines of a sentence, decoded: first comments, then rows."""

    def __init__(self, block: Block, history: FileHistory) -> None:
        self.block = block
        self.history = history
        self.first = block.line
        text = block.body.decode("utf-8", "replace")
        self.has_returns = b"\r" in block.body or b"\r" in block.end or b"\r" in block.leading
        if self.has_returns:
            text = text.replace("\r\n", "\n").removesuffix("\r")
        self.text = text
        self.lines = text.split("\n") if text else []
        self.comments: list[str] = []
        self.rows: list[tuple[int, str]] = []
        for number, line in enumerate(self.lines, start=block.line):
            if line[:1] == "#":
                self.comments.append(line)
            else:
                self.rows.append((number, line))

    @cached_property
    def sent_id(self) -> str:
        for comment in self.comments:
            match = SENT_ID.fullmatch(comment)
            if match:
                return match[1]
        return ""

    @property
    def last(self) -> int:
        """The number of the last line, after which the blank lines come."""
        return self.first + max(0, len(self.lines) - 1)

    @property
    def starts_with_bom(self) -> bool:
        return self.block.leading.startswith(BOM)

    @cached_property
    def spaced_values(self) -> list[tuple[int, int, str, bool]]:
        """The values with white space: line, column, value, and whether it is that of a multiword token."""
        values = []
        for number, line in self.rows:
            if SPACE.search(line):
                cells = line.split("\t")
                in_range = RANGE_ID.fullmatch(cells[0]) is not None
                if len(cells) == COLUMN_COUNT:
                    values += [(number, k, cell, in_range) for k, cell in enumerate(cells) if SPACE.search(cell)]
        return values

    @cached_property
    def cells(self) -> list[tuple[int, list[str]]]:
        return [(number, line.split("\t")) for number, line in self.rows]


class Rows:
    """The rows of a sentence. Rows whose ID is none of the three kinds are in `others`."""

    def __init__(self, lines: Lines) -> None:
        self.history = lines.history
        self.comments = lines.comments
        self.sent_id = lines.sent_id
        self.line = lines.rows[0][0]
        self.words: list[TokenLine] = []
        self.nodes: list[TokenLine] = []  # words and empty nodes
        self.ranges: list[Range] = []
        self.empty: list[tuple[TokenLine, str]] = []  # and the ID that is expected there
        self.others: list[TokenLine] = []
        self.tokens: list[TokenLine] = []
        self.in_sequence = self._split([TokenLine._make((*cells, number)) for number, cells in lines.cells])

    def _split(self, rows: list[TokenLine]) -> bool:
        empty = covered = 0
        in_sequence = True
        for row in rows:
            count = len(self.words)
            if row.id == str(count + 1) or WORD_ID.fullmatch(row.id):
                in_sequence = in_sequence and row.id == str(count + 1)
                self.words.append(row)
                self.nodes.append(row)
                if count + 1 > covered:
                    self.tokens.append(row)
                empty = 0
            elif match := RANGE_ID.fullmatch(row.id):
                self.ranges.append(Range(row, int(match[1]), int(match[2]), count))
                self.tokens.append(row)
                covered = int(match[2])
                empty = 0
            elif EMPTY_ID.fullmatch(row.id):
                empty += 1
                begun = bool(self.ranges) and self.ranges[-1].first == count + 1
                expected = f"word {count + 1} after its multiword range" if begun else f"{count}.{empty}"
                self.empty.append((row, expected))
                self.nodes.append(row)
            else:
                self.others.append(row)
        return in_sequence

    @cached_property
    def all_rows(self) -> list[TokenLine]:
        """The words and empty nodes, and after them the multiword tokens."""
        return [*self.nodes, *(each.row for each in self.ranges)]

    @cached_property
    def heads(self) -> list[int] | None:
        """The heads of all words; None if one of them is not the number of a word or 0."""
        n = len(self.words)
        heads = []
        for row in self.words:
            if HEAD.fullmatch(row.head) is None or int(row.head) > n:
                return None
            heads.append(int(row.head))
        return heads

    @cached_property
    def feature_faults(self) -> list[tuple[int, str, str]]:
        """Line, rule and value of each fault in FEATS."""
        return [
            (row.line, rule, value)
            for row in self.nodes
            if row.feats != "_"
            for rule, value in find_feature_faults(row.feats)
        ]

    @cached_property
    def deps(self) -> list[tuple[TokenLine, list[tuple[str, str]]]]:
        """The nodes with DEPS, and these as pairs of head and relation; only the ones that have this form."""
        nodes = []
        for row in self.nodes:
            if row.deps != "_":
                pairs = [(head, relation) for head, _, relation in (d.partition(":") for d in row.deps.split("|"))]
                if all(relation for _, relation in pairs):
                    nodes.append((row, pairs))
        return nodes

    @cached_property
    def text_matches(self) -> bool:
        """Whether `# text` is the tokens with single spaces between them, as it nearly always is."""
        text = "".join(
            [row.form if row.misc != "_" and is_unspaced(row.misc) else row.form + " " for row in self.tokens]
        )
        return read_texts(self.comments) == [text[:-1] if text[-1:] == " " else text]

    @cached_property
    def has_graph(self) -> bool:
        return bool(self.empty) or any(row.deps != "_" for row in self.words)


@lru_cache(1 << 16)
def find_feature_faults(feats: str) -> tuple[tuple[str, str], ...]:
    """The names of the rules that a value of FEATS breaks, each with the part that does."""
    faults = []
    parts = feats.split("|")
    lowered = [part.lower() for part in parts]
    if lowered != sorted(lowered):
        faults.append(("unsorted-features", feats))
    names = set()
    for part in parts:
        match = FEATURE.fullmatch(part)
        if match is None:
            faults.append(("invalid-feature", part))
            continue
        name = match[1]
        if name in names:
            faults.append(("repeated-feature", part))
        names.add(name)
        values = match[2].split(",")
        if len(set(values)) < len(values):
            faults.append(("repeated-feature-value", part))
        lowered = [value.lower() for value in values]
        if lowered != sorted(lowered):
            faults.append(("unsorted-feature-values", part))
    return tuple(faults)


def read_texts(comments: list[str]) -> list[str]:
    """The values of all comments `# text = …`."""
    return [match[1] for comment in comments if (match := TEXT.fullmatch(comment))]


def is_unspaced(misc: str) -> bool:
    """Whether there is no space after a token."""
    return "SpaceAfter=No" in misc and "SpaceAfter=No" in misc.split("|")


@lru_cache(1 << 12)
def strip_subtype(relation: str) -> str:
    """The part of a relation that all languages share, before the first colon."""
    return relation.partition(":")[0]


LINES: Stage[Lines] = Stage()
NUMBERS: Stage[Rows] = Stage()
COLUMNS: Stage[Rows] = Stage()
TREES: Stage[Rows] = Stage()
