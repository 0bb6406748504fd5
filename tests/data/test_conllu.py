"""Reading: what is kept, what is passed over and said, what is refused."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from dodona import FormatError, FormatWarning, OptionError, Sentence, read
from dodona.data import conllu
from dodona.data.conllu import combine_faults

GOOD = """\
# sent_id = one
1-2	dámelo	_	_	_	_	_	_	_	SpaceAfter=No
1	da	dar	VERB	V	Mood=Imp	0	root	0:root	a=b
2	me	yo	PRON	_	_	1	iobj	_	_
2.1	nada	_	_	_	_	_	_	_	_
3	.	.	PUNCT	_	_	1	punct	_	_

# text = Sí
1	Sí	sí	INTJ	_	_	0	root	_	_

"""


def line(number: object = 1, form: str = "a", head: object = 0) -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\troot\t_\t_\n"


def sentences(tmp_path: Path, text: str | bytes, strict: bool = True) -> list[Sentence]:
    """The sentences of a file with this text, which must be read without any remark."""
    file = tmp_path / "some.conllu"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        return list(read(file, strict=strict))


def remarks(tmp_path: Path, text: str | bytes, strict: bool = True) -> tuple[list[Sentence], list[str]]:
    file = tmp_path / "some.conllu"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = list(read(file, strict=strict))
    assert all(issubclass(one.category, FormatWarning) for one in said)
    return found, [str(one.message).removeprefix(str(file)) for one in said]


def test_columns(tmp_path: Path) -> None:
    one, two = sentences(tmp_path, GOOD)
    assert (one.sent_id, one.text, one.comments, one.line, len(one)) == ("one", None, ["# sent_id = one"], 1, 3)
    assert one.words == ["da", "me", "."]
    assert one.lemmas == ["dar", "yo", "."]
    assert one.upos == ["VERB", "PRON", "PUNCT"]
    assert one.xpos == ["V", "_", "_"]
    assert one.feats == ["Mood=Imp", "_", "_"]
    assert one.heads == one.gold_heads() == [0, 1, 1]
    assert one.labels == ["root", "iobj", "punct"]
    assert one.deps == ["0:root", "_", "_"]
    assert one.misc == ["a=b", "_", "_"]
    assert one.multiword == [(1, 2, "dámelo")]
    assert [one.word_line(d) for d in (1, 2, 3)] == [3, 4, 6]
    assert (two.sent_id, two.text, two.words, two.line) == (None, "Sí", ["Sí"], 8)
    assert two.file == str(tmp_path / "some.conllu")


def test_conllx_has_words_only(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("1\ta\tb\tN\tNN\tx|y\t0\tROOT\t0\tROOT\n\n")
    (one,) = read(tmp_path / "a.conll", format="conllx")
    assert (one.upos, one.xpos, one.feats, one.deps, one.misc) == (["N"], ["NN"], ["x|y"], ["0"], ["ROOT"])
    (tmp_path / "b.conll").write_text(GOOD)
    with pytest.raises(FormatError, match=r"b\.conll:2: word number '1-2'; expected 1"):
        list(read(tmp_path / "b.conll", format="conllx"))
    with pytest.raises(OptionError, match="the formats are: conllu, conllx"):
        read("-", format="xml")


@pytest.mark.parametrize("text", ["", "\n\n", "# a comment\n", "   \n", "   ", "\ufeff", "# a\n\n\n# b\n\n"])
def test_files_without_sentences(tmp_path: Path, text: str) -> None:
    assert remarks(tmp_path, text)[0] == []


LENIENT = [
    ("\ufeff" + line() + "\n", ":1: a byte order mark"),
    ((line() + "\n").replace("\n", "\r\n"), ":1: CRLF"),
    (line(), ":1: no blank line after the last sentence"),
    (line().rstrip(), ":1: no blank line after the last sentence"),
    (line() + "\n\n\n" + line() + "\n", ":1: more blank lines"),
    ("\n" + line() + "\n", ":2: more blank lines"),
    (line() + line(2), ":2: no blank line after the last sentence"),
    (line() + line(2) + "\n\n\n", ":2: more blank lines"),
    (line() + line(2) + " \n", ":3: a blank line with white space"),
    (line() + " \t\n" + line() + "\n", ":2: a blank line with white space"),
    (line() + "# so\n" + line(2) + "\n", ":2: a comment in mid-sentence"),
    ("# sent_id = x\n" + line() + "\n# sent_id = x\n" + line() + "\n", ":4: sent_id 'x' again"),
    ("# text = b\n" + line() + "\n", ":1: # text 'b'; expected the words"),
]


@pytest.mark.parametrize(("text", "remark"), LENIENT)
def test_what_is_harmless_is_read_and_said_once(tmp_path: Path, text: str, remark: str) -> None:
    found, said = remarks(tmp_path, text)
    assert all(set(sentence.words) == {"a"} for sentence in found)
    assert len(said) == 1
    assert said[0].startswith(remark)
    assert b"".join(sentence.to_bytes() for sentence in found) == text.encode()


def test_a_remark_is_made_once_per_file(tmp_path: Path) -> None:
    text = ("# text = b\n" + line() + "# mid\n \n\n").replace("\n", "\r\n")
    _, said = remarks(tmp_path, text * 3)
    assert len(said) == len(set(said)) == 5  # blank lines, their white space, CRLF, comment, text
    assert remarks(tmp_path, text)[1] == said


@pytest.mark.parametrize(
    "text",
    [
        line("1", "two words") + "\n",
        line("1", "a\u2028b\x85c\x0bd") + "\n",  # line ends elsewhere, not here
        line("0.1") + line() + line("1.1") + line("1.2") + line(2) + "\n",
        line("1-2") + line() + line("1.1") + line(2) + "\n",  # an empty node inside a range
        "# text = a ab\u3000c\n" + line() + line("2-3", "abc") + line(2) + line(3) + "\n",
        line(head="_") + "\n",
        line(head=1) + "\n",  # no tree, but a parser does not mind; check_gold does
        line(head=0).replace("root", "dep") + line(2, head=1) + line(3, head=0) + "\n",
    ],
)
def test_unusual_but_right(tmp_path: Path, text: str) -> None:
    (one,) = sentences(tmp_path, text)
    assert one.to_bytes() == text.encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\n", r":1: 2 columns; expected 10"),
        (line().replace("\t_\n", "\n"), r":1: 9 columns; expected 10"),
        (line().replace("\n", "\t_\n"), r":1: 11 columns; expected 10"),
        (line().replace("\n", "\t\n"), r":1: 11 columns; expected 10"),
        (line().replace("\t", " "), r":1: 1 columns; expected 10, separated by tabs"),
        (line() + "x\n", r":2: 1 columns"),
        (line(2), r":1: word number '2'; expected 1"),
        (line() + line(), r":2: word number '1'; expected 2"),
        (line() + line(3), r":2: word number '3'; expected 2"),
        (line("01"), r":1: word number '01'"),
        (line("१"), r":1: word number"),
        (line("१-2"), r":1: word number"),
        (line("9" * 5000), r":1: word number '9{40}…'; expected 1"),
        (line(form=""), r":1: empty FORM; expected a word"),
        (line("1-2", "") + line() + line(2), r":1: empty FORM"),
        ("# x\n" + line("0.1"), r":2: a sentence without words"),
        ("# a\n" + line() + "\n\n" + line(form="\0"), r":5: a NUL character; expected text in UTF-8"),
        (line() + "# b\rc\n", r":2: a carriage return inside a line; expected LF or CRLF"),
        (line().replace("\n", "\r") + line(2), r":1: a carriage return inside a line"),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
def test_bad_lines(tmp_path: Path, text: str, message: str, strict: bool) -> None:
    (tmp_path / "bad.conllu").write_bytes(text.encode())
    with pytest.raises(FormatError, match=r"bad\.conllu" + message):
        list(read(tmp_path / "bad.conllu", strict=strict))


TWO = line() + line(2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line("2-1") + TWO, ":1: multiword range 2-1; expected a last word after the first"),
        (line("1-1") + TWO, ":1: multiword range 1-1; expected a last word after the first"),
        (line("1-2") + line() + line("2-3") + line(2) + line(3), ":3: multiword range 2-3 overlaps 1-2"),
        (line("1-2") + line("1-2") + TWO, ":2: multiword range 1-2 overlaps 1-2"),
        (line("1-3") + TWO, ":1: multiword range 1-3; expected words as far as 2 only"),
        (line() + line("1-2") + line(2), ":2: multiword range 1-2; expected it just before its first word, here 2"),
        (line("1.1") + TWO, ":1: empty node 1.1; expected 0.1 here"),
        (line() + line("1.2") + line(2), ":2: empty node 1.2; expected 1.1 here"),
        (line() + line("1.1") + line("1.1") + line(2), ":3: empty node 1.1; expected 1.2 here"),
        (TWO + line("1.1"), ":3: empty node 1.1; expected 2.1 here"),
        (line("1-2") + line("0.1") + TWO, ":2: empty node 0.1; expected word 1 after its multiword range"),
        (line() + line(2, head=-1), ":2: HEAD '-1'; expected the number of a word, from 1 to 2, or 0 for the root"),
        (line() + line(2, head=3), ":2: HEAD '3'; expected the number"),
        (line() + line(2, head="9" * 20), ":2: HEAD '99999999999999999999'"),
        (line() + line(2, head="x"), ":2: HEAD 'x'"),
        (line() + line(2, head="01"), ":2: HEAD '01'"),
        (line() + line(2, head="१"), ":2: HEAD '१'"),
        (line() + line(2, head=""), ":2: HEAD ''"),
    ],
)
def test_what_a_parser_does_not_need_is_refused_or_passed_over(tmp_path: Path, text: str, message: str) -> None:
    text += "\n"
    with pytest.raises(FormatError) as refused:
        sentences(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / 'some.conllu'}{message}")
    (one, again), said = remarks(tmp_path, text * 2, strict=False)
    assert len(said) == 1
    assert said[0].startswith(message)
    assert one.to_bytes() + again.to_bytes() == (text * 2).encode()
    assert one.heads[-1] == (0 if "HEAD" not in message else None)
    assert len(one.multiword) == message.count("overlaps") + ("0.1; expected word" in message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (line().encode() + line(2, "b", 1).encode().replace(b"b", b"\xe9"), ":2: byte 0xe9 is not UTF-8; expected"),
        (line().encode("utf-16"), ":1: byte 0xff is not UTF-8; expected UTF-8, and this looks like UTF-16"),
        (b"\xfe\xff" + line().encode("utf-16-be"), ":1: byte 0xfe is not UTF-8; .* looks like UTF-16"),
        (line().encode("utf-16-le"), r":1: a NUL character; expected text in UTF-8 \(is this UTF-16\?\)"),
    ],
)
def test_bad_bytes(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=r"some\.conllu" + message):
        sentences(tmp_path, data)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ("_0", ":2: word 1 of this sentence has HEAD '_'; expected the number of its head, or 0 for the root"),
        ("10", ":2: word 1 of this sentence has HEAD 1; expected another word from 0 to 2"),
        ("21", ":2: no root in this sentence; expected a word with HEAD 0"),
        ("032", ":3: word 2 of this sentence has HEAD 3, which leads into a cycle"),
    ],
)
def test_gold_trees_must_be_trees(tmp_path: Path, heads: str, message: str) -> None:
    text = "\n" + "".join(line(k, head=h) for k, h in enumerate(heads, start=1)) + "\n"
    (one,), _ = remarks(tmp_path, text)
    with pytest.raises(FormatError) as refused:
        one.check_gold()
    assert str(refused.value).startswith(f"{tmp_path / 'some.conllu'}{message}")


def test_gold_trees_may_have_several_roots_and_any_labels(tmp_path: Path) -> None:
    (one,) = sentences(tmp_path, line() + line(2) + line(3, head=2) + "\n")
    assert one.gold_heads() == [0, 0, 2]


def test_a_sentence_of_200_000_words(tmp_path: Path) -> None:
    text = "# text = " + "a " * 200_000 + "\n" + "".join(line(k, head=k - 1) for k in range(1, 200_001)) + "\n"
    (one,) = sentences(tmp_path, text)
    assert len(one.gold_heads()) == 200_000
    assert one.to_bytes() == text.encode()


@pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
def test_reading_is_lazy_and_an_error_late_in_the_file_comes_late(tmp_path: Path) -> None:
    (tmp_path / "long.conllu").write_text((line() + "\n") * 5 + "bad\n")
    found = read(tmp_path / "long.conllu")
    assert [next(found).line for _ in range(4)] == [1, 3, 5, 7]
    with pytest.raises(FormatError, match=":11: 1 columns"):
        list(found)


def test_remarks_on_the_command_line_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(line())
    command = [sys.executable, "-m", "dodona", "oracle", str(tmp_path / "a.conllu")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=100)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"dodona: {tmp_path}/a.conllu:1: no blank line after the last sentence; read as if there were one"
    ]


@pytest.mark.parametrize("text", ["1 a _ _ _ _ 0 root _ _\n\n", "1\ta _ _ _ _ 0 root\t_\t_\n\n"])
def test_spaces_for_tabs_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "spaces.conllu").write_text(text)
    with pytest.raises(FormatError, match=r"separated by tabs \(here are spaces for tabs\)"):
        list(read(tmp_path / "spaces.conllu"))


def test_lone_surrogates_are_refused_where_they_enter() -> None:
    sentence = Sentence.from_words(["é", "b"])
    for change in (
        lambda: sentence.set_tree([0, 1], ["root", "\udcff"]),
        lambda: sentence.set_column("xpos", ["_", "\ud800"]),
        lambda: sentence.set_comments(["# \udcff"]),
        lambda: Sentence.from_words(["\udcff"]),
        lambda: Sentence.from_words(["a", "b"], multiword=[(1, 2, "\udcff")]),
    ):
        with pytest.raises(OptionError):
            change()
    assert sentence.to_bytes().decode().startswith("1\té")


def test_how_many_names_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conllu, "SENT_ID_LIMIT", 2)
    for names, again in (("abb", ["b"]), ("abcc", []), ("abca", ["a"])):
        text = "".join(f"# sent_id = {name}\n{line()}\n" for name in names)
        _, said = remarks(tmp_path, text)
        assert [remark.split("'")[1] for remark in said] == again


def test_how_many_faults_are_listed() -> None:
    assert str(combine_faults(["a:1: x"], "a", ["a"])) == "a:1: x"
    for count, more in ((2, ""), (10, ""), (11, "\n  and 1 more"), (2010, "\n  and 2,000 more")):
        faults = [f"a:{k}: x" for k in range(count)]
        listed = "".join(f"\n  {fault}" for fault in faults[:10])
        said = f"{count:,} faults in a and b:{listed}{more}\n`dodona validate a b` lists all that is wrong"
        assert str(combine_faults(faults, "a and b", ["a", "", "b", "a"])) == said
