"""Training with silver: which sentences and tags each component sees, in which order; and files that are refused."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from samples.networks import SMALL
from samples.treebank import treebank

import dodona
from dodona import FormatError, OptionError, Sentence, write
from dodona.data.silver import Mixture, survey_silver
from dodona.linear.perceptron import GreedyLearner
from dodona.neural.trainer import NeuralLearner
from dodona.parser import neural_training
from dodona.parser import training as parser_training
from dodona.parser.encoder import SentenceEncoder
from dodona.parser.options import ParserOptions
from dodona.pipeline import training as pipeline_training
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.training import TrainingPlan, TrainingProgress, train_pipeline
from dodona.tagger import tagger as tagger_module
from dodona.tagger.model import TagLearner, Traits

GOLD, DEV = treebank(30), treebank(8, seed=2)
ITERATIONS = 6


def mark(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The same sentences with another last word, which is a noun in every other one: a silver sentence can be told from
    a gold one, and predicted tags from given ones, because nobody can predict these."""
    return [
        Sentence.from_words(
            [*s.words[:-1], "!"],
            [*s.upos[:-1], tag],
            xpos=[*s.xpos[:-1], tag.lower()],
            heads=[h or 0 for h in s.heads],
            labels=s.labels,
        )
        for s, tag in zip(sentences, cycle(["NOUN", "VERB"]))
    ]


SILVER = mark(treebank(50, seed=3))


@pytest.fixture
def silver(tmp_path: Path) -> list[Path]:
    """Two files."""
    paths = [tmp_path / "one.conllu", tmp_path / "two.conllu.gz"]
    write(SILVER[:20], paths[0])
    write(SILVER[20:], paths[1])
    return paths


def is_silver(words: Sequence[str]) -> bool:
    return words[-1] != "."


def count_words(sentences: Sequence[Sequence[str]]) -> int:
    return sum(map(len, sentences))


def saved(pipeline: Pipeline, path: Path) -> bytes:
    pipeline.save(path)
    return path.read_bytes()


def check_order(seen: list[list[str]], silver_words: int) -> None:
    """All gold in each iteration; silver in proportion, as much as was asked for; then gold alone."""
    gold = [words for words in seen if not is_silver(words)]
    assert sorted(gold) == sorted(ITERATIONS * [s.words for s in GOLD])
    learned = count_words([words for words in seen if is_silver(words)])
    assert silver_words <= learned < silver_words + max(map(len, SILVER))
    last = max(place for place, words in enumerate(seen) if is_silver(words))
    alone, total = count_words(seen[last + 1 :]), count_words(seen)
    assert alone == pytest.approx(0.15 * total, abs=20)
    half = seen[: last // 2]
    assert count_words([words for words in half if is_silver(words)]) == pytest.approx(learned / 2, rel=0.15)


# What is seen


class Recorded:
    """A compiled learner, which cannot be derived from, with another `train`."""

    def __init__(self, kind: Any, *arguments: Any, **options: Any) -> None:
        self.learner = kind(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.learner, name)


@pytest.fixture
def tagged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[int]]]:
    """The sentences that taggers learn from, in their order, with the numbers of their tags."""
    log: list[tuple[list[str], list[int]]] = []

    words_of: dict[int, tuple[Any, list[str]]] = {}
    plain = Traits

    def record_traits(words: list[str], *others: Any) -> Any:
        traits = plain(words, *others)
        words_of[id(traits)] = traits, list(words)
        return traits

    class RecordedLearner(Recorded):
        def train(self, traits: Any, gold: Any) -> None:
            log.append((words_of[id(traits)][1], gold.tolist()))
            self.learner.train(traits, gold)

    monkeypatch.setattr(tagger_module, "Traits", record_traits)
    monkeypatch.setattr(tagger_module, "TagLearner", partial(RecordedLearner, TagLearner))
    return log


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Sentence]:
    """The sentences that a linear parser learns from, in their order, with the tags that it sees."""
    log: list[Sentence] = []
    encoded: dict[int, tuple[Any, Sentence]] = {}

    class RecordedEncoder:
        def __init__(self, templates: Any) -> None:
            self.encode = SentenceEncoder(templates)

        def __call__(self, sentence: Sentence) -> Any:
            words = self.encode(sentence)
            encoded[id(words)] = words, sentence
            return words

    class RecordedLearner(Recorded):
        def train(self, words: Any, *others: Any) -> None:
            log.append(encoded[id(words)][1])
            self.learner.train(words, *others)

    monkeypatch.setattr(parser_training, "SentenceEncoder", RecordedEncoder)
    monkeypatch.setattr(parser_training, "GreedyLearner", partial(RecordedLearner, GreedyLearner))
    return log


def test_the_tagger_learns_the_tags_of_silver(
    silver: list[Path], tagged: list[tuple[list[str], list[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pipeline_training, "TaggerOptions", lambda seed: tagger_module.TaggerOptions(ITERATIONS, seed=seed)
    )
    nlp = dodona.train(
        GOLD, components=["tagger", "parser"], tags="gold", iterations=1, silver=silver, silver_words=700
    )
    check_order([words for words, _ in tagged], 700)
    assert nlp.tagger is not None
    by_words = {tuple(s.words): s for s in [*GOLD, *SILVER]}
    for words, numbers in tagged:
        own = by_words[tuple(words)]
        assert [nlp.tagger.tags[i] for i in numbers] == list(zip(own.upos, own.xpos, own.feats, strict=True))


def test_the_linear_parser_sees_predicted_tags_of_silver(silver: list[Path], parsed: list[Sentence]) -> None:
    nlp = dodona.train(
        GOLD, components=["tagger", "parser"], iterations=ITERATIONS, folds=2, silver=silver, silver_words=500
    )
    check_order([s.words for s in parsed], 500)
    assert nlp.tagger is not None
    for sentence in parsed:
        if is_silver(sentence.words):
            assert [sentence.upos, sentence.xpos, sentence.feats] == nlp.tagger.columns(sentence.words)
    own_tags = {tuple(s.words): s.upos for s in SILVER}
    assert any(s.upos != own_tags[tuple(s.words)] for s in parsed if is_silver(s.words))
    trees = {tuple(s.words): (s.heads, s.labels) for s in [*GOLD, *SILVER]}
    assert all(trees[tuple(s.words)] == (s.heads, s.labels) for s in parsed)


def test_without_a_tagger_silver_keeps_its_tags(silver: list[Path], parsed: list[Sentence]) -> None:
    dodona.train(GOLD, components=["parser"], iterations=2, silver=silver, silver_words=100)
    own_tags = {tuple(s.words): s.upos for s in SILVER}
    assert all(s.upos == own_tags[tuple(s.words)] for s in parsed if is_silver(s.words))


def test_the_teachers_tags_stay_beside_the_predicted_ones(silver: list[Path]) -> None:
    """A network learns the former, and sees the latter."""

    def tag(batch: list[Sentence]) -> None:
        for sentence in batch:
            sentence.set_column("upos", ["X"] * len(sentence))

    trees = parser_training.prepare_trees(GOLD, ParserOptions())
    source = parser_training.SilverSource(survey_silver(silver, lambda s: "", lambda s: True), tag)
    own_tags = {tuple(s.words): s.upos for s in SILVER}
    made = list(parser_training.SilverTrees(source, trees, 1).of_iteration(1))
    assert len(made) >= len(SILVER)
    for tree in made:
        assert set(tree.seen.upos) == {"X"}
        assert tree.sentence.upos == own_tags[tuple(tree.sentence.words)]


def test_held_out_sentences_are_never_seen(
    silver: list[Path], tmp_path: Path, parsed: list[Sentence], tagged: list[tuple[list[str], list[int]]]
) -> None:
    """Neither those of the development data nor those of other files, whatever their trees and tags are."""
    held = SILVER[::3]
    files = [tmp_path / "test.conllu", tmp_path / "other.conllu"]
    for first, file in zip((0, 2), files, strict=True):
        write([Sentence.from_words(s.words) for s in held[first::4]], file)
    said: list[str] = []
    train_pipeline(
        GOLD,
        ParserOptions(iterations=2),
        TrainingPlan(["tagger", "parser"], folds=2, silver=silver, silver_words=1000, held_out=files),
        [*DEV, *held[1::2]],
        lambda progress: said.append(str(progress)),
    )
    forbidden = {tuple(s.words) for s in held}
    seen = {tuple(s.words) for s in parsed} | {tuple(words) for words, _ in tagged}
    assert not seen & forbidden
    assert {tuple(s.words) for s in SILVER} - forbidden <= seen
    count = sum(tuple(s.words) in forbidden for s in SILVER)
    words = sum(len(s) for s in SILVER if tuple(s.words) not in forbidden)
    assert f"silver: {50 - count} sentences, {words} words; left out: {count} held out" in said


def test_a_network_learns_from_batches_of_both(silver: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Gold and silver are never in one batch; words of silver become part of the vocabulary, its tags are learned."""
    monkeypatch.setattr(neural_training, "SILVER_TREES", 12)
    log: list[tuple[bool, int, set[int], int]] = []
    plain = NeuralLearner._learn

    def record(self: NeuralLearner, batch: Any, explore: float) -> Any:
        tables, _, examples = batch
        rows = {int(tables.forms[example.forms[-1]][0]) for example in examples}
        log.append((tables is self.tables, sum(map(len, examples)), rows, min(e.gold_tags.min() for e in examples)))
        return plain(self, batch, explore)

    monkeypatch.setattr(NeuralLearner, "_learn", record)
    options = ParserOptions(scorer="neural", iterations=4, network=SMALL)
    training = parser_training.begin_training(
        GOLD, options, silver=parser_training.SilverSource(survey_silver(
            silver, lambda s: "", lambda s: True, 800))
    )  # fmt: skip
    planned = training.learner.planned  # type: ignore[attr-defined]
    for _ in training.iterations():
        pass
    vocabulary = training.data.vocabulary  # type: ignore[attr-defined]
    ends = {gold: vocabulary.of_form("." if gold else "!")[0] for gold in (True, False)}
    assert 0 not in ends.values()
    assert all(rows == {ends[gold]} for gold, _, rows, _ in log)
    assert all(least >= 0 for *_, least in log)
    words = {gold: sum(count for kind, count, *_ in log if kind is gold) for gold in (True, False)}
    assert words[True] == 4 * sum(map(len, GOLD))
    assert 800 <= words[False] < 800 + max(map(len, SILVER))
    last = max(place for place, (gold, *_) in enumerate(log) if not gold)
    alone = sum(count for _, count, *_ in log[last + 1 :])
    assert alone == pytest.approx(0.15 * sum(words.values()), abs=2 * (SMALL.batch or 0))
    assert planned == pytest.approx(len(log), rel=0.25)


def test_tags_that_gold_does_not_have(tmp_path: Path, tagged: list[tuple[list[str], list[int]]]) -> None:
    """They are not learned: the tagger leaves the sentence out, a network the word."""
    odd = [s.copy() for s in SILVER[:10]]
    for s in odd:
        s.set_column("xpos", ["strange", *s.xpos[1:]])
    write([*odd, *SILVER[10:20]], tmp_path / "odd")
    plan = TrainingPlan(["tagger", "parser"], "gold", silver=[tmp_path / "odd"], silver_words=400)
    said: list[str] = []
    train_pipeline(GOLD, ParserOptions(iterations=1), plan, callback=lambda progress: said.append(str(progress)))
    assert "; tags that the treebank does not have, so not learned: in 10" in "".join(said)
    learned = [tuple(words) for words, _ in tagged if is_silver(words)]
    assert set(learned) == {tuple(s.words) for s in SILVER[10:20]}
    assert sum(map(len, learned)) >= 400
    tagged.clear()  # a part of the treebank, in a fold, may have even fewer tags
    survey = survey_silver([tmp_path / "odd"], lambda s: "", lambda s: True, 400)
    nlp = tagger_module.train_tagger(GOLD[:5], tagger_module.TaggerOptions(2), silver=survey)
    tags = {(upos, xpos) for upos, xpos, _ in nlp.tags}
    few = {tuple(s.words) for s in [*odd, *SILVER[10:20]] if tags.issuperset(zip(s.upos, s.xpos, strict=True))}
    assert {tuple(words) for words, _ in tagged if is_silver(words)} == few
    trees = parser_training.prepare_trees(GOLD, ParserOptions(scorer="neural"))
    source = parser_training.SilverSource(survey_silver([tmp_path / "odd"], lambda s: "", lambda s: True))
    gold_tags, silver_trees = parser_training.GoldTags(trees.trees), parser_training.SilverTrees(source, trees, 1)
    data = neural_training._NetworkData(trees, gold_tags, 64, None, silver_trees)
    examples = [example for _, some in data.silver_examples(1) for example in some]
    assert {(example.gold_tags[1] < 0).sum() for example in examples} == {0, 1}
    assert min(int(example.gold_tags[0].min()) for example in examples) >= 0


def test_lifted_arcs_that_gold_does_not_have(tmp_path: Path) -> None:
    """Gold without crossing arcs has no labels for lifted ones: these are learned as plain ones."""
    gold, crossing = treebank(10, crossing=0.0), treebank(10, seed=5, crossing=1.0)
    for s in crossing:
        s.set_tree([h or 0 for h in s.heads], ["obj" if label == "advmod" else label for label in s.labels])
    write(crossing, tmp_path / "crossing")
    trees = parser_training.prepare_trees(gold, ParserOptions())
    silver = survey_silver([tmp_path / "crossing"], lambda s: "", lambda s: True)
    lifted = list(parser_training.SilverTrees(parser_training.SilverSource(silver), trees, 1).of_iteration(1))
    assert lifted
    obj = trees.built.label_names.index("obj")
    assert all(tree.gold.label[tree.gold.n - 1] == obj for tree in lifted)


def test_features_have_a_bound(silver: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a training that goes on for long; without silver there is none."""
    counts: list[int] = []

    class RecordedLearner(Recorded):
        def train(self, *arguments: Any) -> None:
            counts.append(self.learner.weights.features)
            self.learner.train(*arguments)

    monkeypatch.setattr(parser_training, "GreedyLearner", partial(RecordedLearner, GreedyLearner))
    monkeypatch.setattr(tagger_module, "TagLearner", partial(RecordedLearner, TagLearner))
    options: dict[str, Any] = {"components": ["tagger", "parser"], "tags": "gold", "iterations": 4}
    dodona.train(GOLD, **options)
    most, without = max(counts), len(counts)
    for module in (parser_training, tagger_module):
        monkeypatch.setattr(module, "MOST_FEATURES", 500)
    counts.clear()
    dodona.train(GOLD, **options)
    assert max(counts) == most > 500
    counts.clear()
    dodona.train(GOLD, **options, silver=silver)
    assert len(counts) > 1.5 * without
    assert max(counts) <= 500


# The same bytes


def test_the_same_seed_gives_the_same_bytes(silver: list[Path], tmp_path: Path) -> None:
    """In however many processes the taggers are trained."""
    options: dict[str, Any] = {"iterations": 2, "folds": 2, "components": ["tagger", "parser"]}
    first, again, other, without = (
        saved(dodona.train(GOLD, DEV, **options, **more), tmp_path / "model")
        for more in ({"silver": silver}, {"silver": silver, "jobs": 2}, {"silver": silver, "silver_words": 50}, {})
    )
    assert first == again
    assert len({first, other, without}) == 3


def test_training_does_not_stop_before_gold_is_alone(silver: list[Path]) -> None:
    """Without silver, a linear parser stops where five iterations have brought nothing."""
    done: list[int] = []
    for files in ([], silver):
        iterations = 0

        def count(progress: TrainingProgress) -> None:
            nonlocal iterations
            iterations += progress.component == "parser" and progress.is_iteration

        dodona.train(GOLD, GOLD, components=["parser"], tags="gold", iterations=12, silver=files, callback=count)
        done.append(iterations)
    assert done[0] < 12
    assert done[1] == 12


# Files that are refused


def test_progress_counts_words_and_not_iterations(silver: list[Path]) -> None:
    """Silver comes early, so the first of four iterations is more than a fourth of the work."""
    done: dict[str, list[float]] = {"tagger": [], "parser": []}

    def note(progress: TrainingProgress) -> None:
        done[progress.component].append(progress.done)

    options: dict[str, Any] = {"components": ["tagger", "parser"], "folds": 2, "iterations": 4}
    dodona.train(GOLD, **options, silver=silver, silver_words=400, callback=note)
    gold = sum(map(len, GOLD))
    for shares in done.values():
        mixture = Mixture(gold, len(shares), 400)
        words = [number * gold + mixture.bounds(number)[1] for number in range(1, len(shares) + 1)]
        assert shares == [count / (gold * len(shares) + 400) for count in words]
        assert shares[0] > 1 / len(shares)
    done = {"tagger": [], "parser": []}
    dodona.train(GOLD, **options, callback=note)
    assert done["parser"] == [0.25, 0.5, 0.75, 1]


def refuse(path: Path, message: str, **options: Any) -> None:
    with pytest.raises(FormatError, match=message) as error:
        dodona.train(GOLD, components=["parser"], tags="gold", iterations=1, silver=[path], **options)
    assert str(path) in str(error.value)


def test_trees_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "silver.conllu"
    lines = b"".join(s.to_bytes() for s in SILVER[:2]).decode().split("\n")
    n = len(SILVER[0])

    def change(line: int, column: int, value: str) -> None:
        cells = lines[line].split("\t")
        cells[column] = value
        path.write_text("\n".join([*lines[:line], "\t".join(cells), *lines[line + 1 :]]))

    verb = SILVER[0].heads.index(0)
    change(verb, 6, str(n))
    refuse(path, rf"silver.conllu:{verb + 1}: .* leads into a cycle|silver.conllu:1: no root in this sentence")
    change(0, 6, str(n + 7))
    refuse(path, r"silver.conllu:1: HEAD")
    change(n + 1, 6, "1")
    refuse(path, rf"silver.conllu:{n + 2}: word 1 of this sentence has HEAD 1")
    change(2, 7, "")
    refuse(path, r"silver.conllu:3: ")
    path.write_text("\n".join([*lines[:3], "three", *lines[3:]]))
    refuse(path, r"silver.conllu:4: ")
    change(0, 6, "_")
    refuse(path, r"silver.conllu:1: .* not with 'static'", oracle="static")


def test_what_is_left_out_and_counted(tmp_path: Path) -> None:
    """No tree at all, several roots, unknown labels, long sentences: a teacher may make such, and nobody has to mend
    its files."""
    path = tmp_path / "silver.conllu"
    several = SILVER[1].copy()
    several.set_tree([0, *(h or 0 for h in several.heads[1:])], several.labels)
    assert several.heads.count(0) == 2
    strange = SILVER[2].copy()
    strange.set_tree([h or 0 for h in strange.heads], ["strange", *strange.labels[1:]])
    long = max(SILVER, key=len)
    kept = [s for s in SILVER if len(s) < len(long)][:5]
    write([Sentence.from_words(SILVER[0].words), several, strange, long, *kept], path)
    said: list[str] = []
    longest = max(len(long) - 1, len(several), len(strange), len(SILVER[0]))
    plan = TrainingPlan(["parser"], "gold", silver=[path], max_length=len(long) - 1)
    assert longest >= len(long) - 1
    train_pipeline(GOLD, ParserOptions(iterations=1), plan, callback=lambda progress: said.append(str(progress)))
    (line,) = [line for line in said if "left out" in line and line.startswith("silver")]
    assert line.startswith(f"silver: {len(kept)} sentences, {sum(map(len, kept))} words; left out: ")
    for reason in ("1 without a tree", "1 with several roots", "1 with labels that the treebank does not have"):
        assert reason in line
    assert f"1 of more than {len(long) - 1} words" in line
    write([several], path)
    dodona.train(GOLD, components=["parser"], tags="gold", iterations=1, silver=[path], single_root=False)
    refuse(path, "no silver sentence is left to learn from: 1 with several roots")


def test_very_long_sentences_with_crossing_arcs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "silver.conllu"
    label = GOLD[0].labels[0]
    crossing, plain = (
        Sentence.from_words(list("abcd"), heads=heads, labels=[label] * 4) for heads in ([3, 4, 0, 3], [2, 0, 2, 3])
    )
    write([crossing, plain], path)
    lifted = ParserOptions(iterations=1)
    unlifted = replace(lifted, system="covington"), replace(lifted, nonprojective="keep")
    reason = "1 with too many words to lift arcs that cross"
    for longest, options, left in ((4, lifted, []), (3, lifted, [reason]), *((3, each, []) for each in unlifted)):
        monkeypatch.setattr(pipeline_training, "LONGEST_LIFTED", longest)
        plan = TrainingPlan(["parser"], "gold", silver=[path])
        said: list[TrainingProgress] = []
        train_pipeline(GOLD, options, plan, callback=said.append)
        (line,) = [line for line in map(str, said) if line.startswith("silver: ") and "words" in line]
        assert (reason in line) == bool(left)
        assert line.startswith(f"silver: {2 - len(left)} sentences")


def test_parts_of_trees_are_learned_from(tmp_path: Path) -> None:
    """A word without a head has no label either, which is not one that the treebank lacks."""
    path = tmp_path / "silver.conllu"
    lines = SILVER[1].to_bytes().decode().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith("1\t"))
    columns = lines[at].split("\t")
    partial = "".join([*lines[:at], "\t".join([*columns[:6], "_", "_", *columns[8:]]), *lines[at + 1 :]])
    label = SILVER[1].labels[1]
    path.write_text(partial + partial.replace(f"\t{label}\t", "\tstrange\t"), encoding="utf-8")
    said: list[str] = []
    plan = TrainingPlan(["parser"], "gold", silver=[path])
    train_pipeline(GOLD, ParserOptions(iterations=1), plan, callback=lambda progress: said.append(str(progress)))
    (line,) = [line for line in said if "left out" in line]
    assert line.endswith(
        f"1 sentences, {len(SILVER[1])} words; left out: 1 with labels that the treebank does not have"
    )


def test_options_that_need_silver(tmp_path: Path) -> None:
    for options in ({"silver_words": 5}, {"held_out": [tmp_path / "x"]}):
        with pytest.raises(OptionError, match="expected files of silver sentences"):
            TrainingPlan(**options)
    with pytest.raises(OptionError, match="silver_words 0: expected at least 1"):
        TrainingPlan(silver=["x"], silver_words=0)
    refuse(tmp_path / "missing", "expected one with silver sentences")
