"""The JSON interface and its description; what is wrong with a request is told in a sentence."""

import html
import json
import re
import shlex
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from samples.asgi import ask, call, json_of, list_bounds
from samples.small_models import linear, whole
from starlette.applications import Starlette

from dodona import DodonaError, Pipeline, Request
from dodona.server.app import FUNCTIONS, create_app
from dodona.server.models import AnnotatedText, AnnotateRequest, ModelList, Models
from dodona.server.openapi import Health, Readiness, Version, describe, write_page
from dodona.server.requests import NoFields
from dodona.server.service import Function
from dodona.server.udpipe import ProcessRequest

TEXT = "the dog sees a cat . a cat sleeps ."


@pytest.fixture(scope="module")
def models() -> Models:
    return Models({"whole": whole(), "parser": linear("arc-hybrid")})


@pytest.fixture(scope="module")
def app(models: Models) -> Starlette:
    return create_app(models)


def test_whole_texts_are_annotated(app: Starlette) -> None:
    answer = json_of(app, "/api/annotate", {"text": TEXT})
    assert answer == {"model": "whole", "sentences": [sentence.to_dict() for sentence in whole()(TEXT)]}
    words = json_of(app, "/api/annotate", {"words": [["a", "dog"], ["the"]], "model": "parser"})
    assert [[token["form"] for token in each["tokens"]] for each in words["sentences"]] == [["a", "dog"], ["the"]]
    given = "1\tdog\twolf\tX\t_\t_\t2\tobj\t_\t_\n2\tsees\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
    (kept,) = json_of(app, "/api/annotate", {"conllu": given, "constrained": True, "confidence": True})["sentences"]
    first, second = kept["tokens"]
    assert (first["upos"], first["head"], first["deprel"], first["confidence"]) == ("X", 2, "obj", 1.0)
    assert second["head"] == 0
    (again,) = json_of(app, "/api/annotate", {"conllu": given, "retag": True})["sentences"]
    assert again["tokens"][0]["upos"] != "X"
    assert again["tokens"][0]["confidence"] is None


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "nothing to parse; expected one of: text, words, conllu"),
        ({"text": "a", "words": [["a"]]}, "text and words; expected one of: text, words, conllu"),
        ({"text": 1}, "text: expected `str | null`, got `int`"),
        ({"words": "a"}, "words: expected `array | null`, got `str`"),
        ({"words": [["a", 1]]}, "words[0][1]: expected `str`, got `int`"),
        ({"words": [[]]}, "a sentence without words"),
        ({"words": [["a\tb"]]}, "a\\tb"),
        ({"words": [["a"] * 10_001]}, "A sentence of 10,001 words; expected at most 10,000."),
        ({"conllu": "x"}, "conllu:1: 1 columns"),
        ({"text": "a", "model": "nix"}, "there is no model 'nix'"),
        ({"text": "a", "model": 7}, "model: expected `str | null`, got `int`"),
        ({"text": "a", "retag": 1}, "retag: expected `bool`, got `int`"),
        ({"text": "a", "txet": 1}, "the request: object contains unknown field `txet`"),
        ({"text": "a", "\n" * 999: 1}, "unknown field `\\n\\n"),
        ({"text": "a", "model": "parser"}, "this model has no tokenizer"),
    ],
)
def test_bad_requests_to_annotate(models: Models, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(DodonaError) as caught:
        call("annotate", request_, models)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"text": ', "The request is not JSON: Input data was truncated."),
        (b"[1]", "the request: expected `object`, got `array`"),
        (b'"x"', "the request: expected `object`, got `str`"),
        (b'{"text": "\xff"}', "Byte 10 of the request is not UTF-8; expected JSON in UTF-8."),
        (b'{"text": NaN}', "The request is not JSON: JSON is malformed: invalid character (byte 9)."),
        (b'{"text": ' + b"[" * 100_000, "text: expected `str | null`, got `array`"),
        (b'{"text": ' + b"9" * 10_000 + b"}", "text: number out of range"),
        (b'{"text": "\\ud83d"}', "half a character (a lone surrogate)"),
        (b'{"text": "\\uDc00"}', "half a character (a lone surrogate)"),
    ],
)
def test_bodies_that_are_no_good_json(app: Starlette, body: bytes, message: str) -> None:
    reply = ask(app, "/api/annotate", body)
    assert (reply.status, reply.headers["content-type"]) == (400, "application/json")
    assert message in reply.json["error"]


def test_nesting_without_end_is_refused(models: Models) -> None:
    app = create_app(models, functions={"echo": Function(lambda request, models: request)})
    reply = ask(app, "/api/echo", b'{"text": ' + b"[" * 100_000)
    assert (reply.status, reply.json) == (
        400, {"error": "The request has nesting that no request needs; expected plain JSON."},
    )  # fmt: skip


def test_whole_characters_are_not_refused(app: Starlette) -> None:
    assert ask(app, "/api/annotate", b'\xef\xbb\xbf{"text": "\\ud83d\\ude00"}').status == 200


def test_an_error_of_dodona_is_an_answer_without_details(models: Models, caplog: pytest.LogCaptureFixture) -> None:
    def failing(request: dict[str, Any], models: Models) -> dict[str, Any]:
        raise RuntimeError("secret")

    reply = ask(create_app(models, functions={"fail": Function(failing)}), "/api/fail", b"{}")
    assert reply.status == 500
    assert reply.json == {"error": "The server failed; this is a fault of Dodona, and not of the request."}
    assert "secret" in caplog.text  # for whoever runs the server


def test_every_address_is_described_and_every_example_is_true(app: Starlette) -> None:
    description = ask(app, "/api/openapi.json", method="GET").json
    assert description["openapi"] == "3.1.0"
    served = {getattr(route, "path", "") for route in app.routes} - {
        "", "/api", "/api/openapi.json", "/api/process", "/reference.css",
    }  # fmt: skip
    assert set(description["paths"]) == served
    assert {f"/api/{name}" for name in FUNCTIONS} <= served
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = json.dumps(content["example"]).encode() if content else b""
            expected = 400 if path == "/process" else 200
            assert ask(app, path, body, method=method.upper()).status == expected, path
        if "get" not in methods:
            assert ask(app, path, method="GET").status == 405, path
    for reference in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(description)):
        assert reference in description["components"]["schemas"]


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "style")
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]


def test_the_page_of_the_interface_needs_nothing_from_elsewhere(app: Starlette) -> None:
    page = ask(app, "/api", method="GET")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for name in FUNCTIONS:
        assert f"/api/{name}" in page.text
    links = Links()
    links.feed(page.text)
    assert sorted(links.found) == ["./", "api/openapi.json", "reference.css"]
    for link in links.found:
        assert ask(app, f"/{link.removeprefix('./')}", method="GET").status == 200


# The description


def say(request: NoFields, models: Models) -> dict[str, Any]:
    return {}


def repeat(request: AnnotateRequest, models: Models) -> AnnotatedText:
    raise AssertionError


HOSTILE = "a <b> & `c <d>` \"e\" 'f'"
SHOWN = "a &lt;b&gt; &amp; <code>c &lt;d&gt;</code> &quot;e&quot; &#x27;f&#x27;"


def test_the_description_of_functions_in_full() -> None:
    functions = {"one<": Function(say, HOSTILE), "two": Function(repeat, HOSTILE, {"text": "it's <b> & `c`"})}
    description = describe(functions)
    error = {"schema": {"$ref": "#/components/schemas/ErrorMessage"}}
    errors = {
        "400": "The request is wrong; the answer says why.",
        "408": "The request did not arrive in time.",
        "413": "The request is too large.",
        "429": "Too many requests of this client at a time; wait for an answer.",
        "503": "The server is busy; try again after the seconds in Retry-After.",
        "504": "The work took too long, and was stopped.",
    }
    refused = {status: {"description": why, "content": {"application/json": error}} for status, why in errors.items()}
    good = {"description": "The result.", "content": {"application/json": {"schema": {"type": "object"}}}}
    one = {"summary": HOSTILE, "responses": {"200": good} | refused}
    answer = {"schema": {"$ref": "#/components/schemas/AnnotatedText"}}
    two = {
        "summary": HOSTILE,
        "responses": {"200": good | {"content": {"application/json": answer}}} | refused,
        "requestBody": {
            "required": True,
            "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/AnnotateRequest"}, "example": {"text": "it's <b> & `c`"},
            }},
        },
    }  # fmt: skip
    assert description["paths"]["/api/one<"] == {"get": one, "post": one}
    assert description["paths"]["/api/two"] == {"post": two}
    process = description["paths"]["/process"]
    names = [field.name for field in msgspec.structs.fields(ProcessRequest)]
    for method in ("get", "post"):
        plain = {"text/plain": {"schema": {"type": "string"}}}
        assert {k: v["content"] for k, v in process[method]["responses"].items() if k != "200"} == dict.fromkeys(
            errors, plain
        )
    parameters = process["get"]["parameters"]
    assert [each["name"] for each in parameters] == names
    assert [each["name"] for each in parameters if each["required"]] == ["data"]
    assert all(each["in"] == "query" and each["allowEmptyValue"] and each["description"] for each in parameters)
    assert {path: [*methods] for path, methods in description["paths"].items()} == {
        "/process": ["get", "post"], "/models": ["get"], "/api/one<": ["get", "post"], "/api/two": ["post"],
        "/health": ["get"], "/ready": ["get"], "/version": ["get"], "/metrics": ["get"],
    }  # fmt: skip
    kinds = {"/models": "ModelList", "/health": "Health", "/ready": "Readiness", "/version": "Version"}
    for path, kind in kinds.items():
        assert description["paths"][path]["get"]["responses"] == {
            "200": good | {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind}"}}}}
        }


def test_the_page_of_functions_in_full() -> None:
    """Whatever stands in a description, it is text there; and a command for the shell is one."""
    example = {"text": "it's <b> & `c`"}
    description = describe({"one<": Function(say, HOSTILE), "two": Function(repeat, HOSTILE, example)})
    fields = description["components"]["schemas"]["AnnotateRequest"]["properties"]
    fields["text"]["description"] = HOSTILE
    fields["a<b"] = {}
    page = write_page(description)
    sections = dict(re.findall(r"<h2><code>(.*?)</code> <small>(.*?)</small></h2>", page))
    assert sections == {
        "/process": "GET, POST", "/models": "GET", "/api/one&lt;": "GET, POST", "/api/two": "POST", "/health": "GET",
        "/ready": "GET", "/version": "GET", "/metrics": "GET",
    }  # fmt: skip
    one, two = (page.split(f"<h2><code>/api/{name}</code>")[1].split("<h2>")[0] for name in ("one&lt;", "two"))
    assert one == f" <small>GET, POST</small></h2>\n<p>{SHOWN}</p>\n"
    assert two.startswith(
        f" <small>POST</small></h2>\n<p>{SHOWN}</p>\n<dl>\n<dt><code>text</code></dt><dd>{SHOWN}</dd>\n"
    )
    assert "<dt><code>a&lt;b</code></dt><dd></dd>" in two
    (command,) = re.findall("<pre>(.*)</pre>", two)
    words = shlex.split(html.unescape(command))
    assert words == ["curl", "--json", json.dumps(example), "http://127.0.0.1:8001/api/two"]
    (command,) = re.findall("<pre>(.*)</pre>", page.split("<h2><code>/process</code>")[1].split("<h2>")[0])
    assert shlex.split(html.unescape(command)) == [
        "curl", "-F", "data=Oaks grow.", "-F", "tokenizer=", "-F", "tagger=", "-F", "parser=",
        "http://127.0.0.1:8001/process",
    ]  # fmt: skip
    assert page.endswith("\n</body>\n</html>\n")


def test_what_the_server_answers_is_what_it_describes(app: Starlette) -> None:
    """Every address that tells of the server itself, with all fields of its class."""
    for path, kind in (("/health", Health), ("/ready", Readiness), ("/version", Version), ("/models", ModelList)):
        reply = ask(app, path, method="GET")
        answer = msgspec.json.decode(reply.body, type=kind)
        assert msgspec.to_builtins(answer) == reply.json, path
    assert ask(app, "/health", method="GET").json == {"status": "ok"}


@pytest.mark.parametrize("name", ["text", "words", "conllu", "model", "confidence", "constrained", "retag"])
def test_every_field_of_annotate_arrives(name: str, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new one must be tried here."""
    assert {field.name for field in msgspec.structs.fields(AnnotateRequest)} == {
        "text", "words", "conllu", "model", "confidence", "constrained", "retag",
    }  # fmt: skip
    asked: list[tuple[Any, ...]] = []
    plain = Pipeline.parse

    def note(self: Pipeline, sentences: Any, request: Request | None = None, retag: bool = False) -> Any:
        name = next(name for name, each in models.pipelines.items() if each is self)
        asked.append((name, [each.words for each in sentences], request, retag))
        return plain(self, sentences, request, retag=retag)

    monkeypatch.setattr(Pipeline, "parse", note)
    conllu = "1\tdog\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    usual = ("whole", [["dog"]], Request(), False)
    given, expected = {
        "text": ({"text": "dog"}, usual),
        "words": ({"words": [["dog"]]}, usual),
        "conllu": ({"conllu": conllu}, usual),
        "model": ({"conllu": conllu, "model": "parser"}, ("parser", *usual[1:])),
        "confidence": ({"conllu": conllu, "confidence": True}, (*usual[:2], Request(confidence=True), False)),
        "constrained": ({"conllu": conllu, "constrained": True}, (*usual[:2], Request(constrained=True), False)),
        "retag": ({"conllu": conllu, "retag": True}, (*usual[:3], True)),
    }[name]
    call("annotate", given, models)
    assert asked == [expected]


BOUNDS: dict[str, set[str]] = {
    "models": {".*"},
    "annotate": {
        ".confidence =False", ".conllu =None", ".constrained =False", ".model =None", ".retag =False",
        ".text =None", ".words =None",
    },
    "parse": {".*", ".model ..100 =None", ".nbest 1..10 =1", ".text! ..20000"},
    "correct": {
        ".*", ".conllu! ..20000", ".given! ..400", ".given![] 3..3", ".given![][0] 0..400", ".given![][1] 0..400",
        ".model ..100 =None", ".rest =True",
    },
    "draw": {".*", ".conllu! ..20000", ".format svg|tikz ='svg'"},
    "search": {
        ".conllu =None", ".count ..5 =[]", ".limit 1..1000 =100", ".model =None", ".pattern! ..5000",
        ".text =None",
    },
    "systems": {".*"},
    "step": {
        ".*", ".heads! ..40", ".heads![] 0..40", ".labels ..40 =None", ".labels[] 1..60", ".moves ..3200 =[]",
        ".moves[] 1..120", ".options ={}", ".oracle ..100 =None", ".system! ..100", ".words! 1..40",
        ".words![] 1..60",
    },
    "lattice": {
        ".*", ".heads! ..40", ".heads![] 0..40", ".labels ..40 =None", ".labels[] 1..60", ".options ={}",
        ".oracle ..100 =None", ".system! ..100", ".words! 1..40", ".words![] 1..60",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDS)
def test_what_every_field_of_a_request_must_be(name: str) -> None:
    """Sizes and values without which a field cannot be, those that it has if it is missing, and whether there may be
    others. A new field must be named above."""
    assert list_bounds(FUNCTIONS[name]) == BOUNDS[name]
    assert BOUNDS.keys() == FUNCTIONS.keys()
