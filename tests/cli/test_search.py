"""`dodona search`: from a pattern and files to sentences, drawings and counts."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from click import UsageError
from samples.command_line import call_dodona
from samples.small_models import whole

from dodona import FormatError, OptionError, PatternError, Sentence, read, write
from dodona.cli.commands.search import search

VERB = "pattern { V [upos=VERB]; V -[nsubj]-> S }"


def run(*arguments: str | Path) -> None:
    search.main([str(argument) for argument in arguments], standalone_mode=False)


def make(words: str, upos: str, heads: list[int], labels: str, number: int) -> Sentence:
    return Sentence.from_words(
        words.split(),
        upos.split(),
        lemmas=words.lower().split(),
        heads=heads,
        labels=labels.split(),
        comments=[f"# sent_id = {number}", f"# text = {words}"],
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    sentences = [
        make("Yes", "INTJ", [0], "root", 1),
        make("Oaks grow", "NOUN VERB", [2, 0], "nsubj root", 2),
        make("Old ones", "ADJ NOUN", [2, 0], "amod root", 3),
        make("She sees oaks", "PRON VERB NOUN", [2, 0, 2], "nsubj root obj", 4),
        make("Oaks that rustle grow", "NOUN PRON VERB VERB", [4, 3, 1, 0], "nsubj nsubj acl root", 5),
        make("No", "INTJ", [0], "root", 6),
    ]
    write(sentences, tmp_path / "some.conllu")
    return tmp_path / "some.conllu"


def test_sentences_get_a_comment_for_each_match(file: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(VERB, file, "-o", tmp_path / "found.conllu.gz")
    assert capfd.readouterr().err == "dodona: 4 matches in 3 of 6 sentences\n"
    found = list(read(tmp_path / "found.conllu.gz"))
    assert [sentence.sent_id for sentence in found] == ["2", "4", "5"]
    assert [comment for comment in found[2].comments if "match" in comment] == [
        "# match = V:3 S:2",
        "# match = V:4 S:1",
    ]
    originals = {sentence.sent_id: sentence for sentence in read(file)}
    assert all(sentence.rows() == originals[sentence.sent_id].rows() for sentence in found)
    run("pattern { V [lemma=sees] }", tmp_path / "found.conllu.gz")  # earlier marks are replaced
    assert [line for line in capfd.readouterr().out.splitlines() if "match" in line] == ["# match = V:2"]


def test_context_and_limit(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def shown(*options: str) -> list[str]:
        run(*options, file)
        lines = capfd.readouterr().out.splitlines()
        return [line.removeprefix("# sent_id = ") for line in lines if "sent_id" in line]

    assert shown("pattern { X [lemma=sees] }", "--context", "1") == ["3", "4", "5"]
    assert shown(VERB, "--context", "1") == ["1", "2", "3", "4", "5", "6"]
    assert shown(VERB, "--context", "1", "--limit", "1") == ["1", "2", "3"]
    assert shown(VERB, "--limit", "2") == ["2", "4"]
    assert shown("pattern { X [lemma=yes|no] }", "--context", "2") == ["1", "2", "3", "4", "5", "6"]


def test_a_limit_holds_in_the_middle_of_a_sentence(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("pattern { V -> D }", file, "--limit", "1", "--count", "D.lemma", "--format", "tsv")
    assert capfd.readouterr().out.splitlines()[1:] == ["yes\t1\t100.0"]


def test_context_ends_with_the_file(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "copy.conllu").write_bytes(file.read_bytes())
    run("pattern { X [lemma=no] }", file, tmp_path / "copy.conllu", "--context", "1")
    assert capfd.readouterr().out.count("sent_id = 1") == 0


def test_counts(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(VERB, file, "--count", "V.lemma", "S.upos")
    out = capfd.readouterr().out
    assert [line.split() for line in out.splitlines() if "grow" in line] == [["grow", "NOUN", "2", "50.00"]]
    run(VERB, file, "--count", "V.lemma,S.upos", "-o", tmp_path / "counts.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "counts.csv").read_text())))
    assert rows[:2] == [["V.lemma", "S.upos", "matches", "%"], ["grow", "NOUN", "2", "50.000000"]]
    run("pattern { e: V -> S }", "--count", "e.label", "--count", "e.delta", file, "--format", "json")
    first = json.loads(capfd.readouterr().out)[0]
    assert (first["e.label"], first["e.delta"], first["matches"]) == ("nsubj", "-1", 3)
    run(VERB, file, "--count", "file", "-o", tmp_path / "counts.md")
    assert f"| {file} | 4 | 100.00 |" in (tmp_path / "counts.md").read_text()
    run(VERB, file, "--count", "V.Case", "--format", "tsv")  # a feature that no word has
    assert capfd.readouterr().out == "V.Case\tmatches\t%\n_\t4\t100.0\n"


def test_drawings_show_each_match(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(VERB, file, "--format", "tree")
    out = capfd.readouterr().out
    assert out.count("◀ V") == out.count("◀ S") == 4
    assert out.count("Oaks that rustle grow\n") == 2
    for name, wanted in {
        "a.svg": 'class="word matched"',
        "a.html": 'class="arc matched"',
        "a.tex": r"\textbf{Oaks}",
    }.items():
        run(VERB, file, "-o", tmp_path / name)
        assert wanted in (tmp_path / name).read_text()
    html = (tmp_path / "a.html").read_text()
    assert html.count("<section>") == 4
    assert html.count("V · VERB") == html.count('class="arc matched"') == 4


def test_json_has_the_matches(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("pattern { e: V -[obj]-> O }", file, "--format", "jsonl")
    (line,) = capfd.readouterr().out.splitlines()
    fields = json.loads(line)
    assert fields["matches"] == [{"nodes": {"V": "2", "O": "3"}, "edges": {"e": ["2", "3", "obj"]}}]
    assert fields["sent_id"] == "4"


def test_folders_compressed_files_and_files_with_patterns(
    tmp_path: Path, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "treebanks" / "one"
    folder.mkdir(parents=True)
    (folder / "b.conllu.gz").write_bytes(gzip.compress(file.read_bytes()))
    (folder / "a.conllu").write_bytes(file.read_bytes())
    (folder / "notes.txt").write_text("no treebank")
    (tmp_path / "subjects.req").write_text(f"% subjects\n{VERB}\n")
    run(tmp_path / "subjects.req", tmp_path / "treebanks", "--count", "file", "--format", "tsv")
    lines = capfd.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == [str(folder / "a.conllu"), str(folder / "b.conllu.gz")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="no file in CoNLL-U in this folder"):
        run(VERB, tmp_path / "empty")


def test_raw_text_through_a_model(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole().save(tmp_path / "small.model")
    text = tmp_path / "text.txt"
    text.write_text("the oak answers. the dove hears.")
    model = str(tmp_path / "small.model")
    run("pattern { V [upos=VERB] }", text, "--model", model, "--count", "V.form", "--format", "tsv")
    assert [line.split("\t")[0] for line in capfd.readouterr().out.splitlines()] == ["V.form", "answers", "hears"]
    with pytest.raises(FormatError, match="expected --model for a text"):
        run(VERB, text)


def test_bad_usage(file: Path, tmp_path: Path) -> None:
    with pytest.raises(PatternError, match=r"column 13: '-'"):
        run("pattern { V - }", file)
    with pytest.raises(OptionError, match=r"no node or edge 'X' in the pattern; it has: V, S"):
        run(VERB, file, "--count", "X.lemma")
    with pytest.raises(OptionError, match=r"expected NAME\.FEATURE"):
        run(VERB, file, "--count", "lemma")
    for key in ("lemma", "V.", "V", ".lemma"):
        with pytest.raises(OptionError, match=rf"key '{key}'(: no node|; expected NAME\.FEATURE)"):
            run(VERB, file, "--count", key)
    with pytest.raises(OptionError, match=r"an edge has label, length"):
        run("pattern { e: A -> B }", file, "--count", "e.lemma")
    with pytest.raises(OptionError, match=r"no output ends with '\.pdf' here"):
        run(VERB, file, "-o", tmp_path / "x.pdf")
    with pytest.raises(UsageError, match=r"--format csv goes with --count"):
        run(VERB, file, "--format", "csv")
    with pytest.raises(UsageError, match=r"--format svg goes without --count"):
        run(VERB, file, "--format", "svg", "--count", "V.lemma")
    with pytest.raises(OptionError, match=r"would take the place of the input"):
        run(VERB, file, "-o", file)
    assert not (tmp_path / "x.pdf").exists()


def test_standard_input_and_one_line_of_error(file: Path) -> None:
    done = call_dodona("search", VERB, text=file.read_text())
    assert done.stdout.count("# match") == 4
    done = call_dodona("search", "pattern { V -[nsubj] S }", str(file))
    assert done.returncode == 2
    assert done.stderr == (
        "dodona: pattern, line 1, column 22: 'S'; expected `->` after the label of an edge\n"
        "  pattern { V -[nsubj] S }\n                       ^\n"
    )
