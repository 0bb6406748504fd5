"""Level 2: the values of the columns, what comments say of a sentence, and that HEAD is a tree and DEPS a graph."""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from unicodedata import category

from dodona.data import ud
from dodona.data.marks import DONE, OPEN, find_mark_faults, read_status
from dodona.data.trees import find_cycle
from dodona.data.ud import COLUMNS, DEPS, HEAD_NUMBER, LEMMA, NO_SPACE, is_unspaced, strip_subtype
from dodona.validation.rules import ONCE, SENT_ID, FileHistory, Rows, TokenLine, Violation, match_comments

TAGS = frozenset(ud.UNIVERSAL_TAGS)
RELATIONS = frozenset(ud.UNIVERSAL_RELATIONS)
ENHANCED_RELATIONS = RELATIONS | {"ref"}
FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
RELATION = re.compile(r"[a-z]+(?::[a-z]+)?")
TEXT = re.compile(r"#\s*text\s*=\s*(.*)")
BEGINNING = re.compile(r"#\s*(newdoc|newpar)(?:\s+\S+)?")
PARALLEL_ID = re.compile(
    r"#\s*parallel_id\s*=\s*(([a-z]+/[-0-9a-z]+)(?:/(?=alt|part)(?:alt([1-9][0-9]{0,8}))?(?:part([1-9][0-9]{0,8}))?)?)",
    re.ASCII,
)
ENHANCED_HEAD = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?", re.ASCII)
LOWER_CASE = re.compile(r"[a-z]+")
LEMMA_CATEGORIES = frozenset(("Ll", "Lm", "Lo", "Mn", "Mc", "Me"))
MAX_NAMES = 1 << 20
"""How many names of sentences are stored to find repetitions."""


def check_columns(s: Rows) -> Iterator[Violation]:
    """The columns and comments of a sentence, its tree and its graph."""
    yield from _check_words(s)
    yield from _check_spaces(s)
    yield from _check_names(s)
    yield from _check_text(s)
    yield from _check_tree(s)
    yield from _check_graph(s)


def _check_words(s: Rows) -> Iterator[Violation]:
    for row, *_ in s.ranges:
        for k in range(LEMMA, DEPS + 1):
            if row[k] != "_" and not (COLUMNS[k] == "FEATS" and row.feats == "Typo=Yes"):
                yield Violation("mwt-nonempty-field", row.line, f"{COLUMNS[k]} {row[k]}")
    for row, _ in s.empty:
        for name, value in (("HEAD", row.head), ("DEPREL", row.deprel)):
            if value != "_":
                yield Violation("empty-node-nonempty-field", row.line, f"{name} {value}")
    for row in s.nodes:
        if row.upos not in TAGS and not (row.upos == "_" and "." in row.id):
            yield Violation("unknown-upos", row.line, row.upos)
        if row.feats != "_":
            for rule, value in find_feature_faults(row.feats):
                yield Violation(rule, row.line, value)
    for row in s.words:
        relation = strip_subtype(row.deprel)
        if not is_relation(row.deprel):
            yield Violation("invalid-deprel", row.line, row.deprel)
        elif relation not in RELATIONS:
            yield Violation("unknown-udeprel", row.line, relation)


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


@lru_cache(1 << 12)
def is_relation(deprel: str) -> bool:
    return RELATION.fullmatch(deprel) is not None


def _check_spaces(s: Rows) -> Iterator[Violation]:
    """MISC, above all what it says of spaces in the text."""
    for row in (*s.nodes, *(each.row for each in s.ranges)):
        if row.misc != "_":
            yield from _check_misc(row)
    for row, _ in s.empty:
        if NO_SPACE in row.misc:
            yield Violation("spaceafter-empty-node", row.line, row.misc)
    for _, first, last, _ in s.ranges:
        for row in s.words[first - 1 : last]:
            if NO_SPACE in row.misc:
                yield Violation("spaceafter-mwt-node", row.line, row.misc)


def _check_misc(row: TokenLine) -> Iterator[Violation]:
    parts = row.misc.split("|")
    if len(parts) > 1:
        names = [part.partition("=")[0] for part in parts]
        for name in sorted(name for name in ONCE.intersection(names) if names.count(name) > 1):
            yield Violation("repeated-misc", row.line, name)
    for fault in find_mark_faults(row.misc):
        yield Violation("annotation-marks", row.line, fault)
    if "NoSpaceAfter=Yes" in row.misc:
        yield Violation("nospaceafter-yes", row.line, row.misc)
    for part in parts:
        if part.startswith("SpaceAfter=") and part != NO_SPACE:
            yield Violation("spaceafter-value", row.line, part)


def _check_names(s: Rows) -> Iterator[Violation]:
    """The names of a sentence, and the document and paragraph that it begins."""
    history = s.history
    if not s.sent_id:
        yield Violation("missing-sent-id", s.line, "")
    if s.sent_id.count("/") > 1:
        yield Violation("slash-in-sent-id", s.line, s.sent_id)
    for key, pattern, known in (
        ("sent_id", SENT_ID, history.sent_ids),
        ("parallel_id", PARALLEL_ID, history.whole_parallel_ids),
    ):
        rule = key.replace("_", "-")
        for comment in s.comments:
            if comment.startswith((f"# {key}", f"#{key}")) and pattern.fullmatch(comment) is None:
                yield Violation(f"invalid-{rule}", s.line, comment)
        matches = match_comments(pattern, s.comments)
        names = " ".join(match[1] for match in matches)
        if len(matches) > 1:
            yield Violation(f"multiple-{rule}", s.line, names)
        elif matches and not remember(known, names):
            yield Violation(f"non-unique-{rule}", s.line, names)
    if len(matches) == 1 and not _continues_sequence(matches[0], history):
        yield Violation("parallel-id-sequence", s.line, names)
    status = read_status(s.comments)
    if status not in (None, OPEN, DONE):
        yield Violation("annotation-status", s.line, status or "")
    beginnings = match_comments(BEGINNING, s.comments)
    for name in ("newdoc", "newpar"):
        if sum(match[1] == name for match in beginnings) > 1:
            yield Violation(f"multiple-{name}", s.line, name)
    if history.unspaced and beginnings:
        yield Violation("spaceafter-newdocpar", s.line, beginnings[0][0])
    history.unspaced = is_unspaced(s.tokens[-1].misc)


def remember(names: set[int], name: str) -> bool:
    """Return whether a name is new; stores its hash."""
    number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
    if number in names:
        return False
    if len(names) < MAX_NAMES:
        names.add(number)
    return True


def _continues_sequence(parallel_id: re.Match[str], history: FileHistory) -> bool:
    """Whether the numbers of the alternative and the part come after those of the sentence before; stores them."""
    sentence, numbers = parallel_id[2], (int(parallel_id[3] or 0), int(parallel_id[4] or 0))
    before = history.parallel_ids.get(sentence)
    if before is None:
        if len(history.parallel_ids) < MAX_NAMES:
            history.parallel_ids[sentence] = numbers
        return all(number <= 1 for number in numbers)
    history.parallel_ids[sentence] = numbers
    return all(number == (last + 1 if last else 0) for number, last in zip(numbers, before, strict=True))


def _check_text(s: Rows) -> Iterator[Violation]:
    texts = [match[1] for match in match_comments(TEXT, s.comments)]
    if not texts:
        yield Violation("missing-text", s.line, "")
    if len(texts) > 1:
        yield Violation("multiple-text", s.line, " / ".join(texts))
    if texts == [""]:
        yield Violation("empty-text", s.line, "")
    for text in texts:
        if text[-1:].isspace():
            yield Violation("text-trailing-whitespace", s.line, text[-20:])
    if len(texts) == 1:
        spaced = [row.form if row.misc != "_" and is_unspaced(row.misc) else row.form + " " for row in s.tokens]
        if texts[0] != "".join(spaced).removesuffix(" "):  # as it nearly never is
            yield from _compare_text(s, texts[0])


def _compare_text(s: Rows, text: str) -> Iterator[Violation]:
    """Where the text differs from the tokens and the spaces between them. After the first other form no more is said:
    the rest has mostly the same reason."""
    at = 0
    sound = True
    for row in s.tokens:
        if not text.startswith(row.form, at):
            if sound:
                expected = f"what the text has here: {text[at:][:30]!r}"
                yield Violation("text-form-mismatch", row.line, row.form, expected)
            sound = False
            continue
        at += len(row.form)
        if is_unspaced(row.misc):
            continue
        if at < len(text) and not text[at].isspace() and sound:
            expected = f"SpaceAfter=No before {text[at:][:20]!r}"
            yield Violation("missing-spaceafter", row.line, row.form, expected)
        while at < len(text) and text[at].isspace():
            at += 1
    if at < len(text) and sound:
        yield Violation("text-extra-chars", s.line, text[at:])


def _check_tree(s: Rows) -> Iterator[Violation]:
    n = len(s.words)
    heads = [int(row.head) if HEAD_NUMBER.fullmatch(row.head) else -1 for row in s.words]
    for row, head in zip(s.words, heads, strict=True):
        if head < 0:
            yield Violation("invalid-head", row.line, row.head)
        elif head > n:
            yield Violation("unknown-head", row.line, row.head, f"a number from 0 to {n}")
        if row.head == row.id:
            yield Violation("head-self-loop", row.line, row.head)
    if min(heads) < 0 or max(heads) > n:
        return
    roots = [row for row in s.words if row.head == "0"]
    if len(roots) > 1:
        yield Violation("multiple-roots", roots[1].line, " ".join(row.id for row in roots))
    cycle = find_cycle(heads)
    if cycle is not None and len(cycle[1]) > 1:
        yield Violation("non-tree", s.words[cycle[0] - 1].line, " → ".join(map(str, [*cycle[1], cycle[1][0]])))


def parse_enhanced_head(head: str) -> tuple[int, int] | None:
    """By what heads in DEPS are sorted; 1.10 comes after 1.2."""
    match = ENHANCED_HEAD.fullmatch(head)
    return (int(match[1]), int(match[2] or 0)) if match else None


@lru_cache(1 << 14)
def is_enhanced_relation(relation: str) -> bool:
    """Whether this is a relation, then perhaps a subtype, the lemma of a preposition or conjunction, and a case."""
    first, *rest = relation.split(":")
    if LOWER_CASE.fullmatch(first) is None or len(rest) > 3:
        return False
    is_lower = [LOWER_CASE.fullmatch(part) is not None for part in rest]
    if all(is_lower):
        return True
    lemma = is_lower.index(False)  # the only part that may have other letters
    return lemma <= 1 and len(rest) - lemma <= 2 and all(is_lower[lemma + 1 :]) and _is_lemma(rest[lemma])


def _is_lemma(text: str) -> bool:
    """Letters without capitals, and marks; `_` between words."""
    return all(part and all(category(char) in LEMMA_CATEGORIES for char in part) for part in text.split("_"))


def _check_graph(s: Rows) -> Iterator[Violation]:
    history = s.history
    if not s.has_graph:
        if history.with_deps and not history.without_deps:
            expected = f"some, as in the sentence of line {history.with_deps}"
            yield Violation("edeps-only-sometimes", s.line, "no DEPS", expected)
        history.without_deps = history.without_deps or s.line
        return
    if history.without_deps and not history.with_deps:
        expected = f"none, as in the sentence of line {history.without_deps}"
        yield Violation("edeps-only-sometimes", s.line, "DEPS", expected)
    history.with_deps = history.with_deps or s.line
    parsed = {row.id for row, _ in s.deps}
    nodes = {"0", *(row.id for row in s.nodes)}
    invalid = [row for row in s.nodes if row.deps != "_" and row.id not in parsed]
    for row in invalid:
        yield Violation("invalid-deps", row.line, row.deps)
    below: dict[str, list[str]] = {}
    unknown = False
    for row, pairs in s.deps:
        yield from _check_deps(row, pairs)
        for head, _ in pairs:
            below.setdefault(head, []).append(row.id)
            if head not in nodes and ENHANCED_HEAD.fullmatch(head):
                unknown = True
                yield Violation("unknown-ehead", row.line, head)
    if not invalid and not unknown:
        yield from _check_connections(s, below)


def _check_deps(row: TokenLine, pairs: list[tuple[str, str]]) -> Iterator[Violation]:
    keys = []
    for head, relation in pairs:
        order = parse_enhanced_head(head)
        if order is None:
            yield Violation("invalid-ehead", row.line, head)
        else:
            keys.append((order, relation))
        if not is_enhanced_relation(relation):
            yield Violation("invalid-edeprel", row.line, relation)
        elif strip_subtype(relation) not in ENHANCED_RELATIONS:
            yield Violation("unknown-eudeprel", row.line, relation)
    if keys != sorted(keys):
        yield Violation("unsorted-deps", row.line, row.deps)
    if len(set(pairs)) < len(pairs):
        yield Violation("repeated-deps", row.line, row.deps)
    if any(head == row.id for head, _ in pairs):
        yield Violation("deps-self-loop", row.line, row.deps)


def _check_connections(s: Rows, below: dict[str, list[str]]) -> Iterator[Violation]:
    reached = {"0"}
    walk = ["0"]
    for node in walk:  # grows while it is walked through
        new = [d for d in below.get(node, ()) if d not in reached]
        reached.update(new)
        walk += new
    if lost := [row for row in s.nodes if row.id not in reached]:
        yield Violation("unconnected-egraph", lost[0].line, " ".join(row.id for row in lost))
