"""Reading and writing of CoNLL-U and CoNLL-X: streaming, checked, and lossless.

Violations of the format raise a FormatError. Common and harmless violations are read, kept for output, and reported
once per file by a FormatWarning: a BOM, CRLF, more or fewer blank lines than one after each sentence, blank lines that
are not empty, comments in mid-sentence, a repeated `sent_id`, a `# text` that does not match the words.
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dodona.data.files import chunks, output
from dodona.data.sentence import Sentence
from dodona.data.stream import Item, Pause
from dodona.data.table import line_feeds, plain_words, words_in_rows
from dodona.errors import FormatError, FormatWarning, OptionError

__all__ = [
    "BOM",
    "HEAD",
    "LINE_LIMIT",
    "SENTENCE_LIMIT",
    "Block",
    "Remarks",
    "SentenceLines",
    "blocks",
    "ends_blank",
    "has_spaces_for_tabs",
    "read",
    "read_all",
    "read_chunks",
    "read_stream",
    "shortened",
    "write",
]

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


COLUMNS = 10
ID, FORM, HEAD = 0, 1, 6
RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
SPACED = re.compile(r"[0-9]+(?:[-.][0-9]+)?(?:\t| +)\S.* ")
EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)


class Remarks:
    """Warnings about one file, each kind once."""

    def __init__(self, name: str, format: str, strict: bool) -> None:
        self.name = name
        self.format = format
        self.strict = strict
        self.said: set[str] = set()

    def fault(self, line: int, message: str) -> None:
        """Report an invalid value that a parser does not need."""
        if self.strict:
            raise FormatError(f"{self.name}:{line}: {message}")
        self.say("fault", line, f"{message}; passed over, and so are more of the kind")

    def say(self, kind: str, line: int, message: str) -> None:
        if kind not in self.said:
            self.said.add(kind)
            warnings.warn(f"{self.name}:{line}: {message}", FormatWarning, stacklevel=2)


class SentenceLines:
    """A sentence line by line: separates words, multiword ranges, empty nodes and comments, and checks them."""

    def __init__(self, reader: Remarks, line: int, begin: int, table: list[list[str]]) -> None:
        self.reader = reader
        self.comments: list[str] = []  # those in mid-sentence
        self.multiword: list[tuple[int, int, str]] = []
        self.words: list[list[str]] = []
        self.rows: list[int] = []
        self.empty = 0  # empty nodes since the last word
        self.begun = 0  # the first word of the range whose line was the last one
        self.range_line = line
        for row, columns in enumerate(table, start=begin):
            if columns[ID].startswith("#"):
                self.comments.append("\t".join(columns))
                reader.say("comment", line + row, "a comment in mid-sentence; expected all before the first word")
            else:
                self._row(columns, row, line + row)
        self._check_last_range()
        if not self.words:
            raise FormatError(f"{reader.name}:{line + begin}: a sentence without words; expected at least one")

    def _row(self, columns: list[str], row: int, line: int) -> None:
        if len(columns) != COLUMNS:
            spaces = " (here are spaces for tabs)" if has_spaces_for_tabs("\t".join(columns)) else ""
            raise FormatError(
                f"{self.reader.name}:{line}: {len(columns)} columns; expected {COLUMNS}, separated by tabs{spaces}"
            )
        number = columns[ID]
        if not columns[FORM]:
            raise FormatError(f"{self.reader.name}:{line}: empty FORM; expected a word")
        if number == str(len(self.words) + 1):
            self.words.append(columns)
            self.rows.append(row)
            self.empty = self.begun = 0
        elif self.reader.format == "conllu" and RANGE.fullmatch(number):
            self._range(number, columns[FORM], line)
        elif self.reader.format == "conllu" and EMPTY_NODE.fullmatch(number):
            self._empty_node(number, line)
        else:
            raise FormatError(
                f"{self.reader.name}:{line}: word number {shortened(number)}; expected {len(self.words) + 1}"
            )

    def _range(self, number: str, form: str, line: int) -> None:
        first, last = map(int, number.split("-"))
        word = len(self.words) + 1
        if last <= first:
            self.reader.fault(line, f"multiword range {number}; expected a last word after the first")
        elif self.multiword and first <= self.multiword[-1][1]:
            before = "{}-{}".format(*self.multiword[-1])
            self.reader.fault(
                line, f"multiword range {number} overlaps {before}; expected ranges apart from each other"
            )
        elif first != word:
            self.reader.fault(line, f"multiword range {number}; expected it just before its first word, here {word}")
        else:
            self.multiword.append((first, last, form))
            self.begun = first
            self.range_line = line

    def _check_last_range(self) -> None:
        """Check that the words include the end of the last range."""
        if self.multiword and self.multiword[-1][1] > len(self.words):
            first, last, _ = self.multiword.pop()
            self.reader.fault(
                self.range_line, f"multiword range {first}-{last}; expected words as far as {len(self.words)} only"
            )

    def _empty_node(self, number: str, line: int) -> None:
        expected = f"{len(self.words)}.{self.empty + 1}"
        if self.begun:
            self.reader.fault(line, f"empty node {number}; expected word {self.begun} after its multiword range")
        elif number != expected:
            self.reader.fault(line, f"empty node {number}; expected {expected} here")
        else:
            self.empty += 1


def has_spaces_for_tabs(line: str) -> bool:
    """Whether a line looks like a row in which tabs were replaced by spaces, all of them or some."""
    return SPACED.match(line) is not None and len(line.split()) >= COLUMNS and line.count("\t") < COLUMNS - 1


def shortened(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:40] + "…")


FORMATS = {"conllu": "CoNLL-U", "conllx": "CoNLL-X"}
NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
REMEMBERED = 1 << 16
"""How many different sent_ids are stored to detect repetitions; bounded, as all memory here."""


def read(path: str | Path, *, format: str = "conllu", strict: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a file; `.gz` and `.xz` are decompressed, `-` is standard input.

    `strict=False` is for files that are only to be parsed: an invalid HEAD is read as `_`, and invalid multiword ranges
    and empty nodes are ignored (they are written unchanged); each is reported once. Column and word numbers must be
    valid in any case. A file without any word has no sentences.
    """
    return read_chunks(chunks(path), str(path), format=format, strict=strict)


def read_all(path: str | Path) -> list[Sentence]:
    """Return all sentences of a file; an error if there are none, as there is nothing to train on or to score then."""
    found = list(read(path))
    if not found:
        raise FormatError(f"{path}: there are no sentences in this file")
    return found


def read_chunks(
    pieces: Iterable[bytes], name: str, *, format: str = "conllu", strict: bool = True
) -> Iterator[Sentence]:
    """Yield the sentences in chunks of bytes, from a file of this name."""
    items = read_stream(filter(None, pieces), name, format=format, strict=strict)
    return (item for item in items if isinstance(item, Sentence))


def read_stream(pieces: Iterable[bytes], name: str, *, format: str = "conllu", strict: bool = True) -> Iterator[Item]:
    """Like `read_chunks`, with pauses: one for each empty chunk, and one before an error."""
    _check_format(format)
    return _items(pieces, name, format, strict)


def write(sentences: Iterable[Item], path: str | Path, *, format: str | None = None) -> None:
    """Write sentences one at a time; `.gz` and `.xz` are compressed, `-` is standard output.

    The file is written atomically. Unchanged sentences are written byte for byte; only between sentences from different
    files a missing blank line is added and a BOM removed. `format` converts. At a pause, pipes get what is written.
    """
    if format is not None:
        _check_format(format)
    with output(path) as out:
        previous = b""
        for sentence in sentences:
            if isinstance(sentence, Sentence):
                data = (sentence if format is None else sentence.converted(format)).to_bytes()
                if previous:
                    data = data.removeprefix(BOM)
                    if not ends_blank(previous):
                        out.write(b"\n" if previous.endswith(b"\n") else b"\n\n")
                out.write(data)
                previous = data
            elif isinstance(sentence, Pause):
                out.write(sentence.data)
                out.flush()
                previous += sentence.data


def _check_format(format: str) -> None:
    if format not in FORMATS:
        raise OptionError(f"unknown format {format!r}; the formats are: {', '.join(FORMATS)}")


def _items(pieces: Iterable[bytes], name: str, format: str, strict: bool) -> Iterator[Item]:
    reader = _Reader(name, format, strict)
    held: Sentence | None = None  # the last sentence takes along the comments at the end of the file
    stray = bytearray()
    is_passed_on = False  # the last sentence, at a pause
    try:
        for block in blocks(pieces, name):
            if block is None:
                if held is not None:
                    yield held
                    held, is_passed_on = None, True
                yield Pause()
                continue
            sentence = reader.sentence(block)
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
                raise FormatError(
                    f"{name}:{block.line}: more than {SENTENCE_LIMIT >> 20} MiB without a word; expected sentences"
                )
    except FormatError:
        if held is not None:
            yield held
        yield Pause()
        raise
    if held is not None:
        held.enclose(after=bytes(stray))
        yield held
    elif is_passed_on and stray:
        yield Pause(bytes(stray))


class _Reader(Remarks):
    """The state of reading one file, from block to block."""

    def __init__(self, name: str, format: str, strict: bool) -> None:
        Remarks.__init__(self, name, format, strict)
        self.ids: set[str] = set()

    def sentence(self, block: Block) -> Sentence | None:
        """Return the sentence of a block, checked; None if the block has no words."""
        found = self._plain(block)
        if found is None:
            found = self._careful(block)
        if found is not None:
            self._check_comments(found)
        return found

    def _plain(self, block: Block) -> Sentence | None:
        """Return the sentence of a block without any irregularity, as nearly all blocks are; None for any other."""
        plain = plain_words(block.body, self.format == "conllu")
        if plain is None:
            return None
        if block.leading or block.end != b"\n\n":
            self._check_ends(block)
        table, begin, multiword = plain
        comments = block.body[: begin - 1].decode().split("\n") if begin else []
        return Sentence(self.name, block.line, self.format, table, block.end, comments, multiword)

    def _careful(self, block: Block) -> Sentence | None:
        """Return the sentence of a block, read line by line, with all warnings and errors."""
        lines = self._text(block).split("\n")
        if lines == [""]:
            return None
        begin = 0
        while begin < len(lines) and lines[begin][:1] == "#":
            begin += 1
        if begin == len(lines):
            return None
        walk = SentenceLines(self, block.line, begin, [line.split("\t") for line in lines[begin:]])
        table = words_in_rows(block.body, walk.rows)
        comments = lines[:begin] + walk.comments
        found = Sentence(self.name, block.line, self.format, table, block.end, comments, walk.multiword)
        found.keep_column("heads", self._heads(walk, block.line))
        return found

    def _text(self, block: Block) -> str:
        """Return the decoded lines, with LF line breaks."""
        body = block.body
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            line = block.line + body.count(b"\n", 0, error.start)
            wide = body.startswith((b"\xff\xfe", b"\xfe\xff"))
            rule = "expected UTF-8, and this looks like UTF-16" if wide else "expected a file in UTF-8"
            raise FormatError(f"{self.name}:{line}: byte {body[error.start]:#04x} is not UTF-8; {rule}") from None
        if "\0" in text:
            line = block.line + text.count("\n", 0, text.index("\0"))
            raise FormatError(f"{self.name}:{line}: a NUL character; expected text in UTF-8 (is this UTF-16?)")
        if block.leading or block.end != b"\n\n":
            self._check_ends(block)
        if "\r" in text:
            text = self._without_returns(block)
        return text

    def _without_returns(self, block: Block) -> str:
        whole = block.body + block.end
        text = whole.decode()
        lone = re.search("\r(?!\n)", text)
        if lone:
            line = block.line + text.count("\n", 0, lone.start())
            raise FormatError(f"{self.name}:{line}: a carriage return inside a line; expected LF or CRLF after each")
        self.say("crlf", block.line, "CRLF line ends; they are kept")
        return block.body.decode().replace("\r\n", "\n").removesuffix("\r")

    def _check_ends(self, block: Block) -> None:
        if block.leading.startswith(BOM):
            self.say("bom", 1, "a byte order mark (BOM) at the beginning; it is kept")
        end = block.end.replace(b"\r\n", b"\n")
        last = block.line + block.body.count(b"\n")
        if end.strip(b"\n"):
            self.say("white", last + 1, "a blank line with white space; expected an empty line; read as one")
        if end in (b"", b"\n") and block.body:
            self.say("end", last, "no blank line after the last sentence; read as if there were one")
        elif end.count(b"\n") > 2 or block.leading.removeprefix(BOM):
            self.say("blank", last, "more blank lines than one after each sentence; they are kept")

    def _heads(self, walk: SentenceLines, line: int) -> list[int | None]:
        n = len(walk.words)
        heads: list[int | None] = []
        for row, word in zip(walk.rows, walk.words, strict=True):
            head = word[HEAD]
            if head != "_" and (NUMBER.fullmatch(head) is None or int(head) > n):
                expected = f"expected the number of a word, from 1 to {n}, or 0 for the root"
                self.fault(line + row, f"HEAD {shortened(head)}; {expected}")
                head = "_"
            heads.append(None if head == "_" else int(head))
        return heads

    def _check_comments(self, sentence: Sentence) -> None:
        if not sentence.comments:
            return
        name = sentence.sent_id
        if name is not None:
            if name in self.ids:
                self.say("sent_id", sentence.line, f"sent_id {shortened(name)} again; expected a name of its own")
            elif len(self.ids) < REMEMBERED:
                self.ids.add(name)
        text = sentence.text
        if text is not None and "text" not in self.said:
            forms = "".join(sentence.surface())
            if text.replace(" ", "") != forms and "".join(text.split()) != "".join(forms.split()):
                self.say("text", sentence.line, f"# text {shortened(text)}; expected the words of the sentence")
