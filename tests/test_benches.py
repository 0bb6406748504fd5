"""Benches and scripts look for treebanks in one place, and say so where there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = [
    *(
        path
        for path in sorted((ROOT / "bench").glob("*.py"))
        if "= treebank_folder(" in path.read_text(encoding="utf-8")
    ),
    ROOT / "scripts" / "train_models.py",
]


def run(program: Path, treebanks: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DODONA_")}
    if treebanks is not None:
        environment["DODONA_TREEBANKS"] = treebanks
    return subprocess.run(
        [sys.executable, str(program), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_treebanks_must_be_named(program: Path) -> None:
    assert len(PROGRAMS) > 5
    unset = run(program, None)
    assert (unset.returncode, unset.stdout) == (1, "")
    assert unset.stderr.startswith("DODONA_TREEBANKS is not set: expected the folder with the treebanks")


def test_treebanks_must_be_there(tmp_path: Path) -> None:
    """One of the programs stands for all, as they ask the same function."""
    absent = run(PROGRAMS[0], str(tmp_path / "nowhere"))
    assert (absent.returncode, absent.stdout) == (1, "")
    assert absent.stderr.startswith(f"{tmp_path / 'nowhere'}: there is no such folder")


def test_no_path_leads_out_of_the_repository() -> None:
    for path in [ROOT / "Makefile", *(ROOT / "bench").glob("*.py"), *(ROOT / "scripts").iterdir()]:
        if path.is_file():
            assert "../" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fr"], 2, "model 'fr': expected some of teacher, silver, en, en-small, en-fast"),
        (["en-fast"], 1, "en_ewt/train.conllu.gz: there is no such file"),
        (["en-fast", "--describe"], 1, "en_ewt/test.conllu.gz: there is no such file"),
        (["--", "--seed"], 1, "en_ewt/train.conllu.gz: there is no such file"),
    ],
)
def test_models_need_their_data(arguments: list[str], code: int, message: str, tmp_path: Path) -> None:
    done = run(ROOT / "scripts" / "train_models.py", str(tmp_path), *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
