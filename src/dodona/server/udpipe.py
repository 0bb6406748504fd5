"""The interface of UDPipe's REST service: the parameters of `/process`, and its answer.

A parameter counts if it is there, also without a value: `tokenizer` means raw text, `tagger` new tags and lemmas,
`parser` new trees. Options that Dodona does not know are ignored, as UDPipe ignores those that it does not know.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dodona import __version__
from dodona.data import Sentence
from dodona.data.conllu import read_chunks
from dodona.data.plain_text import read_plain_stream
from dodona.errors import OptionError
from dodona.pipeline.pipeline import Pipeline
from dodona.server.models import Models
from dodona.server.portions import checked_length, portions
from dodona.server.udpipe_formats import Spaces, check_output, presegmented, written

__all__ = ["process"]

INPUTS = ("conllu", "horizontal", "vertical")
FILLED_IN = ("lemmas", "upos", "xpos", "feats")
BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


def process(given: Mapping[str, str], models: Models) -> dict[str, Any]:
    """Return the answer to the parameters of a request: model, acknowledgements and result."""
    if "data" not in given:
        raise OptionError("The parameter 'data' is required.")
    name, pipeline = models.pick(given.get("model"))
    output = check_output(given.get("output", "conllu"))
    options = _options(given.get("tokenizer", ""))
    sentences = _sentences(pipeline, given, options)
    if "tagger" in given and pipeline.tagger is None:
        raise OptionError(f"The model {name!r} has no tagger.")
    analysed = _analysed(pipeline, sentences, "tagger" in given, "parser" in given)
    spaces = Spaces(ranges="ranges" in options, normalized="normalized_spaces" in options)
    result = "".join(written(analysed, output, spaces))
    if output == "conllu":
        result = _heading(name, pipeline) + result
    acknowledgements = [str(pipeline.about[key]) for key in ("data", "licence") if pipeline.about.get(key)]
    return {"model": name, "acknowledgements": acknowledgements, "result": result}


def _options(value: str) -> set[str]:
    """Return the names of options like `presegmented;ranges=1`."""
    return {option.partition("=")[0].strip() for option in value.split(";")}


def _heading(name: str, pipeline: Pipeline) -> str:
    licence = pipeline.about.get("licence")
    lines = [f"# generator = Dodona {__version__}", f"# udpipe_model = {name}"]
    if licence:
        lines.append(f"# udpipe_model_licence = {' '.join(str(licence).split())}")
    return "".join(f"{line}\n" for line in lines)


def _sentences(pipeline: Pipeline, given: Mapping[str, str], options: set[str]) -> Iterable[Sentence]:
    """Return the sentences of the data: tokenized, or read in a format that has words."""
    data = given["data"].removeprefix(BOM)
    if "tokenizer" in given:
        if "presegmented" in options:
            return map(checked_length, presegmented(pipeline, data))
        return pipeline.sentences([data], located="ranges" in options)
    form = given.get("input", "conllu").partition("=")[0]
    if form not in INPUTS:
        raise OptionError(f"Unknown input format {form[:40]!r}; the formats are: {', '.join(INPUTS)}.")
    lines = [data.replace("\r\n", "\n").encode()]  # forms are sent with CRLF, whatever their text had
    if form == "conllu":
        return map(checked_length, read_chunks(lines, "data"))
    items = read_plain_stream(lines, "data", vertical=form == "vertical")
    return (checked_length(item) for item in items if isinstance(item, Sentence))


def _analysed(pipeline: Pipeline, sentences: Iterable[Sentence], tag: bool, parse: bool) -> Iterator[Sentence]:
    """Do what was asked for, and nothing else: also where trees need tags, these stay out of the result."""
    for portion in portions(sentences):
        if parse:
            lacking = [[name for name in FILLED_IN if not tag and each.lacks(name)] for each in portion]
            for sentence, names in zip(pipeline.parse(portion, retag=tag), lacking, strict=True):
                for name in names:
                    sentence.accept_column(name, ["_"] * len(sentence))
        elif tag:
            pipeline.tag(portion, retag=True)
            if pipeline.parser.model.retags:
                portion = pipeline.parser.predict_tags(portion)
        yield from portion
