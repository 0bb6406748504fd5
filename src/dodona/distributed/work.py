"""What workers do for a corpus: look at a file, parse a shard, and give its sentences their numbers.

Nobody knows how many sentences the shards before have while a shard is parsed. So a shard is parsed with numbers of its
own into a part, and the part becomes the output when these are known: whole, by one renaming.
"""

import hashlib
import os
import re
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from dodona.data import Sentence, write
from dodona.data.conllu import BOM, ends_blank
from dodona.data.files import chunks, output
from dodona.data.formats import detect_format, read_stream
from dodona.data.stream import Item
from dodona.distributed.cuts import find_cuts, span
from dodona.distributed.models import loaded
from dodona.errors import DodonaError, FormatError, FormatWarning
from dodona.parser.request import IN_PIECES, Request
from dodona.pipeline.pipeline import Pipeline, collect_rarely

__all__ = ["FinishTask", "LookTask", "ParseTask", "finish", "look", "parse"]

BLOCK = 1 << 22  # bytes that are given numbers at a time
TAIL = 1000  # bytes that show how an output ends


@dataclass(frozen=True)
class LookTask:
    """A file to look at; `kind` may be auto."""

    path: str
    kind: str
    size: int


@dataclass(frozen=True)
class ParseTask:
    """A shard to parse."""

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
    """A part to be made an output."""

    part: str
    target: str
    name: str | None
    before: int | None  # sentences of the same document; None: they have no numbers
    separator: bytes  # what the outputs before need at their end
    drops_bom: bool


def look(task: LookTask) -> dict[str, Any]:
    """Look at a file: its size and digest as it is, its kind, and the cuts and the size of its contents."""
    try:
        with open(task.path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(f"{task.path}: cannot be read: {error.strerror}") from error
    kind, pieces = task.kind, chunks(task.path)
    if kind == "auto":
        kind, pieces = detect_format(pieces, task.path)
    cuts, length = find_cuts(pieces, kind, task.size)
    return {"size": size, "sha256": digest, "kind": kind, "length": length, "cuts": cuts}


def parse(task: ParseTask, digest: str) -> dict[str, Any]:
    """Parse a shard into its part. A worker without the model answers with its address only."""
    pipeline = loaded(digest)
    if pipeline is None:
        return {"needs": import_module("distributed").get_worker().address}
    counts = {"sentences": 0, "words": 0, "pieces": 0}
    with _heard() as remarks, collect_rarely():
        try:
            items = _counted(_sentences(task, pipeline), counts, "sentences")
            parsed = _counted_pieces(pipeline.stream(items, task.request, task.retag), counts, task.request)
            write(_counted(parsed, counts, "words"), task.part)
        except DodonaError as error:
            raise type(error)(_placed(str(error), task)) from None
    with open(task.part, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(max(0, size - TAIL))
        end = stream.read()
    tail = "" if not end or ends_blank(end) else "\n" if end.endswith(b"\n") else "\n\n"
    return counts | {"bytes": size, "tail": tail, "remarks": [_placed(remark, task) for remark in remarks]}


def finish(task: FinishTask) -> dict[str, Any]:
    """Make a part the output of its shard. That it is one already does no harm: a worker may have died after it."""
    if os.path.exists(task.part):
        try:
            if not (task.before or task.separator or task.drops_bom):
                os.replace(task.part, task.target)
            else:
                numbered = f"{task.part}.numbered"
                with output(numbered) as out:
                    for block in _renumbered(task):
                        out.write(block)
                os.replace(numbered, task.target)
                with suppress(FileNotFoundError):
                    os.unlink(task.part)
        except OSError as error:
            raise FormatError(f"{task.target}: cannot be written: {error.strerror}") from error
    return {"bytes": os.stat(task.target).st_size}


def _sentences(task: ParseTask, pipeline: Pipeline) -> Iterator[Item]:
    tokenize = partial(pipeline.tokenize, name=task.name)
    items = read_stream(task.kind, span(task.path, task.begin, task.end), task.path, tokenize=tokenize)
    return items if task.kind != "text" or task.begin == 0 else _continued(items)


def _continued(items: Iterator[Item]) -> Iterator[Item]:
    """Let the first sentence begin a paragraph, and not a document."""
    for item in items:
        if isinstance(item, Sentence):
            item.set_comments(["# newpar", *item.comments[1:]])
            yield item
            break
        yield item
    yield from items


def _counted(items: Iterable[Item], counts: dict[str, int], what: str) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Sentence):
            counts[what] += 1 if what == "sentences" else len(item)
        yield item


def _counted_pieces(items: Iterable[Item], counts: dict[str, int], request: Request) -> Iterator[Item]:
    """Count the sentences that were parsed in pieces; there are none without a limit."""
    limited = request.max_length is not None or request.timeout is not None
    for item in items:
        if limited and isinstance(item, Sentence):
            counts["pieces"] += any(comment.startswith(IN_PIECES) for comment in item.comments)
        yield item


def _renumbered(task: FinishTask) -> Iterator[bytes]:
    """The bytes of a part, with other numbers in the comments `# sent_id`."""
    prefix = "# sent_id = " if task.name is None else f"# sent_id = {task.name}-"
    own = re.compile(rb"^" + re.escape(prefix.encode()) + rb"([0-9]+)", re.M)
    before = task.before or 0

    def shifted(found: re.Match[bytes]) -> bytes:
        return prefix.encode() + b"%d" % (before + int(found[1]))

    with open(task.part, "rb") as stream:
        yield task.separator
        rest = stream.read(len(BOM))
        if task.drops_bom:
            rest = rest.removeprefix(BOM)
        while block := stream.read(BLOCK):
            block = rest + block
            cut = block.rfind(b"\n") + 1
            yield own.sub(shifted, block[:cut]) if before else block[:cut]
            rest = block[cut:]
        yield rest


def _placed(message: str, task: ParseTask) -> str:
    """A message about a line of the shard, with the number that the line has in the file."""
    own = f"{task.path}:"
    number, colon, rest = message.removeprefix(own).partition(":")
    if task.line == 1 or not message.startswith(own) or not (colon and number.isdecimal()):
        return message
    return f"{own}{int(number) + task.line - 1}:{rest}"


_listening = threading.local()


@contextmanager
def _heard() -> Iterator[list[str]]:
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
