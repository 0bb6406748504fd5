"""A component for spaCy: `nlp.add_pipe("dodona", config={"model": "en"})`.

spaCy finds it by an entry point, so nothing of Dodona imports this file, and Dodona does not need spaCy. It fills in
tags, lemmas, morphology, heads, labels and sentence starts of spaCy's own tokens. Noun chunks are found as by Dodona,
because spaCy looks for relations that Universal Dependencies do not have: `dobj` and `pobj` in English.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.language import Language
from spacy.parts_of_speech import IDS

from dodona.data import Sentence
from dodona.data.noun_chunks import find_noun_chunks
from dodona.errors import FormatError
from dodona.pipeline.models import load
from dodona.pipeline.pipeline import Pipeline

__all__ = ["SpacyComponent", "iterate_noun_chunks", "make_component"]

ATTRIBUTES = (POS, TAG, LEMMA, MORPH, HEAD, DEP)
HASHES = 1 << 64  # how many there are: relative heads, which have a sign, are in the same array as hashes, without one
UNWRITABLE = str.maketrans(dict.fromkeys("\t\n\r\0", " "))
ASSIGNS = ["token.pos", "token.tag", "token.lemma", "token.morph", "token.head", "token.dep", "token.is_sent_start"]


MODEL_FILE = "dodona.model"  # in the folder that spaCy has for the component


def make_component(nlp: Any, name: str, model: str, include_model: bool) -> "SpacyComponent":
    """Called by spaCy: `model` is what `dodona.load` takes, a name or a path. With `include_model`, what spaCy saves
    holds the model itself, so a model that is missing here may still be found there."""
    nlp.vocab.get_noun_chunks = iterate_noun_chunks
    try:
        return SpacyComponent(load(model), include_model)
    except FormatError as error:
        if not include_model:
            raise
        return SpacyComponent(None, True, str(error))


Language.factory(
    "dodona",
    assigns=[*ASSIGNS, "doc.sents"],
    default_config={"model": "en", "include_model": False},
    func=make_component,
)


class SpacyComponent:
    """A pipeline of Dodona as a component of one of spaCy."""

    def __init__(self, pipeline: Pipeline | None, include_model: bool = False, fault: str = "") -> None:
        self._pipeline, self.include_model, self._fault = pipeline, include_model, fault

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline; an error if there was no such model, and none has been loaded since."""
        if self._pipeline is None:
            raise FormatError(self._fault)
        return self._pipeline

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """Called by spaCy: the model, with `include_model`; else nothing, as the name of the model is in the config."""
        return self.pipeline.to_bytes() if self.include_model else b""

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> "SpacyComponent":
        if data:
            self._pipeline = Pipeline.from_bytes(data)
        return self

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        """Called by spaCy: writes the model into this folder, with `include_model`."""
        if self.include_model:
            Path(path).mkdir(parents=True, exist_ok=True)
            self.pipeline.save(Path(path, MODEL_FILE))

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> "SpacyComponent":
        file = Path(path, MODEL_FILE)
        if file.exists():
            self._pipeline = Pipeline.load(file)
        return self

    def __call__(self, doc: Any) -> Any:
        (done,) = self.pipe([doc])
        return done

    def pipe(self, stream: Iterable[Any], batch_size: int = 32) -> Iterator[Any]:
        """Parse the sentences of several documents together, which is faster for short ones."""
        docs = iter(stream)
        while some := list(islice(docs, batch_size)):
            parts = [_words_of_sentences(doc, self.pipeline) for doc in some]
            made = [
                Sentence.from_words([_word(doc[i]) for i in part])
                for doc, own in zip(some, parts, strict=True)
                for part in own
            ]
            parsed = self.pipeline.parse(made)
            for doc, own in zip(some, parts, strict=True):
                _fill_in(doc, own, [next(parsed) for _ in own])
                yield doc


def iterate_noun_chunks(part: Any) -> Iterator[tuple[int, int, int]]:
    """Yield what spaCy wants to know of the noun chunks of a document, or of a part of one: start, end and label.

    They are those of `Sentence.noun_chunks`. Blanks, which spaCy has as tokens, may be inside of a chunk.
    """
    label = part.doc.vocab.strings.add("NP")
    begin, end = (part.start, part.end) if hasattr(part, "start") else (0, len(part))
    for sentence in part.doc.sents:
        if sentence.end <= begin or sentence.start >= end:
            continue
        words = [token for token in sentence if not token.is_space]
        numbers = {token.i: number for number, token in enumerate(words, start=1)}
        heads = [0 if token.head.i == token.i else numbers.get(token.head.i) for token in words]
        labels = ["root" if token.head.i == token.i else token.dep_ for token in words]
        for first, last, _ in find_noun_chunks(heads, [token.pos_ for token in words], labels):
            start, stop = words[first - 1].i, words[last - 1].i + 1
            if begin <= start and stop <= end:
                yield start, stop, label


def _word(token: Any) -> str:
    """The text of a token; what a column cannot hold becomes a space."""
    return str(token.text).translate(UNWRITABLE).encode("utf-8", "replace").decode()


def _words_of_sentences(doc: Any, pipeline: Pipeline) -> list[list[int]]:
    """Return the places of the words of each sentence: as an earlier component has divided the text, else as Dodona's
    tokenizer does, or else all in one. Blanks, which spaCy has as tokens, are no words."""
    places = [token.i for token in doc if not token.is_space]
    if doc.has_annotation("SENT_START"):
        starts = {sentence.start_char for sentence in doc.sents}
    elif pipeline.tokenizer is not None:
        tokenized = pipeline.sentences([doc.text], located=True)
        starts = {sentence.offsets[0][0] for sentence in tokenized if sentence.offsets}
    else:
        starts = set()
    borders = sorted(starts)
    return [list(group) for _, group in groupby(places, lambda place: bisect_right(borders, doc[place].idx))]


def _fill_in(doc: Any, parts: Sequence[Sequence[int]], parsed: Sequence[Sentence]) -> None:
    """Set the attributes of all tokens. spaCy finds the sentences by the trees."""
    if not parts:
        return
    rows = np.zeros((len(doc), len(ATTRIBUTES)), dtype=np.uint64)
    add, add_features = doc.vocab.strings.add, doc.vocab.morphology.add
    for part, sentence in zip(parts, parsed, strict=True):
        for token, place in zip(sentence, part, strict=True):
            head = part[token.head_id - 1] if token.head_id else place
            rows[place] = (
                IDS.get(token.upos, IDS["X"]),
                *(add(value) if value != "_" else 0 for value in (token.xpos, token.lemma)),
                add_features(sentence.feats[token.id - 1]),
                (head - place) % HASHES,
                add("ROOT" if token.is_root else token.label),
            )
    # blanks hang on the word before them, those at the beginning on the first word, as spaCy's own parser has it
    before = parts[0][0]
    for token in doc:
        if token.is_space:
            blank = (add("_SP"), add(token.text), add_features("_"))
            rows[token.i] = (IDS["SPACE"], *blank, (before - token.i) % HASHES, add("dep"))
        else:
            before = token.i
    doc.from_array(list(ATTRIBUTES), rows)
