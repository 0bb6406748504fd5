"""Where the parts of treebanks are found, and what is an error."""

from pathlib import Path

import pytest
from samples.treebank import treebank
from samples.treebank_folder import SIZES, treebank_folder

from dodona import FormatError, OptionError, write
from dodona.experiments.treebanks import find_treebanks, sentences_of


def test_treebanks_by_name(tmp_path: Path) -> None:
    home = treebank_folder(tmp_path, "en_b", "en_a", "fr_c")
    (home / "notes").mkdir()
    assert [found.name for found in find_treebanks(home)] == ["en_a", "en_b", "fr_c"]
    (one,) = find_treebanks(home, ["en_b"])
    assert one.language == "en"
    assert [len(sentences_of(one.files(part))) for part in SIZES] == list(SIZES.values())
    assert len(sentences_of(one.train, 5)) == 5


def test_other_names_and_folders_of_files(tmp_path: Path) -> None:
    home = tmp_path / "en_x"
    (home / "test").mkdir(parents=True)
    write(treebank(3), home / "en_x-ud-train.conllu")
    for i in (2, 1):
        write(treebank(i), home / "test" / f"{i}.conllu")
    (found,) = find_treebanks(tmp_path)
    assert found.train == (str(home / "en_x-ud-train.conllu"),)
    assert found.dev == ()
    assert [len(sentences_of([file])) for file in found.test] == [1, 2]
    assert set(found.digests) == {"train", "test"}


def test_the_digest_is_of_the_contents(tmp_path: Path) -> None:
    home = treebank_folder(tmp_path, "en_a", "en_b")
    first, second = find_treebanks(home)
    assert first.digests["train"] != second.digests["train"]
    (home / "en_b" / "train.conllu.gz").write_bytes((home / "en_a" / "train.conllu.gz").read_bytes())
    assert find_treebanks(home)[1].digests["train"] == first.digests["train"]
    with pytest.raises(FormatError, match=r"en_b.train\.conllu\.gz: not the file"):
        second.check_unchanged()


def test_errors_say_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder"):
        find_treebanks(tmp_path / "none")
    with pytest.raises(FormatError, match="no treebank; expected folders"):
        find_treebanks(tmp_path)
    home = treebank_folder(tmp_path, "en_a")
    with pytest.raises(OptionError, match=r"no treebank 'en_b' in .*; it has: en_a"):
        find_treebanks(home, ["en_b"])
    write(treebank(1), home / "en_a" / "train.conllu")
    with pytest.raises(FormatError, match="expected one file of the part train"):
        find_treebanks(home)
