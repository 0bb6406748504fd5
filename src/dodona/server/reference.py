"""The page at `/api`: the description of the interface for people, made from the one for programs."""

import json
import shlex
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

__all__ = ["reference_page"]

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


def reference_page(description: Mapping[str, Any]) -> str:
    """Return the page as HTML; everything in it that is not written here is escaped."""
    info = description["info"]
    body = [
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{_prose(info['summary'])} The same for programs: <a href='api/openapi.json'>OpenAPI</a>. "
        "To try it: <a href='./'>the playground</a>.</p>",
    ]
    for path, methods in description["paths"].items():
        body += _path(path, methods)
    return HEAD + "\n".join(body) + "\n</body>\n</html>\n"


def _path(path: str, methods: Mapping[str, Any]) -> Iterator[str]:
    names = ", ".join(name.upper() for name in methods)
    *_, operation = methods.values()
    yield f"<h2><code>{escape(path)}</code> <small>{names}</small></h2>\n<p>{_prose(operation['summary'])}</p>"
    content = operation.get("requestBody", {}).get("content", {})
    fields = {name: text for kind in content.values() for name, text in _fields(kind["schema"])}
    if fields:
        yield "<dl>"
        yield from (f"<dt><code>{escape(name)}</code></dt><dd>{_prose(text)}</dd>" for name, text in fields.items())
        yield "</dl>"
    example = content.get("application/json", {}).get("example")
    if example is not None:
        data = shlex.quote(json.dumps(example))
        yield f"<pre>curl --json {escape(data)} http://127.0.0.1:8001{escape(path)}</pre>"
    elif "data" in fields:
        command = 'curl -F data="Oaks grow." -F tokenizer= -F tagger= -F parser='
        yield f"<pre>{escape(command)} http://127.0.0.1:8001{escape(path)}</pre>"


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, field in schema.get("properties", {}).items():
        yield name, field.get("description", "")


def _prose(text: str) -> str:
    """Return text as HTML; what stands between backticks is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))
