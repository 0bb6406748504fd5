"""The formats of sentences: which one an input has, reading by format, and conversion with what is lost on the way.

text: raw text, for a tokenizer; conllu, conllx: CoNLL-U and CoNLL-X; horizontal: a sentence a line, words separated by
spaces; vertical: a word a line, empty lines between sentences. All are in UTF-8.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from dodona.data.conllu import BOM, LINE_LIMIT, SENTENCE_LIMIT, read_conllu, write
from dodona.data.files import output
from dodona.data.sentence import Sentence
from dodona.data.spacing import begins_paragraph, rebuild_text
from dodona.data.stream import Item, Pause, only_sentences
from dodona.data.ud import COLUMNS, FORMATS, HEAD, NUMBERS
from dodona.errors import FormatError, OptionError

__all__ = [
    "BLANK_LIMIT", "INK_LIMIT", "INPUTS", "OUTPUTS", "convert", "decode_text", "detect_format", "format_by_name",
    "read_stream", "read_words",
]  # fmt: skip

WORDS = ("horizontal", "vertical")
INPUTS = ("auto", "text", *FORMATS, *WORDS)
OUTPUTS = (*FORMATS, *WORDS, "text")

NAMED = re.compile(r"\.(conllu|conllx)(?:\.gz|\.xz)?\Z", re.IGNORECASE)
WORD = re.compile(rb"[0-9]+(?:-[0-9]+|\.[0-9]+)?\t[^\t\n]*\t")
BEGUN_NUMBER = re.compile(rb"(?:[0-9]+(?:[-.][0-9]*)?(?:\t|\Z)|\Z)")
SPACED = re.compile(rb"[0-9]+(?:[-.][0-9]+)? ")
COMMENT = re.compile(rb"^#\s*(?:sent_id|text)\s*=", re.MULTILINE)
SILENT_LINES = re.compile(rb"(?:(?:#[^\n]*+|[ \t\r\f\v]*+)\n)*+")
BLANK = re.compile(r"[\s\0]")
HEAD_VALUE = re.compile(r"[0-9]+|_")
ROW_LIMIT = 10_000
"""Bytes of a line after which it is no longer waited for its end."""
BLANK_LIMIT = 1 << 20
"""Blanks in a row, in raw text. They are kept in MISC, so that the text can be restored; more are an error."""
INK_LIMIT = 1 << 24
"""About how many characters without a blank are still a text. A tokenizer cuts a word that long in any case."""


def read_stream(
    format: str,
    chunks: Iterable[bytes],
    name: str,
    *,
    tokenize: Callable[[Iterator[str]], Iterator[Item]] | None = None,
) -> Iterator[Item]:
    """Yield the sentences of an input in one of the formats INPUTS, in chunks of bytes, from a file of this name.

    An empty chunk becomes a pause, and one comes before an error. `tokenize` takes the chunks of a raw text, of which
    an empty one is a pause.
    """
    if format == "auto":
        format, chunks = detect_format(chunks, name)
    if format == "text":
        if tokenize is None:
            raise FormatError(f"{name}: raw text; expected sentences, as there is no tokenizer")
        return tokenize(decode_text(chunks, name))
    if format in WORDS:
        return read_words(chunks, name, vertical=format == "vertical")
    return read_conllu(chunks, name, format=format)


def format_by_name(name: str) -> str | None:
    """The format that the name of a file says: "conllu", "conllx", or None."""
    match = NAMED.search(name)
    return match[1].lower() if match else None


def detect_format(chunks: Iterable[bytes], name: str) -> tuple[str, Iterator[bytes]]:
    """Return "conllu", "conllx" or "text", and an iterator over all chunks; `name` is the file's.

    No more is read than is needed to decide. Input that has only comments is text, and so is input with more comments
    than a sentence may have.
    """
    named = format_by_name(name)
    if named is not None:
        return named, iter(chunks)
    head, line, rest = _read_beginning(iter(chunks))
    if WORD.match(line):
        return "conllu", rest
    if _is_spaced(head, line.decode("utf-8", "replace")):
        number = head.count(b"\n") + 1
        hint = "(dodona parse --input text if it really is text)"
        raise FormatError(
            f"{name}:{number}: this looks like CoNLL-U with spaces for tabs; expected tabs between columns {hint}"
        )
    return "text", rest


def _is_spaced(head: bytes, line: str) -> bool:
    """Whether a line is a number and more under a comment of CoNLL-U, or has ten fields like those of a first word."""
    if "\t" in line or not SPACED.match(line.encode()):
        return False
    fields = line.split()
    first = fields[0] == "1" or fields[0].startswith(("1-", "0."))
    return COMMENT.search(head) is not None or (
        first and len(fields) == len(COLUMNS) and HEAD_VALUE.fullmatch(fields[HEAD]) is not None
    )


def _read_beginning(rest: Iterator[bytes]) -> tuple[bytes, bytes, Iterator[bytes]]:
    """The bytes before the first line that is no comment, that line as far as it is needed, and all chunks.

    A line, or blanks, of which no format allows so many decide at once: so no byte is looked at more than a few times.
    """
    held = bytearray()
    at = 0  # the beginning of the first line that is not known to be a comment or blank
    blanks = 0
    for chunk in filter(None, rest):  # at a pause nothing can be answered yet
        held += chunk
        blanks = _count_blanks(chunk.decode("latin-1"), blanks)
        if at == 0 and held.startswith(BOM):
            at = len(BOM)
        silent = SILENT_LINES.match(held, at)
        at = silent.end() if silent else at
        end = held.find(b"\n", at)
        line = held[at:end] if end >= 0 else held[at:]
        undecided = end < 0 and (
            _says_nothing(line)
            or _begins_word(line)
            or BOM.startswith(bytes(held))
            or (len(line) < ROW_LIMIT and SPACED.match(line) is not None)
        )
        if not undecided or len(line) > LINE_LIMIT or blanks > BLANK_LIMIT or len(held) > SENTENCE_LIMIT:
            return bytes(held[:at]), bytes(line), chain([bytes(held)], rest)
    return bytes(held[:at]), bytes(held[at:]) if WORD.match(held[at:]) is None else b"", iter([bytes(held)])


def _begins_word(line: bytes | bytearray) -> bool:
    """Whether a line may be that of a word, whose form goes on."""
    number = BEGUN_NUMBER.match(line)
    return number is not None and line.find(b"\t", number.end()) < 0


def _says_nothing(line: bytes | bytearray) -> bool:
    return line.startswith(b"#") or not line.strip()


def read_words(chunks: Iterable[bytes], name: str, *, vertical: bool) -> Iterator[Item]:
    """Yield the tokenized sentences in chunks of bytes, from a file of this name, and a pause for each empty chunk."""
    words: list[str] = []
    number = size = 0
    for number, line in _split_lines(chunks, name):
        if line is None:
            yield Pause()
            continue
        if vertical and line:
            words.append(line)
            size += len(line) + 1
            if size > LINE_LIMIT:
                limit = f"{LINE_LIMIT >> 20} MiB"
                raise FormatError(
                    f"{name}:{number}: a sentence of more than {limit}; expected an empty line after each"
                )
            continue
        if not vertical:
            words = line.split()
        if words:
            yield _make_sentence(words, f"{name}:{number}")
        words, size = [], 0
    if words:
        yield _make_sentence(words, f"{name}:{number}")


def _make_sentence(words: list[str], location: str) -> Sentence:
    try:
        return Sentence.from_words(words)
    except OptionError as error:
        raise FormatError(f"{location}: {error}") from None


def _split_lines(chunks: Iterable[bytes], name: str) -> Iterator[tuple[int, str | None]]:
    """Yield the lines with their numbers, without whitespace at their ends; None for a pause."""
    number = 0
    rest = b""
    for chunk in chunks:
        if not chunk:
            yield number, None
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            yield number, _decode_line(line, name, number)
        if len(rest) > LINE_LIMIT:
            size = f"{LINE_LIMIT >> 20} MiB"
            raise FormatError(f"{name}:{number + 1}: a line of more than {size}; expected a shorter one")
    if rest:
        yield number + 1, _decode_line(rest, name, number + 1)


def _decode_line(line: bytes, name: str, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}:{number}: byte {line[error.start]:#04x} is not UTF-8") from error


def decode_text(chunks: Iterable[bytes], name: str) -> Iterator[str]:
    """Yield raw text from chunks of bytes, from a file of this name; a BOM at its beginning is removed.

    An empty chunk (a pause) is an empty text; one comes before an error, too.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    blanks = ink = 0
    try:
        for chunk in chunks:
            text = decoder.decode(chunk)
            blanks = _count_blanks(text, blanks)
            ink = ink + len(text) if BLANK.search(text) is None else 0
            if blanks > BLANK_LIMIT or ink > INK_LIMIT:
                yield ""
                blank = f"{BLANK_LIMIT:,} blanks in a row"
                inked = f"{INK_LIMIT:,} characters without a blank"
                many = blank if blanks > BLANK_LIMIT else inked
                raise FormatError(f"{name}:{line}: more than {many}; expected a text")
            if text or not chunk:
                yield text
            line += text.count("\n")
        decoder.decode(b"", final=True)  # the end of a character may be missing
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        yield before
        yield ""
        bad = error.object[error.start]
        line += before.count("\n")
        raise FormatError(f"{name}:{line}: byte {bad:#04x} is not UTF-8; expected text in UTF-8") from error


def _count_blanks(text: str, before: int) -> int:
    """Return how many blanks come last, in a text after so many others, or more than BLANK_LIMIT if they come first."""
    text = text.replace("\0", " ")
    after = len(text) - len(text.rstrip())
    if after == len(text):
        return before + after
    first = before + len(text) - len(text.lstrip())
    return first if first > BLANK_LIMIT else after


LAST_COLUMNS = {"conllu": ("DEPS", "MISC"), "conllx": ("PHEAD", "PDEPREL")}


def convert(
    items: Iterable[Item],
    path: str | Path,
    to: str,
    writer: Callable[[Iterable[Sentence], str], None] | None = None,
) -> Counter[str]:
    """Write sentences in one of the formats OUTPUTS, or with a writer in json, jsonl, csv or tsv; return what it has no
    room for, with the number of sentences that lost it. Comments that belong to no sentence, of which a pause may tell,
    count as those of one.

    text: the raw text, as MISC has its white space, with an empty line before `# newdoc` and `# newpar`.
    """
    if to not in OUTPUTS and writer is None:
        raise OptionError(f"unknown format {to!r}; the formats are: {', '.join(OUTPUTS)}")
    lost: Counter[str] = Counter()
    counted = _count_losses(items, to, lost)
    if writer is not None:
        writer(only_sentences(counted), str(path))
    elif to in FORMATS:
        write(counted, path, format=to)
    else:
        sentences = only_sentences(counted)
        with output(path) as out:
            for chunk in _write_text(sentences) if to == "text" else _write_words(sentences, to == "vertical"):
                out.write(chunk.encode())
    return lost


def _count_losses(items: Iterable[Item], to: str, lost: Counter[str]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Sentence) and item.format != to:
            lost.update(_find_losses(item, to))
        elif isinstance(item, Pause) and item.data.strip() and to != "conllu":
            lost["comments"] += 1
            continue
        yield item


def _find_losses(sentence: Sentence, to: str) -> Iterator[str]:
    """What a sentence has that the format has no room for."""
    if to in ("json", "jsonl"):
        return
    if to in ("csv", "tsv"):
        if any(not comment[1:].lstrip().startswith("sent_id") for comment in sentence.comments):
            yield "comments"
    elif sentence.comments:
        yield "comments"
    if sentence.multiword and to != "text":
        yield "multiword tokens"
    rows = sum(line[:1] not in (b"", b"#", b"\r") for line in sentence.to_bytes().split(b"\n"))
    if rows > len(sentence) + len(sentence.multiword):
        yield "empty nodes"
    if to in ("csv", "tsv"):
        return
    if to not in FORMATS:
        annotation = ("lemmas", "upos", "xpos", "feats", "labels")
        yield from (COLUMNS[NUMBERS[column]] for column in annotation if not sentence.lacks(column))
        if any(head is not None for head in sentence.heads):
            yield "HEAD"
    for column, name in zip(("deps", "misc"), LAST_COLUMNS[sentence.format], strict=True):
        if not sentence.lacks(column) and not (name == "MISC" and to == "text"):
            yield name
    if to == "horizontal" and any(len(word.split()) > 1 for word in sentence.words):
        yield "spaces inside of words"


def _write_words(sentences: Iterable[Sentence], vertical: bool) -> Iterator[str]:
    for sentence in sentences:
        yield "\n".join(sentence.words) + "\n\n" if vertical else " ".join(sentence.words) + "\n"


def _write_text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The space after the last token of a paragraph is the end of its line."""
    before = ""
    for sentence in sentences:
        if before.endswith(" ") and begins_paragraph(sentence):
            before = before[:-1] + "\n\n"
        yield before
        before = rebuild_text([sentence])
    yield before[:-1] + "\n" if before.endswith(" ") else before
