"""Raw text and sentences: the raw text of a treebank, and the encoding of whitespace in MISC.

MISC has the whitespace between a token and the next, as in UDPipe: nothing for one space, `SpaceAfter=No` for none,
`SpacesAfter=…` for all other whitespace; `SpacesBefore=…` the whitespace before the first token of a text;
`SpacesInToken=…` a token with its original whitespace, if that is not single spaces. In these values

    \\s  space      \\t  tab      \\n  line feed      \\r  carriage return      \\p  |      \\\\  backslash

and all other whitespace, with NUL and lone surrogates, which a CoNLL-U file cannot contain, is \\uXXXX. So the text can
be restored exactly from the sentences of a tokenizer. Only a text that is all whitespace cannot: it has no sentence.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dodona.data import characters
from dodona.data.characters import is_blank
from dodona.data.sentence import Sentence
from dodona.data.ud import ID, MISC, NO_SPACE
from dodona.errors import FormatError

__all__ = [
    "SurfaceToken", "begins_paragraph", "check_text", "detokenize", "escape", "join_words", "paragraphs", "raw_text",
    "rebuild_text", "unescape",
]  # fmt: skip

NEW_PARAGRAPH = re.compile(r"#\s*new(?:par|doc)\b")
ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
CHARACTERS = {escape[1]: char for char, escape in ESCAPES.items()}
TO_ESCAPE = re.compile(f"[{characters.BLANKS}|\\\\]")
ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([stnrp\\]))")


class SurfaceToken(NamedTuple):
    """A token of a text, by its characters; `words` if it is a multiword token."""

    start: int
    end: int
    ends_sentence: bool
    words: list[str] | None


def escape(text: str) -> str:
    """Return text escaped as the value of one of the attributes above; other characters are unchanged."""
    return TO_ESCAPE.sub(lambda match: ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}", text)


def unescape(value: str) -> str:
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)) if match[1] else CHARACTERS[match[2]], value)


def rebuild_text(sentences: Iterable[Sentence]) -> str:
    """Return the original text of sentences from the tokenizer."""
    parts: list[str] = []
    for sentence in sentences:
        for _, _, form, misc in _tokens(sentence):
            if misc == "_":
                parts += (form, " ")
                continue
            attributes = _parse_misc(misc)
            parts.append(unescape(attributes.get("SpacesBefore", "")))
            parts.append(unescape(attributes["SpacesInToken"]) if "SpacesInToken" in attributes else form)
            parts.append(_space_after(attributes))
    return "".join(parts)


def join_words(sentence: Sentence, first: int, last: int) -> str:
    """Return some words of a sentence as they are written, with a space wherever there are blanks.

    Of a multiword token that is not whole among them, there are the words.
    """
    parts: list[str] = []
    for begin, end, form, misc in _tokens(sentence):
        if first <= end and begin <= last:
            inside = sentence.words[max(begin, first) - 1 : min(end, last)]
            parts.append(form if len(inside) > end - begin else " ".join(inside))
            parts.append(" " if _space_after(_parse_misc(misc)) else "")
    return "".join(parts[:-1])


def raw_text(sentences: Iterable[Sentence]) -> str:
    """Return the text of a treebank, with an empty line between paragraphs, for testing a tokenizer."""
    return "\n\n".join(text for text, _ in paragraphs(sentences)) + "\n"


def begins_paragraph(sentence: Sentence) -> bool:
    """Whether a paragraph or a document begins with a sentence, by `# newpar` or `# newdoc`."""
    return any(map(NEW_PARAGRAPH.match, sentence.comments))


def paragraphs(sentences: Iterable[Sentence]) -> Iterator[tuple[str, list[SurfaceToken]]]:
    """Yield text and tokens of each paragraph of a treebank, from `# text`, `# newpar`, `# newdoc` and MISC.

    Without these comments all sentences are one paragraph.
    """
    parts: list[str] = []
    tokens: list[SurfaceToken] = []
    begin = 0
    gap = ""
    for sentence in sentences:
        if begins_paragraph(sentence) and tokens:
            yield "".join(parts), tokens
            parts, tokens, begin, gap = [], [], 0, ""
        text = _raw_text(sentence)
        begin += len(gap)
        tokens += _align(sentence, text, begin)
        parts += (gap, text)
        begin += len(text)
        *_, (_, _, _, misc) = _tokens(sentence)
        gap = _space_after(_parse_misc(misc))
    if tokens:
        yield "".join(parts), tokens


def check_text(sentence: Sentence) -> None:
    """Raise an error unless `# text` has the tokens of the sentence, and nothing else."""
    _align(sentence, _raw_text(sentence), 0)


def _raw_text(sentence: Sentence) -> str:
    if not sentence.text:
        raise FormatError(
            f"{sentence.file}:{sentence.line}: a sentence without '# text'; expected the raw text, to learn where "
            "tokens end (dodona.data.spacing.detokenize makes it up from the words)"
        )
    return sentence.text


def _align(sentence: Sentence, text: str, begin: int) -> list[SurfaceToken]:
    """The tokens of a sentence whose text begins there; blanks in the text or in a form need not be the same."""
    tokens: list[SurfaceToken] = []
    at = 0
    for first, last, form, _ in _tokens(sentence):
        while at < len(text) and is_blank(text[at]):
            at += 1
        start = at
        if text.startswith(form, at):
            at += len(form)
        else:
            for char in form:
                if is_blank(char):
                    continue
                while at < len(text) and is_blank(text[at]):
                    at += 1
                if at == len(text) or text[at] != char:
                    location = f"{sentence.file}:{sentence.word_line(first)}"
                    raise FormatError(f"{location}: FORM {form!r} is not what '# text' has here: {text[start:][:40]!r}")
                at += 1
        if at == start or is_blank(text[at - 1]):
            raise FormatError(f"{sentence.file}:{sentence.word_line(first)}: FORM {form!r} has blanks at its end")
        words = sentence.words[first - 1 : last] if last > first else None
        tokens.append(SurfaceToken(begin + start, begin + at, False, words))
    if text[at:].strip():
        location = f"{sentence.file}:{sentence.line}"
        raise FormatError(f"{location}: '# text' goes on after the last word: {text[at:][:40]!r}")
    tokens[-1] = tokens[-1]._replace(ends_sentence=True)
    return tokens


def detokenize(treebank: Iterable[Sentence]) -> list[Sentence]:
    """Give the sentences of a treebank without raw text a `# text`, in place; those that have one stay as they are.

    If the treebank has `SpaceAfter=No` anywhere, it is used. Otherwise spaces are inserted by rules: not inside of
    brackets and quotation marks, not before full stops and commas, not in Chinese, Japanese or Thai. The result is also
    written into MISC.
    """
    sentences = list(treebank)
    has_spaces = any(NO_SPACE in misc or "SpacesAfter=" in misc for s in sentences for misc in s.misc)
    for sentence in sentences:
        if sentence.text:
            continue
        tokens = list(_tokens(sentence))
        if has_spaces:
            gaps = [_space_after(_parse_misc(misc)) for _, _, _, misc in tokens]
        else:
            gaps = _guess_spaces([form for _, _, form, _ in tokens])
            misc = list(sentence.misc)
            for (first, last, _, _), gap in zip(tokens, gaps, strict=True):
                if not gap and first == last:
                    misc[first - 1] = NO_SPACE if misc[first - 1] == "_" else f"{misc[first - 1]}|{NO_SPACE}"
            sentence.set_column("misc", misc)
        text = "".join(form + gap for (_, _, form, _), gap in zip(tokens, gaps, strict=True))
        sentence.set_comments([*sentence.comments, f"# text = {' '.join(text.split())}"])
    return sentences


def _guess_spaces(forms: list[str]) -> list[str]:
    """Return the whitespace after each token by rules that most languages share."""
    attached = [False] * len(forms) + [False]  # to the token before
    open_quotes: set[str] = set()
    for k, form in enumerate(forms):
        if form in ('"', "'"):
            attached[k + (form not in open_quotes)] = True
            open_quotes ^= {form}
        elif len(form) == 1:
            attached[k] = attached[k] or form in ",.;:!?%)]}" or characters.kind_of(ord(form)) in CLOSING
            attached[k + 1] = form in "([{¿¡" or characters.kind_of(ord(form)) in OPENING
        if _is_unspaced(form[0]):
            attached[k] = True
        if _is_unspaced(form[-1]):
            attached[k + 1] = True
    return ["" if together else " " for together in attached[1:]]


CLOSING = (characters.CLOSE, characters.FINAL, characters.FULL_STOP)
OPENING = (characters.OPEN, characters.INITIAL)
UNSPACED = (characters.HAN, characters.HIRAGANA, characters.KATAKANA, characters.UNSPACED)


def _is_unspaced(char: str) -> bool:
    return characters.kind_of(ord(char)) in UNSPACED or "\u3000" < char < "\u3040" or "\uff00" < char < "\uff66"


def _tokens(sentence: Sentence) -> Iterator[tuple[int, int, str, str]]:
    """Return first word, last word, form and MISC of every token."""
    range_misc: dict[int, str] = {}  # by the first word
    if sentence.multiword:
        range_misc = {int(row[ID].partition("-")[0]): row[MISC] for row in sentence.rows() if "-" in row[ID]}
    for first, last, form in sentence.tokens():
        yield first, last, form, range_misc.get(first, "_") if last > first else sentence.misc[first - 1]


def _parse_misc(misc: str) -> dict[str, str]:
    return {key: value for key, equals, value in (part.partition("=") for part in misc.split("|")) if equals}


def _space_after(attributes: dict[str, str]) -> str:
    if attributes.get("SpaceAfter") == "No":
        return ""
    return unescape(attributes["SpacesAfter"]) if "SpacesAfter" in attributes else " "
