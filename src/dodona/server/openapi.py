"""The description of the interface: for programs, in the format of OpenAPI 3.1, and for people, as the page at `/api`.

What requests and answers have in them comes from their classes.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import msgspec

from dodona import __version__
from dodona.server.models import ModelList
from dodona.server.requests import MULTIPART, URLENCODED, NoFields
from dodona.server.service import JSON, Function
from dodona.server.udpipe import ProcessedText, ProcessRequest

__all__ = ["describe", "write_page"]

SCHEMAS = "#/components/schemas/"
ERRORS = {
    400: "The request is wrong; the answer says why.",
    408: "The request did not arrive in time.",
    413: "The request is too large.",
    429: "Too many requests of this client at a time; wait for an answer.",
    503: "The server is busy; try again after the seconds in Retry-After.",
    504: "The work took too long, and was stopped.",
}
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dodona: the interface</title>
<link rel="stylesheet" href="reference.css">
</head>
<body>
"""


class ErrorMessage(msgspec.Struct):
    """Why there is no result."""

    error: str


class Health(msgspec.Struct):
    """Whether the server is there."""

    status: str


class Readiness(msgspec.Struct):
    """Whether a request would be worked on now: the models are loaded, and there is room for one more."""

    status: str
    models: list[str]
    in_progress: int
    waiting: int


class Version(msgspec.Struct):
    """What runs: the versions of Dodona and Python, and the models with what they were trained on."""

    dodona: str
    python: str
    models: dict[str, str]


def describe(functions: Mapping[str, Function]) -> dict[str, Any]:
    kinds = [ErrorMessage, Health, Readiness, Version, ModelList, ProcessRequest, ProcessedText]
    kinds += [kind for function in functions.values() for kind in (function.request, function.answer)]
    _, schemas = msgspec.json.schema_components(kinds, ref_template=f"{SCHEMAS}{{name}}")
    text = {"text/plain": {"schema": {"type": "string"}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Dodona",
            "version": __version__,
            "summary": "Dependency parsing: the interface of UDPipe's REST service, and one with JSON.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            "/process": _describe_process(schemas[ProcessRequest.__name__], text),
            "/models": {"get": _describe_operation("The models, as UDPipe lists them.", ModelList)},
            **{f"/api/{name}": _describe_function(function) for name, function in functions.items()},
            "/health": {"get": _describe_operation("Whether the server is there.", Health)},
            "/ready": {"get": _describe_operation("Whether there is room for work; if not: 503.", Readiness)},
            "/version": {"get": _describe_operation("What runs: Dodona, Python, and the models.", Version)},
            "/metrics": {
                "get": {
                    "summary": "Counts and times, for Prometheus.",
                    "responses": {"200": {"description": "Text.", "content": text}},
                }
            },
        },
        "components": {"schemas": schemas},
    }


def _refer_to(kind: Any) -> dict[str, Any]:
    schema = {"$ref": f"{SCHEMAS}{kind.__name__}"} if isinstance(kind, type(msgspec.Struct)) else {"type": "object"}
    return {"schema": schema}


def _describe_operation(summary: str, answer: Any, failure: Any = None) -> dict[str, Any]:
    """Describe what an address answers; `failure` is the content of an error, if there are any."""
    responses: dict[str, Any] = {"200": {"description": "The result.", "content": {JSON: _refer_to(answer)}}}
    if failure is not None:
        responses |= {str(status): {"description": why, "content": failure} for status, why in ERRORS.items()}
    return {"summary": summary, "responses": responses}


def _describe_process(schema: Mapping[str, Any], failure: Any) -> dict[str, Any]:
    summary = "Tokenize, tag and parse, with the parameters and the answer of UDPipe's REST service."
    operation = _describe_operation(summary, ProcessedText, failure)
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": name in schema["required"],
            "allowEmptyValue": True,
            "description": field["description"],
            "schema": {"type": "string"},
        }
        for name, field in schema["properties"].items()
    ]
    content = dict.fromkeys((MULTIPART, URLENCODED), _refer_to(ProcessRequest))
    return {
        "get": operation | {"parameters": parameters},
        "post": operation | {"requestBody": {"required": True, "content": content}},
    }


def _describe_function(function: Function) -> dict[str, Any]:
    operation = _describe_operation(function.summary, function.answer, {JSON: _refer_to(ErrorMessage)})
    if function.request is NoFields:
        return {"get": operation, "post": operation}
    content = _refer_to(function.request) | {"example": function.example}
    return {"post": operation | {"requestBody": {"required": True, "content": {JSON: content}}}}


def write_page(description: Mapping[str, Any]) -> str:
    """Return the page as HTML; everything in it that is not written here is escaped."""
    info = description["info"]
    body = [
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{_write_prose(info['summary'])} The same for programs: <a href='api/openapi.json'>OpenAPI</a>. "
        "To try it: <a href='./'>the playground</a>.</p>",
    ]
    for path, methods in description["paths"].items():
        body += _write_path(path, methods, description["components"]["schemas"])
    return HEAD + "\n".join(body) + "\n</body>\n</html>\n"


def _write_path(path: str, methods: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    verbs = ", ".join(name.upper() for name in methods)
    *_, operation = methods.values()
    yield f"<h2><code>{escape(path)}</code> <small>{verbs}</small></h2>\n<p>{_write_prose(operation['summary'])}</p>"
    content = operation.get("requestBody", {}).get("content", {})
    names = {kind["schema"].get("$ref", "").removeprefix(SCHEMAS) for kind in content.values()}
    properties = [item for name in names & set(schemas) for item in schemas[name]["properties"].items()]
    fields = {name: field.get("description", "") for name, field in properties}
    if fields:
        yield "<dl>"
        for name, text in fields.items():
            yield f"<dt><code>{escape(name)}</code></dt><dd>{_write_prose(text)}</dd>"
        yield "</dl>"
    example = content.get(JSON, {}).get("example")
    if example is not None:
        data = shlex.quote(json.dumps(example))
        yield f"<pre>curl --json {escape(data)} http://127.0.0.1:8001{escape(path)}</pre>"
    elif "data" in fields:
        command = 'curl -F data="Oaks grow." -F tokenizer= -F tagger= -F parser='
        yield f"<pre>{escape(command)} http://127.0.0.1:8001{escape(path)}</pre>"


def _write_prose(text: str) -> str:
    """Return text as HTML; what stands between backticks is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))
