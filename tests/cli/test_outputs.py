"""`-o` and `--each`: one output, or one for each input; nothing is half-written, and nothing is lost."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dodona import FormatError, OptionError, Sentence, write
from dodona.cli.outputs import EXTENSIONS, check_targets, choose_format, write_each
from dodona.data.stream import Boundary, Item, Pause

SENTENCE = Sentence.from_words(["ein", "Wort"])
MODEL = Path(__file__)


def test_names_of_outputs(tmp_path: Path) -> None:
    files = ["a.txt", "sub/b.conllu.gz", "c", "d.v2.txt.xz", ".gz"]
    folder = str(tmp_path)
    for spelling in (folder, folder + "/"):
        names = check_targets(files, spelling, True, "conllu", MODEL)
        assert [os.path.relpath(name, folder) for name in names] == [
            "a.conllu", "b.conllu.gz", "c.conllu", "d.v2.conllu.xz", ".conllu.gz",
        ]  # fmt: skip
    names = check_targets(files[:2], folder, True, "tree", MODEL)
    assert [os.path.basename(name) for name in names] == ["a.txt", "b.txt.gz"]
    assert check_targets(["-", None], "new.conllu", False, "conllu", MODEL) == ["new.conllu"]


@pytest.mark.parametrize(
    ("files", "output", "each", "message"),
    [
        (["a.txt"], "", False, "this is a folder; expected a file, or --each"),
        (["a.txt"], "/none/", False, "this is a folder; expected a file, or --each"),
        (["a.txt"], "/none/", True, "expected -o with a folder that exists, not .*none/"),
        (["a.txt"], "/model", True, "expected -o with a folder that exists"),
        (["a.txt", "-"], "", True, "expected files only"),
        (["a.txt", None], "", True, "expected files only"),
        (["a.txt", "b/a.conllu"], "", True, "a.txt and b/a.conllu would both be written to it"),
        (["model.txt"], "", True, "would take the place of the model"),
        (["a.txt"], "/model.conllu", False, "would take the place of the model"),
    ],
)
def test_what_cannot_work_is_said_before(
    tmp_path: Path, files: list[str | None], output: str, each: bool, message: str
) -> None:
    (tmp_path / "model.conllu").touch()
    (tmp_path / "model").touch()
    with pytest.raises(OptionError, match=message):
        check_targets(files, f"{tmp_path}{output}", each, "conllu", tmp_path / "model.conllu")


ENDINGS = {
    "conllu": [".conllu"], "conllx": [".conllx"], "json": [".json"], "jsonl": [".jsonl"], "csv": [".csv"],
    "tsv": [".tsv"], "tree": [".txt"], "text": [".txt"], "table": [".txt"], "markdown": [".md"],
    "html": [".html", ".htm"], "latex": [".tex"], "tikz": [".tex", ".tikz"], "svg": [".svg"], "dot": [".dot", ".gv"],
    "bibtex": [".bib"],
}  # fmt: skip


@pytest.mark.parametrize("form", ENDINGS)
def test_every_ending_of_every_format(form: str, tmp_path: Path) -> None:
    assert EXTENSIONS.keys() == ENDINGS.keys()
    others = [each for each in ENDINGS if not set(ENDINGS[each]) & set(ENDINGS[form])]
    for ending in ENDINGS[form]:
        for name in (f"a{ending}", f"folder.x/a{ending}", f"a{ending.upper()}", f"a{ending}.gz", f"a.b{ending}.xz"):
            assert choose_format(name, None, [*others, form], others[0]) == form
            assert choose_format(name, others[0], [form], form) == others[0]
        with pytest.raises(OptionError, match=f"no output ends with '{ending}' here; expected one of"):
            choose_format(f"a{ending}", None, others, others[0])
    assert check_targets(["a"], str(tmp_path), True, form, MODEL) == [f"{tmp_path}/a{ENDINGS[form][0]}"]
    for name in ("a", "-", "/dev/stdout", str(tmp_path), "folder.x/a"):
        assert choose_format(name, None, others, form) == form


@pytest.mark.parametrize(
    ("target", "forms", "option", "message"),
    [
        ("a.pdf", ["svg", "html"], "-o", "-o a.pdf: no output ends with '.pdf' here; expected one of .svg, .html, or "
         "--format (write .svg and print it from a browser, or `rsvg-convert -f pdf`, or write .tex and run lualatex)"),
        ("a.png", ["tree", "svg"], "--diagram", "--diagram a.png: no output ends with '.png' here; expected one of "
         ".txt, .svg (write .svg and convert it, for example with `rsvg-convert -o tree.png tree.svg`)"),
        ("a.png", ["csv", "tsv"], "-o", "-o a.png: no output ends with '.png' here; expected one of .csv, .tsv, or "
         "--format"),
        ("a.x.gz", ["table", "text"], "-o", "-o a.x.gz: no output ends with '.x' here; expected one of .txt, or "
         "--format"),
    ],
)  # fmt: skip
def test_whole_errors_of_names(target: str, forms: list[str], option: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        choose_format(target, None, forms, forms[0], option)
    assert str(caught.value) == message


def test_what_was_written_stays_when_a_later_file_fails(tmp_path: Path) -> None:
    def items() -> Iterator[Item]:
        items: list[Item] = [SENTENCE, Pause(), SENTENCE, Boundary(), Boundary(), SENTENCE, Pause()]
        yield from items
        raise FormatError("broken")

    (tmp_path / "c").write_bytes(b"old")
    with pytest.raises(FormatError, match="broken"):
        write_each(items(), [str(tmp_path / name) for name in "abcd"], write)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {
        "a": 2 * SENTENCE.to_bytes(), "b": b"", "c": b"old",
    }  # fmt: skip


def test_all_items_are_taken(tmp_path: Path) -> None:
    rest: Iterator[Item] = iter([SENTENCE, Boundary(), Pause()])
    write_each(rest, [str(tmp_path / "a")], write)
    assert list(rest) == []


def test_a_file_is_not_read_while_it_is_appended_to(tmp_path: Path) -> None:
    file, other = tmp_path / "z", tmp_path / "other"
    for path in (file, other):
        path.write_bytes(b"Oak trees grow.\n")
    with open(file, "ab") as target:
        for name in (f"/dev/fd/{target.fileno()}", f"/proc/self/fd/{target.fileno()}"):
            (tmp_path / "link").unlink(missing_ok=True)
            (tmp_path / "link").symlink_to(name)
            for spelling in (name, str(tmp_path / "link")):
                with pytest.raises(OptionError, match="z: both the input and the output; expected -o"):
                    check_targets([str(other), str(file)], spelling, False, "conllu", MODEL)
                assert check_targets([str(other), None], spelling, False, "conllu", MODEL) == [spelling]
    assert check_targets([str(file)], str(file), False, "conllu", MODEL) == [str(file)]
    done = subprocess.run(
        ["bash", "-c", f'exec "{sys.executable}" -m dodona parse en-fast < z >> z'], cwd=tmp_path,
        capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "standard input: both the input and the output" in done.stderr
    assert file.read_bytes() == other.read_bytes()
