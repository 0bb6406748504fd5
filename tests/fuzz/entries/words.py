"""Tokenized text, a sentence a line or a word a line; the first byte of an input says which."""

from pathlib import Path

from fuzz.trees import check_parsed
from samples.inflected import STRANGE
from samples.small_models import whole

from dodona.data.files import chunks
from dodona.data.formats import read_words
from dodona.data.stream import only_sentences

TOKENS = (
    b"\n\n",
    b"\r\n",
    b"\t",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"_",
    b"\xff",
    b"\x1f",
    b"\x85",
)


def seeds() -> list[bytes]:
    lines = ["the oak answers .", "ναὶ  μά\tΔία", "", *(word for word in STRANGE if len(word) < 99)]
    return [bytes([vertical]) + "\n".join(lines).encode() for vertical in (0, 1)]


def target(data: bytes) -> None:
    path = Path("words.txt")
    path.write_bytes(data[1:])
    sentences = list(only_sentences(read_words(chunks(path), str(path), vertical=data[:1] == b"\1")))
    for sentence in whole().parse(sentences):
        check_parsed(sentence, single_root=True)
