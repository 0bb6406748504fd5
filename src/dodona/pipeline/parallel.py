"""Parsing on several cores: the same output in the same order as on one."""

import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from dodona.components.analysis import Analysis, Request, annotated
from dodona.components.component import batches
from dodona.data import Sentence
from dodona.errors import DodonaError
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.processes import process_context
from dodona.systems.registry import SYSTEMS, Entry, entry_of

__all__ = ["parse_in_parallel"]

BATCH = 200  # sentences handed over at a time
TAGS = ("lemmas", "upos", "xpos", "feats")

Found = tuple[dict[str, list[str]], list[Analysis]]
"""The columns of a sentence that were filled in, and its trees."""

_pipeline: Pipeline | None = None


def parse_in_parallel(
    pipeline: Pipeline, model: str | Path, sentences: Iterable[Sentence], jobs: int, request: Request, retag: bool
) -> Iterator[Sentence]:
    """Parse in `jobs` processes. Each loads the model file; at most a few batches are processed at any time."""
    pending: list[tuple[list[Sentence], Future[list[Found]]]] = []
    waiting = batches(sentences, BATCH)
    system = entry_of(str(pipeline.parser.options.system))
    pool = ProcessPoolExecutor(jobs, process_context(), _load, (str(model), system))
    try:
        while True:
            while len(pending) < 2 * jobs and (batch := next(waiting, [])):
                if request.constrained:
                    for sentence in batch:
                        pipeline.parser.check_given(sentence)  # checked here, where the file and the line are known
                columns = [_columns(sentence, request) for sentence in batch]
                pending.append((batch, pool.submit(_parsed, columns, request, retag)))
            if not pending:
                return
            batch, future = pending.pop(0)
            for sentence, (filled, analyses) in zip(batch, future.result(), strict=True):
                for name, values in filled.items():
                    sentence.set_column(name, values)
                yield from annotated(sentence, analyses, request)
    except BrokenProcessPool as error:
        raise DodonaError("a process that was parsing has died; with --jobs 1 the reason may show") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _columns(sentence: Sentence, request: Request) -> dict[str, Any]:
    """Return the columns that a pipeline uses, without the rest of the sentence."""
    names = ("words", *TAGS, *(("heads", "labels") if request.constrained else ()))
    return {name: getattr(sentence, name) for name in names}


def _load(model: str, system: Entry) -> None:
    """Set up a new process, in which the systems registered in the parent are not yet known.

    Ctrl-C reaches all processes; this one just ends, and the parent reports it.
    """
    global _pipeline
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    SYSTEMS.setdefault(system.name, system)
    _pipeline = Pipeline.load(model)


def _parsed(batch: list[dict[str, Any]], request: Request, retag: bool) -> list[Found]:
    assert _pipeline is not None
    sentences = [Sentence.from_words(**columns) for columns in batch]
    tagged = _pipeline.tag(sentences, retag)
    found = []
    analyses = [each for some in batches(sentences) for each in _pipeline.parser.analyses_of(some, request, tagged)]
    for sentence, columns, trees in zip(sentences, batch, analyses, strict=True):
        filled = {name: getattr(sentence, name) for name in TAGS if getattr(sentence, name) != columns[name]}
        found.append((filled, trees))
    return found
