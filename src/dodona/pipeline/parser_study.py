"""The training of the parser of a pipeline: a look at the development data after each iteration, and checkpoints."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from dodona.components import parser_training
from dodona.components.calibrating import calibrate, held_back
from dodona.components.network_training import NetworkSource
from dodona.components.neural_model import NeuralModel
from dodona.components.parser import Parser
from dodona.components.parser_options import ParserOptions
from dodona.components.tagger import COLUMNS
from dodona.data import Sentence
from dodona.data.vectors import Vectors, read_vectors
from dodona.errors import FormatError
from dodona.pipeline.checkpoint import Checkpoint
from dodona.pipeline.steps import Callback, TrainingStep, nobody

__all__ = ["Advance", "ParserStudy", "Say", "say_nothing"]

PAUSE = 15.0  # seconds between checkpoints at least: each is large

Say = Callable[[str, int, int, str], None]
"""Called after each step with the component, the number of the step, the number of steps, and a message."""

Advance = Callable[[float, int], None]
"""Called often during the training of a network with the number of iterations that are done, and of all."""


def say_nothing(component: str, number: int, total: int, message: str) -> None:
    """A `Say` for those who do not want to be told."""


class Plan(Protocol):
    """The part of a `TrainingPlan` that is about the parser."""

    @property
    def patience(self) -> int | None: ...
    @property
    def vectors(self) -> str | Path | None: ...
    @property
    def vectors_size(self) -> float: ...
    @property
    def checkpoint(self) -> str | Path | None: ...
    @property
    def resume(self) -> bool: ...
    @property
    def max_length(self) -> int | None: ...


class ParserStudy:
    """The training of a parser. `dev` has gold tags, `seen` the same sentences with the tags that the parser sees."""

    def __init__(
        self,
        options: ParserOptions,
        plan: Plan,
        dev: Sequence[Sentence],
        seen: Sequence[Sentence],
        say: Say,
        progress: Advance = lambda done, planned: None,
        callback: Callback = nobody,
    ) -> None:
        self.callback = callback
        self.options, self.plan, self.say, self.progress = options, plan, say, progress
        self.dev, self.seen = dev, seen
        self.best: dict[str, Any] = {"LAS": -1.0}
        self.checkpoint: Checkpoint | None = None
        self.save_after = 0.0  # in the time of `monotonic`

    def trained(self, sentences: Sequence[Sentence], seen: Sequence[Sentence]) -> tuple[Parser, dict[str, Any]]:
        """Return the parser, its best iteration if there is development data, and its entry in the description.

        Without development data, some sentences are held back to calibrate its confidence.
        """
        sentences, seen = self._short_enough(sentences, seen)
        held = set() if self.dev else held_back(sentences)
        if held:
            self.say("parser", 0, 1, f"{len(held)} sentences held back to calibrate its confidence")
            apart = [seen[i] for i in sorted(held)]
            sentences, seen = ([s for i, s in enumerate(some) if i not in held] for some in (sentences, seen))
        source = self._source(sentences, seen) if self.options.scorer == "neural" else None
        parser = parser_training.train_parser(sentences, self.options, self.report, seen=seen, source=source)
        if held:
            calibrate(parser, apart)
        if not self.dev:
            return parser, {}
        parser = self.best["parser"]
        calibrate(parser, self.seen)
        if isinstance(parser.model, NeuralModel) and self.seen is not self.dev:
            parser.model.retags = _right(self.dev, parser.tagged(self.seen)) > _right(self.dev, self.seen)
        scores = {name: round(self.best[name], 2) for name in ("UAS", "LAS")}
        return parser, {"dev": scores, "iteration": self.best["number"]}

    def _short_enough(
        self, sentences: Sequence[Sentence], seen: Sequence[Sentence]
    ) -> tuple[Sequence[Sentence], Sequence[Sentence]]:
        """Return the sentences to learn from: an oracle may take very long for very long ones."""
        longest = self.plan.max_length
        if longest is None:
            return sentences, seen
        kept = [i for i, sentence in enumerate(sentences) if len(sentence) <= longest]
        if not kept:
            raise FormatError(f"all sentences are longer than {longest} words; expected some to train on")
        if len(kept) < len(sentences):
            self.say("parser", 0, 1, f"{len(sentences) - len(kept)} sentences of more than {longest} words left out")
        return [sentences[i] for i in kept], [seen[i] for i in kept]

    def _source(self, sentences: Sequence[Sentence], seen: Sequence[Sentence]) -> NetworkSource:
        """Read what the network begins with."""
        vectors = self._vectors(sentences) if self.plan.vectors is not None else None
        if self.plan.checkpoint is None:
            return NetworkSource(vectors, progress=self.progress)
        self.checkpoint = Checkpoint(self.plan.checkpoint, self.options, [sentences, seen, self.seen], vectors)
        if not self.plan.resume:
            return NetworkSource(vectors, progress=self.progress)
        state, self.best = self.checkpoint.load()
        self.say("parser", 0, 1, f"continuing after iteration {int(state['progress'][0])}")
        return NetworkSource(vectors, state, str(self.plan.checkpoint), self.progress)

    def _vectors(self, sentences: Sequence[Sentence]) -> Vectors:
        words = {word for sentence in sentences for word in sentence.words}
        path = str(self.plan.vectors)
        found = read_vectors(path, self.plan.vectors_size, words | {word.lower() for word in words})
        known = sum(word in words for word in found.words)
        kept = f"{len(found.words)} of {found.read} kept ({self.plan.vectors_size:g} MB)"
        self.say("vectors", 0, 1, f"{found.dimensions} dimensions, {kept}, {known} of them words of the treebank")
        return found

    def report(self, iteration: parser_training.ParserIteration) -> bool:
        """Say how far the parser is, keep it if it is the best so far, and return whether to stop."""
        unit = "steps" if self.options.beam == 1 else "sentences"
        message = f"{iteration.shown} of {iteration.steps} {unit} right"
        last = False
        uas: float | None = None
        las: float | None = None
        if self.dev:
            parser = iteration.parser()
            uas, las = parser.scores(self.seen)
            message += f", dev UAS {uas:.2f} LAS {las:.2f}"
            if las > self.best["LAS"]:
                self.best.update(UAS=uas, LAS=las, number=iteration.number, parser=parser)
            last = self.plan.patience is not None and iteration.number - self.best["number"] >= self.plan.patience
        if self.checkpoint is not None and iteration.state is not None and time.monotonic() >= self.save_after:
            self.checkpoint.save(iteration.state(), self.best)
            self.save_after = time.monotonic() + PAUSE
        self.say("parser", iteration.number, iteration.planned, message)
        accuracy = iteration.accuracy if iteration.steps else None
        step = TrainingStep("parser", iteration.number, iteration.planned, accuracy, uas, las)
        return bool(self.callback(step)) or last


def _right(gold: Sequence[Sentence], found: Sequence[Sentence]) -> int:
    """Return how many tags are right, in all three columns."""
    pairs = [(getattr(a, name), getattr(b, name)) for a, b in zip(gold, found, strict=True) for name in COLUMNS]
    return sum(one == other for a, b in pairs for one, other in zip(a, b, strict=True))
