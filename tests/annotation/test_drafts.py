"""What actions make of a sentence: arcs, tokens, multiword tokens and sentences, and the text around them."""

import random

import pytest

from dodona import DodonaError, Sentence
from dodona.annotation.draft import Draft, join, split
from dodona.data.conllu import read_conllu
from dodona.data.stream import only_sentences

CONLLU = """# sent_id = a
# text = Ana  can't see (New York) now.
# source = made up
1\tAna\tAna\tPROPN\tN\tNumber=Sing\t4\tnsubj\t_\tSpacesAfter=\\s\\s
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tM\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tR\tPolarity=Neg\t4\tadvmod\t_\t_
4\tsee\tsee\tVERB\tV\t_\t0\troot\t0:root|8.1:x\tGloss=look
5\t(\t(\tPUNCT\t(\t_\t7\tpunct\t_\tSpaceAfter=No
6\tNew\tNew\tPROPN\tN\t_\t7\tcompound\t_\t_
7\tYork\tYork\tPROPN\tN\t_\t4\tobj\t4:obj\tSpaceAfter=No
8\t)\t)\tPUNCT\t)\t_\t7\tpunct\t_\t_
8.1\tseen\tsee\tVERB\t_\t_\t_\t_\t4:dep\t_
9\tnow\tnow\tADV\tA\t_\t4\tadvmod\t_\tSpaceAfter=No
10\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


def draft_of(text: str = CONLLU) -> Draft:
    (sentence,) = only_sentences(read_conllu([text.encode()], "it"))
    return Draft.from_sentence(sentence)


def lines(draft: Draft) -> list[str]:
    return draft.to_sentence().to_bytes().decode().strip().split("\n")


def row(draft: Draft, number: str) -> list[str]:
    return next(line for line in lines(draft) if line.startswith(f"{number}\t")).split("\t")


def test_a_sentence_of_a_treebank_comes_out_as_it_went_in() -> None:
    draft = draft_of()
    assert draft.status is None
    assert draft.is_done
    assert "\n".join(lines(draft)) + "\n\n" == CONLLU
    assert draft.offsets == [
        (0, 3), (5, 10), (5, 10), (11, 14), (15, 16), (16, 19), (20, 24), (24, 25), (26, 29), (29, 30),
    ]  # fmt: skip


def test_a_parse_with_confidence_is_a_guess() -> None:
    draft = draft_of(CONLLU.replace("Gloss=look", "Gloss=look|Confidence=0.7"))
    assert draft.status == "open"
    assert [word.confidence for word in draft.words][3] == 0.7
    assert row(draft, "4")[9] == "Gloss=look"


def test_what_a_partial_sentence_has_counts() -> None:
    draft = draft_of(CONLLU.replace("\t7\tcompound", "\t_\t_"))
    assert draft.status == "open"
    assert not draft.counts(6, "arc")
    assert draft.counts(6, "upos")
    assert draft.counts(5, "arc")
    assert row(draft, "6")[9] == "Confirmed=upos,feats,lemma,token"


def test_arcs() -> None:
    draft = draft_of().set_arc(9, 7, "advmod:x")
    assert row(draft, "9")[6:10] == ["7", "advmod:x", "_", "SpaceAfter=No|Changed=arc"]
    assert draft.status is None
    with pytest.raises(DodonaError, match=r"“see” → “York” → “see”|“York” → “see” → “York”"):
        draft.set_arc(4, 7, "obj")
    for head in (4, 11, -1):
        with pytest.raises(DodonaError, match="Word 4 cannot have the head"):
            draft.set_arc(4, head, "obj")
    with pytest.raises(DodonaError, match="label"):
        draft.set_arc(4, 0, "a b")
    reopened = draft.open_up()
    turned = reopened.set_arc(4, 7, "obj")
    assert (turned.words[6].head, turned.counts(7, "arc")) == (None, False)  # it was in the way
    rooted = reopened.set_arc(7, 0, None)
    assert [word.head for word in rooted.words].count(0) == 1
    assert rooted.words[6].label == "root"


def test_marks_are_kept_apart() -> None:
    draft = draft_of().open_up().release([1], ["arc", "upos"]).set_value(1, "upos", "NOUN")
    assert row(draft, "1")[9] == "SpacesAfter=\\s\\s|Confirmed=feats,lemma,token|Changed=upos"
    assert row(draft.confirm([1], ["upos", "arc"]), "1")[9].endswith("|Confirmed=arc,feats,lemma,token|Changed=upos")
    assert row(draft.finish(), "1")[9].endswith("Changed=upos")
    assert draft.finish().status == "done"
    with pytest.raises(DodonaError, match="column"):
        draft.confirm([1], ["size"])
    with pytest.raises(DodonaError, match="Word 2 has no head"):
        draft.change(2, draft.words[1]._replace(head=None)).finish()


def test_accepting_what_is_sure() -> None:
    draft = draft_of(CONLLU.replace("Gloss=look", "Confidence=0.7"))
    sure = {(4, "arc"): 0.7, (1, "upos"): 0.9, (1, "lemma"): 0.69}
    accepted = draft.accept(lambda k, aspect: sure.get((k, aspect)), 0.7)
    assert [(k, w.marks) for k, w in enumerate(accepted.words, 1) if any(w.marks)] == [
        (1, (None, "confirmed", None, None, "confirmed")),
        (4, ("confirmed", None, None, None, None)),
    ]


def test_a_form_changes_the_text() -> None:
    draft = draft_of().set_value(6, "form", "Old")
    assert draft.text == "Ana  can't see (Old York) now."
    assert draft.offsets is not None
    inside = draft_of().set_value(2, "form", "can")
    assert inside.text == draft_of().text
    spaced = draft_of().set_value(5, "misc", "_")
    assert spaced.text == "Ana can't see ( New York) now."
    assert spaced.offsets is not None


def test_what_no_word_can_have() -> None:
    for column, value in (("form", " "), ("form", "_"), ("upos", "A B"), ("xpos", "A B"), ("feats", "A=B C")):
        with pytest.raises(DodonaError, match="expected"):
            draft_of().set_value(6, column, value)


@pytest.mark.parametrize(
    ("deps", "arc", "moved"),
    [
        ("4:obj", (9, "obl"), "9:obl"),
        ("2:nsubj|4:obj|8.1:dep|8.10:dep", (1, "obj"), "1:obj|2:nsubj|8.1:dep|8.10:dep"),
        ("4:obj:in", (9, "obj"), "9:obj:in"),
        ("4:obj:in", (9, "obl"), "9:obl"),
        ("4:obj|9:obl", (9, "obl"), "9:obl"),
        ("4:nsubj", (9, "obj"), "4:nsubj"),
        ("_", (9, "obj"), "_"),
        ("4:obj", (4, "obj"), "4:obj"),
    ],
)
def test_an_edge_that_is_the_arc_follows_it(deps: str, arc: tuple[int, str], moved: str) -> None:
    before = draft_of(CONLLU.replace("4:obj\t", f"{deps}\t"))
    after = before.set_arc(7, *arc).follow_arcs(before)
    assert row(after, "7")[6:9] == [str(arc[0]), arc[1], moved]
    assert [row(after, number)[8] for number in ("4", "8.1")] == ["0:root|8.1:x", "4:dep"]


def test_splitting_a_token() -> None:
    draft = draft_of().split_token(9, 2)
    assert draft.text == draft_of().text
    assert [word.form for word in draft.words][8:] == ["no", "w", "."]
    assert (row(draft, "9")[9], row(draft, "10")[9]) == (
        "SpaceAfter=No|Changed=token", "SpaceAfter=No|Changed=token",
    )  # fmt: skip
    assert row(draft, "11")[6] == "4"
    assert draft.words[8].head is None
    first = draft_of().split_token(1, 1)
    assert row(first, "5")[6:9] == ["0", "root", "0:root|9.1:x"]
    assert row(first, "9.1")[8] == "5:dep"
    assert row(first, "3-4")[1] == "can't"
    inner = draft_of().split_token(2, 1)
    assert (row(inner, "2-4")[1], inner.words[1].misc, inner.text) == ("can't", "_", draft_of().text)
    with pytest.raises(DodonaError, match="cannot be cut after 3"):
        draft_of().split_token(9, 3)


def test_merging_tokens() -> None:
    draft = draft_of().merge_tokens(6, 7)
    assert draft.text == draft_of().text
    assert draft.words[5].form == "New York"
    assert (draft.words[5].head, draft.words[5].label) == (4, "obj")
    assert row(draft, "6")[9] == "SpaceAfter=No|Changed=token"
    assert row(draft, "5")[6] == "6"
    assert row(draft, "7.1")[8] == "4:dep"
    whole = draft_of().merge_tokens(2, 3)
    assert (whole.words[1].form, whole.multiword, whole.text) == ("can't", (), draft_of().text)
    around = draft_of().merge_tokens(2, 4)
    assert (around.words[1].form, around.text) == ("can't see", draft_of().text)
    with pytest.raises(DodonaError, match="part of a multiword token"):
        draft_of().merge_tokens(3, 4)
    three = draft_of().split_token(2, 1).merge_tokens(2, 3)
    assert [each[:3] for each in three.multiword] == [(2, 3, "can't")]
    assert three.words[1].form == "ca"


def test_multiword_tokens() -> None:
    removed = draft_of().remove_multiword(2)
    assert removed.multiword == ()
    assert (removed.words[1].misc, removed.words[2].misc) == ("SpaceAfter=No", "_")
    assert removed.text == draft_of().text
    made = removed.make_multiword(2, 3, "")
    assert (made.multiword[0].form, made.words[1].misc, made.text) == ("can't", "_", draft_of().text)
    other = removed.make_multiword(2, 3, "cannot")
    assert other.text == "Ana  cannot see (New York) now."
    city = draft_of().make_multiword(6, 7, "NY")
    assert (city.multiword[1], city.text) == ((6, 7, "NY", "_", "SpaceAfter=No"), "Ana  can't see (NY) now.")
    with pytest.raises(DodonaError, match="no other multiword token"):
        draft_of().make_multiword(3, 4, "x")
    with pytest.raises(DodonaError, match="no multiword token begins"):
        draft_of().remove_multiword(3)


def test_splitting_and_joining_sentences() -> None:
    first, second = split(draft_of(), 5, "a-2")
    assert (first.text, second.text) == ("Ana  can't see", "(New York) now.")
    assert lines(first)[:3] == ["# sent_id = a", "# text = Ana  can't see", "# source = made up"]
    assert lines(second)[:3] == ["# sent_id = a-2", "# text = (New York) now.", "# annotation = open"]
    assert [word.head for word in second.words] == [3, 3, None, 3, None, None]
    assert row(second, "3")[9] == "SpaceAfter=No|Confirmed=upos,feats,lemma,token"
    assert row(second, "4.1")[8] == "_"
    joined = join(first, second)
    assert joined.text == "Ana  can't see (New York) now."
    assert [word.form for word in joined.words] == [word.form for word in draft_of().words]
    assert joined.heads == [4, 4, 4, 0, 7, 7, None, 7, None, None]
    assert [each[:3] for each in joined.multiword] == [(2, 3, "can't")]
    both = join(draft_of(), draft_of())
    assert both.heads.count(0) == 1
    assert [c for c in both.comments if "source" in c] == ["# source = made up"] * 2
    assert both.find_comment("sent_id") == "a"
    for k in (1, 11, 3):
        with pytest.raises(DodonaError):
            split(draft_of(), k, None)


def test_another_tree_is_taken_as_a_guess() -> None:
    draft = draft_of().take([2] + [0] + [2] * 8, ["x"] * 10)
    assert (draft.status, draft.heads[:3]) == ("open", [2, 0, 2])
    assert all(word.held and not word.has("arc") and word.has("upos") for word in draft.words)


def test_without_text_nothing_is_made_up() -> None:
    draft = Draft.from_sentence(Sentence.from_words(["a", "b"], heads=[0, 1], labels=["root", "dep"]))
    assert draft.merge_tokens(1, 2).comments == ()
    assert [part.comments for part in split(draft, 2, None)] == [(), ()]
    assert draft.text == "a b"
    assert draft.offsets == [(0, 1), (2, 3)]


# Enhanced graphs


def random_graph(chance: random.Random, n: int, name: str) -> Draft:
    """Words and empty nodes, also before the first word, with edges between any of them."""
    numbers = [str(k) for k in range(1, n + 1)]
    numbers += [f"{k}.{i}" for k in range(n + 1) for i in range(1, 1 + chance.choice([0, 0, 1, 2]))]
    numbers.sort(key=lambda number: tuple(map(int, number.split("."))))
    rows = []
    for number in numbers:
        heads = sorted({chance.choice(["0", *numbers]) for _ in range(chance.randint(0, 3))} - {number})
        deps = "|".join(f"{head}:{chance.choice('xyz')}" for head in heads) or "_"
        tree = ["_", "_"] if "." in number else ["0", "root"] if number == "1" else ["1", "dep"]
        rows.append("\t".join([number, f"{name}{number}", "_", "_", "_", "_", *tree, deps, "_"]))
    return draft_of("\n".join(rows) + "\n\n")


def shown_graph(draft: Draft) -> tuple[list[str], set[tuple[str, str, str]]]:
    """The forms of all nodes in their order, and edges between forms; a head that is no node is a KeyError."""
    rows = [line.split("\t") for line in lines(draft) if line[0] != "#"]
    form = {"0": "ROOT"} | {row[0]: row[1] for row in rows}
    pairs = [(row[1], dep.split(":")) for row in rows if row[8] != "_" for dep in row[8].split("|")]
    return [row[1] for row in rows], {(form[head], dependent, label) for dependent, (head, label) in pairs}


@pytest.mark.parametrize("seed", range(12))
def test_edges_and_empty_nodes_stay_what_they_were(seed: int) -> None:
    """Whatever is cut or joined, at every place: the same nodes in the same order, and between those that are still
    together the same edges. What a token that was cut hangs on is a hole."""
    chance = random.Random(seed)
    draft, other = random_graph(chance, 5, "w"), random_graph(chance, 3, "v")
    forms, edges = shown_graph(draft)
    words = [word.form for word in draft.words]
    for k in range(2, 6):
        place = forms.index(words[k - 1])
        for part, own in zip(split(draft, k, None), (forms[:place], forms[place:]), strict=True):
            assert shown_graph(part) == (own, {edge for edge in edges if {*edge[:2]} <= {"ROOT", *own}})
    others = shown_graph(other)
    assert shown_graph(join(draft, other)) == (forms + others[0], edges | others[1])
    assert shown_graph(join(other, draft)) == (others[0] + forms, edges | others[1])
    for k, word in enumerate(words, start=1):
        cut = [part for form in forms for part in ([word[0], word[1:]] if form == word else [form])]
        renamed = {tuple("w" if end == word else end for end in edge) for edge in edges if edge[1] != word}
        assert shown_graph(draft.split_token(k, 1)) == (cut, renamed)
    for first in range(1, 5):
        for last in range(first + 1, 6):
            merged = draft.merge_tokens(first, last)
            gone = words[first - 1 : last]
            new = merged.words[first - 1].form
            renamed = {
                tuple(new if end in gone else end for end in edge)
                for edge in edges
                if edge[1] not in gone[1:] and not {*edge[:2]} <= {*gone}
            }
            order = [new if form == gone[0] else form for form in forms if form not in gone[1:]]
            assert shown_graph(merged) == (order, renamed)
