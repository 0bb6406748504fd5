"""Edit scripts make every lemma; the lemmatizer learns them, survives a round trip, refuses what does not fit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.inflected import STRANGE, bare, inflected

from dodona import FormatError, OptionError, Sentence
from dodona.component import TrainingProgress
from dodona.lemmatizer import lemmatizer as lemmatizer_module
from dodona.lemmatizer.lemmatizer import (
    Lemmatizer,
    LemmatizerOptions,
    Script,
    derive_script,
    lower_case,
    train_lemmatizer,
)
from dodona.pipeline import modelfile

TRAIN, TEST = inflected(150), inflected(50, seed=2)
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0"), min_size=1, max_size=80)


@pytest.fixture(scope="module")
def lemmatizer() -> Lemmatizer:
    return train_lemmatizer(TRAIN, LemmatizerOptions())


def lemma(lemmatizer: Lemmatizer, form: str, upos: str = "_", feats: str = "_") -> str:
    return lemmatizer.lemmas([form], [upos], [feats])[0]


@given(WORDS, WORDS)
def test_a_script_makes_the_lemma_it_was_made_for(form: str, lemma: str) -> None:
    assert derive_script(form, lemma).apply(form) == lemma


@given(WORDS)
def test_small_letters_keep_the_length(text: str) -> None:
    assert len(lower_case(text)) == len(text)


@pytest.mark.parametrize(
    ("form", "lemma", "script"),
    [
        ("trees", "tree", Script(suffix="s")),
        ("The", "the", Script()),
        ("OAKS", "oak", Script(suffix="s")),
        ("Dodona", "Dodona", Script("keep")),
        ("NATO", "NATO", Script("keep")),
        ("DODONA", "Dodona", Script("title")),
        ("nato", "NATO", Script("upper")),
        ("gewerkt", "werken", Script(prefix="ge", suffix="t", new_suffix="en")),
        ("Prophecies", "prophecy", Script(suffix="ies", new_suffix="y")),
        ("İyi", "iyi", Script()),
        ("went", "go", Script("keep", prefix="went", new_prefix="go")),
        ("ago", "_", Script("nothing", new_prefix="_")),
        ("_", "_", Script("nothing", new_prefix="_")),
    ],
)
def test_scripts(form: str, lemma: str, script: Script) -> None:
    assert derive_script(form, lemma) == script
    assert script.apply(form) == lemma


def test_of_equally_long_shared_texts_the_first_is_kept() -> None:
    """In the form and in the lemma."""
    assert derive_script("ab", "abxab") == Script(new_suffix="xab")
    assert derive_script("abxab", "ab") == Script(suffix="xab")


def test_what_was_seen_is_right(lemmatizer: Lemmatizer) -> None:
    for sentence in TRAIN:
        assert lemmatizer.lemmas(sentence.words, sentence.upos, sentence.feats) == sentence.lemmas


def test_unknown_words(lemmatizer: Lemmatizer) -> None:
    assert lemma(lemmatizer, "laurels", "NOUN", "Number=Plur") == "laurel"
    assert lemma(lemmatizer, "Laurels", "NOUN", "Number=Plur") == "laurel"
    assert lemma(lemmatizer, "Pythias", "PROPN", "Number=Sing") == "Pythias"
    assert lemma(lemmatizer, "s", "NOUN", "Number=Plur")  # nothing would be left of it


def test_of_equally_frequent_lemmas_the_first_in_the_alphabet() -> None:
    """Whatever the order of the sentences: the same treebank has one model."""
    both = [Sentence.from_words(["axes"], ["NOUN"], lemmas=[lemma]) for lemma in ("axis", "axe")]
    for odd in (both, both[::-1]):
        assert lemma(train_lemmatizer(TRAIN + odd, LemmatizerOptions()), "axes", "NOUN", "_") == "axe"
    more = [*both, both[0]]
    assert lemma(train_lemmatizer(TRAIN + more, LemmatizerOptions()), "axes", "NOUN", "_") == "axis"


def test_exceptions_are_learned_by_heart() -> None:
    odd = [Sentence.from_words(["went"], ["VERB"], lemmas=["go"], feats=["Tense=Past"])]
    both = [
        Sentence.from_words(["lay"], ["VERB"], lemmas=[lemma], feats=[feats])
        for lemma, feats in (("lie", "Tense=Past"), ("lay", "Tense=Pres"))
    ]
    lemmatizer = train_lemmatizer(TRAIN + odd + both, LemmatizerOptions())
    assert lemma(lemmatizer, "went", "VERB", "Tense=Past") == "go"
    assert lemma(lemmatizer, "went", "VERB", "Mood=Ind") == "go"
    assert lemma(lemmatizer, "lay", "VERB", "Tense=Past") == "lie"
    assert lemma(lemmatizer, "lay", "VERB", "Tense=Pres") == "lay"
    again = Lemmatizer.from_parts(*lemmatizer.parts(), "here")
    assert lemma(again, "lay", "VERB", "Tense=Past") == "lie"


def test_with_other_features_a_word_has_the_lemma_of_most_places() -> None:
    """And not that of most combinations of features."""
    counts = {("bear", "Tense=Past"): 3, ("bore", "Tense=Pres"): 1, ("bore", "Mood=Imp"): 1}
    odd = [
        Sentence.from_words(["bore"], ["VERB"], lemmas=[lemma], feats=[feats])
        for (lemma, feats), count in counts.items()
        for _ in range(count)
    ]
    lemmatizer = train_lemmatizer(TRAIN + odd, LemmatizerOptions())
    assert lemmatizer.guess(("bore", "VERB", "Mood=Sub")) == "bore"  # without exceptions
    assert lemma(lemmatizer, "bore", "VERB", "Mood=Sub") == "bear"
    assert [lemma(lemmatizer, "bore", "VERB", feats) for _, feats in counts] == ["bear", "bore", "bore"]


def test_lemmas_of_any_tags_are_kept_within_a_bound(lemmatizer: Lemmatizer, monkeypatch: pytest.MonkeyPatch) -> None:
    """When there is no more room, all are forgotten; long ones are never kept."""
    monkeypatch.setattr(lemmatizer_module, "MAX_REMEMBERED", 3)
    known = Lemmatizer.from_parts(*lemmatizer.parts(), "here")
    sizes = []
    for k in range(8):
        assert lemma(known, f"w{k}", "NOUN", "_") == lemma(lemmatizer, f"w{k}", "NOUN", "_")
        sizes.append(len(known._known))
    assert sizes == [1, 2, 3, 1, 2, 3, 1, 2]
    lemma(known, "x" * (lemmatizer_module.LONGEST_REMEMBERED - 5), "NOUN", "_")
    assert len(known._known) == 3
    lemma(known, "x" * (lemmatizer_module.LONGEST_REMEMBERED - 4), "NOUN", "_")
    assert len(known._known) == 3


def test_it_fills_in_the_column(lemmatizer: Lemmatizer) -> None:
    sentences = bare(TEST)
    for sentence, gold in zip(sentences, TEST, strict=True):
        sentence.set_column("upos", gold.upos)
        sentence.set_column("feats", gold.feats)
    done = lemmatizer.apply(sentences)
    right = sum(
        a == b for one, two in zip(done, TEST, strict=True) for a, b in zip(one.lemmas, two.lemmas, strict=True)
    )
    assert right / sum(map(len, TEST)) > 0.98
    assert f"\t{done[0].lemmas[-2]}\tNOUN".encode() in done[0].to_bytes()


def test_strange_words(lemmatizer: Lemmatizer) -> None:
    (sentence,) = lemmatizer.apply([Sentence.from_words(STRANGE, ["NOUN"] * len(STRANGE))])
    assert all(sentence.lemmas)
    strange = [Sentence.from_words([form], ["X"], lemmas=[form[::-1]]) for form in STRANGE]
    trained = train_lemmatizer(strange, LemmatizerOptions())
    for one in strange:
        assert trained.lemmas(one.words, one.upos, one.feats) == one.lemmas


def test_no_lemmas_to_learn() -> None:
    lemmatizer = train_lemmatizer(
        [Sentence.from_words(["_" if i % 9 else "oaks", "rustle"]) for i in range(20)], LemmatizerOptions()
    )
    (sentence,) = lemmatizer.apply([Sentence.from_words(["doves", "Rustle", "\N{CRYING FACE}"])])
    assert sentence.lemmas == ["_"] * 3


def test_same_seed_same_bytes(lemmatizer: Lemmatizer) -> None:
    description, arrays = lemmatizer.parts()
    other_description, other_arrays = train_lemmatizer(TRAIN, LemmatizerOptions()).parts()
    assert description == other_description
    assert {k: v.tobytes() for k, v in arrays.items()} == {k: v.tobytes() for k, v in other_arrays.items()}


def test_a_round_trip(lemmatizer: Lemmatizer, tmp_path: Path) -> None:
    description, arrays = lemmatizer.parts()
    modelfile.save(tmp_path / "model", {"description": description}, arrays)
    metadata, loaded = modelfile.load(tmp_path / "model")
    again = Lemmatizer.from_parts(metadata["description"], loaded, "here")
    assert (again.scripts, again.exceptions) == (lemmatizer.scripts, lemmatizer.exceptions)
    for form in [*STRANGE, "laurels", "Homers", "blossomed"]:
        assert lemma(again, form, "VERB") == lemma(lemmatizer, form, "VERB")


def test_training_can_be_stopped_by_the_callback() -> None:
    seen: list[int] = []

    def callback(progress: TrainingProgress) -> bool:
        seen.append(progress.iteration)
        return progress.iteration == 2

    train_lemmatizer(TRAIN[:20], LemmatizerOptions(), callback)
    assert seen == [1, 2]


def test_nothing_to_train_on() -> None:
    with pytest.raises(FormatError, match="no sentence"):
        train_lemmatizer([], LemmatizerOptions())
    with pytest.raises(OptionError, match="at least 1"):
        LemmatizerOptions(iterations=0)


@pytest.mark.parametrize(
    "change",
    [
        {"scripts": []},
        {"scripts": [["sideways", "", "", "", ""]] * 5},
        {"scripts": [["nothing", "", "", "", ""]] * 5},
        {"scripts": [["lower", "", "\t", "", ""]] * 5},
        {"scripts": [["lower", "x" * 99, "", "", ""]] * 5},
        {"scripts": [["lower", 3, "", "", ""]] * 5},
        {"scripts": [["lower", "", "", "", "", ""]] * 5},
        {"options": {"iterations": 0}},
        {"options": []},
    ],
    ids=str,
)
def test_a_description_that_is_wrong(lemmatizer: Lemmatizer, change: dict[str, Any]) -> None:
    description, arrays = lemmatizer.parts()
    with pytest.raises(FormatError, match="some file: "):
        Lemmatizer.from_parts(description | change, arrays, "some file")


@pytest.mark.parametrize(
    "text", [b"\xff", b"a\tb\tc", b"a\tNOUN\t\t", b"a\tNOUN\t\tb\n", b"\ta\tNOUN\t\tb", b"a\tX\t\tb\r"]
)
def test_exceptions_that_are_wrong(lemmatizer: Lemmatizer, text: bytes) -> None:
    description, arrays = lemmatizer.parts()
    with pytest.raises(FormatError, match="some file: "):
        Lemmatizer.from_parts(description, arrays | {"exceptions": np.frombuffer(text, np.uint8)}, "some file")


def test_arrays_that_are_wrong(lemmatizer: Lemmatizer) -> None:
    description, arrays = lemmatizer.parts()
    for name, array in arrays.items():
        with pytest.raises(FormatError, match="some file: "):
            Lemmatizer.from_parts(description, {k: v for k, v in arrays.items() if k != name}, "some file")
        with pytest.raises(FormatError, match="some file: "):
            Lemmatizer.from_parts(description, arrays | {name: array.astype(np.float32)}, "some file")
        for values in (array[:-1], array[:0], np.full_like(array, np.iinfo(array.dtype).max), np.zeros_like(array)):
            try:
                changed = Lemmatizer.from_parts(description, arrays | {name: np.ascontiguousarray(values)}, "some file")
            except FormatError:
                continue
            changed.lemmas(STRANGE, ["NOUN"] * len(STRANGE), ["_"] * len(STRANGE))
