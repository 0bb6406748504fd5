"""The models that a server offers, the names by which requests select them, and whole texts annotated by them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct

from dodona.data import Sentence
from dodona.data.dictionary import NODE, RANGE, SENTENCE, TOKEN
from dodona.data.formats import read_stream
from dodona.data.stream import only_sentences
from dodona.errors import OptionError
from dodona.parser.request import Request
from dodona.pipeline.models import load, model_names, model_path
from dodona.pipeline.pipeline import Pipeline
from dodona.server.log import note
from dodona.server.requests import NoFields
from dodona.transitions.clock import look

__all__ = [
    "WORD_NEEDS", "AnnotateRequest", "AnnotatedText", "ModelList", "ModelName", "Models", "annotate", "check_length",
    "claiming", "count_words", "divide", "list_models",
]  # fmt: skip

SHOWN_LETTERS = 40  # of a name from outside, in a message
PORTION = 4096  # words that are parsed together
MAX_SENTENCES = 1024  # and sentences: each takes memory of its own, as much as a few dozen words
LONG_TEXT = 100_000  # letters of a sentence that begins a portion
SENTENCE_NEED = 4 << 10  # bytes that a sentence takes while it is worked on
WORD_NEEDS = {"linear": 2 << 10, "neural": 21 << 9}  # and a word, by the model of the parser
USUAL_LETTERS, LETTER_NEED = 16, 24  # of a word, and bytes for each letter beyond them
MAX_WORDS = 10_000  # in a sentence; the tokenizer makes no longer ones
INPUTS = ("text", "words", "conllu")


ModelName = Annotated[
    str | None, Meta(description="The name of a model, or its beginning up to a hyphen; without it, the default model.")
]


class ModelList(Struct):
    """The models by name, each with its components in UDPipe's words, where the lemmatizer belongs to the tagger."""

    models: dict[str, list[str]]
    default_model: str


class AnnotateRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A text, words or CoNLL-U."""

    text: Annotated[str | None, Meta(description="Raw text. Either this, or `words`, or `conllu`.")] = None
    words: Annotated[list[list[str]] | None, Meta(description="Sentences that are lists of words.")] = None
    conllu: Annotated[
        str | None, Meta(description="Sentences in CoNLL-U; the tags and lemmas that it has are kept.")
    ] = None
    model: ModelName = None
    confidence: Annotated[bool, Meta(description="Add the confidence of each arc.")] = False
    constrained: Annotated[bool, Meta(description="Keep the heads and labels of the CoNLL-U.")] = False
    retag: Annotated[bool, Meta(description="Replace the tags and lemmas of the CoNLL-U.")] = False


if TYPE_CHECKING:
    SentenceFields = dict[str, Any]
    SentenceList = Iterable[SentenceFields]
else:

    def _define(name: str, keys: Iterable[str], **kinds: Any) -> type[Struct]:
        return msgspec.defstruct(name, [(key, kinds.get(key, Any)) for key in keys])

    SentenceFields = _define(
        "Sentence",
        SENTENCE,
        tokens=list[_define("Token", TOKEN)],
        multiword=list[_define("Range", RANGE)],
        empty=list[_define("Node", NODE)],
    )

    SentenceList = list[SentenceFields]


class AnnotatedText(Struct):
    """The sentences, as `Sentence.to_dict` gives them, made while they are read."""

    model: str
    sentences: SentenceList


class Models:
    """Pipelines by name; the first one is the default.

    A request may also give one of the other names of a model, or the beginning of a name up to a hyphen, as with
    UDPipe's service: `english` and `english-ewt` select `english-ewt-ud-2.15`. The first model that fits is taken.
    """

    def __init__(self, pipelines: Mapping[str, Pipeline], others: Mapping[str, str] | None = None) -> None:
        if not pipelines:
            raise OptionError("no model; expected at least one")
        self.pipelines = dict(pipelines)
        self.default = next(iter(self.pipelines))
        self._names = {name: name for name in self.pipelines}
        self._names |= dict(others or {})
        for name, model in list(self._names.items()):
            parts = name.split("-")
            for end in range(len(parts) - 1, 0, -1):
                self._names.setdefault("-".join(parts[:end]), model)

    @classmethod
    def load(cls, wanted: Sequence[str]) -> "Models":
        """Load models, each given as a name, a file or `NAME[:NAME…]=FILE`; without any, those of Dodona."""
        pipelines: dict[str, Pipeline] = {}
        others: dict[str, str] = {}
        for given in wanted or model_names():
            names, file = _split_names(given)
            for name in names:
                if name in pipelines or name in others:
                    raise OptionError(f"two models of the name {name!r}; expected NAME=FILE with other names")
            pipelines[names[0]] = load(file)
            others |= dict.fromkeys(names[1:], names[0])
        return cls(pipelines, others)

    def pick(self, name: str | None = None) -> tuple[str, Pipeline]:
        """Return the name and the pipeline of the model that a request asks for; without a name, of the default."""
        model = self.default if name is None else self._names.get(name)
        if model is None:
            shown = name if name is None or len(name) <= SHOWN_LETTERS else f"{name[:SHOWN_LETTERS]}…"
            raise OptionError(f"there is no model {shown!r}; the models are: {', '.join(self.pipelines)}")
        note(model=model)
        return model, self.pipelines[model]


def _split_names(given: str) -> tuple[list[str], Path]:
    """Return the names and the file of a model; a file gets its own name, without `.model`."""
    names, equals, file = given.partition("=")
    if not equals or Path(given).exists():
        path = model_path(given)
        return [path.name.removesuffix(".model")], path
    several = names.split(":")
    if not file or not all(name and name.isprintable() and " " not in name for name in several):
        raise OptionError(f"{given!r}: expected NAME=FILE or NAME:NAME=FILE, with names without spaces")
    return several, model_path(file)


def list_models(request: NoFields, models: Models) -> ModelList:
    """Return the components of each model, and the name of the default."""
    return ModelList(
        {name: [part for part in nlp.components() if part != "lemmatizer"] for name, nlp in models.pipelines.items()},
        models.default,
    )


def annotate(request: AnnotateRequest, models: Models) -> AnnotatedText:
    """Return the sentences of a text, of lists of words, or of CoNLL-U, with everything that the model predicts."""
    name, pipeline = models.pick(request.model)
    wanted = Request(confidence=request.confidence, constrained=request.constrained)
    pipeline.parser.check(wanted)
    if request.text is None:
        count_words(_read_sentences(pipeline, request))
    parses = (
        parsed.to_dict()
        for portion in divide(_read_sentences(pipeline, request), pipeline)
        for parsed in pipeline.parse(portion, wanted, retag=request.retag)
    )
    return AnnotatedText(name, parses)


def _read_sentences(pipeline: Pipeline, request: AnnotateRequest) -> Iterable[Sentence]:
    given = [name for name in INPUTS if getattr(request, name) is not None]
    if len(given) != 1:
        raise OptionError(f"{' and '.join(given) or 'nothing to parse'}; expected one of: {', '.join(INPUTS)}")
    if request.text is not None:
        return pipeline.sentences([request.text], located=True)
    if request.conllu is not None:
        return map(check_length, only_sentences(read_stream("conllu", [request.conllu.encode()], "conllu")))
    return (check_length(Sentence.from_words(words)) for words in request.words or ())


def count_words(sentences: Iterable[Sentence]) -> int:
    """Read all sentences once, and keep none. Whatever is wrong with one is told before an answer begins."""
    total = 0
    for sentence in sentences:
        look(0.0)
        total += len(sentence)
    return total


def check_length(sentence: Sentence) -> Sentence:
    if len(sentence) > MAX_WORDS:
        raise OptionError(f"A sentence of {len(sentence):,} words; expected at most {MAX_WORDS:,}.")
    return sentence


_claim: ContextVar[Callable[[int], None]] = ContextVar("claim", default=lambda count: None)


@contextmanager
def claiming(claim: Callable[[int], None]) -> Iterator[None]:
    """Let `divide` ask for the memory of each portion by this function, which returns when it is there."""
    token = _claim.set(claim)
    try:
        yield
    finally:
        _claim.reset(token)


def divide(sentences: Iterable[Sentence], pipeline: Pipeline | None = None, more: int = 0) -> Iterator[list[Sentence]]:
    """Yield a few sentences at a time, counted by words: the memory that a model needs grows with them, and is there
    when they are yielded; `more` bytes a word are for what is made of them. A list is emptied when the next one is
    asked for.

    Between two sentences the time may end.
    """
    need = WORD_NEEDS[pipeline.parser.options.scorer if pipeline is not None else "linear"] + more
    portion: list[Sentence] = []
    words = letters = 0

    def claim() -> None:
        beyond = max(0, letters - USUAL_LETTERS * words)
        _claim.get()(len(portion) * SENTENCE_NEED + words * need + beyond * LETTER_NEED)
        note(sentences=len(portion), words=words)

    for sentence in sentences:
        look(0.0)
        size = sum(map(len, sentence.words))
        is_long = size > LONG_TEXT  # a single word may be: two such sentences are not worked on together
        if portion and (words + len(sentence) > PORTION or len(portion) >= MAX_SENTENCES or is_long):
            claim()
            yield portion
            portion.clear()  # whoever has asked for more may hold the list still
            words = letters = 0
        portion.append(sentence)
        words += len(sentence)
        letters += size
    if portion:
        claim()
        yield portion
