"""Annotating: a project, the models that guess, and what pages ask for.

Several threads may use a session; one at a time changes it. What models work out for many sentences, and training, runs
beside it.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dodona.annotation.draft import Draft, join, split
from dodona.annotation.guesses import Frequencies, complete, find_choices, fit_xpos
from dodona.annotation.learning import BackgroundTraining
from dodona.annotation.project import Project, ProjectSentence, Stored, restore
from dodona.annotation.queue import ORDERS, Queue
from dodona.data import Sentence
from dodona.data.marks import ASPECTS
from dodona.data.ud import UNIVERSAL_TAGS
from dodona.errors import DodonaError, OptionError
from dodona.pipeline.pipeline import Pipeline
from dodona.validation.rules import Finding
from dodona.validation.validator import has_udtools, validate_chunks

__all__ = ["THRESHOLD", "AnnotationSession", "StaleVersionError"]

THRESHOLD = 0.9  # from which on a guess may be accepted unseen
OPEN_SECONDS = 600.0  # after which a page that has not been heard of counts as closed
ABOUT_SENTENCES = (
    *("sent-id", "parallel-id", "newdoc", "newpar", "missing-text", "multiple-text", "empty-text"),
    *("text-trailing", "text-extra", "only-sometimes"),
)
"""Parts of the names of rules that are not about a word."""
APPROVING = ("confirm", "accept", "done")  # kinds of actions that make guesses count: they must have been seen
LEVEL = 2  # of the rules that are checked after each action; higher ones need a program that takes a second to start

SHOWN = ("form", "lemma", "upos", "xpos", "feats", "head", "label")
Action = Mapping[str, Any]
View = dict[str, Any]


class StaleVersionError(DodonaError):
    """An action on a sentence that has changed since the page has seen it, or on guesses that have."""

    def __init__(self, view: View) -> None:
        super().__init__("This sentence has changed since this page has shown it; look at it again")
        self.view = view


@dataclass
class _OpenPage:
    sentence: int
    seen: float


class AnnotationSession:
    """A project that is worked on, with the models by their names; the first one guesses, until a better one is
    trained."""

    def __init__(
        self,
        project: Project,
        models: Mapping[str, Pipeline],
        retrain_after: int | None = None,
        beside: Sequence[Project] = (),
    ) -> None:
        """`beside` are copies of the project that others have annotated; pages can compare them."""
        if not models:
            raise OptionError("no model; expected at least one")
        self.project = project
        self.models = dict(models)
        self.lock = threading.RLock()
        self.frequencies = Frequencies()
        for each in project.sentences.values():
            self.frequencies.add(each.current)
        self._beside = _collect_versions(beside)
        self._pages: dict[str, _OpenPage] = {}
        self._guessed: dict[int, Pipeline] = {}  # by which model the guesses of a sentence are
        self.learner = BackgroundTraining(project, self.lock, next(iter(self.models.values())), retrain_after)
        self.queue = Queue(project, self.lock)

    @property
    def pipeline(self) -> Pipeline:
        """The model that guesses."""
        return self.learner.pipeline or self.learner.first

    def close(self) -> None:
        """End what runs beside, and let go of the journal."""
        self.learner.close()
        self.queue.close()
        with self.lock:
            self.project.close()

    # what pages ask for

    def describe(self) -> dict[str, Any]:
        """Return what a page has to know about the project."""
        with self.lock:
            files = []
            for name, file in self.project.files.items():
                done = sum(self.project.sentences[number].is_done for number in file.numbers)
                files.append({"file": name, "sentences": len(file.numbers), "done": done})
            labels = dict.fromkeys([*self.frequencies.list_values("label"), *self.pipeline.parser.tree_labels])
            upos = dict.fromkeys([*self.frequencies.list_values("upos"), *UNIVERSAL_TAGS])
            return {
                "annotator": self.project.name,
                "files": files,
                "models": [*self.models, *(["retrained"] if self.learner.pipeline is not None else [])],
                "labels": list(labels),
                "upos": list(upos),
                "orders": list(ORDERS),
                "threshold": THRESHOLD,
                "sentences": sum(file["sentences"] for file in files),
                "done": sum(file["done"] for file in files),
                "rules": 3 if has_udtools() else LEVEL,
                "learning": self.learner.describe(),
            }

    def open(self, number: int, page: str) -> View:
        """Return a sentence, with guesses of the model that guesses now."""
        with self.lock:
            each = self.project.get(number)
            self._refresh(each)
            self._pages[page] = _OpenPage(number, time.monotonic())
            return self._view(each, page)

    def leave(self, page: str) -> None:
        """Forget a page that is closed, so that nobody is told that it has a sentence open."""
        with self.lock:
            self._pages.pop(page, None)

    def act(self, number: int, version: int, page: str, action: Action, digest: str | None = None) -> View:
        """Do an action, and return the sentence after it; when this returns, the action is on disk. With the digest of
        what the page shows, guesses that it does not show are not approved of: a better model may have come since."""
        with self.lock:
            each = self.project.get(number)
            self._refresh(each)
            is_unseen = action.get("kind") in APPROVING and digest not in (None, each.draft.digest)
            if version != each.version or is_unseen:
                raise StaleVersionError(self._view(each, page))
            before = each.draft
            shown = self._do(each, action)
            self._pages[page] = _OpenPage(shown, time.monotonic())
            after = self.project.get(shown)
            self._guessed[shown] = self.pipeline
            view = self._view(after, page, _list_changed(before, after.draft))
        if action.get("kind") == "done":
            self.learner.count_done()
        return view

    def choose(self, number: int, word: int, column: str, head: int | None) -> list[dict[str, Any]]:
        """Return what a word could have in a column, most likely first."""
        with self.lock:
            each = self.project.get(number)
            self._refresh(each)
            choices = find_choices(each.draft, word, column, head, self.pipeline, self.frequencies)
        return [{"value": value, "probability": probability} for value, probability in choices]

    def compare(self, number: int) -> list[dict[str, Any]]:
        """Return other annotations of a sentence: those of models, of the file, of other annotators, and before."""
        with self.lock:
            each = self.project.get(number)
            draft = each.draft
            versions = self._list_versions(each, draft)
        return [
            {"name": name, "heads": None, "labels": None, "upos": None}
            if other is None or other.forms != draft.forms
            else {
                "name": name,
                "heads": other.heads,
                "labels": [word.label for word in other.words],
                "upos": [word.upos for word in other.words],
            }
            for name, other in versions.items()
        ]

    def check(self, number: int) -> list[dict[str, Any]]:
        """Return what breaks the rules of UD, its guidelines too if udtools is installed, which takes a second."""
        with self.lock:
            draft = self.project.get(number).draft
        return find_problems(draft, 3 if has_udtools() else LEVEL)

    def save(self) -> list[dict[str, str]]:
        with self.lock:
            return [{"file": file, "state": state} for file, state in self.project.save().items()]

    # how it is done

    def _refresh(self, each: ProjectSentence) -> None:
        """Guess again, if the guesses of a sentence are not those of the model that guesses now."""
        if self._guessed.get(each.number) is not self.pipeline:
            draft = self._complete(each.draft).follow_arcs(each.draft)
            if draft != each.draft:
                self.project.refresh(each.number, draft)
            self._guessed[each.number] = self.pipeline

    def _do(self, each: ProjectSentence, action: Action) -> int:
        """Do an action; returns the number of the sentence to be shown after it."""
        kind = action.get("kind")
        if kind in ("undo", "redo"):
            move = self.project.undo if kind == "undo" else self.project.redo
            touched = self.project.find_touched(each.number, str(kind))
            before = [self.project.sentences[number].current for number in touched if number in self.project.sentences]
            shown = move(each.number)
            after = [self.project.sentences[number].current for number in touched if number in self.project.sentences]
            self._count(before, after)
            return shown
        try:
            results = self._work_out(each, action)
        except KeyError as error:
            raise OptionError(f"action {kind!r} without {error}; expected that field") from None
        if all(number == each.number and draft == each.draft for number, draft in results):
            return each.number
        known = [self.project.sentences[number] for number, _ in results if number in self.project.sentences]
        before = [other.current for other in known]
        self.project.commit(action, results)
        self._count(before, [draft.to_sentence() for _, draft in results if draft is not None])
        return each.number

    def _count(self, before: Sequence[Sentence], after: Sequence[Sentence]) -> None:
        """Let the frequencies be those of the sentences as they are now."""
        for sentences, times in ((before, -1), (after, 1)):
            for sentence in sentences:
                self.frequencies.add(sentence, times)

    def _work_out(self, each: ProjectSentence, action: Action) -> list[tuple[int, Draft | None]]:
        """Return what an action makes of a sentence, and of others."""
        number, draft = each.number, each.draft
        kind = action.get("kind")
        if kind == "split_sentence":
            name = self.project.make_sent_id(draft.find_comment("sent_id"))
            first, second = split(draft, action["word"], name)
            return [(number, self._complete(first)), (self.project.make_number(), self._complete(second))]
        if kind == "join_sentence":
            _, following = self.project.neighbours(number)
            if following is None:
                raise OptionError("this is the last sentence of the file; there is none to join it with")
            joined = join(draft, self.project.get(following).draft)
            return [(number, self._complete(joined)), (following, None)]
        if kind == "take":
            return [(number, self._take(each, action["name"]).follow_arcs(draft))]
        edit = EDITS.get(str(kind))
        if edit is None:
            known = [*EDITS, "split_sentence", "join_sentence", "take", "undo", "redo"]
            raise OptionError(f"action {kind!r}; expected one of: {', '.join(sorted(known))}")
        edited = edit(draft, action) if kind != "accept" else self._accept(draft, action["threshold"])
        if kind == "set" and action["column"] == "upos" and action["value"] != draft.words[action["word"] - 1].upos:
            edited = fit_xpos(edited, action["word"], self.frequencies)
        return [(number, edited if edited == draft else self._complete(edited).follow_arcs(draft))]

    def _complete(self, draft: Draft) -> Draft:
        return complete(draft, self.pipeline, self.frequencies)

    def _accept(self, draft: Draft, threshold: float) -> Draft:
        return draft.accept(lambda k, aspect: self.frequencies.share(k, aspect, draft), threshold)

    def _take(self, each: ProjectSentence, name: str) -> Draft:
        draft = each.draft
        versions = self._list_versions(each, draft)
        other = versions.get(name)
        if other is None or other.forms != draft.forms or None in other.heads:
            usable = [key for key, value in versions.items() if value is not None and value.forms == draft.forms]
            raise OptionError(f"no tree {name!r} for these words; expected one of: {', '.join(usable)}")
        return draft.take([head for head in other.heads if head is not None], [word.label for word in other.words])

    def _list_versions(self, each: ProjectSentence, draft: Draft) -> dict[str, Draft | None]:
        versions: dict[str, Draft | None] = {}
        bare = Draft(tuple(type(word)(word.form) for word in draft.words))
        named = [*self.models.items(), *([("retrained", self.pipeline)] if self.learner.pipeline is not None else [])]
        for name, pipeline in named:
            versions[f"model {name}"] = complete(bare, pipeline, Frequencies())
        if each.sentence is not None:
            versions["as in the file"] = Draft.from_sentence(each.sentence)
        others = self._beside.get((Path(each.file).name, draft.name), {}) | each.by
        for name in sorted(others):
            if name != self.project.name:
                versions[f"annotator {name}"] = restore(others[name])
        if each.undo:
            steps = [step for step in each.undo[-1].steps if step.number == each.number]
            versions["before the last change"] = restore(steps[0].before)
        return versions

    def _view(self, each: ProjectSentence, page: str, changed: Sequence[int] = ()) -> View:
        draft = each.draft
        offsets: Sequence[tuple[int | None, int | None]] = draft.offsets or [(None, None)] * len(draft.words)
        previous, following = self.project.neighbours(each.number)
        words = []
        for k, (word, (start, end)) in enumerate(zip(draft.words, offsets, strict=True), start=1):
            sure = {
                aspect: None if word.has(aspect) or draft.is_done else self.frequencies.share(k, aspect, draft)
                for aspect in ("arc", "upos", "feats", "lemma")
            }
            columns = {name: getattr(word, name) for name in SHOWN}
            marks = dict(zip(ASPECTS, word.marks, strict=True))
            extent = {"misc": word.misc, "start": start, "end": end}
            words.append({**columns, **extent, "confidence": sure, "marks": marks})
        return {
            "sentence": each.number,
            "version": each.version,
            "digest": draft.digest,
            "file": each.file,
            "sent_id": draft.find_comment("sent_id"),
            "text": draft.text,
            "status": "done" if draft.is_done else "open",
            "words": words,
            "multiword": [[token.first, token.last, token.form] for token in draft.multiword],
            "changed": list(changed),
            "problems": find_problems(draft, LEVEL),
            "undo": bool(each.undo),
            "redo": bool(each.redo),
            "other": self._find_other(each.number, page),
            "previous": previous,
            "next": following,
        }

    def _find_other(self, number: int, page: str) -> str | None:
        """Return who has a sentence open in another page."""
        latest = time.monotonic() - OPEN_SECONDS
        self._pages = {name: each for name, each in self._pages.items() if each.seen > latest}
        is_open = any(name != page and each.sentence == number for name, each in self._pages.items())
        return self.project.name if is_open else None


EDITS: dict[str, Callable[[Draft, Action], Draft]] = {
    "arc": lambda draft, a: draft.set_arc(a["word"], a["head"], a.get("label")),
    "set": lambda draft, a: draft.set_value(a["word"], a["column"], a["value"]),
    "confirm": lambda draft, a: draft.confirm(a.get("words") or (), a.get("columns") or ()),
    "release": lambda draft, a: draft.release(a.get("words") or (), a.get("columns") or ()),
    "accept": lambda draft, a: draft,  # by confidence, which a draft has not
    "done": lambda draft, a: draft.finish(),
    "reopen": lambda draft, a: draft.open_up(),
    "split_token": lambda draft, a: draft.split_token(a["word"], a["at"]),
    "merge_tokens": lambda draft, a: draft.merge_tokens(a["first"], a["last"]),
    "multiword": lambda draft, a: draft.make_multiword(a["first"], a["last"], a["form"]),
    "remove_multiword": lambda draft, a: draft.remove_multiword(a["first"]),
}
"""What actions make of a draft."""


def _collect_versions(projects: Sequence[Project]) -> dict[tuple[str, str], dict[str, Stored]]:
    """Return what others have left of each sentence in their copies of a project, by name of file and sentence."""
    versions: dict[tuple[str, str], dict[str, Stored]] = {}
    for project in projects:
        for each in project.sentences.values():
            for name, stored in each.by.items():
                draft = restore(stored)
                if draft is not None:
                    versions.setdefault((Path(each.file).name, draft.name), {})[name] = draft
    return versions


def _list_changed(before: Draft, after: Draft) -> list[int]:
    """Return the words whose guesses are others than before."""
    if before.forms != after.forms:
        return []
    return [
        k
        for k, (old, new) in enumerate(zip(before.words, after.words, strict=True), start=1)
        if (not new.has("arc") and (old.head, old.label) != (new.head, new.label))
        or any(not new.has(name) and getattr(old, name) != getattr(new, name) for name in ("upos", "feats", "lemma"))
    ]


def find_problems(draft: Draft, level: int) -> list[dict[str, Any]]:
    """Return what in a sentence breaks the rules of UD up to a level."""
    data = draft.to_sentence().to_bytes()
    rows = data.decode().split("\n")
    return [
        {"word": _find_word(rows, each), "level": each.level, "rule": each.rule, "message": _describe(each)}
        for each in validate_chunks([data], "sentence", level=level, jobs=1)
    ]


def _find_word(rows: Sequence[str], finding: Finding) -> int | None:
    """Return the word that a finding is about; None if it is about the sentence."""
    if any(part in finding.rule for part in ABOUT_SENTENCES):
        return None
    row = rows[finding.line - 1] if 0 < finding.line <= len(rows) else "#"
    number = row.partition("\t")[0].partition("-")[0].partition(".")[0]
    return int(number) if number.isdecimal() and int(number) else None


def _describe(finding: Finding) -> str:
    expected = f"expected {finding.expected}" if finding.expected else ""
    return "; ".join(part for part in (finding.value, expected) if part) or finding.rule
