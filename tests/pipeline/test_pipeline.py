"""The whole way from a treebank to a model, and from text to trees."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples.treebank import treebank

import dodona
from dodona import FormatError, OptionError, Sentence
from dodona.data.spacing import detokenize, rebuild_text
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Request
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.training import TrainingPlan, train_pipeline

TEXT = "The old oak asks the priest. The dove answers  the deep question today.\n\nThe priest sees the leaf."


def with_text(count: int, seed: int = 1) -> list[Sentence]:
    """Sentences as they stand in a text: a capital at the beginning, no space before the full stop, lemmas."""
    found = []
    for sentence in treebank(count, seed):
        words = [sentence.words[0].capitalize(), *sentence.words[1:]]
        lemmas = [word.lower().removesuffix("s") if word.endswith("s") else word.lower() for word in words]
        columns = {name: getattr(sentence, name) for name in ("upos", "xpos", "heads", "labels")}
        found.append(Sentence.from_words(words, lemmas=lemmas, **columns))
    return list(detokenize(found))


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return train_pipeline(
        with_text(200), ParserOptions(iterations=5), TrainingPlan(folds=3, jobs=1), dev=with_text(30, seed=2)
    )


def test_text_becomes_trees(nlp: Pipeline) -> None:
    assert list(nlp.components()) == ["tokenizer", "tagger", "lemmatizer", "parser"]
    one, two, three = nlp(TEXT)
    assert one.words == ["The", "old", "oak", "asks", "the", "priest", "."]
    assert one.upos == ["DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    assert one.lemmas[3] == "ask"
    assert one.heads == [3, 3, 4, 0, 6, 4, 4]
    assert one.labels == ["det", "amod", "nsubj", "root", "det", "obj", "punct"]
    assert one.children(4) == [3, 6, 7]
    assert one.subtree(3) == [1, 2, 3]
    assert one.children(0) == [4]
    assert three.comments[0] == "# newpar"
    assert rebuild_text([one, two, three]) == TEXT


def test_words_know_their_place_in_the_text(nlp: Pipeline) -> None:
    for sentence in nlp("  " + TEXT):
        assert sentence.offsets is not None
        assert ["  "[:0] + ("  " + TEXT)[begin:end] for begin, end in sentence.offsets] == sentence.words


def test_a_saved_pipeline_is_the_same_pipeline(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "model")
    loaded = dodona.load(tmp_path / "model")
    assert [s.to_bytes() for s in loaded(TEXT)] == [s.to_bytes() for s in nlp(TEXT)]
    assert loaded.about == nlp.about
    assert set(nlp.about["dev"]) == {"UPOS", "XPOS", "Lemmas", "UAS", "LAS"}  # there are no FEATS in it
    assert nlp.about["dev"]["LAS"] > 95


def test_only_what_is_missing_is_filled_in(nlp: Pipeline) -> None:
    words = ["The", "oak", "asks", "."]
    given = Sentence.from_words(words, ["X"] * 4, lemmas=["a", "b", "c", "d"])
    (kept,) = nlp.parse([given])
    assert (kept.upos, kept.lemmas) == (["X"] * 4, ["a", "b", "c", "d"])
    (changed,) = nlp.parse([given], retag=True)
    assert changed.upos == ["DET", "NOUN", "VERB", "PUNCT"]
    assert changed.lemmas != ["a", "b", "c", "d"]
    (filled,) = nlp.parse([Sentence.from_words(words)])
    assert filled.to_bytes() == changed.to_bytes()


def test_more_than_one_tree_for_a_text(nlp: Pipeline) -> None:
    found = nlp("The oak asks the priest.", Request(beam=8, nbest=3, confidence=True))
    assert [s.comments[-3] for s in found] == ["# nbest = 1", "# nbest = 2", "# nbest = 3"]
    assert [s.sent_id for s in found] == ["1", "1-2", "1-3"]
    assert ["# newdoc" in s.comments for s in found] == [True, False, False]
    scores = [float(s.comments[-2].removeprefix("# score = ")) for s in found]
    assert scores == sorted(scores, reverse=True)
    assert len({(*s.heads, *s.labels) for s in found}) == 3
    for sentence in found:
        assert all(0 <= float(misc.rpartition("Confidence=")[2]) <= 1 for misc in sentence.misc)
    (plain,) = nlp("The oak asks the priest.", Request(beam=8))
    assert (plain.heads, plain.labels) == (found[0].heads, found[0].labels)


@pytest.mark.parametrize(("length", "most"), [(1, 200), (500, 30)])
def test_it_takes_a_few_sentences_at_a_time_and_fewer_long_ones(nlp: Pipeline, length: int, most: int) -> None:
    taken = 0

    def endless() -> Iterator[Sentence]:
        nonlocal taken
        while True:
            taken += 1
            yield Sentence.from_words(["oak"] * length)

    assert next(nlp.parse(endless())).heads is not None
    assert 0 < taken <= most


def test_components_can_be_chosen(nlp: Pipeline) -> None:
    alone = dodona.train(with_text(40), components=["parser"], iterations=1)
    assert list(alone.components()) == ["parser"]
    with pytest.raises(OptionError, match="no tokenizer"):
        alone(TEXT)
    with pytest.raises(OptionError, match="component 'oracle'"):
        dodona.train(with_text(4), components=["oracle", "parser"])
    bare = [Sentence.from_words(s.words, heads=s.heads, labels=s.labels) for s in treebank(5)]
    assert list(dodona.train(bare, iterations=1).components()) == ["parser"]
    with pytest.raises(FormatError, match="a tagger cannot be trained: UPOS or XPOS is not filled in"):
        dodona.train(bare, components=["tagger", "parser"])
    with pytest.raises(FormatError, match="text"):
        dodona.train(bare, components=["tokenizer", "parser"])


def test_the_same_whatever_the_jobs() -> None:
    one, two = (
        train_pipeline(with_text(40), ParserOptions(iterations=2), TrainingPlan(folds=3, jobs=jobs)).parser.parts()[1]
        for jobs in (1, 2)
    )
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)
