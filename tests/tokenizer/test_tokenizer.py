from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.texts import english, japanese

from dodona import Sentence, read, write
from dodona.component import TrainingProgress
from dodona.data.characters import is_blank
from dodona.data.spacing import raw_text, rebuild_text
from dodona.data.stream import only_sentences
from dodona.errors import FormatError, OptionError
from dodona.evaluation.conll18 import evaluate
from dodona.pipeline import modelfile
from dodona.tokenizer.tokenizer import Tokenizer, TokenizerOptions, train_tokenizer

OPTIONS = TokenizerOptions(iterations=5)
TRAINED = train_tokenizer(english(300), OPTIONS)

STRANGE = [
    *" \t\n\r\0\x0b\x0c\x1c\x85\xa0\u2028\u2029\u3000\ufeff\u200b\ud800\udfff_|\\=#.,!?'\"()-0aA",
    *("\r\n", "\n\n", "Dr.", "didn't", "SHOULDN'T", "gimme", "10 000", "10\xa000", "Zeus", "the "),
    *("é", "e\u0301", "שלום", "👩\u200d👩\u200d👧", "🇬🇷", "木は", "\U00020000"),
]
TEXTS = st.lists(st.sampled_from(STRANGE) | st.characters(), max_size=40).map("".join)


def tokenized(text: str, tokenizer: Tokenizer = TRAINED) -> list[Sentence]:
    return list(tokenizer.apply([text]))


def as_bytes(sentences: list[Sentence]) -> bytes:
    return b"".join(sentence.to_bytes() for sentence in sentences)


def reread(sentences: list[Sentence], path: Path) -> list[Sentence]:
    write(sentences, path)
    return list(read(path))


def scores(tokenizer: Tokenizer, gold: list[Sentence]) -> list[float]:
    found = tokenized(raw_text(gold), tokenizer)
    for sentence in found:
        sentence.set_tree(list(range(len(sentence))), ["dep"] * len(sentence))
    measured = evaluate(gold, found)
    return [measured[name].f1 for name in ("Tokens", "Sentences", "Words")]


def test_learns_spaces_contractions_abbreviations_and_sentence_ends() -> None:
    assert scores(TRAINED, english(200, seed=2)) == [1, 1, 1]


def test_learns_a_script_without_spaces() -> None:
    assert scores(train_tokenizer(japanese(200), OPTIONS), japanese(100, seed=2)) == [1, 1, 1]


def test_what_comes_out() -> None:
    one, two = tokenized(" Dr. Ares didn't see\tthe oak.\nZeus  saw 10\xa0000 leaf!\n\n")[:2]
    assert one.comments == ["# newdoc", "# sent_id = 1", "# text = Dr. Ares didn't see the oak."]
    assert one.words == ["Dr.", "Ares", "did", "n't", "see", "the", "oak", "."]
    assert one.multiword == [(3, 4, "didn't")]
    assert one.misc == ["SpacesBefore=\\s", *"___", "SpacesAfter=\\t", "_", "SpaceAfter=No", "SpacesAfter=\\n"]
    assert two.comments == ["# sent_id = 2", "# text = Zeus saw 10 000 leaf!"]
    assert two.words == ["Zeus", "saw", "10 000", "leaf", "!"]
    assert two.misc == ["SpacesAfter=\\s\\s", "_", "SpacesInToken=10\\u00A0000", "SpaceAfter=No", "SpacesAfter=\\n\\n"]


@pytest.mark.parametrize("blanks", ["", " ", "\n", "\n\n", "\r\n \n", "\n" * 2000])
def test_a_document_begins_with_its_first_word(blanks: str) -> None:
    """Whatever stands before it, and wherever the text is cut."""
    for chunks in ([f"{blanks}Zeus saw.\n\nAres saw."], [blanks, "Zeus saw.\n", "\nAres saw."]):
        found = [[line for line in each.comments if "new" in line] for each in TRAINED.apply(chunks)]
        assert found == [["# newdoc"], ["# newpar"]]


def test_words_that_end_inside_letters() -> None:
    (sentence,) = tokenized("Zeus gimme the oak.")
    assert sentence.words == ["Zeus", "gim", "me", "the", "oak", "."]
    assert sentence.multiword == []


def test_an_empty_line_ends_sentence_and_paragraph() -> None:
    for line_end in ("\n", "\r\n", "\r"):
        one, two = tokenized(f"Zeus saw{line_end}the{line_end}{line_end}oak{line_end}")
        assert one.text == "Zeus saw the"
        assert two.comments[0] == "# newpar"


def test_contractions_that_were_never_seen() -> None:
    (sentence,) = tokenized("Zeus mustn't hear. ")[:1]
    assert sentence.words[1:3] == ["must", "n't"]
    (sentence,) = tokenized("Zeus SHOULDN'T hear. ")[:1]
    assert sentence.words[1:3] == ["SHOULD", "N'T"]


def test_only_white_space_is_no_sentence() -> None:
    for text in ("", " ", "\n\n\t\0"):
        assert tokenized(text) == []


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_text_comes_back(text: str) -> None:
    sentences = tokenized(text)
    assert rebuild_text(sentences) == (text if sentences else "")
    assert sentences or all(map(is_blank, text))
    for sentence in sentences:
        assert "\n" not in (sentence.text or "\n")


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_text_comes_back_from_a_file(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    sentences = tokenized(text)
    again = reread(sentences, tmp_path_factory.getbasetemp() / "out.conllu")
    assert rebuild_text(again) == (text if sentences else "")
    assert as_bytes(again) == as_bytes(sentences)


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "a.b" * 30_000, "木" * 100_000, " " * 300_000 + "x", "\n" * 70_000 + "x\0"]
)
def test_very_long_texts_come_back(text: str, tmp_path: Path) -> None:
    assert rebuild_text(reread(tokenized(text), tmp_path / "out.conllu")) == text


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXTS, max_size=6), st.integers(0, 100), st.data())
def test_pieces_make_no_difference(texts: list[str], repeated: int, data: st.DataObject) -> None:
    import dodona.tokenizer.tokenizer as module

    text = raw_text(english(repeated + 1)).join(texts)
    whole = as_bytes(tokenized(text))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    paused = [piece for each in pieces for piece in (each, "")]
    least, module.STEP = module.STEP, data.draw(st.sampled_from([1, 30, 1000]))
    try:
        assert as_bytes(list(TRAINED.apply(pieces))) == whole
        assert as_bytes(list(only_sentences(TRAINED.stream(paused)))) == whole
    finally:
        module.STEP = least


def test_at_a_pause_the_sentences_that_are_certain_are_passed_on() -> None:
    pieces = ["Zeus saw the oak. Ares", " didn't see the oak and the", "", " oak. Zeus\n\nAr", "", "es saw.\n\n", ""]
    found = [item.text if isinstance(item, Sentence) else None for item in TRAINED.stream(pieces)]
    *certain, last = found
    assert certain == ["Zeus saw the oak.", None, "Ares didn't see the oak and the oak.", "Zeus", None, None]
    assert last == "Ares saw."


def test_on_a_terminal_a_line_ends_a_sentence() -> None:
    pieces = ["\n", "", "Zeus saw\nthe", "", " oak\n", "", "\n", "", "Ares\n", "", ""]
    items = list(TRAINED.stream(pieces, located=True, by_line=True))
    assert [item.text if isinstance(item, Sentence) else None for item in items] == [
        None, None, "Zeus saw the oak", None, None, "Ares", None, None,
    ]  # fmt: skip
    one, two = only_sentences(items)
    assert two.comments[0] == "# newpar"
    assert rebuild_text([one, two]) == "".join(pieces)
    assert two.offsets == [(19, 23)]


def test_memory_is_flat() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield "Zeus saw the oak. Dr. Ares didn't see. " * 100

    sentences = TRAINED.apply(endless())
    for _ in range(2000):
        next(sentences)
    assert taken * 200 < 2000 + 10_000


def test_two_texts_at_once_do_not_disturb_each_other() -> None:
    text = raw_text(english(50, seed=3))
    one, two = TRAINED.apply([text]), TRAINED.apply(["Zeus couldn't see.", *" x" * 9])
    mixed = list(zip(one, two, strict=False))
    assert as_bytes([a for a, _ in mixed]) == as_bytes(tokenized(text)[: len(mixed)])


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, two, other = (train_tokenizer(english(100), TokenizerOptions(iterations=2, seed=seed)) for seed in (1, 1, 2))
    bytes_of = [[array.tobytes() for array in t.parts()[1].values()] for t in (one, two, other)]
    assert bytes_of[0] == bytes_of[1]
    assert bytes_of[0] != bytes_of[2]


def test_reports_iterations_and_stops_when_told() -> None:
    seen: list[TrainingProgress] = []

    def callback(progress: TrainingProgress) -> bool:
        seen.append(progress)
        return len(seen) == 2

    train_tokenizer(english(50), OPTIONS, callback)
    assert [progress.iteration for progress in seen] == [1, 2]
    assert (seen[1].accuracy or 0) > (seen[0].accuracy or 0)


def test_parts_go_through_a_model_file(tmp_path: Path) -> None:
    description, arrays = TRAINED.parts()
    modelfile.save(tmp_path / "model", description, arrays)
    again = Tokenizer.from_parts(*modelfile.load(tmp_path / "model"), "model")
    text = raw_text(english(50, seed=4))
    assert as_bytes(tokenized(text, again)) == as_bytes(tokenized(text))


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="iterations 0"):
        TokenizerOptions(iterations=0)
    with pytest.raises(OptionError, match="rate"):
        TokenizerOptions(rate=0)


def test_needs_raw_text() -> None:
    with pytest.raises(FormatError, match=r"# text.*detokenize"):
        train_tokenizer([Sentence.from_words(["Zeus", "sleeps"])], OPTIONS)
    with pytest.raises(FormatError, match="no sentence"):
        train_tokenizer([], OPTIONS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fingerprints", np.zeros(3, np.uint32)),
        ("counts", np.zeros(0, np.uint8)),
        ("rows", np.full(100, 0xFFFF, np.uint16)),
        ("wide", np.zeros(1, np.int16)),
        ("questions", np.zeros(7, np.uint8)),
        ("words", np.zeros(7, np.uint8)),
        ("words", np.zeros(1 << 16, np.int8)),
        ("splits", np.full(3, 0xFF, np.uint8)),
        ("splits", np.zeros(4, np.uint16)),
        ("multiword", np.full(3, 0xFF, np.uint8)),
        ("multiword", np.frombuffer(b"du\t!\tde", np.uint8)),
        ("multiword", np.frombuffer(b"du\t!\tde\t", np.uint8)),
        ("multiword", np.frombuffer(b"du\t*\tde\tle", np.uint8)),
        ("multiword", np.frombuffer(b"\n", np.uint8)),
    ],
)
def test_hostile_arrays_are_refused(name: str, value: Any) -> None:
    description, arrays = TRAINED.parts()
    with pytest.raises(FormatError, match="evil"):
        Tokenizer.from_parts(description, arrays | {name: value}, "evil")


@pytest.mark.parametrize(
    "description", [None, {}, {"options": 3}, {"options": {"x": 1}}, {"options": {"rate": "much"}}]
)
def test_hostile_descriptions_are_refused(description: Any) -> None:
    with pytest.raises(FormatError, match="evil"):
        Tokenizer.from_parts(description, TRAINED.parts()[1], "evil")
    with pytest.raises(FormatError, match="evil"):
        Tokenizer.from_parts(TRAINED.parts()[0], {}, "evil")


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_random_changes_never_crash(data: st.DataObject) -> None:
    description, arrays = TRAINED.parts()
    name = data.draw(st.sampled_from(sorted(name for name in arrays if len(arrays[name]))))
    changed = arrays[name].copy()
    raw = changed.view(np.uint8)
    for _ in range(5):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    text = "Dr. Ares didn't see the 10 000 (old) oaks! SHOULDN'T x.y\n\nz"
    try:
        hostile = Tokenizer.from_parts(description, arrays | {name: changed}, "evil")
    except FormatError:
        return
    assert rebuild_text(tokenized(text, hostile)) == text
