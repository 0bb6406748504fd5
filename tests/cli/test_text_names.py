"""Texts that are parsed into one output have names that differ, and that UD allows."""

from pathlib import Path

import pytest
from samples.command_line import call_dodona

from dodona import FormatError, OptionError, Sentence, write
from dodona.cli.inputs import find_sentence, make_safe, name_texts
from dodona.validation import validate


def test_a_sentence_is_found_by_its_number_or_else_by_its_name(tmp_path: Path) -> None:
    """A name that is a number is none here, or the same word would mean two sentences."""
    file = str(tmp_path / "three.conllu")
    write([Sentence.from_words([f"w{k}"], comments=[f"# sent_id = {name}"]) for k, name in enumerate("2a1")], file)
    for wanted, form in (("1", "w0"), ("2", "w1"), ("3", "w2"), ("a", "w1")):
        assert find_sentence(file, wanted).words == [form]
    for wanted in ("0", "4", "b", ""):
        with pytest.raises(OptionError, match="expected a number from 1 to 3, or a sent_id"):
            find_sentence(file, wanted)
    (tmp_path / "none.conllu").touch()
    with pytest.raises(FormatError, match="there are no sentences"):
        find_sentence(str(tmp_path / "none.conllu"), "1")


def test_a_name_is_that_of_the_file_or_a_number() -> None:
    assert name_texts(["a/one.txt.gz", "two.v2.conllu", "-", None, ".hidden"]) == ["one", "two", "3", "4", "5"]
    assert name_texts(["one.txt", "other/one.txt", "three"]) == ["1", "2", "three"]


def test_a_number_is_not_the_name_of_another_file() -> None:
    assert name_texts(["2.txt", None]) == ["2", "3"]
    assert name_texts([None, None, "1.txt", "2.txt"]) == ["3", "4", "1", "2"]
    assert name_texts(["one.txt", "other/one.txt", "1", "3"]) == ["2", "4", "1", "3"]


def test_what_ud_does_not_allow_is_replaced() -> None:
    assert name_texts(["my text.txt", "a\nb\tc\u3000d", "e\udcff\x1bf"]) == ["my_text", "a_b_c_d", "e__f"]
    assert name_texts(["my text.txt", "my_text.txt"]) == ["1", "2"]


def test_output_is_valid_whatever_the_names_are(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("my text.txt", "a\nb.txt", "e\udcff.txt")]
    for file in files:
        file.write_text("Oak trees grow slowly. Nobody asks why.\n")
    parsed = tmp_path / "parsed.conllu"
    done = call_dodona("parse", "en-fast", *files, "-o", parsed)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(validate(str(parsed), level=2)) == []
    assert "# newdoc id = my_text\n# sent_id = my_text-1\n" in parsed.read_text()


def test_names_of_files_are_safe() -> None:
    """Whatever a system takes for a part of a path or a pattern, and what cannot be seen."""
    for sign in '/\\:*?"<>| \t\n\x00\x1f\x7f\x9f\u3000\ud800\udfff':
        assert make_safe(f"a{sign}b") == "a_b"
    for sign in "-+.,;()[]{}@&%$äא":
        assert make_safe(f"a{sign}b") == f"a{sign}b"
    assert make_safe("..a.b") == "a.b"
