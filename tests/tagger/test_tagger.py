"""The tagger learns from a small treebank, is the same after a round trip, and refuses parts that do not fit."""

import random
from array import array as make_array
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples.inflected import STRANGE, bare, inflected

from dodona import FormatError, OptionError, Sentence
from dodona.component import TrainingProgress
from dodona.data.conllu import read_conllu
from dodona.data.hashing import hash_text
from dodona.data.stream import only_sentences
from dodona.pipeline import modelfile
from dodona.tagger.tagger import COLUMNS, TagChoice, Tagger, TaggerOptions, hold_out_lexicons, train_tagger

TRAIN, TEST = inflected(150), inflected(50, seed=2)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return train_tagger(TRAIN, TaggerOptions())


def tags(sentences: list[Sentence]) -> list[list[list[str]]]:
    return [[sentence.upos, sentence.xpos, sentence.feats] for sentence in sentences]


def test_it_learns(tagger: Tagger) -> None:
    tagged = list(tagger.apply(bare(TEST)))
    right = sum(
        a == b for one, two in zip(tagged, TEST, strict=True) for a, b in zip(one.feats, two.feats, strict=True)
    )
    assert right / sum(map(len, TEST)) > 0.98
    assert b"\tNOUN\tNN" in tagged[0].to_bytes()


def test_unknown_words_are_known_by_their_endings(tagger: Tagger) -> None:
    (tagged,) = tagger.apply([Sentence.from_words(["The", "laurels", "blossomed", "the", "tripod", "."])])
    assert tagged.upos == ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    assert tagged.feats[1:3] == ["Number=Plur", "Tense=Past|VerbForm=Fin"]


def test_context_decides(tagger: Tagger) -> None:
    """`questions` is a noun or a verb."""
    (tagged,) = tagger.apply([Sentence.from_words(["Homer", "questions", "the", "questions", "."])])
    assert tagged.upos == ["PROPN", "VERB", "DET", "NOUN", "PUNCT"]


def test_no_tag_that_the_data_does_not_have(tagger: Tagger) -> None:
    known = {tag for sentence in TRAIN for tag in zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)}
    (tagged,) = tagger.apply([Sentence.from_words(STRANGE * 3)])
    assert set(zip(tagged.upos, tagged.xpos, tagged.feats, strict=True)) <= known


def test_same_seed_same_bytes(tagger: Tagger) -> None:
    def as_bytes(tagger: Tagger) -> list[Any]:
        description, arrays = tagger.parts()
        return [description["tags"], *((name, array.tobytes()) for name, array in arrays.items())]

    assert as_bytes(train_tagger(TRAIN, TaggerOptions())) == as_bytes(tagger)
    assert as_bytes(train_tagger(TRAIN, TaggerOptions(seed=2))) != as_bytes(tagger)


def test_tags_do_not_depend_on_what_came_before(tagger: Tagger) -> None:
    forwards = tags(list(tagger.apply(bare(TEST))))
    backwards = tags(list(tagger.apply(bare(TEST[::-1]))))
    assert forwards == backwards[::-1]


def test_a_round_trip(tagger: Tagger, tmp_path: Path) -> None:
    description, arrays = tagger.parts()
    modelfile.save(tmp_path / "model", {"description": description}, arrays)
    metadata, loaded = modelfile.load(tmp_path / "model")
    again = Tagger.from_parts(metadata["description"], loaded, "here")
    assert (again.tags, again.options) == (tagger.tags, tagger.options)
    assert tags(list(again.apply(bare(TEST)))) == tags(list(tagger.apply(bare(TEST))))


@pytest.mark.parametrize("empty", [("xpos",), ("feats",), ("xpos", "feats"), COLUMNS])
def test_columns_that_are_empty_stay_so(empty: tuple[str, ...]) -> None:
    sentences = inflected(40)
    for sentence in sentences:
        for name in empty:
            sentence.set_column(name, ["_"] * len(sentence))
    tagger = train_tagger(sentences, TaggerOptions(iterations=2))
    Tagger.from_parts(*tagger.parts(), "here")
    for sentence in tagger.apply(bare(TEST)):
        for name in COLUMNS:
            assert (set(getattr(sentence, name)) == {"_"}) == (name in empty)


def test_many_tags() -> None:
    """More than a thousand parts of tags take other rows of weights."""
    sentences = [Sentence.from_words([f"w{i}", "x"], [f"T{i}", "X"]) for i in range(1200)]
    tagger = train_tagger(sentences, TaggerOptions(iterations=1))
    again = Tagger.from_parts(*tagger.parts(), "here")
    assert tags(list(again.apply(bare(sentences[:20])))) == tags(list(tagger.apply(bare(sentences[:20]))))


def test_training_can_be_stopped_by_the_callback() -> None:
    seen: list[int] = []

    def callback(progress: TrainingProgress) -> bool:
        seen.append(progress.iteration)
        assert progress.accuracy is not None
        assert 0 < progress.accuracy <= 1
        return progress.iteration == 2

    train_tagger(TRAIN[:20], TaggerOptions(), callback)
    assert seen == [1, 2]


def test_one_sentence_is_enough() -> None:
    (tagged,) = train_tagger(TRAIN[:1], TaggerOptions(iterations=1)).apply(bare(TRAIN[:1]))
    possible = zip(TRAIN[0].upos, TRAIN[0].xpos, TRAIN[0].feats, strict=True)
    assert set(zip(tagged.upos, tagged.xpos, tagged.feats, strict=True)) <= set(possible)


def test_nothing_to_train_on() -> None:
    with pytest.raises(FormatError, match="no sentence"):
        train_tagger([], TaggerOptions())


def test_bad_options() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        TaggerOptions(iterations=0)


@pytest.mark.parametrize(
    "change",
    [
        {"tags": []},
        {"tags": None},
        {"tags": [["NOUN", "NN"]]},
        {"tags": [["NOUN", "NN", "a\tb"]]},
        {"tags": [["NOUN", "NN", ""]]},
        {"tags": [["NOUN", "NN", 3]]},
        {"tags": [["NOUN", "NN", "_"]]},
        {"tags": [["NOUN", "NN", "_"]] * 10},
        {"options": {"colour": "green"}},
        {"options": {"iterations": "many"}},
        {"options": None},
        {"frequent": -1},
        {"frequent": 1000},
        {"frequent": "all"},
        {"frequent": None},
    ],
    ids=str,
)
def test_a_description_that_is_wrong(tagger: Tagger, change: dict[str, Any]) -> None:
    description, arrays = tagger.parts()
    with pytest.raises(FormatError, match="some file: "):
        Tagger.from_parts(description | change, arrays, "some file")


def test_arrays_that_are_wrong(tagger: Tagger) -> None:
    """Whatever is in them, it is refused or it tags; the compiled loops see nothing that points outside."""
    description, arrays = tagger.parts()
    for name, array in arrays.items():
        with pytest.raises(FormatError, match="some file: "):
            Tagger.from_parts(description, {k: v for k, v in arrays.items() if k != name}, "some file")
        with pytest.raises(FormatError, match="some file: "):
            Tagger.from_parts(description, arrays | {name: array.astype(np.float32)}, "some file")
        for values in (array[:-1], array[:0], np.full_like(array, np.iinfo(array.dtype).max), np.zeros_like(array)):
            try:
                changed = Tagger.from_parts(description, arrays | {name: np.ascontiguousarray(values)}, "some file")
            except FormatError:
                continue
            list(changed.apply(bare(TEST[:5])))


@pytest.mark.parametrize("word", [b"abc" * 1000, None, 3, ["a"]])
def test_words_that_are_no_strings(tagger: Tagger, word: object) -> None:
    sentence = Sentence.from_words(["the", "oak"])
    sentence.words[1] = word  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="expected a string"):
        list(tagger.apply([sentence]))


def test_strings_of_numpy_are_strings(tagger: Tagger) -> None:
    plain, other = Sentence.from_words(["the", "oak"]), Sentence.from_words(["the", "oak"])
    other.words[1] = np.str_("oak")
    assert [s.upos for s in tagger.apply([plain])] == [s.upos for s in tagger.apply([other])]


def tag_names(choice: TagChoice, sentences: list[Sentence], scores: NDArray[Any], bonus: float = 0.0) -> list[Any]:
    """The tags that are chosen for each word, as a sentence has them then."""
    copies = [sentence.copy() for sentence in sentences]
    choice.fill_in(copies, choice.tag(scores, sentences, bonus))
    return [list(zip(each.upos, each.xpos, each.feats, strict=True)) for each in copies]


def test_the_best_tag_is_the_one_whose_parts_score_most_together() -> None:
    """Also where the best parts make up no tag, whatever their numbers are: below, between and above those of tags."""
    chance = np.random.default_rng(1)
    values = [[f"{kind}{i}" for i in range(3)] for kind in "uxf"]
    every = list(product(*values))
    sentences = [Sentence.from_words(["w"] * n) for n in (7, 1, 22)]
    for _ in range(40):
        tags = [every[i] for i in chance.permutation(len(every))[: chance.integers(1, 9)]]
        kinds = [sorted({tag[kind] for tag in tags}) for kind in range(3)]
        scores = chance.normal(size=(30, sum(map(len, kinds)))).astype(np.float32)
        columns = {value: place for place, value in enumerate(value for kind in kinds for value in kind)}
        found = [tag for each in tag_names(TagChoice(tags), sentences, scores) for tag in each]
        for row, chosen in zip(scores, found, strict=True):
            totals = {tag: float(sum(row[columns[value]] for value in tag)) for tag in tags}
            assert totals[chosen] == pytest.approx(max(totals.values()))


def test_of_equal_tags_the_first_is_chosen() -> None:
    tags = [("B", "x", "_"), ("A", "y", "_"), ("A", "x", "_")]
    (found,) = tag_names(TagChoice(tags), [Sentence.from_words(["w"])], np.zeros((1, 5), np.float32))
    assert found == [("A", "x", "_")]  # the first of each part, if they make up a tag
    (found,) = tag_names(TagChoice(tags[:2]), [Sentence.from_words(["w"])], np.zeros((1, 5), np.float32))
    assert found == [tags[0]]


@pytest.mark.parametrize("kept", ["lists", "read", "tagged"])
@pytest.mark.parametrize("bonus", [0.0, 0.5, 2.0, 100.0])
def test_parts_of_the_tags_that_words_have_get_a_bonus(bonus: float, kept: str) -> None:
    """Each part by itself, also where no tag has all of them; parts that nobody knows get none."""
    tags = [("N", "n1", "_"), ("N", "n2", "F=1"), ("V", "v", "_"), ("V", "v", "F=1")]
    kinds = [["N", "V"], ["n1", "n2", "v"], ["F=1", "_"]]
    chance = np.random.default_rng(2)
    had = [("N", "n1", "F=1"), ("N", "other", "F=2"), ("V", "n2", "_"), ("?", "v", "F=1")]
    lengths = [3, 1, 5]
    own = [[had[i] for i in chance.integers(len(had), size=n)] for n in lengths]
    sentences = []
    for each in own:
        upos, xpos, feats = (list(column) for column in zip(*each, strict=True))
        sentences.append(Sentence.from_words(["w"] * len(each), upos, xpos=xpos, feats=feats))
    if kept == "read":
        sentences = list(only_sentences(read_conllu([each.to_bytes() for each in sentences], "here")))
    elif kept == "tagged":  # numbers of another list of values
        numbers = [make_array("i", [had.index(tag) for tag in each]) for each in own]
        TagChoice(had).fill_in(sentences, numbers)
    scores = chance.normal(size=(9, 7)).astype(np.float32)
    before = scores.copy()
    found = tag_names(TagChoice(tags), sentences, scores, bonus)
    assert (scores == before).all()
    rows = iter(scores.tolist())
    for each, names in zip(own, found, strict=True):
        for word, (mine, chosen) in enumerate(zip(each, names, strict=True)):
            row = next(rows)
            parts = [value for kind in kinds for value in kind]
            totals = {
                tag: sum(row[parts.index(value)] + bonus * (value == mine[kind]) for kind, value in enumerate(tag))
                for tag in tags
            }
            assert totals[chosen] == pytest.approx(max(totals.values())), word


def test_the_lexicon_of_a_fold_knows_only_the_other_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in any case, of which some are in one fold only, and the tag that each of them has most often elsewhere."""
    monkeypatch.setattr("dodona.tagger.tagger._make_lexicon", lambda arrays: arrays)
    chance = random.Random(1)
    words = [f"{letter}{k}" for letter in "aAbB" for k in range(20)]
    examples = [(own, chance.choices(range(5), k=6)) for own in (chance.choices(words, k=6) for _ in range(60))]
    parts = list(hold_out_lexicons(examples))
    assert sum(len(part) for part, _ in parts) == len(examples)
    for part, lexicon in parts:
        others = [
            (w, t) for each in examples if all(each is not own for own in part) for w, t in zip(*each, strict=True)
        ]
        usual = {}
        for word in {form for own, _ in part for written in own for form in (written, written.lower())}:
            as_written = Counter(tag for other, tag in others if other == word)
            counts = as_written or Counter(tag for other, tag in others if other.lower() == word)
            if counts:
                usual[hash_text(word) & 0xFFFFFFFF | 1] = min(counts, key=lambda tag: (-counts[tag], tag))
        arrays: Any = lexicon
        assert dict(zip(arrays["words"].tolist(), arrays["usual"][arrays["entries"]].tolist(), strict=True)) == usual
