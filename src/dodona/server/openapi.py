"""The description of the interface, in the format of OpenAPI 3.1: for programs, and for the page at `/api`."""

from typing import Any

from dodona import __version__
from dodona.data.dictionary import NODE, RANGE, SENTENCE, TOKEN

__all__ = ["openapi"]

FORM = {
    "data": "The text, or sentences in the format of `input`. Required.",
    "model": "The name of a model, or its beginning up to a hyphen; without it, the default model.",
    "tokenizer": "If it is there, also without a value: `data` is raw text. Options, separated by `;`: `presegmented` "
    "(a sentence a line), `ranges` (the place of each token in MISC), `normalized_spaces`.",
    "tagger": "If it is there: predict tags and lemmas; they replace those of the input.",
    "parser": "If it is there: predict trees; they replace those of the input.",
    "input": "The format of `data` without `tokenizer`: `conllu` (the default), `horizontal` or `vertical`.",
    "output": "The format of the result: `conllu` (the default), `horizontal`, `vertical` or `plaintext`.",
}
ERRORS = {
    400: "The request is wrong; the answer says why.",
    408: "The request did not arrive in time.",
    413: "The request is too large.",
    429: "Too many requests of this client at a time; wait for an answer.",
    503: "The server is busy; try again after the seconds in Retry-After.",
    504: "The work took too long, and was stopped.",
}
WALK = {
    "words": ["She", "reads", "books"],
    "heads": [2, 0, 2],
    "labels": ["nsubj", "root", "obj"],
    "system": "arc-eager",
}
FUNCTIONS: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "models": ("The models, with their components, and the name of the default.", "ModelList", None),
    "annotate": ("Sentences with all columns, of a text of any length that the server allows.", "Annotated",
                 {"text": "Oaks grow slowly."}),
    "parse": ("Trees with confidence for the playground, of a short text or of CoNLL-U; `nbest` of each sentence.",
              "Answer", {"text": "Oaks grow slowly.", "nbest": 2}),
    "correct": ("A sentence in CoNLL-U, parsed again around given arcs: lists of word, head, and label or null.",
                "Answer", {"conllu": "1\tOaks\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tgrow\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n",
                           "given": [[2, 0, "root"]]}),
    "systems": ("What the playground offers: models, transition systems and their oracles, examples.", "Answer", None),
    "step": ("A configuration after some `moves`, the legal moves, their costs, and the gold arcs that each loses.",
             "Answer", {**WALK, "oracle": "dynamic", "moves": ["SHIFT"]}),
    "lattice": ("All correct derivations of a tree, as a graph.", "Answer", {**WALK}),
}  # fmt: skip


def openapi() -> dict[str, Any]:
    """Return the description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Dodona",
            "version": __version__,
            "summary": "Dependency parsing: the interface of UDPipe's REST service, and one with JSON.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {
            "/process": _process(),
            "/models": {"get": _operation("The models, as UDPipe lists them.", "ModelList")},
            **{f"/api/{name}": _function(*described) for name, described in FUNCTIONS.items()},
            "/health": {"get": _operation("Whether the server is there.", "Health")},
            "/metrics": {"get": {"summary": "Counts and times, for Prometheus.", "responses": {
                "200": {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}}}}},
        },
        "components": {"schemas": _schemas()},
    }  # fmt: skip


def _operation(summary: str, schema: str, *errors: int, kind: str = "application/json") -> dict[str, Any]:
    said = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
    failed = {"text/plain": {"schema": {"type": "string"}}} if kind == "text/plain" else {
        "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}
    }  # fmt: skip
    responses: dict[str, Any] = {"200": {"description": "The result.", "content": {"application/json": said}}}
    responses |= {str(status): {"description": ERRORS[status], "content": failed} for status in errors}
    return {"summary": summary, "responses": responses}


def _process() -> dict[str, Any]:
    summary = "Tokenize, tag and parse, with the parameters and the answer of UDPipe's REST service."
    operation = _operation(summary, "Processed", *ERRORS, kind="text/plain")
    schema = {
        "type": "object",
        "required": ["data"],
        "properties": {name: {"type": "string", "description": text} for name, text in FORM.items()},
    }
    kinds = ("multipart/form-data", "application/x-www-form-urlencoded")
    parameters = [
        {"name": name, "in": "query", "required": name == "data", "allowEmptyValue": True, "description": text,
         "schema": {"type": "string"}}
        for name, text in FORM.items()
    ]  # fmt: skip
    return {
        "get": operation | {"parameters": parameters},
        "post": operation
        | {"requestBody": {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}},
    }


def _function(summary: str, schema: str, example: dict[str, Any] | None) -> dict[str, Any]:
    operation = _operation(summary, schema, *ERRORS)
    if example is None:
        return {"get": operation, "post": operation}
    fields = _text() if schema == "Annotated" else {"type": "object"}
    content = {"schema": fields, "example": example}
    return {"post": operation | {"requestBody": {"required": True, "content": {"application/json": content}}}}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _rows(keys: tuple[str, ...]) -> dict[str, Any]:
    """A list of objects with these keys."""
    anything: dict[str, Any] = {key: {} for key in keys}
    return _list(_object(**anything))


def _text() -> dict[str, Any]:
    text, flag = {"type": "string"}, {"type": "boolean", "default": False}
    words = _list(_list(text))
    return {
        "type": "object",
        "properties": {
            "text": text | {"description": "Raw text. Either this, or `words`, or `conllu`."},
            "words": words | {"description": "Sentences that are lists of words."},
            "conllu": text | {"description": "Sentences in CoNLL-U; the tags and lemmas that it has are kept."},
            "model": text | {"description": FORM["model"]},
            "confidence": flag | {"description": "Add the confidence of each arc."},
            "constrained": flag | {"description": "Keep the heads and labels of the CoNLL-U."},
            "retag": flag | {"description": "Replace the tags and lemmas of the CoNLL-U."},
        },
        "additionalProperties": False,
    }


def _schemas() -> dict[str, Any]:
    text = {"type": "string"}
    sentence: dict[str, Any] = {key: {} for key in SENTENCE}
    sentence |= {"tokens": _rows(TOKEN), "multiword": _rows(RANGE), "empty": _rows(NODE)}
    return {
        "Error": _object(error=text),
        "Health": _object(status={"const": "ok"}),
        "ModelList": _object(models={"type": "object", "additionalProperties": _list(text)}, default_model=text),
        "Processed": _object(model=text, acknowledgements=_list(text), result=text),
        "Annotated": _object(model=text, sentences=_list({"$ref": "#/components/schemas/Sentence"})),
        "Sentence": _object(**sentence),
        "Answer": {"type": "object"},
    }
