"""Parsing for the playground: texts to trees with confidence, trees parsed again around given arcs, and pictures."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from dodona.data import Sentence
from dodona.data.checks import check_columns
from dodona.data.formats import detect_format, read_stream
from dodona.data.marks import is_open, take_annotated_arcs, write_status
from dodona.data.stream import only_sentences
from dodona.data.trees import find_cycle
from dodona.drawing import svg_of, tikz_of
from dodona.errors import DodonaError, OptionError, TreeError
from dodona.parser.request import Analysis, Request, remove_notes, sentence_confidence
from dodona.pipeline.pipeline import Pipeline
from dodona.server.models import Models, divide

__all__ = ["CorrectRequest", "DrawRequest", "Name", "ParseRequest", "correct", "describe_models", "draw", "parse"]

MAX_TEXT, MAX_SENTENCES, MAX_WORDS, MAX_LABEL = 20_000, 200, 400, 60  # what the page gets at a time
MAX_TREES, BEAM = 10, 8
TREE_NEED = 512  # bytes for each word of a tree
INPUT = "text"  # what messages call the input
LOCATION = re.compile(rf"^{INPUT}:[0-9]+: ")
NUMBERS = re.compile(r"\b(?:word|HEAD) [0-9]+\b|\b[0-9]+(?: → [0-9]+)+")  # of words, in messages
NUMBER = re.compile(r"[0-9]+")

Text = Annotated[str, Meta(max_length=MAX_TEXT)]
Name = Annotated[str, Meta(max_length=100)]
WordNumber = Annotated[int, Meta(ge=0, le=MAX_WORDS)]
GivenArc = tuple[WordNumber, WordNumber, str | None]


class ParseRequest(Struct, kw_only=True):
    """A text, or CoNLL-U."""

    text: Text
    model: Name | None = None
    nbest: Annotated[int, Meta(ge=1, le=MAX_TREES, description="Trees for each sentence.")] = 1


class CorrectRequest(Struct, kw_only=True):
    """A sentence, and arcs that it shall have."""

    conllu: Text
    given: Annotated[list[GivenArc], Meta(max_length=MAX_WORDS, description="Word, head, and label or null.")]
    model: Name | None = None
    rest: Annotated[bool, Meta(description="Whether all other arcs are parsed again; else they stay.")] = True


class DrawRequest(Struct, kw_only=True):
    """A sentence with its tree."""

    conllu: Text
    format: Annotated[Literal["svg", "tikz"], Meta(description="svg: a picture; tikz: for LaTeX.")] = "svg"


def describe_models(models: Models) -> list[dict[str, Any]]:
    """Return what the page has to know about each model, the default first."""
    return [
        {
            "name": name,
            "system": nlp.parser.options.system,
            "labels": [label for label in nlp.parser.tree_labels if len(label) <= MAX_LABEL],
            "tokenizes": nlp.tokenizer is not None,
            "nbest": nlp.parser.has_beam,
            "beam": nlp.parser.options.beam > 1 or nlp.parser.options.scorer != "linear",
        }
        for name, nlp in models.pipelines.items()
    ]


def parse(request: ParseRequest, models: Models) -> dict[str, Any]:
    """Return the trees of a text, or of CoNLL-U, `nbest` for each sentence.

    A sentence of CoNLL-U whose tree is complete keeps it, and the model says how sure it is of each arc; those that a
    person has marked are given. Of one that is not complete, the arcs that are there are given.
    """
    name, nlp = models.pick(request.model)
    sentences, is_conllu = _read_input(nlp, request.text)
    wanted = _ask_for(nlp, request.nbest, constrained=is_conllu)
    trees = _parse_sentences(nlp, sentences, wanted)
    return {"model": name, "sentences": list(trees) if is_conllu else trees}  # given arcs may be wrong in any sentence


def _parse_sentences(nlp: Pipeline, sentences: list[Sentence], wanted: Request) -> Iterator[dict[str, Any]]:
    for portion in divide(sentences, nlp, TREE_NEED * wanted.nbest):
        given = [_list_arcs(sentence) for sentence in portion]
        complete = [_take_tree(sentence) for sentence in portion]
        for sentence, tree, analyses, arcs in zip(
            portion, complete, _analyse(nlp, portion, wanted), given, strict=True
        ):
            if tree is not None and not is_open(sentence):
                arcs.clear()
            shown = analyses if tree is None else [_judge(tree, analyses[0])]
            trees = [_tree(sentence, analysis) for analysis in shown]
            yield {"trees": trees, "given": arcs, "kept": tree is not None}


def _take_tree(sentence: Sentence) -> Analysis | None:
    """Take its tree from a sentence, so that it is parsed freely; none is taken if a head or a label is missing."""
    heads = [h for h in sentence.heads if h is not None]
    labels = sentence.labels
    if len(heads) < len(sentence) or any(label in ("_", "") for label in labels):
        return None
    tree = Analysis(heads, list(labels))
    _check_tree(sentence, heads)
    sentence.accept_heads([None] * len(sentence))
    sentence.labels = ["_"] * len(sentence)
    return tree


def _judge(tree: Analysis, parsed: Analysis) -> Analysis:
    """Return a tree with the confidence that a parse leaves for its arcs: where the parse has another arc, at most what
    that one lacks."""
    arcs = zip(tree.heads, tree.labels, parsed.heads, parsed.labels, parsed.confidence, strict=True)
    confidence = [sure if (h, label) == (g, other) else 1.0 - sure for h, label, g, other, sure in arcs]
    return Analysis(tree.heads, tree.labels, confidence=confidence)


def correct(request: CorrectRequest, models: Models) -> dict[str, Any]:
    """Return the tree of a sentence that has the `given` arcs. All other arcs are parsed again around them; without
    `rest` nothing is parsed."""
    name, nlp = models.pick(request.model)
    sentence = _read_with_arcs(request.conllu, request.given, blank=request.rest)
    if not request.rest:
        heads = [-1 if h is None else h for h in sentence.heads]
        _check_tree(sentence, heads)
        return {"model": name, "tree": _tree(sentence, Analysis(heads, sentence.labels))}
    remove_notes(sentence)
    comments = list(sentence.comments)
    sentence.set_comments(write_status(comments, None))  # given arcs count, whether they are marked or not
    ((analysis,),) = _analyse(nlp, [sentence], _ask_for(nlp, 1, constrained=True))
    sentence.set_comments(comments)
    return {"model": name, "tree": _tree(sentence, analysis)}


def draw(request: DrawRequest, models: Models) -> dict[str, Any]:
    """Return a sentence as `dodona draw` draws it."""
    sentence = _read_one(request.conllu)
    return {"picture": svg_of(sentence) if request.format == "svg" else tikz_of(sentence)}


def _read_input(nlp: Pipeline, text: str) -> tuple[list[Sentence], bool]:
    if not text.strip():
        raise OptionError("there is no text; write a sentence")
    form, _ = detect_format([text.encode()], INPUT)
    if form == "text" and nlp.tokenizer is None:
        raise OptionError("this model has no tokenizer; expected CoNLL-U")
    sentences = _read(text) if form == "conllu" else list(nlp.sentences([text]))
    if len(sentences) > MAX_SENTENCES:
        raise OptionError(f"{len(sentences)} sentences; the playground takes {MAX_SENTENCES} at a time")
    for number, sentence in enumerate(sentences, start=1):
        if len(sentence) > MAX_WORDS:
            words = len(sentence)
            raise OptionError(f"sentence {number} has {words} words; the playground takes sentences up to {MAX_WORDS}")
    return sentences, form == "conllu"


def _read(text: str) -> list[Sentence]:
    """Read CoNLL-U; what was copied from somewhere may lack the last line ends."""
    return list(only_sentences(read_stream("conllu", [text.rstrip("\r\n").encode(), b"\n\n"], INPUT)))


def _read_one(text: str) -> Sentence:
    sentences = _read(text.replace("\r\n", "\n"))
    if len(sentences) != 1:
        raise OptionError(f"{len(sentences)} sentences; expected one")
    (sentence,) = sentences
    if len(sentence) > MAX_WORDS:
        raise OptionError(f"{len(sentence)} words; the playground takes sentences up to {MAX_WORDS}")
    return sentence


def _list_arcs(sentence: Sentence) -> list[list[Any]]:
    """Return the arcs that the input has, as far as they are annotated: word, head, and label or null."""
    arcs = enumerate(zip(*take_annotated_arcs(sentence), strict=True), start=1)
    return [[d, h, None if label in ("_", "") else label] for d, (h, label) in arcs if h is not None]


def _ask_for(nlp: Pipeline, nbest: int, constrained: bool) -> Request:
    if nbest == 1:
        return Request(confidence=True, constrained=constrained)
    if not nlp.parser.has_beam:
        raise OptionError("the parser of this model has no beam, so that it finds one tree only")
    width = max(nlp.parser.options.beam, BEAM, nbest)
    return Request(width, nbest, confidence=True, constrained=constrained)


def _analyse(nlp: Pipeline, sentences: list[Sentence], wanted: Request) -> list[list[Analysis]]:
    try:
        nlp.parser.check(wanted)
        for sentence in sentences:
            remove_notes(sentence)
            check_columns(sentence, wanted.constrained)
        analyses = nlp.parser.analyses_of(sentences, wanted, nlp.tag(sentences))
        nlp.lemmatize(sentences)
        return analyses
    except DodonaError as error:
        raise OptionError(_explain(error, sentences)) from None


def _tree(sentence: Sentence, analysis: Analysis) -> dict[str, Any]:
    copy = sentence.copy()
    copy.accept_tree(analysis.heads, list(analysis.labels))
    confidence = [round(value, 4) for value in analysis.confidence]
    return {
        "text": sentence.text or " ".join(sentence.surface()),
        "words": sentence.words,
        "lemmas": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats,
        "heads": analysis.heads,
        "labels": analysis.labels,
        "multiword": [list(each) for each in sentence.multiword],
        "confidence": confidence,
        "mean": round(sentence_confidence(confidence), 4) if confidence else None,
        "score": round(analysis.score, 4),
        "conllu": copy.to_bytes().decode(),
    }


def _read_with_arcs(text: str, given: list[GivenArc], blank: bool) -> Sentence:
    """Read a sentence, and give it these arcs; with `blank`, it loses all others."""
    sentence = _read_one(text)
    n = len(sentence)
    heads: list[int | None] = [None] * n if blank else list(sentence.heads)
    before = ["_"] * n if blank else list(sentence.labels)
    labels = list(before)
    for d, h, label in given:
        if not (1 <= d <= n and 0 <= h <= n and h != d):
            raise TreeError(f"Word {d} cannot have the head {h}; expected another word from 0 to {n}")
        if label is not None and (not label or any(letter.isspace() for letter in label)):
            raise OptionError(f"given: expected a label without spaces, not {label[:MAX_LABEL]!r}")
        if label is not None and len(label) > MAX_LABEL:
            raise OptionError(f"given: a label of {len(label)} letters; expected at most {MAX_LABEL}")
        heads[d - 1], labels[d - 1] = h, label or before[d - 1]
    sentence.accept_heads(heads)  # a cycle is told with the words of the sentence
    sentence.labels = labels
    return sentence


def _check_tree(sentence: Sentence, heads: list[int]) -> None:
    for d, h in enumerate(heads, start=1):
        if h < 0:
            raise TreeError(f"Word “{sentence.words[d - 1]}” has no head yet; give it one, or parse the rest")
    cycle = find_cycle(heads)
    if cycle is not None:
        shown = " → ".join(f"“{sentence.words[k - 1]}”" for k in reversed([*cycle[1], cycle[1][0]]))
        raise TreeError(f"These arcs would form a cycle: {shown}")


def _explain(error: DodonaError, sentences: list[Sentence]) -> str:
    """Return a message for somebody who sees a sentence and no file: words by their forms."""
    if len(sentences) != 1:
        return str(error)
    words = ["ROOT", *(f"“{word}”" for word in sentences[0].words)]

    def name_word(match: re.Match[str]) -> str:
        number = int(match[0])
        return words[number] if number < len(words) else match[0]

    message = NUMBERS.sub(lambda match: NUMBER.sub(name_word, match[0]), LOCATION.sub("", str(error)))
    return message[:1].upper() + message[1:]
