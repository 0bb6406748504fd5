"""Sentences as dictionaries that JSON can hold.

    {"sent_id": "1",  "text": "dámelo",                 from the comments; None without them
     "comments": ["# sent_id = 1", "# text = dámelo"],
     "tokens": [{"id": 1, "form": "da", "lemma": "dar", "upos": "VERB", "xpos": None, "feats": {"Mood": "Imp"},
                 "head": 0, "deprel": "root", "deps": None, "misc": None,
                 "start": 0, "end": 6, "confidence": None}, …],
     "multiword": [{"id": [1, 3], "form": "dámelo", "feats": {}, "misc": None, "start": 0, "end": 6}, …],
     "empty": [{"id": [3, 1], "form": …, "lemma": …, "upos": …, "xpos": …, "feats": …, "deps": …, "misc": …}, …]}

The names are those of CoNLL-U's columns, and the ids of multiword tokens and empty nodes are pairs of numbers, as in
Stanza. Comments that stand alone before a sentence are among its own. Every key is always there, so that programs in
any language can rely on it; None stands for `_`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dodona.data.checks import check_comments, check_heads, check_ranges, check_values
from dodona.data.ud import COLUMNS, FORM, HEAD, ID, MISC, format_attributes, parse_attributes, read_confidence
from dodona.errors import OptionError

if TYPE_CHECKING:
    from dodona.data.sentence import Sentence

__all__ = ["NODE", "RANGE", "SENTENCE", "TOKEN", "read_dictionary", "read_feats", "write_dictionary"]

TOKEN = (
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "start", "end", "confidence",
)  # fmt: skip
RANGE_COLUMNS = ("form", "feats", "misc")
RANGE = ("id", *RANGE_COLUMNS, "start", "end")
NODE = ("id", "form", "lemma", "upos", "xpos", "feats", "deps", "misc")
SENTENCE = ("sent_id", "text", "comments", "tokens", "multiword", "empty")
COLUMN_NUMBERS = {key.lower(): number for number, key in enumerate(COLUMNS)}


def read_dictionary(kind: "type[Sentence]", given: Mapping[str, Any]) -> "Sentence":
    """Check a dictionary, and return its sentence, as `Sentence.from_dict` does."""
    _check_keys(given, SENTENCE, "a sentence")
    tokens = _list(given, "tokens")
    if not tokens:
        raise OptionError("a sentence without 'tokens'; expected at least one")
    for number, token in enumerate(tokens, start=1):
        _check_keys(token, TOKEN, f"token {number}")
        if token.get("id", number) != number:
            raise OptionError(f"token {number}: 'id' {token['id']!r}; expected {number}, as words are numbered from 1")
    columns = _columns(tokens)
    multiword, lines = _ranges(_list(given, "multiword"), len(tokens))
    for word, rows in _nodes(_list(given, "empty"), len(tokens)).items():
        lines[word + 1] = "\n".join(rows + ([lines[word + 1]] if word + 1 in lines else []))
    sentence = kind.from_columns(_comments(given), columns, lines, multiword)
    sentence.offsets = _offsets(tokens)
    return sentence


def _columns(tokens: Sequence[Mapping[str, Any]]) -> dict[int, list[str]]:
    """Return the columns of the words by their numbers."""
    heads = [token.get("head") for token in tokens]
    check_heads(heads, len(tokens))
    columns = {HEAD: ["_" if head is None else str(head) for head in heads]}
    for key in TOKEN[FORM : MISC + 1]:
        if key != "head":
            values = [_string(token, key, f"token {k}") for k, token in enumerate(tokens, start=1)]
            columns[COLUMN_NUMBERS[key]] = check_values(values, len(tokens), key)
    return columns


def _string(given: Mapping[str, Any], key: str, where: str) -> str:
    """Return a value as a column has it."""
    value = given.get(key)
    if value is None and key != "form":
        return "_"
    if key == "feats" and isinstance(value, Mapping):
        column = format_attributes(value)
        if parse_attributes(column) != dict(value):
            raise OptionError(f"{where}: feats {dict(value)!r}; expected names and values that are text without `|`")
        return column
    if not isinstance(value, str):
        raise OptionError(f"{where}: {key} {value!r}; expected text{'' if key == 'form' else ', or None'}")
    return value


def _ranges(given: Sequence[Any], n: int) -> tuple[list[tuple[int, int, str]], dict[int, str]]:
    """Return multiword ranges, and the line of each by its first word."""
    multiword = []
    rows = []
    for each in given:
        first, last = _id(each, RANGE, "a multiword token")
        rows.append(_row(f"{first}-{last}", each, RANGE_COLUMNS))
        multiword.append((first, last, rows[-1][1]))
    check_ranges(multiword, None, n)
    return multiword, {first: "\t".join(row) for (first, _, _), row in zip(multiword, rows, strict=True)}


def _nodes(given: Sequence[Any], n: int) -> dict[int, list[str]]:
    """Return the lines of empty nodes by the word before them."""
    lines: dict[int, list[str]] = {}
    for each in given:
        word, number = _id(each, NODE, "an empty node")
        expected = len(lines.get(word, ())) + 1
        if not 0 <= word <= n or number != expected:
            raise OptionError(f"empty node {word}.{number}; expected {word}.{expected}, after a word from 0 to {n}")
        lines.setdefault(word, []).append("\t".join(_row(f"{word}.{number}", each, NODE[1:])))
    return lines


def _id(given: Any, known: Sequence[str], what: str) -> tuple[int, int]:
    _check_keys(given, known, what)
    id = given.get("id")
    if not isinstance(id, list | tuple) or len(id) != 2 or not all(type(number) is int for number in id):
        raise OptionError(f"{what}: id {id!r}; expected two numbers")
    return id[0], id[1]


def _row(id: str, given: Mapping[str, Any], keys: Sequence[str]) -> list[str]:
    row = [id, *"_________"]
    for key in keys:
        row[COLUMN_NUMBERS[key]] = _string(given, key, id)
    return check_values(row, len(row), id)


def _comments(given: Mapping[str, Any]) -> list[str]:
    comments = given.get("comments")
    if comments is None:
        values = {key: given.get(key) for key in ("sent_id", "text")}
        comments = [f"# {key} = {value}" for key, value in values.items() if value is not None]
    elif isinstance(comments, str) or not all(isinstance(comment, str) for comment in comments):
        raise OptionError(f"comments {comments!r:.60}; expected a list of lines that begin with '#'")
    return check_comments(comments)


def _offsets(tokens: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]] | None:
    """Return start and end of each word, if all have them."""
    pairs = [(token.get("start"), token.get("end")) for token in tokens]
    for number, (start, end) in enumerate(pairs, start=1):
        if not (start is end is None or (type(start) is type(end) is int and 0 <= start <= end)):
            raise OptionError(f"token {number}: start {start!r} and end {end!r}; expected two numbers, or None twice")
    offsets = [(start, end) for start, end in pairs if start is not None and end is not None]
    return offsets if len(offsets) == len(tokens) else None


def _check_keys(given: Any, known: Sequence[str], what: str) -> None:
    if not isinstance(given, Mapping):
        raise OptionError(f"{what}: {given!r:.60}; expected a dictionary with {', '.join(known)}")
    for key in given:
        if key not in known:
            raise OptionError(f"{what}: unknown key {key!r}; expected some of {', '.join(known)}")


def _list(given: Mapping[str, Any], key: str) -> Sequence[Any]:
    values = given.get(key, ())
    if not isinstance(values, list | tuple):
        raise OptionError(f"{key} {values!r:.60}; expected a list of dictionaries")
    return values


def write_dictionary(sentence: "Sentence") -> dict[str, Any]:
    """Return what a sentence has to say, as `Sentence.to_dict` does."""
    conllu = sentence.format == "conllu"
    nothing = ["_"] * len(sentence)
    offsets: Sequence[tuple[int | None, int | None]] = sentence.offsets or [(None, None)] * len(sentence)
    columns = zip(
        sentence.words, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads, sentence.labels,
        sentence.deps if conllu else nothing, sentence.misc if conllu else nothing, offsets, strict=True,
    )  # fmt: skip
    tokens = [
        {
            "id": number,
            "form": form,
            "lemma": lemma if form == "_" else _value(lemma),  # UD: then both are underscores
            "upos": _value(upos),
            "xpos": _value(xpos),
            "feats": read_feats(feats),
            "head": head,
            "deprel": _value(label),
            "deps": _value(deps),
            "misc": _value(misc),
            "start": start,
            "end": end,
            "confidence": read_confidence(misc),
        }
        for number, (form, lemma, upos, xpos, feats, head, label, deps, misc, (start, end)) in enumerate(columns, 1)
    ]
    ranges, nodes = _other_rows(sentence)
    for each in ranges:
        first, last = each["id"]
        each |= {"start": offsets[first - 1][0], "end": offsets[last - 1][1]}
    return {
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "comments": [*_stray_comments(sentence), *sentence.comments],
        "tokens": tokens,
        "multiword": ranges,
        "empty": nodes,
    }


def _stray_comments(sentence: "Sentence") -> list[str]:
    """Return the comments that stand alone before a sentence, but none that would become its name or its text."""
    names = ("sent_id", "text")
    return [line for line in sentence.find_stray_comments() if line[1:].partition("=")[0].strip() not in names]


def _value(column: str) -> str | None:
    """Return None for nothing; an empty column is no valid CoNLL-U, and means the same."""
    return None if column in ("_", "") else column


def read_feats(value: str) -> dict[str, str] | str:
    """Return a mapping; or what is there, where that would not give the same column again."""
    pairs = parse_attributes(value)
    return pairs if not pairs or format_attributes(pairs) == value else value


def _other_rows(sentence: "Sentence") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return multiword ranges and empty nodes, which have rows of their own.

    A reader that is not strict has passed over invalid ones, and so does this.
    """
    ranges: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    if sentence.has_words_only:
        return ranges, nodes
    valid = {f"{first}-{last}" for first, last, _ in sentence.multiword}
    word = empty = 0
    for row in sentence.rows():
        number = row[ID]
        if number.isdecimal():
            word, empty = word + 1, 0
        elif number in valid:
            valid.remove(number)
            ranges.append(_read_row([*map(int, number.split("-"))], row, RANGE_COLUMNS))
        elif number == f"{word}.{empty + 1}":
            empty += 1
            nodes.append(_read_row([word, empty], row, NODE[1:]))
    return ranges, nodes


def _read_row(id: list[int], row: Sequence[str], keys: Sequence[str]) -> dict[str, Any]:
    read: dict[str, Callable[[str], Any]] = {"form": str, "feats": read_feats}
    return {"id": id} | {key: read.get(key, _value)(row[COLUMN_NUMBERS[key]]) for key in keys}
