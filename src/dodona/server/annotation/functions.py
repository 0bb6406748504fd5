"""What the page of `dodona annotate` asks for, over HTTP: a project, its queue, sentences, and actions on them.

An action is answered when it is in the journal, on disk. One on a sentence that has changed since the page has seen it
is refused (409), with the sentence as it is now.
"""

from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from dodona.annotation.agreement import describe_status
from dodona.annotation.queue import ORDERS
from dodona.annotation.session import AnnotationSession, StaleVersionError
from dodona.server.models import Models
from dodona.server.requests import Conflict, NoFields
from dodona.server.service import Function

__all__ = ["INDEX", "PAGES", "list_functions"]

PAGES = (Path(__file__).parent / "page", Path(__file__).parent.parent / "playground" / "page")
"""Where the files of the page are: those that it shares with the playground are the playground's."""
INDEX = "annotate.html"
MAX_ITEMS, MAX_PATTERN, MAX_VALUE, MAX_WORDS = 500, 5_000, 1_000, 10_000

Answer = dict[str, Any]
SentenceNumber = Annotated[int, Meta(ge=1, description="The number of a sentence, which it keeps in its project.")]
PageName = Annotated[str, Meta(min_length=1, max_length=100, description="A random string that stands for the page.")]
WordNumber = Annotated[int, Meta(ge=0, le=MAX_WORDS)]
Value = Annotated[str, Meta(max_length=MAX_VALUE)]


class QueueRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """Some items of a queue."""

    order: Annotated[str, Meta(description=f"One of: {', '.join(ORDERS)}.")] = "file"
    pattern: Annotated[str, Meta(max_length=MAX_PATTERN)] | None = None
    first: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=0, le=MAX_ITEMS)] = 50
    sentence: Annotated[SentenceNumber | None, Meta(description="Begin shortly before this one, if it is there.")] = (
        None
    )
    is_open: Annotated[bool, Meta(description="Begin with the next one, from `first` on, that is not done.")] = False


class OpenRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A sentence for a page."""

    sentence: SentenceNumber
    page: PageName


class AnnotationAction(Struct, kw_only=True, forbid_unknown_fields=True):
    """What somebody does to a sentence: a kind, and the fields that it has."""

    kind: Annotated[str, Meta(max_length=40)]
    word: WordNumber | UnsetType = UNSET
    head: WordNumber | UnsetType = UNSET
    label: Value | UnsetType | None = UNSET
    column: Value | UnsetType = UNSET
    value: Value | UnsetType = UNSET
    words: Annotated[list[WordNumber], Meta(max_length=MAX_WORDS)] | UnsetType = UNSET
    columns: Annotated[list[Value], Meta(max_length=20)] | UnsetType = UNSET
    threshold: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    at: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    first: WordNumber | UnsetType = UNSET
    last: WordNumber | UnsetType = UNSET
    form: Value | UnsetType = UNSET
    name: Value | UnsetType = UNSET


class ActRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """An action on a sentence, of which the page has seen this version."""

    sentence: SentenceNumber
    version: Annotated[int, Meta(ge=0)]
    page: PageName
    action: AnnotationAction
    digest: Annotated[str, Meta(max_length=100, description="Of the view: no other guesses count.")] | None = None


class ChoicesRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a word could have in a column; labels also for another head than it has."""

    sentence: SentenceNumber
    word: WordNumber
    column: Value
    head: WordNumber | None = None


class SentenceRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A sentence."""

    sentence: SentenceNumber


class LeaveRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A page that is closed, or loaded anew under another name."""

    page: PageName


class AnnotationFunctions:
    """The functions of a session, by the names under which pages call them."""

    def __init__(self, session: AnnotationSession) -> None:
        self.session = session

    def project(self, request: NoFields, models: Models) -> Answer:
        return self.session.describe()

    def queue(self, request: QueueRequest, models: Models) -> Answer:
        queue, pipeline = self.session.queue, self.session.pipeline
        return queue.select(
            request.order, request.pattern, request.first, request.count, pipeline,
            sentence=request.sentence, is_open=request.is_open,
        )  # fmt: skip

    def open(self, request: OpenRequest, models: Models) -> Answer:
        return self.session.open(request.sentence, request.page)

    def leave(self, request: LeaveRequest, models: Models) -> Answer:
        self.session.leave(request.page)
        return {}

    def act(self, request: ActRequest, models: Models) -> Answer:
        action = {key: value for key, value in structs.asdict(request.action).items() if value is not UNSET}
        try:
            return self.session.act(request.sentence, request.version, request.page, action, request.digest)
        except StaleVersionError as error:
            raise Conflict(str(error), {"view": error.view}) from None

    def choices(self, request: ChoicesRequest, models: Models) -> Answer:
        return {"choices": self.session.choose(request.sentence, request.word, request.column, request.head)}

    def compare(self, request: SentenceRequest, models: Models) -> Answer:
        return {"versions": self.session.compare(request.sentence)}

    def check(self, request: SentenceRequest, models: Models) -> Answer:
        return {"problems": self.session.check(request.sentence)}

    def retrain(self, request: NoFields, models: Models) -> Answer:
        return self.session.learner.start()

    def learning(self, request: NoFields, models: Models) -> Answer:
        return self.session.learner.describe()

    def save(self, request: NoFields, models: Models) -> Answer:
        return {"files": self.session.save()}

    def status(self, request: NoFields, models: Models) -> Answer:
        with self.session.lock:
            return describe_status([self.session.project])


OPENED = {"sentence": 1, "page": "example"}
SET_ARC = {"kind": "arc", "word": 1, "head": 2, "label": "nsubj"}
SUMMARIES: dict[str, tuple[str, Answer | None]] = {
    "project": ("What is annotated: files, models, labels, and how much is done.", None),
    "queue": ("Sentences in the order of a queue, some at a time.", {"order": "file", "count": 10}),
    "open": ("A sentence with its words, marks, guesses and problems.", OPENED),
    "leave": ("A page is closed: its sentence is not open there any more.", {"page": "example"}),
    "act": ("An action on a sentence; answered when it is on disk.", {**OPENED, "version": 0, "action": SET_ARC}),
    "choices": (
        "What a word could have in a column, most likely first.",
        {"sentence": 1, "word": 1, "column": "label"},
    ),
    "compare": ("Other annotations of a sentence: of models, of the file, of others.", {"sentence": 1}),
    "check": ("What breaks UD's rules, with its guidelines if udtools is installed.", {"sentence": 1}),
    "retrain": ("Train a model on what is annotated, beside the work.", None),
    "learning": ("How far a training is, and the curve of accuracy against work.", None),
    "save": ("Write the files.", None),
    "status": ("What is done, by whom, how fast, and how far annotators agree.", None),
}


def list_functions(session: AnnotationSession) -> dict[str, Function]:
    """Return the functions of a session with their descriptions."""
    functions = AnnotationFunctions(session)
    return {name: Function(getattr(functions, name), *about) for name, about in SUMMARIES.items()}
