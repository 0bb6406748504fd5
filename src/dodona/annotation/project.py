"""A project: files of CoNLL-U as they are, a journal beside them, and every sentence with its history.

The journal has the whole state of each sentence after each action, so that it can be replayed without a model. Two more
kinds of lines tie it to the files: `file` when a file is met for the first time, or was changed by somebody else, with
what is carried over then, and `saving` before a file is replaced. Each has the digest of the bytes and the numbers of
the sentences. Whatever moment the machine dies at, the bytes on disk are those of one of these lines, and what came
after it is replayed.
"""

import hashlib
import os
import stat
import time
import warnings
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from dodona.annotation.draft import Draft
from dodona.annotation.journal import JOURNAL, Journal, Line
from dodona.data import Sentence
from dodona.data.conllu import read_conllu, write
from dodona.data.files import bare_name, chunks, name_errors, sync
from dodona.data.marks import OPEN, read_status
from dodona.data.stream import only_sentences
from dodona.data.ud import CONFIDENCE
from dodona.errors import FormatError, FormatWarning, OptionError, name_faults

__all__ = [
    "EVENTS",
    "SET_ASIDE",
    "Change",
    "Project",
    "ProjectSentence",
    "SentenceChange",
    "Stored",
    "find_files",
    "restore",
]

SET_ASIDE = "annotation.set-aside.conllu"
DIGEST_LETTERS = 16
EVENTS = ("act", "undo", "redo")  # lines of the journal about what somebody has done
Stored = Draft | Mapping[str, Any] | None
"""A draft, or as the journal has it; None where there is no sentence."""


def restore(stored: Stored) -> Draft | None:
    """Return what is stored as a draft."""
    if stored is None or isinstance(stored, Draft):
        return stored
    with name_faults(f"{JOURNAL}: a state of a sentence cannot be read"):
        return Draft.from_json(stored, JOURNAL)


class SentenceChange(NamedTuple):
    """What a change makes of a sentence."""

    number: int
    before: Stored
    after: Stored


class Change(NamedTuple):
    """An action: a step for each sentence that it is about. The first one is there before and after; others may come
    into being behind it, or go."""

    steps: tuple[SentenceChange, ...]


@dataclass
class ProjectSentence:
    """A sentence of a project: as it is in the file, and as it was edited since."""

    number: int
    file: str
    sentence: Sentence | None  # as in the file; None: not there yet
    stored: Stored = None  # the draft
    version: int = 0
    in_journal: bool = False  # whether the draft is the one that the journal has
    undo: list[Change] = field(default_factory=list)
    redo: list[Change] = field(default_factory=list)
    by: dict[str, Stored] = field(default_factory=dict)  # the last state that each annotator has left
    done: bool | None = None  # None: not known yet
    written: tuple[Draft, Sentence] | None = None  # a draft, and the sentence that it is

    @property
    def draft(self) -> Draft:
        if self.stored is None:
            assert self.sentence is not None
            self.stored = Draft.from_sentence(self.sentence)
        self.stored = draft = restore(self.stored)
        assert draft is not None
        return draft

    @property
    def current(self) -> Sentence:
        """The sentence as it would be written now: the bytes of the file, if nothing was decided."""
        if self.sentence is not None and not self.undo and not self.redo:
            return self.sentence
        draft = self.draft
        if self.written is None or self.written[0] is not draft:
            self.written = draft, draft.to_sentence()
        return self.written[1]

    @property
    def is_done(self) -> bool:
        """Whether all of it is annotated."""
        if self.done is None:
            if self.stored is not None or self.sentence is None:
                self.done = self.draft.is_done
            else:
                status = read_status(self.sentence.comments)
                is_guessed = CONFIDENCE in "|".join(self.sentence.misc)
                self.done = status != OPEN and (status is not None or not (is_guessed or None in self.sentence.heads))
        return self.done

    @property
    def has_marks(self) -> bool:
        """Whether something of an open sentence may be annotated; that nothing is, can be seen quickly."""
        if self.stored is not None or self.sentence is None:
            return True
        misc = "|".join(self.sentence.misc)
        is_partial = read_status(self.sentence.comments) is None and CONFIDENCE not in misc
        return is_partial or "Confirmed=" in misc or "Changed=" in misc

    @property
    def digest(self) -> str | None:
        """Stands for the bytes of the sentence in the file."""
        return None if self.sentence is None else _digest_sentence(self.sentence)


class Manner(NamedTuple):
    """How a file is written, which its sentences keep when they are written anew: a byte order mark, the ends of lines,
    and comments after the last sentence."""

    bom: bytes = b""
    line_end: bytes = b"\n"
    tail: bytes = b""

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> "Manner":
        if not sentences:
            return cls()
        before, _ = sentences[0].enclosing()
        _, after = sentences[-1].enclosing()
        bom = BOM_UTF8 if before.startswith(BOM_UTF8) else b""
        return cls(bom, b"\r\n" if b"\r\n" in sentences[0].to_bytes() else b"\n", after)

    def apply(self, sentence: Sentence, is_first: bool, is_last: bool, where: str) -> Sentence:
        """Return a sentence that was made anew as it is in the file."""
        if self == Manner():
            return sentence
        data = sentence.to_bytes().replace(b"\n", self.line_end)
        data = (self.bom if is_first else b"") + data + (self.tail if is_last else b"")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)  # said when the file was read
            (made,) = only_sentences(read_conllu([data], where))
        return made


@dataclass
class ProjectFile:
    """A file, the numbers of its sentences in their order, and the digest of its bytes when they were read."""

    path: Path
    numbers: list[int]
    digest: str
    manner: Manner
    is_changed: bool = False


class Base(NamedTuple):
    """A line of the journal that says which bytes a file had."""

    place: int
    kind: str
    digest: str
    numbers: list[int]
    carried: list[Line]  # what was done to sentences that are still the same


def find_files(arguments: Sequence[str]) -> tuple[Path, list[Path]]:
    """Return the folder of a project, where its journal is, and its files: those of a folder, or the given ones."""
    if not arguments:
        raise OptionError("no folder and no files; expected a folder with CoNLL-U, or files")
    first = Path(arguments[0])
    if first.is_dir():
        if len(arguments) > 1:
            raise OptionError(f"{first}: a folder, and more; expected one folder, or files")
        names = [
            path for path in sorted(first.iterdir()) if bare_name(path.name).endswith(".conllu") and path.is_file()
        ]
        return first, [path for path in names if not path.name.startswith((".", "annotation."))]
    for name in arguments:
        if not Path(name).is_file():
            wrong = "a folder among files" if Path(name).is_dir() else "there is no such file"
            raise FormatError(f"{name}: {wrong}; expected a folder with CoNLL-U, or files")
    return first.parent, [Path(name) for name in dict.fromkeys(arguments)]


def digest_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Project:
    """The sentences of some files, with their histories. It belongs to one thread at a time."""

    def __init__(
        self,
        folder: Path,
        files: Sequence[Path],
        name: str,
        clock: Callable[[], float] = time.time,
        writes: bool = True,
    ) -> None:
        """Open a project; without `writes`, only to look at it, while somebody else may work on it."""
        self.folder, self.name, self.clock = folder, name, clock
        self._writes = writes
        self.messages: list[str] = []  # for whoever has opened it
        self.files: dict[str, ProjectFile] = {}
        self.sentences: dict[int, ProjectSentence] = {}
        self._gone: dict[int, ProjectSentence] = {}  # that an action has joined to others
        self._sent_ids: set[str] | None = None
        self._highest = 0
        self.changes = 0  # how many there were
        self.journal = Journal(folder / JOURNAL, writes)
        try:
            if self.journal.torn:
                self.messages.append(
                    f"{self.journal.path}: the last line was torn, and is cut off; nothing else is lost"
                )
            lines, self.journal.lines = self.journal.lines, []
            self.trainings = [line for line in lines if line["kind"] == "training"]
            self._highest = max((_highest_number(line) for line in lines), default=0)
            for path in files:
                self._read_file(path, lines)
            for name in dict.fromkeys(line["file"] for line in lines if line["kind"] in EVENTS):
                if name not in self.files and not (folder / name).exists():
                    told = "has work on it, which stays there, but the file is gone"
                    self.messages.append(f"{folder / name}: {self.journal.path.name} {told}")
        except BaseException:
            self.journal.close()
            raise

    # reading

    def _read_file(self, path: Path, lines: Sequence[Line]) -> None:
        name = os.path.relpath(path, self.folder).replace(os.sep, "/")
        with name_errors(str(path), "read"):
            digest = digest_bytes(path.read_bytes())
        sentences = list(only_sentences(read_conllu(chunks(path), str(path))))
        bases = [
            Base(place, line["kind"], line["digest"], _expand(line["numbers"]), line.get("carried", []))
            for place, line in enumerate(lines)
            if line["kind"] in ("file", "saving") and line["file"] == name
        ]
        start = next((base for base in reversed(bases) if base.kind == "file"), None)
        matched = next((base for base in reversed(bases) if base.digest == digest), None)
        events = [(place, line) for place, line in enumerate(lines) if line["kind"] in EVENTS and line["file"] == name]
        if start is None or matched is None or matched.place < start.place:
            self._begin_file(name, path, digest, sentences)
            carried = [] if start is None else self._carry_over(name, sentences, start, bases[-1], events)
            self._write_base("file", name, digest, carried)  # in one line, so that all of it is there, or nothing
            self._take_over(carried)
            return
        if len(matched.numbers) != len(sentences):
            raise FormatError(f"{self.journal.path}: {name} has {len(sentences)} sentences, not {len(matched.numbers)}")
        by_number = dict(zip(matched.numbers, sentences, strict=True))
        self.files[name] = ProjectFile(path, list(start.numbers), digest, Manner.of(sentences))
        for number in start.numbers:
            self.sentences[number] = ProjectSentence(number, name, by_number.get(number))
        with self._naming(start.place, "what was carried over"):
            self._take_over(start.carried)
        is_carried = matched.place == start.place and any("after" in each for each in start.carried)
        for place, line in events:
            if place > start.place:
                with self._naming(place, f"{line['kind']} of sentence {line['sentence']}"):
                    self._replay(line)
        self.files[name].is_changed = is_carried or any(place > matched.place for place, _ in events)
        for number, sentence in by_number.items():
            each = self.sentences.get(number) or self._gone.get(number)
            if each is not None:
                each.sentence = sentence

    def _begin_file(self, name: str, path: Path, digest: str, sentences: Sequence[Sentence]) -> None:
        numbers = list(range(self._highest + 1, self._highest + 1 + len(sentences)))
        self._highest += len(sentences)
        self.files[name] = ProjectFile(path, numbers, digest, Manner.of(sentences))
        for number, sentence in zip(numbers, sentences, strict=True):
            self.sentences[number] = ProjectSentence(number, name, sentence)

    def _write_base(self, kind: str, name: str, digest: str, carried: Sequence[Line] = ()) -> None:
        numbers = _shorten(self.files[name].numbers)
        line = {"kind": kind, "time": self.clock(), "file": name, "digest": digest, "numbers": numbers}
        self.journal.write(line | ({"carried": list(carried)} if carried else {}))

    def _naming(self, place: int, what: str) -> AbstractContextManager[None]:
        """Let what is wrong with a line of the journal be an error that names it."""
        return name_faults(f"{self.journal.path}:{place + 1}: {what} does not fit the lines before it")

    def _replay(self, line: Line) -> None:
        number = line["sentence"]
        if line["kind"] == "act":
            for given in line["steps"]:
                if "before" in given:
                    self.sentences[given["sentence"]].stored = given["before"]
            steps = tuple(
                SentenceChange(
                    given["sentence"],
                    self.sentences[given["sentence"]].stored if given["sentence"] in self.sentences else None,
                    given["after"],
                )
                for given in line["steps"]
            )
            self._do(Change(steps), line["name"])
        elif line["kind"] == "undo":
            self._undo(number, line["name"])
        else:
            self._redo(number, line["name"])

    def _take_over(self, carried: Sequence[Line]) -> None:
        """Let sentences have what was done to them in another state of their file, by whoever did it."""
        for given in carried:
            each = self.sentences[given["sentence"]]
            if "after" in given:
                self._do(Change((SentenceChange(each.number, given["before"], given["after"]),)), self.name)
            each.by = dict(given["by"])

    def _carry_over(
        self, name: str, sentences: Sequence[Sentence], start: Base, last: Base, events: list[tuple[int, Line]]
    ) -> list[Line]:
        """Somebody else has changed a file. Return what the journal has to say about sentences that are still the same:
        who has annotated them how, and what was not saved. What was not saved of the others is set aside."""
        path = self.files[name].path
        scratch = Project.__new__(Project)
        scratch.files = {name: ProjectFile(path, list(start.numbers), "", Manner())}
        scratch.sentences = {number: ProjectSentence(number, name, None) for number in start.numbers}
        scratch.name, scratch._gone, scratch.changes = self.name, {}, 0
        scratch._take_over(start.carried)
        unsaved: dict[int, str | None] = {}  # with what stands for the sentence in the file before
        if last.place == start.place:
            unsaved = {each["sentence"]: each["digest"] for each in start.carried if "after" in each}
        for place, line in events:
            with self._naming(place, f"{line['kind']} of sentence {line['sentence']}"):
                if place > start.place:
                    scratch._replay(line)
                if place > last.place:
                    for number, digest in line["was"].items():
                        unsaved.setdefault(int(number), digest)
        states = {number: each for number, each in scratch.sentences.items() if each.by}
        numbers = self.files[name].numbers
        as_read = _group(numbers, (_digest_sentence(sentence) for sentence in sentences))
        carried: list[Line] = []
        aside: list[Sentence] = []
        for number, digest in unsaved.items():
            if number not in states:  # joined to another one since
                continue
            targets = as_read.get(digest or "", [])
            draft = states[number].draft
            if len(targets) == 1:
                own = self.sentences[targets[0]]
                more = {"before": own.draft.to_json(), "after": draft.to_json(), "digest": digest}
                carried.append(_describe_carried(own, states[number]) | more)
            else:
                aside.append(draft.to_sentence())
        count = len(carried)
        saved = {number: each for number, each in states.items() if number not in unsaved}
        if saved:
            as_written = _group(
                numbers, (_digest_sentence(Draft.from_sentence(each).to_sentence()) for each in sentences)
            )
            for each in saved.values():
                targets = as_written.get(_digest_sentence(each.draft.to_sentence()), [])
                if len(targets) == 1:
                    carried.append(_describe_carried(self.sentences[targets[0]], each))
        if not unsaved:
            self.messages.append(f"{path}: changed since; it is read as it is now")
            return carried
        self.messages.append(f"{path}: changed since; {count} sentences that were not saved are carried over")
        if aside:
            there = self.folder / SET_ASIDE
            self._set_aside(aside, there)
            self.messages.append(f"{path}: {len(aside)} sentences that were not saved are others now; see {there}")
        return carried

    def _set_aside(self, sentences: Sequence[Sentence], path: Path) -> None:
        """Add sentences to a file, unless it has them already: whoever died here does it once more."""
        if not self._writes:
            return
        before = list(only_sentences(read_conllu(chunks(path), str(path)))) if path.exists() else []
        known = {sentence.to_bytes() for sentence in before}
        write([*before, *(sentence for sentence in sentences if sentence.to_bytes() not in known)], path)
        sync(path)

    # looking

    def get(self, number: int) -> ProjectSentence:
        if number not in self.sentences:
            raise OptionError(f"there is no sentence {number}")
        return self.sentences[number]

    def order(self) -> Iterator[int]:
        """Yield the numbers of all sentences, file by file."""
        for file in self.files.values():
            yield from file.numbers

    def neighbours(self, number: int) -> tuple[int | None, int | None]:
        """Return the sentences before and after one in its file."""
        numbers = self.files[self.get(number).file].numbers
        place = numbers.index(number)
        after = numbers[place + 1] if place + 1 < len(numbers) else None
        return numbers[place - 1] if place else None, after

    def make_sent_id(self, like: str | None) -> str | None:
        """Return a name for a new sentence, like that of another one, which no sentence has."""
        if like is None:
            return None
        if self._sent_ids is None:
            names = (each.current.sent_id for each in self.sentences.values())
            self._sent_ids = {name for name in names if name is not None}
        k = 2
        while f"{like}-{k}" in self._sent_ids:
            k += 1
        self._sent_ids.add(f"{like}-{k}")
        return f"{like}-{k}"

    def make_number(self) -> int:
        """Return the number of a new sentence."""
        self._highest += 1
        return self._highest

    # changing

    def refresh(self, number: int, draft: Draft) -> None:
        """Replace the guesses of a sentence by better ones. That is no action: nobody has decided anything."""
        each = self.get(number)
        each.stored, each.in_journal = draft, False

    def commit(self, action: Mapping[str, Any], results: Sequence[tuple[int, Draft | None]]) -> None:
        """Make an action's results those of the project; when this returns, they are on disk."""
        steps, lines = [], []
        for number, after in results:
            each = self.sentences.get(number)
            before = None if each is None else each.draft
            line: Line = {"sentence": number, "after": None if after is None else after.to_json()}
            if each is not None and before is not None and not each.in_journal:
                line["before"] = before.to_json()
            steps.append(SentenceChange(number, before, after))
            lines.append(line)
        self._write_event("act", results[0][0], [number for number, _ in results], action=dict(action), steps=lines)
        self._do(Change(tuple(steps)), self.name)

    def find_touched(self, number: int, way: str) -> list[int]:
        """Return the sentences that undo or redo of one would be about."""
        return [step.number for step in self._last(number, way).steps]

    def undo(self, number: int) -> int:
        """Take the last action on a sentence back; returns the first sentence that it was about."""
        change = self._last(number, "undo")
        self._write_event("undo", number, [step.number for step in change.steps])
        return self._undo(number, self.name)

    def redo(self, number: int) -> int:
        change = self._last(number, "redo")
        self._write_event("redo", number, [step.number for step in change.steps])
        return self._redo(number, self.name)

    def _write_event(self, kind: str, number: int, touched: Iterable[int], **more: Any) -> None:
        each = self.get(number)
        was = {str(n): self.sentences[n].digest for n in touched if n in self.sentences}
        about = {"kind": kind, "time": self.clock(), "name": self.name, "file": each.file, "sentence": number}
        self.journal.write(about | {"was": was} | more)

    def write_training(self, about: Line) -> None:
        """Note a training, and what came of it."""
        self.journal.write({"kind": "training", "time": self.clock(), "name": self.name} | about)

    def _last(self, number: int, way: str) -> Change:
        """Return the action that can be taken back, or done again."""
        changes: list[Change] = getattr(self.get(number), way)
        if not changes:
            raise OptionError(f"there is nothing to {way}")
        for step in changes[-1].steps:
            each = self.sentences.get(step.number) or self._gone[step.number]
            others: list[Change] = getattr(each, way)
            if not others or others[-1] is not changes[-1]:
                raise OptionError(f"sentence {step.number} was changed since; expected {way} there first")
        return changes[-1]

    def _do(self, change: Change, name: str) -> None:
        self._apply(change, name, forward=True)
        for step in change.steps:
            each = self.sentences.get(step.number) or self._gone[step.number]
            each.undo.append(change)
            each.redo.clear()

    def _undo(self, number: int, name: str) -> int:
        return self._move(self._last(number, "undo"), name, forward=False)

    def _redo(self, number: int, name: str) -> int:
        return self._move(self._last(number, "redo"), name, forward=True)

    def _move(self, change: Change, name: str, forward: bool) -> int:
        self._apply(change, name, forward)
        for step in change.steps:
            each = self.sentences.get(step.number) or self._gone[step.number]
            source, target = (each.redo, each.undo) if forward else (each.undo, each.redo)
            target.append(source.pop())
        return change.steps[0].number

    def _apply(self, change: Change, name: str, forward: bool) -> None:
        anchor = self.sentences[change.steps[0].number]
        file = self.files[anchor.file]
        for number, before, after in change.steps:
            state = after if forward else before
            if state is None:
                file.numbers.remove(number)
                self._gone[number] = self.sentences.pop(number)
                self._gone[number].version += 1
                continue
            if number not in self.sentences:
                file.numbers.insert(file.numbers.index(anchor.number) + 1, number)
                if number in self._gone:
                    self.sentences[number] = self._gone.pop(number)
                else:
                    self.sentences[number] = ProjectSentence(number, anchor.file, None)
            each = self.sentences[number]
            each.stored, each.in_journal, each.done = state, True, None
            each.by[name] = state
            each.version += 1
        file.is_changed = True
        self.changes += 1

    # writing

    def save(self) -> dict[str, str]:
        """Write the files that have changed, each whole or not at all; returns what became of each. One that somebody
        else has changed meanwhile stays as it is, and its changes stay in the journal."""
        return {name: self._save(name, file) for name, file in self.files.items()}

    def _save(self, name: str, file: ProjectFile) -> str:
        if not file.is_changed:
            return "unchanged"
        target = Path(os.path.realpath(file.path))
        try:
            if digest_bytes(target.read_bytes()) != file.digest:
                return "changed on disk"
        except FileNotFoundError:
            return "changed on disk"
        sentences = {number: self._make_for(number, file) for number in file.numbers}
        temporary = target.with_name(f".{os.urandom(4).hex()}.{target.name}")
        try:
            write(sentences.values(), temporary)
            with name_errors(str(file.path)):
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
                data = temporary.read_bytes()
                sync(temporary)
                self._write_base("saving", name, digest_bytes(data))
                os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        file.digest, file.is_changed = digest_bytes(data), False
        for number, sentence in sentences.items():
            self.sentences[number].sentence = sentence
        return "written"

    def _make_for(self, number: int, file: ProjectFile) -> Sentence:
        """Return a sentence as it is to be written: its bytes in the file, unless something was decided."""
        each = self.sentences[number]
        if each.current is each.sentence:
            return each.sentence
        is_first, is_last = number == file.numbers[0], number == file.numbers[-1]
        return file.manner.apply(each.current, is_first, is_last, str(file.path))

    def close(self) -> None:
        self.journal.close()


def _digest_sentence(sentence: Sentence) -> str:
    return digest_bytes(sentence.to_bytes())[:DIGEST_LETTERS]


def _group(numbers: Iterable[int], keys: Iterable[str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for number, key in zip(numbers, keys, strict=True):
        groups.setdefault(key, []).append(number)
    return groups


def _describe_carried(each: ProjectSentence, former: ProjectSentence) -> Line:
    """Return which sentence this one was before, and what each annotator has left of it."""
    by = {name: state.to_json() if isinstance(state, Draft) else state for name, state in former.by.items()}
    return {"sentence": each.number, "from": former.number, "by": by}


def _shorten(numbers: Sequence[int]) -> list[list[int]]:
    """Return numbers as runs: the first one, and how many."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][0] + runs[-1][1] == number:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    return runs


def _expand(runs: Sequence[Sequence[int]]) -> list[int]:
    return [number for first, count in runs for number in range(first, first + count)]


def _highest_number(line: Line) -> int:
    if line["kind"] in ("file", "saving"):
        return max((first + count - 1 for first, count in line["numbers"]), default=0)
    return max((step["sentence"] for step in line.get("steps", ())), default=0)
