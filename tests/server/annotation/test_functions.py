"""The functions of `dodona annotate` over HTTP: answers, errors, conflicts, and the files of its page."""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest
from samples.annotated import make_folder, open_session
from samples.asgi import ask, json_of, list_bounds
from samples.small_models import whole
from starlette.applications import Starlette

from dodona.server.annotation.functions import PAGES, SUMMARIES, AnnotationAction, list_functions
from dodona.server.app import create_app
from dodona.server.models import Models
from dodona.server.service import Limits

ARC = {"kind": "arc", "word": 1, "head": 2, "label": "odd"}


@pytest.fixture
def app(tmp_path: Path) -> Starlette:
    session = open_session(make_folder(tmp_path / "p"))
    index = tmp_path / "page" / "annotate.html"
    index.parent.mkdir()
    index.write_text("<title>here</title>")
    (index.parent / "dom.js").write_text("// ours")
    pages = (index.parent, PAGES[1])
    limits = Limits(hosts=("localhost",))
    return create_app(Models({"whole": whole()}), limits, list_functions(session), pages, index.name)


def refuse(app: Starlette, name: str, request: Any) -> tuple[int, Any]:
    reply = ask(app, f"/api/{name}", json.dumps(request).encode())
    return reply.status, reply.json


def test_an_action_is_answered_with_the_sentence(app: Starlette) -> None:
    view = json_of(app, "/api/open", {"sentence": 4, "page": "a"})
    assert (view["version"], view["previous"], view["next"], view["other"]) == (0, None, 5, None)
    assert set(view["words"][0]) == {
        "form", "lemma", "upos", "xpos", "feats", "head", "label", "misc", "start", "end", "confidence", "marks",
    }  # fmt: skip
    request = {"sentence": 4, "version": 0, "page": "a", "action": ARC}
    after = json_of(app, "/api/act", request)
    assert (after["version"], after["words"][0]["label"], after["undo"]) == (1, "odd", True)
    status, conflict = refuse(app, "act", request | {"page": "b"})
    assert status == 409
    assert conflict["error"].startswith("This sentence has changed")
    assert conflict["view"]["version"] == 1
    assert json_of(app, "/api/save", {})["files"][1] == {"file": "new.conllu", "state": "written"}
    status_of = json_of(app, "/api/status", {})
    assert [each["actions"] for each in status_of["annotators"]] == [1]


FIELDS: dict[str, Any] = {
    "order": "suspects", "pattern": "pattern { V [upos=X] }", "first": 31, "count": 32, "sentence": 33, "is_open": True,
    "page": "a page", "version": 34, "digest": "a digest", "word": 35, "column": "upos", "head": 36, "action": {
        "kind": "a kind", "word": 41, "head": 42, "label": "a label", "column": "a column", "value": "a value",
        "words": [43, 44], "columns": ["one", "other"], "threshold": 0.45, "at": 46, "first": 47, "last": 48,
        "form": "a form", "name": "a name",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_field_of_a_request_reaches_the_session(name: str) -> None:
    """A new field must have a value here."""
    session = mock.MagicMock()
    session.act.return_value = session.open.return_value = {}
    function = list_functions(session)[name]
    fields = [field.name for field in msgspec.structs.fields(function.request)]
    if not fields:
        return
    request = msgspec.convert({field: FIELDS[field] for field in fields}, function.request)
    function.call(request, Models({"whole": whole()}))
    (called,) = session.method_calls
    given = [*called.args, *called.kwargs.values()]
    assert {field.name for field in msgspec.structs.fields(AnnotationAction)} == {*FIELDS["action"]}
    assert [FIELDS[field] for field in fields if FIELDS[field] not in given] == []


def test_every_function_answers(app: Starlette) -> None:
    project = json_of(app, "/api/project", {})
    assert project["orders"] == ["file", "doubt", "information", "suspects", "search"]
    items = json_of(app, "/api/queue", {"order": "file", "first": 1, "count": 2})
    assert [item["sentence"] for item in items["items"]] == [2, 3]
    assert json_of(app, "/api/choices", {"sentence": 4, "word": 1, "column": "label", "head": 2})["choices"]
    assert json_of(app, "/api/compare", {"sentence": 4})["versions"][0]["name"] == "model whole"
    assert json_of(app, "/api/check", {"sentence": 1})["problems"] is not None
    assert json_of(app, "/api/learning", {})["state"] == "idle"
    description = ask(app, "/api/openapi.json", method="GET").json
    assert "/api/act" in description["paths"]


@pytest.mark.parametrize(
    ("name", "request_", "message"),
    [
        ("open", {"sentence": 99, "page": "a"}, "there is no sentence 99"),
        ("open", {"sentence": 1}, "the request: object missing required field `page`"),
        ("open", {"sentence": 1, "page": "", "x": 1}, "page: expected `str` of length >= 1"),
        ("act", {"sentence": 1, "version": 0, "page": "a", "action": {"kind": "nix"}}, "action 'nix'; expected one of"),
        ("act", {"sentence": 1, "version": 0, "page": "a", "action": ARC | {"size": 1}}, "unknown field `size`"),
        ("act", {"sentence": 1, "version": 0, "page": "a", "action": ARC | {"head": 1}}, "cannot have the head 1"),
        ("act", {"sentence": 1, "version": 0, "page": "a", "action": ARC | {"label": "a\tb"}}, "without tabs"),
        ("queue", {"order": "nix"}, "order 'nix'; expected one of"),
        ("queue", {"order": "search", "pattern": "pattern {"}, "pattern"),
        ("choices", {"sentence": 1, "word": 99, "column": "head"}, "word 99; expected a number"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(app: Starlette, name: str, request_: Any, message: str) -> None:
    status, answer = refuse(app, name, request_)
    assert status == 400
    assert message in answer["error"]


def test_other_hosts_and_sites_are_refused(app: Starlette) -> None:
    assert ask(app, "/api/project", headers={"host": "evil.example"}).status == 400
    assert ask(app, "/api/save", headers={"origin": "http://evil.example"}).status == 403


def test_the_page_shares_files_with_the_playground(app: Starlette) -> None:
    assert ask(app, "/", method="GET").body == b"<title>here</title>"
    assert ask(app, "/dom.js", method="GET").body == b"// ours"
    assert ask(app, "/tree.js", method="GET").body == (PAGES[1] / "tree.js").read_bytes()
    assert ask(app, "/nothing.js", method="GET").status == 404
    assert ask(app, "/api/act", method="GET").status == 405


BOUNDS: dict[str, set[str]] = {
    "project": {".*"},
    "queue": {
        ".count 0..500 =50", ".first 0.. =0", ".is_open =False", ".order ='file'", ".pattern ..5000 =None",
        ".sentence 1.. =None",
    },
    "open": {".page! 1..100", ".sentence! 1.."},
    "leave": {".page! 1..100"},
    "act": {
        ".action!", ".action!.at 0..", ".action!.column ..1000", ".action!.columns ..20",
        ".action!.columns[] ..1000", ".action!.first 0..10000", ".action!.form ..1000", ".action!.head 0..10000",
        ".action!.kind! ..40", ".action!.label ..1000", ".action!.last 0..10000", ".action!.name ..1000",
        ".action!.threshold 0..1", ".action!.value ..1000", ".action!.word 0..10000", ".action!.words ..10000",
        ".action!.words[] 0..10000", ".digest ..100 =None", ".page! 1..100", ".sentence! 1..", ".version! 0..",
    },
    "choices": {".column! ..1000", ".head 0..10000 =None", ".sentence! 1..", ".word! 0..10000"},
    "compare": {".sentence! 1.."},
    "check": {".sentence! 1.."},
    "retrain": {".*"},
    "learning": {".*"},
    "save": {".*"},
    "status": {".*"},
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDS)
def test_what_every_field_of_a_request_must_be(name: str) -> None:
    """Sizes and values without which a field cannot be, those that it has if it is missing, and whether there may be
    others. A new field must be named above."""
    assert list_bounds(list_functions(mock.MagicMock())[name]) == BOUNDS[name]
    assert BOUNDS.keys() == SUMMARIES.keys()


CALLED = {
    "project": "describe", "queue": "queue.select", "open": "open", "leave": "leave", "act": "act", "choices": "choose",
    "compare": "compare", "check": "check", "retrain": "learner.start", "learning": "learner.describe", "save": "save",
}  # fmt: skip
KEYS = {"choices": "choices", "compare": "versions", "check": "problems", "save": "files"}


@pytest.mark.parametrize("name", CALLED)
def test_every_function_answers_with_what_the_session_says(name: str) -> None:
    """And with nothing else; as it is, or under the name that pages look for."""
    assert CALLED.keys() == SUMMARIES.keys() - {"status"}
    session = mock.MagicMock()
    function = list_functions(session)[name]
    fields = [field.name for field in msgspec.structs.fields(function.request)]
    request = msgspec.convert({field: FIELDS[field] for field in fields}, function.request)
    answer = function.call(request, Models({"whole": whole()}))
    (called,) = session.mock_calls
    assert called[0] == CALLED[name]
    said = session
    for part in CALLED[name].split("."):
        said = getattr(said, part)
    said = said.return_value
    assert answer == ({} if name == "leave" else {KEYS[name]: said} if name in KEYS else said)
