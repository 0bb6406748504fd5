"""What the careful reader makes of sentences that the quick one leaves to it, here because of their CRLF line ends."""

from itertools import product
from pathlib import Path

import pytest

from dodona import read

pytestmark = pytest.mark.filterwarnings("ignore::dodona.FormatWarning")


def word(number: int, head: int) -> str:
    return "\t".join((str(number), "a", *"____", str(head), "dep", "_", "x=1")) + "\r\n"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_number_from_0_to_n_is_a_head(tmp_path: Path, n: int) -> None:
    path = tmp_path / "some.conllu"
    rows = list(product(range(n + 1), repeat=n))
    text = "\r\n".join("".join(word(d, h) for d, h in enumerate(heads, start=1)) for heads in rows) + "\r\n"
    path.write_bytes(text.encode())
    found = list(read(path))
    assert [tuple(sentence.heads) for sentence in found] == rows
    assert all(sentence.misc == ["x=1"] * n for sentence in found)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_comment_has_no_carriage_return_wherever_it_stands(tmp_path: Path, place: int) -> None:
    lines = [word(1, 0), word(2, 1)]
    lines.insert(place, "# here\r\n")
    path = tmp_path / "some.conllu"
    path.write_bytes("".join([*lines, "\r\n"]).encode())
    (one,) = read(path)
    assert one.comments == ["# here"]
    assert one.to_bytes() == path.read_bytes()
