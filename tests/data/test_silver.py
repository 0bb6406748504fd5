"""Silver sentences: what is counted and left out, in which order they come, and how they are mixed with gold ones."""

import itertools
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from samples.treebank import treebank

from dodona import FormatError, Sentence, read, write
from dodona.data import silver as module
from dodona.data.silver import Mixture, Silver, survey_silver


def texts(sentences: "Iterator[Sentence] | list[Sentence]") -> list[str]:
    return [" ".join(sentence.words) for sentence in sentences]


def numbered(count: int, first: int = 0) -> list[Sentence]:
    """Sentences of 1 to 5 words, each with its number in the first one."""
    return [
        Sentence.from_words([f"n{i}", *["Word"] * (i % 5)], ["X"] * (i % 5 + 1), heads=[0] + [1] * (i % 5))
        for i in range(first, first + count)
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.conllu", tmp_path / "b.conllu.gz", tmp_path / "c.conllu.xz"]
    for place, path in enumerate(paths):
        write(numbered(50 + place, 100 * place), path)
    return paths


def survey(files: list[Path], asked: int | None = None, without: str = "") -> Silver:
    return survey_silver(files, lambda s: "without reason" if s.words[0] == without else "", lambda s: True, asked)


# The mixture


def place_by_hand(mixture: Mixture) -> list[tuple[int, int]]:
    """For each gold word of all iterations how many silver words have come before it, worked out with fractions; gold
    alone is the last 15 % of all words, but at most three quarters of gold."""
    total = mixture.gold * mixture.iterations
    alone = min(Fraction(15, 100) * (total + mixture.silver), Fraction(3, 4) * total)
    mixed = total - round(alone)
    return [(done, min(mixture.silver, int(Fraction(mixture.silver * done, mixed)))) for done in range(1, total + 1)]


@pytest.mark.parametrize("mixture", [Mixture(10, 5, 100), Mixture(7, 1, 9), Mixture(20, 3, 0), Mixture(4, 6, 1000)])
def test_silver_is_due_in_proportion_and_gold_is_alone_at_the_end(mixture: Mixture) -> None:
    by_hand = place_by_hand(mixture)
    assert [(done, mixture.due(done)) for done, _ in by_hand] == by_hand
    assert mixture.due(0) == 0
    assert by_hand[-1][1] == mixture.silver
    words = mixture.gold * mixture.iterations + mixture.silver
    shares = [mixture.share(done / mixture.gold) for done, _ in by_hand]
    assert shares == [(done + silver) / words for done, silver in by_hand]
    bounds = [mixture.bounds(number) for number in range(1, mixture.iterations + 1)]
    assert [end for _, end in bounds] == [begin for begin, _ in bounds[1:]] + [mixture.silver]


@pytest.mark.parametrize("iterations", [1, 3, 8])
def test_gold_alone_is_fifteen_percent_of_all(iterations: int) -> None:
    """With single words, what comes after the last silver one is exactly the share of gold alone."""
    mixture = Mixture(100, iterations, 170 * iterations)
    order: list[tuple[str, int]] = []
    for number in range(1, iterations + 1):
        begin, end = mixture.bounds(number)
        gold = [("gold", i) for i in range(100)]
        mixed = list(mixture.mix(number, gold, (("silver", i) for i in range(begin, end)), lambda item: 1))
        assert [item for item in mixed if item[0] == "gold"] == gold
        order += mixed
    assert [i for kind, i in order if kind == "silver"] == list(range(170 * iterations))
    last = max(place for place, (kind, _) in enumerate(order) if kind == "silver")
    assert len(order) - 1 - last == pytest.approx(0.15 * len(order), abs=2)
    done = 0
    for before, (kind, _) in enumerate(order[: last + 1]):  # evenly until then
        done += kind == "gold"
        ratio = 170 * iterations / mixture.mixed
        assert before - done == pytest.approx(ratio * done, abs=ratio + 2)


def test_batches_are_never_lost_and_the_last_is_gold() -> None:
    """A batch is larger than what is due, or smaller; those that are left over come before the last gold one."""
    mixture = Mixture(12, 2, 30)
    for sizes in ([7, 7, 1, 1], [30], [1] * 16, [20, 3, 1, 1], []):
        gold = [("gold", 5), ("gold", 5), ("gold", 2)]
        mixed = list(mixture.mix(1, gold, iter([("silver", size) for size in sizes]), lambda batch: batch[1]))
        assert [size for kind, size in mixed if kind == "silver"] == sizes
        assert mixed[-1] == ("gold", 2)


def test_an_order_that_can_be_checked_by_eye() -> None:
    """Of four gold and six silver words, 15 % are 1.5: two gold ones are alone, and before them come 3 for 1."""
    order = Mixture(4, 1, 6).mix(1, "gggg", iter("ssssss"), len)
    assert "".join(order) == "sssgsssggg"


# The stream


def test_each_pass_has_every_sentence_once(files: list[Path]) -> None:
    silver = survey(files)
    every = sorted(text for file in files for text in texts(list(read(file))))
    stream = silver.stream(1)
    passes = [texts(stream.between(i * silver.words, (i + 1) * silver.words)) for i in range(3)]
    assert [sorted(each) for each in passes] == [every] * 3
    assert len({tuple(each) for each in passes}) == 3
    first_file = set(texts(list(read(files[0]))))
    assert 5 < sum(text in first_file for text in passes[0][:50]) < 45  # the files are interleaved
    assert texts(silver.stream(1).between(0, silver.words)) == passes[0]
    assert texts(silver.stream(2).between(0, silver.words)) != passes[0]


def test_parts_of_the_stream_make_up_the_whole(files: list[Path]) -> None:
    """Whether it is read on or begun anew at a bound, as a training is that was interrupted."""
    silver = survey(files)
    words = silver.words
    bounds = [0, 3, 4, 4, 90, words - 1, words, words + 70, 2 * words + 5, 3 * words]
    whole = texts(silver.stream(1).between(0, bounds[-1]))
    going_on, parts = silver.stream(1), []
    for begin, end in itertools.pairwise(bounds):
        part = texts(going_on.between(begin, end))
        assert texts(silver.stream(1).between(begin, end)) == part
        parts += part
    assert parts == whole
    end = bounds[-1]
    list(itertools.islice(going_on.between(end, end + 50), 3))  # left in the middle
    assert texts(going_on.between(end, end + 50)) == texts(silver.stream(1).between(end, end + 50))


def test_a_block_is_all_that_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 20)
    monkeypatch.setattr(module, "RUN", 4)
    path = tmp_path / "long.conllu"
    write(numbered(300), path)
    silver = survey([path])
    taken = 0

    def counted(file: str) -> Iterator[Sentence]:
        nonlocal taken
        for sentence in read(file):
            taken += 1
            yield sentence

    monkeypatch.setattr(module, "read", counted)
    for given, _ in enumerate(silver.stream(1).between(0, 5 * silver.words), start=1):
        assert taken - given < 20 + 4


def test_more_files_than_are_open_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OPEN_FILES", 2)
    paths = [tmp_path / f"{i}.conllu" for i in range(7)]
    for i, path in enumerate(paths):
        write(numbered(3, 10 * i), path)
    silver = survey(paths)
    expected = sorted(text for path in paths for text in texts(list(read(path))))
    assert sorted(texts(silver.stream(1).between(0, silver.words))) == expected


# The survey


def test_what_is_counted(files: list[Path]) -> None:
    silver = survey_silver(
        files, lambda s: "with an odd number" if int(s.words[0][1:]) % 2 else "", lambda s: len(s) == 1
    )
    kept = [s for file in files for s in read(file) if int(s.words[0][1:]) % 2 == 0]
    assert silver.sentences == len(kept)
    assert silver.words == sum(map(len, kept))
    assert silver.longest == 5
    assert silver.forms["word"] == sum(len(s) - 1 for s in kept)  # lower-cased
    assert silver.forms["n0"] == 1
    assert silver.forms["n1"] == 0
    assert silver.left_out == {"with an odd number": 153 - len(kept)}
    foreign = sum(len(s) > 1 for s in kept)
    said = f"left out: {153 - len(kept)} with an odd number; tags that the treebank does not have, so not learned: in "
    assert str(silver).endswith(f"; {said}{foreign}")
    assert silver.tagged_words == sum(len(s) for s in kept if len(s) == 1)
    assert set(map(len, silver.stream(1, tags=True).between(0, silver.tagged_words))) == {1}


def test_how_many_words_are_learned_from(files: list[Path]) -> None:
    silver = survey(files)
    assert silver.mixture(10_000, 2) == Mixture(10_000, 2, 4 * silver.words)
    assert silver.mixture(10, 2) == Mixture(10, 2, 80)
    partly = survey_silver(files, lambda s: "", lambda s: len(s) == 1)
    assert partly.mixture(10_000, 2, tags=True) == Mixture(10_000, 2, 4 * partly.tagged_words)
    assert 0 < partly.tagged_words < partly.words
    assert survey_silver(files, lambda s: "", lambda s: False, 99).mixture(10, 2, tags=True).silver == 0
    assert survey(files, asked=123).mixture(10, 2) == Mixture(10, 2, 123)
    assert silver.for_fold(30).mixture(10, 3).silver == 30
    assert survey(files, asked=12).for_fold(30).mixture(10, 3).silver == 12


def test_only_so_many_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FORMS", 10)
    write(numbered(200), tmp_path / "a")
    forms = survey([tmp_path / "a"]).forms
    assert len(forms) <= 10
    assert forms["word"] == sum(len(s) - 1 for s in numbered(200))
    write(numbered(9), tmp_path / "a")  # with `word`, ten
    assert len(survey([tmp_path / "a"]).forms) == 10
    write(numbered(10), tmp_path / "a")  # one too many: half are kept
    assert len(survey([tmp_path / "a"]).forms) == 5


def test_the_digest_tells_files_apart(files: list[Path]) -> None:
    digests = {survey(files).digest, survey(files[:2]).digest, survey(files, without="n3").digest}
    assert len(digests) == 3
    assert survey(files).digest in digests


def test_files_that_cannot_be_read_again(tmp_path: Path) -> None:
    for name in ("-", str(tmp_path), str(tmp_path / "missing")):
        with pytest.raises(FormatError, match="expected one with silver sentences, which is read several times"):
            survey([Path(name)])
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(FormatError, match="empty: there are no sentences in this file"):
        survey([tmp_path / "empty"])
    write(numbered(1), tmp_path / "one")
    with pytest.raises(FormatError, match="no silver sentence is left to learn from: 1 without reason"):
        survey([tmp_path / "one"], without="n0")


@pytest.mark.parametrize("count", [10, 60])
def test_a_file_that_changes(files: list[Path], count: int) -> None:
    silver = survey(files)
    write(numbered(count), files[0])
    with pytest.raises(FormatError, match="the file has changed during training; expected 50 sentences"):
        list(silver.stream(1).between(0, silver.words))


def test_a_warning_is_given_once(tmp_path: Path) -> None:
    write(treebank(3), tmp_path / "a")
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes().replace(b"\n", b"\r\n"))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        silver = survey([tmp_path / "a"])
        count = len(warned)
        list(silver.stream(1).between(0, 3 * silver.words))
    assert count == len(warned) > 0
