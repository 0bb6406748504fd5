"""What holds for whatever Dodona has parsed."""

from dodona import Sentence
from dodona.data.conllu import read_conllu
from dodona.data.stream import only_sentences
from dodona.data.trees import check_tree

__all__ = ["check_parsed", "read_again"]


def read_again(data: bytes, format: str = "conllu") -> list[Sentence]:
    return list(only_sentences(read_conllu([data], "written", format=format)))


def check_parsed(sentence: Sentence, single_root: bool) -> None:
    """A tree with a label for each arc, that can be written and read again."""
    heads = [h if h is not None else -1 for h in sentence.heads]
    try:
        check_tree(heads)
    except ValueError as error:
        raise AssertionError(f"no tree: {error}") from error
    assert not single_root or heads.count(0) == 1, heads
    assert all(sentence.labels), sentence.labels
    (again,) = read_again(sentence.to_bytes())
    assert (again.words, again.heads, again.labels) == (sentence.words, sentence.heads, sentence.labels)
