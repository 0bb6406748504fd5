"""A document: a text, and the sentences that a pipeline has found in it."""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from dodona.data.conllu import BOM, ends_blank, read_conllu, shorten
from dodona.data.other_names import explain_other_names
from dodona.data.sentence import Sentence
from dodona.data.spacing import rebuild_text
from dodona.data.stream import only_sentences
from dodona.data.token import Token
from dodona.errors import FormatError, FormatWarning, OptionError

if TYPE_CHECKING:
    from dodona.data.noun_chunks import NounChunk

__all__ = ["Document"]

MARK = "dodona document"  # so that other JSON is not taken for a document
VERSION = 1
KEYS = ("format", "version", "text", "offsets", "conllu")  # of the bytes
PICTURES = 20  # that a notebook shows

_new_object = object.__new__


@explain_other_names("document")
class Document(Sequence[Sentence]):
    """The sentences of a text, as a sequence, with the text itself: what `nlp(text)` returns and `nlp.pipe` yields.

    `sentences` is the list of them, which `document[0]`, `len(document)` and `for sentence in document` look into. A
    document is equal to another one, or to a list, that has the same sentence objects.
    """

    __slots__ = ("__weakref__", "_text", "sentences")

    sentences: list[Sentence]

    def __init__(self, sentences: Iterable[Sentence], text: str | None = None) -> None:
        """A document of these sentences. Without a text, that is put together from their words and MISC."""
        self.sentences = list(sentences)
        for sentence in self.sentences:
            if not isinstance(sentence, Sentence):
                raise OptionError(f"{sentence!r:.60} in a document; expected sentences")
        if text is not None and not isinstance(text, str):
            raise OptionError(f"text {text!r:.60}; expected a string, or None")
        self._text = text

    @classmethod
    def from_parsed(cls, sentences: list[Sentence], text: str) -> "Document":
        """Make a document without checks and without a copy of the list; for pipelines, whose texts may be short."""
        document = _new_object(cls)
        document.sentences, document._text = sentences, text
        return document

    def __repr__(self) -> str:
        count = f"{len(self)} sentence{'s' * (len(self) != 1)}"
        return f"<Document of {count}: {shorten(self.text)}>"

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    @overload
    def __getitem__(self, place: int) -> Sentence: ...
    @overload
    def __getitem__(self, place: slice) -> list[Sentence]: ...
    def __getitem__(self, place: int | slice) -> Sentence | list[Sentence]:
        """The sentence at this place, counted from 0 as in any list. Of a slice, a list."""
        return self.sentences[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Document):
            return self.sentences == other.sentences and self.text == other.text
        return self.sentences == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Document, (self.sentences, self._text)

    @property
    def text(self) -> str:
        """The text that was parsed; `offsets`, `start` and `end` of sentences, tokens and noun chunks are places in it.

        Of sentences that are not from a text, the words and the blanks between them.
        """
        return rebuild_text(self.sentences) if self._text is None else self._text

    @property
    def tokens(self) -> list[Token]:
        """The words of all sentences."""
        return [token for sentence in self.sentences for token in sentence]

    @property
    def noun_chunks(self) -> "list[NounChunk]":
        """The base noun phrases of all sentences."""
        return [chunk for sentence in self.sentences for chunk in sentence.noun_chunks]

    def to_dict(self) -> dict[str, Any]:
        """Return the document as a dictionary that JSON can hold: its text, and `to_dict()` of each sentence."""
        return {"text": self.text, "sentences": [sentence.to_dict() for sentence in self.sentences]}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Document":
        """The document of a dictionary as `to_dict` returns it. Without `text`, it is put together from the words."""
        if not isinstance(given, Mapping) or not isinstance(given.get("sentences"), list | tuple):
            raise OptionError(f"{given!r:.60}; expected a dictionary with the list 'sentences', and perhaps 'text'")
        for key in given:
            if key not in ("text", "sentences"):
                raise OptionError(f"a document: unknown key {key!r}; expected 'text' and 'sentences'")
        document = cls(map(Sentence.from_dict, given["sentences"]), given.get("text"))
        for number, sentence in enumerate(document, start=1):
            if (fault := document._find_outside(sentence)) is not None:
                raise OptionError(f"sentence {number}: {fault}")
        return document

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict()` as JSON: on one line, or indented."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_conllu(self) -> str:
        """Return the sentences in CoNLL-U, as `dodona.write` writes them."""
        parts = []
        for sentence in self.sentences:
            data = sentence.convert("conllu").to_bytes().removeprefix(BOM)
            parts.append(data if ends_blank(data) else data + (b"\n" if data.endswith(b"\n") else b"\n\n"))
        return b"".join(parts).decode()

    def to_dataframe(self) -> Any:
        """Return one table of pandas with a row for each word: `dodona.to_dataframe`, which takes many documents."""
        from dodona.data.dataframe import to_dataframe

        return to_dataframe(self)

    def to_bytes(self) -> bytes:
        """Return the document as data, for files and other processes: JSON that holds CoNLL-U, the text and offsets."""
        offsets = [
            None if sentence.offsets is None else [place for span in sentence.offsets for place in span]
            for sentence in self.sentences
        ]
        values = (MARK, VERSION, self._text, offsets, self.to_conllu())
        return json.dumps(dict(zip(KEYS, values, strict=True))).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Document":
        """The document that `to_bytes` returned these bytes of. They are checked: a FormatError says what is wrong."""
        try:
            given = json.loads(data)
        except (ValueError, TypeError, RecursionError) as error:
            raise FormatError(f"a document: no JSON ({error}); expected what Document.to_bytes returns") from error
        if not isinstance(given, dict) or given.get("format") != MARK or sorted(given) != sorted(KEYS):
            raise FormatError(f"a document: expected JSON with {', '.join(KEYS)}, as Document.to_bytes returns it")
        if given["version"] != VERSION:
            raise FormatError(f"a document of version {given['version']!r}; this Dodona reads version {VERSION}")
        text, offsets, conllu = given["text"], given["offsets"], given["conllu"]
        if not (text is None or isinstance(text, str)) or not isinstance(conllu, str) or not isinstance(offsets, list):
            raise FormatError("a document: expected text and CoNLL-U as strings, and a list of offsets")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FormatWarning)  # several trees of a sentence have one sent_id
                document = cls(only_sentences(read_conllu([conllu.encode()], "document")), text)
        except UnicodeEncodeError as error:
            raise FormatError("a document: CoNLL-U with lone surrogates; expected text") from error
        if len(offsets) != len(document):
            raise FormatError(f"a document: offsets of {len(offsets)} sentences; expected those of {len(document)}")
        for number, (sentence, places) in enumerate(zip(document, offsets, strict=True), start=1):
            sentence.file, sentence.line = "", 1
            sentence.offsets = _pair(places, len(sentence), f"a document: sentence {number}")
            if (fault := document._find_outside(sentence)) is not None:
                raise FormatError(f"a document: sentence {number}: {fault}")
        return document

    def _find_outside(self, sentence: Sentence) -> str | None:
        """Return what is wrong with a sentence that has a word outside of the text."""
        if self._text is None or not sentence.offsets:
            return None
        highest = max(end for _, end in sentence.offsets)
        if highest <= len(self._text):
            return None
        return f"a word that ends at {highest}; expected at most {len(self._text)}, the length of the text"

    def _repr_html_(self) -> str:
        drawing = import_module("dodona.drawing.dependencies")  # which stands above this folder
        return str(drawing.html_of_several(self.sentences[:PICTURES], len(self) - PICTURES))


def _pair(places: Any, n: int, where: str) -> list[tuple[int, int]] | None:
    """Return the spans of n words that these numbers are, one after the other."""
    if places is None:
        return None
    is_list = isinstance(places, list) and all(type(place) is int and place >= 0 for place in places)
    if not is_list or len(places) != 2 * n:
        raise FormatError(f"{where}: offsets {places!r:.40}; expected two numbers for each of {n} words")
    spans = list(zip(places[::2], places[1::2], strict=True))
    if any(start > end for start, end in spans):
        raise FormatError(f"{where}: a word that ends before it begins; expected a start and an end")
    return spans
