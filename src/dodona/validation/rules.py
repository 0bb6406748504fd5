"""What a rule is, and what rules look at; rules.toml has all rules of levels 1 and 2 and some of level 3.

A check looks at one sentence and yields a `Violation` for each place that breaks a rule. It runs at a stage, and relies
on what the checks of the earlier stages have seen:

    lines      of a sentence, as text                     dodona.validation.format
    numbers    of rows of ten columns                     dodona.validation.format
    columns    of rows whose IDs are in order             dodona.validation.content
    trees      of rows whose heads are a tree             dodona.validation.validator

A sentence that breaks a severe rule is not looked at in later stages: what they would say could be misleading.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dodona.data.conllu import Block
from dodona.data.ud import EMPTY_ID, RANGE_ID, UNIVERSAL_RELATIONS, UNIVERSAL_TAGS, WORD_ID

LEVELS = {
    1: "the CoNLL-U format",
    2: "UD's tags, features, relations and trees",
    3: "UD's guidelines",
    4: "the features, relations and words with spaces of a language",
    5: "the auxiliaries and copulas of a language",
}
MAX_VALUE = 200
"""How many characters of a value are reported."""
SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
ONCE = frozenset(("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref"))
"""The attributes of MISC that UD documents."""


class Violation(NamedTuple):
    """A place that breaks a rule."""

    rule: str
    line: int
    value: str
    expected: str = ""  # what is expected here, where the rule's own text can be more precise
    sentence: str | None = None  # its sent_id, where it is not that of the sentence looked at

    def report(self, file: str, sentence: str) -> "Finding":
        rule = RULES[self.rule]
        sent_id = sentence if self.sentence is None else self.sentence
        value = self.value if len(self.value) <= MAX_VALUE else self.value[:MAX_VALUE] + "…"
        return Finding(file, self.line, sent_id, rule.name, rule.level, value, self.expected or rule.expected)


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
    why: str  # the rule and its reason
    severe: bool = False


def _read_rules() -> dict[str, Rule]:
    """Read all rules by name, in the order of levels and stages; not those of udtools."""
    names = {"tags": UNIVERSAL_TAGS, "relations": UNIVERSAL_RELATIONS, "attributes": ONCE}
    text = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
    written = text.format(**{key: " ".join(sorted(values)) for key, values in names.items()})
    return {name: Rule(name, **fields) for name, fields in tomllib.loads(written).items()}


RULES = _read_rules()
ORDER = {name: k for k, name in enumerate(RULES)}


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
    untyped: list[Violation] = field(default_factory=list)  # goeswith heads before the first FEATS


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
        numbered = list(enumerate(self.lines, start=block.line))
        self.comments = [(number, line) for number, line in numbered if line[:1] == "#"]
        self.rows = [(number, line, line.split("\t")) for number, line in numbered if line[:1] != "#"]
        sent_ids = match_comments(SENT_ID, (comment for _, comment in self.comments))
        self.sent_id = sent_ids[0][1] if sent_ids else ""

    @property
    def last(self) -> int:
        """The number of the last line, after which the blank lines come."""
        return self.first + max(0, len(self.lines) - 1)


class Rows:
    """The rows of a sentence. Rows whose ID is none of the three kinds are in `others`."""

    def __init__(self, lines: Lines) -> None:
        self.history = lines.history
        self.comments = [comment for _, comment in lines.comments]
        self.sent_id = lines.sent_id
        self.line = lines.rows[0][0]
        self.words: list[TokenLine] = []
        self.nodes: list[TokenLine] = []  # words and empty nodes
        self.ranges: list[Range] = []
        self.empty: list[tuple[TokenLine, str]] = []  # and the ID that is expected there
        self.others: list[TokenLine] = []
        self.tokens: list[TokenLine] = []
        empty = covered = 0
        for number, _, cells in lines.rows:
            row = TokenLine._make((*cells, number))
            count = len(self.words)
            if WORD_ID.fullmatch(row.id):
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
    def has_graph(self) -> bool:
        return bool(self.empty) or any(row.deps != "_" for row in self.words)


def match_comments(pattern: re.Pattern[str], comments: Iterable[str]) -> list[re.Match[str]]:
    return [match for comment in comments if (match := pattern.fullmatch(comment))]
