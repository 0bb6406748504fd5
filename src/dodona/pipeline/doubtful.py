"""Parsed sentences in the order in which a person should look at them: the most doubtful first."""

import tempfile
import warnings
from array import array
from collections.abc import Iterable, Iterator
from typing import IO

from dodona.data import Sentence
from dodona.data.conllu import read_conllu
from dodona.data.stream import Item, Pause, only_sentences
from dodona.errors import DodonaError, FormatError
from dodona.parser.request import NBEST, SENTENCE_CONFIDENCE

__all__ = ["sort_by_doubt"]


def sort_by_doubt(items: Iterable[Item]) -> Iterator[Item]:
    """Yield sentences by their comment `# confidence`, lowest first; those with the same one in the order they had.

    All are needed before the first can be yielded, so pauses do not count; only comments at the end of the input stay
    there. The sentences wait in a temporary file, so that memory holds a few numbers a sentence. The other trees of a
    sentence (`# nbest`) follow its best one.
    """
    last = Pause()
    values, ends = array("d"), array("q")
    formats: list[str] = []
    with tempfile.TemporaryFile(prefix="dodona-") as file:
        for item in items:
            if isinstance(item, Sentence):
                values.append(values[-1] if _is_another_tree(item) else _confidence(item))
                ends.append((ends[-1] if ends else 0) + _store(file, item.to_bytes()))
                formats.append(item.format)
            elif isinstance(item, Pause) and item.data:
                last = item
        for i in sorted(range(len(values)), key=values.__getitem__):
            begin = ends[i - 1] if i else 0
            file.seek(begin)
            yield _read_again(file.read(ends[i] - begin), formats[i])
    yield last


def _confidence(sentence: Sentence) -> float:
    for comment in sentence.comments:
        if comment.startswith(SENTENCE_CONFIDENCE):
            return float(comment.removeprefix(SENTENCE_CONFIDENCE))
    raise FormatError(f"{sentence.file}:{sentence.line}: no comment `{SENTENCE_CONFIDENCE}…`; expected one to sort by")


def _is_another_tree(sentence: Sentence) -> bool:
    return any(comment.startswith(NBEST) and comment != f"{NBEST}1" for comment in sentence.comments)


def _store(file: IO[bytes], data: bytes) -> int:
    try:
        return file.write(data)
    except OSError as error:
        raise DodonaError(f"a temporary file in {tempfile.gettempdir()} cannot be written: {error.strerror}") from error


def _read_again(data: bytes, format: str) -> Sentence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the sentence was read for the first time
        (sentence,) = only_sentences(read_conllu([data], "a temporary file", format=format, strict=False))
    return sentence
