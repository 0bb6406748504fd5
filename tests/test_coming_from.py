"""The pages for those who know other parsers: their examples run, and their tables name what is there."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from samples.blocks import run_blocks

import dodona
from dodona.data.other_names import OTHER_NAMES

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ["coming_from_spacy.md", "coming_from_udpipe.md"]
SHELL = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
ROW = re.compile(r"^\| (.+?) \| (.+?) \|", re.M)
NEEDED = {"pandas": "to_dataframe", "spacy": "import spacy"}
CODE = re.compile(r"`([^`]+)`")


@pytest.mark.parametrize("name", [*PAGES, "objects.md"])
def test_python(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what needs a library that is not installed."""
    monkeypatch.chdir(tmp_path)
    names = run_blocks(DOCS / name, [sign for library, sign in NEEDED.items() if find_spec(library) is None])
    assert "nlp" in names


def test_shell(tmp_path: Path) -> None:
    """As printed on the page, in a folder of its own."""
    (block,) = SHELL.findall((DOCS / "coming_from_udpipe.md").read_text(encoding="utf-8"))
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", "-euc", block],
        cwd=tmp_path, env=os.environ | {"PATH": path}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "─┼─── grow" in done.stdout
    assert done.stdout.endswith("Oak trees grow slowly .\nNobody asks why .\n")
    sentences = list(dodona.read(tmp_path / "parsed.conllu"))
    assert [sentence.text for sentence in sentences] == ["Oak trees grow slowly.", "Nobody asks why."]


@pytest.mark.parametrize("name", PAGES)
def test_names_in_the_tables_are_there(name: str) -> None:
    """What the second column says about an object, the object has."""
    document = dodona.load("en-fast")("Oak trees grow.")
    objects = {
        "document": document, "sentence": document[0], "token": document[0][0], "chunk": document.noun_chunks[0],
        "dodona": dodona,
    }  # fmt: skip
    checked = 0
    for _, ours in ROW.findall((DOCS / name).read_text(encoding="utf-8")):
        for code in CODE.findall(ours):
            owner, _, rest = code.partition(".")
            attribute = re.match(r"\w+", rest)
            if owner in objects and attribute is not None:
                assert hasattr(objects[owner], attribute[0]), code
                checked += 1
    assert checked >= 15


def test_every_name_that_is_explained_is_on_the_page() -> None:
    """And those of the table of tokens raise the errors that the page promises."""
    rows = ROW.findall((DOCS / "coming_from_spacy.md").read_text(encoding="utf-8"))
    listed = {
        code.partition(".")[2] for theirs, _ in rows for code in CODE.findall(theirs) if code.startswith("token.")
    }
    same = {"head", "children", "subtree", "ancestors"}
    assert listed - same <= {*OTHER_NAMES["token"]}
    compared = 0
    for row in rows:
        theirs, ours = map(CODE.findall, row)
        for code, own in zip(theirs, ours, strict=False) if len(theirs) == len(ours) else ():
            kind, _, name = code.partition(".")
            explained = OTHER_NAMES.get({"doc": "document", "sent": "sentence"}.get(kind, kind), {}).get(name)
            if explained is not None:
                assert CODE.findall(explained)[0] == own.partition(".")[2], code
                compared += 1
    assert compared > 12
    token = dodona.Sentence.from_words(["a"])[0]
    for name in listed - same:
        assert not hasattr(token, name)
