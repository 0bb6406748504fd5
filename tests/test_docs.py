"""The site is built from the pages and the docstrings without a warning, and needs nothing from outside."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="pip install 'dodona[docs]'")
pytest.importorskip("material", reason="pip install 'dodona[docs]'")
pytest.importorskip("mkdocstrings", reason="pip install 'dodona[docs]'")

ROOT = Path(__file__).parent.parent
LOADED = re.compile(r'<(?:script[^>]* src|link[^>]* rel="?stylesheet"?[^>]* href|img[^>]* src)="?https?://[^" >]+')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    expected = {path.with_suffix(".html").name for path in (ROOT / "docs").glob("*.md")}
    expected |= {"index.html", "contributing.html", "changelog.html", "models.html"}
    assert expected <= {path.name for path in site.glob("*.html")}


def test_docstrings_of_python_and_of_compiled_files(site: Path) -> None:
    assert "Return a trained pipeline: one that comes with Dodona" in (site / "api" / "dodona.html").read_text("utf-8")
    assert "Raise an error for a sentence of another kind" in (site / "api" / "search.html").read_text("utf-8")


def test_nothing_is_loaded_from_outside(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not LOADED.search(page.read_text("utf-8")), page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import ['\"]?http", style.read_text("utf-8")), style
