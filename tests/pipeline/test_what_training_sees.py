"""Which sentences each component learns from, with which tags: recorded while a whole pipeline is trained.

Every sentence has a word of its own with a tag of its own. So whoever sees that tag where a predicted one is due, or
has learned from the sentence that it is asked about, can be told.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples.recording import Call, record
from samples.small_models import full_treebank

import dodona
from dodona import Sentence, write
from dodona.data.marks import CONFIRMED, OPEN, write_marks, write_status
from dodona.data.spacing import detokenize
from dodona.experiments import run as experiment_run
from dodona.experiments import treebanks as experiment_treebanks
from dodona.experiments.plan import Condition, Plan
from dodona.experiments.run import perform
from dodona.experiments.treebanks import find_treebanks, sentences_of, tag
from dodona.parser import confidence
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import NetworkSource, begin_training
from dodona.pipeline import crossvalidation, jackknife
from dodona.pipeline import training as module
from dodona.pipeline.crossvalidation import assign_folds, cross_validate
from dodona.pipeline.training import TrainingPlan, train_pipeline

SEED = 7
QUICK = ParserOptions(iterations=2, templates="stack", seed=SEED)
GOLD = ["upos", "xpos", "feats"]


def odd(count: int, seed: int = 1, name: str = "own") -> list[Sentence]:
    """Sentences with a first word and a tag that no other one has."""
    made = [
        Sentence.from_words(
            [f"{name}{i}", *s.words[1:]],
            s.upos,
            lemmas=s.lemmas,
            xpos=[f"{name}{i}", *s.xpos[1:]],
            feats=s.feats,
            heads=[h or 0 for h in s.heads],
            labels=s.labels,
        )
        for i, s in enumerate(full_treebank(count, seed))
    ]
    return list(detokenize(made))


TRAIN, DEV = odd(12), odd(6, seed=2, name="dev")


def words_of(sentences: Sequence[Sentence]) -> list[list[str]]:
    return [sentence.words for sentence in sentences]


def tags_of(sentences: Sequence[Sentence]) -> list[list[list[str]]]:
    return [[getattr(sentence, name) for name in GOLD] for sentence in sentences]


def trees_of(sentences: Sequence[Sentence]) -> list[tuple[list[str], list[int | None], list[str]]]:
    return [(sentence.words, sentence.heads, sentence.labels) for sentence in sentences]


def same(found: Sequence[Sentence], expected: Sequence[Sentence]) -> bool:
    return [sentence.to_bytes() for sentence in found] == [sentence.to_bytes() for sentence in expected]


def predicted(tagger: Any, sentences: Sequence[Sentence]) -> list[list[list[str]]]:
    return [tagger.columns(sentence.words) for sentence in sentences]


class Calls:
    """All that a training of a pipeline calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tokenizer, self.tagger, self.lemmatizer = (
            record(monkeypatch, module, f"train_{name}") for name in ("tokenizer", "tagger", "lemmatizer")
        )
        self.parser = record(monkeypatch, module, "begin_training")
        self.scores = record(monkeypatch, Parser, "scores")
        self.calibrate = record(monkeypatch, module, "calibrate")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


@pytest.mark.parametrize("folds", [2, 5, 40])
def test_the_parser_learns_from_tags_of_taggers_that_have_not_seen_the_sentence(calls: Calls, folds: int) -> None:
    before = [sentence.to_bytes() for sentence in (*TRAIN, *DEV)]
    nlp = train_pipeline(TRAIN, QUICK, TrainingPlan(folds=folds), DEV)
    assert [sentence.to_bytes() for sentence in (*TRAIN, *DEV)] == before
    for own in (calls.tokenizer, calls.lemmatizer):
        (only,) = own
        assert same(only["sentences"], TRAIN)
        assert only["options"].seed == SEED
    whole, *parts = calls.tagger
    assert same(whole["sentences"], TRAIN)
    assert nlp.tagger is not None
    assert nlp.tagger is whole.result
    count = min(folds, len(TRAIN))
    assert len(parts) == count
    for fold, part in enumerate(parts):
        assert same(part["sentences"], [s for i, s in enumerate(TRAIN) if i % count != fold])
        assert part["options"] == whole["options"]
        assert part["options"].seed == SEED
        assert part["silver"] is None
    (parser,) = calls.parser
    assert same(parser["sentences"], TRAIN)
    assert trees_of(parser["seen"]) == trees_of(TRAIN)
    for fold, part in enumerate(parts):
        assert tags_of(parser["seen"][fold::count]) == predicted(part.result, TRAIN[fold::count])
    assert all(s.xpos[0] != s.words[0] for s in parser["seen"])
    assert any(s.xpos[0] == s.words[0] for s in whole.result.apply([s.copy() for s in TRAIN]))  # this one has seen it


def test_the_best_iteration_is_chosen_on_predicted_tags(calls: Calls) -> None:
    """Of several equally good ones the first; and the confidence is fitted to the same tags."""
    nlp = train_pipeline(TRAIN, replace(QUICK, iterations=6), TrainingPlan(folds=2, patience=6), DEV)
    assert len(calls.scores) == 6
    for call in (*calls.scores, *calls.calibrate):
        assert trees_of(call["gold"]) == trees_of(DEV)
        assert tags_of(call["gold"]) == predicted(nlp.tagger, DEV) != tags_of(DEV)
    scores = [call.result for call in calls.scores]
    best = max(range(6), key=lambda i: scores[i][1])
    assert nlp.parser is calls.scores[best]["self"]
    assert [call["parser"] for call in calls.calibrate] == [nlp.parser]
    assert nlp.about["iteration"] == best + 1
    assert (nlp.about["dev"]["UAS"], nlp.about["dev"]["LAS"]) == tuple(round(score, 2) for score in scores[best])


def test_the_accuracies_in_a_model_are_those_of_what_it_predicts() -> None:
    """Tags and lemmas of the development data, both predicted: the lemmas from predicted tags."""
    nlp = train_pipeline(TRAIN, QUICK, TrainingPlan(folds=2), DEV)
    assert nlp.tagger is not None
    assert nlp.lemmatizer is not None
    total = sum(map(len, DEV))
    right = Counter[str]()
    for gold in DEV:
        upos, xpos, feats = nlp.tagger.columns(gold.words)
        found = {"UPOS": upos, "XPOS": xpos, "FEATS": feats, "Lemmas": nlp.lemmatizer.lemmas(gold.words, upos, feats)}
        for name, values in found.items():
            right[name] += sum(map(str.__eq__, values, getattr(gold, name.lower())))
    told = {name: share for name, share in nlp.about["dev"].items() if name not in ("UAS", "LAS")}
    assert told == {name: round(100 * count / total, 2) for name, count in right.items()}
    assert max(told["XPOS"], told["Lemmas"]) < 100


class Scripted:
    """Scores that come as they are wanted, after the real ones were computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, las: Sequence[float]) -> None:
        plain, self.parsers, left = Parser.scores, list[Parser](), list(las)

        def scores(parser: Parser, gold: Sequence[Sentence]) -> tuple[float, float]:
            plain(parser, gold)
            self.parsers.append(parser)
            return 100.0 - left[0], left.pop(0)

        monkeypatch.setattr(Parser, "scores", scores)


@pytest.mark.parametrize(
    ("las", "patience", "best", "last"),
    [
        ([1, 3, 2, 3, 2, 1], 3, 2, 5),
        ([3, 2, 2, 2, 2, 2], 5, 1, 6),
        ([3, 2, 2, 2, 2, 2], 1, 1, 2),
        ([1, 2, 3, 4, 5, 6], 1, 6, 6),
        ([1, 1, 1, 1, 1, 1], None, 1, 6),
        ([2, 1, 1, 1, 1, 1, 9], None, 1, 6),
        ([0, 0, 5, 5, 5, 6], 3, 6, 6),
        ([0, 0, 5, 5, 5, 6], 2, 3, 5),
    ],
)
def test_the_first_of_the_best_iterations_by_las(
    monkeypatch: pytest.MonkeyPatch, las: list[float], patience: int | None, best: int, last: int
) -> None:
    """UAS goes the other way here. Training stops after `patience` iterations without gain, counted from the best."""
    script = Scripted(monkeypatch, las)
    plan = TrainingPlan(["parser"], "gold", patience=patience)
    options = replace(QUICK, iterations=len(las))
    nlp = train_pipeline(TRAIN[:4], options, plan, DEV[:2])
    assert len(script.parsers) == last
    assert nlp.about["iteration"] == best
    assert nlp.parser is script.parsers[best - 1]


def test_gold_tags_where_they_are_wanted(calls: Calls) -> None:
    train_pipeline(TRAIN, QUICK, TrainingPlan(tags="gold"), DEV)
    assert len(calls.tagger) == 1
    (parser,) = calls.parser
    assert same(parser["seen"], TRAIN)
    assert all(same(call["gold"], DEV) for call in (*calls.scores, *calls.calibrate))


def test_without_a_tagger_the_tags_of_the_treebank(calls: Calls) -> None:
    train_pipeline(TRAIN, QUICK, TrainingPlan(["parser"]), DEV)
    assert not calls.tagger
    assert same(calls.parser[0]["seen"], TRAIN)
    assert all(same(call["gold"], DEV) for call in calls.scores)


def test_what_is_held_back_is_not_learned_from_and_has_predicted_tags(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside sentences that are too long to be learned from."""
    monkeypatch.setattr(confidence, "ENOUGH", 10)
    sentences = odd(45)
    longest = max(map(len, sentences))
    short = [s for s in sentences if len(s) < longest]
    train_pipeline(sentences, QUICK, TrainingPlan(folds=2, max_length=longest - 1))
    whole, *parts = calls.tagger
    assert len(whole["sentences"]) == len(sentences)
    (parser,), (calibrated,) = calls.parser, calls.calibrate
    held = {i for i in range(len(short)) if i % 20 == 19}
    assert held
    assert same(parser["sentences"], [s for i, s in enumerate(short) if i not in held])
    assert words_of(parser["seen"]) == words_of(parser["sentences"])
    assert trees_of(calibrated["gold"]) == trees_of([short[i] for i in sorted(held)])
    tags = {s.words[0]: part.result.columns(s.words) for k, part in enumerate(parts) for s in sentences[k::2]}
    for seen in (parser["seen"], calibrated["gold"]):
        assert tags_of(seen) == [tags[s.words[0]] for s in seen]


def mark(sentence: Sentence, *aspects: str) -> Sentence:
    """The sentence, open, with these aspects of all words marked."""
    copy = sentence.copy()
    copy.set_comments(write_status(copy.comments, OPEN))
    copy.misc = [write_marks(misc, dict.fromkeys(aspects, CONFIRMED)) for misc in copy.misc]
    return copy


def test_development_data_is_annotated_in_all_that_is_scored(calls: Calls) -> None:
    """A sentence of which one aspect is a guess is left out; where words begin and end is not scored."""
    wanted = ("arc", "upos", "feats", "lemma")
    whole = mark(DEV[5], *wanted)
    partial = [mark(s, *(a for a in wanted if a != lacking)) for s, lacking in zip(DEV, wanted, strict=False)]
    train_pipeline(TRAIN[:4], QUICK, TrainingPlan(["parser"], "gold"), [*partial, DEV[4], whole])
    assert len(calls.scores) == 2
    assert all(same(call["gold"], [DEV[4], whole]) for call in (*calls.scores, *calls.calibrate))


@pytest.mark.parametrize("marks", [(), ("upos",), ("feats",), ("upos", "feats")])
def test_the_tagger_of_a_fold_learns_no_guesses(calls: Calls, marks: Sequence[str]) -> None:
    sentences = [s if i % 3 else mark(s, *marks) for i, s in enumerate(TRAIN)]
    train_pipeline(sentences, QUICK, TrainingPlan(["tagger", "parser"], folds=2))
    known = [bool(i % 3) or len(marks) == 2 for i in range(len(TRAIN))]
    whole, *parts = calls.tagger
    assert words_of(whole["sentences"]) == [s.words for s, own in zip(TRAIN, known, strict=True) if own]
    for fold, part in enumerate(parts):
        others = [s.words for i, (s, own) in enumerate(zip(TRAIN, known, strict=True)) if own and i % 2 != fold]
        assert words_of(part["sentences"]) == others


@pytest.mark.parametrize("lacking", ["token", "upos", "feats", "lemma", "arc"])
def test_no_component_learns_guesses_of_what_it_reads_or_predicts(calls: Calls, lacking: str) -> None:
    """Of a sentence with one aspect that nobody has looked at."""
    aspects = ("token", "upos", "feats", "lemma", "arc")
    sentences = [*TRAIN[1:], mark(TRAIN[0], *(aspect for aspect in aspects if aspect != lacking))]
    train_pipeline(sentences, QUICK, TrainingPlan(folds=2))
    tags = {"upos", "feats"}
    for (own, *_), needed in ((calls.tokenizer, {"token"}), (calls.tagger, tags), (calls.lemmatizer, {"lemma", *tags})):
        assert words_of(own["sentences"]) == words_of(TRAIN[1:] if lacking in needed else sentences)
    (parser,) = calls.parser
    arcs = [[None] * len(TRAIN[0])] if lacking == "arc" else [TRAIN[0].heads]
    assert [s.heads for s in parser["sentences"]] == [s.heads for s in TRAIN[1:]] + arcs


@pytest.mark.parametrize(("patience", "last"), [(None, 7), (2, 3)])
def test_a_network_goes_on_as_planned_without_gain(
    monkeypatch: pytest.MonkeyPatch, patience: int | None, last: int
) -> None:
    """Its rate falls to the end; it stops only if that is asked for."""
    from samples.networks import SMALL

    from dodona.neural.trainer import NeuralLearner

    monkeypatch.setattr(NeuralLearner, "iterate", lambda *arguments: (1, 0, 0.0))
    options = ParserOptions(scorer="neural", iterations=7, network=SMALL)
    script = Scripted(monkeypatch, [1.0] * 7)
    train_pipeline(TRAIN[:4], options, TrainingPlan(["parser"], "gold", patience=patience), DEV[:2])
    assert len(script.parsers) == last


def test_where_a_fold_has_only_guesses_its_tagger_learns_from_them(calls: Calls) -> None:
    sentences = [mark(s) if i % 2 else s for i, s in enumerate(TRAIN)]
    train_pipeline(sentences, QUICK, TrainingPlan(["tagger", "parser"], folds=2))
    _, *parts = calls.tagger
    assert [words_of(part["sentences"]) for part in parts] == [words_of(TRAIN[1::2]), words_of(TRAIN[::2])]


def test_a_network_is_asked_whether_its_tags_are_better_on_predicted_ones(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its tags if they are right more often than the tagger's, on the same sentences; else the tagger's."""
    from samples.networks import SMALL

    from dodona.neural.trainer import NeuralLearner

    monkeypatch.setattr(NeuralLearner, "iterate", lambda *arguments: (1, 0, 0.0))
    asked = record(monkeypatch, Parser, "predict_tags_by_bonus")
    options = ParserOptions(scorer="neural", iterations=1, network=SMALL)

    def train() -> bool:
        asked.clear()
        nlp = train_pipeline(TRAIN, options, TrainingPlan(["tagger", "parser"], folds=2), DEV)
        assert tags_of(asked[0]["sentences"]) == predicted(nlp.tagger, DEV)
        return nlp.parser.model.retags

    assert not train()  # the network has learned nothing
    recorded = Parser.predict_tags_by_bonus

    def know(parser: Parser, sentences: Sequence[Sentence], bonuses: Sequence[float]) -> list[list[Sentence]]:
        recorded(parser, sentences, bonuses)
        return [[s.copy() for s in DEV] for _ in bonuses]

    monkeypatch.setattr(Parser, "predict_tags_by_bonus", know)
    assert train()

    def copy(parser: Parser, sentences: Sequence[Sentence], bonuses: Sequence[float]) -> list[list[Sentence]]:
        recorded(parser, sentences, bonuses)
        return [[s.copy() for s in sentences] for _ in bonuses]

    monkeypatch.setattr(Parser, "predict_tags_by_bonus", copy)
    assert not train()  # as good is not better


@pytest.mark.parametrize("best", [0.0, 0.5, 3.0, 6.0])
def test_the_bonus_of_the_tagger_is_the_one_with_most_tags_right(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, best: float
) -> None:
    """The smallest of those that are equally good, and none where the tagger is better anyway."""
    from samples.networks import SMALL

    from dodona.neural.trainer import NeuralLearner

    monkeypatch.setattr(NeuralLearner, "iterate", lambda *arguments: (1, 0, 0.0))
    asked: list[Sequence[float]] = []

    def predict(parser: Parser, sentences: Sequence[Sentence], bonuses: Sequence[float]) -> list[list[Sentence]]:
        asked.append(bonuses)
        wrong = [Sentence.from_words(gold.words, ["?"] * len(gold)) for gold in DEV]
        return [[s.copy() for s in (DEV if bonus >= best else wrong)] for bonus in bonuses]

    monkeypatch.setattr(Parser, "predict_tags_by_bonus", predict)
    options = ParserOptions(scorer="neural", iterations=1, network=SMALL)
    model = train_pipeline(TRAIN, options, TrainingPlan(["tagger", "parser"], folds=2), DEV).parser.model
    assert (model.retags, model.tagger_bonus) == (True, best)
    tried, chosen = asked  # the last time for the scores in the model
    assert (tried[0], list(tried), list(chosen)) == (0, sorted(set(tried)), [best])


def test_a_network_learns_gold_tags_and_sees_predicted_ones() -> None:
    """Its examples, as numbers, stand for the words and tags that they should; it knows all gold tags."""
    from samples.networks import SMALL

    seen = [s.copy() for s in TRAIN]
    for s in seen:
        s.set_column("upos", ["X", *s.upos[1:]])
        s.set_column("xpos", ["strange", *s.xpos[1:]])
    training = begin_training(TRAIN, ParserOptions(scorer="neural", iterations=1, network=SMALL), seen)
    data, examples = training.data, training.learner.examples  # type: ignore[attr-defined]
    forms, tags = list(data.forms), list(data.seen_tags)
    assert len(examples) == len(TRAIN)
    for example, gold, shown in zip(examples, TRAIN, seen, strict=True):
        columns = [gold.upos, gold.xpos, gold.feats]
        for values, kind, own in zip(example.gold_tags, data.gold_tags.kinds, columns, strict=True):
            assert [kind[i] for i in values] == own
        assert [tags[i] for i in example.tags] == list(zip(shown.upos, shown.xpos, shown.feats, strict=True))
        assert [forms[i] for i in example.forms] == gold.words
    assert data.gold_tags.tags == sorted({tag for s in TRAIN for tag in zip(s.upos, s.xpos, s.feats, strict=True)})
    assert {"uX", "xstrange"} <= set(data.tag_parts)


def test_a_network_sees_the_vector_of_each_word() -> None:
    """As it is written, or else in small letters; zeros for a word without one."""
    from samples.networks import SMALL

    from dodona.neural.vectors import Vectors

    words = ["own1", "the", "own3", "oak", "nowhere"]
    values = np.arange(1, 2 * len(words) + 1, dtype=np.int8).reshape(-1, 2)
    vectors = Vectors(words, values, np.linspace(0.5, 1, len(words), dtype=np.float32), len(words), 0)
    sentences = [s if i else Sentence.from_words([*s.words[:1], "The", *s.words[2:]], s.upos, xpos=s.xpos,
                 heads=s.heads, labels=s.labels) for i, s in enumerate(TRAIN)]  # fmt: skip
    options = ParserOptions(scorer="neural", iterations=1, network=SMALL)
    data = begin_training(sentences, options, None, NetworkSource(vectors)).data  # type: ignore[attr-defined]
    tables = data.tables()
    known = dict(zip(words, values * vectors.scales[:, None], strict=True))
    assert {"The", "the", "own1", "own2", "own3"} <= set(data.forms)
    for form, number in data.forms.items():
        expected = known.get(form, known.get(form.lower(), np.zeros(2)))
        np.testing.assert_allclose(tables.vectors[tables.forms[number, 1]], expected, err_msg=form)


# Folds


@pytest.mark.parametrize("tags", ["predicted", "gold"])
def test_no_fold_of_a_cross_validation_sees_itself(monkeypatch: pytest.MonkeyPatch, tags: str) -> None:
    calls = Calls(monkeypatch)
    pipelines = record(monkeypatch, crossvalidation, "train_pipeline")
    calibrated = record(monkeypatch, crossvalidation, "calibrate")
    analysed = record(monkeypatch, Parser, "analyses_of")
    numbers = assign_folds(len(TRAIN), 3, "random", SEED)
    plan = TrainingPlan(["tagger", "lemmatizer", "parser"], tags, folds=2, jobs=2, checkpoint="file", resume=True)
    folds = list(cross_validate(TRAIN, QUICK, plan, numbers))
    assert len(pipelines) == 3
    for fold, pipeline in zip(folds, pipelines, strict=True):
        own = [s for s, number in zip(TRAIN, numbers, strict=True) if number == fold.number]
        others = [s for s, number in zip(TRAIN, numbers, strict=True) if number != fold.number]
        assert trees_of(pipeline["sentences"]) == trees_of(others)
        assert tags_of(pipeline["sentences"]) == tags_of(others)
        assert list(pipeline["dev"]) == []
        assert pipeline["plan"] == replace(plan, jobs=1, checkpoint=None, resume=False)  # one file for all folds: none
        nlp = pipeline.result
        seen = predicted(nlp.tagger, own) if tags == "predicted" else tags_of(own)
        halves = own[::2], own[1::2]
        for turn, (half, other) in enumerate((halves, halves[::-1])):
            fitted, parsed = calibrated.pop(0), analysed.pop(0)
            assert fitted["parser"] is parsed["self"] is nlp.parser
            assert trees_of(fitted["gold"]) == trees_of(other)
            assert tags_of(fitted["gold"]) == seen[1 - turn :: 2]
            assert words_of(parsed["batch"]) == words_of(half)
            assert tags_of(parsed["batch"]) == seen[turn::2]
        for parsed_sentence, tagged in zip(fold.sentences, seen, strict=True):
            assert [getattr(parsed_sentence, name) for name in GOLD] == tagged
        lemmas = [sentence.lemmas for sentence in fold.sentences]
        assert (lemmas == [sentence.lemmas for sentence in own]) == (tags == "gold")
    learned = [call["sentences"] for call in calls.tagger]
    assert len(learned) == (3 if tags == "gold" else 9)
    per_fold = len(learned) // 3
    for place, sentences in enumerate(learned):
        own_words = {s.words[0] for s, number in zip(TRAIN, numbers, strict=True) if number == place // per_fold}
        assert not own_words & {s.words[0] for s in sentences}


def test_each_half_of_a_jackknife_is_tagged_by_the_tagger_of_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default, of experiments: `USUAL` with its options."""
    trained = record(monkeypatch, jackknife, "_tag_fold")
    found = jackknife.jackknife(TRAIN, 2, jobs=1)
    assert [call["fold"] for call in trained] == [0, 1]
    assert tags_of(found[::2]) == trained[0].result
    assert trees_of(found) == trees_of(TRAIN)


# Experiments


def test_experiments_tag_the_training_part_in_folds_and_the_others_by_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "treebanks"
    parts = {"train": odd(22), "dev": odd(5, 3, "dev"), "test": odd(5, 4, "test"), "silver": odd(9, 5, "silver")}
    (home / "en_a").mkdir(parents=True)
    parts["silver"] = [parts["dev"][0], parts["test"][1], parts["train"][2], *parts["silver"]]
    for name, sentences in parts.items():
        write(sentences, home / "en_a" / f"{name}.conllu")
    other = odd(4, 6, "other")
    (home / "en_b").mkdir()
    write(other, home / "en_b" / "test.conllu")
    treebanks = find_treebanks(home)
    trained = record(monkeypatch, experiment_treebanks, "train_tagger")
    folds = record(monkeypatch, experiment_treebanks, "jackknife")
    plan = Plan(treebanks, 1, None, "predicted", 20)
    (tagging,) = plan.taggings(tmp_path)
    tag(tagging)
    (whole,), (fold,) = trained, folds
    assert same(whole["sentences"], parts["train"][:20])
    assert same(fold["sentences"], parts["train"][:20])
    assert (fold["folds"], fold["train"]) == (10, jackknife.USUAL)
    seen = {path.name.partition(".")[0]: sentences_of([str(path)]) for path in tagging.files}
    assert tags_of(seen["train"]) == tags_of(fold.result)
    assert not any(s.xpos[0] == s.words[0] for s in seen["train"])
    for name, gold in {"dev": parts["dev"], "test": parts["test"], "en_b": other}.items():
        assert tags_of(seen[name]) == predicted(whole.result, gold)

    begun = record(monkeypatch, experiment_run, "begin_training")
    compared = record(monkeypatch, experiment_run, "parse_and_compare")
    silver = record(monkeypatch, experiment_run, "train_tagger")
    options = replace(QUICK, iterations=3)
    condition = Condition(options, ("dev", "test", "elsewhere", "curve"), keep="best", silver=60)
    perform(plan.with_tags([tagging]).run(tagging.treebank, condition))
    (training,) = begun
    assert same(training["sentences"], parts["train"][:20])
    assert same(training["seen"], seen["train"])
    assert len(compared) == 3 + 3
    curve, measured = compared[:3], compared[3:]
    best = max(range(3), key=lambda i: dodona.evaluation.attachment(curve[i].result)["LAS"].accuracy)
    for call, name in zip(compared, ["dev", "dev", "dev", "dev", "test", "en_b"], strict=True):
        assert same(call["gold"], other if name == "en_b" else parts[name])
        assert same(call["seen"], seen[name])
    assert all(call["parser"] is curve[best]["parser"] for call in measured)
    source = training["silver"]
    (tagger,) = silver
    assert same(tagger["sentences"], parts["train"][:20])
    assert source.tag == tagger.result.apply
    assert tagger["silver"] is source.silver
    kept = [s for s, mark in zip(parts["silver"], source.silver.marks[0], strict=True) if mark]
    held = {s.words[0] for s in (*parts["dev"], *parts["test"])}
    assert kept
    assert not held & {s.words[0] for s in kept}


@pytest.mark.parametrize("asked", [None, 40, 10**6])
def test_a_student_never_sees_the_development_data_in_the_teachers_text(
    calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int | None
) -> None:
    """Neither its taggers, also those of the folds, nor its parser; and no fold learns from more silver than from
    gold."""
    silver = odd(10, 5, "silver")
    write([*silver[:5], *DEV, *silver[5:]], tmp_path / "silver.conllu")
    streams = record(monkeypatch, dodona.data.silver.Silver, "stream")
    made: list[Call] = record(monkeypatch, module, "survey_silver")
    plan = TrainingPlan(["tagger", "parser"], folds=2, silver=[tmp_path / "silver.conllu"], silver_words=asked)
    nlp = train_pipeline(TRAIN, QUICK, plan, DEV) if asked != 10**6 else None
    if nlp is None:  # so much would take long: only what it would learn from
        much = dodona.data.silver.survey_silver([tmp_path / "silver.conllu"], lambda s: "", lambda s: True, asked)
        assert much.for_fold(300).asked == 300
        return
    (survey,) = made
    assert [bool(mark) for mark in survey.result.marks[0]] == [True] * 5 + [False] * len(DEV) + [True] * 5
    whole, *parts = calls.tagger
    assert whole["silver"] is survey.result
    gold = whole["options"].iterations * sum(map(len, TRAIN))
    assert [part["silver"].asked for part in parts] == [min(gold, asked or gold)] * 2
    assert all(part["silver"].marks == survey.result.marks for part in parts)
    (parser,) = calls.parser
    assert parser["silver"].silver is survey.result
    assert nlp.tagger is not None
    assert parser["silver"].tag == nlp.tagger.apply
    assert [call["seed"] for call in streams] == [SEED] * 4
    assert [call["tags"] for call in streams] == [True] * 3 + [False]
