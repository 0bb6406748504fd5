"""Reading and writing of CoNLL-U and CoNLL-X: streaming, checked, and lossless.

Violations of the format raise a FormatError. Common and harmless violations are read, kept for output, and reported
once per file by a FormatWarning: a BOM, CRLF, more or fewer blank lines than one after each sentence, blank lines that
are not empty, comments in mid-sentence, a repeated `sent_id`, a `# text` that does not match the words.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dodona.data.files import chunks, output
from dodona.data.sentence import Sentence
from dodona.data.storage import count_line_feeds, pick_rows, scan_rows
from dodona.data.stream import Item, Pause, only_sentences
from dodona.data.ud import COLUMNS, EMPTY_ID, FORM, FORMATS, HEAD, HEAD_NUMBER, ID, RANGE_ID
from dodona.errors import FormatError, FormatWarning, OptionError

__all__ = [
    "BOM", "LINE_LIMIT", "SENTENCE_LIMIT", "Block", "combine_faults", "ends_blank", "read", "read_all", "read_conllu",
    "shorten", "split_blocks", "write",
]  # fmt: skip

BOM = b"\xef\xbb\xbf"
LINE_LIMIT = 1 << 24
"""Maximum bytes of a line: enough for the `# text` of the longest sentences, but not for a file without line breaks."""
SENTENCE_LIMIT = 1 << 27
"""Maximum bytes of a sentence, so that a decompression bomb raises an error before the memory is exhausted."""
EARLY_CHECK = 1 << 20
"""Bytes of a sentence after which its beginning is checked before it is collected further; and again when it has twice
as many, and so on. So an error does not cost much more than the lines before it."""
SHOWN_FAULTS = 10  # of a treebank
SENT_ID_LIMIT = 1 << 16
"""How many different sent_ids are stored to detect repetitions; bounded, as all memory here."""

END = re.compile(rb"\n(?:[ \t\r]*+\n)++")
LAST_END = re.compile(rb"\n[ \t\r\n]*+\Z")
LEADING = re.compile(rb"(?:[ \t\r]*+\n)*+(?:[ \t\r]*+\Z)?")
BLANK_END = re.compile(rb"\n[ \t\r]*\n\Z")
COMMENTS = re.compile(r"(?:#[^\n]*+(?:\n|\Z))*+")
"""Those above the words. As a list, short ones take twenty times the memory of the text."""
SPACED = re.compile(r"[0-9]+(?:[-.][0-9]+)?(?:\t| +)\S.* ")
"""A row in which tabs were replaced by spaces, all of them or some."""


def read(path: str | Path, *, format: str = "conllu", strict: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a file; `.gz` and `.xz` are decompressed, `-` is standard input.

    `strict=False` is for files that are only to be parsed: an invalid HEAD is read as `_`, and invalid multiword ranges
    and empty nodes are ignored (they are written unchanged); each is reported once. Column and word numbers must be
    valid in any case. A file without any word has no sentences.
    """
    return only_sentences(read_conllu(chunks(path), str(path), format=format, strict=strict))


def read_all(path: str | Path) -> list[Sentence]:
    """Return all sentences of a file; an error if there are none, as there is nothing to train on or to score then.

    The error about a file with faults lists them, so that they can be repaired together.
    """
    faults: list[str] = []
    reader = _Reader(str(path), "conllu", strict=True)
    sentences = list(only_sentences(_read_blocks(split_blocks(chunks(path), reader.name), reader, faults)))
    if faults:
        raise combine_faults(faults, str(path), [str(path)])
    if not sentences:
        raise FormatError(f"{path}: there are no sentences in this file")
    return sentences


def combine_faults(faults: Sequence[str], where: str, files: Iterable[str]) -> FormatError:
    """Return the error that lists the first faults of treebanks in these files, each with its file and line."""
    if len(faults) == 1:
        return FormatError(faults[0])
    listed = "".join(f"\n  {fault}" for fault in faults[:SHOWN_FAULTS])
    more = f"\n  and {len(faults) - SHOWN_FAULTS:,} more" if len(faults) > SHOWN_FAULTS else ""
    command = " ".join(["dodona validate", *dict.fromkeys(filter(None, files))])
    return FormatError(f"{len(faults):,} faults in {where}:{listed}{more}\n`{command}` lists all that is wrong")


def read_conllu(chunks: Iterable[bytes], name: str, *, format: str = "conllu", strict: bool = True) -> Iterator[Item]:
    """Yield the sentences in chunks of bytes, from a file of this name, with pauses: one for each empty chunk, and one
    before an error. `strict` is that of `read`."""
    _check_format(format)
    reader = _Reader(name, format, strict)
    return _read_blocks(split_blocks(chunks, name, reader.check_beginning), reader)


def _read_blocks(
    blocks: Iterable["Block | None"], reader: "_Reader", faults: list[str] | None = None
) -> Iterator[Item]:
    """Yield the sentences of blocks. With a list for faults, a sentence that has one is left out and not an error."""
    held: Sentence | None = None  # the last sentence takes along the comments at the end of the file
    stray = bytearray()
    try:
        for block in blocks:
            if block is None:
                if held is not None:
                    yield held
                    held = None
                yield Pause()
                continue
            try:
                sentence = reader.read(block)
            except FormatError as error:
                if faults is None:
                    raise
                faults.append(str(error))
                continue
            stray += block.leading
            if sentence is not None:
                if stray:
                    sentence.enclose(before=bytes(stray))
                    stray.clear()
                if held is not None:
                    yield held
                held = sentence
                continue
            stray += block.body + block.end
            if len(stray) > SENTENCE_LIMIT:
                size = f"{SENTENCE_LIMIT >> 20} MiB"
                raise FormatError(f"{reader.name}:{block.line}: more than {size} without a word; expected sentences")
    except FormatError:
        if held is not None:
            yield held
        yield Pause()
        raise
    if held is not None:
        held.enclose(after=bytes(stray))
        yield held
    elif stray:  # the last sentence is passed on already, at a pause, or there is none
        yield Pause(bytes(stray))


def write(sentences: Iterable[Item], path: str | Path, *, format: str | None = None) -> None:
    """Write sentences one at a time; `.gz` and `.xz` are compressed, `-` is standard output.

    The file is written atomically. Unchanged sentences are written byte for byte; only between sentences from different
    files a missing blank line is added and a BOM removed. `format` converts. At a pause, pipes get what is written.
    """
    if format is not None:
        _check_format(format)
    with output(path) as out:
        previous = b""
        for item in sentences:
            if isinstance(item, Sentence):
                data = (item if format is None else item.convert(format)).to_bytes()
            else:
                data = item.data if isinstance(item, Pause) else b""
            if previous and data:
                data = data.removeprefix(BOM)
                if not ends_blank(previous):
                    out.write(b"\n" if previous.endswith(b"\n") else b"\n\n")
            out.write(data)
            previous = data or previous
            if isinstance(item, Pause):
                out.flush()


def _check_format(format: str) -> None:
    if format not in FORMATS:
        raise OptionError(f"unknown format {format!r}; the formats are: {', '.join(FORMATS)}")


def ends_blank(data: bytes) -> bool:
    """Return whether a sentence can follow: the data end with a blank line."""
    return data.endswith(b"\n\n") or BLANK_END.search(data, max(0, len(data) - 1000)) is not None


class Block(NamedTuple):
    """Lines up to and including the blank lines after them."""

    line: int  # number of the first line of the body
    leading: bytes  # a BOM and blank lines, at the beginning of the file or after a pause only
    body: bytes  # the lines, without the line feed of the last one
    end: bytes  # that line feed and the blank lines


def split_blocks(
    chunks: Iterable[bytes], name: str, check: Callable[[Block], None] | None = None
) -> Iterator[Block | None]:
    """Yield the blocks of a file. Together their bytes are the file.

    An empty chunk (a pause) yields the last block, if a blank line has ended it, and then None. More blank lines may
    follow: they are at the beginning of the next block. `check` is called with the first lines of a long block.
    """
    pending = bytearray()
    seen = 0  # up to its last character that is not white space, pending has no end of a block
    early = EARLY_CHECK
    line = 1
    lead: bytes | None = BOM  # what blank lines at the beginning of the next block may follow; None: there are none
    for chunk in chunks:
        begin = 0
        # white space at the end may go on in the next chunk; nothing is searched twice, however long the block
        inked = len(chunk.rstrip(b" \t\r\n"))
        stop = len(pending) + inked if inked else seen
        pending += chunk
        for end in END.finditer(pending, seen, stop if chunk or not seen else len(pending)):
            block = _make_block(bytes(pending[begin : end.start()]), end.group(), line, lead)
            lead = None if chunk else b""
            yield block
            line = block.line + count_line_feeds(block.body) + block.end.count(b"\n")
            begin = end.end()
        del pending[:begin]
        seen = max(0, stop - begin)
        _check_limits(pending, name, line)
        if begin:
            early = EARLY_CHECK
        if check is not None and len(pending) > early:
            check(_make_block(bytes(pending[: max(0, pending.rfind(b"\n"))]), b"\n\n", line, lead))
            early = 2 * len(pending)
        if not chunk:
            yield None
    if pending:
        last = LAST_END.search(pending)
        cut = last.start() if last else len(pending)
        yield _make_block(bytes(pending[:cut]), bytes(pending[cut:]), line, lead)


def _make_block(body: bytes, end: bytes, line: int, lead: bytes | None) -> Block:
    if lead is None:
        return Block(line, b"", body, end)
    blank = LEADING.match(body, len(lead) if body.startswith(lead) else 0)
    cut = blank.end() if blank else 0
    return Block(line + body.count(b"\n", 0, cut), body[:cut], body[cut:], end)


def _check_limits(pending: bytearray, name: str, line: int) -> None:
    if len(pending) > LINE_LIMIT and len(pending) - (pending.rfind(b"\n") + 1) > LINE_LIMIT:
        line += pending.count(b"\n")
        raise FormatError(f"{name}:{line}: a line of more than {LINE_LIMIT >> 20} MiB; expected lines of text")
    if len(pending) > SENTENCE_LIMIT:
        size = f"{SENTENCE_LIMIT >> 20} MiB"
        raise FormatError(f"{name}:{line}: a sentence of more than {size}; expected a blank line after each")


class _Reader:
    """Reads one file, block by block: what it says about it, it says once."""

    def __init__(self, name: str, format: str, strict: bool) -> None:
        self.name, self.format, self.strict = name, format, strict
        self.ids: set[str] = set()
        self.remarks: set[str] = set()

    def read(self, block: Block) -> Sentence | None:
        """Return the sentence of a block, checked; None if the block has no words."""
        sentence = self.read_quickly(block)
        if sentence is None:
            sentence = self.read_carefully(block)
        if sentence is not None:
            self._check_comments(sentence)
        return sentence

    def read_quickly(self, block: Block) -> Sentence | None:
        """Return the sentence of a block without any irregularity, as nearly all blocks are; None for any other."""
        scanned = scan_rows(block.body, self.format == "conllu")
        if scanned is None:
            return None
        if block.leading or block.end != b"\n\n":
            self._check_ends(block)
        rows, begin, multiword = scanned
        comments = block.body[: begin - 1].decode().split("\n") if begin else []
        return Sentence(self.name, block.line, self.format, rows, block.end, comments, multiword)

    def check_beginning(self, block: Block) -> None:
        """Raise an error if the first lines of a sentence are wrong, whatever may follow."""
        if scan_rows(block.body, self.format == "conllu", whole=False) is None:
            text = self._decode(block)
            at = _find_rows(text)
            line = block.line + text.count("\n", 0, at)
            _CarefulLines(self, line, 0, text[at:].split("\n") if text[at:] else []).check_heads(None)

    def read_carefully(self, block: Block) -> Sentence | None:
        """Return the sentence of a block, read line by line, with all warnings and errors."""
        text = self._decode(block)
        at = _find_rows(text)
        if at == len(text):
            return None
        lines, begin = text.split("\n"), text.count("\n", 0, at)
        careful = _CarefulLines(self, block.line, begin, lines)
        heads = careful.end()
        rows = pick_rows(block.body, careful.rows)
        comments = lines[:begin] + careful.comments
        sentence = Sentence(self.name, block.line, self.format, rows, block.end, comments, careful.multiword)
        sentence.keep_column("heads", heads)
        return sentence

    def _decode(self, block: Block) -> str:
        """Return the lines as text, with LF line breaks."""
        body = block.body
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            line = block.line + body.count(b"\n", 0, error.start)
            wide = body.startswith((b"\xff\xfe", b"\xfe\xff"))
            rule = "expected UTF-8, and this looks like UTF-16" if wide else "expected a file in UTF-8"
            raise self.error(line, f"byte {body[error.start]:#04x} is not UTF-8; {rule}") from None
        if "\0" in text:
            line = block.line + text.count("\n", 0, text.index("\0"))
            raise self.error(line, "a NUL character; expected text in UTF-8 (is this UTF-16?)")
        if block.leading or block.end != b"\n\n":
            self._check_ends(block)
        if "\r" in text:
            whole = text + block.end.decode()
            lone = re.search("\r(?!\n)", whole)
            if lone:
                line = block.line + whole.count("\n", 0, lone.start())
                raise self.error(line, "a carriage return inside a line; expected LF or CRLF after each")
            self.warn("crlf", block.line, "CRLF line ends; they are kept")
            text = text.replace("\r\n", "\n").removesuffix("\r")
        return text

    def _check_ends(self, block: Block) -> None:
        if block.leading.startswith(BOM):
            self.warn("bom", 1, "a byte order mark (BOM) at the beginning; it is kept")
        end = block.end.replace(b"\r\n", b"\n")
        last = block.line + block.body.count(b"\n")
        if end.strip(b"\n"):
            self.warn("white", last + 1, "a blank line with white space; expected an empty line; read as one")
        if end in (b"", b"\n") and block.body:
            self.warn("end", last, "no blank line after the last sentence; read as if there were one")
        elif end.count(b"\n") > 2 or block.leading.removeprefix(BOM):
            self.warn("blank", last, "more blank lines than one after each sentence; they are kept")

    def _check_comments(self, sentence: Sentence) -> None:
        if not sentence.comments:
            return
        name = sentence.sent_id
        if name is not None:
            if name in self.ids:
                self.warn("sent_id", sentence.line, f"sent_id {shorten(name)} again; expected a name of its own")
            elif len(self.ids) < SENT_ID_LIMIT:
                self.ids.add(name)
        text = sentence.text
        if text is not None and "text" not in self.remarks:
            forms = "".join(sentence.surface())
            if text.replace(" ", "") != forms and "".join(text.split()) != "".join(forms.split()):
                self.warn("text", sentence.line, f"# text {shorten(text)}; expected the words of the sentence")

    def error(self, line: int, message: str) -> FormatError:
        return FormatError(f"{self.name}:{line}: {message}")

    def report_fault(self, line: int, message: str) -> None:
        """Report an invalid value that a parser does not need."""
        if self.strict:
            raise self.error(line, message)
        self.warn("fault", line, f"{message}; passed over, and so are more of the kind")

    def warn(self, kind: str, line: int, message: str) -> None:
        """Report something harmless, each kind once."""
        if kind not in self.remarks:
            self.remarks.add(kind)
            warnings.warn(f"{self.name}:{line}: {message}", FormatWarning, stacklevel=2)


def _find_rows(text: str) -> int:
    """Return where the comments above the words end."""
    comments = COMMENTS.match(text)
    return comments.end() if comments else 0


class _CarefulLines:
    """The lines of a sentence one by one: separates words, multiword ranges, empty nodes and comments, and checks
    them."""

    def __init__(self, reader: _Reader, line: int, begin: int, lines: list[str]) -> None:
        self.reader = reader
        self.comments: list[str] = []  # those in mid-sentence
        self.multiword: list[tuple[int, int, str]] = []
        self.rows: list[int] = []  # of the words
        self.heads: list[int | str | None] = []  # a string where it is not even a number
        self.empty = 0  # empty nodes since the last word
        self.begun = 0  # the first word of the range whose line was the last one
        self.line, self.begin, self.range_line = line, begin, line
        for row, text in enumerate(islice(lines, begin, None), start=begin):
            if text.startswith("#"):
                self.comments.append(text)
                reader.warn("comment", line + row, "a comment in mid-sentence; expected all before the first word")
            else:
                self._add_row(text.split("\t"), row, line + row)

    def end(self) -> list[int | None]:
        """Check what can be known only when all words are there, and return their heads."""
        count = len(self.rows)
        if self.multiword and self.multiword[-1][1] > count:
            first, last, _ = self.multiword.pop()
            fault = f"multiword range {first}-{last}; expected words as far as {count} only"
            self.reader.report_fault(self.range_line, fault)
        if not self.rows:
            raise self.reader.error(self.line + self.begin, "a sentence without words; expected at least one")
        return self.check_heads(count)

    def check_heads(self, count: int | None) -> list[int | None]:
        """Return the heads in a sentence of so many words; None: that is not known yet."""
        heads: list[int | None] = []
        for row, head in zip(self.rows, self.heads, strict=True):
            if isinstance(head, str) or (head is not None and count is not None and head > count):
                numbers = "" if count is None else f", from 1 to {count}"
                expected = f"expected the number of a word{numbers}, or 0 for the root"
                self.reader.report_fault(self.line + row, f"HEAD {shorten(str(head))}; {expected}")
                head = None
            heads.append(head)
        return heads

    def _add_row(self, columns: list[str], row: int, line: int) -> None:
        count = len(COLUMNS)
        if len(columns) != count:
            text = "\t".join(columns)
            is_spaced = len(columns) < count <= len(text.split()) and SPACED.match(text)
            spaces = " (here are spaces for tabs)" if is_spaced else ""
            raise self.reader.error(line, f"{len(columns)} columns; expected {count}, separated by tabs{spaces}")
        number = columns[ID]
        if not columns[FORM]:
            raise self.reader.error(line, "empty FORM; expected a word")
        if number == str(len(self.rows) + 1):
            self.rows.append(row)
            head = columns[HEAD]
            self.heads.append(int(head) if HEAD_NUMBER.fullmatch(head) else None if head == "_" else head)
            self.empty = self.begun = 0
        elif self.reader.format == "conllu" and RANGE_ID.fullmatch(number):
            self._add_range(number, columns[FORM], line)
        elif self.reader.format == "conllu" and EMPTY_ID.fullmatch(number):
            self._add_empty_node(number, line)
        else:
            raise self.reader.error(line, f"word number {shorten(number)}; expected {len(self.rows) + 1}")

    def _add_range(self, number: str, form: str, line: int) -> None:
        first, last = map(int, number.split("-"))
        word = len(self.rows) + 1
        fault = None
        if last <= first:
            fault = "; expected a last word after the first"
        elif self.multiword and first <= self.multiword[-1][1]:
            fault = " overlaps {}-{}; expected ranges apart from each other".format(*self.multiword[-1])
        elif first != word:
            fault = f"; expected it just before its first word, here {word}"
        if fault is not None:
            self.reader.report_fault(line, f"multiword range {number}{fault}")
            return
        self.multiword.append((first, last, form))
        self.begun = first
        self.range_line = line

    def _add_empty_node(self, number: str, line: int) -> None:
        expected = f"{len(self.rows)}.{self.empty + 1}"
        if self.begun:
            fault = f"empty node {number}; expected word {self.begun} after its multiword range"
            self.reader.report_fault(line, fault)
        elif number != expected:
            self.reader.report_fault(line, f"empty node {number}; expected {expected} here")
        else:
            self.empty += 1


def shorten(value: str) -> str:
    """Return a value as a message shows it."""
    return repr(value if len(value) <= 40 else value[:40] + "…")
