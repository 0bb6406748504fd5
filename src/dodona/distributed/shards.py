"""Shards of a file: where it is cut, and what workers do with them.

A file is cut so that parsing the shards gives the same bytes as parsing the whole:

    text                 between paragraphs, before their first character: no decision of a tokenizer sees across
    conllu, conllx       after the blank line that ends a sentence
    vertical             after a blank line
    horizontal           after any line

Nobody knows how many sentences the shards before have while a shard is parsed. So a shard is parsed with numbers of its
own into a part, and the part becomes the output when these are known: whole, by one renaming.
"""

import hashlib
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from dodona.data import Sentence, write
from dodona.data.characters import BLANKS, is_blank
from dodona.data.conllu import BOM, ends_blank
from dodona.data.files import PACKINGS, chunks, name_errors, output
from dodona.data.formats import detect_format, read_stream
from dodona.data.stream import Item
from dodona.errors import DodonaError, FormatError, FormatWarning
from dodona.parser.request import IN_PIECES, Request
from dodona.pipeline.models import find_kept
from dodona.pipeline.pipeline import collect_rarely

__all__ = ["Cut", "FinishTask", "ParseTask", "find_cuts", "finish", "look", "parse", "read_span"]

CHUNK = 1 << 18
BLOCK = 1 << 22  # bytes that are given numbers at a time
MARGIN = 1 << 16  # bytes that are kept to look back at
AHEAD = 4  # bytes that a character has at most
TAIL = 1000  # bytes that show how an output ends
INK = re.compile(f"[^{BLANKS}]")
WORD_LINE = re.compile(rb"(?:\A|\n)[0-9]")


class Cut(NamedTuple):
    """A place, and the number of its line."""

    place: int
    line: int


class CutRule(NamedTuple):
    """How files of one kind are cut: after `gap`, if what follows is right and the shard before it has a sentence."""

    gap: re.Pattern[bytes]
    may_follow: Callable[[bytes], bool] = lambda ahead: not ahead.startswith(BOM)
    has_sentence: Callable[[bytes], bool] = lambda data: True
    follows_word: bool = False  # the line before the gap must be that of a word, not a comment


def _begins_paragraph(ahead: bytes) -> bool:
    """Whether the first character is one of a token. A BOM is not: at the beginning of a file it is dropped."""
    first = ahead.decode("utf-8", "ignore")[:1]
    return not ahead.startswith(BOM) and first.encode() == ahead[: len(first.encode())] != b"" and not is_blank(first)


def _has_token(data: bytes) -> bool:
    return INK.search(data.decode("utf-8", "ignore").lstrip("\ufeff")) is not None


TABLE = CutRule(
    re.compile(rb"\n(?:[ \t\r]*+\n)++"),
    lambda ahead: ahead[:1] in (b"1", b"#"),
    lambda data: WORD_LINE.search(data) is not None,
    follows_word=True,
)
RULES = {
    "text": CutRule(re.compile(rb"\n[ \t\r]*+\n[ \t\r\n]*+"), _begins_paragraph, _has_token),
    "conllu": TABLE,
    "conllx": TABLE,
    "vertical": CutRule(re.compile(rb"\n[ \t\r]*+\n")),
    "horizontal": CutRule(re.compile(rb"\n")),
}


def find_cuts(data: Iterable[bytes], kind: str, size: int) -> tuple[list[Cut], int]:
    """Return where a file is cut, at the first good place after every `size` bytes; and how many bytes it has."""
    rule = RULES[kind]
    cuts: list[Cut] = []
    held = b""
    at, line, begin = 0, 1, 0  # of `held`; the beginning of the shard
    sentence = False  # whether the shard has one before `held`
    for chunk in data:
        held += chunk
        while (cut := _first_cut(held, max(0, begin + size - at), rule, sentence)) is not None:
            line += held.count(b"\n", 0, cut)
            at += cut
            begin, held, sentence = at, held[cut:], False
            cuts.append(Cut(at, line))
        spare = len(held) - MARGIN
        if spare > 0:
            sentence = sentence or rule.has_sentence(held[:spare])
            line += held.count(b"\n", 0, spare)
            at += spare
            held = held[spare:]
    if cuts and not (sentence or rule.has_sentence(held)):
        cuts.pop()  # nothing but comments follows: they go with the last sentence
    return cuts, at + len(held)


def _first_cut(held: bytes, start: int, rule: CutRule, sentence: bool) -> int | None:
    for gap in rule.gap.finditer(held, start):
        if gap.end() + AHEAD > len(held):
            return None  # more must be read to decide
        if rule.follows_word:
            before = held.rfind(b"\n", 0, gap.start())
            if before < 0 or not held[before + 1 : before + 2].isdigit():
                continue
        if rule.may_follow(held[gap.end() : gap.end() + AHEAD]) and (
            sentence or rule.has_sentence(held[: gap.start()])
        ):
            return gap.end()
    return None


def read_span(path: str, begin: int, end: int) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file between two places. A compressed file is read from its beginning."""
    left = end - begin
    if left == 0:
        return
    for chunk in _skip(chunks(path), begin) if path[-3:] in PACKINGS else _read_from(path, begin):
        yield chunk[:left]
        left -= min(left, len(chunk))
        if left == 0:
            return
    raise FormatError(f"{path}: the file has become shorter; expected {left:,} bytes more")


def _skip(data: Iterable[bytes], count: int) -> Iterator[bytes]:
    for chunk in data:
        if count < len(chunk):
            yield chunk[count:]
        count -= min(count, len(chunk))


def _read_from(path: str, begin: int) -> Iterator[bytes]:
    with name_errors(path, "read"), open(path, "rb") as stream:
        stream.seek(begin)
        while chunk := stream.read(CHUNK):
            yield chunk


@dataclass(frozen=True)
class ParseTask:
    path: str
    kind: str
    begin: int
    end: int
    line: int
    name: str | None  # of the document
    part: str  # where to write
    request: Request
    retag: bool


@dataclass(frozen=True)
class FinishTask:
    part: str
    target: str
    name: str | None
    before: int  # sentences of the same document; 0 where they have no numbers
    separator: bytes  # what the outputs before need at their end
    drops_bom: bool


def look(path: str, kind: str, size: int) -> dict[str, Any]:
    """Look at a file: its size and digest as it is, its kind, and the cuts and the size of its contents."""
    with name_errors(path, "read"), open(path, "rb") as stream:
        bytes_count = os.fstat(stream.fileno()).st_size
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    data = chunks(path)
    if kind == "auto":
        kind, data = detect_format(data, path)
    cuts, length = find_cuts(data, kind, size)
    return {"size": bytes_count, "sha256": digest, "kind": kind, "length": length, "cuts": cuts}


def parse(task: ParseTask, digest: str) -> dict[str, Any]:
    """Parse a shard into its part. A worker without the model answers with its address only."""
    pipeline = find_kept(digest)
    if pipeline is None:
        return {"needs": import_module("distributed").get_worker().address}
    counts = {"sentences": 0, "words": 0, "pieces": 0}
    with _collect_remarks() as remarks, collect_rarely():
        try:
            tokenize = partial(pipeline.tokenize, name=task.name)
            items = read_stream(task.kind, read_span(task.path, task.begin, task.end), task.path, tokenize=tokenize)
            if task.kind == "text" and task.begin > 0:
                items = _continue_document(items)
            parses = pipeline.stream(_count_sentences(items, counts), task.request, task.retag)
            write(_count_words(parses, counts, task.request), task.part)
        except DodonaError as error:
            raise type(error)(_shift_line(str(error), task)) from None
    with open(task.part, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(max(0, size - TAIL))
        end = stream.read()
    tail = "" if not end or ends_blank(end) else "\n" if end.endswith(b"\n") else "\n\n"
    return counts | {"bytes": size, "tail": tail, "remarks": [_shift_line(remark, task) for remark in remarks]}


def finish(task: FinishTask) -> dict[str, Any]:
    """Make a part the output of its shard. That it is one already does no harm: a worker may have died after it."""
    if os.path.exists(task.part):
        with name_errors(task.target):
            if not (task.before or task.separator or task.drops_bom):
                os.replace(task.part, task.target)
            else:
                numbered = f"{task.part}.numbered"
                with output(numbered) as out:
                    for block in _renumber(task):
                        out.write(block)
                os.replace(numbered, task.target)
                with suppress(FileNotFoundError):
                    os.unlink(task.part)
    return {"bytes": os.stat(task.target).st_size}


def _continue_document(items: Iterator[Item]) -> Iterator[Item]:
    """Let the first sentence begin a paragraph, and not a document."""
    for item in items:
        if isinstance(item, Sentence):
            item.set_comments(["# newpar", *item.comments[1:]])
            yield item
            break
        yield item
    yield from items


def _count_sentences(items: Iterable[Item], counts: dict[str, int]) -> Iterator[Item]:
    for item in items:
        counts["sentences"] += isinstance(item, Sentence)
        yield item


def _count_words(items: Iterable[Item], counts: dict[str, int], request: Request) -> Iterator[Item]:
    """Count the words, and the sentences that were parsed in pieces; there are none without a limit."""
    limited = request.max_length is not None or request.timeout is not None
    for item in items:
        if isinstance(item, Sentence):
            counts["words"] += len(item)
            counts["pieces"] += limited and any(comment.startswith(IN_PIECES) for comment in item.comments)
        yield item


def _renumber(task: FinishTask) -> Iterator[bytes]:
    """The bytes of a part, with other numbers in the comments `# sent_id`."""
    prefix = "# sent_id = " if task.name is None else f"# sent_id = {task.name}-"
    own = re.compile(rb"^" + re.escape(prefix.encode()) + rb"([0-9]+)", re.M)

    def shift(match: re.Match[bytes]) -> bytes:
        return prefix.encode() + b"%d" % (task.before + int(match[1]))

    with open(task.part, "rb") as stream:
        yield task.separator
        rest = stream.read(len(BOM))
        if task.drops_bom:
            rest = rest.removeprefix(BOM)
        while block := stream.read(BLOCK):
            block = rest + block
            cut = block.rfind(b"\n") + 1
            yield own.sub(shift, block[:cut]) if task.before else block[:cut]
            rest = block[cut:]
        yield rest


def _shift_line(message: str, task: ParseTask) -> str:
    """A message about a line of the shard, with the number that the line has in the file."""
    own = f"{task.path}:"
    number, colon, rest = message.removeprefix(own).partition(":")
    if task.line == 1 or not message.startswith(own) or not (colon and number.isdecimal()):
        return message
    return f"{own}{int(number) + task.line - 1}:{rest}"


_listening = threading.local()


@contextmanager
def _collect_remarks() -> Iterator[list[str]]:
    """Collect the remarks of readers in this thread; several threads of a worker may parse at the same time."""
    show = warnings.showwarning
    if show is not _remember:
        _remember.before = show  # type: ignore[attr-defined]
        warnings.showwarning = _remember
        warnings.simplefilter("always", FormatWarning)
    remarks: list[str] = []
    _listening.remarks = remarks
    try:
        yield remarks
    finally:
        _listening.remarks = None


def _remember(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
    remarks = getattr(_listening, "remarks", None)
    if remarks is not None and issubclass(category, FormatWarning):
        remarks.append(str(message))
    else:
        _remember.before(message, category, *rest, **more)  # type: ignore[attr-defined]
