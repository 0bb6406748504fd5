"""Learning on the way: a model is trained on what is annotated, beside the work, and guesses from then on if it is
better on sentences that it has not seen.

`dodona train` trains, as a program of its own at low priority. One in ten of the sentences that are annotated as a
whole is held out, always the same ones, so that models can be compared over a project's life. Each training is a line
of the journal: the curve of accuracy against work is still there tomorrow.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dodona.annotation.agreement import measure_work
from dodona.annotation.project import Project
from dodona.data import Sentence
from dodona.data.conllu import write
from dodona.data.hashing import hash_text
from dodona.data.marks import OPEN, is_annotated, read_status
from dodona.errors import DodonaError
from dodona.evaluation.attachment import attachment, compare
from dodona.pipeline.pipeline import Pipeline

__all__ = ["MODEL", "BackgroundTraining"]

MODEL = "annotation.model"
HELD_OUT = 10  # one sentence in so many
FEWEST = 10  # sentences that must be annotated, and be held out of
NICENESS = 10
OPTIONS = ("--folds", "4", "--iterations", "10", "--jobs", "2", "--name", "annotation")  # quick rather than best
PROGRESS = re.compile(r"(tagger|lemmatizer|parser) ([0-9]+)/([0-9]+)")
SHARES = {"tagger": (0.0, 0.2), "lemmatizer": (0.2, 0.3), "parser": (0.5, 1.0)}  # of the time of a training


class BackgroundTraining:
    """Trains models for a project, one at a time. `pipeline` is the best of them that beats the first model."""

    def __init__(
        self, project: Project, lock: threading.RLock, first: Pipeline, retrain_after: int | None = None
    ) -> None:
        self.project, self.lock, self.first, self.retrain_after = project, lock, first, retrain_after
        self.pipeline: Pipeline | None = None
        self.state, self.message = "idle", ""
        self.progress: float | None = None
        self.curve: list[dict[str, float]] = []
        self._done = 0  # sentences since the last training
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False
        for line in project.trainings:
            self.curve.append(line["point"])
        if any(line["swapped"] for line in project.trainings) and (project.folder / MODEL).exists():
            self.pipeline = Pipeline.from_bytes((project.folder / MODEL).read_bytes())  # it may be replaced

    def describe(self) -> dict[str, Any]:
        return {"state": self.state, "message": self.message, "progress": self.progress, "curve": list(self.curve)}

    def count_done(self) -> None:
        """Count a sentence that is done; train if it is time."""
        self._done += 1
        if self.retrain_after is not None and self._done >= self.retrain_after:
            self.start()

    def start(self) -> dict[str, Any]:
        """Begin a training, unless one is running."""
        with self.lock:
            if self.state != "training" and not self._is_closed:
                self._done = 0
                self.state, self.message, self.progress = "training", "collecting what is annotated", 0.0
                self._thread = threading.Thread(target=self._run, name="dodona-learning", daemon=True)
                self._thread.start()
            return self.describe()

    def close(self) -> None:
        """End a training that is running."""
        self._is_closed = True
        if self._process is not None:
            with suppress(OSError):
                self._process.kill()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def wait(self, seconds: float) -> None:
        """Wait for the end of a training."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="dodona-") as folder:
                self._learn(Path(folder))
        except DodonaError as error:
            self.state, self.message = "failed", str(error)
        except Exception as error:
            self.state, self.message = "failed", f"{type(error).__name__}: {error}"
            raise
        finally:
            self.progress = None

    def _learn(self, folder: Path) -> None:
        with self.lock:
            training, held_out = collect(self.project)
        if len(training) < FEWEST or not held_out:
            count = len(training) + len(held_out)
            raise DodonaError(f"{count} sentences are annotated; expected {FEWEST + 1} at least, some of them whole")
        write(training, folder / "train.conllu")
        model = folder / MODEL
        self._train(folder / "train.conllu", model, training)
        if self._is_closed:
            return
        new = Pipeline.from_bytes(model.read_bytes())
        before, after = (score(pipeline, held_out) for pipeline in (self.pipeline or self.first, new))
        swapped = after > before
        point = self._make_point(training, held_out, after)
        if swapped:
            temporary = self.project.folder / f".{os.urandom(4).hex()}.{MODEL}"
            shutil.copyfile(model, temporary)
            os.replace(temporary, self.project.folder / MODEL)
        with self.lock:  # what takes longer is done before: pages wait here
            if self._is_closed:
                return
            self.project.write_training({"point": point, "swapped": swapped, "before": round(before, 2)})
            self.pipeline = new if swapped else self.pipeline
            self.curve.append(point)
        compared = f"LAS {after:.1f} on {len(held_out):,} held-out sentences, {before:.1f} before"
        self.message = f"{compared}; the new model guesses from now on" if swapped else f"{compared}; not taken"
        self.state = "better" if swapped else "worse"

    def _train(self, treebank: Path, model: Path, sentences: Sequence[Sentence]) -> None:
        """Run `dodona train`, and tell how far it is."""
        has = {
            "tagger": any(not sentence.lacks("upos") for sentence in sentences),
            "lemmatizer": any(not sentence.lacks("lemmas") for sentence in sentences),
        }
        components = ",".join([*(name for name, there in has.items() if there), "parser"])
        command = [sys.executable, "-m", "dodona", "train", str(treebank), "-o", str(model)]
        options = ["--components", components, *OPTIONS]
        with self.lock:
            if self._is_closed:
                return
            self._process = subprocess.Popen(
                [*command, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, encoding="utf-8", errors="replace", start_new_session=True,
            )  # fmt: skip
        with suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)
        assert self._process.stderr is not None
        last = ""
        for line in self._process.stderr:
            last = line.strip() or last
            self.message = last
            if match := PROGRESS.search(line):
                low, high = SHARES[match[1]]
                self.progress = low + (high - low) * int(match[2]) / int(match[3])
        status = self._process.wait()
        if status and not self._is_closed:
            fault = last.removeprefix("dodona: ")
            told = fault if fault != last else f"it ended with status {status} after “{last}”"
            raise DodonaError(f"the training has failed: {told}")

    def _make_point(self, training: Sequence[Sentence], held_out: Sequence[Sentence], las: float) -> dict[str, float]:
        words = sum(sum(is_annotated(sentence, "arc")) for sentence in training)
        words += sum(map(len, held_out))
        seconds = measure_work(self.project.journal.path)
        return {
            "sentences": len(training) + len(held_out),
            "words": words,
            "las": round(las, 2),
            "seconds": round(seconds),
        }


def collect(project: Project) -> tuple[list[Sentence], list[Sentence]]:
    """Return what a model can learn from, and the sentences that are held out: by their names, which they keep when
    somebody else changes a file. Of a few sentences by which chance holds out none, it is one."""
    training: list[Sentence] = []
    held_out: list[Sentence] = []
    for number in project.order():
        each = project.sentences[number]
        if each.is_done:
            is_held_out = _hash_name(each.current) % HELD_OUT == 0
            (held_out if is_held_out else training).append(each.current)
        elif each.has_marks and any(word.has("arc") for word in each.draft.words):
            training.append(each.draft.to_sentence())
    if not held_out:
        whole = [sentence for sentence in training if read_status(sentence.comments) != OPEN]
        held_out = sorted(whole, key=_hash_name)[:1]
        training = [sentence for sentence in training if sentence not in held_out]
    return training, held_out


def _hash_name(sentence: Sentence) -> int:
    return hash_text(sentence.sent_id or sentence.text or " ".join(sentence.words))


def score(pipeline: Pipeline, gold: Sequence[Sentence]) -> float:
    """Return the LAS of a model on sentences, with its own tags."""
    copies = [sentence.copy() for sentence in gold]
    for copy in copies:
        copy.set_comments(())
    parsed = list(pipeline.parse(copies, retag=True))
    return 100 * attachment(compare(gold, parsed))["LAS"].accuracy
