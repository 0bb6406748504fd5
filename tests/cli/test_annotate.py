"""`dodona annotate` from the outside; and marks as train, parse, evaluate and convert understand them."""

import getpass
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import click
import pytest
from click.testing import CliRunner, Result
from samples.annotated import act, make_folder, open_session
from samples.command_line import call_dodona
from samples.signals import interrupted
from samples.small_models import full_treebank, whole

import dodona
from dodona import DodonaError, Request, Sentence, read, write
from dodona.annotation.agreement import describe_status
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import AnnotationSession
from dodona.cli.commands.annotate import annotate_command
from dodona.cli.commands.convert import convert_command
from dodona.cli.commands.evaluate import evaluate_command
from dodona.cli.commands.train import train_command
from dodona.data.marks import read_marks, write_marks, write_status
from dodona.evaluation import attachment, compare, evaluate
from dodona.server import app as app_module
from dodona.server import log
from dodona.server import models as models_module
from dodona.server import run as server
from dodona.server.annotation.functions import PAGES, SUMMARIES
from dodona.server.models import Models
from dodona.server.service import Limits
from dodona.tables import FORMATS

ARC = {"arc": "confirmed"}


def run(command: click.Command, *arguments: object) -> Result:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def open_up(sentence: Sentence, *marked: int, **marks: str) -> Sentence:
    """The sentence, open, with these aspects of some words marked."""
    copy = sentence.copy()
    copy.set_comments(write_status(copy.comments, "open"))
    kinds = marks or ARC
    copy.misc = [write_marks(misc, kinds if k in marked else {}) for k, misc in enumerate(copy.misc, start=1)]
    return copy


def test_a_text_becomes_a_file_and_ctrl_c_leaves_nothing_broken(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    model, text = tmp_path / "small.model", tmp_path / "more.txt"
    whole().save(model)
    text.write_text("the dog sees a cat . a cat sleeps .\n")
    done = interrupted(
        "dodona: the page is at", "annotate", folder, "--model", model, "--text", text, "--name", "ana", "--port", "0"
    )
    assert done.stdout == ""
    assert done.returncode == 130
    assert done.stderr.endswith("dodona: interrupted\n")
    sentences = list(read(folder / "more.conllu"))
    assert " ".join(sentence.text or "" for sentence in sentences) == text.read_text().strip()
    assert all("# annotation = open" in sentence.comments and None not in sentence.heads for sentence in sentences)
    with pytest.raises(DodonaError, match=r"more.conllu: there is such a file already"):
        run(annotate_command, folder, "--model", model, "--text", text)
    assert "trained here" not in done.stderr
    point = {"sentences": 3, "words": 20, "las": 50.0, "seconds": 0}
    session = open_session(folder)
    session.project.write_training({"point": point, "swapped": True})
    session.close()
    whole().save(folder / "annotation.model")
    again = interrupted("dodona: the page is at", "annotate", folder, "--model", model, "--port", "0")
    assert f"annotation.model guesses, which was trained here; without it, {model} does" in again.stderr


def test_the_status(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 4, kind="done")
    shown = run(annotate_command, "--status", folder).stdout  # while somebody works on it
    assert "new.conllu" in shown
    assert "ana" in shown
    session.close()
    before = sorted(os.listdir(folder))
    run(annotate_command, "--status", folder, "-o", tmp_path / "status.json")
    status = json.loads((tmp_path / "status.json").read_text())
    assert [(each["done"], each["saved"]) for each in status["files"]] == [(3, True), (1, False)]
    assert [each["name"] for each in status["annotators"]] == ["ana"]
    assert sorted(os.listdir(folder)) == before
    run(annotate_command, "--status", folder, "-o", tmp_path / "status.md")
    assert "| ana | 1 |" in (tmp_path / "status.md").read_text()


def test_usage(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    for arguments, message in (
        ([folder], "--model is missing"),
        ([folder, "--model", "en", "-o", "x"], "-o and --format are for --status"),
    ):
        done = run(annotate_command, *arguments)
        assert done.exit_code == 2
        assert message in done.stderr
    for option, value in (("--retrain-after", 0), ("--port", -1), ("--port", 65536), ("--format", "xml")):
        done = run(annotate_command, folder, "--model", "en", option, value)
        assert (done.exit_code, f"Invalid value for '{option}'" in done.stderr) == (2, True)
    with pytest.raises(DodonaError, match="expected a name"):
        run(annotate_command, folder, "--model", "en", "--name", "a\nb")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DodonaError, match=r"no file ends with .conllu"):
        run(annotate_command, tmp_path / "empty", "--model", "en-fast")


def test_parse_keeps_marked_arcs_alone() -> None:
    sentence = full_treebank(1)[0]
    n = len(sentence)
    last = n if sentence.heads[n - 1] != 1 else n - 1
    wrong = [1 if d == last else head for d, head in enumerate(sentence.heads, start=1)]
    constrained = Request(constrained=True)
    marked = open_up(sentence, last)
    marked.heads = [0 if d == 1 else 1 for d in range(1, n + 1)]
    marked.labels = ["root", *["vocative"] * (n - 1)]
    bare = Sentence.from_words(sentence.words, sentence.upos, xpos=sentence.xpos, feats=sentence.feats,
                               lemmas=sentence.lemmas, heads=[1 if d == last else None for d in range(1, n + 1)],
                               labels=["vocative" if d == last else "_" for d in range(1, n + 1)])  # fmt: skip
    free, given = ([s.copy() for s in (marked, bare)] for _ in "12")
    parsed, expected = whole().parse(free, constrained)
    assert (parsed.heads, parsed.labels) == (expected.heads, expected.labels)
    assert parsed.heads[last - 1] == wrong[last - 1]
    assert read_marks(parsed.misc[last - 1]) == ARC
    cut = Request(constrained=True, max_length=max(2, n // 2))
    try:
        in_pieces = list(whole().parse([given[1]], cut))
    except DodonaError:
        in_pieces = []  # the given arc reaches over all places
    if in_pieces:
        (marked_pieces,) = whole().parse([given[0]], cut)
        assert marked_pieces.heads == in_pieces[0].heads
    closed = marked.copy()
    closed.set_comments(write_status(closed.comments, "done"))
    (kept,) = whole().parse([closed], constrained)
    assert kept.heads == marked.heads


def test_arcs_and_tags_that_are_replaced_are_not_marked() -> None:
    (done,) = full_treebank(1)
    words = range(1, len(done) + 1)
    done.set_tree([k - 1 for k in words], ["root", *["obj"] * (len(done) - 1)])
    marked = open_up(done, *words, arc="changed", upos="confirmed", feats="confirmed", lemma="changed", token="changed")
    marked.set_comments(write_status(marked.comments, "done"))
    for request in (None, Request(confidence=True)):
        (parsed,) = whole().parse([marked.copy()], request)
        assert {aspect for misc in parsed.misc for aspect in read_marks(misc)} == {"upos", "feats", "lemma", "token"}
        assert "# annotation = open" in parsed.comments
    (retagged,) = whole().parse([marked.copy()], retag=True)
    assert {aspect for misc in retagged.misc for aspect in read_marks(misc)} == {"token"}
    (kept,) = whole().parse([marked.copy()], Request(constrained=True))
    assert kept.to_bytes() == marked.to_bytes()


def train(sentences: list[Sentence], dev: list[Sentence] | None = None) -> Any:
    return dodona.train(sentences, dev or [], iterations=2, folds=2, templates="stack")


def test_train_learns_from_what_is_marked() -> None:
    """Guesses are as if they were not there: arcs one by one, tags and lemmas where all of a sentence are marked."""
    gold = full_treebank(8)
    odd = gold[7].copy()
    odd.set_tree([0 if d == 1 else 1 for d in range(1, len(odd) + 1)], ["root", *["vocative"] * (len(odd) - 1)])
    odd.upos = ["X"] * len(odd)
    odd.lemmas = ["odd"] * len(odd)
    learned = train([*gold[:7], open_up(odd, 2)])
    assert "vocative" in learned.parser.labels
    assert "X" not in {tag[0] for tag in learned.tagger.tags}
    unlearned = train([*gold[:7], open_up(odd, 2, upos="changed")])
    assert "vocative" not in unlearned.parser.labels
    everything = open_up(odd, *range(1, len(odd) + 1), upos="changed", feats="confirmed", lemma="changed")
    assert "X" in {tag[0] for tag in train([*gold[:7], everything]).tagger.tags}
    done = odd.copy()
    done.set_comments(write_status(done.comments, "done"))
    assert train([*gold[:7], done]).to_bytes() == train([*gold[:7], odd]).to_bytes()
    masked = odd.copy()
    masked.heads = [h if d == 2 else None for d, h in enumerate(odd.heads, start=1)]
    masked.labels = [label if d == 2 else "_" for d, label in enumerate(odd.labels, start=1)]
    options: dict[str, Any] = {"components": ["parser"], "tags": "gold", "iterations": 2, "templates": "stack"}
    one, other = (dodona.train([*gold[:7], last], **options) for last in (open_up(odd, 2), masked))
    assert one.to_bytes() == other.to_bytes()


def test_open_sentences_are_no_development_data(tmp_path: Path) -> None:
    gold = full_treebank(8)
    write(gold[:6], tmp_path / "train.conllu")
    write([gold[6], open_up(gold[7], 1)], tmp_path / "dev.conllu")
    done = run(train_command, tmp_path / "train.conllu", "--dev", tmp_path / "dev.conllu", "-o", tmp_path / "m.model",
               "--iterations", 2, "--folds", 2, "--jobs", 1, "--components", "parser", "--tags", "gold")  # fmt: skip
    assert "1 of 2 sentences are annotated in part, and left out" in done.stderr


def test_evaluate_scores_what_is_marked(tmp_path: Path) -> None:
    gold = full_treebank(3)
    wrong = [sentence.copy() for sentence in gold]
    wrong[0].labels = ["odd", *gold[0].labels[1:]]  # a mistake that counts
    wrong[1].labels = [gold[1].labels[0], *["odd"] * (len(gold[1]) - 1)]  # mistakes where gold is only a guess
    wrong[1].upos = ["X"] * len(gold[1])
    wrong[2].lemmas = ["odd"] * len(gold[2])
    partial = [gold[0], open_up(gold[1], 1), open_up(gold[2])]
    comparison = compare(partial, wrong)
    counted = len(gold[0]) + 1
    assert len(comparison.head_right) == counted
    assert int(comparison.counted.sum()) == counted
    rates = attachment(comparison)
    assert (rates["LAS"].correct, rates["LAS"].total) == (counted - 1, counted)
    scores = evaluate(partial, wrong)
    total = sum(map(len, gold))
    assert (scores["Words"].gold, scores["Words"].correct) == (total, total)
    assert (scores["LAS"].gold, scores["LAS"].system, scores["LAS"].correct) == (counted, counted, counted - 1)
    assert (scores["UPOS"].gold, scores["UPOS"].correct) == (len(gold[0]), len(gold[0]))
    assert scores["Lemmas"].f1 == 1
    assert scores["CLAS"].gold <= counted
    for sentence in wrong:
        sentence.misc = ["Confidence=0.5000"] * len(sentence)
    for name, sentences in (("gold", partial), ("system", wrong)):
        write(sentences, tmp_path / f"{name}.conllu")
    done = run(
        evaluate_command, tmp_path / "gold.conllu", tmp_path / "system.conllu", "--by", "length", "--calibration"
    )
    assert f"expected calibration error {100 * (rates['LAS'].accuracy - 0.5):.2f} %" in done.stdout
    assert f"the arcs of {total - counted} of {total} words are guesses" in done.stderr
    headless = open_up(gold[1], 1)
    headless.heads = [gold[1].heads[0], *[None] * (len(gold[1]) - 1)]
    assert len(compare([headless], [wrong[1]]).head_right) == 1
    assert evaluate([headless], [wrong[1]])["LAS"].gold == 1
    headless.heads = [None] * len(gold[1])
    with pytest.raises(DodonaError, match="the arc of word 1 is marked, but HEAD is _"):
        compare([headless], [wrong[1]])


def test_marks_are_taken_out(tmp_path: Path) -> None:
    gold = full_treebank(2)
    write([open_up(gold[0], 1, 2), gold[1]], tmp_path / "marked.conllu")
    write(gold, tmp_path / "plain.conllu")
    run(convert_command, tmp_path / "marked.conllu", "--remove-marks", "-o", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == (tmp_path / "plain.conllu").read_bytes()


# Options


class Annotated:
    """What the command does, without a server: what each part of it was called with, and what somebody does there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, do: Callable[[AnnotationSession], None] | None = None) -> None:
        self.calls: dict[str, Any] = {"launch": []}
        self.do = do
        monkeypatch.setattr(click, "launch", self.calls["launch"].append)
        monkeypatch.setattr(log, "set_up_log", lambda *given: self.calls.update(log=given))
        monkeypatch.setattr(models_module.Models, "load", self.load)
        monkeypatch.setattr(app_module, "create_app", self.create_app)
        monkeypatch.setattr(server, "listen", self.listen)
        monkeypatch.setattr(server, "serve", self.serve)

    def load(self, wanted: tuple[str, ...]) -> Models:
        return Models({name: whole() for name in wanted})

    def listen(self, *given: Any) -> list[Any]:
        self.calls["listen"] = given
        self.sock = mock.MagicMock(**{"getsockname.return_value": ("127.0.0.1", 4711)})
        return [self.sock]

    def create_app(self, loaded: Models, limits: Limits, functions: Any, pages: Any, index: str) -> str:
        self.session = functions["open"].call.__self__.session
        assert functions.keys() == SUMMARIES.keys()
        assert [*loaded.pipelines] == [*self.session.models]
        project = self.session.project
        self.calls |= {
            "limits": limits, "page": (pages, index), "models": [*self.session.models], "name": project.name,
            "files": [file.path for file in project.files.values()], "folder": project.folder,
            "retrain_after": self.session.learner.retrain_after,
            "beside": sorted({name for versions in self.session._beside.values() for name in versions}),
        }  # fmt: skip
        return "the application"

    def serve(self, *given: Any) -> None:
        assert given == ("the application", self.sock, 1.0)
        if self.do is not None:
            self.do(self.session)

    def call(self, *arguments: object) -> tuple[dict[str, Any], list[str]]:
        """Call the command; returns what was called, and the lines that it has said."""
        with warnings.catch_warnings():
            done = run(annotate_command, *arguments)
        assert (done.exit_code, done.stdout) == (0, ""), done.output
        assert self.session.project.journal._handle == -1, "closed"
        return self.calls, [line.removeprefix("dodona: ") for line in done.stderr.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project, two copies of it that others have worked on, and two texts, in a folder."""
    for name in ("ben", "eva"):
        session = open_session(make_folder(tmp_path / name), name)
        act(session, 4, kind="arc", word=1, head=2, label=f"of-{name}")
        session.close()
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text("the dog sees a cat . a cat sleeps .\n")
    return make_folder(tmp_path / "p")


PAGE = "the page is at http://127.0.0.1:4711/ (Ctrl-C ends it)"
ARRIVING: dict[str, tuple[list[str], dict[str, Any]]] = {
    "models": (["--model", "other"], {"models": ["one", "other"]}),
    "texts": (["--text", "DIR/one.txt", "--text", "DIR/two.txt"], {"files": ["gold", "new", "one", "two"]}),
    "name": (["--name", " Ana María "], {"name": "Ana María"}),
    "retrain_after": (["--retrain-after", "7"], {"retrain_after": 7}),
    "beside": (["--beside", "DIR/ben", "--beside", "DIR/eva"], {"beside": ["ben", "eva"]}),
    "port": (["--port", "4712"], {"listen": ("127.0.0.1", 4712, 1)}),
    "opened": (["--open"], {"launch": ["http://127.0.0.1:4711/"]}),
}
OF_STATUS = {"files", "status", "target", "form"}


@pytest.mark.parametrize("option", [p.name for p in annotate_command.params if p.name not in OF_STATUS])
def test_every_option_arrives(option: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing else is other than without it. A new option must have an example above."""
    monkeypatch.setattr(getpass, "getuser", lambda: "somebody")
    expected: dict[str, Any] = {
        "launch": [], "log": ("warning", "text"), "listen": ("127.0.0.1", 8001, 1), "models": ["one"],
        "limits": Limits(seconds=60.0, memory=512 << 20, hosts=("127.0.0.1", "::1", "localhost")),
        "page": (PAGES, "annotate.html"), "name": "somebody", "files": ["gold", "new"], "folder": folder,
        "retrain_after": None, "beside": [],
    }  # fmt: skip
    given, changed = ARRIVING[option]
    nothing: dict[str, Any] = {}
    for arguments, more in (([], nothing), ([each.replace("DIR", str(folder.parent)) for each in given], changed)):
        calls, said = Annotated(monkeypatch).call(folder, "--model", "one", *arguments)
        names = (expected | more)["files"]
        assert calls == expected | more | {"files": [folder / f"{name}.conllu" for name in names]}
        texts = [f"{folder / name}.conllu: 2 sentences of {folder.parent / name}.txt" for name in names[2:]]
        assert said == [*texts, PAGE]


def test_files_of_a_project_can_be_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, _ = Annotated(monkeypatch).call(folder / "new.conllu", "--model", "one", "--name", "ana")
    assert (calls["folder"], calls["files"]) == (folder, [folder / "new.conllu"])


def test_what_is_said_at_the_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which files were written, which not and why, and where the work is that is in none."""
    journal = folder / "annotation.jsonl"

    def work(session: AnnotationSession) -> None:
        act(session, 4, kind="arc", word=1, head=2, label="mine")

    def be_overtaken(session: AnnotationSession) -> None:
        act(session, 1, kind="arc", word=1, head=2, label="mine")
        (folder / "gold.conllu").write_text("")

    def fail(session: AnnotationSession) -> None:
        def save() -> None:
            raise DodonaError("the disk is full")

        monkeypatch.setattr(session.project, "save", save)

    call = (folder, "--model", "one", "--name", "ana")
    written = f"{folder / 'new.conllu'}: written"
    assert Annotated(monkeypatch).call(*call)[1] == [PAGE]
    assert Annotated(monkeypatch, work).call(*call)[1] == [PAGE, written]
    assert Annotated(monkeypatch, fail).call(*call)[1] == [PAGE, f"the disk is full; what was done is in {journal}"]
    kept = f"{folder / 'gold.conllu'}: changed on disk meanwhile, and not overwritten; what was done is in {journal}"
    assert Annotated(monkeypatch, be_overtaken).call(*call)[1] == [PAGE, kept]
    with journal.open("ab") as file:
        file.write(b'{"torn')
    _, (torn, *others) = Annotated(monkeypatch).call(*call)
    assert torn == f"{journal}: the last line was torn, and is cut off; nothing else is lost"
    assert others[0].startswith(f"{folder / 'gold.conllu'}: changed since")


def test_names_of_annotators(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = (folder, "--model", "one", "--name")
    for good in ("a", "a" * 60, " b "):
        assert Annotated(monkeypatch).call(*call, good)[0]["name"] == good.strip()
    for bad in ("", " ", "a" * 61, "a\tb", "a\nb"):
        with pytest.raises(DodonaError, match=r"--name '.*'; expected a name of at most 60 letters"):
            run(annotate_command, *call, bad)
    for error in (KeyError("no such user"), OSError("no password file")):
        monkeypatch.setattr(getpass, "getuser", mock.Mock(side_effect=error))
        assert Annotated(monkeypatch).call(folder, "--model", "one")[0]["name"] == "annotator"


def test_texts_that_cannot_be_added(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "empty.txt").write_text(" \n\n")
    (folder.parent / "new.txt").write_text("a cat sleeps .")
    before = sorted(folder.iterdir())
    for name, message in (
        ("empty", "empty.txt: no sentence in this text"),
        ("new", "new.conllu: there is such a file"),
    ):
        with pytest.raises(DodonaError, match=message):
            Annotated(monkeypatch).call(folder, "--model", "one", "--text", folder.parent / f"{name}.txt")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("form", FORMATS)
def test_the_status_in_every_format(form: str, folder: Path) -> None:
    """Of folders, each a project, or of files, which are one; on the screen, by its name or by that of a file."""
    ben, eva = folder.parent / "ben", folder.parent / "eva"
    projects = [Project(*find_files([str(each)]), "", writes=False) for each in (ben, eva)]
    expected = describe_status(projects)
    assert [each["name"] for each in expected["annotators"]] == ["ben", "eva"]
    target = folder.parent / "status"
    run(annotate_command, "--status", ben, eva, "-o", target, "--format", form)
    text = target.read_text("utf-8")
    if form != "table":  # which is as wide as the screen
        assert call_dodona("annotate", "--status", ben, eva, "--format", form).stdout == text
    if form == "json":
        assert json.loads(text) == expected
    else:
        words = ["ben", "eva", "kappa", *([] if form == "table" else ["annotated arcs"])]
        assert [word for word in words if word not in text] == []
    run(annotate_command, "--status", ben / "new.conllu", ben / "gold.conllu", "-o", target, "--format", form)
    text = target.read_text("utf-8")
    assert "kappa" not in text
    if form == "json":
        named = Project(*find_files([str(ben / "new.conllu"), str(ben / "gold.conllu")]), "", writes=False)
        assert json.loads(text) == describe_status([named])
    for wrong in (["-o", target], ["--format", form]):
        done = run(annotate_command, folder, "--model", "one", *wrong)
        assert (done.exit_code, "-o and --format are for --status." in done.stderr) == (2, True)
