"""What actions make of a sentence: arcs, tokens, multiword tokens and sentences, and the text around them."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from dodona import DodonaError, OptionError, Sentence
from dodona.annotation.draft import Draft, join, split
from dodona.data.conllu import read_conllu
from dodona.data.marks import ASPECTS
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


# Everything that an edit changes, and nothing else

RICH = """# newdoc
# newpar
# sent_id = r
# text = Ana  can't, see New York (now).
# source = made up
# annotation = open
1\tAna\tAna\tPROPN\tN\tNumber=Sing\t5\tnsubj\t_\tSpacesAfter=\\s\\s|Gloss=a|Confirmed=arc,upos
2-3\tcan't\t_\t_\t_\tTypo=Yes\t_\t_\t_\tLang=en|SpaceAfter=No
2\tca\tcan\tAUX\tM\t_\t5\taux\t_\tSpaceAfter=No|Gloss=c
3\tn't\tnot\tPART\tR\tPolarity=Neg\t5\tadvmod\t_\t_
4\t,\t,\tPUNCT\tP\t_\t5\tpunct\t_\t_
5\tsee\tsee\tVERB\tV\t_\t0\troot\t0:root\tConfirmed=arc
6\tNew\tNew\tPROPN\tN\t_\t7\tcompound\t_\tGloss=n
7\tYork\tYork\tPROPN\tN\t_\t5\tobj\t5:obj|9.1:x\tChanged=arc
8\t(\t(\tPUNCT\tP\t_\t9\tpunct\t_\tSpaceAfter=No
9\tnow\tnow\tADV\tA\t_\t5\tadvmod\t_\tSpaceAfter=No|Gloss=t
9.1\tthen\tthen\tADV\tA\tPronType=Dem\t_\t_\t5:dep\tGloss=e
10\t)\t)\tPUNCT\tP\t_\t9\tpunct\t_\tSpaceAfter=No
11\t.\t.\tPUNCT\tP\t_\t5\tpunct\t_\tSpacesAfter=\\n

"""
WITHOUT_TEXT = "".join(line for line in RICH.splitlines(keepends=True) if not line.startswith("# text"))
NAMES = ("lemma", "upos", "xpos", "feats", "head", "label", "deps", "misc")
SURE = [None, 0.25, 0.5, 0.75, None, 0.5, None, 0.25, 0.75, 0.5, 1.0]
HELD = [8, 10, 11]
Difference = dict[str, Any]


def rich_draft(status: str | None = "open", conllu: str = RICH) -> Draft:
    """A sentence with everything: open, with guesses, two of them held; or, without a status, one of a treebank."""
    text = conllu if status else conllu.replace("# annotation = open\n", "")
    return Draft.from_json({"conllu": text, "status": status, "confidence": SURE, "held": HELD}, "it")


def describe_draft(draft: Draft) -> dict[str, Any]:
    """All of a draft by the forms of its nodes, which are different, and so are heads: what is only renumbered is the
    same. Whatever is empty is left out. What the journal has of it is read again."""
    assert Draft.from_json(draft.to_json(), "it").to_json() == draft.to_json()
    rows = [line.split("\t") for line in lines(draft) if line[0] != "#"]
    forms = {"_": "_", "0": "ROOT"} | {number: form for number, form, *_ in rows}
    hidden: dict[str, dict[str, Any]] = {
        word.form: {"sure": word.confidence, "held": word.held or None} for word in draft.words
    }
    described: dict[str, Any] = {"status": draft.status, "nodes": " ".join(row[1] for row in rows)}
    described |= {line.split()[1]: line for line in lines(draft) if line[0] == "#"}
    for _, form, *columns in rows:
        own: dict[str, Any] = dict(zip(NAMES, columns, strict=True))
        edges = [edge.partition(":") for edge in own["deps"].split("|")]
        own |= {
            "head": forms[own["head"]],
            "deps": "|".join(f"{forms[at]}{colon}{label}" for at, colon, label in edges),
        }
        own |= hidden.get(form, {})
        described[form] = {name: value for name, value in own.items() if value not in ("_", None)}
    return described


def find_difference(before: Draft, after: Draft) -> Difference:
    """What is not as it was: values by their columns, None where there is none any more."""
    old, new = describe_draft(before), describe_draft(after)
    difference: Difference = {}
    for name in dict.fromkeys([*old, *new]):
        one, other = old.get(name), new.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            keys = [key for key in dict.fromkeys([*one, *other]) if one.get(key) != other.get(key)]
            difference |= {name: {key: other.get(key) for key in keys}} if keys else {}
        elif one != other:
            difference[name] = other
    return difference


SHARES = {(1, "arc"): 1.0, (1, "upos"): 0.5, (2, "feats"): 0.5, (3, "lemma"): 0.49, (4, "upos"): 0.49}
EDITS: dict[str, tuple[Callable[[Draft], Draft], Difference]] = {
    "a head": (
        lambda d: d.set_arc(9, 7, "obl"),
        {"now": {"head": "York", "label": "obl", "misc": "SpaceAfter=No|Gloss=t|Changed=arc", "sure": None}},
    ),
    "a head without a label": (
        lambda d: d.set_arc(9, 7, None),
        {"now": {"head": "York", "label": None, "misc": "SpaceAfter=No|Gloss=t|Changed=arc", "sure": None}},
    ),
    "a head that closes a cycle": (
        lambda d: d.set_arc(5, 6, "obj"),
        {"see": {"head": "New", "label": "obj", "misc": "Changed=arc"}, "New": {"head": None, "label": None},
         "York": {"head": None, "label": None, "misc": None}},
    ),
    "another root behind": (
        lambda d: d.set_arc(7, 0, None),
        {"see": {"head": None, "label": None, "misc": None}, "York": {"head": "ROOT", "label": "root"}},
    ),
    "another root before": (
        lambda d: d.set_arc(1, 0, None),
        {"Ana": {"head": "ROOT", "label": "root", "misc": "SpacesAfter=\\s\\s|Gloss=a|Confirmed=upos|Changed=arc"},
         "see": {"head": None, "label": None, "misc": None}},
    ),
    "no root any more": (
        lambda d: d.set_arc(5, 10, None),
        {"see": {"head": ")", "label": None, "misc": "Changed=arc"}, "now": {"head": None, "label": None},
         ")": {"head": None, "label": None, "held": None}},
    ),
    "a form": (
        lambda d: d.set_value(9, "form", " soon "),
        {"nodes": "Ana can't ca n't , see New York ( soon then ) .",
         "text": "# text = Ana  can't, see New York (soon).", "(": {"head": "soon"}, "now": None,
         ")": {"head": "soon"},
         "soon": {"lemma": "now", "upos": "ADV", "xpos": "A", "head": "see", "label": "advmod",
                  "misc": "SpaceAfter=No|Gloss=t|Changed=token", "sure": 0.75}},
    ),
    "a form in a token": (
        lambda d: d.set_value(3, "form", "not"),
        {"nodes": "Ana can't ca not , see New York ( now then ) .", "n't": None,
         "not": {"lemma": "not", "upos": "PART", "xpos": "R", "feats": "Polarity=Neg", "head": "see", "label": "advmod",
                 "misc": "Changed=token", "sure": 0.5}},
    ),
    "a tag": (
        lambda d: d.set_value(9, "upos", "NOUN"),
        {"now": {"upos": "NOUN", "misc": "SpaceAfter=No|Gloss=t|Changed=upos"}},
    ),
    "another tag": (
        lambda d: d.set_value(9, "xpos", "X"),
        {"now": {"xpos": "X", "misc": "SpaceAfter=No|Gloss=t|Changed=upos"}},
    ),
    "features": (
        lambda d: d.set_value(9, "feats", "A=b"),
        {"now": {"misc": "SpaceAfter=No|Gloss=t|Changed=feats", "feats": "A=b"}},
    ),
    "no lemma": (
        lambda d: d.set_value(9, "lemma", " "),
        {"now": {"lemma": None, "misc": "SpaceAfter=No|Gloss=t|Changed=lemma"}},
    ),
    "a lemma with a space": (
        lambda d: d.set_value(9, "lemma", "right now"),
        {"now": {"lemma": "right now", "misc": "SpaceAfter=No|Gloss=t|Changed=lemma"}},
    ),
    "misc": (
        lambda d: d.set_value(9, "misc", "SpaceAfter=No|Gloss=u|Confirmed=arc"),
        {"text": "# text = Ana can't, see New York (now).", "now": {"misc": "SpaceAfter=No|Gloss=u"}},
    ),
    "misc in a token": (
        lambda d: d.set_value(3, "misc", "SpacesAfter=\\n"),
        {"n't": {"misc": "SpacesAfter=\\n"}},
    ),
    "some are confirmed": (
        lambda d: d.confirm([7, 8], ["head", "xpos"]),
        {"York": {"misc": "Confirmed=upos|Changed=arc"},
         "(": {"misc": "SpaceAfter=No|Confirmed=arc,upos", "sure": None, "held": None}},
    ),
    "a hole is confirmed": (
        lambda d: d.set_arc(5, 7, None).confirm([6, 7], []),
        {"see": {"head": "York", "label": None, "misc": "Changed=arc"},
         "New": {"misc": "Gloss=n|Confirmed=arc,upos,feats,lemma,token", "sure": None},
         "York": {"head": None, "label": None, "misc": "Confirmed=upos,feats,lemma,token"}},
    ),
    "some are released": (
        lambda d: d.release([1, 7], ["label", "xpos"]),
        {"Ana": {"misc": "SpacesAfter=\\s\\s|Gloss=a"}, "York": {"misc": None}},
    ),
    "what is sure": (
        lambda d: d.accept(lambda k, aspect: SHARES.get((k, aspect)), 0.5),
        {"Ana": {"misc": "SpacesAfter=\\s\\s|Gloss=a|Confirmed=arc,upos,token"},
         "ca": {"misc": "SpaceAfter=No|Gloss=c|Confirmed=feats"}},
    ),
    "no token of words": (
        lambda d: d.remove_multiword(2),
        {"nodes": "Ana ca n't , see New York ( now then ) .", "can't": None,
         "ca": {"misc": "Gloss=c|SpaceAfter=No|Changed=token"}, "n't": {"misc": "SpaceAfter=No|Changed=token"}},
    ),
    "a token of words": (
        lambda d: d.make_multiword(9, 10, " Now) "),
        {"nodes": "Ana can't ca n't , see New York ( Now) now then ) .",
         "text": "# text = Ana  can't, see New York (Now).", "now": {"misc": "Gloss=t|Changed=token"},
         ")": {"misc": "Changed=token"}, "Now)": {"misc": "SpaceAfter=No"}},
    ),
    "a token of words with a space": (
        lambda d: d.make_multiword(6, 7, " "),
        {"nodes": "Ana can't ca n't , see New York New York ( now then ) .", "New": {"misc": "Gloss=n|Changed=token"},
         "York": {"misc": "Changed=arc,token"}, "New York": {}},
    ),
    "a word is cut": (
        lambda d: d.split_token(9, 2),
        {"nodes": "Ana can't ca n't , see New York ( no w then ) .", "(": {"head": "no"}, "now": None,
         ")": {"head": "no"}, "no": {"misc": "Gloss=t|SpaceAfter=No|Changed=token"},
         "w": {"misc": "SpaceAfter=No|Gloss=t|Changed=token"}},
    ),
    "a word in a token is cut": (
        lambda d: d.split_token(2, 1),
        {"nodes": "Ana can't c a n't , see New York ( now then ) .", "ca": None,
         "c": {"misc": "Gloss=c|Changed=token"}, "a": {"misc": "Gloss=c|Changed=token"}},
    ),
    "a word is cut at a space": (
        lambda d: d.set_value(9, "form", "n ow").split_token(9, 1),
        {"nodes": "Ana can't ca n't , see New York ( n ow then ) .",
         "text": "# text = Ana  can't, see New York (n ow).", "(": {"head": "n"}, "now": None, ")": {"head": "n"},
         "n": {"misc": "Gloss=t|Changed=token"}, "ow": {"misc": "SpaceAfter=No|Gloss=t|Changed=token"}},
    ),
    "words are merged": (
        lambda d: d.merge_tokens(6, 7),
        {"New": None, "York": None,
         "New York": {"head": "see", "label": "obj", "deps": "see:obj|then:x", "misc": "Gloss=n|Changed=token"}},
    ),
    "words without a space are merged": (
        lambda d: d.merge_tokens(8, 9),
        {"nodes": "Ana can't ca n't , see New York (now then ) .", "(": None, "now": None, ")": {"head": "(now"},
         "(now": {"head": "see", "label": "advmod", "misc": "SpaceAfter=No|Changed=token"}},
    ),
    "a token becomes a word": (
        lambda d: d.merge_tokens(2, 3),
        {"nodes": "Ana can't , see New York ( now then ) .",
         "can't": {"feats": None, "misc": "Gloss=c|SpaceAfter=No|Changed=token", "head": "see", "label": "aux"},
         "ca": None, "n't": None},
    ),
    "a token is merged with a word": (
        lambda d: d.merge_tokens(1, 3),
        {"nodes": "Ana can't , see New York ( now then ) .", "Ana": None, "can't": None, "ca": None, "n't": None,
         "Ana can't": {"head": "see", "label": "nsubj", "misc": "Gloss=a|SpaceAfter=No|Changed=token"}},
    ),
    "the root is merged": (
        lambda d: d.merge_tokens(5, 6),
        {"Ana": {"head": "see New"}, "ca": {"head": "see New"}, "n't": {"head": "see New"}, ",": {"head": "see New"},
         "see": None, "New": None, "York": {"head": "see New", "deps": "see New:obj|then:x"},
         "now": {"head": "see New"}, "then": {"deps": "see New:dep"}, ".": {"head": "see New"},
         "see New": {"head": "ROOT", "label": "root", "deps": "ROOT:root", "misc": "Changed=token"}},
    ),
    "sentences are cut and joined": (
        lambda d: join(*split(d, 4, "r-2")),
        {"Ana": {"head": None, "label": None, "misc": "SpacesAfter=\\s\\s|Gloss=a|Confirmed=upos"},
         "ca": {"head": None, "label": None, "sure": None}, "n't": {"head": None, "label": None, "sure": None}},
    ),
    "roots are joined": (
        lambda d: join(split(d, 4, None)[0].set_arc(1, 0, None), split(d, 4, "r-2")[1]),
        {"Ana": {"head": "ROOT", "label": "root", "misc": "SpacesAfter=\\s\\s|Gloss=a|Confirmed=upos|Changed=arc"},
         "ca": {"head": None, "label": None, "sure": None}, "n't": {"head": None, "label": None, "sure": None},
         "see": {"head": None, "label": None, "misc": None}},
    ),
    "sentences are turned": (
        lambda d: join(*reversed(split(d, 6, "r-2"))),
        {"nodes": "New York ( now then ) . Ana can't ca n't , see", "newdoc": None, "newpar": None,
         "sent_id": "# sent_id = r-2", "text": "# text = New York (now). Ana  can't, see",
         "York": {"head": None, "label": None, "deps": "then:x", "misc": None},
         "now": {"head": None, "label": None, "sure": None}, "then": {"deps": None},
         ".": {"head": None, "label": None, "sure": None, "held": None}},
    ),
}  # fmt: skip

PARTS: list[tuple[int, int, Difference]] = [
    (4, 0, {"nodes": "Ana can't ca n't", "text": "# text = Ana  can't",
            "Ana": {"head": None, "label": None, "misc": "SpacesAfter=\\s\\s|Gloss=a|Confirmed=upos"},
            "ca": {"head": None, "label": None, "sure": None}, "n't": {"head": None, "label": None, "sure": None}}),
    (4, 1, {"nodes": ", see New York ( now then ) .", "sent_id": "# sent_id = r-2",
            "text": "# text = , see New York (now)."}),
    (6, 0, {"nodes": "Ana can't ca n't , see", "text": "# text = Ana  can't, see"}),
    (6, 1, {"nodes": "New York ( now then ) .", "sent_id": "# sent_id = r-2", "text": "# text = New York (now).",
            "York": {"head": None, "label": None, "deps": "then:x", "misc": None},
            "now": {"head": None, "label": None, "sure": None}, "then": {"deps": None},
            ".": {"head": None, "label": None, "sure": None, "held": None}}),
]  # fmt: skip


def test_a_sentence_with_guesses_comes_out_as_it_went_in() -> None:
    assert "\n".join(lines(rich_draft())) + "\n\n" == RICH
    assert describe_draft(rich_draft())["see"] == {
        "lemma": "see", "upos": "VERB", "xpos": "V", "head": "ROOT", "label": "root", "deps": "ROOT:root",
        "misc": "Confirmed=arc",
    }  # fmt: skip


@pytest.mark.parametrize("with_text", [True, False])
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_this_and_nothing_else(name: str, with_text: bool) -> None:
    """Nor is a text made up where there was none."""
    edit, expected = EDITS[name]
    before = rich_draft(conllu=RICH if with_text else WITHOUT_TEXT)
    assert find_difference(before, edit(before)) == {
        key: value for key, value in expected.items() if with_text or key != "text"
    }


@pytest.mark.parametrize("with_text", [True, False])
@pytest.mark.parametrize(("k", "part", "expected"), PARTS)
def test_a_part_of_a_sentence_has_this(k: int, part: int, expected: Difference, with_text: bool) -> None:
    before = rich_draft(conllu=RICH if with_text else WITHOUT_TEXT)
    own = split(before, k, "r-2")[part]
    there = find_difference(before, own)
    gone = [*before.forms, "can't", "then"] + (["newdoc", "newpar", "source"] if part else [])
    left = {key: value for key, value in there.items() if value is not None or key not in gone}
    assert left == {key: value for key, value in expected.items() if with_text or key != "text"}
    unnamed = find_difference(own, split(before, k, None)[part])
    assert unnamed == ({"sent_id": None} if part else {})


def test_where_all_counts_it_is_marked_before_something_is_left_open() -> None:
    """Whichever edit leaves it open; others leave it done."""
    before, opened = rich_draft(None), rich_draft(None).open_up()
    marks = {"Ana": "SpacesAfter=\\s\\s|Gloss=a|", "ca": "SpaceAfter=No|Gloss=c|", "New": "Gloss=n|"}
    marks |= dict.fromkeys("()", "SpaceAfter=No|") | {"now": "SpaceAfter=No|Gloss=t|", ".": "SpacesAfter=\\n|"}
    full = {form: f"{marks.get(form, '')}Confirmed=arc,upos,feats,lemma,token" for form in before.forms}
    full["York"] = "Confirmed=upos,feats,lemma,token|Changed=arc"
    for kind, draft in (("open", opened), ("done", rich_draft("open").finish()), ("done", before.finish())):
        described = describe_draft(draft)
        assert {form: described[form]["misc"] for form in before.forms} == full
        assert not any({"sure", "held"} & {*described[form]} for form in before.forms)
        assert (described["status"], described["annotation"]) == (kind, f"# annotation = {kind}")
    leaving_open = {
        "some are released",
        *(name for name in EDITS if "cut" in name or "merged" in name or "sent" in name),
    }
    leaving_open |= {"a token becomes a word"}
    for name in EDITS.keys() - {"a head that closes a cycle", "no root any more", "roots are joined"}:
        edit, _ = EDITS[name]
        if name == "a hole is confirmed":
            continue
        after = edit(before)
        assert after.status == ("open" if name in leaving_open else None), name
        if name in leaving_open:
            assert find_difference(before, after) == find_difference(before, edit(opened)), name


@pytest.mark.parametrize("status", ["open", None])
def test_all_arcs_of_a_taken_tree_are_held_guesses(status: str | None) -> None:
    before = rich_draft(status)
    heads = [5, 1, 2, 1, 0, 7, 5, 9, 5, 9, 5]
    taken = before.take(heads, [f"x{k}" for k in range(11)])
    released = before.release([], ["arc"])
    assert taken.status == "open"
    assert taken.words == tuple(
        word._replace(head=head, label=f"x{k}", confidence=None, held=True)
        for k, (word, head) in enumerate(zip(released.words, heads, strict=True))
    )
    assert replace(taken, words=()) == replace(released, words=())


@pytest.mark.parametrize("columns", list(product([True, False], repeat=5)))
def test_of_a_partial_sentence_each_value_counts_that_is_there(columns: tuple[bool, ...]) -> None:
    """Of a word that has any; the tags and the features of a word are from one hand."""
    arc, upos, xpos, feats, lemma = columns
    row = ["2", "b", "b" if lemma else "_", "X" if upos else "_", "x" if xpos else "_", "A=b" if feats else "_"]
    row += ["1", "dep"] if arc else ["_", "_"]
    draft = draft_of("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n" + "\t".join([*row, "_", "_"]) + "\n\n")
    expected = [name for name, there in (("arc", arc), ("upos", upos), ("feats", upos), ("lemma", lemma)) if there]
    first, second = draft.words
    assert [name for name in ASPECTS if second.has(name)] == (["arc"] if arc else []) + expected[arc:] + (
        ["token"] if expected else []
    )
    assert not any(map(first.has, ASPECTS))
    assert draft.status == "open"


def test_what_somebody_has_marked_is_no_guess_however_sure_a_parser_was() -> None:
    text = RICH.replace("Confirmed=arc\n", "Confidence=0.5|Confirmed=arc\n").replace(
        "Gloss=n", "Gloss=n|Confidence=0.5"
    )
    assert [draft_of(text).words[k - 1].confidence for k in (5, 6, 7)] == [None, 0.5, None]
    assert "\n".join(lines(draft_of(text))) + "\n\n" == RICH


def test_the_name_of_a_sentence_is_its_sent_id_or_its_text() -> None:
    assert [rich_draft(conllu=text).name for text in (RICH, RICH.replace("# sent_id = r\n", ""))] == [
        "r", "Ana  can't, see New York (now).",
    ]  # fmt: skip
    assert rich_draft(conllu=WITHOUT_TEXT).name == "r"


def test_edits_that_cannot_be_are_refused_at_both_ends() -> None:
    """The words before the first and after the last, values that a column cannot have, and words that overlap."""
    draft, n = rich_draft(), 11
    edits: list[Callable[[int], object]] = [
        lambda k: draft.set_arc(k, 1, "x"),
        lambda k: draft.set_value(k, "lemma", "x"),
        lambda k: draft.set_value(k, "form", "x"),
        lambda k: draft.confirm([k], ["arc"]),
        lambda k: draft.release([k], ["arc"]),
        lambda k: draft.split_token(k, 1),
        lambda k: draft.merge_tokens(min(k, n), max(k, 1)),
        lambda k: draft.make_multiword(min(k, n), max(k, 1), "x"),
    ]
    for edit in edits:
        for k in (-1, 0, n + 1):
            with pytest.raises(OptionError, match=f"word {k}; expected a number from 1 to {n}"):
                edit(k)
    for k in (1, n + 1):
        with pytest.raises(OptionError, match=f"a sentence of {n} words before word {k}; expected a number from 2"):
            split(draft, k, None)
    for label in ("_", "", "a b", "a\u3000b"):
        with pytest.raises(DodonaError, match=r"label|expected"):
            draft.set_arc(1, 2, label)
    with pytest.raises(OptionError, match="column 'size'; expected some of: arc, upos, feats, lemma, token"):
        draft.release([1], ["arc", "size"])
    with pytest.raises(OptionError, match="column 'head'; expected one of: upos, xpos, feats, lemma, form, misc"):
        draft.set_value(1, "head", "2")
    for first, last in ((3, 3), (4, 3)):
        for refused in (draft.merge_tokens, lambda a, b: draft.make_multiword(a, b, "x")):
            with pytest.raises(OptionError, match=f"words {first} to {last}; expected at least two, in"):
                refused(first, last)
    for first, last in ((1, 2), (3, 4), (1, 4), (2, 3)):
        with pytest.raises(OptionError, match="in no other multiword token"):
            draft.make_multiword(first, last, "x")
    for at in (-1, 0, 3):
        with pytest.raises(OptionError, match=f"'now' cannot be cut after {at} characters; expected two parts"):
            draft.split_token(9, at)
