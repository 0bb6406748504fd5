"""Sentences as dictionaries that JSON can hold.

    {"sent_id": "1",  "text": "dámelo",                 from the comments; None without them
     "comments": ["# sent_id = 1", "# text = dámelo"],
     "tokens": [{"id": 1, "form": "da", "lemma": "dar", "upos": "VERB", "xpos": None, "feats": {"Mood": "Imp"},
                 "head": 0, "deprel": "root", "deps": None, "misc": None,
                 "start": 0, "end": 6, "confidence": None}, …],
     "multiword": [{"id": [1, 3], "form": "dámelo", "feats": {}, "misc": None, "start": 0, "end": 6}, …],
     "empty": [{"id": [3, 1], "form": …, "lemma": …, "upos": …, "xpos": …, "feats": …, "deps": …, "misc": …}, …]}

The names are those of CoNLL-U's columns, and the ids of multiword tokens and empty nodes are pairs of numbers, as in
Stanza. Every key is always there, so that programs in any language can rely on it; None stands for `_`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dodona.data.attributes import attributes, confidence_of, written
from dodona.data.columns import Columns

if TYPE_CHECKING:
    from dodona.data.views import SentenceViews

__all__ = ["NODE", "RANGE", "SENTENCE", "TOKEN", "dictionary"]

TOKEN = (
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "start", "end", "confidence",
)  # fmt: skip
RANGE = ("id", "form", "feats", "misc", "start", "end")
NODE = ("id", "form", "lemma", "upos", "xpos", "feats", "deps", "misc")
SENTENCE = ("sent_id", "text", "comments", "tokens", "multiword", "empty")


def dictionary(sentence: "SentenceViews") -> dict[str, Any]:
    """Return what a sentence has to say, as `Sentence.to_dict` does."""
    conllu = sentence.format == "conllu"
    nothing = ["_"] * len(sentence)
    offsets: Sequence[tuple[int | None, int | None]] = sentence.offsets or [(None, None)] * len(sentence)
    columns = zip(
        sentence.words, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads, sentence.labels,
        sentence.deps if conllu else nothing, sentence.misc if conllu else nothing, offsets, strict=True,
    )  # fmt: skip
    tokens = []
    for number, (form, lemma, upos, xpos, feats, head, label, deps, misc, (start, end)) in enumerate(columns, start=1):
        tokens.append(
            {
                "id": number,
                "form": form,
                "lemma": lemma if form == "_" else _value(lemma),  # UD: then both are underscores
                "upos": _value(upos),
                "xpos": _value(xpos),
                "feats": _feats(feats),
                "head": head,
                "deprel": _value(label),
                "deps": _value(deps),
                "misc": _value(misc),
                "start": start,
                "end": end,
                "confidence": confidence_of(misc),
            }
        )
    ranges, nodes = _other_rows(sentence)
    for each in ranges:
        first, last = each["id"]
        each |= {"start": offsets[first - 1][0], "end": offsets[last - 1][1]}
    return {
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "comments": list(sentence.comments),
        "tokens": tokens,
        "multiword": ranges,
        "empty": nodes,
    }


def _value(written: str) -> str | None:
    """Return None for nothing; an empty column is no valid CoNLL-U, and means the same."""
    return None if written in ("_", "") else written


def _feats(value: str) -> dict[str, str] | str:
    """Return a mapping; or what is there, where that would not give the same column again."""
    found = attributes(value)
    return found if not found or written(found) == value else value


def _other_rows(sentence: "SentenceViews") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return multiword ranges and empty nodes, which have rows of their own.

    A reader that is not strict has passed over invalid ones, and so does this.
    """
    ranges: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    if isinstance(sentence._table, Columns) and not sentence._table.between:
        return ranges, nodes
    valid = {f"{first}-{last}" for first, last, _ in sentence.multiword}
    word = empty = 0
    for row in sentence.rows():
        if row[0].isdecimal():
            word, empty = word + 1, 0
        elif row[0] in valid:
            valid.remove(row[0])
            ranges.append({"id": [*map(int, row[0].split("-"))], "form": row[1], "feats": _feats(row[5])})
            ranges[-1]["misc"] = _value(row[9])
        elif row[0] == f"{word}.{empty + 1}":
            empty += 1
            values = (row[1], *map(_value, row[2:5]), _feats(row[5]), *map(_value, row[8:]))
            nodes.append(dict(zip(NODE, ([word, empty], *values), strict=True)))
    return ranges, nodes
