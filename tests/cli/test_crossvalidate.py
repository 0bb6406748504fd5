"""`dodona crossvalidate` from the outside."""

import csv
import json
from pathlib import Path

import pytest
from click import UsageError
from samples.signals import interrupted
from samples.treebank import treebank

from dodona import DodonaError, OptionError, read, write
from dodona.annotation.suspects import Suspect
from dodona.cli.commands.crossvalidate import _write_suspects, crossvalidate
from dodona.cli.commands.train import train_command
from dodona.evaluation import compare

QUICK = ("--folds", "3", "--jobs", "1", "--iterations", "2", "--split", "alternating")
WRONG = (7, 1)  # a sentence and a word of it, an article, that is attached to the verb


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crossvalidate") / "treebank.conllu"
    sentences = treebank(60, crossing=0)
    for number, each in enumerate(sentences, start=1):
        each.set_comments([f"# sent_id = s{number}"])
    wrong = sentences[WRONG[0] - 1]
    heads = wrong.gold_heads()
    heads[WRONG[1] - 1] = heads.index(0) + 1
    wrong.set_tree(heads, wrong.labels)
    write(sentences, path)
    return path


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    crossvalidate.main(list(map(str, arguments)), standalone_mode=False)
    return capfd.readouterr()


def test_scores_and_the_parsed_treebank(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "parsed.conllu"
    out, err = run(capfd, file, *QUICK, "-o", target, "--format", "json")
    (found,) = json.loads(out)
    assert found["files"] == [str(file)]
    assert list(found["folds"]) == ["1", "2", "3"]
    assert [fold["sentences"] for fold in found["folds"].values()] == [20] * 3
    values = [fold["LAS"] for fold in found["folds"].values()]
    assert found["cross-validation"]["LAS"]["mean"] == pytest.approx(sum(values) / 3)
    assert found["cross-validation"]["Lemmas"]["mean"] is None
    assert [line.split(",")[0] for line in err.splitlines()] == [f"fold {i}/3: 20 sentences" for i in (1, 2, 3)]
    gold, parsed = list(read(file)), list(read(target))
    assert [each.sent_id for each in parsed] == [each.sent_id for each in gold]
    right = compare(gold, parsed)
    share = right.head_right.sum() / len(right.head_right)
    assert found["cross-validation"]["UAS"]["all sentences"] == pytest.approx(100 * share)
    assert share > 0.9


def test_suspects_in_every_format(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A wrong annotation comes first, and all formats say the same."""
    target = tmp_path / "s.json"
    options = ("--tags", "gold", "--seeds", "1", "--most", "1")
    out, _ = run(capfd, file, *QUICK, "--suspects", target, *options)
    assert "│ UPOS              │      – │" in out
    (record,) = json.loads(target.read_text())
    assert (record["sentence"], record["word"]) == WRONG
    assert record["sent_id"] == f"s{WRONG[0]}"
    line = file.read_text().splitlines()[record["line"] - 1].split("\t")
    assert (line[1], int(line[6]), line[7]) == (record["form"], record["annotated_head"], record["annotated_label"])
    assert 0 < record["probability"] < 1
    assert record["kind"] == "head"
    suspect = Suspect(
        record["sentence"] - 1, record["word"], record["kind"], record["probability"], record["other_head"],
        record["other_label"], tuple(record["reasons"].split("; ")),
    )  # fmt: skip
    texts = {}
    for ending in ("csv", "txt", "conllu", "html"):
        _write_suspects(str(tmp_path / f"s.{ending}"), list(read(file)), [suspect])
        texts[ending] = (tmp_path / f"s.{ending}").read_text()
    (row,) = csv.DictReader(texts["csv"].splitlines())
    assert row["reasons"] == record["reasons"]
    assert "," in row["text"] or '"' not in texts["csv"]
    told = f"{record['probability']:.4f}  {record['form']} ({record['word']}): annotated "
    title, described, trees, *lines, last = texts["txt"].splitlines()
    assert title == f"{file}:{record['line'] - record['word']}: sentence {record['sentence']} ({record['sent_id']})"
    assert described.startswith(told)
    assert described.endswith(record["reasons"])
    assert trees.split() == ["annotated", "other"]
    assert [line.count("✗") for line in lines] == [int(d == WRONG[1]) for d in range(1, len(lines) + 1)]
    assert last == ""
    (sentence,) = read(tmp_path / "s.conllu")
    original = list(read(file))[WRONG[0] - 1]
    assert sentence.comments == [*original.comments, f"# suspect = {described}"]
    assert (sentence.heads, sentence.labels) == (original.heads, original.labels)
    assert texts["html"].count("<svg") == 1
    assert texts["html"].count("<li>") == 1
    assert told.split(":")[0] in texts["html"]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("-o", "-"), UsageError, "The scores go to standard output"),
        (("-o", "FILE"), OptionError, "take the place of the treebank"),
        (("-o", "/nowhere/x.conllu"), DodonaError, "/nowhere/x.conllu: cannot be written"),
        (("-o", "x.tsv", "--suspects", "./x.tsv"), OptionError, "expected two"),
        (("--folds", "61"), OptionError, "61 folds of 60 sentences"),
        (("--components", "tokenizer,parser"), OptionError, "components with 'tokenizer'"),
        (("--components", "tagger"), OptionError, "components without 'parser'"),
        (("--oracle", "magic"), OptionError, "oracle 'magic'"),
        (("--dev", "x"), UsageError, "No such option"),
    ],
)
def test_errors_come_before_training(
    arguments: tuple[str, ...], kind: type[Exception], message: str, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    given = [str(file) if each == "FILE" else each for each in arguments]
    with pytest.raises(kind) as caught:
        crossvalidate.main([str(file), *given], standalone_mode=False)
    assert message in str(getattr(caught.value, "message", caught.value))
    assert capfd.readouterr() == ("", "")


def test_an_empty_treebank(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("")
    with pytest.raises(DodonaError, match="no sentences in this file"):
        crossvalidate.main([str(tmp_path / "empty.conllu")], standalone_mode=False)


def test_options_of_training_are_the_same_objects() -> None:
    of_training = {option.name: option for option in train_command.params}
    shared = [option for option in crossvalidate.params if of_training.get(option.name) is option]
    assert {"scorer", "system", "oracle", "beam", "seed", "templates", "vectors", "root"} <= {o.name for o in shared}
    assert not {"dev", "resume", "licence"} & {option.name for option in crossvalidate.params}


def test_ctrl_c_leaves_nothing(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "parsed.conllu"
    target.write_text("as before")
    targets = ("-o", target, "--suspects", tmp_path / "suspects.tsv")
    long = ("--folds", "30", "--jobs", "2", "--iterations", "50")
    done = interrupted("fold 1/30", "crossvalidate", file, *targets, *long)
    assert done.stderr.startswith("fold 1/30")
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr.endswith("dodona: interrupted\n")
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["parsed.conllu"]
    assert target.read_text() == "as before"
