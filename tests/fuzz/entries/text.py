"""Raw text, from bytes to trees."""

from fuzz.trees import check_parsed
from samples.inflected import STRANGE
from samples.small_models import whole
from samples.texts import english, japanese

from dodona.data.characters import is_blank
from dodona.data.formats import decode_text
from dodona.data.spacing import raw_text, rebuild_text

TOKENS = (
    b"\n\n", b"\r\n", b"\t", b"\x00", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xe3\x80\x80", b".", b"?!",
    b"n't", b"\\", b"|", b"the oak", "\U0010ffff\u202e\u0301\u200d".encode(), b"\xed\xa0\x80", b"1\ta\t_\n",
    b"# text", b"_", b"http://a.b/c?d=e", b"10 000",
)  # fmt: skip


def seeds() -> list[bytes]:
    texts = [
        raw_text(english(6)),
        raw_text(japanese(4)),
        " ".join(STRANGE),
        "One.\n\nTwo  three\u2029four|\\n.\n",
        " \n\t",
    ]
    return [text.encode() for text in texts]


def target(data: bytes) -> None:
    text = "".join(decode_text([data], "fuzz"))
    size = 1 + len(data) % 61
    assert "".join(decode_text([data[k : k + size] for k in range(0, len(data), size)], "fuzz")) == text
    nlp = whole()
    sentences = nlp(text)
    blank = all(map(is_blank, text))
    assert blank if not sentences else rebuild_text(sentences) == text, "the text cannot be told from the sentences"
    for sentence in sentences:
        check_parsed(sentence, single_root=True)
        located = [text[begin:end] for begin, end in sentence.offsets or ()]
        assert all(located), "a word without characters"
    chunks = [text[k : k + size] for k in range(0, len(text), size)]
    words = [sentence.words for sentence in nlp.sentences(chunks)]
    assert words == [sentence.words for sentence in sentences], "other chunks, other words"
