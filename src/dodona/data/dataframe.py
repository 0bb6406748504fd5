"""Sentences and documents as one table of pandas, with a row for each word.

The columns of CoNLL-U stay columns all the way, so that thousands of documents take less time than parsing them.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

from dodona.data.dictionary import TOKEN, read_feats
from dodona.data.document import Document
from dodona.data.sentence import Sentence
from dodona.data.ud import NUMBERS, read_confidence
from dodona.errors import OptionError

__all__ = ["to_dataframe"]

Part: TypeAlias = Document | Sentence | tuple[Document, Any]
STRINGS = ("lemma", "upos", "xpos", "deprel", "deps", "misc")  # in which `_` is nothing
NULLABLE = ("head", "start", "end")
NO_COLUMN = ("deps", "misc")  # in CoNLL-X
NAMES = dict(zip(NUMBERS, TOKEN[1:], strict=False))
"""The columns of a sentence, and what they are called in a table, as in dictionaries."""


def to_dataframe(documents: Document | Sentence | Iterable[Part]) -> Any:
    """Return one table of pandas for documents, with a row for each word; needs pandas.

    Takes a document, several of them, or what `nlp.pipe` yields. `document`, `sentence` and `id` are numbers from 1,
    and the other columns are those of `to_dict`. Pairs, as from `nlp.pipe(…, as_tuples=True)`, give a column `context`.
    Sentences without documents are those of one.
    """
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise OptionError(f"a data frame needs pandas: {error}; expected it to be installed") from error
    columns: dict[str, list[Any]] = {name: [] for name in ("document", "sentence", *TOKEN[:-1])}
    contexts: list[Any] = []
    for number, place, sentence, context in _number_sentences(documents):
        n = len(sentence)
        columns["document"] += [number] * n
        columns["sentence"] += [place] * n
        columns["id"] += range(1, n + 1)
        for name, key in NAMES.items():
            is_there = sentence.format == "conllu" or key not in NO_COLUMN
            columns[key] += getattr(sentence, name) if is_there else ["_"] * n
        starts, ends = zip(*sentence.offsets, strict=True) if sentence.offsets else ([None] * n, [None] * n)
        columns["start"] += starts
        columns["end"] += ends
        if context is not None:
            contexts += [context[0]] * n
    return pandas.DataFrame(_convert(columns, contexts, pandas))


def _number_sentences(documents: Any) -> Iterator[tuple[int, int, Sentence, tuple[Any] | None]]:
    """Yield the number of the document, that of the sentence, the sentence, and what stands beside the document."""
    if isinstance(documents, Document | Sentence):
        documents = [documents]
    if isinstance(documents, str | bytes) or not hasattr(documents, "__iter__"):
        raise OptionError(f"{documents!r:.60}; expected documents or sentences, from `nlp.pipe` for example")
    number = place = 0
    for part in documents:
        if isinstance(part, Sentence):
            place += 1
            yield 1, place, part, None
            continue
        is_pair = isinstance(part, tuple) and len(part) == 2
        document, context = (part[0], (part[1],)) if is_pair else (part, None)
        if not isinstance(document, Document) or place:
            raise OptionError(f"{part!r:.60}; expected documents, or pairs of a document and a context, or sentences")
        number += 1
        for inner, sentence in enumerate(document, start=1):
            yield number, inner, sentence, context


def _convert(columns: dict[str, list[Any]], contexts: list[Any], pandas: Any) -> dict[str, Any]:
    """Return the columns of the table: None for nothing, and feats as dictionaries."""
    forms, lemmas = columns["form"], columns["lemma"]
    both = [k for k, form in enumerate(forms) if form == "_" and lemmas[k] == "_"]  # UD: both are underscores
    made: dict[str, Any] = dict(columns)
    feats = {value: read_feats(value) for value in set(columns["feats"])}
    made["feats"] = [of if isinstance(of := feats[value], str) else of.copy() for value in columns["feats"]]
    made["confidence"] = pandas.array([read_confidence(value) for value in columns["misc"]], dtype="float64")
    for key in STRINGS:
        made[key] = [None if value in ("_", "") else value for value in columns[key]]
    for k in both:
        made["lemma"][k] = "_"
    for key in NULLABLE:
        made[key] = pandas.array(columns[key], dtype="Int64")
    if contexts:
        made["context"] = contexts
    return made
