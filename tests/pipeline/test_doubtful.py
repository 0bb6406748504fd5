"""The most doubtful sentences first: the same sentences, sorted by what their comments say, ties as they came."""

import random
from pathlib import Path

import pytest

from dodona import FormatError, Sentence, read
from dodona.data.stream import Boundary, Pause, only_sentences
from dodona.pipeline.doubtful import sort_by_doubt


def sentence(name: str, *comments: str, n: int = 2) -> Sentence:
    notes = [f"# sent_id = {name}", *comments]
    words = [f"Ψω{name}{k}" for k in range(n)]
    return Sentence.from_words(words, heads=[0] * n, labels=["root"] * n, misc=["A=b"] * n, comments=notes)


@pytest.mark.parametrize("seed", range(5))
def test_sorted_and_stable(seed: int) -> None:
    chance = random.Random(seed)
    given = [
        sentence(str(i), f"# confidence = {chance.choice([0.1, 0.25, 0.9999, 1.0]):.4f}", n=chance.randint(1, 5))
        for i in range(chance.randint(0, 30))
    ]
    values = [float(one.comments[-1].rpartition(" ")[2]) for one in given]
    order = sorted(range(len(given)), key=lambda i: (values[i], i))
    found = only_sentences(sort_by_doubt(iter(given)))
    assert [one.to_bytes() for one in found] == [given[i].to_bytes() for i in order]


def test_other_trees_of_a_sentence_follow_its_best() -> None:
    given = [
        sentence("1", "# nbest = 1", "# confidence = 0.9000"),
        sentence("1-2", "# nbest = 2", "# confidence = 0.1000"),
        sentence("2", "# nbest = 1", "# confidence = 0.5000"),
        sentence("2-2", "# nbest = 2", "# confidence = 0.9500"),
        sentence("3", "# nbest = 1", "# confidence = 0.9000"),
    ]
    assert [one.sent_id for one in only_sentences(sort_by_doubt(given))] == ["2", "2-2", "1", "1-2", "3"]


def test_bytes_of_a_file_stay_as_they_are(tmp_path: Path) -> None:
    """Empty nodes, ranges, CRLF: a warning about them is given once, when the file is read."""
    words = "1-2\tzum\t" + "\t".join("_" * 8) + "\r\n1\tzu\t" + "\t".join("_" * 4) + "\t0\troot\t_\t_\r\n"
    words += "2\tdem\t" + "\t".join("_" * 4) + "\t1\tdet\t_\t_\r\n2.1\tx\t" + "\t".join("_" * 8) + "\r\n\r\n"
    texts = [f"# confidence = {value}\r\n{words}" for value in (0.7, 0.2, 0.5)]
    file = tmp_path / "some.conllu"
    file.write_bytes("".join(texts).encode())
    with pytest.warns(match="CRLF"):
        given = list(read(file))
    found = only_sentences(sort_by_doubt(given))
    assert b"".join(one.to_bytes() for one in found).decode() == texts[1] + texts[2] + texts[0]


def test_a_sentence_without_confidence() -> None:
    with pytest.raises(FormatError, match="expected one to sort by"):
        next(sort_by_doubt([sentence("1")]))


def test_marks() -> None:
    """Pauses are not waited for, and comments at the end of the input stay there."""
    doubtful, sure = sentence("1", "# confidence = 0.2000"), sentence("2", "# confidence = 0.9000")
    end = Pause(b"# the end\n")
    found = list(sort_by_doubt([sure, Pause(), doubtful, Boundary(), end]))
    assert [one.sent_id for one in only_sentences(found)] == ["1", "2"]
    assert found[2:] == [end]
