"""The subjects of the rules: a sentence as lines, as rows of columns and as a tree; and what is known of a file."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from dodona.data.conllu import BOM, Block
from dodona.data.trees import find_cycle, is_projective
from dodona.validation.values import feature_faults, is_unspaced, texts, universal

__all__ = ["Lines", "Memory", "Range", "Row", "Rows", "Tree", "tree_of"]

WORD_ID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
RANGE_ID = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
EMPTY_ID = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)
SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
HEAD = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
SPACE = re.compile(r"[^\S\t]")
COLUMN_COUNT = 10


@dataclass
class Memory:
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


class Row(NamedTuple):
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

    row: Row
    first: int
    last: int
    after: int  # the number of the last word above it


class Lines:
    """The lines of a sentence, decoded: first comments, then rows."""

    def __init__(self, block: Block, memory: Memory) -> None:
        self.block = block
        self.memory = memory
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

    @property
    def sent_id(self) -> str:
        for comment in self.comments:
            found = SENT_ID.fullmatch(comment)
            if found:
                return found[1]
        return ""

    @property
    def last(self) -> int:
        """The number of the last line, after which the blank lines come."""
        return self.first + max(0, len(self.lines) - 1)

    @property
    def starts_with_bom(self) -> bool:
        return self.block.leading.startswith(BOM)

    @cached_property
    def spaced(self) -> list[tuple[int, int, str, bool]]:
        """The values with white space: line, column, value, and whether it is that of a multiword token."""
        found = []
        for number, line in self.rows:
            if SPACE.search(line):
                cells = line.split("\t")
                in_range = RANGE_ID.fullmatch(cells[0]) is not None
                if len(cells) == COLUMN_COUNT:
                    found += [(number, k, cell, in_range) for k, cell in enumerate(cells) if SPACE.search(cell)]
        return found

    @cached_property
    def cells(self) -> list[tuple[int, list[str]]]:
        return [(number, line.split("\t")) for number, line in self.rows]


class Rows:
    """The rows of a sentence. Rows whose ID is none of the three kinds are in `others`."""

    def __init__(self, lines: Lines) -> None:
        self.memory = lines.memory
        self.comments = lines.comments
        self.sent_id = lines.sent_id
        self.line = lines.rows[0][0]
        self.words: list[Row] = []
        self.nodes: list[Row] = []  # words and empty nodes
        self.ranges: list[Range] = []
        self.empty: list[tuple[Row, str]] = []  # and the ID that is expected there
        self.others: list[Row] = []
        self.tokens: list[Row] = []
        self.in_sequence = self._split([Row._make((*cells, number)) for number, cells in lines.cells])

    def _split(self, rows: list[Row]) -> bool:
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
            elif found := RANGE_ID.fullmatch(row.id):
                self.ranges.append(Range(row, int(found[1]), int(found[2]), count))
                self.tokens.append(row)
                covered = int(found[2])
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
    def all_rows(self) -> list[Row]:
        """The words and empty nodes, and after them the multiword tokens."""
        return [*self.nodes, *(found.row for found in self.ranges)]

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
            for rule, value in feature_faults(row.feats)
        ]

    @cached_property
    def deps(self) -> list[tuple[Row, list[tuple[str, str]]]]:
        """The nodes with DEPS, and these as pairs of head and relation; only the ones that have this form."""
        found = []
        for row in self.nodes:
            if row.deps != "_":
                pairs = [(head, relation) for head, _, relation in (d.partition(":") for d in row.deps.split("|"))]
                if all(relation for _, relation in pairs):
                    found.append((row, pairs))
        return found

    @cached_property
    def text_matches(self) -> bool:
        """Whether `# text` is the tokens with single spaces between them, as it nearly always is."""
        pieces = [row.form if row.misc != "_" and is_unspaced(row.misc) else row.form + " " for row in self.tokens]
        text = "".join(pieces)
        return texts(self.comments) == [text[:-1] if text[-1:] == " " else text]

    @cached_property
    def has_graph(self) -> bool:
        return bool(self.empty) or any(row.deps != "_" for row in self.words)


class Tree:
    """A sentence whose words are a tree. Words are numbered from 1."""

    def __init__(self, rows: Rows, heads: list[int]) -> None:
        self.rows = rows
        self.memory = rows.memory
        self.words = rows.words
        self.heads = heads
        self.relations = [universal(row.deprel) for row in rows.words]
        self.by_relation: dict[str, list[int]] = {}
        for d, relation in enumerate(self.relations, start=1):
            self.by_relation.setdefault(relation, []).append(d)

    @cached_property
    def children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in range(len(self.words) + 1)]
        for d, h in enumerate(self.heads, start=1):
            children[h].append(d)
        return children

    @cached_property
    def is_projective(self) -> bool:
        return is_projective(self.heads)

    def word(self, d: int) -> Row:
        return self.words[d - 1]

    def having(self, *relations: str) -> list[int]:
        """The words with one of these relations, subtypes included."""
        return [d for relation in relations for d in self.by_relation.get(relation, ())]

    def under(self, h: int, relation: str) -> list[int]:
        """The dependents of a word with this relation."""
        return [d for d in self.children[h] if self.relations[d - 1] == relation]

    def dominates(self, h: int, d: int) -> bool:
        """Whether word d is below word h, or is h."""
        while d and d != h:
            d = self.heads[d - 1]
        return d == h

    def gap(self, d: int) -> list[int]:
        """The words between a word and its head that are not below that head."""
        h = self.heads[d - 1]
        return [k for k in range(min(d, h) + 1, max(d, h)) if not self.dominates(h, k)]

    def shown(self, d: int) -> str:
        """A word and its relation, for messages."""
        return f"{self.words[d - 1].form} ({self.words[d - 1].deprel})"


def tree_of(rows: Rows) -> Tree | None:
    """The tree of a sentence; None if its heads are none. It may have several roots."""
    heads = rows.heads
    if heads is None or find_cycle(heads) is not None:
        return None
    return Tree(rows, heads)
