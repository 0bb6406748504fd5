"""Reading and writing of CoNLL-U and CoNLL-X: streaming, checked, and lossless.

Violations of the format raise a FormatError. Common and harmless violations are read, kept for output, and reported
once per file by a FormatWarning: a BOM, CRLF, more or fewer blank lines than one after each sentence, blank lines that
are not empty, comments in mid-sentence, a repeated `sent_id`, a `# text` that does not match the words.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.blocks import BOM, SENTENCE_LIMIT, Block, blocks, ends_blank
from dodona.data.files import chunks, output
from dodona.data.lines import HEAD, Remarks, SentenceLines, shortened
from dodona.data.marks import Item, Pause
from dodona.data.sentence import Sentence
from dodona.data.table import plain_words, words_in_rows
from dodona.errors import FormatError, OptionError

__all__ = ["read", "read_all", "read_chunks", "read_stream", "write"]

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
