"""A sentence that is being annotated: its words with marks, and what an action makes of it.

A draft does not change: each edit returns another one, so that every earlier state can be shown again. An edit sets
what a person has decided, and leaves a hole (HEAD None, `_`) where the decision has made an old value meaningless;
`dodona.annotation.guesses` fills the holes in, and replaces guesses.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.conllu import read_conllu
from dodona.data.dictionary import write_dictionary
from dodona.data.marks import (
    ASPECTS,
    CHANGED,
    CONFIRMED,
    DONE,
    OPEN,
    read_marks,
    read_status,
    write_marks,
    write_status,
)
from dodona.data.spacing import join_words, paragraphs
from dodona.data.stream import only_sentences
from dodona.data.trees import find_cycle
from dodona.data.ud import (
    CONFIDENCE,
    NO_SPACE,
    find_comment,
    format_attributes,
    is_unspaced,
    read_confidence,
    write_comment,
)
from dodona.errors import DodonaError, OptionError, TreeError
from dodona.parser.request import remove_notes

__all__ = ["ASPECT_OF", "Draft", "DraftWord", "MultiwordToken", "join", "split"]

ASPECT_OF = {
    "arc": "arc", "head": "arc", "label": "arc", "upos": "upos", "xpos": "upos", "feats": "feats", "lemma": "lemma",
    "token": "token", "form": "token",
}  # fmt: skip
"""The aspect that is marked when a column is set."""
COLUMNS = ("upos", "xpos", "feats", "lemma", "form", "misc")  # that `set` takes
WITHOUT_SPACES = ("upos", "xpos", "feats")
SPACING = ("SpaceAfter", "SpacesAfter")
ENHANCED = re.compile(r"([0-9]+)(?:\.([0-9]+))?:(.*)")
KEPT_BY_FIRST = ("sent_id", "text", "newdoc", "newpar", "annotation")  # comments of a sentence that another one joins

Marks = tuple[str | None, ...]
UNMARKED: Marks = (None,) * len(ASPECTS)
WordMap = Callable[[int], int | None]
NodeMap = Mapping[tuple[int, int], tuple[int, int]]
"""Which empty node has become which. A node is the word that it comes after, and which one of these it is."""


class DraftWord(NamedTuple):
    """A word; `misc` has no marks, which are one for each of ASPECTS. An arc that is held is a guess that later parses
    keep: it comes from another tree than the model's."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: int | None = None
    label: str = "_"
    deps: str = "_"
    misc: str = "_"
    marks: Marks = UNMARKED
    confidence: float | None = None  # of the arc, if it is a guess
    held: bool = False

    def has(self, aspect: str) -> bool:
        """Whether this aspect is marked."""
        return self.marks[ASPECTS.index(aspect)] is not None

    def mark(self, aspects: Iterable[str], kind: str | None) -> "DraftWord":
        """Return the word with these aspects marked; what was changed by somebody stays so when it is confirmed."""
        marks = list(self.marks)
        for aspect in aspects:
            place = ASPECTS.index(aspect)
            if kind != CONFIRMED or marks[place] is None:
                marks[place] = kind
        word = self._replace(marks=tuple(marks))
        return word._replace(confidence=None, held=False) if word.has("arc") else word


class MultiwordToken(NamedTuple):
    """A token of several words."""

    first: int
    last: int
    form: str
    feats: str = "_"
    misc: str = "_"


class EmptyNode(NamedTuple):
    """A node of the enhanced graph after a word, with its columns from FORM on, without HEAD and DEPREL."""

    after: int
    columns: tuple[str, ...]  # form, lemma, upos, xpos, feats, deps, misc


@dataclass(frozen=True)
class Draft:
    """A sentence with marks. `status` is that of its comment; None: a sentence of a treebank, of which all counts."""

    words: tuple[DraftWord, ...]
    comments: tuple[str, ...] = ()
    multiword: tuple[MultiwordToken, ...] = ()
    empty: tuple[EmptyNode, ...] = ()
    status: str | None = OPEN

    @classmethod
    def from_sentence(cls, sentence: Sentence) -> "Draft":
        """Read a sentence with its marks. What an earlier parse has said of its confidence makes its arcs guesses; of a
        sentence that is annotated in part, without marks, all that is there counts."""
        sure = [read_confidence(misc) for misc in sentence.misc]
        copy = sentence.copy()
        remove_notes(copy)
        columns = write_dictionary(copy)
        words = tuple(_read_word(token, confidence) for token, confidence in zip(columns["tokens"], sure, strict=True))
        status = read_status(copy.comments)
        if status not in (OPEN, DONE):
            status = None
            if any(value is not None for value in sure):
                status = OPEN
            elif None in copy.heads:
                status, words = OPEN, tuple(map(_confirm_filled, words))
        multiword = tuple(
            MultiwordToken(each["id"][0], each["id"][1], each["form"], _write_feats(each["feats"]), each["misc"] or "_")
            for each in columns["multiword"]
        )
        empty = tuple(_read_empty_node(each) for each in columns["empty"])
        return cls(words, tuple(columns["comments"]), multiword, empty, status)

    def to_sentence(self) -> Sentence:
        """Return the sentence as it is written: with marks in MISC and the status in a comment."""
        tokens = [
            {
                **{key: getattr(word, key) for key in ("form", "lemma", "upos", "xpos", "feats", "head", "deps")},
                "deprel": word.label,
                "misc": write_marks(word.misc, {a: m for a, m in zip(ASPECTS, word.marks, strict=True) if m}),
            }
            for word in self.words
        ]
        places: dict[int, int] = {}
        empty = []
        for node in self.empty:
            places[node.after] = places.get(node.after, 0) + 1
            keys = ("form", "lemma", "upos", "xpos", "feats", "deps", "misc")
            columns = dict(zip(keys, node.columns, strict=True))
            empty.append({"id": [node.after, places[node.after]], **columns})
        multiword = [
            {"id": [each.first, each.last], "form": each.form, "feats": each.feats, "misc": each.misc}
            for each in self.multiword
        ]
        comments = write_status(self.comments, self.status)
        return Sentence.from_dict({"tokens": tokens, "multiword": multiword, "empty": empty, "comments": comments})

    def to_json(self) -> dict[str, Any]:
        """Return the draft as the journal has it: CoNLL-U, and what that has no room for."""
        return {
            "conllu": self.to_sentence().to_bytes().decode(),
            "status": self.status,
            "confidence": [word.confidence for word in self.words],
            "held": [k for k, word in enumerate(self.words, start=1) if word.held],
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any], where: str) -> "Draft":
        (sentence,) = only_sentences(read_conllu([given["conllu"].encode()], where))
        draft = cls.from_sentence(sentence)
        held = set(given["held"])
        words = (
            _read_word(token, None)._replace(confidence=confidence, held=k in held)
            for k, (token, confidence) in enumerate(
                zip(write_dictionary(sentence)["tokens"], given["confidence"], strict=True), start=1
            )
        )
        return replace(draft, words=tuple(words), status=given["status"])

    @property
    def is_done(self) -> bool:
        """Whether all of the sentence is annotated."""
        return self.status != OPEN

    def counts(self, k: int, aspect: str) -> bool:
        """Whether an aspect of word k is annotated."""
        return self.is_done or self.words[k - 1].has(aspect)

    @property
    def heads(self) -> list[int | None]:
        return [word.head for word in self.words]

    @property
    def forms(self) -> list[str]:
        return [word.form for word in self.words]

    def find_comment(self, name: str) -> str | None:
        """Return the value of a comment `# NAME = …`."""
        return find_comment(self.comments, name)

    @property
    def text(self) -> str:
        """The text of the sentence, made up from the tokens if there is no comment."""
        text = self.find_comment("text")
        return text if text else self._rebuild_text()

    @property
    def name(self) -> str:
        """What the sentence is known by in other copies of its file: its sent_id, or else its text."""
        return self.find_comment("sent_id") or self.text

    @cached_property
    def offsets(self) -> list[tuple[int, int]] | None:
        """Start and end of each word in the text; None if the text does not fit the tokens. The words of a multiword
        token share its offsets."""
        sentence = self.to_sentence()
        if not sentence.text:
            sentence.set_comments([*sentence.comments, f"# text = {self.text}"])
        try:
            ((_, tokens),) = paragraphs([sentence])
        except (DodonaError, ValueError):
            return None
        return [
            (token.start, token.end)
            for (first, last, _), token in zip(sentence.tokens(), tokens, strict=True)
            for _ in range(first, last + 1)
        ]

    @cached_property
    def digest(self) -> str:
        """Stands for the words as they are, with guesses and how sure they are."""
        return sha256(repr(self.words).encode()).hexdigest()

    def _rebuild_text(self) -> str:
        """Return the tokens with the spaces that MISC has after them."""
        return join_words(self.to_sentence(), 1, len(self.words))

    # edits

    def open_up(self) -> "Draft":
        """Return the draft with the status open; what counted before is marked."""
        if not self.is_done:
            return self
        return replace(self, status=OPEN, words=tuple(word.mark(ASPECTS, CONFIRMED) for word in self.words))

    def set_arc(self, k: int, head: int, label: str | None) -> "Draft":
        """Give word k a head and a label; without a label, that is a hole. Guesses and marks of other words that would
        make it no tree are released; where all counts, a cycle is an error."""
        n = len(self.words)
        self._check_word(k)
        if not 0 <= head <= n or head == k:
            raise TreeError(f"Word {k} cannot have the head {head}; expected another word from 0 to {n}")
        if label is not None:
            check_values([label], 1, "label")
            if any(letter.isspace() for letter in label) or label == "_":
                raise OptionError(f"label {label!r}; expected the name of a relation, without spaces")
        before = self.words[k - 1]
        if label is None and self.is_done and (head == 0) == (before.head == 0):
            label = before.label
        word = before._replace(head=head, label=label or ("root" if head == 0 else "_"))
        draft = self.change(k, word.mark(("arc",), CHANGED))
        cycle = find_cycle(draft.heads)
        if cycle is not None:
            if self.is_done:
                path = reversed([*cycle[1], cycle[1][0]])
                shown = " → ".join(f"“{self.words[each - 1].form}”" for each in path)
                raise TreeError(f"These arcs would form a cycle: {shown}; attach another word of it first")
            draft = draft._release_arcs(each for each in cycle[1] if each != k)
        if head == 0 and not self.is_done:
            draft = draft._release_arcs(d for d, h in enumerate(draft.heads, start=1) if h == 0 and d != k)
        return draft

    def _release_arcs(self, words: Iterable[int]) -> "Draft":
        draft = self
        for k in words:
            word = draft.words[k - 1].mark(("arc",), None)
            draft = draft.change(k, word._replace(head=None, label="_", held=False))
        return draft

    def set_value(self, k: int, column: str, value: str) -> "Draft":
        """Set a value of word k; a form also in the text."""
        self._check_word(k)
        if column not in COLUMNS:
            raise OptionError(f"column {column!r}; expected one of: {', '.join(COLUMNS)}")
        value = value.strip() or "_"
        check_values([value], 1, column)
        if column == "form" and value == "_":
            raise OptionError("a word without letters; expected some, or its neighbour merged with it")
        if column in WITHOUT_SPACES and any(letter.isspace() for letter in value):
            raise OptionError(f"{column} {value!r}; expected a value without spaces")
        word = self.words[k - 1]
        if column == "misc":
            value = write_marks(value, {})
            draft = self.change(k, word._replace(misc=value))
            return draft._replace_text(k, k, None) if self._covering(k) is None else draft
        values: dict[str, Any] = {column: value}
        draft = self.change(k, word._replace(**values).mark((ASPECT_OF[column],), CHANGED))
        return draft._replace_text(k, k, self) if column == "form" and self._covering(k) is None else draft

    def confirm(self, words: Sequence[int], columns: Sequence[str]) -> "Draft":
        """Mark what was looked at; no words or columns: all."""
        aspects = self._list_aspects(columns)
        draft = self
        for k in words or range(1, len(self.words) + 1):
            self._check_word(k)
            wanted = [a for a in aspects if a != "arc" or self.words[k - 1].head is not None]
            draft = draft.change(k, draft.words[k - 1].mark(wanted, CONFIRMED))
        return draft

    def release(self, words: Sequence[int], columns: Sequence[str]) -> "Draft":
        """Take marks away, so that the model guesses again; of a sentence that is done, the rest stays marked."""
        aspects = self._list_aspects(columns)
        draft = self.open_up()
        for k in words or range(1, len(self.words) + 1):
            self._check_word(k)
            draft = draft.change(k, draft.words[k - 1].mark(aspects, None))
        return draft

    def accept(self, sure: Callable[[int, str], float | None], threshold: float) -> "Draft":
        """Confirm each guess of which the model is so sure."""
        draft = self
        for k in range(1, len(self.words) + 1):
            aspects = [a for a in ASPECTS if (sure(k, "upos" if a == "token" else a) or 0.0) >= threshold]
            draft = draft.change(k, draft.words[k - 1].mark(aspects, CONFIRMED))
        return draft

    def finish(self) -> "Draft":
        """Confirm all, and say that the sentence is done."""
        if None in self.heads:
            raise TreeError(f"Word {self.heads.index(None) + 1} has no head; expected a whole tree")
        return replace(self.confirm((), ()), status=DONE)

    def take(self, heads: Sequence[int], labels: Sequence[str]) -> "Draft":
        """Take the arcs of another tree as guesses, which are held."""
        words = tuple(
            word.mark(("arc",), None)._replace(head=head, label=label, confidence=None, held=True)
            for word, head, label in zip(self.open_up().words, heads, labels, strict=True)
        )
        return replace(self, words=words, status=OPEN)

    def split_token(self, k: int, at: int) -> "Draft":
        """Make two words of word k, after so many of its characters; what was known of it is a hole."""
        self._check_word(k)
        word = self.words[k - 1]
        left, right = word.form[:at].rstrip(), word.form[at:].lstrip()
        if not 0 < at < len(word.form) or not left or not right:
            raise OptionError(f"{word.form!r} cannot be cut after {at} characters; expected two parts")
        draft = self.open_up()
        gap = len(word.form) > len(left) + len(right)
        inner = self._covering(k)
        marks = tuple(CHANGED if aspect == "token" else None for aspect in ASPECTS)
        old = draft.words[k - 1]
        first = DraftWord(left, misc=without_spacing(old.misc), marks=marks)
        second = DraftWord(right, misc=old.misc if inner is None else without_spacing(old.misc), marks=marks)
        if inner is None and not gap:
            first = first._replace(misc=with_no_space(first.misc))
        words = [*draft.words[: k - 1], first, second, *draft.words[k:]]
        return draft._renumber(words, lambda d: d if d <= k else d + 1, lambda d: d + 1 if d == k else None)

    def merge_tokens(self, first: int, last: int) -> "Draft":
        """Make one word of several. It hangs where the first of them hangs that has a head outside."""
        self._check_word(first)
        self._check_word(last)
        if not first < last:
            raise OptionError(f"words {first} to {last}; expected at least two, in order")
        ranges = [each for each in self.multiword if each.first <= last and first <= each.last]
        inside = len(ranges) == 1 and ranges[0].first <= first and last <= ranges[0].last
        if ranges and not inside and any(each.first < first or last < each.last for each in ranges):
            raise OptionError(f"words {first} to {last} have part of a multiword token; expected whole tokens")
        draft = self.open_up()
        own = draft.words[first - 1 : last]
        whole = not ranges or not inside or (ranges[0].first, ranges[0].last) == (first, last)
        form, misc = "".join(word.form for word in own), own[0].misc
        if whole:
            form = join_words(self.to_sentence(), first, last)
            after = self._covering(last) or self.words[last - 1]
            misc = join_attributes(without_spacing(self.words[first - 1].misc), spacing_of(after.misc))
        outer = next((word for word in own if word.head is None or not first <= word.head <= last), own[0])
        marks = tuple(CHANGED if aspect == "token" else None for aspect in ASPECTS)
        edges = [edge for edge in outer.deps.split("|") if not first <= _find_head(edge) <= last]  # none to itself
        deps = "|".join(edges) or "_"
        merged = DraftWord(form, misc=misc, marks=marks, head=outer.head, label=outer.label, deps=deps)
        words = [*draft.words[: first - 1], merged, *draft.words[last:]]
        gone = last - first

        def place(d: int) -> int:
            return d if d <= first else first if d <= last else d - gone

        kept = tuple(each for each in self.multiword if not (first <= each.first and each.last <= last))
        return replace(draft, multiword=kept)._renumber(words, place, lambda d: None)

    def make_multiword(self, first: int, last: int, form: str) -> "Draft":
        """Make a multiword token of some words, with this form in the text."""
        self._check_word(first)
        self._check_word(last)
        if not first < last or any(each.first <= last and first <= each.last for each in self.multiword):
            raise OptionError(f"words {first} to {last}; expected at least two, in no other multiword token")
        form = form.strip() or join_words(self.to_sentence(), first, last)
        check_values([form], 1, "form")
        spaces = spacing_of(self.words[last - 1].misc)
        words = [
            word._replace(misc=without_spacing(word.misc)).mark(("token",), CHANGED) if first <= k <= last else word
            for k, word in enumerate(self.words, start=1)
        ]
        token = MultiwordToken(first, last, form, misc=join_attributes("_", spaces))
        draft = replace(self, words=tuple(words), multiword=tuple(sorted([*self.multiword, token])))
        return draft._replace_text(first, last, self)

    def remove_multiword(self, first: int) -> "Draft":
        """Let the words of a multiword token be tokens, without spaces between them."""
        token = next((each for each in self.multiword if each.first == first), None)
        if token is None:
            raise OptionError(f"no multiword token begins with word {first}")
        words = list(self.words)
        for k in range(token.first, token.last):
            words[k - 1] = words[k - 1]._replace(misc=with_no_space(words[k - 1].misc))
        last = words[token.last - 1]
        words[token.last - 1] = last._replace(misc=join_attributes(last.misc, spacing_of(token.misc)))
        for k in range(token.first, token.last + 1):
            words[k - 1] = words[k - 1].mark(("token",), CHANGED)
        others = tuple(each for each in self.multiword if each is not token)
        draft = replace(self, words=tuple(words), multiword=others)
        return draft._replace_text(token.first, token.last, self)

    def follow_arcs(self, before: "Draft") -> "Draft":
        """Return the draft with edges of DEPS that were arcs before, and are others now, as these. An edge whose label
        only adds to that of the arc (`obl:in`) keeps this while the label stays."""
        if self.forms != before.forms:
            return self
        words = tuple(
            new if new.deps != old.deps or (new.head, new.label) == (old.head, old.label) else _move_edges(new, old)
            for new, old in zip(self.words, before.words, strict=True)
        )
        return self if words == self.words else replace(self, words=words)

    # helpers

    def change(self, k: int, word: DraftWord) -> "Draft":
        """Return the draft with another word k."""
        return replace(self, words=(*self.words[: k - 1], word, *self.words[k:]))

    def set_comment(self, name: str, value: str) -> "Draft":
        """Return the draft with this comment in the place of that of the same name."""
        return replace(self, comments=tuple(write_comment(self.comments, name, value)))

    def _check_word(self, k: int) -> None:
        if not 1 <= k <= len(self.words):
            raise OptionError(f"word {k}; expected a number from 1 to {len(self.words)}")

    def _covering(self, k: int) -> MultiwordToken | None:
        """Return the multiword token that word k is in."""
        return next((each for each in self.multiword if each.first <= k <= each.last), None)

    @staticmethod
    def _list_aspects(columns: Sequence[str]) -> list[str]:
        for column in columns:
            if column not in ASPECT_OF:
                raise OptionError(f"column {column!r}; expected some of: {', '.join(ASPECTS)}")
        return list(dict.fromkeys(ASPECT_OF[column] for column in columns)) or list(ASPECTS)

    def _replace_text(self, first: int, last: int, before: "Draft | None") -> "Draft":
        """Return the draft with a text that has its tokens. Where only the tokens first..last differ from those of
        `before`, the rest of its text is kept as it is written."""
        text = self.find_comment("text")
        if text is None:
            return self
        offsets = None if before is None else before.offsets
        if offsets is None:
            return self.set_comment("text", self._rebuild_text())
        begin, end = offsets[first - 1][0], offsets[last - 1][1]
        form = join_words(self.to_sentence(), first, last)
        return self.set_comment("text", text[:begin] + form + text[end:])

    def _renumber(self, words: Sequence[DraftWord], place: WordMap, split: WordMap) -> "Draft":
        """Return the draft with these words, of which old word d is the one at place(d); a word that was split also has
        the place split(d)."""

        def end(d: int) -> int:
            return split(d) or place(d) or 0

        empty, nodes = move_empty_nodes(self.empty, place, lambda d: end(d) if d else 0)
        renumbered = tuple(
            word._replace(
                head=place(word.head) if word.head else word.head, deps=renumber_deps(word.deps, place, nodes)
            )
            for word in words
        )
        own = tuple(  # a merged word may have had a head among its own parts
            word._replace(head=None, label="_") if word.head == k else word
            for k, word in enumerate(renumbered, start=1)
        )
        multiword = tuple(each._replace(first=place(each.first) or 0, last=end(each.last)) for each in self.multiword)
        return replace(self, words=own, multiword=multiword, empty=empty)


def split(draft: Draft, k: int, sent_id: str | None) -> tuple[Draft, Draft]:
    """Cut a sentence before word k. Arcs from one part to the other are holes; the second part has this name."""
    n = len(draft.words)
    if not 1 < k <= n:
        raise OptionError(f"a sentence of {n} words before word {k}; expected a number from 2 to {n}")
    covering = draft._covering(k)
    if covering is not None and covering.first < k:
        raise OptionError(f"a sentence within the multiword token {covering.form!r}; expected a place between tokens")
    whole = draft.open_up()
    texts = _split_text(draft, k)
    parts = []
    for begin, end, text in ((1, k - 1, texts[0]), (k, n, texts[1])):
        part = _cut(whole, begin, end)
        if draft.find_comment("text") is not None:
            part = part.set_comment("text", text)
        parts.append(part)
    first, second = parts
    names = [f"# sent_id = {sent_id}"] if sent_id else []
    if draft.find_comment("text") is not None:
        names.append(f"# text = {texts[1]}")
    return first, replace(second, comments=tuple(names))


def _split_text(draft: Draft, k: int) -> tuple[str, str]:
    offsets = draft.offsets
    if offsets is None:
        return _cut(draft, 1, k - 1)._rebuild_text(), _cut(draft, k, len(draft.words))._rebuild_text()
    text = draft.text
    return text[: offsets[k - 2][1]], text[offsets[k - 1][0] :]


def _cut(draft: Draft, begin: int, end: int) -> Draft:
    def place(d: int) -> int | None:
        return d - begin + 1 if begin <= d <= end else None

    def follow(d: int) -> int | None:
        return 0 if d == 0 and begin == 1 else place(d)

    empty, nodes = move_empty_nodes(draft.empty, place, follow)
    words = []
    for word in draft.words[begin - 1 : end]:
        head = place(word.head) if word.head else word.head
        if word.head and head is None:
            word = word.mark(("arc",), None)._replace(label="_", held=False, confidence=None)
        words.append(word._replace(head=head, deps=renumber_deps(word.deps, place, nodes)))
    multiword = tuple(
        each._replace(first=each.first - begin + 1, last=each.last - begin + 1)
        for each in draft.multiword
        if begin <= each.first <= end
    )
    return replace(draft, words=tuple(words), multiword=multiword, empty=empty)


def join(first: Draft, second: Draft) -> Draft:
    """Make one sentence of two. The root of the second is a hole, unless the first has none."""
    n = len(first.words)
    one, other = first.open_up(), second.open_up()

    def place(d: int) -> int:
        return d + n

    empty, nodes = move_empty_nodes(other.empty, place, place, one.empty)
    words = list(one.words)
    for word in other.words:
        if word.head == 0 and 0 in one.heads:
            word = word.mark(("arc",), None)._replace(head=None, label="_", held=False, confidence=None)
        words.append(
            word._replace(head=word.head + n if word.head else word.head, deps=renumber_deps(word.deps, place, nodes))
        )
    multiword = [*one.multiword, *(each._replace(first=each.first + n, last=each.last + n) for each in other.multiword)]
    kept = [c for c in other.comments if c[1:].partition("=")[0].strip().split(" ")[0] not in KEPT_BY_FIRST]
    joined = Draft(tuple(words), (*one.comments, *kept), tuple(multiword), (*one.empty, *empty), OPEN)
    if one.find_comment("text") is None:
        return joined
    covering = one._covering(n)
    gap = "" if is_unspaced((covering or one.words[-1]).misc) else " "
    return joined.set_comment("text", one.text + gap + other.text)


def spacing_of(misc: str) -> list[str]:
    """Return the attributes of MISC about the spaces after a token."""
    return [part for part in misc.split("|") if part.partition("=")[0] in SPACING]


def without_spacing(misc: str) -> str:
    return "|".join(part for part in misc.split("|") if part.partition("=")[0] not in SPACING) or "_"


def with_no_space(misc: str) -> str:
    return join_attributes(without_spacing(misc), [NO_SPACE])


def join_attributes(misc: str, more: Sequence[str]) -> str:
    return "|".join([*(part for part in misc.split("|") if part != "_"), *more]) or "_"


def move_empty_nodes(
    empty: Sequence[EmptyNode], place: WordMap, follow: WordMap, before: Sequence[EmptyNode] = ()
) -> tuple[tuple[EmptyNode, ...], NodeMap]:
    """Return the empty nodes with new numbers, each after the word that `follow` has for the one that it came after, or
    left out; and which node has become which. `before` are those of the sentence that these are joined to."""
    old, new = Counter[int](), Counter(node.after for node in before)
    nodes: dict[tuple[int, int], tuple[int, int]] = {}
    kept = []
    for node in empty:
        old[node.after] += 1
        after = follow(node.after)
        if after is not None:
            new[after] += 1
            nodes[node.after, old[node.after]] = after, new[after]
            kept.append(node._replace(after=after))
    moved = ((*node.columns[:5], renumber_deps(node.columns[5], place, nodes), node.columns[6]) for node in kept)
    return tuple(node._replace(columns=columns) for node, columns in zip(kept, moved, strict=True)), nodes


def renumber_deps(deps: str, place: WordMap, nodes: NodeMap) -> str:
    """Return DEPS with new numbers; an edge from a word or an empty node that is no longer there is left out."""
    if deps == "_":
        return deps
    edges = []
    for edge in deps.split("|"):
        match = ENHANCED.fullmatch(edge)
        if match is None:
            edges.append(edge)
            continue
        head = int(match[1])
        if match[2]:
            moved = nodes.get((head, int(match[2])))
        else:
            own = place(head) if head else 0
            moved = None if own is None else (own, 0)
        if moved is not None:
            number = f"{moved[0]}.{moved[1]}" if moved[1] else str(moved[0])
            edges.append(f"{number}:{match[3]}")
    return "|".join(sorted(edges, key=_find_node)) or "_"


def _move_edges(new: DraftWord, old: DraftWord) -> DraftWord:
    """Return a word with the arc in DEPS where the arc of the old one was."""
    if old.deps == "_" or None in (new.head, old.head):
        return new
    edges = []
    for edge in old.deps.split("|"):
        head, _, label = edge.partition(":")
        if head == str(old.head) and label == old.label:
            edge = f"{new.head}:{new.label}"
        elif head == str(old.head) and label.startswith(f"{old.label}:"):
            edge = f"{new.head}:{label if new.label == old.label else new.label}"
        edges.append(edge)
    return new._replace(deps="|".join(sorted(dict.fromkeys(edges), key=_find_node)))


def _find_node(edge: str) -> tuple[int, int]:
    """Return the node that an edge of DEPS comes from, as a number that can be sorted by."""
    match = ENHANCED.fullmatch(edge)
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


def _find_head(edge: str) -> int:
    """Return the word that an edge of DEPS comes from; 0 for any other node."""
    match = ENHANCED.fullmatch(edge)
    return int(match[1]) if match and not match[2] else 0


def _read_word(token: Mapping[str, Any], confidence: float | None) -> DraftWord:
    misc = token["misc"] or "_"
    found = read_marks(misc)
    plain = "|".join(part for part in write_marks(misc, {}).split("|") if not part.startswith(CONFIDENCE)) or "_"
    marks = tuple(found.get(aspect) for aspect in ASPECTS)
    return DraftWord(
        token["form"], token["lemma"] or "_", token["upos"] or "_", token["xpos"] or "_", _write_feats(token["feats"]),
        token["head"], token["deprel"] or "_", token["deps"] or "_", plain, marks,
        confidence if "arc" not in found else None,
    )  # fmt: skip


def _write_feats(feats: Mapping[str, str] | str | None) -> str:
    return format_attributes(feats) if isinstance(feats, Mapping) else feats or "_"


def _confirm_filled(word: DraftWord) -> DraftWord:
    aspects = ["arc"] if word.head is not None else []
    if word.upos != "_":
        aspects += ["upos", "feats"]
    if word.lemma != "_":
        aspects.append("lemma")
    return word.mark([*aspects, "token"] if aspects else (), CONFIRMED)


def _read_empty_node(node: Mapping[str, Any]) -> EmptyNode:
    values = [node[key] for key in ("form", "lemma", "upos", "xpos", "feats", "deps", "misc")]
    return EmptyNode(node["id"][0], tuple(_write_feats(value) if value is not None else "_" for value in values))
