"""The Python on every page is Python, and what it imports is there."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUN_ELSEWHERE = ("extending.md",)  # tests/test_extending.py runs all of it
OPTIONAL = ("dask.dataframe", "pandas", "pyspark", "spacy")
PAGES = [ROOT / "README.md", *(p for p in sorted((ROOT / "docs").glob("*.md")) if p.name not in RUN_ELSEWHERE)]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
BLOCKS = [(page, block) for page in PAGES for block in BLOCK.findall(page.read_text())]


@pytest.mark.parametrize(("page", "block"), BLOCKS, ids=[page.name for page, _ in BLOCKS])
def test_imports_are_there(page: Path, block: str) -> None:
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            for name in node.names:
                if not hasattr(module, name.name):
                    importlib.import_module(f"{node.module}.{name.name}")
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name in OPTIONAL:
                    pytest.importorskip(name.name, reason="an extra that is not installed")
                importlib.import_module(name.name)


def test_there_are_blocks() -> None:
    assert len(BLOCKS) > 5
