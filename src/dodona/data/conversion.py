"""Sentences in other formats, and what is lost on the way."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.conllu import write
from dodona.data.files import output
from dodona.data.rawtext import begins_paragraph, rebuilt
from dodona.data.sentence import Sentence
from dodona.errors import OptionError

__all__ = ["TARGETS", "convert"]

TARGETS = ("conllu", "conllx", "horizontal", "vertical", "text")
ANNOTATION = {"lemmas": "LEMMA", "upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "labels": "DEPREL"}
LAST_COLUMNS = {"conllu": ("DEPS", "MISC"), "conllx": ("PHEAD", "PDEPREL")}


def convert(sentences: Iterable[Sentence], path: str | Path, to: str) -> Counter[str]:
    """Write sentences in a format; return what it has no room for, with the number of sentences that lost it.

    horizontal: a sentence a line, words separated by spaces; vertical: a word a line, then an empty line;
    text: the raw text, as MISC has its white space, with an empty line before `# newdoc` and `# newpar`.
    """
    if to not in TARGETS:
        raise OptionError(f"unknown format {to!r}; the formats are: {', '.join(TARGETS)}")
    lost: Counter[str] = Counter()
    counted = _counted(sentences, to, lost)
    if to in LAST_COLUMNS:
        write(counted, path, format=to)
    else:
        with output(path) as out:
            for piece in _text(counted) if to == "text" else _words(counted, to == "vertical"):
                out.write(piece.encode())
    return lost


def _counted(sentences: Iterable[Sentence], to: str, lost: Counter[str]) -> Iterator[Sentence]:
    for sentence in sentences:
        if sentence.format != to:
            lost.update(_losses(sentence, to))
        yield sentence


def _losses(sentence: Sentence, to: str) -> Iterator[str]:
    """What a sentence has that the format has no room for."""
    if sentence.comments:
        yield "comments"
    if sentence.multiword and to != "text":
        yield "multiword tokens"
    rows = sum(line[:1] not in (b"", b"#", b"\r") for line in sentence.to_bytes().split(b"\n"))
    if rows > len(sentence) + len(sentence.multiword):
        yield "empty nodes"
    if to not in LAST_COLUMNS:
        yield from (name for column, name in ANNOTATION.items() if not sentence.lacks(column))
        if any(head is not None for head in sentence.heads):
            yield "HEAD"
    for column, name in zip(("deps", "misc"), LAST_COLUMNS[sentence.format], strict=True):
        if not sentence.lacks(column) and not (name == "MISC" and to == "text"):
            yield name
    if to == "horizontal" and any(len(word.split()) > 1 for word in sentence.words):
        yield "spaces inside of words"


def _words(sentences: Iterable[Sentence], vertical: bool) -> Iterator[str]:
    for sentence in sentences:
        yield "\n".join(sentence.words) + "\n\n" if vertical else " ".join(sentence.words) + "\n"


def _text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The space after the last token of a paragraph is the end of its line."""
    before = ""
    for sentence in sentences:
        if before.endswith(" ") and begins_paragraph(sentence):
            before = before[:-1] + "\n\n"
        yield before
        before = rebuilt([sentence])
    yield before[:-1] + "\n" if before.endswith(" ") else before
