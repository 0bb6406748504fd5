"""What other libraries call the things here, so that the error for such a name says ours.

A name of spaCy's, or of UDPipe's bindings, is the first thing that somebody tries who knows these. Each is an attribute
that only raises an error: unlike a `__getattr__`, this costs nothing when an attribute is there.
"""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["explain_other_names", "public_names"]

Kind = TypeVar("Kind", bound=type)

NO_ENTITIES = "Dodona does not look for named entities"
OTHER_NAMES = {
    "token": {
        "dep": "`deprel`", "dep_": "`deprel`", "pos": "`upos`", "pos_": "`upos`", "tag": "`xpos`", "tag_": "`xpos`",
        "lemma_": "`lemma`", "morph": "`feats`", "text": "`form`", "orth_": "`form`", "lower_": "`form.lower()`",
        "lefts": "`left`", "rights": "`right`", "n_lefts": "`len(token.left)`", "n_rights": "`len(token.right)`",
        "left_edge": "`subtree[0]`", "right_edge": "`subtree[-1]`", "idx": "`start`", "sent": "`sentence`",
        "i": "`id`, which counts from 1 in each sentence", "is_sent_start": "`id == 1`",
        "is_punct": "`upos == \"PUNCT\"`", "upostag": "`upos`", "xpostag": "`xpos`",
        "ent_type_": NO_ENTITIES, "ent_iob_": NO_ENTITIES,
    },
    "span": {
        "start_char": "`start`", "end_char": "`end`", "orth_": "`text`", "sent": "`sentence`", "text_with_ws": "`text`",
        "label_": "`root.deprel` for the relation of its head", "ents": NO_ENTITIES,
    },
    "sentence": {
        "start_char": "`start`", "end_char": "`end`", "sents": "`sentences` of a document", "ents": NO_ENTITIES,
        "dep_": "`labels`", "pos_": "`upos`", "tag_": "`xpos`", "lemma_": "`lemmas`", "morph": "`feats`",
        "lefts": "`root.left`", "rights": "`root.right`", "deprels": "`labels`",
    },
    "document": {
        "sents": "`sentences`", "ents": NO_ENTITIES, "text_with_ws": "`text`", "to_array": "`to_dataframe`",
        "to_disk": "`dodona.write(document, path)`, or `to_bytes`", "from_disk": "`dodona.read(path)`, or `from_bytes`",
        "dep_": "`labels` of a sentence, or `deprel` of a token", "pos_": "`upos` of a sentence or a token",
        "tag_": "`xpos` of a sentence or a token", "lemma_": "`lemma` of a token", "root": "`root` of a sentence",
        "has_annotation": "`None in sentence.heads`, for example",
    },
}  # fmt: skip
"""For each kind of object: the other name, and what to say instead of it."""


class OtherName:
    """An attribute that is not there, and says what is."""

    def __init__(self, kind: type, name: str, ours: str) -> None:
        advice = ours if ours is NO_ENTITIES else f"here it is {ours}"
        self.message = f"{kind.__name__!r} object has no attribute {name!r}; {advice}"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        raise AttributeError(self.message)

    def __set__(self, instance: object, value: object) -> None:
        raise AttributeError(self.message)


def explain_other_names(table: str) -> Callable[[Kind], Kind]:
    """Return a decorator of classes that adds the names of one of the tables above, and hides them from `dir`."""

    def decorate(kind: Kind) -> Kind:
        for name, ours in OTHER_NAMES[table].items():
            setattr(kind, name, OtherName(kind, name, ours))
        if "__dir__" not in vars(kind):
            kind.__dir__ = public_names  # type: ignore[method-assign, assignment]
        return kind

    return decorate


def public_names(instance: object, hidden: frozenset[str] = frozenset()) -> list[str]:
    """Return what `dir` shows of an object, without other libraries' names and these: for completion by Tab."""
    kind = type(instance)
    names = {name for base in kind.__mro__ for name in vars(base)} - hidden
    return sorted(name for name in names if not isinstance(_find(kind, name), OtherName))


def _find(kind: type, name: str) -> object:
    return next(vars(base)[name] for base in kind.__mro__ if name in vars(base))
