"""The models that come with Dodona: each has a page that fits it, and works from end to end without JAX."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from samples.child import printed

import dodona
from dodona.pipeline import models
from dodona.pipeline.models import model_path


@pytest.mark.parametrize("name", dodona.model_names())
def test_the_page_is_that_of_the_model(name: str) -> None:
    path = model_path(name)
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^- ([^:]+): (.+)$", page, re.M))
    assert said["SHA-256"] == f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`", "scripts/train_models.py --describe"
    assert said["scorer"] == dodona.load(name).parser.options.scorer
    assert said["language"]


def test_which_of_several_models_a_name_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes with Dodona goes before a file, and a file before one that is installed; a folder is no model."""
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere.model"
    monkeypatch.setattr(models, "find_installed_models", lambda: dict.fromkeys(("mine", "folder"), elsewhere))
    assert model_path("mine") == elsewhere
    for name in ("mine", "en-fast"):
        Path(name).touch()
    Path("folder").mkdir()
    assert model_path("mine") == Path("mine")
    assert model_path("folder") == elsewhere
    assert model_path("en-fast").parent == models.MODELS


@pytest.mark.parametrize("name", dodona.model_names())
def test_a_beam_is_doubtful_for_some_models_only(name: str) -> None:
    """One with a linear scorer that was trained without a beam; the scores of a network can be compared."""
    done = subprocess.run(
        [sys.executable, "-m", "dodona", "parse", name, "Oak trees grow.", "--beam", "4", "--nbest", "2"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "# nbest = 2" in done.stdout
    assert bool(done.stderr) == (dodona.load(name).parser.options.scorer == "linear")


def test_parsing_needs_no_jax() -> None:
    program = "import sys, dodona\nfor name in dodona.model_names(): dodona.load(name)('Oak trees grow.')\n"
    program += "print('jax' in sys.modules)"
    assert printed(program) == "False\n"
