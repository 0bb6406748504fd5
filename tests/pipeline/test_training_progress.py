"""A callback hears of each iteration, and can end the training of each component."""

from dataclasses import replace

import pytest
from samples.treebank import treebank

import dodona
from dodona import OptionError
from dodona.pipeline.training import TrainingProgress


def test_each_iteration_is_reported() -> None:
    reports: list[TrainingProgress] = []
    dodona.train(treebank(20), dev=treebank(8, seed=2), iterations=2, callback=reports.append)
    parser = [each for each in reports if each.component == "parser"]
    assert [(each.iteration, each.iterations) for each in parser] == [(1, 2), (2, 2)]
    assert all(each.las is not None and each.uas is not None and 0 <= each.las <= each.uas <= 100 for each in parser)
    tagger = [each for each in reports if each.component == "tagger"]
    assert [each.iteration for each in tagger] == list(range(1, tagger[0].iterations + 1))
    assert {each.las for each in tagger} == {None}
    assert all(each.accuracy is not None and 0 <= each.accuracy <= 1 for each in reports)
    assert [each.component for each in reports] == sorted((each.component for each in reports), reverse=True)


def test_the_callback_can_end_the_training() -> None:
    reports: list[TrainingProgress] = []

    def stop(progress: TrainingProgress) -> bool:
        reports.append(progress)
        return progress.iteration == (1 if progress.component == "tagger" else 3)

    found = dodona.train(treebank(20), dev=treebank(8, seed=2), iterations=6, callback=stop)
    assert [(each.component, each.iteration) for each in reports] == [
        ("tagger", 1),
        *(("parser", k) for k in (1, 2, 3)),
    ]
    assert found.about["iteration"] <= 3


def test_without_development_data_there_are_no_scores_and_a_callback_is_a_function() -> None:
    reports: list[TrainingProgress] = []
    dodona.train(treebank(20), iterations=1, components=["parser"], callback=reports.append)
    assert [(each.uas, each.las) for each in reports] == [(None, None)]
    with pytest.raises(OptionError, match="callback 3: expected a function that takes a TrainingProgress"):
        dodona.train(treebank(20), callback=3)  # type: ignore[arg-type]


def test_a_line_for_what_is_done() -> None:
    assert str(TrainingProgress("parser", message="3 sentences held back")) == "parser: 3 sentences held back"
    done = TrainingProgress("parser", 2, 5, decisions=200, mistakes=3, uas=81.234, las=70.0)
    assert str(done) == "parser 2/5: 98.50% of 200 decisions right, dev UAS 81.23 LAS 70.00"
    assert str(TrainingProgress("tagger", 1, 1)) == "tagger 1/1: – of 0 decisions right"
    assert done.is_iteration
    assert not replace(done, share=0.5).is_iteration
