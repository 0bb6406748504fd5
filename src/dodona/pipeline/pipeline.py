"""The pipeline: tokenizer, tagger, lemmatizer and parser in one model file. Each fills in what the input lacks."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dodona.components.analysis import Request
from dodona.components.component import Component, batches
from dodona.components.lemmatizer import Lemmatizer
from dodona.components.parser import Parser
from dodona.components.tagger import Tagger
from dodona.components.tokenizer import Tokenizer
from dodona.data import Sentence
from dodona.errors import FormatError, OptionError
from dodona.pipeline import modelfile

__all__ = ["COMPONENTS", "Pipeline"]

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
        return list(self.parse(self.sentences([text], located=True), request))

    def sentences(self, chunks: Iterable[str], located: bool = False) -> Iterator[Sentence]:
        """Tokenize a text that is given in chunks; with `located`, sentences have the offsets of their words."""
        if self.tokenizer is None:
            raise OptionError("this model has no tokenizer; expected CoNLL-U or words that are separated already")
        return self.tokenizer.apply(chunks, located=located)

    def parse(
        self, sentences: Iterable[Sentence], request: Request | None = None, retag: bool = False
    ) -> Iterator[Sentence]:
        """Fill in missing tags and lemmas, and heads and labels in any case; in place.

        A sentence with any UPOS keeps its tags, and one with any lemma its lemmas, unless `retag` is set.
        """
        for batch in batches(sentences):
            tagged = self.tag(batch, retag)
            yield from self.parser.apply(batch, request=request, tagged=tagged)

    def tag(self, batch: Sequence[Sentence], retag: bool = False) -> set[int]:
        """Fill in missing tags and lemmas, in place; returns the `id` of the sentences that were tagged."""
        tagged = set()
        if self.tagger is not None:
            for sentence in self.tagger.apply([each for each in batch if retag or each.lacks("upos")]):
                tagged.add(id(sentence))
        if self.lemmatizer is not None:
            for _ in self.lemmatizer.apply([sentence for sentence in batch if retag or sentence.lacks("lemmas")]):
                pass
        return tagged

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """Return UAS and LAS in percent on gold trees, with the tags of these sentences."""
        return self.parser.scores(gold)

    def components(self) -> dict[str, Component[Any]]:
        """Return the components by name, in the order in which they are applied."""
        found = {name: getattr(self, name) for name in COMPONENTS}
        return {name: component for name, component in found.items() if component is not None}

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
