"""Valid files with random damage are read or refused, and never end in another error than Dodona's."""

import random
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from samples.bad_treebanks import enhanced, plain

from dodona.data.conllu import read_conllu
from dodona.data.formats import OUTPUTS, convert
from dodona.data.spacing import check_text, raw_text
from dodona.data.stream import only_sentences
from dodona.errors import DodonaError
from dodona.validation import repair_chunks, validate_chunks

BITS = (b"\t", b"\n", b"\n\n", b" ", b"-", b".", b"|", b":", b"=", b"_", b"#", b"0", b"1", b"9" * 5000, b"-1", b"1e5")
MORE = (b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xd9\xa1", b"\x1c", b"1-2", b"1.1")
SPACES = (b"SpacesAfter=\\uD800", b"SpacesAfter=\\", b"SpacesInToken=\\n", b"# text = \n", b"# newpar\n", b"\xc2\xb2")
COUNT = 150


def damaged(chance: random.Random) -> bytes:
    data = chance.choice((plain(), enhanced()))
    for _ in range(chance.randint(1, 4)):
        begin = chance.randrange(len(data))
        end = begin + chance.choice((0, 0, 0, 1, 2, 10))
        data = data[:begin] + chance.choice(BITS + MORE + SPACES) + data[end:]
    return data


@pytest.mark.parametrize("seed", range(2))
def test_damaged_files(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    warnings.simplefilter("ignore")
    for _ in range(COUNT):
        data = damaged(chance)
        for strict in (True, False):
            try:
                sentences = list(only_sentences(read_conllu([data], "it", strict=strict)))
                if sentences:
                    assert b"".join(sentence.to_bytes() for sentence in sentences) == data
                for sentence in sentences:
                    sentence.check_gold()
                    check_text(sentence)
                raw_text(sentences)
            except DodonaError:
                continue
        with suppress(DodonaError):
            convert(only_sentences(read_conllu([data], "it")), tmp_path / "out", chance.choice(OUTPUTS))
        findings = list(validate_chunks([data], "it"))
        assert all(finding.line >= 1 for finding in findings)
        fixed = b"".join(repair_chunks([data], "it", Counter()))
        if not findings:
            assert fixed == data
            list(only_sentences(read_conllu([data], "it")))  # what is valid can be read
