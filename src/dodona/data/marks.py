"""Marks of annotation: what a person has looked at, in MISC, and whether a sentence is annotated as a whole.

    # annotation = open                      only what is marked is annotated; the rest is a guess
    # annotation = done                      all of it is annotated
    Confirmed=arc,upos                       in MISC: a person has looked at these, and left them as they were
    Changed=lemma                            in MISC: a person has set these

The aspects of a word are its arc (HEAD and DEPREL), its UPOS with XPOS, its FEATS, its LEMMA, and the token itself.
They stand in this order, each in one of the two attributes at most. A sentence without the comment is like that of any
other treebank: all of it counts.
"""

from collections.abc import Iterable, Mapping, Sequence

from dodona.data.sentence import Sentence
from dodona.data.ud import find_comment, write_comment

__all__ = [
    "ASPECTS",
    "CHANGED",
    "CONFIRMED",
    "DONE",
    "KINDS",
    "MENTIONS",
    "OPEN",
    "find_mark_faults",
    "is_annotated",
    "is_open",
    "mask_guesses",
    "read_marks",
    "read_status",
    "release",
    "remove_marks",
    "select_annotated",
    "take_annotated_arcs",
    "write_marks",
    "write_status",
]  # fmt: skip

ASPECTS = ("arc", "upos", "feats", "lemma", "token")
CONFIRMED, CHANGED = "confirmed", "changed"
KINDS = {"Confirmed": CONFIRMED, "Changed": CHANGED}
OPEN, DONE = "open", "done"
STATUS = "annotation"
MENTIONS = (*(f"{name}=".encode() for name in KINDS), STATUS.encode())
"""Bytes without which a sentence has neither marks nor a status."""
ORDER = {aspect: place for place, aspect in enumerate(ASPECTS)}


def _may_have_marks(misc: str) -> bool:
    """Whether MISC mentions one of KINDS, as hardly any does: quicker than to split it."""
    return "Confirmed=" in misc or "Changed=" in misc


def read_marks(misc: str) -> dict[str, str]:
    """Return how each marked aspect of a word is marked; what is no mark is passed over."""
    marks: dict[str, str] = {}
    if _may_have_marks(misc):
        for part in misc.split("|"):
            name, _, value = part.partition("=")
            if name in KINDS:
                marks |= {aspect: KINDS[name] for aspect in value.split(",") if aspect in ORDER}
    return marks


def write_marks(misc: str, marks: Mapping[str, str]) -> str:
    """Return MISC with these marks in place of its own; its other attributes stay as they are, before the marks."""
    parts = [part for part in misc.split("|") if part != "_" and part.partition("=")[0] not in KINDS]
    for name, kind in KINDS.items():
        aspects = [aspect for aspect in ASPECTS if marks.get(aspect) == kind]
        if aspects:
            parts.append(f"{name}={','.join(aspects)}")
    return "|".join(parts) or "_"


def read_status(comments: Sequence[str]) -> str | None:
    """Return the value of the comment `# annotation = …`, None without one."""
    return find_comment(comments, STATUS)


def write_status(comments: Sequence[str], status: str | None) -> list[str]:
    """Return the comments with this status, in the place of the one before, or at the end."""
    return write_comment(comments, STATUS, status)


def is_open(sentence: Sentence) -> bool:
    """Whether only the marked parts of a sentence are annotated."""
    return read_status(sentence.comments) == OPEN


def is_annotated(sentence: Sentence, aspect: str) -> list[bool]:
    """Return for each word whether this aspect counts as annotated."""
    if not is_open(sentence):
        return [True] * len(sentence)
    return [aspect in read_marks(misc) for misc in sentence.misc]


def take_annotated_arcs(sentence: Sentence) -> tuple[list[int | None], list[str]]:
    """Return heads and labels as far as they are annotated: None and `_` where they are a guess."""
    if not is_open(sentence):
        return sentence.heads, sentence.labels
    counts = is_annotated(sentence, "arc")
    heads = [head if counted else None for head, counted in zip(sentence.heads, counts, strict=True)]
    labels = [label if counted else "_" for label, counted in zip(sentence.labels, counts, strict=True)]
    return heads, labels


def mask_guesses(sentence: Sentence) -> Sentence:
    """Return the sentence without the arcs that are guesses: a copy, if it is open."""
    if not is_open(sentence):
        return sentence
    heads, labels = take_annotated_arcs(sentence)
    masked = sentence.copy()
    masked.heads, masked.labels = heads, labels
    return masked


def select_annotated(sentences: Iterable[Sentence], *aspects: str) -> list[Sentence]:
    """Return the sentences of which these aspects of all words are annotated."""
    return [
        sentence
        for sentence in sentences
        if not is_open(sentence) or all(all(is_annotated(sentence, aspect)) for aspect in aspects)
    ]


def remove_marks(sentence: Sentence) -> None:
    """Take marks and status out of a sentence, in place; without any, it keeps its bytes."""
    if any(map(_may_have_marks, sentence.misc)):
        sentence.misc = [write_marks(misc, {}) for misc in sentence.misc]
    if read_status(sentence.comments) is not None:
        sentence.set_comments(write_status(sentence.comments, None))


def release(sentence: Sentence, *aspects: str) -> None:
    """Take away the marks of values that a model has replaced, in place; a sentence that was done is open again."""
    if any(map(_may_have_marks, sentence.misc)):
        marks = map(read_marks, sentence.misc)
        kept = ({aspect: kind for aspect, kind in own.items() if aspect not in aspects} for own in marks)
        sentence.misc = list(map(write_marks, sentence.misc, kept))
    if read_status(sentence.comments) == DONE:
        sentence.set_comments(write_status(sentence.comments, OPEN))


def find_mark_faults(misc: str) -> list[str]:
    """Return what is wrong with the marks of a word: each attribute that is not as this module writes it."""
    faults: list[str] = []
    if not _may_have_marks(misc):
        return faults
    seen: dict[str, set[str]] = {}
    for part in misc.split("|"):
        name, _, value = part.partition("=")
        if name not in KINDS:
            continue
        aspects = value.split(",")
        places = [ORDER.get(aspect, -1) for aspect in aspects]
        others = set().union(*seen.values())
        if name in seen or min(places) < 0 or places != sorted(set(places)) or others.intersection(aspects):
            faults.append(part)
        seen.setdefault(name, set()).update(aspects)
    return faults
