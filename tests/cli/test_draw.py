"""`dodona draw`, and the formats that `dodona parse` draws in."""

import csv
import gzip
import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from cli.test_oracle import SENTENCES
from click import UsageError
from samples.command_line import call_dodona
from samples.pictures import SVG

from dodona import DodonaError, FormatError, MismatchError, OptionError, Sentence, read, write
from dodona.cli.commands.draw import draw
from dodona.cli.formats import WRITERS
from dodona.cli.inputs import make_safe
from dodona.cli.outputs import EXTENSIONS, SENTENCE_FORMATS
from dodona.data.stream import Boundary, Pause
from dodona.drawing import html_page, svg_of


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
    ("name", "begin"),
    [
        ("a.html", "<!DOCTYPE html>"),
        ("a.htm", "<!DOCTYPE html>"),
        ("a.svg", "<svg "),
        ("a.tex", "% in"),
        ("a.tikz", "% in"),
        ("a.txt", "She wrote"),
        ("a.md", "**She wrote"),
    ],
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


def test_the_worst_sentences_come_first(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = {"a": ([0, 1, 1], 1), "b": ([0, 1, 1, 1], 3), "c": ([0, 1], 0), "d": ([0, 1], 1)}  # by sent_id
    for name in ("gold", "parsed"):
        sentences = []
        for id, (heads, errors) in wrong.items():
            labels = ["x" if name == "parsed" and d < errors else "y" for d in range(len(heads))]
            comments = [f"# sent_id = {id}"]
            sentences.append(Sentence.from_words(["w"] * len(heads), heads=heads, labels=labels, comments=comments))
        write(sentences, tmp_path / f"{name}.conllu")
    files = (tmp_path / "gold.conllu", tmp_path / "parsed.conllu")
    run("--diff", *files, "-o", tmp_path / "all.html")
    assert re.findall(r"<bdi>(.)</bdi>", (tmp_path / "all.html").read_text()) == ["b", "d", "a"]
    run("--diff", *files, "-o", tmp_path / "two.html", "--most", "2", "--per-page", "1")
    run("--diff", *files, "-o", tmp_path / "a & b#?.html", "--per-page", "1")
    names = [f"a & b#?{page}.html" for page in ("", "-2", "-3")]
    links = [re.findall('<a href="(.*?)">(.*?)</a>', (tmp_path / name).read_text()) for name in names]
    assert [[(unquote(unescape(link)), text) for link, text in each] for each in links] == [
        [(names[1], "next")], [(names[0], "previous"), (names[2], "next")], [(names[1], "previous")]
    ]  # fmt: skip
    assert all("%23" in link and "#" not in link and " " not in link for each in links for link, _ in each)
    pages = [(tmp_path / name).read_text() for name in ("two.html", "two-2.html")]
    assert [re.findall(r"<bdi>(.)</bdi>", page) for page in pages] == [["b"], ["d"]]
    assert '<nav><a href="two-2.html">next</a></nav>' in pages[0]
    assert '<nav><a href="two.html">previous</a></nav>' in pages[1]
    assert not (tmp_path / "two-3.html").exists()
    assert "3 of 4 sentences differ; the 2 with the most errors are drawn" in capfd.readouterr().err


def test_right_to_left_headings_and_legend() -> None:
    words = ["שלום", "עולם"]
    gold = Sentence.from_words(words, heads=[0, 1], labels=["root", "a"], comments=["# sent_id = first"])
    parsed = Sentence.from_words(words, heads=[0, 1], labels=["root", "b"])
    page = html_page([(gold, parsed)])
    assert '<h2 dir="rtl"><small><bdi>first</bdi></small>' in page
    picture = ElementTree.fromstring(svg_of(gold, parsed))
    (legend,) = [text for text in picture.iter(f"{SVG}text") if (text.text or "").startswith("above")]
    width = float(picture.attrib["width"])
    assert (legend.get("class"), float(legend.attrib["x"])) == ("legend reversed", width - 12)
    assert ".dodona-tree .legend.reversed { text-anchor: end }" in page
    assert ".dodona-tree { direction: ltr }" in page  # inside of a part of the page that is not


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
        (("FILE", "-o", "FILE", "--format", "tree"), OptionError, "take the place of the input"),
        (("FILE", "-o", "x.pdf"), OptionError, r"'.pdf' here; expected one of .txt, .md, .svg, .*rsvg-convert"),
        (("FILE", "-o", "x.conllu"), OptionError, "no output ends with '.conllu' here"),
        (("FILE", "--most", "3"), UsageError, "--most goes with --diff"),
        (("FILE", "-o", "x.svg", "--per-page", "3"), UsageError, "--per-page goes with"),
        (("FILE", "-o", "/dev/stdout", "--format", "html", "--per-page", "3"), UsageError, "--per-page goes with"),
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
    assert {*SENTENCE_FORMATS} == {"conllu", "conllx", *WRITERS}
    assert {*SENTENCE_FORMATS} < {*EXTENSIONS}
    sentences = list(read(SENTENCES))
    for form, writer in WRITERS.items():
        writer([sentences[0], Pause(), Boundary(), sentences[1]], str(tmp_path / form))
        assert "rustles" in (tmp_path / form).read_text()
    lines = (tmp_path / "jsonl").read_text().splitlines()
    assert [json.loads(line)["sent_id"] for line in lines] == ["letter", "oak"]
    assert [each["sent_id"] for each in json.loads((tmp_path / "json").read_text())] == ["letter", "oak"]
    for form, separator in (("csv", ","), ("tsv", "\t")):
        with open(tmp_path / form, newline="") as file:
            header, *rows = csv.reader(file, delimiter=separator)
        assert header[:4] == ["sentence", "sent_id", "id", "form"]
        assert rows[0] == ["1", "letter", "1", "She", "she", "PRON", "", "", "2", "nsubj", "", ""]
        assert [row[3] for row in rows if row[0] == "2"] == sentences[1].words
    assert (tmp_path / "html").read_text().count("<svg ") == 2
    assert (tmp_path / "html").read_text().count("<style>") == 1


def test_parse_draws() -> None:
    done = call_dodona("parse", "en-fast", str(SENTENCES), "--format", "html")
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
