"""What is read comes out byte for byte, except for the columns that were replaced."""

import gzip
import os
import pickle
import tracemalloc
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import FormatError, FormatWarning, OptionError, Sentence, read, write
from dodona.data import conllu as blocks
from dodona.data.stream import Pause

pytestmark = pytest.mark.filterwarnings("ignore::dodona.FormatWarning")

TREEBANKS = os.environ.get("DODONA_TREEBANKS")
WORD = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_"
RICH = (
    "# sent_id = 1\n#no space\n# text = dámelo .\n"
    "1-2\tdámelo\t_\t_\t_\t_\t_\t_\t_\tz=1|a=2\n"
    "1\tda\tdar\tVERB\tV\tB=b|A=a\t0\troot\t0:root|2.1:dep\tx| =y \n"
    "2\tme\tyo\tPRON\t_\t_\t1\tiobj\t_\t_\n"
    "2.1\tnada\t_\t_\t_\t_\t_\t_\t1:obj\t_\n"
    "3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
)


def same_again(folder: Path, data: bytes) -> list[Sentence]:
    (folder / "in.conllu").write_bytes(data)
    sentences = list(read(folder / "in.conllu"))
    write(sentences, folder / "out.conllu")
    assert (folder / "out.conllu").read_bytes() == data
    return sentences


@pytest.mark.parametrize(
    "data",
    [
        WORD,
        WORD + b"\n",
        WORD + b"\n\n\n\n",
        b"\n \n" + WORD + b"\n\t\n  \n" + WORD + b"\n\n  ",
        b"\xef\xbb\xbf\n" + WORD + b"\n\n",
        WORD + b"\r\n\r\n" + WORD + b"\r\n",
        WORD + b"\r\n\n" + WORD + b"\n\r\n",
        b"# alone\n\n\n# own\n" + WORD + b"\n\n# end\n\n# of file",
        WORD + b"\n# right behind\n",
        RICH.encode(),
    ],
)
def test_odd_files(tmp_path: Path, data: bytes) -> None:
    sentences = same_again(tmp_path, data)
    assert all(len(sentence) in (1, 3) for sentence in sentences)


PIECES = [WORD, b"\n", b"\n", b"\n", b"\r\n", b" ", b"\t", b"# c", b"\xef\xbb\xbf", WORD + b"\n", b"1-2\ta", b"#\r"]


@settings(max_examples=500, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12), size=st.integers(1, 9))
def test_any_bytes_come_out_again_or_are_refused_wherever_the_chunks_end(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    whole = [block for block in blocks.split_blocks([data], "x") if block]
    assert b"".join(b"".join(block[1:]) for block in whole) == data
    small = list(blocks.split_blocks([data[k : k + size] for k in range(0, len(data), size)], "x"))
    assert small == whole
    assert all(data.startswith(b"".join(data.splitlines(True)[: block.line - 1])) for block in whole)


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_files_come_out_again_or_are_refused(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("any")
    data = b"".join(pieces)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        try:
            sentences = same_again(folder, data + b"\n\n" + WORD)
        except FormatError:
            return
    assert sentences[-1].words == ["a"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_replaced_columns_change(tmp_path: Path, end: str) -> None:
    (one,) = same_again(tmp_path, RICH.replace("\n", end).encode())
    one.set_tree([2, 0, 2], ["a", "root", "b:c"])
    one.set_column("upos", ["X", "Y", "Z"])
    one.set_column("misc", ["c=0.5", "SpaceAfter=No", "_"])
    assert (one.heads, one.labels, one.upos) == ([2, 0, 2], ["a", "root", "b:c"], ["X", "Y", "Z"])
    assert one.misc == ["c=0.5", "SpaceAfter=No", "_"]
    expected = (
        RICH.replace("VERB\tV\tB=b|A=a\t0\troot", "X\tV\tB=b|A=a\t2\ta")
        .replace("x| =y ", "c=0.5")
        .replace("PRON\t_\t_\t1\tiobj\t_\t_", "Y\t_\t_\t0\troot\t_\tSpaceAfter=No")
        .replace("PUNCT\t_\t_\t1\tpunct", "Z\t_\t_\t2\tb:c")
    )
    assert one.to_bytes().decode() == expected.replace("\n", end)
    assert pickle.loads(pickle.dumps(one)).to_bytes() == one.to_bytes()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_are_replaced_wherever_they_stand(tmp_path: Path, end: str) -> None:
    middle = RICH.replace("2.1\t", "# in the middle\n2.1\t").replace("\n", end)
    (one,) = same_again(tmp_path, middle.encode())
    one.set_comments(["# new", "#"])
    assert one.comments == ["# new", "#"]
    words = "".join(line for line in middle.splitlines(keepends=True) if not line.startswith("#"))
    assert one.to_bytes().decode() == f"# new{end}#{end}" + words
    assert one.word_line(1) == 5  # in the file, as before
    one.set_column("lemmas", ["L", "M", "N"])
    one.set_comments([])
    assert one.to_bytes().decode() == words.replace("dar", "L").replace("yo", "M").replace(".\t.\t", ".\tN\t")
    for wrong in ("no hash", "# two\n# lines", "# a\r", "# \0"):
        with pytest.raises(OptionError, match="expected a single line that begins with '#'"):
            one.set_comments([wrong])
    assert one.comments == []


def test_replacing_is_checked() -> None:
    one = Sentence.from_words(["a", "b"])
    for heads, labels in (([0], ["x"]), ([0, 3], ["x", "y"]), ([0, -1], ["x", "y"]), ([0, 1], ["x", "y\tz"])):
        with pytest.raises(OptionError, match="expected"):
            one.set_tree(heads, labels)
    for name, values in (("words", ["c", "d"]), ("upos", ["X"]), ("lemmas", ["a", ""]), ("feats", ["a\n", "b"])):
        with pytest.raises(OptionError, match="expected"):
            one.set_column(name, values)
    assert one.to_bytes() == b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


def test_from_words(tmp_path: Path) -> None:
    made = Sentence.from_words(
        ["da", "me", "."],
        ["VERB", "PRON", "PUNCT"],
        lemmas=["dar", "yo", "."],
        xpos=["V", "_", "_"],
        feats=["B=b|A=a", "_", "_"],
        heads=[0, 1, None],
        labels=["root", "iobj", "punct"],
        misc=["x=y", "_", "_"],
        comments=["# text = dámelo ."],
        multiword=[(1, 2, "dámelo")],
        multiword_misc=["SpaceAfter=No"],
    )
    assert made.to_bytes().splitlines()[1].decode() == "1-2\tdámelo" + "\t_" * 7 + "\tSpaceAfter=No"
    assert [made.word_line(d) for d in (1, 2, 3)] == [3, 4, 5]
    write([made, made], tmp_path / "a.conllu")
    read_again, _ = read(tmp_path / "a.conllu")
    for name in ("words", "lemmas", "upos", "xpos", "feats", "heads", "labels", "misc", "comments", "multiword"):
        assert getattr(read_again, name) == getattr(made, name)
    made.set_tree([0, 1, 1], made.labels)
    assert b"2\tme\tyo\tPRON\t_\t_\t1\tiobj\t_\t_\n3\t.\t.\tPUNCT\t_\t_\t1\tpunct" in made.to_bytes()


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": []},
        {"words": ["a", ""]},
        {"words": ["a", "b\nc"]},
        {"upos": ["X"]},
        {"heads": [0, 3]},
        {"comments": ["no hash"]},
        {"comments": ["# two\n# lines"]},
        {"multiword": [(1, 1, "a")]},
        {"multiword": [(1, 3, "a")]},
        {"multiword": [(1, 2, "a"), (1, 2, "a")]},
        {"multiword": [(1, 2, "a")], "multiword_misc": []},
        {"multiword": [(1, 2, "a")], "multiword_misc": ["b\tc"]},
        {"multiword_misc": ["_"]},
    ],
)
def test_from_words_refuses_what_could_not_be_read_again(wrong: dict[str, list[str]]) -> None:
    arguments: dict[str, list[str]] = {"words": ["a", "b"]} | wrong
    with pytest.raises(OptionError, match="expected"):
        Sentence.from_words(**arguments)  # type: ignore[arg-type]


def test_sentences_of_several_files_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbf" + WORD + b"\n\n" + WORD)
    (tmp_path / "b").write_bytes(b"\xef\xbb\xbf# b\n" + WORD + b"\n \n# end\n")
    write([s for name in "abab" for s in read(tmp_path / name)], tmp_path / "all")
    data = (tmp_path / "all").read_bytes()
    one_a, one_b = WORD + b"\n\n" + WORD + b"\n\n", b"# b\n" + WORD + b"\n \n# end\n"
    assert data == b"\xef\xbb\xbf" + one_a + one_b + b"\n" + one_a + one_b
    assert len(list(read(tmp_path / "all"))) == 6


def test_conversion_leaves_out_what_has_no_room(tmp_path: Path) -> None:
    (one,) = same_again(tmp_path, RICH.encode())
    write([one], tmp_path / "x.conll", format="conllx")
    assert (tmp_path / "x.conll").read_text() == (
        "1\tda\tdar\tVERB\tV\tB=b|A=a\t0\troot\t_\t_\n2\tme\tyo\tPRON\t_\t_\t1\tiobj\t_\t_\n"
        "3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    )
    (tmp_path / "y.conll").write_text("1\ta\t_\tN\tNN\t_\t0\tROOT\t0\tROOT\n\n")
    write(read(tmp_path / "y.conll", format="conllx"), tmp_path / "y.conllu", format="conllu")
    assert (tmp_path / "y.conllu").read_text() == "1\ta\t_\tN\tNN\t_\t0\tROOT\t_\t_\n\n"


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_comments_alone_take_little_more_memory_than_their_bytes(end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """As strings, they would take twenty times as much: 2 GB for a sentence without words."""
    monkeypatch.setattr(blocks, "EARLY_CHECK", 1 << 16)
    monkeypatch.setattr(blocks, "SENTENCE_LIMIT", 1 << 20)
    chunks = [b"# a\n" * (1 << 13)] * (31 if end else 33)
    tracemalloc.start()
    try:
        if end:
            assert [type(item) for item in blocks.read_conllu([*chunks, end], "a.conllu")] == [Pause]
        else:
            with pytest.raises(FormatError, match=r"a\.conllu:1: a sentence of more than 1 MiB"):
                list(blocks.read_conllu(chunks, "a.conllu"))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_memory_does_not_depend_on_the_length_of_the_file(tmp_path: Path) -> None:
    peaks = []
    for times in (2_000, 20_000):
        with gzip.open(tmp_path / "long.gz", "wb", 1) as file:
            file.write(RICH.replace("# sent_id = 1\n", "").encode() * times)
        tracemalloc.start()
        write(read(tmp_path / "long.gz"), tmp_path / "out.gz")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.2


@pytest.mark.skipif(TREEBANKS is None, reason="DODONA_TREEBANKS names no folder with treebanks")
def test_every_treebank_at_hand() -> None:
    files = sorted(Path(str(TREEBANKS)).glob("*/*.conllu.gz"))
    assert files
    for file in files:
        with gzip.open(file) as stream:
            assert b"".join(sentence.to_bytes() for sentence in read(file)) == stream.read(), file
