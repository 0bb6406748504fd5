"""`dodona draw`, and the formats that `dodona parse` draws in."""

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli.test_oracle import SENTENCES, dodona
from click import UsageError
from samples.pictures import SVG

from dodona import DodonaError, FormatError, MismatchError, OptionError, Sentence, read, write
from dodona.cli.commands.draw import draw
from dodona.cli.formats import WRITERS
from dodona.cli.inputs import make_safe
from dodona.cli.outputs import EXTENSIONS
from dodona.data.stream import Boundary, Pause
from dodona.drawing import svg_of


def run(*arguments: str | Path) -> None:
    draw.main([str(argument) for argument in arguments], standalone_mode=False)


@pytest.fixture
def parsed(tmp_path: Path) -> Path:
    """The sample sentences; one label of the first and one head of the third are wrong."""
    sentences = list(read(SENTENCES))
    first, third = sentences[0], sentences[2]
    first.set_tree(first.gold_heads(), ["nsubj", "root", "obj", "det", "obj", "punct"])
    third.set_tree([2, 4, 4, 0, 7, 7, 4, 4], third.labels)
    write(sentences, tmp_path / "parsed.conllu")
    return tmp_path / "parsed.conllu"


def test_text_without_an_output(capfd: pytest.CaptureFixture[str]) -> None:
    run(SENTENCES, "-n", "oak", "-n", "1")
    out, err = capfd.readouterr()
    assert out.startswith("She wrote him a letter.\n ╭─── She ")
    assert "The oak rustles" in out
    assert "hearing" not in out
    assert err == ""


@pytest.mark.parametrize(
    ("name", "begin"), [("a.html", "<!DOCTYPE html>"), ("a.svg", "<svg "), ("a.tex", "% in"), ("a.txt", "She wrote")]
)
def test_the_name_of_the_output_tells_the_format(tmp_path: Path, name: str, begin: str) -> None:
    run(SENTENCES, "-o", tmp_path / name)
    assert (tmp_path / name).read_text().startswith(begin)
    assert "rustles" in (tmp_path / name).read_text()
    run(SENTENCES, "-o", tmp_path / f"{name}.gz")
    assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()) == (tmp_path / name).read_bytes()


def test_a_folder_gets_a_picture_for_each_sentence(tmp_path: Path) -> None:
    run(SENTENCES, "-o", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hearing.svg", "letter.svg", "oak.svg"]
    words = [text for text in ElementTree.parse(tmp_path / "oak.svg").iter(f"{SVG}text") if text.get("class") == "word"]
    assert [word[0].tail for word in words] == ["The", "oak", "rustles", "when", "nobody", "asks", "."]


@pytest.mark.filterwarnings("ignore:.*sent_id")
def test_names_of_files_are_safe_and_differ(tmp_path: Path) -> None:
    names = ["../../etc", "b", "B", "b", "", "x" * 300, ".hidden"]
    comments = [[f"# sent_id = {name}"] if name else [] for name in names]
    sentences = [Sentence.from_words(["w"], heads=[0], labels=["root"], comments=each) for each in comments]
    write(sentences, tmp_path / "in.conllu")
    (tmp_path / "out").mkdir()
    run(tmp_path / "in.conllu", "-o", f"{tmp_path / 'out'}/", "--format", "tikz")
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == sorted(["_.._etc.tex", "b.tex", "B-3.tex", "b-4.tex", "5.tex", "x" * 100 + ".tex", "hidden.tex"])
    assert make_safe('a/b\\c:d*e?f"g<h>i|j k') == "a_b_c_d_e_f_g_h_i_j_k"


def test_errors_of_a_parse(parsed: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("--diff", SENTENCES, parsed)
    out, err = capfd.readouterr()
    assert err == "dodona: 2 of 3 sentences differ\n"
    assert [line for line in out.splitlines() if "≠" in line or "✗" in line] == [
        " ├─── him     PRON   iobj   ≠   ├─── him     PRON   obj",
        " │ ╰─┴─ oracle   NOUN   nmod   ✗   ├─┴─ oracle   NOUN   nmod",
    ]
    assert "parsed" in out.splitlines()[1]
    assert "The oak rustles" not in out
    run("--diff", SENTENCES, parsed, "-o", tmp_path / "errors.html", "-n", "3", "-n", "2")
    page = (tmp_path / "errors.html").read_text()
    assert page.count("<section>") == 1
    assert ">✗ nmod</text>" in page
    assert "≠ obj" not in page


def test_long_sentences_in_several_lines(tmp_path: Path) -> None:
    for name in ("a.svg", "a.html"):
        run(SENTENCES, "-n", "hearing", "-o", tmp_path / name, "--width", "300")
        assert "… hearing</text>" in (tmp_path / name).read_text()


def test_a_whole_document_for_latex(capfd: pytest.CaptureFixture[str]) -> None:
    run(SENTENCES, "--format", "tikz", "--standalone")
    out = capfd.readouterr().out
    assert out.startswith("\\documentclass")
    assert out.count("\\begin{dependency}") == 3
    assert out.endswith("\\end{document}\n")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("--diff", "FILE"), UsageError, "two FILES"),
        (("--diff", "-", "-"), UsageError, "Only one file"),
        (("FILE", "--standalone"), UsageError, "--format tikz"),
        (("FILE", "--width", "500"), UsageError, "--width goes with"),
        (("FILE", "-n", "9"), OptionError, "no sentence '9'; expected numbers from 1 to 3"),
        (("FILE", "-o", "nowhere/"), OptionError, "no such folder"),
        (("FILE", "-o", "FILE"), OptionError, "take the place of the input"),
        (("/dev/null",), FormatError, "/dev/null: no sentences"),
        (("--diff", "FILE", "OTHER"), MismatchError, "word 1 of sentence 1 is 'no'"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], error: type[DodonaError], message: str, tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    write([Sentence.from_words(["no"], heads=[0], labels=["root"])], other)
    names = {"FILE": str(SENTENCES), "OTHER": str(other)}
    with pytest.raises(error, match=message):
        run(*(names.get(argument, argument) for argument in arguments))


def test_nothing_is_written_if_a_sentence_is_bad(tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text("1\ta\t_\t_\t_\t_\t1\tx\t_\t_\n\n")
    for name in ("out.html", "out.svg", "out.tex", "out.txt"):
        with pytest.raises(FormatError, match=r"bad.conllu:1: .*HEAD 1"):
            run(tmp_path / "bad.conllu", "-o", tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.conllu"]


def test_every_format_of_parse_has_a_writer(tmp_path: Path) -> None:
    assert [*EXTENSIONS] == ["conllu", *WRITERS]
    sentences = list(read(SENTENCES))
    for form, writer in WRITERS.items():
        writer([sentences[0], Pause(), Boundary(), sentences[1]], str(tmp_path / form))
        assert "rustles" in (tmp_path / form).read_text()
    lines = (tmp_path / "jsonl").read_text().splitlines()
    assert [json.loads(line)["sent_id"] for line in lines] == ["letter", "oak"]
    assert (tmp_path / "html").read_text().count("<svg ") == 2
    assert (tmp_path / "html").read_text().count("<style>") == 1


def test_parse_draws() -> None:
    done = dodona("parse", "en-fast", str(SENTENCES), "--format", "html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("<section>") == 3
    assert done.stdout.endswith("</html>\n")


def test_the_pictures_of_the_docs_are_those_of_the_sample_sentence() -> None:
    docs = SENTENCES.parents[1] / "docs"
    gold = next(sentence for sentence in read(SENTENCES) if sentence.sent_id == "hearing")
    parsed = gold.copy()
    parsed.set_tree([2, 4, 4, 0, 7, 7, 4, 4], ["det", "nsubj:pass", "aux", "root", "case", "det", "obl", "punct"])
    assert (docs / "tree.svg").read_text() == svg_of(gold)
    assert (docs / "errors.svg").read_text() == svg_of(gold, parsed)
