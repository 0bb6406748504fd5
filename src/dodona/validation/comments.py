"""Level 2: what the comments say of a sentence: its name, its text, and where documents and paragraphs begin."""

import re
from collections.abc import Iterator
from hashlib import blake2b

from dodona.validation.rules import COLUMNS, Spot
from dodona.validation.sentences import SENT_ID, Rows
from dodona.validation.values import is_unspaced, texts

NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+\S+)?")
NEW_PARAGRAPH = re.compile(r"#\s*newpar(?:\s+\S+)?")
REMEMBERED = 1 << 20
"""How many names of sentences are stored to find repetitions; bounded, as all memory here."""


def remember(names: set[int], name: str) -> bool:
    """Return whether a name is new; stores its hash."""
    number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
    if number in names:
        return False
    if len(names) < REMEMBERED:
        names.add(number)
    return True


@COLUMNS.rule("missing-sent-id", 2, "a comment `# sent_id = …`")
def missing_sent_id(s: Rows) -> Iterator[Spot]:
    """Every sentence has a name, so that it can be spoken of."""
    if not s.sent_id:
        yield Spot(s.line, "")


@COLUMNS.rule("invalid-sent-id", 2, "`# sent_id = ` and a name without spaces")
def invalid_sent_id(s: Rows) -> Iterator[Spot]:
    """The name of a sentence has no white space."""
    for comment in s.comments:
        if comment.startswith(("# sent_id", "#sent_id")) and SENT_ID.fullmatch(comment) is None:
            yield Spot(s.line, comment)


@COLUMNS.rule("multiple-sent-id", 2, "one sent_id")
def multiple_sent_id(s: Rows) -> Iterator[Spot]:
    """A sentence has one name."""
    if s.sent_id:
        names = [found[1] for comment in s.comments if (found := SENT_ID.fullmatch(comment))]
        if len(names) > 1:
            yield Spot(s.line, " ".join(names))


@COLUMNS.rule("non-unique-sent-id", 2, "a name of its own for each sentence")
def non_unique_sent_id(s: Rows) -> Iterator[Spot]:
    """No two sentences of a file have the same name."""
    names = sum(SENT_ID.fullmatch(comment) is not None for comment in s.comments)
    if names == 1 and not remember(s.memory.sent_ids, s.sent_id):
        yield Spot(s.line, s.sent_id)


@COLUMNS.rule("slash-in-sent-id", 2, "at most one slash")
def slash_in_sent_id(s: Rows) -> Iterator[Spot]:
    """A slash in a sent_id is reserved for parallel treebanks, where it stands before the language."""
    if s.sent_id.count("/") > 1:
        yield Spot(s.line, s.sent_id)


@COLUMNS.rule("multiple-newdoc", 2, "one newdoc")
def multiple_newdoc(s: Rows) -> Iterator[Spot]:
    """A sentence begins one document at most."""
    if sum(NEW_DOCUMENT.fullmatch(comment) is not None for comment in s.comments) > 1:
        yield Spot(s.line, "newdoc")


@COLUMNS.rule("multiple-newpar", 2, "one newpar")
def multiple_newpar(s: Rows) -> Iterator[Spot]:
    """A sentence begins one paragraph at most."""
    if sum(NEW_PARAGRAPH.fullmatch(comment) is not None for comment in s.comments) > 1:
        yield Spot(s.line, "newpar")


@COLUMNS.rule("spaceafter-newdocpar", 2, "a space before a new document or paragraph")
def spaceafter_newdocpar(s: Rows) -> Iterator[Spot]:
    """The last token before a new document or paragraph does not say SpaceAfter=No: there is at least a line end."""
    if s.memory.unspaced:
        for comment in s.comments:
            if NEW_DOCUMENT.fullmatch(comment) or NEW_PARAGRAPH.fullmatch(comment):
                yield Spot(s.line, comment)
                break
    s.memory.unspaced = is_unspaced(s.tokens[-1].misc)


@COLUMNS.rule("missing-text", 2, "a comment `# text = …`")
def missing_text(s: Rows) -> Iterator[Spot]:
    """Every sentence has its text, from which its tokens were made."""
    if not texts(s.comments):
        yield Spot(s.line, "")


@COLUMNS.rule("multiple-text", 2, "one text")
def multiple_text(s: Rows) -> Iterator[Spot]:
    """A sentence has one text."""
    if len(texts(s.comments)) > 1:
        yield Spot(s.line, " / ".join(texts(s.comments)))


@COLUMNS.rule("empty-text", 2, "the text of the sentence")
def empty_text(s: Rows) -> Iterator[Spot]:
    """The text of a sentence is not empty."""
    if texts(s.comments) == [""]:
        yield Spot(s.line, "")


@COLUMNS.rule("text-trailing-whitespace", 2, "no white space at the end of the text")
def text_trailing_whitespace(s: Rows) -> Iterator[Spot]:
    """The text of a sentence ends with its last token."""
    for text in texts(s.comments):
        if text[-1:].isspace():
            yield Spot(s.line, text[-20:])


def mismatches(s: Rows) -> Iterator[tuple[str, Spot]]:
    """Where the text differs from the tokens and the spaces between them. After the first other form no more is said:
    the rest has mostly the same reason."""
    found = texts(s.comments)
    if len(found) != 1:
        return
    rest, at = found[0], 0
    sound = True
    for row in s.tokens:
        if not rest.startswith(row.form, at):
            if sound:
                yield "text-form-mismatch", Spot(row.line, row.form, f"what the text has here: {rest[at:][:30]!r}")
            sound = False
            continue
        at += len(row.form)
        if is_unspaced(row.misc):
            continue
        if at < len(rest) and not rest[at].isspace() and sound:
            yield "missing-spaceafter", Spot(row.line, row.form, f"SpaceAfter=No before {rest[at:][:20]!r}")
        while at < len(rest) and rest[at].isspace():
            at += 1
    if at < len(rest) and sound:
        yield "text-extra-chars", Spot(s.line, rest[at:])


def _mismatches(s: Rows, rule: str) -> Iterator[Spot]:
    if not s.text_matches:
        for name, spot in mismatches(s):
            if name == rule:
                yield spot


@COLUMNS.rule("text-form-mismatch", 2, "the form that the text has here")
def text_form_mismatch(s: Rows) -> Iterator[Spot]:
    """The text consists of the tokens."""
    return _mismatches(s, "text-form-mismatch")


@COLUMNS.rule("missing-spaceafter", 2, "SpaceAfter=No in MISC")
def missing_spaceafter(s: Rows) -> Iterator[Spot]:
    """A token without a space after it in the text says so in MISC."""
    return _mismatches(s, "missing-spaceafter")


@COLUMNS.rule("text-extra-chars", 2, "a text that ends with the last token")
def text_extra_chars(s: Rows) -> Iterator[Spot]:
    """The text has nothing after the last token."""
    return _mismatches(s, "text-extra-chars")


@COLUMNS.rule("nospaceafter-yes", 2, "SpaceAfter=No")
def nospaceafter_yes(s: Rows) -> Iterator[Spot]:
    """The attribute of MISC is SpaceAfter=No, not NoSpaceAfter=Yes."""
    for row in s.all_rows:
        if "NoSpaceAfter=Yes" in row.misc:
            yield Spot(row.line, row.misc)


@COLUMNS.rule("spaceafter-value", 2, "SpaceAfter=No, or SpacesAfter for other white space")
def spaceafter_value(s: Rows) -> Iterator[Spot]:
    """SpaceAfter has one value, No; other white space is in SpacesAfter."""
    for row in s.all_rows:
        if "SpaceAfter=" in row.misc:
            for part in row.misc.split("|"):
                if part.startswith("SpaceAfter=") and part != "SpaceAfter=No":
                    yield Spot(row.line, part)


@COLUMNS.rule("spaceafter-empty-node", 2, "no SpaceAfter at an empty node")
def spaceafter_empty_node(s: Rows) -> Iterator[Spot]:
    """Empty nodes are not in the text, so there is no space after them."""
    for row, _ in s.empty:
        if "SpaceAfter=No" in row.misc:
            yield Spot(row.line, row.misc)


@COLUMNS.rule("spaceafter-mwt-node", 2, "SpaceAfter=No at the multiword token")
def spaceafter_mwt_node(s: Rows) -> Iterator[Spot]:
    """The space after a multiword token belongs to its own line, not to those of its words."""
    for _, first, last, _ in s.ranges:
        for row in s.words[first - 1 : last]:
            if "SpaceAfter=No" in row.misc:
                yield Spot(row.line, row.misc)
