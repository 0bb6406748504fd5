"""Cross-validation: nobody has seen what they parse, whatever the number of processes, and nothing is out of order."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

import pytest
from samples.treebank import treebank

from dodona import DodonaError, FormatError, OptionError, Sentence
from dodona.parser.confidence import calibrate
from dodona.parser.options import ParserOptions
from dodona.parser.request import Request
from dodona.pipeline.crossvalidation import SPLITS, Fold, assign_folds, cross_validate
from dodona.pipeline.training import TrainingPlan, train_pipeline
from dodona.systems.registry import SYSTEMS

SENTENCES = treebank(24)
QUICK = ParserOptions(iterations=2)
GOLD_TAGS = TrainingPlan(["parser"], "gold")
ALTERNATING = assign_folds(24, 3, "alternating")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(("count", "folds"), [(2, 2), (10, 3), (23, 10), (100, 7)])
def test_folds_have_the_same_size(split: str, count: int, folds: int) -> None:
    found = assign_folds(count, folds, split, seed=3)
    sizes = Counter(found)
    assert sorted(sizes) == list(range(folds))
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert len(found) == count
    assert found == assign_folds(count, folds, split, seed=3)


def test_the_three_splits() -> None:
    assert assign_folds(7, 3) == [0, 0, 0, 1, 1, 2, 2]
    assert assign_folds(7, 3, "alternating") == [0, 1, 2, 0, 1, 2, 0]
    shuffled = [assign_folds(30, 3, "random", seed) for seed in (1, 2)]
    assert shuffled[0] != shuffled[1]
    assert sorted(shuffled[0]) == sorted(shuffled[1]) == sorted(assign_folds(30, 3))


@pytest.mark.parametrize(
    ("count", "folds", "split"), [(1, 2, "blocks"), (5, 1, "blocks"), (5, 6, "random"), (5, 2, "x")]
)
def test_folds_that_cannot_be(count: int, folds: int, split: str) -> None:
    with pytest.raises(OptionError, match="expected"):
        assign_folds(count, folds, split)


def run(
    sentences: list[Sentence] = SENTENCES, folds: list[int] = ALTERNATING, jobs: int = 1, **other: Any
) -> list[Fold]:
    chosen: dict[str, Any] = {"options": QUICK, "plan": GOLD_TAGS} | other
    return list(cross_validate(sentences, folds=folds, jobs=jobs, **chosen))


def test_no_sentence_is_seen_by_its_model() -> None:
    """Each sentence has a relation of its own: if that comes out, it was seen."""
    sentences = [
        Sentence.from_words(["a", "b"], ["X", "Y"], heads=[2, 0], labels=[f"own{i}", "root"]) for i in range(9)
    ]
    for fold in run(sentences, assign_folds(9, 3, "random")):
        for i, parsed in zip(fold.places, fold.sentences, strict=True):
            assert parsed.labels[0].startswith("own")
            assert parsed.labels[0] not in {f"own{k}" for k in fold.places}, i


def test_the_result_is_as_if_done_by_hand() -> None:
    before = [sentence.to_bytes() for sentence in SENTENCES]
    for fold in run():
        assert fold.places == list(range(fold.number, 24, 3))
        rest = [sentence for i, sentence in enumerate(SENTENCES) if i % 3 != fold.number]
        pipeline = train_pipeline(rest, QUICK, GOLD_TAGS)
        for i, parsed in zip(fold.places, fold.sentences, strict=True):
            heads, labels = pipeline.parser.tree(SENTENCES[i])
            assert (parsed.heads, parsed.labels) == (heads, labels)
            assert parsed.words == SENTENCES[i].words
    assert [sentence.to_bytes() for sentence in SENTENCES] == before


@pytest.mark.parametrize("beam", [1, 3])
def test_one_half_is_calibrated_on_the_other(beam: int) -> None:
    options = ParserOptions(iterations=1, beam=beam)
    fold = run(options=options)[1]
    pipeline = train_pipeline([s for i, s in enumerate(SENTENCES) if i % 3 != 1], options, GOLD_TAGS)
    parser = pipeline.parser
    halves = [SENTENCES[i] for i in fold.places[::2]], [SENTENCES[i] for i in fold.places[1::2]]
    for begin in (0, 1):
        calibrate(parser, halves[1 - begin])
        for gold, parsed in zip(halves[begin], fold.sentences[begin::2], strict=True):
            (tree,) = parser.analyses(gold, Request(confidence=True))
            assert parsed.misc == [f"Confidence={value:.4f}" for value in tree.confidence]


def test_folds_of_a_single_sentence() -> None:
    found = run(SENTENCES[:3], [0, 1, 2])
    assert [fold.places for fold in found] == [[0], [1], [2]]
    found = run(SENTENCES[:3], [0, 1, 2], options=ParserOptions(iterations=1, beam=2))
    assert all("Confidence=" in misc for fold in found for misc in fold.sentences[0].misc)


def test_tags_are_predicted_unless_gold_ones_are_wanted() -> None:
    unique = [Sentence.from_words(["a", f"w{i}"], ["X", f"T{i}"], heads=[2, 0], labels=["x", "root"]) for i in range(4)]
    for tags in ("gold", "predicted"):
        for fold in run(unique, [0, 0, 1, 1], plan=TrainingPlan(None, tags, folds=2)):
            for i, parsed in zip(fold.places, fold.sentences, strict=True):
                assert (parsed.upos[1] == f"T{i}") == (tags == "gold")


def test_several_processes_find_the_same(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a system that only this one knows."""
    monkeypatch.setitem(SYSTEMS, "mine", replace(SYSTEMS["arc-hybrid"], name="mine"))
    plan, options = TrainingPlan(folds=2), replace(QUICK, system="mine")
    one, two = (run(plan=plan, options=options, jobs=jobs) for jobs in (1, 2))
    assert [fold.places for fold in one] == [fold.places for fold in two]
    assert [s.to_bytes() for fold in one for s in fold.sentences] == [
        s.to_bytes() for fold in two for s in fold.sentences
    ]
    assert capfd.readouterr() == ("", "")


def test_what_is_said() -> None:
    said: list[str] = []
    run(callback=lambda progress: said.append(progress.component))
    assert said == ["parser"] * 6


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="jobs 0"):
        run(jobs=0)
    with pytest.raises(FormatError, match=r"HEAD '_'"):
        run([*SENTENCES[:2], Sentence.from_words(["a"], heads=[None], labels=["x"])], [0, 1, 2])
    with pytest.raises(FormatError, match="a tagger cannot be trained"):
        run(
            [Sentence.from_words(["a"], heads=[0], labels=["root"])] * 4,
            [0, 0, 1, 1],
            plan=TrainingPlan(["tagger", "parser"]),
            jobs=2,
        )

    def broken(*arguments: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    with pytest.raises(DodonaError, match="has died"):
        run(jobs=2)
