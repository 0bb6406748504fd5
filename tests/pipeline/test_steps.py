"""A callback hears of each iteration, and can end the training of each component."""

import pytest
from samples.treebank import treebank

import dodona
from dodona import OptionError
from dodona.pipeline.training import TrainingProgress


def test_each_iteration_is_reported() -> None:
    steps: list[TrainingProgress] = []
    dodona.train(treebank(20), dev=treebank(8, seed=2), iterations=2, callback=steps.append)
    parser = [step for step in steps if step.component == "parser"]
    assert [(step.iteration, step.iterations) for step in parser] == [(1, 2), (2, 2)]
    assert all(step.las is not None and step.uas is not None and 0 <= step.las <= step.uas <= 100 for step in parser)
    tagger = [step for step in steps if step.component == "tagger"]
    assert [step.iteration for step in tagger] == list(range(1, tagger[0].iterations + 1))
    assert {step.las for step in tagger} == {None}
    assert all(step.accuracy is not None and 0 <= step.accuracy <= 1 for step in steps)
    assert [step.component for step in steps] == sorted((step.component for step in steps), reverse=True)


def test_the_callback_can_end_the_training() -> None:
    steps: list[TrainingProgress] = []

    def stop(step: TrainingProgress) -> bool:
        steps.append(step)
        return step.iteration == (1 if step.component == "tagger" else 3)

    found = dodona.train(treebank(20), dev=treebank(8, seed=2), iterations=6, callback=stop)
    assert [(step.component, step.iteration) for step in steps] == [("tagger", 1), *(("parser", k) for k in (1, 2, 3))]
    assert found.about["iteration"] <= 3


def test_without_development_data_there_are_no_scores_and_a_callback_is_a_function() -> None:
    steps: list[TrainingProgress] = []
    dodona.train(treebank(20), iterations=1, components=["parser"], callback=steps.append)
    assert [(step.uas, step.las) for step in steps] == [(None, None)]
    with pytest.raises(OptionError, match="callback 3: expected a function that takes a TrainingProgress"):
        dodona.train(treebank(20), callback=3)  # type: ignore[arg-type]
