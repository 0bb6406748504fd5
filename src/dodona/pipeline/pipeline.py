"""The pipeline: tokenizer, tagger, lemmatizer and parser in one model file. Each fills in what the input lacks."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import is_
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, overload

from numpy.typing import NDArray

from dodona.component import Component
from dodona.data import Document, Sentence
from dodona.data.checks import check_columns
from dodona.data.marks import MENTIONS, release
from dodona.data.other_names import public_names
from dodona.data.storage import select_lacking, select_listed, select_mentioning
from dodona.data.stream import BATCH, Boundary, Item, Mark, interleave, only_sentences, split_batches
from dodona.errors import FormatError, OptionError
from dodona.lemmatizer.lemmatizer import Lemmatizer
from dodona.parser.parser import Parser
from dodona.parser.request import Request
from dodona.pipeline import modelfile
from dodona.tagger.tagger import Tagger
from dodona.tokenizer.tokenizer import Tokenizer

__all__ = ["COMPONENTS", "Pipeline", "Source", "check_jobs", "collect_rarely", "describe"]


def _check_text(text: Any, hint: str = "") -> None:
    """Raise an error unless this is a string; the hint is for one that is a collection."""
    if isinstance(text, str):
        return
    if isinstance(text, bytes | bytearray):
        hint = "decode it first, with `.decode()`"
    elif isinstance(text, Sentence | Document):
        hint = "for sentences: `nlp.parse(sentences)`"
    elif not isinstance(text, list | tuple | set | Iterator):
        hint = ""
    raise OptionError(f"{_show(text)}; expected a text, as a string{f' ({hint})' if hint else ''}")


def _check_texts(texts: Any) -> None:
    """Raise an error unless this may be several texts: a string is one, and its letters are none."""
    if isinstance(texts, str):
        raise OptionError("one text; expected several texts (for one: `nlp(text)`)")
    if isinstance(texts, bytes | bytearray | Sentence | Document) or not hasattr(texts, "__iter__"):
        raise OptionError(f"{_show(texts)}; expected several texts, as strings")


def _check_pairs(texts: Iterable[Any], as_tuples: bool) -> Iterator[tuple[str, Any]]:
    """Yield pairs of texts and contexts, each checked when it is taken."""
    for number, item in enumerate(texts, start=1):
        if not as_tuples:
            text, context, hint = item, None, "one item for each text"
            if isinstance(item, tuple):
                hint = "for pairs (text, context): `as_tuples=True`"
        elif isinstance(item, list | tuple) and len(item) == 2:
            (text, context), hint = item, ""
        else:
            raise OptionError(f"item {number}: {_show(item)}; with `as_tuples` expected a pair (text, context)")
        try:
            _check_text(text, hint)
        except OptionError as error:
            raise OptionError(f"item {number}: {error}") from None
        yield text, context


def _check_sentences(sentences: Any) -> None:
    if isinstance(sentences, str):
        raise OptionError(f"{_show(sentences)}; expected sentences (for a text: `nlp(text)`)")
    if isinstance(sentences, Sentence):
        raise OptionError("one sentence; expected several (for one: `nlp.parse([sentence])`)")
    if isinstance(sentences, bytes | bytearray) or not hasattr(sentences, "__iter__"):
        raise OptionError(f"{_show(sentences)}; expected sentences, from `dodona.read` for example")


def _check_items(items: Iterable[Any]) -> None:
    for item in items:
        if not isinstance(item, Sentence | Mark):
            hint = " (for texts: `nlp.pipe(texts)`)" if isinstance(item, str) else ""
            raise OptionError(f"{_show(item)}; expected sentences{hint}")


def _show(value: Any) -> str:
    if value is None:
        return "None"
    shown = repr(value)
    return f"{shown if len(shown) <= 40 else shown[:37] + '...'} of type {type(value).__name__}"


def check_jobs(number: int, name: str = "jobs") -> None:
    if not isinstance(number, int) or number < 1:
        raise OptionError(f"{name} {number!r}: expected at least 1")


def describe(pipeline: "Pipeline") -> dict[str, str]:
    """Return the description line by line: names and values."""
    parser = pipeline.parser
    options = parser.options
    how = options.update if options.scorer == "linear" else "log likelihood"
    beam_update = "early update" if options.early_update else "max-violation"
    rows = {
        "scorer": options.scorer,
        "components": ", ".join(pipeline.components()),
        "system": " ".join([str(options.system), *(f"{k}={v}" for k, v in options.system_options.items())]),
        "oracle": options.oracle,
        "training": f"{options.iterations} iterations, {how}, seed {options.seed}",
        "beam": f"{options.beam}, {beam_update}" if options.beam > 1 else None,
        "exploration": f"after {options.explore_after}, p = {options.explore}" if options.oracle == "dynamic" else None,
        "templates": options.templates,
        "network": None,
        "positions": options.positions,
        "word vectors": None,
        "encoder": None,
        "encoder digest": None,
        "tags": None,
        "non-projective": options.nonprojective,
        "roots": "exactly one" if options.single_root else "any number",
        "labels": f"{len(parser.labels)}: {' '.join(parser.labels)}",
    }
    if parser.model.retags:
        tags = "those of the network replace the tagger's"
        rows["tags"] = f"{tags}, which it prefers by {bonus:g}" if (bonus := parser.model.tagger_bonus) else tags
    if (network := options.network) is not None:
        rows["network"] = f"{network.layers} layers of {network.width} in each direction, {network.units} hidden units"
        rows["word vectors"] = f"{len(parser.model.arrays['vectors']):,} words"
    if (teacher := options.transformer) is not None:
        encoder = parser.model.description()["encoder"]
        rows["network"] = f"an encoder, an LSTM of {teacher.width} in each direction, {teacher.units} hidden units"
        rows["encoder"] = f"{encoder['name']}, licence: {encoder['licence']}"
        rows["encoder digest"] = f"SHA-256 {encoder['digest']}"
    rows |= {key: value for key, value in pipeline.about.items() if key not in rows}
    return {key: _format_value(value) for key, value in rows.items() if value is not None}


def _format_value(value: object) -> str:
    return " ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


HIDDEN = frozenset({"stream", "tokenize"})  # for commands and servers
NEW_OBJECTS = 100_000  # between two searches for garbage
NO_TOKENIZER = "this model has no tokenizer; expected CoNLL-U or words that are separated already"
T = TypeVar("T")
COMPONENTS: dict[str, Any] = {"tokenizer": Tokenizer, "tagger": Tagger, "lemmatizer": Lemmatizer, "parser": Parser}


class Source(NamedTuple):
    """Where a pipeline is from: a model that has a name. A pipeline that was changed since is another one."""

    name: str
    digest: str
    components: tuple[Component[Any], ...]
    about: dict[str, Any]

    def fits(self, pipeline: "Pipeline") -> bool:
        now = tuple(pipeline.components().values())
        same = len(now) == len(self.components) and all(map(is_, now, self.components))
        return same and pipeline.about == self.about


class Pipeline:
    """A trained pipeline, returned by `dodona.train` or `dodona.load`. All components but the parser are optional.

    Threads may share a pipeline.
    """

    def __init__(
        self,
        parser: Parser,
        tagger: Tagger | None = None,
        lemmatizer: Lemmatizer | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.parser, self.tagger, self.lemmatizer, self.tokenizer = parser, tagger, lemmatizer, tokenizer
        self.about: dict[str, Any] = {}
        self.source: Source | None = None

    def __call__(self, text: str, request: Request | None = None) -> Document:
        """Tokenize a text, and tag, lemmatize and parse its sentences."""
        _check_text(text, "for several texts: `nlp.pipe(texts)`")
        items = self.stream(self.tokenize([text] if text else [], located=True), request)
        return Document.from_parsed(list(only_sentences(items)), text)

    def sentences(self, chunks: Iterable[str], located: bool = False) -> Iterator[Sentence]:
        """Tokenize a text that is given in chunks; with `located`, sentences have the offsets of their words."""
        return only_sentences(self.tokenize(filter(None, chunks), located))

    def tokenize(
        self, chunks: Iterable[str], located: bool = False, by_line: bool = False, name: str | None = None
    ) -> Iterator[Item]:
        """Tokenize a text that is given in chunks, of which an empty one is a pause: see `Tokenizer.stream`."""
        if self.tokenizer is None:
            raise OptionError(NO_TOKENIZER)
        return self.tokenizer.stream(chunks, located, by_line, name)

    def parse(
        self, sentences: Iterable[Sentence], request: Request | None = None, retag: bool = False, jobs: int = 1
    ) -> Iterator[Sentence]:
        """Fill in missing tags and lemmas, and heads and labels in any case; in place.

        A sentence with any UPOS keeps its tags, and one with any lemma its lemmas, unless `retag` is set. With `jobs`,
        that many threads parse.
        """
        _check_sentences(sentences)
        check_jobs(jobs)
        return only_sentences(self.stream(sentences, request, retag, jobs=jobs))

    def stream(
        self, items: Iterable[Item], request: Request | None = None, retag: bool = False, batch: int = BATCH,
        jobs: int = 1,
    ) -> Iterator[Item]:  # fmt: skip
        """Like `parse`, for sentences with marks between them, `batch` sentences at a time; a pause ends a batch.

        With `jobs`, that many threads parse.
        """
        if jobs > 1:
            from dodona.pipeline.threads import work_in_threads  # which takes longer to import than a sentence to parse

            yield from work_in_threads(lambda some: list(self._parse_batch(some, request, retag)), items, jobs, batch)
            return
        for some, pause in split_batches(items, batch):
            yield from self._parse_batch(some, request, retag)
            if pause is not None:
                yield pause

    def _parse_batch(self, items: list[Item], request: Request | None, retag: bool) -> Iterator[Item]:
        sentences = list(only_sentences(items))
        if len(sentences) < len(items):
            _check_items(items)
        constrained = request is not None and request.constrained
        for sentence in sentences if constrained else select_listed(sentences):
            check_columns(sentence, constrained)
        tagged = self.tag(sentences, retag)
        for sentence in select_mentioning(sentences, MENTIONS) if retag else ():
            release(sentence, "upos", "feats", "lemma")
        parsed = self.lemmatize(list(self.parser.apply(sentences, request=request, tagged=tagged)), retag)
        return iter(parsed) if len(sentences) == len(items) else interleave(items, parsed)

    @overload
    def pipe(
        self, texts: Iterable[str], request: Request | None = ..., *, batch: int = ..., jobs: int = ...,
        as_tuples: Literal[False] = ...,
    ) -> Iterator[Document]: ...  # fmt: skip
    @overload
    def pipe(
        self, texts: Iterable[tuple[str, T]], request: Request | None = ..., *, batch: int = ..., jobs: int = ...,
        as_tuples: Literal[True],
    ) -> Iterator[tuple[Document, T]]: ...  # fmt: skip
    def pipe(
        self,
        texts: Iterable[Any],
        request: Request | None = None,
        *,
        batch: int = BATCH,
        jobs: int = 1,
        as_tuples: bool = False,
    ) -> Iterator[Any]:
        """Yield for each text the document that `nlp(text)` returns, in order, as soon as it is ready.

        Sentences of several texts are parsed together, `batch` at a time, which is faster for short texts; so a few
        texts are read ahead. With `as_tuples`, `texts` are pairs (text, context), and so are the results. With `jobs`,
        that many threads parse.
        """
        check_jobs(jobs)
        check_jobs(batch, "batch")
        _check_texts(texts)
        return self._pipe(_check_pairs(texts, as_tuples), batch, jobs, as_tuples, request)

    def _pipe(
        self, pairs: Iterable[tuple[str, Any]], batch: int, jobs: int, as_tuples: bool, request: Request | None
    ) -> Iterator[Any]:
        sentences: list[Sentence] = []
        for item in self.stream(self._tokenize_all(pairs), request, batch=batch, jobs=jobs):
            if isinstance(item, Sentence):
                sentences.append(item)
            elif isinstance(item, Boundary):
                text, context = item.value
                document = Document.from_parsed(sentences, text)
                yield (document, context) if as_tuples else document
                sentences = []

    def _tokenize_all(self, pairs: Iterable[tuple[str, Any]]) -> Iterator[Item]:
        for pair in pairs:
            yield from self.tokenize([pair[0]] if pair[0] else [], located=True)  # an empty chunk would be a pause
            yield Boundary(pair)

    def tag(self, batch: Sequence[Sentence], retag: bool = False) -> set[int]:
        """Fill in missing tags, in place, as the parser reads them; returns the `id` of the sentences that were tagged.

        A parser that predicts better tags replaces those of these sentences when it has parsed them.
        """
        if self.tagger is None:
            return set()
        sentences = list(batch)
        return set(map(id, self.tagger.apply(sentences if retag else select_lacking(sentences, "upos"))))

    def lemmatize(self, batch: list[Sentence], retag: bool = False) -> list[Sentence]:
        """Fill in missing lemmas, in place, by the tags that sentences have now: when nobody replaces them any more."""
        if self.lemmatizer is not None:
            self.lemmatizer.apply(batch if retag else select_lacking(batch, "lemmas"))
        return batch

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """Return UAS and LAS in percent on gold trees, with the tags of these sentences."""
        return self.parser.scores(gold)

    def components(self) -> dict[str, Component[Any]]:
        """Return the components by name, in the order in which they are trained. The lemmatizer is applied last,
        because it reads tags, which the parser may replace."""
        components = {name: getattr(self, name) for name in COMPONENTS}
        return {name: component for name, component in components.items() if component is not None}

    def _repr_html_(self) -> str:
        from dodona.tables import Table

        return Table(("", ""), list(describe(self).items()), "A pipeline", align="ll").html()

    def __dir__(self) -> list[str]:
        return public_names(self, HIDDEN) + [name for name in vars(self) if not name.startswith("_")]

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle`: the name and the digest of a model that is found by its name, or else the bytes of the model
        file. Both are checked when they are loaded again."""
        from dodona.pipeline.models import restore

        if self.source is not None and self.source.fits(self):
            return restore, (self.source.name, self.source.digest)
        return Pipeline.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> "Pipeline":
        """A pipeline with the same components, which threads may share anyway."""
        other = Pipeline(**self.components())  # type: ignore[arg-type]
        other.about, other.source = dict(self.about), self.source
        return other

    def _contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        metadata: dict[str, Any] = {"about": self.about}
        arrays: dict[str, NDArray[Any]] = {}
        for name, component in self.components().items():
            metadata[name], own = component.parts()
            arrays |= {f"{name}.{key}": values for key, values in own.items()}
        return metadata, arrays

    def save(self, path: str | Path) -> None:
        """Write the model file atomically."""
        modelfile.save(path, *self._contents())

    def to_bytes(self) -> bytes:
        """Return what `save` writes into a file."""
        return modelfile.pack(*self._contents())

    @classmethod
    def load(cls, path: str | Path, name: str | None = None) -> "Pipeline":
        """Load a model file; any inconsistency raises a FormatError. `name` is that of a model that is installed here
        and where the pipeline may be sent to."""
        contents = modelfile.read(path)
        pipeline = cls._from_contents(contents, path)
        if name is not None:
            pipeline.source = Source(name, contents.digest, tuple(pipeline.components().values()), {**pipeline.about})
        return pipeline

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "a model") -> "Pipeline":
        """Load what `to_bytes` returned, or what a model file has; checked as by `load`. The name is for errors."""
        return cls._from_contents(modelfile.unpack(data, name), name)

    @classmethod
    def _from_contents(cls, contents: modelfile.Contents, path: str | Path) -> "Pipeline":
        metadata, arrays, _ = contents
        about = metadata.pop("about", None)
        unknown = [name for name in metadata if name not in COMPONENTS]
        if not isinstance(about, dict) or "parser" not in metadata or unknown:
            raise FormatError(f"{path}: expected the description of a model with a parser, found {sorted(metadata)}")
        parts: dict[str, Any] = {}
        for name, description in metadata.items():
            own = {key.partition(".")[2]: values for key, values in arrays.items() if key.partition(".")[0] == name}
            parts[name] = COMPONENTS[name].from_parts(description, own, f"{path}, {name}")
        pipeline = cls(**parts)
        pipeline.about = about
        return pipeline


@contextmanager
def collect_rarely() -> Iterator[None]:
    """Let Python look for garbage in cycles less often.

    Sentences have no cycles, and are many: every search looks at all that are there, and no thread can work meanwhile.
    """
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
