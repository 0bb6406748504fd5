"""`dodona.train` shows all of its options, and they are those of the parser and of the plan."""

import inspect
from dataclasses import MISSING, fields

import pytest
from samples.child import printed

import dodona
from dodona.parser.options import ParserOptions
from dodona.pipeline.models import model_path
from dodona.pipeline.training import TrainingPlan


def test_train_has_every_option_with_its_default() -> None:
    shown = {
        name: parameter.default
        for name, parameter in inspect.signature(dodona.train).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    options = {field.name: field.default for field in (*fields(TrainingPlan), *fields(ParserOptions))}
    options["system_options"] = None  # made anew each time
    options["callback"] = None  # about neither the plan nor the parser
    assert MISSING not in options.values()
    assert shown == options


def test_public_names_are_there() -> None:
    for name in dodona.__all__:
        assert getattr(dodona, name) is not None


def test_models_can_be_found_by_name() -> None:
    names = dodona.model_names()
    assert "en-fast" in names
    for name in names:
        assert model_path(name).name == f"{name}.model"
    with pytest.raises(
        dodona.FormatError, match=r"xx: there is no such .*; the models here are: .*en-fast.* \(install"
    ):
        model_path("xx")


def test_research_does_not_wait_for_numpy() -> None:
    program = "import sys, dodona; dodona.system('arc-eager'); print('numpy' in sys.modules)"
    assert printed(program) == "False\n"
