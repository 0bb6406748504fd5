"""Work that is stopped at any point, and resumed, ends with the same bytes: all points, by a loop."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from samples.interruptions import Interruption, interrupt_everywhere
from samples.networks import SMALL
from samples.treebank import treebank

from dodona import FormatError, Sentence, write
from dodona.neural import pretraining as neural_pretraining
from dodona.neural.pretraining import WordGuesser
from dodona.neural.raw_text import choose_words
from dodona.parser.options import ParserOptions
from dodona.pipeline import modelfile, pretraining
from dodona.pipeline import training as training_module
from dodona.pipeline.pretraining import PretrainingPlan, collect_text, load_encoder, pretrain_on
from dodona.pipeline.training import TrainingPlan, train_pipeline

TRAIN, DEV, SILVER = treebank(8), treebank(3, seed=2), treebank(8, seed=3)


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(training_module, "PAUSE", 0.0)
        monkeypatch.setattr(training_module, "SHARE", 0.0)
        monkeypatch.setattr(pretraining, "PAUSE", -1.0)
        yield


OPTIONS = ParserOptions(scorer="neural", iterations=3, network=replace(SMALL, rate=0.1), explore_after=1, seed=5)


@pytest.mark.parametrize(("kind", "iterations", "dev"), [("gold tags", 3, []), ("predicted tags and silver", 2, DEV)])
def test_a_network_stopped_at_every_point(kind: str, iterations: int, dev: list[Sentence], tmp_path: Path) -> None:
    """Within iterations, between them, before and after the writing of a checkpoint, and once all is learned."""
    checkpoint, model = tmp_path / "checkpoint", tmp_path / "model"
    options = replace(OPTIONS, iterations=iterations)
    components = ["parser"] if kind == "gold tags" else ["tagger", "parser"]
    plan = TrainingPlan(components, "gold" if kind == "gold tags" else "predicted", folds=2, checkpoint=checkpoint)
    if kind != "gold tags":
        write(SILVER, tmp_path / "silver.conllu")
        plan = replace(plan, silver=[tmp_path / "silver.conllu"], silver_words=60)

    said: list[str] = []

    def train(interruption: Interruption | None = None, resume: bool = False) -> bytes:
        def hear(progress: Any) -> None:
            if progress.component == "parser" and progress.share == 1:
                said.append(str(progress))
            if interruption is not None and progress.component == "parser":
                interruption.point(f"{progress.iteration} {progress.share:.2f}")

        said.clear()
        train_pipeline(TRAIN, options, replace(plan, resume=resume), dev, hear).save(model)
        return model.read_bytes()

    def begin(interruption: Interruption) -> None:
        checkpoint.unlink(missing_ok=True)
        train(interruption)

    expected = train()
    iterations_said = [line for line in said if line.startswith("parser ")]
    assert len(iterations_said) == iterations
    resumed = 0
    names = []
    for name in interrupt_everywhere(begin, [(modelfile, "save")]):
        names.append(name)
        resume = checkpoint.exists()
        assert train(resume=resume) == expected, name
        resumed += resume
        (begun,) = [int(line.rpartition(" ")[2]) for line in said if "continuing" in line] or [0]
        assert begun == 0 or resume
        rest = [line for line in said if line.startswith("parser ")]
        if begun < iterations:
            assert rest == iterations_said[begun:], name
    assert resumed > len(names) // 2  # before the first checkpoint, there is nothing to go on from
    assert any("1 0." in name for name in names)  # in the middle of an iteration
    for other in ({"silver_words": 61}, {"silver": [tmp_path / "silver.conllu"] * 2}) if plan.silver else ():
        with pytest.raises(FormatError, match="the checkpoint of another training"):
            train_pipeline(TRAIN, options, replace(plan, resume=True, **other), dev)


def test_a_network_stopped_again_and_again(tmp_path: Path) -> None:
    """After every iteration, and always before the next one has ended."""
    plan = TrainingPlan(["parser"], "gold", checkpoint=tmp_path / "checkpoint")
    train_pipeline(TRAIN, OPTIONS, plan, DEV).save(tmp_path / "whole")
    (tmp_path / "checkpoint").unlink()
    seen: list[int] = []

    def stop(progress: Any) -> None:
        if progress.component == "parser" and progress.is_iteration:
            seen.append(progress.iteration)
            raise KeyboardInterrupt

    for number in range(1, 4):
        with pytest.raises(KeyboardInterrupt):
            train_pipeline(TRAIN, OPTIONS, replace(plan, resume=number > 1), DEV, stop)
    assert seen == [1, 2, 3]
    train_pipeline(TRAIN, OPTIONS, replace(plan, resume=True), DEV).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_checkpoint_of_a_pretraining_belongs_to_one_text_and_one_plan(tmp_path: Path) -> None:
    """Whatever decides the weights makes it another one; the name and the licence do not."""
    plan = PretrainingPlan(passes=1)
    with collect_text(TRAIN, tmp_path) as text, collect_text(TRAIN[::-1], tmp_path) as other:
        own = pretraining._digest(text, SMALL, plan)
        for change in ({"passes": 2}, {"passes": None, "minutes": 1.0}, {"vocabulary": 7}, {"seed": 2}):
            assert pretraining._digest(text, SMALL, replace(plan, **change)) != own
        for option in ({"width": 9}, {"dropout": 0.3}, {"rate": 0.5}, {"batch": 128}, {"subwords": 99}):
            assert pretraining._digest(text, replace(SMALL, **option), plan) != own
        assert pretraining._digest(other, SMALL, plan) != own
        assert pretraining._digest(text, SMALL, replace(plan, name="x", licence="y", checkpoint="z")) == own


def test_pretraining_learns_in_another_order_with_other_dropout_each_time(tmp_path: Path) -> None:
    with collect_text(treebank(60, seed=9), tmp_path) as text:
        words = choose_words(text.counts, 100, 2)
        guesser = WordGuesser(replace(SMALL, batch=64, subwords=30), text, words, passes=2)
        log: list[tuple[int, tuple[int, ...], int, tuple[int, ...]]] = []
        learn = guesser._learn

        def record(*arguments: Any) -> Any:
            batch, offset, key = arguments[2], arguments[4], np.asarray(jax.random.key_data(arguments[7]))
            log.append((guesser.number, tuple(np.asarray(batch.forms[:, 0]).ravel()), offset, tuple(key.tolist())))
            return learn(*arguments)

        guesser._learn = record
        hidden: list[tuple[int, ...]] = []  # from which seed the words to be guessed are chosen
        lay_out = guesser._lay_out

        def note_seed(sentences: Any, lanes: Any, seed: list[int]) -> Any:
            hidden.append(tuple(seed))
            return lay_out(sentences, lanes, seed)

        guesser._lay_out = note_seed  # type: ignore[method-assign]
        for _ in guesser.run():
            pass
    assert len(log) == guesser.updates > 4
    assert len({key for *_, key in log}) == len(log)
    assert len({offset for _, _, offset, _ in log}) > 1
    learned = [seed for seed in hidden if seed[1] != 4]  # the held-out loss is always that of the same words
    assert len(set(learned)) == len(learned) == len(log)
    passes = [[batch for number, batch, *_ in log if number == each] for each in (1, 2)]
    assert passes[0] != passes[1]
    assert len({batch for own in passes for batch in own}) == len(log)


def test_pretraining_stopped_at_every_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each batch, and around each checkpoint. What was learned so far is there, unless that was nothing."""
    checkpoint, output = tmp_path / "checkpoint", tmp_path / "encoder"
    plan = PretrainingPlan(passes=1, name="oaks", checkpoint=checkpoint)
    network = replace(SMALL, batch=64, subwords=30)
    monkeypatch.setattr(neural_pretraining, "MEASURED", 2)
    with collect_text(treebank(60, seed=9), tmp_path) as text:
        measured: list[str] = []

        def learn(interruption: Interruption | None = None, resume: bool = False) -> bytes:
            def hear(progress: Any) -> None:
                if "held-out" in progress.message:
                    measured.append(progress.message.partition(", loss")[0])
                if interruption is not None and progress.iteration:
                    interruption.point(f"batch {progress.share:.2f}")

            output.unlink(missing_ok=True)
            measured.clear()
            pretrain_on(text, output, network, replace(plan, resume=resume), hear)
            return output.read_bytes()

        def begin(interruption: Interruption) -> None:
            checkpoint.unlink(missing_ok=True)
            learn(interruption)

        expected = learn()
        all_measured = list(measured)
        assert len(all_measured) == 2
        resumed = count = 0
        for name in interrupt_everywhere(begin, [(modelfile, "save")]):
            if output.exists():
                assert load_encoder(output).about["text"] == "oaks", name
            resume = checkpoint.exists()
            assert learn(resume=resume) == expected, name
            assert measured == all_measured[len(all_measured) - len(measured) :], name  # neither once more nor less
            resumed, count = resumed + resume, count + 1
        assert resumed > count // 2 > 4
