"""Parsing on several cores: the same output in the same order as on one."""

import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from dodona.data import Sentence
from dodona.errors import DodonaError
from dodona.pipeline.parser import Parser

__all__ = ["parse_in_parallel"]

BATCH = 200  # sentences handed over at a time

_parser: Parser | None = None


def parse_in_parallel(
    parser: Parser, model: str | Path, sentences: Iterable[Sentence], jobs: int
) -> Iterator[Sentence]:
    """Parse in `jobs` processes. Each maps the model file; at most a few batches are under way at any time."""
    pending: list[tuple[list[Sentence], Future[list[tuple[list[int], list[str]]]]]] = []
    rest = iter(sentences)
    pool = ProcessPoolExecutor(jobs, get_context("forkserver"), _load, (str(model),))
    try:
        while True:
            while len(pending) < 2 * jobs and (batch := list(islice(rest, BATCH))):
                pending.append((batch, pool.submit(_trees, [_tags(sentence) for sentence in batch])))
            if not pending:
                return
            batch, future = pending.pop(0)
            for sentence, (heads, labels) in zip(batch, future.result(), strict=True):
                sentence.set_tree(heads, labels)
                yield sentence
    except BrokenProcessPool as error:
        raise DodonaError("a process that was parsing has died; with --jobs 1 the reason may show") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class _Tags:
    """The columns that a parser looks at, without the rest of the sentence."""

    __slots__ = ("feats", "upos", "words", "xpos")

    def __init__(self, words: list[str], upos: list[str], xpos: list[str], feats: list[str]) -> None:
        self.words, self.upos, self.xpos, self.feats = words, upos, xpos, feats


def _tags(sentence: Sentence) -> tuple[list[str], list[str], list[str], list[str]]:
    return sentence.words, sentence.upos, sentence.xpos, sentence.feats


def _load(model: str) -> None:
    """In a new process. Ctrl-C reaches all of them, but only the parent has something to say about it."""
    global _parser
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _parser = Parser.load(model)


def _trees(batch: list[tuple[list[str], list[str], list[str], list[str]]]) -> list[tuple[list[int], list[str]]]:
    assert _parser is not None
    return [_parser.tree(_Tags(*columns)) for columns in batch]
