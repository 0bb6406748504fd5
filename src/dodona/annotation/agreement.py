"""What is done in a project, by whom, how fast; and how far two annotators agree.

Agreement is over the words whose arcs both have annotated: the share with the same head (UAS), with the same head and
relation (LAS), with the same relation, and Cohen's kappa of the relations, which leaves out what two people would have
in common by chance: (p - e) / (1 - e), where p is the share of words with the same relation, and e what that share
would be if each of them chose relations at random, as often as they do.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from dodona.annotation.journal import Line, read_journal
from dodona.annotation.project import EVENTS, Project, restore
from dodona.tables import Table

__all__ = ["Agreement", "describe_status", "measure_agreement", "measure_work", "status_tables"]

PAUSE = 300.0  # seconds without an action that count as no work
LEAST = 60.0  # seconds of work from which on it can be said how fast it is

Key = tuple[str, str]
Arc = tuple[int, str]
Arcs = dict[int, Arc]  # by word
Annotated = Mapping[Key, tuple[list[str], Arcs]]
"""The forms and the annotated arcs of sentences."""


@dataclass(frozen=True)
class Agreement:
    """How far two annotators agree, in percent; kappa is a number up to 1, None where it is not defined."""

    sentences: int
    words: int
    uas: float | None
    las: float | None
    labels: float | None
    kappa: float | None


@dataclass
class WorkDone:
    """What somebody has done."""

    name: str
    actions: int = 0
    seconds: float = 0.0
    done: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)
    last: float = 0.0


def measure_agreement(first: Annotated, second: Annotated) -> Agreement:
    """Compare two annotations of the same sentences; those with other words, and words that only one of them has
    annotated, are left out."""
    pairs: list[tuple[Arc, Arc]] = []
    sentences = 0
    for key, (forms, arcs) in first.items():
        if key not in second or second[key][0] != forms:
            continue
        others = second[key][1]
        shared = [(arc, others[word]) for word, arc in arcs.items() if word in others]
        sentences += bool(shared)
        pairs += shared
    if not pairs:
        return Agreement(0, 0, None, None, None, None)
    n = len(pairs)
    same = [(one[0] == other[0], one[1] == other[1]) for one, other in pairs]
    labels = sum(label for _, label in same) / n
    return Agreement(
        sentences,
        n,
        100 * sum(head for head, _ in same) / n,
        100 * sum(head and label for head, label in same) / n,
        100 * labels,
        find_kappa([(one[1], other[1]) for one, other in pairs]),
    )


def find_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's kappa of the choices of two people; None if both have always made the same one."""
    n = len(pairs)
    observed = sum(one == other for one, other in pairs)
    ours, theirs = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(ours[label] * theirs[label] for label in ours)  # times n²
    return None if expected == n * n else (observed * n - expected) / (n * n - expected)


def list_work(lines: Iterable[Line]) -> dict[str, WorkDone]:
    """Return what each annotator has done, by the lines of a journal. Pauses are no work."""
    work: dict[str, WorkDone] = {}
    for line in lines:
        if line["kind"] not in EVENTS:
            numbers = {each["from"]: each["sentence"] for each in line.get("carried", ())}
            for own in work.values():
                own.done, own.touched = ({numbers.get(n, n) for n in some} for some in (own.done, own.touched))
            continue
        own = work.setdefault(line["name"], WorkDone(line["name"]))
        if own.last and 0 < line["time"] - own.last < PAUSE:
            own.seconds += line["time"] - own.last
        own.last = line["time"]
        own.actions += 1
        own.touched.add(line["sentence"])
        if line["kind"] == "act" and line["action"].get("kind") == "done":
            own.done.add(line["sentence"])
    return work


def measure_work(journal: Path) -> float:
    """Return how many seconds were worked on a project, by all."""
    return sum(own.seconds for own in list_work(read_journal(journal)[0]).values())


def describe_status(projects: Sequence[Project]) -> dict[str, Any]:
    """Return what is done in some projects, by whom, and how far annotators agree. Sentences of several projects are
    the same if they have the same name in files of the same name."""
    files, annotators = [], []
    annotated: dict[str, dict[Key, tuple[list[str], Arcs]]] = {}
    for project in projects:
        files += [_describe_file(project, name) for name in project.files]
        for name, own in list_work([*read_journal(project.journal.path)[0], *project.journal.unwritten]).items():
            annotators.append(_describe_work(own, project))
            annotated.setdefault(name, {}).update(_list_annotated(project, name))
    agreement = [
        {"first": one, "second": other, **asdict(measured)}
        for one, other in combinations(sorted(annotated), 2)
        if (measured := measure_agreement(annotated[one], annotated[other])).words
    ]
    return {"files": files, "annotators": annotators, "agreement": agreement}


def _describe_file(project: Project, name: str) -> dict[str, Any]:
    file = project.files[name]
    sentences = [project.sentences[number] for number in file.numbers]
    arcs = sum(
        len(each.current) if each.is_done else sum(word.has("arc") for word in each.draft.words)
        for each in sentences
        if each.is_done or each.has_marks
    )
    return {
        "file": str(file.path),
        "sentences": len(sentences),
        "done": sum(each.is_done for each in sentences),
        "words": sum(len(each.current) for each in sentences),
        "arcs": arcs,
        "saved": not file.is_changed,
    }


def _describe_work(own: WorkDone, project: Project) -> dict[str, Any]:
    done = [each for each in map(project.sentences.get, own.done) if each is not None and each.is_done]  # still
    words = sum(len(each.draft.words) for each in done)
    hours = own.seconds / 3600
    return {
        "name": own.name,
        "actions": own.actions,
        "sentences": len(own.touched),
        "done": len(done),
        "words": words,
        "hours": round(hours, 2),
        "words_per_hour": round(words / hours) if own.seconds >= LEAST and words else None,
        "last": round(own.last),
    }


def _list_annotated(project: Project, name: str) -> dict[Key, tuple[list[str], Arcs]]:
    """Return what an annotator has left of each sentence."""
    annotated = {}
    for number in project.order():
        each = project.sentences[number]
        draft = restore(each.by.get(name))
        if draft is None:
            continue
        arcs = {
            k: (word.head, word.label)
            for k, word in enumerate(draft.words, start=1)
            if draft.counts(k, "arc") and word.head is not None
        }
        annotated[Path(each.file).name, draft.name] = (draft.forms, arcs)
    return annotated


def status_tables(status: Mapping[str, Any]) -> list[Table]:
    """Return the status for people."""
    files = [
        (each["file"], each["sentences"], each["done"], each["words"], each["arcs"], "yes" if each["saved"] else "no")
        for each in status["files"]
    ]
    work = [
        (each["name"], each["actions"], each["sentences"], each["done"], each["hours"], each["words_per_hour"])
        for each in status["annotators"]
    ]
    agreement = [
        (
            f"{each['first']} and {each['second']}",
            *(each[key] for key in ("sentences", "words", "uas", "las", "labels")),
            None if each["kappa"] is None else f"{each['kappa']:.3f}",
        )
        for each in status["agreement"]
    ]
    columns: tuple[str, ...] = ("", "sentences", "done", "words", "annotated arcs", "saved")
    tables = [Table(columns, files, "Files", "progress")]  # "files" are those that tables are about
    if work:
        columns = ("", "actions", "sentences", "done", "hours", "words per hour")
        tables.append(Table(columns, work, "Annotators", "annotators"))
    if agreement:
        columns = ("", "sentences", "words", "UAS", "LAS", "relations", "kappa")
        tables.append(Table(columns, agreement, "Agreement", "agreement"))
    return tables
