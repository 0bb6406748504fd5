"""Level 2: the values of the columns, what comments say of a sentence, and that HEAD is a tree and DEPS a graph."""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from unicodedata import category

from dodona.data.trees import find_cycle
from dodona.validation.rules import COLUMNS, HEAD, SENT_ID, Rows, Violation, is_unspaced, read_texts, strip_subtype

UPOS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"),
        *("SCONJ", "SYM", "VERB", "X"),
    )
)
RELATIONS = frozenset(
    (
        *("acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop"),
        *("csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list"),
        *("mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root"),
        *("vocative", "xcomp"),
    )
)
ENHANCED_RELATIONS = RELATIONS | {"ref"}
RELATION = re.compile(r"[a-z]+(?::[a-z]+)?")
ONCE = frozenset(("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref"))
BETWEEN = (("LEMMA", 2), ("UPOS", 3), ("XPOS", 4), ("FEATS", 5), ("HEAD", 6), ("DEPREL", 7), ("DEPS", 8))
NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+\S+)?")
NEW_PARAGRAPH = re.compile(r"#\s*newpar(?:\s+\S+)?")
PARALLEL_ID = re.compile(
    r"#\s*parallel_id\s*=\s*(([a-z]+/[-0-9a-z]+)(?:/(?=alt|part)(?:alt([1-9][0-9]{0,8}))?(?:part([1-9][0-9]{0,8}))?)?)",
    re.ASCII,
)
ENHANCED_HEAD = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?", re.ASCII)
LOWER_CASE = re.compile(r"[a-z]+")
LEMMA = frozenset(("Ll", "Lm", "Lo", "Mn", "Mc", "Me"))
MAX_NAMES = 1 << 20
"""How many names of sentences are stored to find repetitions."""


@COLUMNS.rule("mwt-nonempty-field", 2, "`_` in all columns of a multiword token but ID, FORM and MISC")
def find_mwt_nonempty_field(s: Rows) -> Iterator[Violation]:
    """A multiword token has only a form; everything else belongs to its words. FEATS may say Typo=Yes."""
    for row, *_ in s.ranges:
        for name, k in BETWEEN:
            if row[k] != "_" and not (name == "FEATS" and row[k] == "Typo=Yes"):
                yield Violation(row.line, f"{name} {row[k]}")


@COLUMNS.rule("empty-node-nonempty-field", 2, "`_` in HEAD and DEPREL of an empty node")
def find_empty_node_nonempty_field(s: Rows) -> Iterator[Violation]:
    """Empty nodes are no part of the basic tree; they are attached in DEPS."""
    for row, _ in s.empty:
        for name, value in (("HEAD", row.head), ("DEPREL", row.deprel)):
            if value != "_":
                yield Violation(row.line, f"{name} {value}")


@COLUMNS.rule("unknown-upos", 2, f"one of {' '.join(sorted(UPOS))}")
def find_unknown_upos(s: Rows) -> Iterator[Violation]:
    """UPOS is one of the 17 universal tags. An empty node may have `_`."""
    for row in s.nodes:
        if row.upos not in UPOS and not (row.upos == "_" and "." in row.id):
            yield Violation(row.line, row.upos)


def _find_in_features(s: Rows, name: str) -> Iterator[Violation]:
    for line, rule, value in s.feature_faults:
        if rule == name:
            yield Violation(line, value)


@COLUMNS.rule("invalid-feature", 2, "Name=Value or Name[layer]=Value,Value; letters and digits, a capital first")
def find_invalid_feature(s: Rows) -> Iterator[Violation]:
    """FEATS has pairs of name and value with `|` between them."""
    return _find_in_features(s, "invalid-feature")


@COLUMNS.rule("unsorted-features", 2, "features in alphabetical order, capital or not")
def find_unsorted_features(s: Rows) -> Iterator[Violation]:
    """Features are sorted, so that the same features are always the same string."""
    return _find_in_features(s, "unsorted-features")


@COLUMNS.rule("repeated-feature", 2, "each feature once; several values are Name=A,B")
def find_repeated_feature(s: Rows) -> Iterator[Violation]:
    """A word has each feature once."""
    return _find_in_features(s, "repeated-feature")


@COLUMNS.rule("unsorted-feature-values", 2, "values in alphabetical order, capital or not")
def find_unsorted_feature_values(s: Rows) -> Iterator[Violation]:
    """Several values of a feature are sorted."""
    return _find_in_features(s, "unsorted-feature-values")


@COLUMNS.rule("repeated-feature-value", 2, "each value once")
def find_repeated_feature_value(s: Rows) -> Iterator[Violation]:
    """A feature has each value once."""
    return _find_in_features(s, "repeated-feature-value")


@lru_cache(1 << 12)
def is_relation(deprel: str) -> bool:
    return RELATION.fullmatch(deprel) is not None


@COLUMNS.rule("invalid-deprel", 2, "a relation in small letters, with a subtype after a colon or without")
def find_invalid_deprel(s: Rows) -> Iterator[Violation]:
    """DEPREL is a relation, or a relation and its subtype: nsubj, nsubj:pass."""
    for row in s.words:
        if not is_relation(row.deprel):
            yield Violation(row.line, row.deprel)


@COLUMNS.rule("unknown-udeprel", 2, f"one of {' '.join(sorted(RELATIONS))}")
def find_unknown_udeprel(s: Rows) -> Iterator[Violation]:
    """Before the colon, DEPREL is one of the 37 universal relations."""
    for row in s.words:
        if strip_subtype(row.deprel) not in RELATIONS and is_relation(row.deprel):
            yield Violation(row.line, strip_subtype(row.deprel))


@COLUMNS.rule("repeated-misc", 2, f"each of {' '.join(sorted(ONCE))} once")
def find_repeated_misc(s: Rows) -> Iterator[Violation]:
    """MISC may have anything, but an attribute that UD documents has one value."""
    for row in s.all_rows:
        if "|" in row.misc:
            names = [part.partition("=")[0] for part in row.misc.split("|")]
            if len(set(names)) < len(names):
                for name in sorted(ONCE.intersection(name for name in names if names.count(name) > 1)):
                    yield Violation(row.line, name)


def remember(names: set[int], name: str) -> bool:
    """Return whether a name is new; stores its hash."""
    number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
    if number in names:
        return False
    if len(names) < MAX_NAMES:
        names.add(number)
    return True


@COLUMNS.rule("missing-sent-id", 2, "a comment `# sent_id = …`")
def find_missing_sent_id(s: Rows) -> Iterator[Violation]:
    """Every sentence has a name, so that it can be spoken of."""
    if not s.sent_id:
        yield Violation(s.line, "")


@COLUMNS.rule("invalid-sent-id", 2, "`# sent_id = ` and a name without spaces")
def find_invalid_sent_id(s: Rows) -> Iterator[Violation]:
    """The name of a sentence has no white space."""
    for comment in s.comments:
        if comment.startswith(("# sent_id", "#sent_id")) and SENT_ID.fullmatch(comment) is None:
            yield Violation(s.line, comment)


@COLUMNS.rule("multiple-sent-id", 2, "one sent_id")
def find_multiple_sent_id(s: Rows) -> Iterator[Violation]:
    """A sentence has one name."""
    if s.sent_id:
        names = [match[1] for comment in s.comments if (match := SENT_ID.fullmatch(comment))]
        if len(names) > 1:
            yield Violation(s.line, " ".join(names))


@COLUMNS.rule("non-unique-sent-id", 2, "a name of its own for each sentence")
def find_non_unique_sent_id(s: Rows) -> Iterator[Violation]:
    """No two sentences of a file have the same name."""
    names = sum(SENT_ID.fullmatch(comment) is not None for comment in s.comments)
    if names == 1 and not remember(s.history.sent_ids, s.sent_id):
        yield Violation(s.line, s.sent_id)


@COLUMNS.rule("slash-in-sent-id", 2, "at most one slash")
def find_slash_in_sent_id(s: Rows) -> Iterator[Violation]:
    """A slash in a sent_id is reserved for parallel treebanks, where it stands before the language."""
    if s.sent_id.count("/") > 1:
        yield Violation(s.line, s.sent_id)


@COLUMNS.rule("multiple-newdoc", 2, "one newdoc")
def find_multiple_newdoc(s: Rows) -> Iterator[Violation]:
    """A sentence begins one document at most."""
    if sum(NEW_DOCUMENT.fullmatch(comment) is not None for comment in s.comments) > 1:
        yield Violation(s.line, "newdoc")


@COLUMNS.rule("multiple-newpar", 2, "one newpar")
def find_multiple_newpar(s: Rows) -> Iterator[Violation]:
    """A sentence begins one paragraph at most."""
    if sum(NEW_PARAGRAPH.fullmatch(comment) is not None for comment in s.comments) > 1:
        yield Violation(s.line, "newpar")


@COLUMNS.rule("spaceafter-newdocpar", 2, "a space before a new document or paragraph")
def find_spaceafter_newdocpar(s: Rows) -> Iterator[Violation]:
    """The last token before a new document or paragraph does not say SpaceAfter=No: there is at least a line end."""
    if s.history.unspaced:
        for comment in s.comments:
            if NEW_DOCUMENT.fullmatch(comment) or NEW_PARAGRAPH.fullmatch(comment):
                yield Violation(s.line, comment)
                break
    s.history.unspaced = is_unspaced(s.tokens[-1].misc)


@COLUMNS.rule("missing-text", 2, "a comment `# text = …`")
def find_missing_text(s: Rows) -> Iterator[Violation]:
    """Every sentence has its text, from which its tokens were made."""
    if not read_texts(s.comments):
        yield Violation(s.line, "")


@COLUMNS.rule("multiple-text", 2, "one text")
def find_multiple_text(s: Rows) -> Iterator[Violation]:
    """A sentence has one text."""
    if len(read_texts(s.comments)) > 1:
        yield Violation(s.line, " / ".join(read_texts(s.comments)))


@COLUMNS.rule("empty-text", 2, "the text of the sentence")
def find_empty_text(s: Rows) -> Iterator[Violation]:
    """The text of a sentence is not empty."""
    if read_texts(s.comments) == [""]:
        yield Violation(s.line, "")


@COLUMNS.rule("text-trailing-whitespace", 2, "no white space at the end of the text")
def find_text_trailing_whitespace(s: Rows) -> Iterator[Violation]:
    """The text of a sentence ends with its last token."""
    for text in read_texts(s.comments):
        if text[-1:].isspace():
            yield Violation(s.line, text[-20:])


def compare_text(s: Rows) -> Iterator[tuple[str, Violation]]:
    """Where the text differs from the tokens and the spaces between them. After the first other form no more is said:
    the rest has mostly the same reason."""
    texts = read_texts(s.comments)
    if len(texts) != 1:
        return
    rest, at = texts[0], 0
    sound = True
    for row in s.tokens:
        if not rest.startswith(row.form, at):
            if sound:
                yield "text-form-mismatch", Violation(row.line, row.form, f"what the text has here: {rest[at:][:30]!r}")
            sound = False
            continue
        at += len(row.form)
        if is_unspaced(row.misc):
            continue
        if at < len(rest) and not rest[at].isspace() and sound:
            yield "missing-spaceafter", Violation(row.line, row.form, f"SpaceAfter=No before {rest[at:][:20]!r}")
        while at < len(rest) and rest[at].isspace():
            at += 1
    if at < len(rest) and sound:
        yield "text-extra-chars", Violation(s.line, rest[at:])


def _find_in_text(s: Rows, rule: str) -> Iterator[Violation]:
    if not s.text_matches:
        for name, spot in compare_text(s):
            if name == rule:
                yield spot


@COLUMNS.rule("text-form-mismatch", 2, "the form that the text has here")
def find_text_form_mismatch(s: Rows) -> Iterator[Violation]:
    """The text consists of the tokens."""
    return _find_in_text(s, "text-form-mismatch")


@COLUMNS.rule("missing-spaceafter", 2, "SpaceAfter=No in MISC")
def find_missing_spaceafter(s: Rows) -> Iterator[Violation]:
    """A token without a space after it in the text says so in MISC."""
    return _find_in_text(s, "missing-spaceafter")


@COLUMNS.rule("text-extra-chars", 2, "a text that ends with the last token")
def find_text_extra_chars(s: Rows) -> Iterator[Violation]:
    """The text has nothing after the last token."""
    return _find_in_text(s, "text-extra-chars")


@COLUMNS.rule("nospaceafter-yes", 2, "SpaceAfter=No")
def find_nospaceafter_yes(s: Rows) -> Iterator[Violation]:
    """The attribute of MISC is SpaceAfter=No, not NoSpaceAfter=Yes."""
    for row in s.all_rows:
        if "NoSpaceAfter=Yes" in row.misc:
            yield Violation(row.line, row.misc)


@COLUMNS.rule("spaceafter-value", 2, "SpaceAfter=No, or SpacesAfter for other white space")
def find_spaceafter_value(s: Rows) -> Iterator[Violation]:
    """SpaceAfter has one value, No; other white space is in SpacesAfter."""
    for row in s.all_rows:
        if "SpaceAfter=" in row.misc:
            for part in row.misc.split("|"):
                if part.startswith("SpaceAfter=") and part != "SpaceAfter=No":
                    yield Violation(row.line, part)


@COLUMNS.rule("spaceafter-empty-node", 2, "no SpaceAfter at an empty node")
def find_spaceafter_empty_node(s: Rows) -> Iterator[Violation]:
    """Empty nodes are not in the text, so there is no space after them."""
    for row, _ in s.empty:
        if "SpaceAfter=No" in row.misc:
            yield Violation(row.line, row.misc)


@COLUMNS.rule("spaceafter-mwt-node", 2, "SpaceAfter=No at the multiword token")
def find_spaceafter_mwt_node(s: Rows) -> Iterator[Violation]:
    """The space after a multiword token belongs to its own line, not to those of its words."""
    for _, first, last, _ in s.ranges:
        for row in s.words[first - 1 : last]:
            if "SpaceAfter=No" in row.misc:
                yield Violation(row.line, row.misc)


def match_parallel_ids(s: Rows) -> list[re.Match[str]]:
    return [match for comment in s.comments if (match := PARALLEL_ID.fullmatch(comment))]


@COLUMNS.rule("invalid-parallel-id", 2, "`# parallel_id = corpus/sentence`, and /alt1, /part1 or /alt1part1 after it")
def find_invalid_parallel_id(s: Rows) -> Iterator[Violation]:
    """A parallel_id has the name of a corpus and that of a sentence, so that translations can be found by it."""
    for comment in s.comments:
        if comment.startswith(("# parallel_id", "#parallel_id")) and PARALLEL_ID.fullmatch(comment) is None:
            yield Violation(s.line, comment)


@COLUMNS.rule("multiple-parallel-id", 2, "one parallel_id")
def find_multiple_parallel_id(s: Rows) -> Iterator[Violation]:
    """A sentence has one parallel_id at most."""
    matches = match_parallel_ids(s)
    if len(matches) > 1:
        yield Violation(s.line, " ".join(match[1] for match in matches))


@COLUMNS.rule("non-unique-parallel-id", 2, "a parallel_id of its own; /alt and /part tell translations apart")
def find_non_unique_parallel_id(s: Rows) -> Iterator[Violation]:
    """No two sentences of a file have the same parallel_id."""
    matches = match_parallel_ids(s)
    if len(matches) == 1 and not remember(s.history.whole_parallel_ids, matches[0][1]):
        yield Violation(s.line, matches[0][1])


@COLUMNS.rule("parallel-id-sequence", 2, "alternatives and parts numbered 1, 2, 3, …, in all sentences or in none")
def find_parallel_id_sequence(s: Rows) -> Iterator[Violation]:
    """Several translations of a sentence are numbered alt1, alt2, …, its parts part1, part2, …"""
    matches = match_parallel_ids(s)
    if len(matches) != 1:
        return
    sentence, numbers = matches[0][2], (int(matches[0][3] or 0), int(matches[0][4] or 0))
    before = s.history.parallel_ids.get(sentence)
    for number, last in zip(numbers, before or (0, 0), strict=True):
        expected = last + 1 if last else int(before is None)
        if number != expected and not (before is None and number == 0):
            yield Violation(s.line, matches[0][1])
            break
    if before is not None or len(s.history.parallel_ids) < MAX_NAMES:
        s.history.parallel_ids[sentence] = numbers


@COLUMNS.rule("invalid-head", 2, "the number of a word, or 0 for the root", severe=True)
def find_invalid_head(s: Rows) -> Iterator[Violation]:
    """HEAD is a number; `_` is for words that are not yet annotated."""
    for row in s.words:
        if HEAD.fullmatch(row.head) is None:
            yield Violation(row.line, row.head)


@COLUMNS.rule("unknown-head", 2, "the number of a word of this sentence", severe=True)
def find_unknown_head(s: Rows) -> Iterator[Violation]:
    """HEAD is a word of the same sentence."""
    n = len(s.words)
    if s.heads is None:
        for row in s.words:
            if HEAD.fullmatch(row.head) and int(row.head) > n:
                yield Violation(row.line, row.head, f"a number from 0 to {n}")


@COLUMNS.rule("head-self-loop", 2, "another word as head", severe=True)
def find_head_self_loop(s: Rows) -> Iterator[Violation]:
    """No word is its own head."""
    for row in s.words:
        if row.head == row.id:
            yield Violation(row.line, row.head)


@COLUMNS.rule("multiple-roots", 2, "one word with HEAD 0")
def find_multiple_roots(s: Rows) -> Iterator[Violation]:
    """A sentence has one root."""
    if s.heads and s.heads.count(0) > 1:
        roots = [row for row in s.words if row.head == "0"]
        yield Violation(roots[1].line, " ".join(row.id for row in roots))


@COLUMNS.rule("non-tree", 2, "a path from every word to the root", severe=True)
def find_non_tree(s: Rows) -> Iterator[Violation]:
    """The words are a tree under the root: following the heads, one gets from every word to 0."""
    if s.heads:
        cycle = find_cycle(s.heads)
        if cycle is not None and len(cycle[1]) > 1:
            yield Violation(s.words[cycle[0] - 1].line, " → ".join(map(str, [*cycle[1], cycle[1][0]])))


@COLUMNS.rule("invalid-deps", 2, "head:relation, with | between several")
def find_invalid_deps(s: Rows) -> Iterator[Violation]:
    """DEPS has pairs of head and relation with `|` between them."""
    if s.has_graph:
        parsed = {row.id for row, _ in s.deps}
        for row in s.nodes:
            if row.deps != "_" and row.id not in parsed:
                yield Violation(row.line, row.deps)


@COLUMNS.rule("invalid-ehead", 2, "the number of a word or an empty node, or 0 for the root")
def find_invalid_ehead(s: Rows) -> Iterator[Violation]:
    """The heads in DEPS are numbers: 3, or 3.1 for an empty node."""
    for row, pairs in s.deps:
        for head, _ in pairs:
            if ENHANCED_HEAD.fullmatch(head) is None:
                yield Violation(row.line, head)


@COLUMNS.rule("unknown-ehead", 2, "a word or an empty node of this sentence")
def find_unknown_ehead(s: Rows) -> Iterator[Violation]:
    """The heads in DEPS are words or empty nodes of the same sentence."""
    if s.deps:
        known = {"0", *(row.id for row in s.nodes)}
        for row, pairs in s.deps:
            for head, _ in pairs:
                if head not in known and ENHANCED_HEAD.fullmatch(head):
                    yield Violation(row.line, head)


def parse_enhanced_head(head: str) -> tuple[int, int] | None:
    """By what heads in DEPS are sorted; 1.10 comes after 1.2."""
    match = ENHANCED_HEAD.fullmatch(head)
    return (int(match[1]), int(match[2] or 0)) if match else None


@COLUMNS.rule("unsorted-deps", 2, "DEPS sorted by head, and by relation where heads are the same")
def find_unsorted_deps(s: Rows) -> Iterator[Violation]:
    """DEPS is sorted, so that the same graph is always the same string."""
    for row, pairs in s.deps:
        if len(pairs) > 1:
            keys = [(order, relation) for head, relation in pairs if (order := parse_enhanced_head(head)) is not None]
            if keys != sorted(keys):
                yield Violation(row.line, row.deps)


@COLUMNS.rule("repeated-deps", 2, "each head and relation once")
def find_repeated_deps(s: Rows) -> Iterator[Violation]:
    """DEPS has each pair of head and relation once."""
    for row, pairs in s.deps:
        if len(set(pairs)) < len(pairs):
            yield Violation(row.line, row.deps)


@COLUMNS.rule("deps-self-loop", 2, "other words as heads")
def find_deps_self_loop(s: Rows) -> Iterator[Violation]:
    """No node is its own head in DEPS. Longer cycles are allowed there."""
    for row, pairs in s.deps:
        if any(head == row.id for head, _ in pairs):
            yield Violation(row.line, row.deps)


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
    return all(part and all(category(char) in LEMMA for char in part) for part in text.split("_"))


@COLUMNS.rule("invalid-edeprel", 2, "relation:subtype:lemma:case, where all but the first may be missing")
def find_invalid_edeprel(s: Rows) -> Iterator[Violation]:
    """A relation in DEPS can have the lemma of a preposition or conjunction, and the name of a case."""
    for row, pairs in s.deps:
        for _, relation in pairs:
            if not is_enhanced_relation(relation):
                yield Violation(row.line, relation)


@COLUMNS.rule("unknown-eudeprel", 2, "a universal relation, or ref")
def find_unknown_eudeprel(s: Rows) -> Iterator[Violation]:
    """Before the first colon, a relation in DEPS is a universal one, or `ref` for relative pronouns."""
    for row, pairs in s.deps:
        for _, relation in pairs:
            if strip_subtype(relation) not in ENHANCED_RELATIONS and is_enhanced_relation(relation):
                yield Violation(row.line, relation)


@COLUMNS.rule("edeps-only-sometimes", 2, "DEPS in all sentences, or in none")
def find_edeps_only_sometimes(s: Rows) -> Iterator[Violation]:
    """A treebank has enhanced graphs or has none; reported at the first sentence that differs."""
    history = s.history
    if s.has_graph and not history.with_deps:
        history.with_deps = s.line
        if history.without_deps:
            yield Violation(s.line, "DEPS", f"none, as in the sentence of line {history.without_deps}")
    elif not s.has_graph and not history.without_deps:
        history.without_deps = s.line
        if history.with_deps:
            yield Violation(s.line, "no DEPS", f"some, as in the sentence of line {history.with_deps}")


@COLUMNS.rule("unconnected-egraph", 2, "a path from the root to every node")
def find_unconnected_egraph(s: Rows) -> Iterator[Violation]:
    """Where there are DEPS, every word and every empty node is reached from the root."""
    if not s.has_graph or any(True for rule in (find_invalid_deps, find_unknown_ehead) for _ in rule(s)):
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
        yield Violation(lost[0].line, " ".join(row.id for row in lost))
