"""Without development data, confidence is calibrated on sentences that are held back."""

import pytest
from samples.treebank import treebank

from dodona.components import calibrating
from dodona.components.confidence import Calibration
from dodona.components.parser_options import ParserOptions
from dodona.components.parser_training import train_parser
from dodona.pipeline.training import TrainingPlan, train_pipeline


def test_held_back_sentences_calibrate(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = treebank(60)
    options = ParserOptions(iterations=1)
    plan = TrainingPlan(components=["parser"], tags="gold")
    said: list[str] = []
    whole = train_pipeline(sentences, options, plan).parser
    assert (whole.calibration, whole.beam_calibration) == (Calibration(), None)
    monkeypatch.setattr(calibrating, "ENOUGH", 100)
    parser = train_pipeline(sentences, options, plan, say=lambda *words: said.append(words[-1])).parser
    assert said[0] == "3 sentences held back to calibrate its confidence"
    apart = [sentences[i] for i in (19, 39, 59)]
    other = train_parser([one for one in sentences if one not in apart], options)
    calibrating.calibrate(other, apart)
    assert parser.parts()[0] == other.parts()[0]
    assert parser.beam_calibration is not None
    with_dev = train_pipeline(sentences, options, plan, dev=apart, say=lambda *words: said.append(words[-1])).parser
    assert with_dev.beam_calibration is not None
    assert sum("held back" in message for message in said) == 1
