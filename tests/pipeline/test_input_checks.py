"""Training looks at all of its input first: nothing is trained if a sentence, or an option, is wrong."""

from pathlib import Path

import pytest
from samples.bad_treebanks import plain

import dodona
from dodona import FormatError, OptionError, Sentence, read
from dodona.parser.options import ParserOptions
from dodona.pipeline.training import TrainingPlan, TrainingProgress, train_pipeline

pytestmark = pytest.mark.filterwarnings("ignore:.*# text:dodona.FormatWarning")  # the reader's, before the check
OTHER = ("# text = She doesn't see old oaks.", "# text = She doesn't see oaks.")


def sentences(tmp_path: Path, *changes: tuple[str, str], name: str = "train.conllu") -> list[Sentence]:
    path = tmp_path / name
    path.write_bytes(plain(*changes))
    return list(read(path))


def refused(
    train: list[Sentence], dev: list[Sentence], plan: TrainingPlan | None = None, oracle: str = "static"
) -> str:
    """The message of the error, which comes before anything is trained."""

    def callback(progress: TrainingProgress) -> None:
        raise AssertionError(f"{progress.component} was trained")

    with pytest.raises((FormatError, OptionError)) as caught:
        train_pipeline(train, ParserOptions(oracle=oracle), plan, dev, callback)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("6\tamod", "_\tamod"), "train.conllu:9: word 5 of this sentence has HEAD '_'"),
        (("4\tobj", "5\tobj"), "train.conllu:9: word 5 of this sentence has HEAD 6, which leads into a cycle"),
        (("0\troot", "1\troot"), "train.conllu:1: no root"),
        (("amod", ""), "train.conllu:9: word 5 of this sentence has DEPREL ''"),
        (OTHER, "train.conllu:9: FORM 'old' is not what '# text' has here"),
        (("ADJ", ""), "train.conllu:9: UPOS ''; expected a value"),
        (("ADJ\t_\t_", "ADJ\t_\t"), "train.conllu:9: FEATS ''; expected a value"),
        (("old\tADJ", "\tADJ"), "train.conllu:9: LEMMA ''; expected a value"),
    ],
)
def test_one_fault(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert message in refused(sentences(tmp_path, change), [])


def test_all_faults_of_both_treebanks(tmp_path: Path) -> None:
    train = sentences(tmp_path, OTHER, ("0\troot", "1\troot"), ("2\tdet", "_\tdet"))
    dev = sentences(tmp_path, ("6\tamod", "_\tamod"), name="dev.conllu")
    first, *faults, hint = refused(train, dev).splitlines()
    assert first == "4 faults in the training data:"
    assert [fault.split(": ")[0].rpartition("/")[2] for fault in faults] == [
        "train.conllu:1",
        "train.conllu:16",
        "dev.conllu:9",
        "train.conllu:9",
    ]
    assert hint == f"`dodona validate {train[0].file} {dev[0].file}` lists all that is wrong"
    *_, last, _ = refused(train * 6, []).splitlines()
    assert last == "  and 8 more"


def test_parts_of_trees_can_be_learned_from_with_a_dynamic_oracle(tmp_path: Path) -> None:
    half = sentences(tmp_path, ("6\tamod", "_\tamod"))
    plan = TrainingPlan(["parser"], tags="gold")
    assert train_pipeline(half, ParserOptions(iterations=1, templates="stack"), plan).parser
    broken = sentences(tmp_path, ("6\tamod", "_\tamod"), ("4\tnsubj", "1\tnsubj"))
    assert "expected another word" in refused(broken, [], plan, "dynamic")


def test_text_is_needed_only_by_a_tokenizer(tmp_path: Path) -> None:
    other = sentences(tmp_path, OTHER)
    plan = TrainingPlan(["parser"], tags="gold")
    assert train_pipeline(other, ParserOptions(iterations=1, templates="stack"), plan).parser
    bare = sentences(tmp_path, ("# text", "# note"))
    assert "train.conllu:1: a sentence without '# text'" in refused(bare, [], TrainingPlan(["tokenizer", "parser"]))


def test_files_of_a_plan(tmp_path: Path) -> None:
    good = sentences(tmp_path)
    for size in (float("inf"), float("nan"), 0.0):
        with pytest.raises(OptionError, match="vectors_size"):
            TrainingPlan(vectors_size=size)
    assert "cannot be written" in refused(good, [], TrainingPlan(checkpoint=tmp_path / "none" / "x"))
    for size in (float("inf"), float("nan")):
        with pytest.raises(OptionError, match="size"):
            dodona.train(tmp_path / "train.conllu", size=size)


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    words = [Sentence.from_words(["a", "b"], ["X", "X"])]
    assert "no tree" in refused(words, [], oracle="dynamic")
    heads = [Sentence.from_words(["a", "b"], ["X", "X"], heads=[0, None])]
    assert "no label" in refused(heads, [], oracle="dynamic")
    empty = tmp_path / "empty.conllu"
    empty.write_bytes(b"")
    sentences(tmp_path)
    with pytest.raises(FormatError, match=r"empty.conllu: there are no sentences"):
        dodona.train(tmp_path / "train.conllu", dev=empty)
