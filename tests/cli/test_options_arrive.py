"""What is given on the command line arrives, in every place that has a name for it: with its value, not with a default.

All options of the commands that train are tried; one that is new is tried too, or must be named here.
"""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from samples.command_line import call_dodona
from samples.pretrained_encoders import random_encoder
from samples.small_models import linear
from samples.treebank import treebank

from dodona import Sentence, read, write
from dodona.annotation.suspects import Suspect
from dodona.cli.commands import crossvalidate as crossvalidate_module
from dodona.cli.commands import pretrain as pretrain_module
from dodona.cli.commands import train as train_module
from dodona.cli.commands.crossvalidate import _write_suspects, crossvalidate
from dodona.cli.commands.pretrain import pretrain_command
from dodona.cli.commands.train import OF_ENCODER, train_command
from dodona.pipeline.crossvalidation import Fold, assign_folds
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.pretraining import save_encoder

COUNT = 12
WORDS = {
    "components": ["parser"], "oracle": "static", "templates": "stack", "positions": "stack", "root": "first",
    "moves": "left", "reduce_label": "remembered", "encoder": "folder", "vectors": "vectors.txt", "name": "a name",
    "licence": "CC0",
}  # fmt: skip
CHOICES = {"update": "pa", "split": "random"}
NEURAL, REPAIRS = ("--scorer", "neural"), ("--system", "nonmonotonic")
BESIDE = {
    **{
        "early_update": ("--beam", "3"),
        "moves": REPAIRS,
        "reduce_label": REPAIRS,
        "encoder": ("--scorer", "transformer"),
    },
    **dict.fromkeys([*OF_ENCODER, "units", "batch", "dropout", "positions"], NEURAL),
}
NAMES = {"name": "data", "allow_multiple_roots": "single_root"}
"""Those that are called otherwise inside."""
OWN = {  # which are tested below, or are names of files
    "train": {
        *("treebank", "output", "dev", "detokenize", "silver", "silver_words", "held_out", "text", "pretrained"),
        "resume",
    },
    "crossvalidate": {
        *("treebank", "output", "suspects_file", "most", "seeds", "folds", "split", "jobs", "form", "pretrained"),
    },
    "pretrain": {"texts", "output", "held_out", "kind", "model", "treebank", "resume", "minutes"},
}
COMMANDS: dict[str, click.Command] = {
    "train": train_command,
    "crossvalidate": crossvalidate,
    "pretrain": pretrain_command,
}


class Arrived:
    """What trainings were called with, in place of trainings."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.holders: list[Any] = []
        self.calls: dict[str, tuple[Any, ...]] = {}
        self.pipeline = Pipeline(linear("arc-eager").parser)
        self.pipeline.about = {}
        monkeypatch.setattr(train_module, "train_pipeline", self.train)
        monkeypatch.setattr(pretrain_module, "pretrain_on", self.pretrain)
        monkeypatch.setattr(crossvalidate_module, "cross_validate", self.cross_validate)
        monkeypatch.setattr(crossvalidate_module, "find_suspects", self.find_suspects)

    def train(self, sentences: Any, options: Any, plan: Any, dev: Any, show: Any) -> Pipeline:
        self.calls["train"] = sentences, options, plan, dev
        self.holders += [options, plan, options.network or options.transformer, options.system_options]
        self.holders.append(self.pipeline.about)  # which is filled in later
        return self.pipeline

    def pretrain(self, text: Any, output: str, network: Any, plan: Any, show: Any) -> Any:
        self.calls["pretrain"] = [text[i] for i in range(len(text))], network, plan
        self.holders += [network, plan]
        encoder = random_encoder("the", "oak")
        save_encoder(output, encoder)
        return encoder

    def cross_validate(self, sentences: Any, options: Any, plan: Any, numbers: Any, jobs: int, show: Any) -> Any:
        self.calls["crossvalidate"] = numbers, jobs, plan
        self.holders += [options, plan, options.network or options.transformer, options.system_options]
        for fold in range(max(numbers) + 1):
            places = [i for i, number in enumerate(numbers) if number == fold]
            yield Fold(fold, places, [sentences[i].copy() for i in places])

    def find_suspects(
        self, sentences: Any, options: Any, plan: Any, seeds: int, jobs: int, show: Any, folds: int
    ) -> list[Any]:
        self.calls["suspects"] = seeds, jobs, folds
        self.holders += [options, plan]
        return []

    def values(self, name: str) -> list[Any]:
        """What all that was told has under this name."""
        found = [
            each.get(name, self) if isinstance(each, Mapping) else getattr(each, name, self) for each in self.holders
        ]
        return [value for value in found if value is not self]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("options")
    write(treebank(COUNT), path / "train.conllu")
    write(treebank(4, seed=2), path / "dev.conllu")
    write([*treebank(30, seed=3), *treebank(4, seed=2)], path / "text.conllu")
    return path


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> Arrived:
    return Arrived(monkeypatch)


def call(command: str, folder: Path, target: Path, *arguments: object) -> None:
    """Call a command that writes into a folder of its own, so that nothing is found of an earlier call."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    file = folder / ("text.conllu" if command == "pretrain" else "train.conllu")
    done = call_dodona(
        command, file, "-o", target / ("p.conllu" if command == "crossvalidate" else "m"), *map(str, arguments)
    )
    assert done.returncode == 0, done.stderr


def other_value(option: click.Option) -> Any:
    assert option.name is not None
    if option.name in WORDS:
        return WORDS[option.name]
    if isinstance(option.type, click.Choice):
        return CHOICES.get(option.name) or next(each for each in option.type.choices if each != option.default)
    if option.is_flag:
        return option.name != "allow_multiple_roots"
    return 0.25 if option.type.name.startswith("float") else 3


CASES = [
    (command, option)
    for command, each in COMMANDS.items()
    for option in each.params
    if isinstance(option, click.Option) and option.name not in OWN[command]
]


@pytest.mark.parametrize(("command", "option"), CASES, ids=[f"{command} {option.name}" for command, option in CASES])
def test_every_place_has_the_value(
    command: str, option: click.Option, arrived: Arrived, folder: Path, tmp_path: Path
) -> None:
    assert option.name is not None
    value = other_value(option)
    name = NAMES.get(option.name, option.name) if command == "train" or option.name != "name" else "name"
    given = [] if option.is_flag else [",".join(value) if isinstance(value, list) else value]
    beside = () if command == "pretrain" else BESIDE.get(option.name, ())
    more = ["--suspects", tmp_path / "s.tsv"] if command == "crossvalidate" else []
    call(command, folder, tmp_path / "out", *beside, *more, option.opts[-1], *given)
    found = arrived.values(name)
    assert found
    assert all(each == value for each in found), found
    if command == "train" and option.name in (*OF_ENCODER, "seed"):  # words are learned first, with the same ones
        arrived.holders.clear()
        text = [*NEURAL, "--text", folder / "text.conllu"]
        call(command, folder, tmp_path / "out", *text, option.opts[-1], *given)
        assert len(arrived.values(name)) > len(set(map(id, found))) - (option.name != "seed")
        assert all(each == value for each in arrived.values(name))


def test_files_of_a_training(arrived: Arrived, folder: Path, tmp_path: Path) -> None:
    dev, text = folder / "dev.conllu", folder / "text.conllu"
    silver = ["--silver", text, "--silver", dev, "--silver-words", 9, "--held-out", folder / "train.conllu"]
    call("train", folder, tmp_path / "out", "--dev", dev, *silver)
    sentences, _, plan, held = arrived.calls["train"]
    assert [s.to_bytes() for s in sentences] == [s.to_bytes() for s in treebank(COUNT)]
    assert [s.to_bytes() for s in held] == [s.to_bytes() for s in treebank(4, seed=2)]
    files = plan.silver, plan.silver_words, plan.held_out
    assert files == ((str(text), str(dev)), 9, (str(folder / "train.conllu"),))
    assert all(sentence.text is None for sentence in sentences)
    assert (plan.resume, plan.checkpoint) == (False, None)
    call("train", folder, tmp_path / "out", "--detokenize")
    assert all(sentence.text for sentence in arrived.calls["train"][0])


def test_a_training_goes_on_only_if_that_is_wanted(arrived: Arrived, folder: Path, tmp_path: Path) -> None:
    save_encoder(tmp_path / "e", random_encoder("the", "oak"))
    target = tmp_path / "m"
    words = ("train", folder / "train.conllu", "-o", target, *NEURAL)
    for resume in ([], ["--resume"]):
        Path(f"{target}.checkpoint").touch()
        done = call_dodona(*words, "--pretrained", tmp_path / "e", *resume)
        assert done.returncode == 0, done.stderr
        _, options, plan, _ = arrived.calls["train"]
        assert (plan.resume, str(plan.checkpoint)) == (bool(resume), f"{target}.checkpoint")
        assert plan.pretrained.words.tolist() == random_encoder("the", "oak").words.tolist()
        assert options.network == replace(plan.pretrained.fit(None))


@pytest.mark.parametrize(("split", "seed", "folds"), [("blocks", 1, 4), ("alternating", 1, 3), ("random", 5, 3)])
def test_folds(arrived: Arrived, folder: Path, tmp_path: Path, split: str, seed: int, folds: int) -> None:
    own = ["--split", split, "--seed", seed, "--folds", folds, "--jobs", 2]
    call("crossvalidate", folder, tmp_path / "out", *own, "--suspects", tmp_path / "s.tsv", "--seeds", 5)
    numbers, jobs, plan = arrived.calls["crossvalidate"]
    assert numbers == assign_folds(COUNT, folds, split, seed)
    assert (jobs, plan.folds) == (2, 10)  # those of the taggers
    assert arrived.calls["suspects"] == (5, 2, folds)
    assert arrived.values("seed") == [seed, seed]
    assert len(list(read(tmp_path / "out" / "p.conllu"))) == COUNT


@pytest.mark.parametrize("most", [1, 2])
def test_suspects_and_scores_are_written_as_wanted(
    most: int, arrived: Arrived, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Suspect(k, 1, "head", 0.5, 2, "dep", ("why",)) for k in range(3)]
    monkeypatch.setattr(crossvalidate_module, "find_suspects", lambda *_: found)
    file, words = folder / "train.conllu", ["--folds", "3", "--most", str(most)]
    for ending, count in (
        ("tsv", r"\thead\t"),
        ("json", '"kind"'),
        ("txt", "rather"),
        ("conllu", "# suspect"),
        ("html", "<li>"),
    ):
        target = tmp_path / f"s.{ending}"
        done = call_dodona("crossvalidate", file, "--suspects", target, *words, "--format", "json")
        assert done.returncode == 0, done.stderr
        assert len(re.findall(count, target.read_text())) == most
        (result,) = json.loads(done.stdout)
        assert list(result) == ["files", "folds", "cross-validation"]
        assert [len(row) for row in result["folds"].values()] == [12] * 3


def test_every_column_of_a_suspect(folder: Path, tmp_path: Path) -> None:
    """Each of a word of its own, so that none is taken for another."""
    gold = [Sentence.from_words(
        ["She", "wrote", "letters"], heads=[2, 0, 2], labels=["nsubj", "root", "obj"], comments=["# sent_id = s1"]
    ) for _ in range(2)]  # fmt: skip
    suspects = [Suspect(1, 3, "head", 0.125, 1, "nmod", ("one", "two")), Suspect(0, 2, "label", 0.0625, 0, "dep", ())]
    for each in gold:
        each.file = "gold.conllu"
    _write_suspects(str(tmp_path / "s.json"), gold, suspects)
    shared = {"sent_id": "s1", "text": "She wrote letters", "annotated_tree": "2:nsubj 0:root 2:obj"}
    assert json.loads((tmp_path / "s.json").read_text()) == [
        {"probability": 0.125, "kind": "head", "sentence": 2, "line": gold[1].word_line(3),
         "word": 3, "form": "letters", "annotated_head": 2, "annotated_head_form": "wrote", "annotated_label": "obj",
         "other_head": 1, "other_head_form": "She", "other_label": "nmod", "reasons": "one; two", **shared},
        {"probability": 0.0625, "kind": "label", "sentence": 1, "line": gold[0].word_line(2),
         "word": 2, "form": "wrote", "annotated_head": 0, "annotated_head_form": "ROOT", "annotated_label": "root",
         "other_head": 0, "other_head_form": "ROOT", "other_label": "dep", "reasons": "", **shared},
    ]  # fmt: skip


def test_a_pretrained_encoder_is_in_every_fold(arrived: Arrived, folder: Path, tmp_path: Path) -> None:
    save_encoder(tmp_path / "e", random_encoder("the", "oak"))
    call("crossvalidate", folder, tmp_path / "out", *NEURAL, "--pretrained", tmp_path / "e", "--folds", 3)
    _, _, plan = arrived.calls["crossvalidate"]
    assert plan.pretrained.words.tolist() == random_encoder("the", "oak").words.tolist()
    assert arrived.holders[0].network == plan.pretrained.fit(None)


def test_the_text_of_a_pretraining(arrived: Arrived, folder: Path, tmp_path: Path) -> None:
    whole = {tuple(s.words) for s in read(folder / "text.conllu")}
    held = {tuple(s.words) for s in read(folder / "dev.conllu")}
    assert whole & held
    call("pretrain", folder, tmp_path / "out", "--minutes", 2.5, "--held-out", folder / "dev.conllu")
    words, _, plan = arrived.calls["pretrain"]
    assert {tuple(each) for each in words} == whole - held
    assert (plan.passes, plan.minutes, plan.resume) == (None, 2.5, False)
