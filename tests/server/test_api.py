"""The JSON interface and its description; what is wrong with a request is told in a sentence."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from samples.asgi import ask, call, json_of
from samples.small_models import linear, whole
from starlette.applications import Starlette

from dodona import DodonaError
from dodona.server.app import FUNCTIONS, create_app
from dodona.server.models import Models
from dodona.server.service import Function

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
