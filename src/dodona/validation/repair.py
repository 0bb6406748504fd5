"""Repairs of CoNLL-U files that cannot change their meaning.

A repair removes what a rule forbids and no reader needs: a byte order mark, carriage returns, white space around
values, blank lines; and it puts text into NFC, and features and DEPS into their order. What is not understood is left
as it is, and what is valid comes out byte for byte.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from dodona.data.conllu import BOM, Block, split_blocks
from dodona.data.ud import COLUMNS, DEPS, FEATS, FORM, ID, MISC, NO_SPACE
from dodona.validation.content import find_feature_faults, parse_enhanced_head

__all__ = ["repair_chunks"]

SORTING = {"unsorted-features", "unsorted-feature-values"}
START = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r]*+\n)*+")
STRIPPED_COMMENTS = ("# text", "#text", "# sent_id", "#sent_id")


def repair_chunks(chunks: Iterable[bytes], name: str, repairs: Counter[str]) -> Iterator[bytes]:
    """Yield the repaired bytes of a file in chunks of bytes, and count the repairs by the rule that demands them."""
    for block in filter(None, split_blocks(chunks, name)):  # without pauses
        data = _repair_block(block, repairs)
        if data:
            yield data


def _repair_block(block: Block, repairs: Counter[str]) -> bytes:
    whole = block.leading + block.body
    begin = START.match(whole).end()  # type: ignore[union-attr]  # which matches nothing too
    marks = whole.count(BOM, 0, begin)
    body = whole[begin:]
    blank = whole[:begin].replace(BOM, b"") + (b"" if body.strip() else body + block.end)
    repairs["byte-order-mark"] += marks
    repairs["extra-empty-line"] += blank.count(b"\n") or bool(blank)
    if not body.strip():
        return b""
    old, body = body, _repair_body(body, repairs)
    if body is old and old.endswith(b"\r"):
        return body + block.end  # a lone carriage return: it is not known where lines end
    repairs["non-unix-newline"] += block.end.count(b"\r\n")
    feeds = block.end.count(b"\n")
    repairs["missing-empty-line"] += feeds < 2
    repairs["extra-empty-line"] += max(0, feeds - 2)
    repairs["pseudo-empty-line"] += sum(bool(line.strip(b"\r")) for line in block.end.split(b"\n"))
    return body + b"\n\n"


def _repair_body(body: bytes, repairs: Counter[str]) -> bytes:
    """The lines of a sentence; unchanged if they are not text, or have carriage returns elsewhere than at line ends."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    unix = text.replace("\r\n", "\n").removesuffix("\r")
    if "\r" in unix or "\0" in unix:
        return body
    repairs["non-unix-newline"] += text.count("\r")
    if not unicodedata.is_normalized("NFC", unix):
        lines = unix.split("\n")
        repairs["unicode-normalization"] += sum(not unicodedata.is_normalized("NFC", line) for line in lines)
        unix = "\n".join(unicodedata.normalize("NFC", line) for line in lines)
    unspaced = False
    lines = []
    for line in unix.split("\n"):
        lines.append(_repair_line(line, unspaced, repairs))
        unspaced = NO_SPACE in line
    return "\n".join(lines).encode()


def _repair_line(line: str, unspaced: bool, repairs: Counter[str]) -> str:
    if line.startswith("#"):
        bare = line.rstrip()
        if bare == line or not line.startswith(STRIPPED_COMMENTS):
            return line
        repairs["text-trailing-whitespace"] += 1
        return bare
    cells = line.split("\t")
    if len(cells) < len(COLUMNS) or any(map(str.strip, cells[len(COLUMNS) :])) or not cells[ID].strip()[:1].isdigit():
        return line
    repairs["number-of-columns"] += len(cells) - len(COLUMNS)
    del cells[len(COLUMNS) :]
    for k, cell in enumerate(cells):
        bare = cell.strip()
        if bare and bare != cell and not (k == FORM and (unspaced or NO_SPACE in cells[MISC])):
            # in a form, white space can stand for that of the text, where the next token follows without any
            cells[k] = bare
            repairs["white-space"] += 1
    cells[FEATS] = _sort_features(cells[FEATS], repairs)
    cells[DEPS] = _sort_deps(cells[DEPS], repairs)
    return "\t".join(cells)


def _sort_features(feats: str, repairs: Counter[str]) -> str:
    faults = {rule for rule, _ in find_feature_faults(feats)} if feats != "_" else set()
    if not faults or not faults <= SORTING:
        return feats
    repairs.update(faults)
    parts = []
    for part in feats.split("|"):
        name, _, values = part.partition("=")
        parts.append(f"{name}={','.join(sorted(values.split(','), key=str.lower))}")
    return "|".join(sorted(parts, key=str.lower))


def _sort_deps(deps: str, repairs: Counter[str]) -> str:
    if "|" not in deps:
        return deps
    keyed = []
    for pair in deps.split("|"):
        head, _, relation = pair.partition(":")
        order = parse_enhanced_head(head)
        if order is None or relation.split() != [relation]:
            return deps
        keyed.append((order, relation, pair))
    if keyed == sorted(keyed):
        return deps
    repairs["unsorted-deps"] += 1
    return "|".join(pair for _, _, pair in sorted(keyed))
