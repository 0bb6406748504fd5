"""The experiment on raw text: which runs it has, and what decides their results."""

from pathlib import Path

import pytest
from samples.pretrained_encoders import OPTIONS, random_encoder
from samples.treebank_folder import treebank_folder

from dodona.experiments.plan import Plan
from dodona.experiments.recipes.pretraining import RECIPE, SIZES
from dodona.experiments.run import perform
from dodona.experiments.treebanks import find_treebanks
from dodona.pipeline.pretraining import save_encoder


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    save_encoder(tmp_path / "en.encoder", random_encoder("the", "oak"))
    treebanks = find_treebanks(treebank_folder(tmp_path, "en_a", "hu_b"))
    return Plan(treebanks, seeds=2, iterations=1, limit=6, encoders={"en": str(tmp_path / "en.encoder")})


def test_runs_with_and_without_the_encoder(plan: Plan, tmp_path: Path) -> None:
    """Only where there is one; networks of the same size."""
    runs = list(RECIPE.runs(plan))
    assert len(runs) == 2 * 2 * len(SIZES) == len({run.key for run in runs})
    assert {run.treebank.name for run in runs} == {"en_a"}
    assert [run.encoder is not None for run in runs] == [False, False, True, True] * len(SIZES)
    assert [run.train_limit for run in runs[::4]] == list(SIZES)
    for run in runs:
        assert run.options is not None
        assert run.options.network is not None
        assert (run.options.network.width, run.options.network.layers) == (OPTIONS.width, OPTIONS.layers)
    assert ("encoder" in runs[-1].description()) > ("encoder" in runs[0].description())
    before = runs[-1].key
    save_encoder(tmp_path / "en.encoder", random_encoder("the", "oak", "dove"))
    assert list(RECIPE.runs(plan))[-1].key != before


def test_nothing_without_encoders(plan: Plan) -> None:
    assert list(RECIPE.runs(Plan(plan.treebanks))) == []
    assert len(RECIPE.report(Plan(plan.treebanks), {})) == 3  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_run(plan: Plan) -> None:
    run = list(RECIPE.runs(plan))[-1]
    results = perform(run)["results"]
    assert set(results) == {"dev", "test", "tags"}
    right, total = results["tags"]["UPOS"]
    assert 0 <= right <= total == results["test"]["all words"]["LAS"][1]
