"""Small treebanks in a line a sentence, for tests: `form/UPOS/head/label`, and `du=de/ADP/3/case+le/DET/3/det`.

More columns may follow a label: lemma and features. What is left out is `_`.
"""

import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import strategies as st

from dodona.data import Sentence, read


def conllu(*sentences: str) -> str:
    lines = []
    for sentence in sentences:
        number = 1
        for token in sentence.split(" "):
            form, equals, words = token.partition("=") if "=" in token.partition("/")[0] else ("", "", token)
            parts = words.split("+")
            if equals:
                lines.append("\t".join([f"{number}-{number + len(parts) - 1}", form, *["_"] * 8]))
            for part in parts:
                word, upos, head, label, *more = part.split("/")
                lemma, feats = (*more, "_", "_")[:2]
                lines.append("\t".join([str(number), word, lemma, upos, "_", feats, head, label, "_", "_"]))
                number += 1
        lines.append("")
    return "\n".join(lines) + "\n"


def treebank(*sentences: str) -> list[Sentence]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.conllu"
        path.write_text(conllu(*sentences), encoding="utf-8")
        return list(read(path))


LABELS = ("nsubj", "nsubj:pass", "obj", "det", "case", "punct", "aux")


@st.composite
def trees(draw: st.DrawFn, text: str, *, multiword: bool = True) -> str:
    """A sentence of this text: cut into tokens, some of them multiword if wanted, with a random tree and tags."""
    cuts = draw(st.sets(st.integers(1, len(text) - 1))) if len(text) > 1 else set()
    bounds = [0, *sorted(cuts), len(text)]
    tokens = [text[a:b] for a, b in pairwise(bounds)]
    words_of_a_token = st.lists(st.sampled_from("abc"), min_size=2, max_size=3)
    parts = [draw(words_of_a_token | st.none()) if multiword else None for _ in tokens]
    n = sum(len(p) if p else 1 for p in parts)
    order = draw(st.permutations(range(1, n + 1)))
    heads = {order[0]: 0} | {d: order[draw(st.integers(0, i))] for i, d in enumerate(order[1:])}

    def column(d: int, form: str) -> str:
        upos = draw(st.sampled_from(("NOUN", "VERB", "PUNCT")))
        label = "root" if heads[d] == 0 else draw(st.sampled_from(LABELS))
        return f"{form}/{upos}/{heads[d]}/{label}"

    shown, d = [], 1
    for token, split in zip(tokens, parts, strict=True):
        words = [column(d + i, form) for i, form in enumerate(split or [token])]
        shown.append(f"{token}={'+'.join(words)}" if split else words[0])
        d += len(words)
    return " ".join(shown)
