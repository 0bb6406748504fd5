"""Treebanks in CoNLL-U."""

from fuzz.treebank_files import check_treebank
from samples.small_models import full_treebank
from samples.texts import english

RICH = (
    "# newdoc id = d\n# sent_id = 1\n#no space\n# text = Aÿ dámelo .\n"
    "1\tAÿ\tay\tINTJ\tI\t_\t2\tdiscourse\t_\t_\n"
    "2-3\tdámelo\t_\t_\t_\t_\t_\t_\t_\tz=1|a=2\n"
    "2\tda\tdar\tVERB\tV\tB=b|A=a\t0\troot\t0:root|3.1:dep\tx| =y \n"
    "3\tme\tyo\tPRON\t_\t_\t2\tiobj\t_\t_\n"
    "3.1\tnada\t_\t_\t_\t_\t_\t_\t2:obj\t_\n"
    "# in the middle\n"
    "4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\tSpaceAfter=No\n\n"
)
PARTIAL = "1\ta b\t_\t_\t_\t_\t_\t_\t_\t_\n2\t_\t_\tX\t_\t_\t1\t_\t_\tSpacesAfter=\\n\n\n"
TOKENS = (
    b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n\n", b"#", b"# text = ", b"# sent_id = 1", b"1-2", b"2-1", b"1.1", b"0.1",
    b"_", b"0", b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", b"\xc2\xa0", b"\xe2\x80\xa8", b"\x00", b"\t\t", b"999999999",
    b"SpaceAfter=No", b"Confidence=",
)  # fmt: skip


def seeds() -> list[bytes]:
    plain = b"".join(s.to_bytes() for s in full_treebank(2))
    joined = b"".join(s.to_bytes() for s in english(3))
    return [RICH.encode(), RICH.replace("\n", "\r\n").encode(), PARTIAL.encode(), plain, joined, RICH.encode() + plain]


def target(data: bytes) -> None:
    check_treebank(data, "conllu")
