"""The pipeline: tokenizer, tagger, lemmatizer and parser in one model file. Each fills in what the input lacks."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from numpy.typing import NDArray

from dodona.components.analysis import Request
from dodona.components.columns import check_columns
from dodona.components.component import BATCH, Component
from dodona.components.lemmatizer import Lemmatizer
from dodona.components.parser import Parser
from dodona.components.tagger import Tagger
from dodona.components.tokenizer import Tokenizer
from dodona.data import Sentence
from dodona.data.batches import lacking, with_lists
from dodona.data.marks import Boundary, Item, batches_with_marks, interleaved, sentences_only
from dodona.data.notebook import drawing
from dodona.errors import FormatError, OptionError
from dodona.pipeline import modelfile
from dodona.pipeline.given import check_items, check_jobs, check_sentences, check_text, check_texts, text_pairs

__all__ = ["COMPONENTS", "Pipeline"]

NO_TOKENIZER = "this model has no tokenizer; expected CoNLL-U or words that are separated already"
T = TypeVar("T")
COMPONENTS: dict[str, Any] = {"tokenizer": Tokenizer, "tagger": Tagger, "lemmatizer": Lemmatizer, "parser": Parser}


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
        self.parser = parser
        self.tagger = tagger
        self.lemmatizer = lemmatizer
        self.tokenizer = tokenizer
        self.about: dict[str, Any] = {}

    def __call__(self, text: str, request: Request | None = None) -> list[Sentence]:
        """Tokenize a text, and tag, lemmatize and parse its sentences."""
        check_text(text, "for several texts: `nlp.pipe(texts)`")
        return list(self.parse(self.sentences([text], located=True), request))

    def sentences(self, chunks: Iterable[str], located: bool = False) -> Iterator[Sentence]:
        """Tokenize a text that is given in chunks; with `located`, sentences have the offsets of their words."""
        if self.tokenizer is None:
            raise OptionError(NO_TOKENIZER)
        return self.tokenizer.apply(chunks, located=located)

    def text_stream(self, chunks: Iterable[str], by_line: bool = False, name: str | None = None) -> Iterator[Item]:
        """Like `sentences`, with pauses and a name for the text: see `Tokenizer.stream`."""
        if self.tokenizer is None:
            raise OptionError(NO_TOKENIZER)
        return self.tokenizer.stream(chunks, by_line=by_line, name=name)

    def parse(
        self, sentences: Iterable[Sentence], request: Request | None = None, retag: bool = False, jobs: int = 1
    ) -> Iterator[Sentence]:
        """Fill in missing tags and lemmas, and heads and labels in any case; in place.

        A sentence with any UPOS keeps its tags, and one with any lemma its lemmas, unless `retag` is set. With `jobs`,
        that many threads parse.
        """
        check_sentences(sentences)
        check_jobs(jobs)
        return (item for item in self.stream(sentences, request, retag, jobs=jobs) if isinstance(item, Sentence))

    def stream(
        self, items: Iterable[Item], request: Request | None = None, retag: bool = False, batch: int = BATCH,
        jobs: int = 1,
    ) -> Iterator[Item]:  # fmt: skip
        """Like `parse`, for sentences with marks between them, `batch` sentences at a time; a pause ends a batch.

        With `jobs`, that many threads parse.
        """
        if jobs > 1:
            from dodona.pipeline.parallel import in_threads  # which takes longer to import than a sentence to parse

            yield from in_threads(lambda some: list(self._parsed(some, request, retag)), items, jobs, batch)
            return
        for some, pause in batches_with_marks(items, batch):
            yield from self._parsed(some, request, retag)
            if pause is not None:
                yield pause

    def _parsed(self, items: list[Item], request: Request | None, retag: bool) -> Iterator[Item]:
        """Parse the sentences of a batch."""
        sentences = sentences_only(items)
        if len(sentences) < len(items):
            check_items(items)
        constrained = request is not None and request.constrained
        for sentence in sentences if constrained else with_lists(sentences):
            check_columns(sentence, constrained)
        tagged = self.tag(sentences, retag)
        parsed = self.parser.apply(sentences, request=request, tagged=tagged)
        return parsed if len(sentences) == len(items) else interleaved(items, parsed)

    @overload
    def pipe(
        self, texts: Iterable[str], request: Request | None = ..., *, batch: int = ..., jobs: int = ...,
        as_tuples: Literal[False] = ...,
    ) -> Iterator[list[Sentence]]: ...  # fmt: skip
    @overload
    def pipe(
        self, texts: Iterable[tuple[str, T]], request: Request | None = ..., *, batch: int = ..., jobs: int = ...,
        as_tuples: Literal[True],
    ) -> Iterator[tuple[list[Sentence], T]]: ...  # fmt: skip
    def pipe(
        self,
        texts: Iterable[Any],
        request: Request | None = None,
        *,
        batch: int = BATCH,
        jobs: int = 1,
        as_tuples: bool = False,
    ) -> Iterator[Any]:
        """Yield for each text the list that `nlp(text)` returns, in order, as soon as it is ready.

        Sentences of several texts are parsed together, `batch` at a time, which is faster for short texts; so a few
        texts are read ahead. With `as_tuples`, `texts` are pairs (text, context), and so are the results. With `jobs`,
        that many threads parse.
        """
        check_jobs(jobs)
        check_jobs(batch, "batch")
        check_texts(texts)
        return self._piped(text_pairs(texts, as_tuples), batch, jobs, as_tuples, request)

    def _piped(
        self, pairs: Iterable[tuple[str, Any]], batch: int, jobs: int, as_tuples: bool, request: Request | None
    ) -> Iterator[Any]:
        found: list[Sentence] = []
        for item in self.stream(self._bounded(pairs), request, batch=batch, jobs=jobs):
            if isinstance(item, Sentence):
                found.append(item)
            elif isinstance(item, Boundary):
                yield (found, item.value) if as_tuples else found
                found = []

    def _bounded(self, pairs: Iterable[tuple[str, Any]]) -> Iterator[Item]:
        for text, context in pairs:
            yield from self.sentences([text], located=True)
            yield Boundary(context)

    def tag(self, batch: Sequence[Sentence], retag: bool = False) -> set[int]:
        """Fill in missing tags and lemmas, in place; returns the `id` of the sentences that were tagged."""
        sentences = list(batch)
        tagged = set()
        if self.tagger is not None:
            tagged = {
                id(sentence) for sentence in self.tagger.apply(sentences if retag else lacking(sentences, "upos"))
            }
        if self.lemmatizer is not None:
            for _ in self.lemmatizer.apply(sentences if retag else lacking(sentences, "lemmas")):
                pass
        return tagged

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """Return UAS and LAS in percent on gold trees, with the tags of these sentences."""
        return self.parser.scores(gold)

    def components(self) -> dict[str, Component[Any]]:
        """Return the components by name, in the order in which they are applied."""
        found = {name: getattr(self, name) for name in COMPONENTS}
        return {name: component for name, component in found.items() if component is not None}

    def _repr_html_(self) -> str:
        from dodona.pipeline.description import description

        return str(drawing("tables").html_table(("", ""), description(self).items(), "A pipeline"))

    def save(self, path: str | Path) -> None:
        """Write the model file atomically."""
        metadata: dict[str, Any] = {"about": self.about}
        arrays: dict[str, NDArray[Any]] = {}
        for name, component in self.components().items():
            metadata[name], own = component.parts()
            arrays |= {f"{name}.{key}": values for key, values in own.items()}
        modelfile.save(path, metadata, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Pipeline":
        """Load a model file; any inconsistency raises a FormatError."""
        metadata, arrays = modelfile.load(path)
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
