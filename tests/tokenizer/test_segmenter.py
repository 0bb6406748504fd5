"""The compiled segmenter against a naive one: runs, every weight after training, every token and sentence."""

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference.quantized import quantized
from reference.segmenting import Cut, Scored, SegmentReference, TextReference, multiword_keys, segmented
from reference.sentence_making import columns_of
from samples.texts import english, japanese

from dodona.data import Sentence
from dodona.data.spacing import detokenize, paragraphs
from dodona.linear.frozen import FrozenWeights, freeze
from dodona.tokenizer.model import (
    QUESTION_BYTES,
    WORD_BYTES,
    MultiwordFilter,
    Passage,
    Rules,
    Segmenter,
    SegmentLearner,
    Segments,
    SentenceMaker,
    word_place,
)
from dodona.tokenizer.tokenizer import Expander, Expansion, learn_rules

Known = tuple[NDArray[Any], NDArray[Any], list[list[str]]]
CUTS = [["gim", "me"], ["gon", "na"], ["a", "b", "c"], ["gimme", "x"], ["Dr", "."]]
PIECES = [
    *["gimme", "gonna", "abc", "gimmex", "Dr", ".", ",", "(", ")", '"', "«", "»", "!", "?", "10", "000", "oak", "Oak"],
    *["OAK", "don't", "x" * 70, "İx", "ΟΔΟΣ", "木", "鳩は", "é", "e\u0301", "\U0001f333", "...", "A.B."],
]
BLANKS = [
    *["", "", "", " ", " ", " ", "  ", "\n", "\r\n", "\n\n", "\t"],
    *["\u2029", "\r\r", "\r\n\r\n", "\u2028", "\u00a0"],
]


EXPANDER = Expander(
    {
        "don't": Expansion(["do", "n't"], True),
        "gimme": Expansion(["gim", "me"], False),
        "ΟΔΟΣ": Expansion(["ο", "δος"], False),
        "10 000": Expansion(["10", "000"], True),
        "οδος": Expansion(["οδ", "ος"], False),
        "aς": Expansion(["a", "ς"], True),
        "bi": Expansion(["b", "i"], False),
    },
    {"x": ["", "x"], "'b": ["", "b"], "σ": ["σ", "σ"]},
)


def random_text(chance: random.Random, size: int, blanks: Sequence[str] = BLANKS) -> str:
    return "".join(chance.choice(PIECES) + chance.choice(blanks) for _ in range(size))


def random_rules(seed: int) -> Known:
    """Any answers at all to the questions, and any words seen."""
    numbers = np.random.default_rng(seed)
    questions = numbers.choice([0, 1, 1, 2], QUESTION_BYTES).astype(np.uint8)
    return questions, numbers.integers(0, 256, WORD_BYTES).astype(np.uint8), CUTS


@pytest.mark.parametrize("seed", range(5))
def test_runs(seed: int) -> None:
    known = random_rules(seed)
    chance = random.Random(seed)
    for _ in range(30):
        text = chance.choice(["", " ", "\n"]) + random_text(chance, chance.randint(0, 30))
        expected = [(run.start, run.end) for run in TextReference(text, *known).runs]
        assert Passage(text, Rules(*known)).spans() == expected


def test_runs_of_a_very_long_word() -> None:
    known = np.zeros(QUESTION_BYTES, np.uint8), np.zeros(WORD_BYTES, np.uint8), list[list[str]]()
    text = "x" * 70_000
    assert Passage(text, Rules(*known)).spans() == [(0, 65_536), (65_536, 70_000)]
    assert [(run.start, run.end) for run in TextReference(text, *known).runs] == [(0, 65_536), (65_536, 70_000)]


def test_words_that_were_seen_have_a_place() -> None:
    text = TextReference("oak ΟΔΌΣ x", np.zeros(QUESTION_BYTES, np.uint8), np.zeros(WORD_BYTES, np.uint8), [])
    for k, word in enumerate(["oak", "οδόσ", "x"]):
        text.words[:] = 0
        place = word_place(word)
        text.words[place >> 2] = 2 << 2 * (place & 3)
        assert [text.seen(j) for j in range(3)] == [2 * (j == k) for j in range(3)]


class Pair:
    """A text for both, with random answers to learn, which are drawn from `answers`."""

    def __init__(self, text: str, known: Known, seed: int, answers: Sequence[int] = (0, 1, 1, 2)) -> None:
        chance = random.Random(seed)
        self.naive = TextReference(text, *known)
        self.passage = Passage(text, Rules(*known))
        assert self.passage.count == len(self.naive.runs)
        self.gold = np.array([chance.choice(answers) for _ in self.naive.runs], np.int32)


def trained(pairs: list[Pair], rate: float, rounds: int) -> tuple[SegmentLearner, SegmentReference]:
    learner, naive = SegmentLearner(rate), SegmentReference(rate)
    chance = random.Random(1)
    for pair in pairs * rounds:
        count = pair.passage.count
        first = chance.choice([0, chance.randrange(count)])
        learner.sentence(pair.passage, pair.gold, first)
        naive.sentence(pair.naive, pair.gold.tolist(), first)
        begin = chance.randrange(count)
        end = chance.randrange(begin, min(count, begin + 3))
        question = chance.randint(0, begin), begin, end, chance.random() < 0.5, chance.random() < 0.3
        learner.multiword(pair.passage, *question)
        naive.multiword(pair.naive, *question)
    return learner, naive


def compare_columns(segmenter: Segmenter, passage: Passage, segments: Segments, cuts: list[Cut]) -> None:
    maker = SentenceMaker(segmenter, EXPANDER, MultiwordFilter(EXPANDER.lexicon, EXPANDER.rules))
    before = segments.spans(0)[0][0] if cuts else 0
    for i, (cut, found) in enumerate(zip(cuts, maker.sentences(segments, before), strict=True)):
        blanks = passage.text[:before] if i == 0 else ""
        expected = columns_of(cut, blanks, EXPANDER, partial(segmenter.is_multiword, passage))
        text, forms, misc, *ranges = found
        assert text.decode() == expected[0]
        assert forms.strings() == expected[1]
        assert (misc.strings() if misc is not None else ["_"] * len(forms)) == expected[2]
        assert ranges == [*expected[3:]]
        assert maker.ends_paragraph(segments, i) == cut.ends_paragraph


def compare(pairs: list[Pair], others: list[Pair], rate: float, rounds: int) -> None:
    learner, naive = trained(pairs, rate, rounds)
    assert (learner.asked, learner.mistakes) == (naive.weights.steps, naive.mistakes)
    assert naive.mistakes > 20
    keys, questions, weights = learner.weights.averages()
    found = {(int(k), int(q)): float(w) for k, q, w in zip(keys, questions, weights, strict=True)}
    expected = {place: weight for place, weight in naive.weights.averages().items() if weight or place in found}
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)
    segmenter = Segmenter(FrozenWeights(3, *freeze(keys, questions, weights.astype(np.float64), 3)))
    model = Scored(quantized([(key, q, weight) for (key, q), weight in found.items()], 3))
    sentences = []
    for pair in [*pairs, *others]:
        for final in (True, False):
            cuts, done = segmented(pair.naive, model, final)
            segments, compiled_done = segmenter.segment(pair.passage, final)
            spans = [segments.spans(i) for i in range(len(segments))]
            text = pair.passage.text
            assert [[text[start:end] for start, end, _ in each] for each in spans] == [cut.forms for cut in cuts]
            assert [[text[end:next] for _, end, next in each] for each in spans] == [cut.gaps for cut in cuts]
            assert compiled_done == done
            compare_columns(segmenter, pair.passage, segments, cuts)
            sentences += cuts
        for first in range(0, pair.passage.count, 4):
            last = min(first + first % 3, pair.passage.count - 1)
            is_multiword = model.score(multiword_keys(pair.naive, first // 2, first, last), 2) > 0
            assert segmenter.is_multiword(pair.passage, first // 2, first, last) == is_multiword
    assert any(len(cut.forms) > 1 for cut in sentences)
    assert any(gap not in ("", " ") for cut in sentences for gap in cut.gaps)


@pytest.mark.parametrize("rate", [0.3, 2.0])
def test_random_texts_with_random_rules(rate: float) -> None:
    known = random_rules(9)
    chance = random.Random(2)
    pairs = [Pair(random_text(chance, 30), known, seed) for seed in range(16)]
    others = [Pair(random_text(chance, 40), known, seed) for seed in range(8)]
    words = [word for word in PIECES if len(word) < 60]
    flat = " ".join(chance.choice(words) for _ in range(60))
    pairs += [Pair(flat, known, seed, answers) for seed, answers in enumerate([(1,), (1, 1, 0), (0, 0, 0, 1), (0,)])]
    compare(pairs, others, rate, 3)


@pytest.mark.parametrize("sample", [english, japanese])
def test_texts_of_a_treebank(sample: Any) -> None:
    texts = list(paragraphs(sample(40)))
    known = learn_rules(texts)
    pairs = [Pair(text[:400], known, seed) for seed, (text, _) in enumerate(texts[:12])]
    for pair, (_, tokens) in zip(pairs, texts, strict=False):
        ends = {end: k for k, (_, end) in enumerate(pair.passage.spans())}
        pair.gold[:] = 0
        for token in tokens:
            if token.end in ends:
                pair.gold[ends[token.end]] = 1 + token.ends_sentence
    extra = [Pair(text[:300] + " \n " + random_text(random.Random(3), 5), known, 1) for text, _ in texts[-2:]]
    compare(pairs, extra, 0.3, 96 // len(pairs))


def test_a_sentence_has_at_most_ten_thousand_tokens() -> None:
    questions = np.zeros((2, 2, 64, 64), np.uint8)
    questions[0, 1] = 2  # a space always ends a token, and nothing a sentence
    rules = Rules(questions.ravel(), np.zeros(WORD_BYTES, np.uint8), [])
    none = freeze(np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0), 3)
    segments, _ = Segmenter(FrozenWeights(3, *none)).segment(Passage("a " * 20_001, rules), True)
    assert [len(segments.spans(i)) for i in range(len(segments))] == [10_000, 10_000, 1]
    with pytest.raises(IndexError, match="sentence 3 of 3"):
        segments.spans(3)


@pytest.mark.parametrize("token", ["don't", "DON'T", "Don't", "hadn't", "HADN'T", "ΔΕΝΣ", "İ", "xN'T", "10 000"])
def test_tokens_that_may_be_multiword_tokens_pass(token: str) -> None:
    known = MultiwordFilter(["don't", "ΔΕΝΣ", "10 000"], ["n't"])
    assert token in known


@pytest.mark.parametrize("token", ["n't", "n'", "don'", "oak", "", "t", "dont", "10\u00a0000"])
def test_other_tokens_do_not_pass(token: str) -> None:
    assert token not in MultiwordFilter(["don't", "10 000"], ["n't"])
    assert token not in MultiwordFilter([], [])


@given(st.text(alphabet="aAbB'ΣσςİıiIßé", max_size=6))
def test_whatever_the_expander_knows_passes(token: str) -> None:
    assert EXPANDER[token] is None or token in MultiwordFilter(EXPANDER.lexicon, EXPANDER.rules)


def test_capitals_tell_something_in_mid_sentence_only() -> None:
    """Of each word: whether it was seen in small letters, and whether with a capital where none was needed; twice."""
    texts = ["Oaks hear Dodona when rain falls.", "Oaks see Dodona and Zeus.", "Priests fear rain."]
    sentences = [Sentence.from_words([*text[:-1].split(), "."]) for text in texts]
    _, words, _ = learn_rules(list(paragraphs(detokenize(sentences))))

    def bits(word: str) -> int:
        place = word_place(word)
        return int(words[place >> 2] >> 2 * (place & 3) & 3)

    found = {word: bits(word) for word in ("oaks", "dodona", "zeus", "rain", "falls")}
    assert found == {"oaks": 0, "dodona": 2, "zeus": 0, "rain": 1, "falls": 0}
