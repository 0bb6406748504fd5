"""The interface of UDPipe's REST service: the parameters of `/process`, its formats, and its answer.

A parameter counts if it is there, also without a value: `tokenizer` means raw text, `tagger` new tags and lemmas,
`parser` new trees. Options that Dodona does not know are ignored, as UDPipe ignores those that it does not know.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from dodona import __version__
from dodona.data import Sentence, characters
from dodona.data.formats import read_stream
from dodona.data.spacing import rebuild_text
from dodona.data.stream import only_sentences
from dodona.errors import OptionError
from dodona.pipeline.pipeline import Pipeline
from dodona.server.models import ModelName, Models, check_length, count_words, divide

__all__ = ["ProcessRequest", "ProcessedText", "process"]

INPUTS = ("conllu", "horizontal", "vertical")
OUTPUTS = ("conllu", "horizontal", "vertical", "plaintext")
PREDICTED = ("lemmas", "upos", "xpos", "feats")
ID, MISC = 0, 9
BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
NO_BREAK = "\N{NO-BREAK SPACE}"
LINE = re.compile(r"[^\n]*\n|[^\n]+")
BLANKS = re.compile(f"[{characters.BLANKS}]+")
SPACES = ("SpacesAfter=", "SpacesBefore=", "SpacesInToken=")


class ProcessRequest(Struct, kw_only=True):
    """The parameters."""

    data: Annotated[str, Meta(description="The text, or sentences in the format of `input`. Required.")]
    model: ModelName = None
    tokenizer: Annotated[
        str | None,
        Meta(
            description="If it is there, also without a value: `data` is raw text. Options, separated by `;`: "
            "`presegmented` (a sentence a line), `ranges` (the place of each token in MISC), `normalized_spaces`."
        ),
    ] = None
    tagger: Annotated[
        str | None, Meta(description="If it is there: predict tags and lemmas; they replace those of the input.")
    ] = None
    parser: Annotated[
        str | None, Meta(description="If it is there: predict trees; they replace those of the input.")
    ] = None
    input: Annotated[
        str, Meta(description="The format of `data` without `tokenizer`: `conllu`, `horizontal` or `vertical`.")
    ] = "conllu"
    output: Annotated[
        str, Meta(description="The format of the result: `conllu`, `horizontal`, `vertical` or `plaintext`.")
    ] = "conllu"


if TYPE_CHECKING:
    TextParts = Iterable[str]
else:
    TextParts = str


class ProcessedText(Struct):
    """The result, made while it is read, and the training data and licence of the model."""

    model: str
    acknowledgements: list[str]
    result: TextParts


def process(request: ProcessRequest, models: Models) -> ProcessedText:
    name, pipeline = models.pick(request.model)
    output = _check_output(request.output)
    options = {option.partition("=")[0].strip() for option in (request.tokenizer or "").split(";")}
    sentences = _read_sentences(pipeline, request, options)
    tag, parse = request.tagger is not None, request.parser is not None
    if tag and pipeline.tagger is None:
        raise OptionError(f"The model {name!r} has no tagger.")
    if request.tokenizer is None or "presegmented" in options:
        count_words(sentences)
        sentences = _read_sentences(pipeline, request, options)
    result = write(_analyse(pipeline, sentences, tag, parse), output, options)
    if output == "conllu":
        result = chain([_write_heading(name, pipeline)], result)
    acknowledgements = [str(pipeline.about[key]) for key in ("data", "licence") if pipeline.about.get(key)]
    return ProcessedText(name, acknowledgements, result)


def _check_output(given: str) -> str:
    """Return the name of an output format, without its options."""
    name = given.partition("=")[0]
    if name not in OUTPUTS or given == "conllu=v1":
        raise OptionError(f"Unknown output format {given[:40]!r}; the formats are: {', '.join(OUTPUTS)}.")
    return name


def _write_heading(name: str, pipeline: Pipeline) -> str:
    licence = pipeline.about.get("licence")
    lines = [f"# generator = Dodona {__version__}", f"# udpipe_model = {name}"]
    if licence:
        lines.append(f"# udpipe_model_licence = {' '.join(str(licence).split())}")
    return "".join(f"{line}\n" for line in lines)


def _read_sentences(pipeline: Pipeline, request: ProcessRequest, options: set[str]) -> Iterable[Sentence]:
    """Return the sentences of the data: tokenized, or read in a format that has words."""
    data = request.data.removeprefix(BOM)
    if request.tokenizer is not None:
        if "presegmented" in options:
            return map(check_length, _tokenize_lines(pipeline, data))
        return pipeline.sentences([data], located="ranges" in options)
    form = request.input.partition("=")[0]
    if form not in INPUTS:
        raise OptionError(f"Unknown input format {form[:40]!r}; the formats are: {', '.join(INPUTS)}.")
    lines = [data.replace("\r\n", "\n").encode()]  # forms are sent with CRLF, whatever their text had
    return map(check_length, only_sentences(read_stream(form, lines, "data")))


def _analyse(pipeline: Pipeline, sentences: Iterable[Sentence], tag: bool, parse: bool) -> Iterator[Sentence]:
    """Do what was asked for, and nothing else: also where trees need tags, these stay out of the result."""
    for portion in divide(sentences, pipeline):
        if parse:
            kept = [{} if tag else _keep_columns(each) for each in portion]
            for sentence, columns in zip(pipeline.parse(portion, retag=tag), kept, strict=True):
                for name, values in columns.items():
                    sentence.accept_column(name, values)
        elif tag:
            pipeline.tag(portion, retag=True)
            if pipeline.parser.model.retags:
                portion = pipeline.parser.predict_tags(portion)
            pipeline.lemmatize(portion, retag=True)
        yield from portion


def _keep_columns(sentence: Sentence) -> dict[str, list[str]]:
    """Return the columns that may change when a tree needs tags: without UPOS a tagger predicts all tags."""
    names = PREDICTED if sentence.lacks("upos") else [name for name in PREDICTED if sentence.lacks(name)]
    return {name: list(getattr(sentence, name)) for name in names}


def write(sentences: Iterable[Sentence], output: str, options: set[str]) -> Iterator[str]:
    """Yield the sentences in an output format, with the options of the tokenizer. Spaces inside of words would be taken
    for ends of words, so they become no-break spaces where words are separated by spaces."""
    for sentence in sentences:
        if output == "conllu":
            yield _write_conllu(sentence, options)
        elif output == "horizontal":
            yield " ".join(word.replace(" ", NO_BREAK) for word in sentence.words) + "\n"
        elif output == "vertical":
            yield "\n".join(sentence.words) + "\n\n"
        else:
            yield rebuild_text([sentence])


def _write_conllu(sentence: Sentence, options: set[str]) -> str:
    text = sentence.to_bytes().decode()
    if not options.isdisjoint(("ranges", "normalized_spaces")):
        text = "\n".join(_respace(text.split("\n"), sentence.offsets, options))
    return text if text.endswith(("\n\n", "\n\r\n")) else text.rstrip("\r\n") + "\n\n"


def _respace(lines: Iterable[str], offsets: list[tuple[int, int]] | None, options: set[str]) -> Iterator[str]:
    """Yield the lines of a sentence with another MISC: with places in the text, or without its white space. Only tokens
    have a place: a multiword token has one, and its words have none."""
    inside = 0
    for line in lines:
        columns = line.split("\t")
        if len(columns) <= MISC or line.startswith("#"):
            yield line
            continue
        first, _, last = columns[ID].partition("-")
        notes = [note for note in columns[MISC].split("|") if note != "_"]
        if "normalized_spaces" in options:
            notes = [note for note in notes if not note.startswith(SPACES)]
        if "ranges" in options and offsets is not None and first.isdecimal() and int(first) > inside:
            begin, end = offsets[int(first) - 1][0], offsets[int(last or first) - 1][1]
            notes.append(f"TokenRange={begin}:{end}")
        if last:
            inside = int(last)
        columns[MISC] = "|".join(notes) or "_"
        yield "\t".join(columns)


def _tokenize_lines(pipeline: Pipeline, text: str) -> Iterator[Sentence]:
    """Tokenize a text whose lines are sentences; an empty line ends a paragraph."""
    number = begin = 0
    comments = ["# newdoc"]
    for line in LINE.findall(text):
        parts = list(pipeline.sentences([line], located=True))
        if parts:
            number += 1
            yield _join(parts, [*comments, f"# sent_id = {number}"], begin)
            comments = []
        elif number:
            comments = ["# newpar"]
        begin += len(line)


def _join(parts: list[Sentence], comments: list[str], begin: int) -> Sentence:
    """Return one sentence of what the tokenizer took for several, in a line that begins there in the text."""
    rows: list[str] = []
    words = 0
    for part in parts:
        for line in part.to_bytes().decode().split("\n"):
            if line and not line.startswith("#"):
                numbers, tab, rest = line.partition("\t")
                moved = "-".join(str(int(number) + words) for number in numbers.split("-"))
                rows.append(moved + tab + rest)
        words += len(part)
    text = BLANKS.sub(" ", rebuild_text(parts)).strip()
    block = "\n".join([*comments, f"# text = {text}", *rows, "", ""])
    (joined,) = only_sentences(read_stream("conllu", [block.encode()], "data"))
    joined.offsets = [(begin + a, begin + b) for part in parts for a, b in part.offsets or ()]
    return joined
