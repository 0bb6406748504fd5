"""Parsing on several cores: the same output in the same order as on one."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from dodona.components.analysis import Analysis, Request, annotated
from dodona.components.columns import check_columns
from dodona.components.component import batches
from dodona.data import Sentence
from dodona.data.marks import Item, batches_with_marks, interleaved, sentences_only
from dodona.errors import DodonaError
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.processes import begin_process, process_context, shut_down, uninterrupted
from dodona.systems.registry import SYSTEMS, Entry, entry_of

__all__ = ["parse_in_parallel", "stream_in_parallel"]

BATCH = 200  # sentences handed over at a time
TAGS = ("lemmas", "upos", "xpos", "feats")

Found = tuple[dict[str, list[str]], list[Analysis]]
"""The columns of a sentence that were filled in, and its trees."""

_pipeline: Pipeline | None = None


def parse_in_parallel(
    pipeline: Pipeline, model: str | Path, sentences: Iterable[Sentence], jobs: int, request: Request, retag: bool
) -> Iterator[Sentence]:
    """Parse in `jobs` processes. Each loads the model file; at most a few batches are processed at any time."""
    items = stream_in_parallel(pipeline, model, sentences, jobs, request, retag)
    return (item for item in items if isinstance(item, Sentence))


def stream_in_parallel(
    pipeline: Pipeline, model: str | Path, items: Iterable[Item], jobs: int, request: Request, retag: bool,
    size: int = BATCH,
) -> Iterator[Item]:  # fmt: skip
    """Like `parse_in_parallel`, for sentences with marks between them, `size` of them handed over at a time; at a pause
    everything before it is finished."""
    pending: deque[tuple[list[Item], Future[list[Found]]]] = deque()
    system = entry_of(str(pipeline.parser.options.system))
    pool = ProcessPoolExecutor(jobs, process_context(), _load, (str(model), system))
    try:
        for batch, pause in batches_with_marks(items, size):
            sentences = sentences_only(batch)
            for sentence in sentences:  # checked here, where the file and the line are known
                check_columns(sentence, request.constrained)
                if request.constrained:
                    pipeline.parser.check_given(sentence)
            columns = [_columns(sentence, request) for sentence in sentences]
            if batch:
                with uninterrupted():
                    pending.append((batch, pool.submit(_parsed, columns, request, retag)))
            while pending and (pause is not None or len(pending) >= 2 * jobs or pending[0][1].done()):
                yield from _finished(*pending.popleft(), request)
            if pause is not None:
                yield pause
        while pending:
            yield from _finished(*pending.popleft(), request)
    except BrokenProcessPool as error:
        raise DodonaError("a process that was parsing has died; with --jobs 1 the reason may show") from error
    finally:
        shut_down(pool)


def _finished(batch: list[Item], future: "Future[list[Found]]", request: Request) -> Iterator[Item]:
    return interleaved(batch, _filled(sentences_only(batch), future.result(), request))


def _filled(sentences: list[Sentence], found: list[Found], request: Request) -> Iterator[Sentence]:
    for sentence, (filled, analyses) in zip(sentences, found, strict=True):
        for name, values in filled.items():
            sentence.accept_column(name, values)
        yield from annotated(sentence, analyses, request)


def _columns(sentence: Sentence, request: Request) -> dict[str, Any]:
    """Return the columns that a pipeline uses, without the rest of the sentence."""
    names = ("words", *TAGS, *(("heads", "labels") if request.constrained else ()))
    return {name: getattr(sentence, name) for name in names}


def _sentence(words: list[str], **columns: Any) -> Sentence:
    """A sentence with these columns. They are valid as they were read: a column may be empty."""
    sentence = Sentence.from_words(words)
    for name in TAGS:
        sentence.accept_column(name, columns[name])
    if "heads" in columns:
        sentence.keep_column("heads", columns["heads"])
        sentence.keep_column("labels", columns["labels"])
    return sentence


def _load(model: str, system: Entry) -> None:
    """Set up a new process, in which the systems registered in the parent are not yet known."""
    global _pipeline
    begin_process()
    SYSTEMS.setdefault(system.name, system)
    _pipeline = Pipeline.load(model)


def _parsed(batch: list[dict[str, Any]], request: Request, retag: bool) -> list[Found]:
    assert _pipeline is not None
    sentences = [_sentence(**columns) for columns in batch]
    tagged = _pipeline.tag(sentences, retag)
    found = []
    analyses = [each for some in batches(sentences) for each in _pipeline.parser.analyses_of(some, request, tagged)]
    for sentence, columns, trees in zip(sentences, batch, analyses, strict=True):
        filled = {name: getattr(sentence, name) for name in TAGS if getattr(sentence, name) != columns[name]}
        found.append((filled, trees))
    return found
