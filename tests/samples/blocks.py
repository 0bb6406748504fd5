"""The Python in a page, run block by block; where a value is told in a comment, it must be the right one."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FENCED = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
EXCERPT = re.compile(r"# from (\S+)\n(.*)", re.S)


def excerpts(page: Path) -> list[tuple[str, str]]:
    """(file, text) of the blocks that show a part of a file."""
    found = map(EXCERPT.fullmatch, FENCED.findall(page.read_text(encoding="utf-8")))
    return [(match[1], match[2]) for match in found if match]


def run_blocks(page: Path, without: Sequence[str] = ()) -> dict[str, Any]:
    """Run all others one after the other, except those that contain one of some strings; the names they leave."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in FENCED.findall(page.read_text(encoding="utf-8")):
        if EXCERPT.fullmatch(block) or any(part in block for part in without):
            continue
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            source = ast.get_source_segment(block, statement) or ""
            if not isinstance(statement, ast.Expr):
                exec(source, names)
                continue
            value = eval(source, names)
            told = lines[(statement.end_lineno or 1) - 1].encode()[statement.end_col_offset :].decode().strip()
            if told.startswith("# "):
                told = told.removeprefix("# ")
                assert repr(value) == told or value == ast.literal_eval(told), (source, value)
    return names
