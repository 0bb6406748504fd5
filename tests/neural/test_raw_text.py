"""Raw text on disk: which sentences are kept, in which order they are read, and which words are counted."""

import random
from collections import Counter
from pathlib import Path

import pytest

from dodona import FormatError, Sentence, read
from dodona.data.held_out import HeldOut
from dodona.neural.raw_text import GROUP, LONGEST, RUN, HashFilter, RawText, WordCounts, choose_words, pick_order
from dodona.neural.vocabulary import fingerprint


def sentence(text: str) -> Sentence:
    return Sentence.from_words(text.split())


def test_a_filter_knows_what_it_has_seen() -> None:
    seen = HashFilter(1 << 20)
    texts = [f"text {i}" for i in range(5000)]
    assert sum(seen.add(text) for text in texts) > 4990
    assert not any(seen.add(text) for text in texts)


def test_words_are_counted_in_bounded_memory() -> None:
    """Frequent words keep their place and their order, whatever comes between."""
    chance = random.Random(1)
    words = [f"frequent{int(chance.paretovariate(1))}" for _ in range(4000)] + [f"rare{i}" for i in range(4000)]
    chance.shuffle(words)
    counts, exact = WordCounts(room=300), Counter(words)
    for begin in range(0, len(words), 50):
        counts.add(words[begin : begin + 50])
    assert counts.words == len(words)
    assert counts.types == len(exact)
    assert len(counts.most_common(10**6)) <= 350
    assert counts.most_common(10) == sorted(exact.items(), key=lambda item: (-item[1], item[0]))[:10]
    assert choose_words(counts, 5, 2) == [fingerprint(word) for word, _ in counts.most_common(5)]
    assert len(choose_words(counts, 300, 1000)) == sum(count >= 1000 for count in exact.values())


def test_what_is_kept_and_what_is_left_out(tmp_path: Path) -> None:
    held_out = HeldOut([sentence("doves nest in old oaks .")])
    with RawText(str(tmp_path), held_out) as text:
        for line in (
            "The oak rustles .",
            "The oak rustles .",
            "the oak rustles .",
            "doves nest in old oaks.",
            "doves nest in old oaks .",
            "too short",
            "1 2 3 . .",
            "Tab and 10\u00a0000 words",
        ):
            text.add(sentence(line))
        assert text.dropped == {"duplicates": 1, "unusable": 2, "held out": 2}
        assert [text[i] for i in range(len(text))] == [
            ["The", "oak", "rustles", "."],
            ["the", "oak", "rustles", "."],
            ["Tab", "and", "10", "000", "words"],
        ]
        assert text.counts.words == 13
        assert text.counts.types == 4 + 5
        assert not list(tmp_path.iterdir())  # nothing that could stay behind
    with pytest.raises(FormatError, match="temporary file cannot be made"):
        RawText(str(tmp_path / "missing"))


def test_held_out_sentences_are_known_by_words_and_by_what_is_written(tmp_path: Path) -> None:
    """A treebank splits what raw text does not split, and the other way round."""
    rows = ["1-2\tDu\t", "1\tDe\t", "2\tle\t", "3\tbon\t", "4\tvin\t"]
    path = tmp_path / "split.conllu"
    path.write_text("\n".join(row + "\t".join("_" * 8) for row in rows) + "\n\n")
    (split,) = read(path)
    for held, others in ((split, ["Du bon vin", "De le bon vin"]), (sentence("Du bon vin"), [])):
        with RawText(str(tmp_path), HeldOut([held])) as text:
            for each in (split, *map(sentence, others), sentence("Du bon pain")):
                text.add(each)
            assert [text[i] for i in range(len(text))] == [["Du", "bon", "pain"]]
            assert text.counts.words == 3  # the vocabulary is not that of held-out sentences either


def test_long_sentences_are_cut(tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(2 * LONGEST + 1)]
    with RawText(str(tmp_path)) as text:
        text.add(Sentence.from_words(words[:LONGEST]))
        assert (len(text), text.cut) == (1, 0)
        text.add(Sentence.from_words(words))
        assert (len(text), text.cut) == (4, 1)
        assert text[1] + text[2] + text[3] == words
        assert all(len(text[i]) > LONGEST // 2 for i in range(4))


def test_words_with_blanks_come_back(tmp_path: Path) -> None:
    with RawText(str(tmp_path)) as text:
        text.add(Sentence.from_words(["10 000", "fák", "nőnek", "木"]))
        assert text[0] == ["10 000", "fák", "nőnek", "木"]


@pytest.mark.parametrize("count", [1, 19, 21, RUN + 1, GROUP + 3 * RUN + 7])
def test_a_pass_has_every_sentence_once(count: int) -> None:
    """Except for those that are held back; the order follows from the seed and the number of the pass."""
    spacing = 20
    wanted = [i for i in range(count) if i % spacing]
    orders = [list(pick_order(count, spacing, *chosen)) for chosen in ((1, 1), (1, 1), (1, 2), (2, 1))]
    assert all(sorted(order) == wanted for order in orders)
    assert orders[0] == orders[1]
    if count > RUN:
        assert orders[0] != orders[2]
        assert orders[0] != orders[3]
        assert sum(abs(a - b) for a, b in zip(orders[0], wanted, strict=True)) > count * count / 10


def test_held_back(tmp_path: Path) -> None:
    with RawText(str(tmp_path)) as text:
        for i in range(45):
            text.add(sentence(f"sentence number {i}"))
        assert list(text.list_held_back()) == [0, 20, 40]
        assert set(text.list_held_back()).isdisjoint(pick_order(len(text), text.spacing, 1, 1))
