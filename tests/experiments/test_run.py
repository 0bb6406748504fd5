"""A run measures what direct calls measure, and its key is a digest of what decides its result."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from samples.treebank_folder import treebank_folder

import dodona
from dodona import FormatError, OptionError
from dodona.evaluation import attachment, compare
from dodona.experiments.plan import Condition, Plan, as_in_the_papers
from dodona.experiments.records import Record, Store
from dodona.experiments.run import BESIDE, DECIDING, Run, Subject, perform
from dodona.experiments.treebanks import Tagging, Treebank, find_treebanks, sentences_of, tag
from dodona.neural.options import NetworkOptions
from dodona.parser.options import ParserOptions
from dodona.parser.training import begin_training, train_parser
from dodona.research.swaps import describe_treebank

OPTIONS = ParserOptions(system="arc-eager", templates="stack", iterations=2)
NEURAL = ParserOptions(system="arc-eager", scorer="neural", iterations=2)


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Treebank, ...]:
    return find_treebanks(treebank_folder(tmp_path_factory.mktemp("treebanks"), "en_a", "en_b"))


def test_scores_are_those_of_direct_calls(treebanks: tuple[Treebank, ...]) -> None:
    one, other = treebanks
    run = Run(one, OPTIONS, ("dev", "test", "elsewhere"), elsewhere=(other,))
    record = Record(json.loads(json.dumps(perform(run))))
    parser = train_parser(sentences_of(one.train), OPTIONS)
    for part, files in {"dev": one.dev, "test": one.test, "en_b": other.test}.items():
        gold = sentences_of(files)
        comparison = compare(gold, parser.apply(sentences_of(files)))
        for punctuation in (True, False):
            rates = attachment(comparison, punctuation=punctuation)
            for score in ("UAS", "LAS", "UAS exact match", "LAS exact match"):
                assert record.percent(part, score, punctuation) == 100 * rates[score].accuracy
        assert record.sentences(part, "words").tolist() == [len(sentence) for sentence in gold]
        assert record.sentences(part, "UAS").tolist() == comparison.per_sentence(comparison.head_right).tolist()
        assert record.sentences(part, "LAS").tolist() == comparison.per_sentence(comparison.arc_right).tolist()
    assert record.data["data"]["test of en_b"] == other.digests["test"]
    assert {"program", "versions", "seconds", "finished", "options", "seed"} <= record.data.keys()


def test_the_best_iteration_is_kept(treebanks: tuple[Treebank, ...]) -> None:
    one = treebanks[0]
    options = replace(OPTIONS, iterations=3)
    curve: list[tuple[float, float]] = []
    dev = sentences_of(one.dev, 4)
    training = begin_training(sentences_of(one.train, 4), options)
    for _ in training.iterations():
        curve.append(training.parser().scores(dev))
    record = Record(perform(Run(one, options, ("dev", "curve"), keep="best", limit=4)))
    assert [(point["UAS"], point["LAS"]) for point in record.result("curve")] == [pytest.approx(two) for two in curve]
    assert record.percent("dev", "LAS") == pytest.approx(max(las for _, las in curve))
    last = Record(perform(Run(one, options, ("dev",), limit=4)))
    assert last.percent("dev", "LAS") == pytest.approx(curve[-1][1])
    assert curve[0][1] > curve[-1][1]  # there was something to choose


@pytest.mark.parametrize("beam", [1, 3])
def test_swaps_in_training_are_those_of_the_derivations(treebanks: tuple[Treebank, ...], beam: int) -> None:
    one = treebanks[0]
    row: dict[str, Any] = describe_treebank("train", sentences_of(one.train))
    eager = row["eager_swaps"]
    lazy, minimal = (round(eager * (1 - row[f"{name}_reduction_percent"] / 100)) for name in ("lazy", "minimal"))
    expected = {"eager": eager, "lazy": lazy, "minimal": minimal}
    assert eager > lazy > minimal > 0
    for oracle, swaps in expected.items():
        options = as_in_the_papers("swap-standard", oracle, beam=beam, iterations=2)
        record = Record(perform(Run(one, options, ("swaps",))))
        assert record.result("swaps") == {"sentences": 24, "swaps": [swaps, swaps]}


def test_statistics_need_no_parser(treebanks: tuple[Treebank, ...]) -> None:
    found = Record(perform(Run(treebanks[0], None, ("statistics",), limit=7))).result("statistics")
    assert (found["sentences"], found["file"]) == (7, "en_a")


def test_the_key_is_of_what_decides_the_result(treebanks: tuple[Treebank, ...], tmp_path: Path) -> None:
    """Every field of a run, and every option of a parser, has another value here; a new one must be named."""
    one, other = treebanks
    run = Run(one, OPTIONS)
    same = [
        Run(replace(one, name="another"), OPTIONS),
        Run(one, OPTIONS),
        replace(run, tagged="somewhere"),
    ]
    beam = replace(OPTIONS, oracle="nondeterministic", beam=2)
    of_parser: dict[str, Any] = {
        "system": replace(OPTIONS, system="arc-hybrid", templates="hybrid"), "oracle": beam, "templates": "stack-full",
        "system_options": {"root": "first"}, "positions": NEURAL, "scorer": NEURAL, "iterations": 9, "explore": 0.5,
        "explore_after": 0, "random_choice": True, "update": "pa", "aggressiveness": 0.2, "nonprojective": "path",
        "single_root": False, "size": 1.0, "seed": 2, "beam": replace(beam, beam=3),
        "early_update": replace(beam, early_update=True), "network": replace(NEURAL, network=NetworkOptions(width=9)),
    }  # fmt: skip
    assert {field.name for field in fields(ParserOptions)} == {*of_parser, "transformer"}
    options = [
        each if isinstance(each, ParserOptions) else replace(OPTIONS, **{name: each})
        for name, each in of_parser.items()
    ]
    encoder = tmp_path / "encoder"
    encoder.write_bytes(b"its contents decide")
    changes: dict[str, Any] = {
        "treebank": other, "options": None, "measures": ("test",), "tags": "predicted", "limit": 5, "keep": "best",
        "elsewhere": (other,), "silver": 7, "encoder": str(encoder), "train_limit": 5,
    }  # fmt: skip
    assert {field.name for field in fields(Run)} == {*changes, "tagged"}
    different = [*(replace(run, **{name: value}) for name, value in changes.items()), *(Run(one, o) for o in options)]
    assert len({each.key for each in (run, *different)}) == len(different)  # a network has positions
    assert {each.key for each in same} == {run.key}


def test_the_key_of_tags_is_of_what_decides_them(treebanks: tuple[Treebank, ...]) -> None:
    """Not the folder that they are in, nor the name of the treebank."""
    one, other = treebanks
    tagging = Tagging(one, (), None, "home")
    changes: dict[str, Any] = {"treebank": other, "others": (other,), "limit": 5}
    assert {field.name for field in fields(Tagging)} == {*changes, "home"}
    assert len({replace(tagging, **{name: value}).key for name, value in changes.items()} | {tagging.key}) == 4
    assert replace(tagging, home="elsewhere").key == tagging.key
    assert replace(tagging, treebank=replace(one, name="another")).key == tagging.key


def test_where_nothing_is_explored_k_and_p_say_nothing(treebanks: tuple[Treebank, ...]) -> None:
    def key(**options: object) -> str:
        return Run(treebanks[0], replace(OPTIONS, **options)).key  # type: ignore[arg-type]

    assert key(oracle="static", explore=0.3) == key(oracle="static", explore_after=5)
    assert key(explore=0.0) == key(explore=0.0, explore_after=4) == key(explore_after=2)
    assert key(explore_after=1) != key(explore_after=0) != key(explore=0.0)


def test_a_new_option_leaves_old_keys_as_they_are(
    treebanks: tuple[Treebank, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option that is not part of every key counts where it is not the default."""
    from dodona.experiments import run as module

    usual, other = Run(treebanks[0], OPTIONS), Run(treebanks[0], replace(OPTIONS, nonprojective="path"))
    assert usual.key != other.key
    monkeypatch.setattr(module, "ALWAYS", module.ALWAYS - {"nonprojective"})
    assert "nonprojective" not in usual.description()["options"]
    assert other.description()["options"]["nonprojective"] == "path"


def test_files_that_changed_are_an_error(tmp_path: Path) -> None:
    home = treebank_folder(tmp_path, "en_a")
    (one,) = find_treebanks(home)
    (home / "en_a" / "test.conllu.gz").write_bytes((home / "en_a" / "dev.conllu.gz").read_bytes())
    with pytest.raises(FormatError, match="not the file that was there"):
        perform(Run(one, OPTIONS))


def test_a_part_that_is_missing_is_named(treebanks: tuple[Treebank, ...]) -> None:
    with pytest.raises(OptionError, match="en_a has no sentences of the part dev"):
        perform(Run(replace(treebanks[0], dev=(), digests={}), OPTIONS, ("dev",)))


def test_records_are_found_again(treebanks: tuple[Treebank, ...], tmp_path: Path) -> None:
    run = Run(treebanks[0], OPTIONS, ("test",), limit=4)
    store = Store(tmp_path / "deep" / "runs")
    assert run.key not in store.read_finished([run])
    record = perform(run)
    store.save(run, record)
    assert [each.data for each in store.read_finished([run]).of([run])] == [json.loads(json.dumps(record))]
    assert [path.name for path in store.folder.iterdir()] == [f"{run.key}.json"]
    wrong: tuple[dict[str, Any], ...] = {"key": "abc"}, {"format": record["format"] + 1}, {"results": []}, {"key": None}
    for text in (*(json.dumps({**record, **change}) for change in wrong), "{", "[]", "{}"):
        store.path(run).write_text(text)
        with pytest.raises(FormatError, match=rf"{run.key}\.json: .*; expected the record of a run"):
            store.read_finished([run])


def test_predicted_tags_are_seen_in_training_and_parsing(treebanks: tuple[Treebank, ...], tmp_path: Path) -> None:
    plan = Plan(treebanks, 1, 1, "predicted", 12)
    (one, other) = plan.taggings(tmp_path)
    tag(one)
    assert one.is_finished()
    assert not other.is_finished()
    assert [path.name for path in one.files] == [f"{name}.conllu.gz" for name in ("train", "dev", "test", "en_b")]
    seen = {path.name.partition(".")[0]: sentences_of([str(path)]) for path in one.files}
    parser = train_parser(sentences_of(one.treebank.train, 12), replace(OPTIONS, iterations=1), seen=seen["train"])
    run = plan.with_tags([one]).run(one.treebank, Condition(OPTIONS, ("test", "elsewhere")))
    record = Record(perform(run))
    for part, gold in {"test": one.treebank.test, "en_b": other.treebank.test}.items():
        rates = attachment(compare(sentences_of(gold, 12), parser.apply([s.copy() for s in seen[part]])))
        assert record.percent(part, "LAS") == 100 * rates["LAS"].accuracy
    subject = Subject(Run(one.treebank, None, (), limit=12, elsewhere=(other.treebank,), tagged=str(one.folder)))
    for part, sentences in (("test", subject.read_seen("test")), ("en_b", subject.read_seen("test", other.treebank))):
        assert [sentence.upos for sentence in sentences] == [sentence.upos for sentence in seen[part]]
    right = [sentence.upos for sentence in subject.gold("test")]
    assert [sentence.upos for sentence in subject.read_seen("test")] != right  # the tagger makes mistakes
    before = {path: path.stat().st_mtime_ns for path in one.files}
    tag(one)
    assert {path: path.stat().st_mtime_ns for path in one.files} == before  # nothing is done again


def test_what_decides_no_result_is_named_as_it_is() -> None:
    """A name that no file has would let changes of drawings look like another program."""
    home = Path(dodona.__file__).parent
    assert [name for name in BESIDE if not (home / name).exists()] == []
    assert [name for name in DECIDING if not (home / "experiments" / name).exists()] == []
