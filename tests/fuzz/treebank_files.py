"""What must hold for any bytes that are read as a treebank, in either format."""

from dodona import DodonaError, FormatError, Sentence, draw
from dodona.data.conllu import read_conllu
from dodona.data.stream import only_sentences

__all__ = ["check_treebank"]

OTHER = {"conllu": "conllx", "conllx": "conllu"}


def check_treebank(data: bytes, format: str) -> None:
    """Read strictly and leniently, whole and in pieces, and write; raises the error of the strict reader at the end."""
    strict, refused = _read([data], format, True)
    _check_pieces(data, format, strict, refused)
    lenient, fault = _read([data], format, False)
    assert refused is not None or fault is None, "strict reading takes what lenient reading refuses"
    for sentences in (strict, lenient) if refused is None else (lenient,):
        if sentences and fault is None:
            assert b"".join(s.to_bytes() for s in sentences) == data, "what was read is not what is written"
        for sentence in sentences:
            _check_sentence(sentence, format)
    if refused is not None:
        raise refused


def _read(pieces: list[bytes], format: str, strict: bool) -> tuple[list[Sentence], FormatError | None]:
    found: list[Sentence] = []
    try:
        for sentence in only_sentences(read_conllu(pieces, "fuzz", format=format, strict=strict)):
            found.append(sentence)
    except FormatError as error:
        if not str(error).startswith("fuzz:"):
            raise AssertionError("an error that does not name the file and the line") from error
        return found, error
    return found, None


def _check_pieces(data: bytes, format: str, whole: list[Sentence], refused: FormatError | None) -> None:
    """Where the chunks of a file end makes no difference."""
    size = 1 + len(data) % 61
    found, error = _read([data[k : k + size] for k in range(0, len(data), size)], format, True)
    assert str(error) == str(refused), "other chunks, another error"
    assert [s.to_bytes() for s in found] == [s.to_bytes() for s in whole], "other chunks, other sentences"


def _check_sentence(sentence: Sentence, format: str) -> None:
    n = len(sentence)
    assert n > 0
    for column in ("words", "lemmas", "upos", "xpos", "feats", "labels", "misc", "heads"):
        assert len(getattr(sentence, column)) == n, column
    assert all(h is None or 0 <= h <= n for h in sentence.heads), sentence.heads
    try:
        draw(sentence, width=40)
        sentence.check_gold()
    except DodonaError:
        pass
    converted = sentence.convert(OTHER[format])
    (again,) = only_sentences(read_conllu([converted.to_bytes()], "converted", format=OTHER[format]))
    assert (again.words, again.heads) == (sentence.words, sentence.heads)
    changed = sentence.copy()
    changed.set_tree([0] * n, ["root"] * n)
    (again,) = only_sentences(read_conllu([changed.to_bytes()], "changed", format=format, strict=False))
    assert (again.words, again.heads, again.labels) == (sentence.words, [0] * n, ["root"] * n)
