"""Noun chunks: sentences that a reader can check by eye, and treebanks against a definition that only asks about pairs
of words."""

import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import Sentence, read
from dodona.data.noun_chunks import find_noun_chunks

TREEBANKS = os.environ.get("DODONA_TREEBANKS")
CLOSE = {"det", "amod", "nummod", "compound", "flat", "fixed", "goeswith", "clf"}
LIGHT = {*CLOSE, "advmod", "cc", "conj", "punct"}
NO_HEADS = {
    "aux", "case", "cc", "compound", "cop", "det", "discourse", "expl", "fixed", "flat", "goeswith", "mark", "punct",
}  # fmt: skip


def make(text: str) -> Sentence:
    """A sentence of words like `oaks/NOUN/3/nsubj`."""
    words, upos, heads, labels = zip(*(word.split("/") for word in text.split()), strict=True)
    return Sentence.from_words(words, upos, heads=[int(head) for head in heads], labels=labels)


def naive_chunks(sentence: Sentence) -> list[tuple[int, int, int]]:
    """First word, last word and head of each chunk, by docs/objects.md, word for word."""
    universal = {d: label.partition(":")[0] for d, label in enumerate(sentence.labels, start=1)}

    def path_of(k: int) -> list[int]:
        return [k, *(token.id for token in sentence[k - 1].ancestors)]

    def is_below(k: int, d: int) -> bool:
        return k != d and d in path_of(k)

    def belongs(k: int, h: int) -> bool:
        if not is_below(k, h):
            return k == h
        d = path_of(k)[path_of(k).index(h) - 1]  # the dependent of h that k is, or is below
        if d < h:
            return universal[d] in CLOSE or sentence.labels[d - 1] == "nmod:poss" or universal[d] == "punct"
        return universal[d] in CLOSE and all(universal[x] in LIGHT for x in universal if is_below(x, d))

    chunks: list[tuple[int, int, int]] = []
    for h in sorted(universal, key=lambda h: len(path_of(h))):  # from the root down
        taken = {k for first, last, _ in chunks for k in range(first, last + 1)}
        if sentence.upos[h - 1] not in ("NOUN", "PROPN", "PRON") or universal[h] in NO_HEADS or h in taken:
            continue
        first = last = h
        while first > 1 and belongs(first - 1, h):
            first -= 1
        while last < len(sentence) and belongs(last + 1, h):
            last += 1
        run = [k for k in range(first, last + 1) if universal[k] != "punct"]
        chunks.append((run[0], run[-1], h))
    return sorted(chunks)


def found(sentence: Sentence) -> list[tuple[int, int, int]]:
    return [(chunk.first, chunk.last, chunk.root.id) for chunk in sentence.noun_chunks]


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("Oak/NOUN/2/compound trees/NOUN/3/nsubj grow/VERB/0/root", ["Oak trees"]),
        ("The/DET/2/det leaves/NOUN/6/nsubj of/ADP/5/case the/DET/5/det oak/NOUN/2/nmod fell/VERB/0/root",
         ["The leaves", "the oak"]),
        ("the/DET/2/det dog/NOUN/4/nmod:poss 's/PART/2/case tail/NOUN/0/root", ["the dog 's tail"]),
        ("wolves/NOUN/0/root of/ADP/3/case mine/PRON/1/nmod:poss", ["wolves", "mine"]),
        ("a/DET/5/det big/ADJ/5/amod ,/PUNCT/5/punct old/ADJ/5/amod oak/NOUN/0/root", ["a big , old oak"]),
        ('"/PUNCT/3/punct old/ADJ/3/amod oaks/NOUN/0/root "/PUNCT/3/punct', ["old oaks"]),
        ("a/DET/4/det very/ADV/3/advmod old/ADJ/4/amod oak/NOUN/0/root", ["a very old oak"]),
        ("even/ADV/3/advmod the/DET/3/det oak/NOUN/0/root", ["the oak"]),
        ("une/DET/2/det forêt/NOUN/0/root dense/ADJ/2/amod et/CCONJ/5/cc humide/ADJ/3/conj",
         ["une forêt dense et humide"]),
        ("a/DET/2/det land/NOUN/0/root rich/ADJ/2/amod in/ADP/5/case water/NOUN/3/obl", ["a land", "water"]),
        ("der/DET/5/det in/ADP/3/case Delphi/PROPN/4/obl lebende/ADJ/5/amod Gott/NOUN/0/root",
         ["der in Delphi lebende Gott"]),
        ("oaks/NOUN/0/root and/CCONJ/4/cc tall/ADJ/4/amod pines/NOUN/1/conj", ["oaks", "tall pines"]),
        ("oaks/NOUN/0/root which/PRON/3/nsubj fell/VERB/1/acl:relcl", ["oaks", "which"]),
        ("Homer/PROPN/0/root ,/PUNCT/4/punct a/DET/4/det poet/NOUN/1/appos", ["Homer", "a poet"]),
        ("Ares/PROPN/4/nsubj Theos/PROPN/1/flat:name VII/NUM/1/nummod fell/VERB/0/root", ["Ares Theos VII"]),
        ("there/PRON/2/expl are/VERB/0/root oaks/NOUN/2/nsubj", ["oaks"]),
        ("three/NUM/3/nummod hundred/NUM/1/flat oaks/NOUN/0/root", ["three hundred oaks"]),
        ("all/DET/4/det:predet his/PRON/4/nmod:poss own/ADJ/4/amod oaks/NOUN/0/root", ["all his own oaks"]),
        ("magna/ADJ/3/amod cum/ADP/3/case laude/NOUN/0/root", ["laude"]),
        ("it/PRON/2/nsubj grows/VERB/0/root", ["it"]),
        ("grow/VERB/0/root slowly/ADV/1/advmod", []),
    ],
)  # fmt: skip
def test_by_hand(text: str, chunks: list[str]) -> None:
    sentence = make(text)
    assert [str(chunk) for chunk in sentence.noun_chunks] == chunks
    assert found(sentence) == naive_chunks(sentence)


UPOS = st.sampled_from(["NOUN", "NOUN", "PROPN", "PRON", "ADJ", "VERB"])
LABELS = st.sampled_from([*sorted(LIGHT), "nmod:poss", "nmod", "case", "acl:relcl", "nsubj", "expl", "det:poss"])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.data(), n=st.integers(1, 12))
def test_any_tree_as_by_the_definition(data: st.DataObject, n: int) -> None:
    order = data.draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, d in enumerate(order):
        heads[d - 1] = data.draw(st.sampled_from([0, *order[:place], *order[max(0, place - 1) : place]]))
    sentence = Sentence.from_words(
        [f"w{d}" for d in range(n)],
        data.draw(st.lists(UPOS, min_size=n, max_size=n)),
        heads=heads,
        labels=data.draw(st.lists(LABELS, min_size=n, max_size=n)),
    )
    chunks = found(sentence)
    assert chunks == naive_chunks(sentence)
    taken = [k for first, last, _ in chunks for k in range(first, last + 1)]
    assert len(taken) == len(set(taken))


@pytest.mark.skipif(TREEBANKS is None, reason="DODONA_TREEBANKS names no folder with treebanks")
@pytest.mark.parametrize("name", ["en_ewt", "sv_lines", "fr_sequoia"])
def test_treebanks_as_by_the_definition(name: str) -> None:
    count = 0
    for part in ("dev", "test"):
        for sentence in read(Path(str(TREEBANKS), name, f"{part}.conllu.gz")):
            assert found(sentence) == naive_chunks(sentence), sentence.text
            count += len(sentence.noun_chunks)
    assert count > 5000


def test_what_is_no_tree_ends() -> None:
    assert find_noun_chunks([2, 1, None], ["NOUN"] * 3, ["nsubj", "obj", "_"]) == [(3, 3, 3)]
    assert find_noun_chunks([1], ["NOUN"], ["nsubj"]) == []


def test_a_chunk_is_a_sequence_of_tokens() -> None:
    sentence = make("see/VERB/0/root the/DET/3/det oaks/NOUN/1/obj ./PUNCT/1/punct")
    sentence.misc = ["_", "_", "SpaceAfter=No", "_"]
    (chunk,) = sentence.noun_chunks
    assert (chunk.first, chunk.last, chunk.root, len(chunk)) == (2, 3, sentence[2], 2)
    assert (list(chunk), chunk[0], chunk[-1:]) == (sentence[1:3], sentence[1], [sentence[2]])
    assert (str(chunk), repr(chunk)) == ("the oaks", "<NounChunk 2-3 'the oaks'>")
    assert (chunk.start, chunk.end) == (None, None)
    sentence.offsets = [(0, 3), (4, 7), (9, 13), (13, 14)]
    assert (chunk.start, chunk.end) == (4, 13)
    assert chunk == sentence.noun_chunks[0]
    assert len({chunk, sentence.noun_chunks[0]}) == 1
    assert str(pickle.loads(pickle.dumps(chunk))) == "the oaks"


def test_text_of_multiword_tokens() -> None:
    """The chunk of `du chat` begins in the middle of a token; that of `l'arbre` has no space."""
    sentence = Sentence.from_words(
        ["de", "le", "chat", "l'", "arbre"], ["ADP", "DET", "NOUN", "DET", "NOUN"], heads=[3, 3, 0, 5, 3],
        labels=["case", "det", "root", "det", "nmod"], misc=["_", "_", "_", "SpaceAfter=No", "_"],
        multiword=[(1, 2, "du")],
    )  # fmt: skip
    assert [str(chunk) for chunk in sentence.noun_chunks] == ["le chat", "l'arbre"]


def test_no_chunk_begins_or_ends_with_punctuation() -> None:
    """Not even where that hangs on a word inside of it; between words it stays."""
    upos, labels = ["PUNCT", "NOUN", "PUNCT", "PROPN", "PUNCT"], ["punct", "root", "punct", "flat", "punct"]
    assert find_noun_chunks([2, 0, 4, 2, 4], upos, labels) == [(2, 4, 2)]
