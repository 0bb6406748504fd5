"""The sentences that a parser learns from, and those that are held back to calibrate its confidence."""

import numpy as np
import pytest
from samples.treebank import treebank

from dodona import FormatError, OptionError
from dodona.parser import confidence as calibrating
from dodona.parser.confidence import Calibration
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.pipeline.training import TrainingPlan, TrainingProgress, train_pipeline


def test_held_back_sentences_calibrate(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = treebank(60)
    options = ParserOptions(iterations=1)
    plan = TrainingPlan(components=["parser"], tags="gold")
    said: list[str] = []

    def hear(progress: TrainingProgress) -> None:
        said.append(progress.message)

    whole = train_pipeline(sentences, options, plan).parser
    assert (whole.calibration, whole.beam_calibration) == (Calibration(), None)
    monkeypatch.setattr(calibrating, "ENOUGH", 100)
    parser = train_pipeline(sentences, options, plan, callback=hear).parser
    assert said[0] == "3 sentences held back to calibrate its confidence"
    apart = [sentences[i] for i in (19, 39, 59)]
    other = train_parser([one for one in sentences if one not in apart], options)
    calibrating.calibrate(other, apart)
    assert parser.parts()[0] == other.parts()[0]
    assert parser.beam_calibration is not None
    with_dev = train_pipeline(sentences, options, plan, dev=apart, callback=hear).parser
    assert with_dev.beam_calibration is not None
    assert sum("held back" in message for message in said) == 1


def test_the_parser_does_not_learn_from_long_sentences() -> None:
    sentences = list(treebank(30))
    longest = sorted(map(len, sentences))[20]
    short = [sentence for sentence in sentences if len(sentence) <= longest]
    assert 0 < len(short) < len(sentences)
    options = ParserOptions(iterations=2)
    said: list[str] = []

    def hear(progress: TrainingProgress) -> None:
        said.append(progress.message)

    plan = TrainingPlan(["parser"], max_length=longest)
    found = train_pipeline(sentences, options, plan, callback=hear)
    expected = train_pipeline(short, options, TrainingPlan(["parser"]))
    for name, values in expected.parser.parts()[1].items():
        np.testing.assert_array_equal(found.parser.parts()[1][name], values)
    assert f"{len(sentences) - len(short)} sentences of more than {longest} words left out" in said
    with pytest.raises(FormatError, match="all sentences are longer than 1 words"):
        train_pipeline(sentences, options, TrainingPlan(["parser"], max_length=1))
    with pytest.raises(OptionError, match="max_length 0: expected at least 1"):
        TrainingPlan(max_length=0)
