"""Whole texts as JSON, for programs: sentences with all columns, as `Sentence.to_dict` gives them."""

from collections.abc import Iterable
from typing import Any

from dodona.data import Sentence
from dodona.data.conllu import read_conllu
from dodona.data.stream import only_sentences
from dodona.errors import OptionError
from dodona.parser.request import Request
from dodona.pipeline.pipeline import Pipeline
from dodona.server.models import Models
from dodona.server.playground_requests import Fields, quoted
from dodona.server.portions import checked_length, portions

__all__ = ["annotate"]

INPUTS = ("text", "words", "conllu")
FIELDS = (*INPUTS, "model", "confidence", "constrained", "retag")
MOST = 1 << 24  # characters or sentences; the size of the request is the real limit


def annotate(request: dict[str, Any], models: Models) -> dict[str, Any]:
    """Return the sentences of a text, of lists of words, or of CoNLL-U, with everything that the model predicts."""
    fields = Fields(request)
    unknown = [name for name in request if name not in FIELDS]
    if unknown:
        raise OptionError(f"unknown field {quoted(unknown[0])}; the fields are: {', '.join(FIELDS)}")
    name, pipeline = models.pick(fields.name("model"))
    wanted = Request(confidence=fields.flag("confidence", False), constrained=fields.flag("constrained", False))
    retag = fields.flag("retag", False)
    sentences = _sentences(pipeline, fields)
    found = [
        parsed.to_dict() for portion in portions(sentences) for parsed in pipeline.parse(portion, wanted, retag=retag)
    ]
    return {"model": name, "sentences": found}


def _sentences(pipeline: Pipeline, fields: Fields) -> Iterable[Sentence]:
    given = [name for name in INPUTS if fields.has(name)]
    if len(given) != 1:
        raise OptionError(f"{' and '.join(given) or 'nothing to parse'}; expected one of: {', '.join(INPUTS)}")
    if given == ["text"]:
        return pipeline.sentences([fields.text("text", MOST)], located=True)
    if given == ["conllu"]:
        return map(checked_length, only_sentences(read_conllu([fields.text("conllu", MOST).encode()], "conllu")))
    return [checked_length(_sentence(words)) for words in fields.values("words", MOST)]


def _sentence(words: Any) -> Sentence:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise OptionError(f"words: expected a list of sentences, each a list of words, not {quoted(words)}")
    return Sentence.from_words(words)
