"""Parsing on several cores: the same output in the same order as on one."""

import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from dodona.data import Sentence
from dodona.errors import DodonaError
from dodona.pipeline.parser import Analysis, Parser, Request, annotated

__all__ = ["parse_in_parallel"]

BATCH = 200  # sentences handed over at a time
COLUMNS = ("words", "upos", "xpos", "feats")

_parser: Parser | None = None


def parse_in_parallel(
    parser: Parser, model: str | Path, sentences: Iterable[Sentence], jobs: int, request: Request
) -> Iterator[Sentence]:
    """Parse in `jobs` processes. Each maps the model file; at most a few batches are under way at any time."""
    pending: list[tuple[list[Sentence], Future[list[list[Analysis]]]]] = []
    rest = iter(sentences)
    pool = ProcessPoolExecutor(jobs, get_context("forkserver"), _load, (str(model),))
    try:
        while True:
            while len(pending) < 2 * jobs and (batch := list(islice(rest, BATCH))):
                if request.constrained:
                    for sentence in batch:
                        parser.check_given(sentence)  # here it is known where it comes from
                pending.append(
                    (batch, pool.submit(_analyses, [_columns(sentence, request) for sentence in batch], request))
                )
            if not pending:
                return
            batch, future = pending.pop(0)
            for sentence, analyses in zip(batch, future.result(), strict=True):
                yield from annotated(sentence, analyses, request)
    except BrokenProcessPool as error:
        raise DodonaError("a process that was parsing has died; with --jobs 1 the reason may show") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _columns(sentence: Sentence, request: Request) -> dict[str, Any]:
    """What a parser looks at, without the rest of the sentence."""
    names = COLUMNS + (("heads", "labels") if request.constrained else ())
    return {name: getattr(sentence, name) for name in names}


def _load(model: str) -> None:
    """In a new process. Ctrl-C reaches all of them, but only the parent has something to say about it."""
    global _parser
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _parser = Parser.load(model)


def _analyses(batch: list[dict[str, Any]], request: Request) -> list[list[Analysis]]:
    assert _parser is not None
    return [_parser.analyses(Sentence.from_words(**columns), request) for columns in batch]
