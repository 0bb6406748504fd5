"""Splits a stream of bytes into blocks separated by blank lines, lossless, with at most one block in memory."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dodona.data.table import line_feeds
from dodona.errors import FormatError

__all__ = ["BOM", "LINE_LIMIT", "SENTENCE_LIMIT", "Block", "blocks", "ends_blank"]

BOM = b"\xef\xbb\xbf"
LINE_LIMIT = 1 << 24
"""Maximum bytes of a line: enough for the `# text` of the longest sentences, but not for a file without line breaks."""
SENTENCE_LIMIT = 1 << 27
"""Maximum bytes of a sentence, so that a decompression bomb raises an error before the memory is exhausted."""

END = re.compile(rb"\n(?:[ \t\r]*+\n)++")
LAST_END = re.compile(rb"\n[ \t\r\n]*+\Z")
LEADING = re.compile(rb"(?:[ \t\r]*+\n)*+(?:[ \t\r]*+\Z)?")
BLANK_END = re.compile(rb"\n[ \t\r]*\n\Z")


class Block(NamedTuple):
    """Lines up to and including the blank lines after them."""

    line: int  # number of the first line of the body
    leading: bytes  # a BOM and blank lines, at the beginning of the file or after a pause only
    body: bytes  # the lines, without the line feed of the last one
    end: bytes  # that line feed and the blank lines


def blocks(chunks: Iterable[bytes], name: str) -> Iterator[Block | None]:
    """The blocks of a file. Together their bytes are the file.

    An empty chunk (a pause) yields the last block, if a blank line has ended it, and then None. More blank lines may
    follow: they are at the beginning of the next block.
    """
    pending = bytearray()
    seen = 0  # up to its last character that is not white space, pending has no end of a block
    line = 1
    lead: bytes | None = BOM  # what blank lines at the beginning of the next block may follow; None: there are none
    for chunk in chunks:
        begin = 0
        if not chunk:
            last = END.search(pending, seen) if seen else None
            if last is not None:
                block = _block(bytes(pending[: last.start()]), last.group(), line, lead)
                lead = b""
                yield block
                line = _line_after(block)
                del pending[: last.end()]
                seen = 0
            yield None
            continue
        # white space at the end may go on in the next chunk; nothing is searched twice, however long the block
        inked = len(chunk.rstrip(b" \t\r\n"))
        stop = len(pending) + inked if inked else seen
        pending += chunk
        for end in END.finditer(pending, seen, stop):
            block = _block(bytes(pending[begin : end.start()]), end.group(), line, lead)
            lead = None
            yield block
            line = _line_after(block)
            begin = end.end()
        del pending[:begin]
        seen = stop - begin
        _check_limits(pending, name, line)
    if pending:
        last = LAST_END.search(pending)
        cut = last.start() if last else len(pending)
        yield _block(bytes(pending[:cut]), bytes(pending[cut:]), line, lead)


def _block(body: bytes, end: bytes, line: int, lead: bytes | None) -> Block:
    if lead is None:
        return Block(line, b"", body, end)
    blank = LEADING.match(body, len(lead) if body.startswith(lead) else 0)
    cut = blank.end() if blank else 0
    return Block(line + body.count(b"\n", 0, cut), body[:cut], body[cut:], end)


def _line_after(block: Block) -> int:
    return block.line + line_feeds(block.body, 0, len(block.body)) + block.end.count(b"\n")


def _check_limits(pending: bytearray, name: str, line: int) -> None:
    if len(pending) > LINE_LIMIT and pending.rfind(b"\n") < len(pending) - LINE_LIMIT:
        place = line + pending.count(b"\n")
        raise FormatError(f"{name}:{place}: a line of more than {LINE_LIMIT >> 20} MiB; expected lines of text")
    if len(pending) > SENTENCE_LIMIT:
        raise FormatError(
            f"{name}:{line}: a sentence of more than {SENTENCE_LIMIT >> 20} MiB; expected a blank line after each"
        )


def ends_blank(data: bytes) -> bool:
    """Return whether a sentence can follow: the data end with a blank line."""
    return data.endswith(b"\n\n") or BLANK_END.search(data, max(0, len(data) - 1000)) is not None
