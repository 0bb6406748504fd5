"""What to look at next: the sentences of a project in the order of a queue.

`file` is the order of the files. `doubt` and `information` put those first of which the model is least sure, or from
which it would learn most; `suspects` words that may be annotated wrongly; `search` what a pattern matches. What takes
long is worked out beside, once, and again when there is another model.
"""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from dodona.annotation.project import Project
from dodona.data import Sentence
from dodona.data.marks import read_marks
from dodona.errors import DodonaError, OptionError
from dodona.parser.options import ParserOptions
from dodona.patterns.matcher import Pattern
from dodona.patterns.matches import match
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.processes import end_with_parent, process_context
from dodona.pipeline.training import TrainingPlan
from dodona.transitions.clock import look

__all__ = ["ORDERS", "Queue"]

MEASURES = ("doubt", "information")
ORDERS = ("file", *MEASURES, "suspects", "search")
MAX_STEPS = 100_000  # of a pattern in a sentence
BEFORE = 10  # items that are shown before a sentence that is looked for
FEWEST = 20  # sentences from which suspects can be told
NICENESS = 10

Result = dict[str, Any]


@dataclass
class QueueItem:
    """A sentence in a queue, why it is there, and the word that it is about."""

    sentence: int
    score: float | None = None
    why: str = ""
    word: int | None = None
    words: int = 0  # of the sentence when a suspect was found
    arc: tuple[int, str] | None = None  # what the word may have instead


@dataclass
class _Ranking:
    """An order that is worked out beside: how far it is, what is wrong, and what came out."""

    key: object  # of what: another model makes another ranking
    message: str = "begins"
    items: list[QueueItem] | None = None
    error: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)


class Queue:
    """The orders of a project's sentences."""

    def __init__(self, project: Project, lock: threading.RLock) -> None:
        self.project, self.lock = project, lock
        self._rankings: dict[str, _Ranking] = {}
        self._searched: tuple[tuple[str, int], list[QueueItem]] | None = None

    def select(
        self, order: str, pattern: str | None, first: int, count: int, pipeline: Pipeline, *,
        sentence: int | None = None, is_open: bool = False,
    ) -> Result:  # fmt: skip
        """Return some items of an order, where they begin, and at which place the next one is; while the order is being
        worked out, none, and how far that is. They begin at the place `first`; or shortly before this sentence, if it
        is there; or, with `is_open`, at the next one from there on that is not done. Places stay the same while items
        go because somebody has decided about them."""
        if order not in ORDERS:
            raise OptionError(f"order {order!r}; expected one of: {', '.join(ORDERS)}")
        if order == "file":
            with self.lock:
                items = [QueueItem(number) for number in self.project.order()]
        elif order == "search":
            items = self._search(pattern or "")
        else:
            ranking = self._rank(order, pipeline)
            if ranking.error:
                del self._rankings[order]
                raise OptionError(ranking.error)
            if ranking.items is None:
                return {"items": [], "first": 0, "next": None, "total": 0, "wait": ranking.message}
            items = ranking.items
        with self.lock:
            if order in MEASURES:  # sentences that were split off or reopened since come last
                ranked = {item.sentence for item in items}
                items = [*items, *(QueueItem(number) for number in self.project.order() if number not in ranked)]
            due = [(place, item) for place, item in enumerate(items) if self._is_due(item, order)]
            begin = self._find_begin(due, first, sentence, is_open)
            part = due[begin : begin + count]
            shown = [{"place": place} | self._describe(item) for place, item in part]
        following = due[begin + count][0] if begin + count < len(due) else None
        return {"items": shown, "first": due[begin][0] if part and begin else 0, "next": following, "total": len(due)}

    def _find_begin(self, due: Sequence[tuple[int, QueueItem]], first: int, sentence: int | None, is_open: bool) -> int:
        if sentence is not None:
            found = next((k for k, (_, item) in enumerate(due) if item.sentence == sentence), None)
            if found is not None:
                return max(0, found - BEFORE)
        later = (k for k, (place, _) in enumerate(due) if place >= first)
        if is_open:
            later = (k for k in later if not self.project.sentences[due[k][1].sentence].is_done)
        return next(later, len(due))

    def close(self) -> None:
        for ranking in self._rankings.values():
            ranking.stopped.set()

    def _is_due(self, item: QueueItem, order: str) -> bool:
        """Whether there is still something to be decided."""
        each = self.project.sentences.get(item.sentence)
        if each is None or order in ("file", "search"):
            return each is not None
        if order in MEASURES:
            return not each.is_done
        sentence = each.current
        return len(sentence) == item.words and "arc" not in read_marks(sentence.misc[(item.word or 1) - 1])

    def _describe(self, item: QueueItem) -> Result:
        each = self.project.sentences[item.sentence]
        sentence = each.current
        return {
            "sentence": item.sentence,
            "file": each.file,
            "text": sentence.text or " ".join(sentence.surface()),
            "status": "done" if each.is_done else "open",
            "score": None if item.score is None else round(item.score, 4),
            "why": item.why,
            "word": item.word,
            "form": sentence.words[item.word - 1] if item.word and item.word <= len(sentence) else None,
            "arc": item.arc,
        }

    def _search(self, text: str) -> list[QueueItem]:
        pattern = Pattern(text, MAX_STEPS)
        with self.lock:
            key = text, self.project.changes
            if self._searched is not None and self._searched[0] == key:
                return self._searched[1]
            sentences = [(number, self.project.sentences[number].current) for number in self.project.order()]
        items = []
        for number, sentence in sentences:
            look(0.0)
            for each in match(pattern, sentence):
                items.append(QueueItem(number, None, each.describe(), min(each.words(), default=None)))
        self._searched = key, items
        return items

    def _rank(self, order: str, pipeline: Pipeline) -> _Ranking:
        """Return a ranking, which is begun if there is none for this model."""
        with self.lock:
            key = pipeline if order in MEASURES else None
            ranking = self._rankings.get(order)
            if ranking is None or ranking.key is not key:
                if ranking is not None:
                    ranking.stopped.set()
                ranking = self._rankings[order] = _Ranking(key)
                wanted = [each for each in map(self.project.sentences.get, self.project.order()) if each is not None]
                work = self._work_out_suspects if order == "suspects" else self._work_out_measure
                picked = [
                    (each.number, each.current.copy()) for each in wanted if each.is_done == (order == "suspects")
                ]
                arguments = (work, ranking, order, picked, pipeline)
                threading.Thread(target=_run, args=arguments, name=f"dodona-{order}", daemon=True).start()
            return ranking

    def _work_out_measure(
        self, ranking: _Ranking, order: str, sentences: list[tuple[int, Sentence]], pipeline: Pipeline
    ) -> None:
        from dodona.annotation.informative import rank_sentences

        ranking.message = f"{len(sentences):,} sentences are being parsed"
        scores = rank_sentences(pipeline, [sentence for _, sentence in sentences], order)
        pairs = sorted(zip(scores, sentences, strict=True), key=lambda pair: -pair[0])
        ranking.items = [QueueItem(number, score, f"{order} {score:.2f}") for score, (number, _) in pairs]

    def _work_out_suspects(
        self, ranking: _Ranking, order: str, sentences: list[tuple[int, Sentence]], pipeline: Pipeline
    ) -> None:
        if len(sentences) < FEWEST:
            raise DodonaError(f"{len(sentences)} sentences are annotated; expected {FEWEST} at least to tell suspects")
        context: Any = process_context()
        receiver, sender = context.Pipe(duplex=False)
        treebank = [sentence for _, sentence in sentences]
        process = context.Process(target=_find_suspects, args=(treebank, sender), daemon=True)
        process.start()
        sender.close()
        try:
            while not ranking.stopped.is_set():
                if not receiver.poll(0.5):
                    continue
                kind, value = receiver.recv()
                if kind == "items":
                    ranking.items = [
                        QueueItem(sentences[k][0], score, why, word, len(sentences[k][1]), arc)
                        for k, score, why, word, arc in value
                    ]
                    return
                if kind == "error":
                    raise DodonaError(value)
                ranking.message = value
        except EOFError:
            raise DodonaError("the search for suspects has ended too early") from None
        finally:
            process.kill()
            process.join()


def _run(work: Callable[..., None], ranking: _Ranking, *arguments: Any) -> None:
    """Work something out in a thread; what goes wrong is told to whoever asks next."""
    try:
        work(ranking, *arguments)
    except DodonaError as error:
        ranking.error = str(error)
    except Exception as error:
        ranking.error = f"this failed: {type(error).__name__}: {error}"
        raise


def _find_suspects(sentences: list[Sentence], sender: Connection) -> None:
    """Find suspects, in a process of its own, so that pages are answered meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    with suppress(AttributeError, OSError):
        os.nice(NICENESS)
    from dodona.annotation.suspects import find_suspects

    try:
        tell = lambda done, total: sender.send(("message", f"{done} of {total} parsers are trained"))  # noqa: E731
        suspects = find_suspects(sentences, ParserOptions(), TrainingPlan(), callback=tell)
        sender.send(("items", [_summarize(each, sentences) for each in suspects]))
    except DodonaError as error:
        sender.send(("error", str(error)))


def _summarize(suspect: Any, sentences: Sequence[Sentence]) -> tuple[int, float, str, int, tuple[int, str]]:
    words = ["ROOT", *sentences[suspect.sentence].words]
    why = [f"perhaps {suspect.label} of {words[suspect.head]}", *suspect.reasons]
    return suspect.sentence, suspect.probability, "; ".join(why), suspect.word, (suspect.head, suspect.label)
