"""What a rule is, what rules look at, and all rules of levels 1 and 2 and some of level 3.

A check looks at one sentence and yields a `Violation` for each place that breaks a rule. It runs at a stage, and relies
on what the checks of the earlier stages have seen:

    lines      of a sentence, as text                     dodona.validation.format
    numbers    of rows of ten columns                     dodona.validation.format
    columns    of rows whose IDs are in order             dodona.validation.content
    trees      of rows whose heads are a tree             dodona.validation.guidelines

A sentence that breaks a severe rule is not looked at in later stages: what they would say could be misleading.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from dodona.data.conllu import Block
from dodona.data.ud import NO_SPACE, UNIVERSAL_RELATIONS, UNIVERSAL_TAGS

LEVELS = {
    1: "the CoNLL-U format",
    2: "UD's tags, features, relations and trees",
    3: "UD's guidelines",
    4: "the features, relations and words with spaces of a language",
    5: "the auxiliaries and copulas of a language",
}
MAX_VALUE = 200
"""How many characters of a value are reported."""
WORD_ID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
RANGE_ID = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
EMPTY_ID = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)
SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
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


RULES = {rule.name: rule for rule in (
    Rule("unreadable-file", 1, "a file that can be read",
         "A file can be opened and decompressed, and no line or sentence is larger than a program can hold."),
    Rule("invalid-utf", 1, "text in UTF-8",
         "Files are in UTF-8. The replacement character U+FFFD is what is left of text that was decoded wrongly."),
    Rule("nul-character", 1, "text in UTF-8 (is this UTF-16?)",
         "No line has a NUL character, which programs take as the end of a text.", severe=True),
    Rule("byte-order-mark", 1, "no byte order mark at the beginning",
         "A file has no byte order mark (BOM): programs that do not expect one take it as part of the first line."),
    Rule("non-unix-newline", 1, "LF after each line",
         "Lines end with LF alone; a carriage return would become part of the last column."),
    Rule("lone-return", 1, "LF after each line",
         "A carriage return inside a line is a line end for some programs only.", severe=True),
    Rule("unicode-normalization", 1, "Unicode normalization form C (NFC)",
         "Text is in NFC: the same letter, written in two ways, would be two different letters for a program."),
    Rule("pseudo-empty-line", 1, "an empty line",
         "The blank line after a sentence is empty; white space in it cannot be seen, and not every program skips it."),
    Rule("extra-empty-line", 1, "one empty line after each sentence, and none before the first",
         "Exactly one empty line ends a sentence; a second one would end a sentence without words."),
    Rule("missing-empty-line", 1, "an empty line after the last sentence",
         "The last sentence is followed by an empty line too; without one, files cannot be joined."),
    Rule("empty-sentence", 1, "a word after the comments",
         "A sentence has words; comments alone are none.", severe=True),
    Rule("misplaced-comment", 1, "all comments before the first word",
         "Comments stand above a sentence: inside, it would not be known which word they belong to."),
    Rule("invalid-line", 1, "a comment, which begins with #, or a word, which begins with its number",
         "Every line is a comment, a row that begins with a number, or empty.", severe=True),
    Rule("number-of-columns", 1, "ten columns, separated by tabs",
         "A row has ten columns with a tab between two of them.", severe=True),
    Rule("empty-column", 1, "a value, `_` for nothing", "No column is empty: `_` says that there is no value."),
    Rule("invalid-whitespace", 1, "no white space in this column", "Only FORM, LEMMA and MISC may have spaces."),
    Rule("invalid-whitespace-mwt", 1, "no white space in the form of a multiword token",
         "A multiword token is written without spaces: with a space, it would be two tokens."),
    Rule("leading-whitespace", 1, "a value without white space before it", "Values do not begin with white space."),
    Rule("trailing-whitespace", 1, "a value without white space after it", "Values do not end with white space."),
    Rule("repeated-whitespace", 1, "single spaces", "Inside a value there is no more than one space at a time."),
    Rule("invalid-word-id", 1, "3, 3-4 or 3.1, without zeros before it, up to nine digits",
         "ID is the number of a word, the range of a multiword token, or the number of an empty node.", severe=True),
    Rule("word-id-sequence", 1, "words numbered 1, 2, 3, …",
         "Words are numbered from 1 without gaps, and there is at least one.", severe=True),
    Rule("reversed-word-interval", 1, "a last word after the first",
         "The range of a multiword token has at least two words, the first one first.", severe=True),
    Rule("misplaced-word-interval", 1, "the range just before its first word",
         "The line of a multiword token stands just above that of its first word.", severe=True),
    Rule("word-interval-out", 1, "a range inside of the sentence",
         "A multiword token consists of words of its sentence.", severe=True),
    Rule("overlapping-word-intervals", 1, "ranges apart from each other",
         "A word belongs to one multiword token at most.", severe=True),
    Rule("misplaced-empty-node", 1, "the next number after that of the word before",
         "Empty nodes after word 4 are 4.1, 4.2, …; before a multiword token they stand above its line.",
         severe=True),
    Rule("mwt-nonempty-field", 2, "`_` in all columns of a multiword token but ID, FORM and MISC",
         "A multiword token has only a form; everything else belongs to its words. FEATS may say Typo=Yes."),
    Rule("empty-node-nonempty-field", 2, "`_` in HEAD and DEPREL of an empty node",
         "Empty nodes are no part of the basic tree; they are attached in DEPS."),
    Rule("unknown-upos", 2, f"one of {' '.join(sorted(UNIVERSAL_TAGS))}",
         "UPOS is one of the 17 universal tags. An empty node may have `_`."),
    Rule("invalid-feature", 2, "Name=Value or Name[layer]=Value,Value; letters and digits, a capital first",
         "FEATS has pairs of name and value with `|` between them."),
    Rule("unsorted-features", 2, "features in alphabetical order, capital or not",
         "Features are sorted, so that the same features are always the same string."),
    Rule("repeated-feature", 2, "each feature once; several values are Name=A,B", "A word has each feature once."),
    Rule("unsorted-feature-values", 2, "values in alphabetical order, capital or not",
         "Several values of a feature are sorted."),
    Rule("repeated-feature-value", 2, "each value once", "A feature has each value once."),
    Rule("invalid-deprel", 2, "a relation in small letters, with a subtype after a colon or without",
         "DEPREL is a relation, or a relation and its subtype: nsubj, nsubj:pass."),
    Rule("unknown-udeprel", 2, f"one of {' '.join(sorted(UNIVERSAL_RELATIONS))}",
         "Before the colon, DEPREL is one of the 37 universal relations."),
    Rule("repeated-misc", 2, f"each of {' '.join(sorted(ONCE))} once",
         "MISC may have anything, but an attribute that UD documents has one value."),
    Rule("missing-sent-id", 2, "a comment `# sent_id = …`", "Every sentence has a name, so that it can be spoken of."),
    Rule("invalid-sent-id", 2, "`# sent_id = ` and a name without spaces",
         "The name of a sentence has no white space."),
    Rule("multiple-sent-id", 2, "one sent_id", "A sentence has one name."),
    Rule("non-unique-sent-id", 2, "a name of its own for each sentence",
         "No two sentences of a file have the same name."),
    Rule("slash-in-sent-id", 2, "at most one slash",
         "A slash in a sent_id is reserved for parallel treebanks, where it stands before the language."),
    Rule("multiple-newdoc", 2, "one newdoc", "A sentence begins one document at most."),
    Rule("multiple-newpar", 2, "one newpar", "A sentence begins one paragraph at most."),
    Rule("spaceafter-newdocpar", 2, "a space before a new document or paragraph",
         "The last token before a new document or paragraph does not say SpaceAfter=No: there is at least a line end."),
    Rule("missing-text", 2, "a comment `# text = …`", "Every sentence has its text, from which its tokens were made."),
    Rule("multiple-text", 2, "one text", "A sentence has one text."),
    Rule("empty-text", 2, "the text of the sentence", "The text of a sentence is not empty."),
    Rule("text-trailing-whitespace", 2, "no white space at the end of the text",
         "The text of a sentence ends with its last token."),
    Rule("text-form-mismatch", 2, "the form that the text has here", "The text consists of the tokens."),
    Rule("missing-spaceafter", 2, "SpaceAfter=No in MISC",
         "A token without a space after it in the text says so in MISC."),
    Rule("text-extra-chars", 2, "a text that ends with the last token", "The text has nothing after the last token."),
    Rule("nospaceafter-yes", 2, "SpaceAfter=No", "The attribute of MISC is SpaceAfter=No, not NoSpaceAfter=Yes."),
    Rule("spaceafter-value", 2, "SpaceAfter=No, or SpacesAfter for other white space",
         "SpaceAfter has one value, No; other white space is in SpacesAfter."),
    Rule("spaceafter-empty-node", 2, "no SpaceAfter at an empty node",
         "Empty nodes are not in the text, so there is no space after them."),
    Rule("spaceafter-mwt-node", 2, "SpaceAfter=No at the multiword token",
         "The space after a multiword token belongs to its own line, not to those of its words."),
    Rule("invalid-parallel-id", 2, "`# parallel_id = corpus/sentence`, and /alt1, /part1 or /alt1part1 after it",
         "A parallel_id has the name of a corpus and that of a sentence, so that translations can be found by it."),
    Rule("multiple-parallel-id", 2, "one parallel_id", "A sentence has one parallel_id at most."),
    Rule("non-unique-parallel-id", 2, "a parallel_id of its own; /alt and /part tell translations apart",
         "No two sentences of a file have the same parallel_id."),
    Rule("parallel-id-sequence", 2, "alternatives and parts numbered 1, 2, 3, …, in all sentences or in none",
         "Several translations of a sentence are numbered alt1, alt2, …, its parts part1, part2, …"),
    Rule("invalid-head", 2, "the number of a word, or 0 for the root",
         "HEAD is a number; `_` is for words that are not yet annotated.", severe=True),
    Rule("unknown-head", 2, "the number of a word of this sentence",
         "HEAD is a word of the same sentence.", severe=True),
    Rule("head-self-loop", 2, "another word as head", "No word is its own head.", severe=True),
    Rule("multiple-roots", 2, "one word with HEAD 0", "A sentence has one root."),
    Rule("non-tree", 2, "a path from every word to the root",
         "The words are a tree under the root: following the heads, one gets from every word to 0.", severe=True),
    Rule("invalid-deps", 2, "head:relation, with | between several",
         "DEPS has pairs of head and relation with `|` between them."),
    Rule("invalid-ehead", 2, "the number of a word or an empty node, or 0 for the root",
         "The heads in DEPS are numbers: 3, or 3.1 for an empty node."),
    Rule("unknown-ehead", 2, "a word or an empty node of this sentence",
         "The heads in DEPS are words or empty nodes of the same sentence."),
    Rule("unsorted-deps", 2, "DEPS sorted by head, and by relation where heads are the same",
         "DEPS is sorted, so that the same graph is always the same string."),
    Rule("repeated-deps", 2, "each head and relation once", "DEPS has each pair of head and relation once."),
    Rule("deps-self-loop", 2, "other words as heads",
         "No node is its own head in DEPS. Longer cycles are allowed there."),
    Rule("invalid-edeprel", 2, "relation:subtype:lemma:case, where all but the first may be missing",
         "A relation in DEPS can have the lemma of a preposition or conjunction, and the name of a case."),
    Rule("unknown-eudeprel", 2, "a universal relation, or ref",
         "Before the first colon, a relation in DEPS is a universal one, or `ref` for relative pronouns."),
    Rule("edeps-only-sometimes", 2, "DEPS in all sentences, or in none",
         "A treebank has enhanced graphs or has none; reported at the first sentence that differs."),
    Rule("unconnected-egraph", 2, "a path from the root to every node",
         "Where there are DEPS, every word and every empty node is reached from the root."),
    Rule("goeswith-missing-typo", 3, "Typo=Yes in FEATS of the first part",
         "A word that is written apart is a typo. A treebank without any FEATS need not say so."),
    Rule("orphan-beside-empty-nodes", 3, "no orphan in DEPS of a treebank that has empty nodes",
         "`orphan` stands for a missing predicate. Where missing predicates are empty nodes, DEPS does not need it."),
    Rule("edeps-identical-to-basic-trees", 3, "`_` in DEPS, or a relation in DEPS that HEAD and DEPREL do not have",
         "DEPS adds to the basic tree. A file in which it is a mere copy should have none."),
)}  # fmt: skip
"""All rules by name, in the order of levels and stages; not those of udtools."""
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


def match_comments(pattern: re.Pattern[str], comments: Iterable[str]) -> list[re.Match[str]]:
    return [match for comment in comments if (match := pattern.fullmatch(comment))]


def is_unspaced(misc: str) -> bool:
    """Whether there is no space after a token."""
    return NO_SPACE in misc and NO_SPACE in misc.split("|")
