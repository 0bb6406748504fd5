"""The notebooks run from the first cell to the last, in any Python: no notebook program is needed for that."""

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
LINK = re.compile(r"\]\(([^)#]+)\)")


def cells(notebook: Path, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == kind]


def run(code: str, names: dict[str, Any]) -> object:
    """Run a cell, and return the value of its last line, if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names: dict[str, Any] = {"__name__": "notebook"}
    printed = io.StringIO()
    shown = []
    with contextlib.redirect_stdout(printed):
        for code in cells(notebook, "code"):
            value = run(code, names)
            if hasattr(value, "_repr_html_"):
                shown.append(value._repr_html_())
    assert len(shown) >= 2
    assert all(shown)
    assert printed.getvalue()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_committed_without_outputs(notebook: Path) -> None:
    data = json.loads(notebook.read_text())
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in data["cells"]]
    assert len(ids) == len(set(ids))
    for cell in data["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert json.dumps(data, ensure_ascii=False, indent=1) + "\n" == notebook.read_text()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_links_lead_somewhere(notebook: Path) -> None:
    links = [link for text in cells(notebook, "markdown") for link in LINK.findall(text)]
    assert links
    for link in links:
        assert (notebook.parent / link).exists(), link


def test_there_is_one_for_each_kind_of_user() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["parse_text", "study_parsing", "train_a_treebank"]
