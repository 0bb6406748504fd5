"""A sentence of a treebank: its columns for access, its bytes for output."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from dodona.data.checks import check_arcs, check_comments, check_heads, check_ranges, check_values
from dodona.data.other_names import explain_other_names, public_names
from dodona.data.storage import MadeRows, Storage
from dodona.data.token import Token
from dodona.data.trees import find_cycle
from dodona.data.ud import FORM, HEAD, NUMBERS, find_comment
from dodona.errors import FormatError, OptionError

__all__ = ["Sentence"]

FIXED = ("words", "deps")
REPLACEABLE = ("lemmas", "upos", "xpos", "feats", "misc")
SHOWN = {"comments", "copy", "file", "format", "line", "multiword", "offsets", "to_bytes"}
"""What `dir` shows of the storage; the rest of it is for readers and components."""
HIDDEN = frozenset(
    {name for name in vars(Storage) if not name.startswith("__")} - SHOWN
    | {"check_gold", "from_columns", "gold_heads", "gold_labels", "known_heads"}
)

if TYPE_CHECKING:
    from dodona.data.noun_chunks import NounChunk

    Value = TypeVar("Value", str, int | None)

    class Column(Generic[Value]):
        """A list is read, any sequence is set."""

        def __get__(self, sentence: object, owner: object = None) -> list[Value]: ...
        def __set__(self, sentence: object, values: Sequence[Value]) -> None: ...


def column(name: str) -> Any:
    """Return the property of a column: read without Python code once it is converted, and checked when it is set."""

    def set_column(sentence: "Sentence", values: Sequence[Any]) -> None:
        if name in FIXED:
            raise OptionError(f"column {name!r} cannot be replaced; expected a new sentence (Sentence.from_words)")
        if name == "heads":
            check_arcs(values, len(sentence))
            sentence.accept_heads(list(values))
        else:
            sentence.accept_column(name, check_values(values, len(sentence), name))

    return property(methodcaller("list_column", NUMBERS[name]), set_column)


@explain_other_names("sentence")
class Sentence(Storage):
    """The words 1..n of a sentence, column by column, and everything around them kept for output.

    `words`, `lemmas`, `upos`, `xpos`, `feats`, `labels`, `deps` and `misc` have one string per word, as written; in
    CoNLL-X `upos` and `xpos` are CPOSTAG and POSTAG, `deps` and `misc` are PHEAD and PDEPREL. `heads` has numbers, None
    where HEAD is `_`. Multiword ranges are in `multiword` as (first word, last word, form); empty nodes come out again
    with `to_bytes`. Look at the lists, but do not change them: set a whole column (`sentence.upos = […]`), a value of a
    token, or use `set_tree` and `set_comments`. These are checked, and reach the output. `words` and `deps` cannot be
    set. A sentence made from a text has `offsets`, the start and end of each word in it. Columns are converted to lists
    lazily, when they are first used. `for token in sentence`, `sentence[0]` and `sentence[1:3]` are words as objects.
    """

    __slots__ = ()

    words: "Column[str]" = column("words")
    lemmas: "Column[str]" = column("lemmas")
    upos: "Column[str]" = column("upos")
    xpos: "Column[str]" = column("xpos")
    feats: "Column[str]" = column("feats")
    heads: "Column[int | None]" = column("heads")
    labels: "Column[str]" = column("labels")
    deps: "Column[str]" = column("deps")
    misc: "Column[str]" = column("misc")

    @classmethod
    def from_words(
        cls,
        words: Sequence[str],
        upos: Sequence[str] | None = None,
        *,
        lemmas: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Sequence[int | None] | None = None,
        labels: Sequence[str] | None = None,
        deps: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        comments: Iterable[str] = (),
        multiword: Sequence[tuple[int, int, str]] = (),
        multiword_misc: Sequence[str] | None = None,
        format: str = "conllu",
    ) -> "Sentence":
        """A sentence from scratch; columns not given are `_`. Comments are whole lines, with their `#`.

        `multiword_misc` has the MISC column of each multiword range.
        """
        n = len(words)
        if n == 0:
            raise OptionError("a sentence without words; expected at least one")
        columns: dict[int, list[str]] = {}
        if heads is not None:
            check_heads(heads, n)
            columns[HEAD] = ["_" if h is None else str(h) for h in heads]
        for name, values in zip(NUMBERS, (words, lemmas, upos, xpos, feats, None, labels, deps, misc), strict=True):
            if values is not None:
                columns[NUMBERS[name]] = check_values(values, n, name)
        lines = check_comments(comments)
        ranges = check_ranges(multiword, multiword_misc, n)
        return cls.from_columns(lines, columns, ranges, list(multiword), format)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Sentence":
        """The sentence of a dictionary as `to_dict` returns it. Of each token only `form` is needed; the rest is `_`.

        `sent_id` and `text` are read if there are no `comments`; `confidence` is not read, because `misc` has it.
        """
        from dodona.data.dictionary import read_dictionary

        return read_dictionary(cls, given)

    @classmethod
    def from_columns(
        cls,
        comments: list[str],
        columns: Mapping[int, list[str]],
        lines: Mapping[int, str],
        multiword: list[tuple[int, int, str]],
        format: str = "conllu",
    ) -> "Sentence":
        """Make a sentence without checks. `lines` are those of multiword ranges and empty nodes, by the word after."""
        header = "".join([f"{comment}\n" for comment in comments]).encode()
        rows = MadeRows(len(columns[FORM]), header, columns, lines)
        return cls("", 1, format, rows, b"\n\n", comments, multiword)

    def __repr__(self) -> str:
        location = f"{self.file}:{self.line} " if self.file else ""
        return f"<Sentence {location}{' '.join(self.words)!r}>"

    def __dir__(self) -> list[str]:
        return public_names(self, HIDDEN)

    def __iter__(self) -> Iterator[Token]:
        for id in range(1, len(self) + 1):
            yield Token(self, id)

    @overload
    def __getitem__(self, place: int) -> Token: ...
    @overload
    def __getitem__(self, place: slice) -> list[Token]: ...
    def __getitem__(self, place: int | slice) -> Token | list[Token]:
        """The token at this place, counted from 0 as in any list: word 1 is `sentence[0]`. Of a slice, a list."""
        if isinstance(place, slice):
            return [Token(self, id) for id in range(1, len(self) + 1)[place]]
        try:
            return Token(self, range(1, len(self) + 1)[place])
        except IndexError:
            n = len(self)
            raise IndexError(f"place {place} of {n} tokens; expected a number from {-n} to {n - 1}") from None

    @property
    def sent_id(self) -> str | None:
        """The value of the comment `# sent_id = …`."""
        return find_comment(self.comments, "sent_id")

    @property
    def text(self) -> str | None:
        """The value of the comment `# text = …`."""
        return find_comment(self.comments, "text")

    @property
    def start(self) -> int | None:
        """Where the sentence begins in the text that was parsed, in characters; None if it is not from a text."""
        return self.offsets[0][0] if self.offsets else None

    @property
    def end(self) -> int | None:
        """Where the sentence ends in the text that was parsed, in characters."""
        return self.offsets[-1][1] if self.offsets else None

    @property
    def root(self) -> Token | None:
        """The first word that hangs on ROOT; None if there is none."""
        return Token(self, self.heads.index(0) + 1) if 0 in self.heads else None

    @property
    def noun_chunks(self) -> "list[NounChunk]":
        """The base noun phrases, by UD's relations, from left to right: `dodona.data.noun_chunks` defines them."""
        from dodona.data.noun_chunks import NounChunk, find_noun_chunks

        return [NounChunk(self, *chunk) for chunk in find_noun_chunks(self.heads, self.upos, self.labels)]

    def tokens(self) -> Iterator[tuple[int, int, str]]:
        """First word, last word and form of every token as it stands in the text."""
        ranges = {first: (last, form) for first, last, form in self.multiword}
        first = 1
        while first <= len(self):
            last, form = ranges.get(first) or (first, self.words[first - 1])
            yield first, last, form
            first = last + 1

    def surface(self) -> Iterable[str]:
        """The forms of the tokens."""
        return [form for _, _, form in self.tokens()] if self.multiword else self.words

    def children(self, k: int) -> list[int]:
        """Return the dependents of word k, in order; 0 is ROOT."""
        return [d for d, h in enumerate(self.heads, start=1) if h == k]

    def subtree(self, k: int) -> list[int]:
        """Return word k and all its descendants, in order."""
        below: dict[int | None, list[int]] = {}
        for d, h in enumerate(self.heads, start=1):
            below.setdefault(h, []).append(d)
        words = [k]
        for h in words:  # grows while it is walked through; the second condition ends what is no tree
            words += below.get(h, []) if len(words) <= len(self) else []
        return sorted(set(words))

    def set_tree(self, heads: Sequence[int], labels: Sequence[str]) -> None:
        """Replace HEAD and DEPREL of all words."""
        if None in heads:
            raise OptionError("head None; expected a head for each word")
        check_arcs(heads, len(self))
        self.accept_tree(list(heads), check_values(labels, len(self), "labels"))

    def set_column(self, name: str, values: Sequence[str]) -> None:
        """Replace `lemmas`, `upos`, `xpos`, `feats` or `misc` of all words."""
        if name not in REPLACEABLE:
            raise OptionError(f"column {name!r} cannot be replaced; expected one of: {', '.join(REPLACEABLE)}")
        setattr(self, name, values)

    def set_comments(self, lines: Iterable[str]) -> None:
        """Replace all comments by these lines, which begin with `#`; they come before the first word."""
        self.accept_comments(check_comments(lines))

    def convert(self, format: str) -> "Sentence":
        """The sentence in the other format, as far as that has room for it.

        CoNLL-X has neither comments, multiword tokens and empty nodes nor DEPS and MISC; CoNLL-U no PHEAD and PDEPREL.
        """
        if format == self.format:
            return self
        columns = {name: getattr(self, name) for name in ("lemmas", "upos", "xpos", "feats", "heads", "labels")}
        other = Sentence.from_words(self.words, **columns, format=format)
        other.file = self.file
        return other

    def check_gold(self) -> None:
        """Raise an error unless the sentence has a complete tree; several roots are allowed."""
        for d, h in enumerate(self.heads, start=1):
            if h is None:
                raise self._no_gold(d, "HEAD '_'; expected the number of its head, or 0 for the root")
        if 0 not in self.heads:
            raise FormatError(f"{self.file}:{self.line}: no root in this sentence; expected a word with HEAD 0")
        self.known_heads()

    def known_heads(self) -> list[int | None]:
        """The heads of a tree or a part of one, checked; None where HEAD is `_`."""
        n = len(self)
        for d, h in enumerate(self.heads, start=1):
            if h is not None and (not 0 <= h <= n or h == d):
                raise self._no_gold(d, f"HEAD {h}; expected another word from 0 to {n}")
        cycle = find_cycle(self.heads)
        if cycle is not None:
            d, _ = cycle
            raise self._no_gold(d, f"HEAD {self.heads[d - 1]}, which leads into a cycle; expected a path to the root")
        return self.heads

    def gold_heads(self) -> list[int]:
        """The heads of a full tree, checked; what learning and evaluation take instead of `heads`."""
        self.check_gold()
        return [h for h in self.heads if h is not None]

    def gold_labels(self) -> list[str]:
        """The labels of a tree to learn from; none may be empty."""
        if "" in self.labels:
            raise self._no_gold(self.labels.index("") + 1, "DEPREL ''; expected the name of a relation")
        return list(self.labels)

    def _no_gold(self, d: int, fault: str) -> FormatError:
        return FormatError(f"{self.file}:{self.word_line(d)}: word {d} of this sentence has {fault}")

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as a dictionary that JSON can hold: `dodona.data.dictionary` describes it."""
        from dodona.data.dictionary import write_dictionary

        return write_dictionary(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict()` as JSON: on one line, or indented."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_dataframe(self) -> Any:
        """Return the tokens of `to_dict()` as a table of pandas, a row for each word; needs pandas."""
        from dodona.data.dataframe import to_dataframe

        return to_dataframe([self]).drop(columns=["document", "sentence"])

    def match(self, pattern: Any) -> list[Any]:
        """Return the matches of a pattern for trees, a string or a `Pattern`, as `dodona.search` yields them.

        They are found by `dodona.patterns`, which stands above this folder.
        """
        return list(import_module("dodona.patterns").search(pattern, [self]))

    def _repr_svg_(self) -> str | None:
        return self._draw("svg_of")

    def _repr_html_(self) -> str | None:
        return self._draw("html_of")

    def _draw(self, function: str) -> str | None:
        """Return a picture for a notebook, by a function of `dodona.drawing`, which stands above this folder."""
        try:
            return str(getattr(import_module("dodona.drawing.dependencies"), function)(self))
        except FormatError:  # what is no tree is shown like any other object
            return None
