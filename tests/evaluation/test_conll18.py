"""The scores of the shared task: worked by hand, and what must hold for any two files."""

import re
from itertools import pairwise
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.scored import treebank, trees

from dodona import FormatError, MismatchError, Sentence
from dodona.data.ud import UNIVERSAL_RELATIONS
from dodona.evaluation import METRICS, Score, evaluate
from dodona.evaluation.conll18 import align, flatten

TEXT = st.text(alphabet="abc", min_size=1, max_size=8)
GOLD = "la/DET/2/det fin/NOUN/0/root du=de/ADP/5/case+le/DET/5/det jour/NOUN/2/nmod ./PUNCT/2/punct"


@settings(max_examples=50, deadline=None, derandomize=True)
@given(TEXT.flatmap(trees))
def test_a_file_against_itself_is_perfect(sentence: str) -> None:
    scores = evaluate(treebank(sentence), treebank(sentence))
    assert tuple(scores) == METRICS
    for score in scores.values():
        assert score.correct == score.gold == score.system
        assert score.aligned in (None, score.gold)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(TEXT.flatmap(lambda text: st.tuples(trees(text, multiword=False), trees(text, multiword=False))))
def test_swapping_the_files_swaps_precision_and_recall(pair: tuple[str, str]) -> None:
    a, b = map(treebank, pair)
    there, back = evaluate(a, b), evaluate(b, a)
    for name in ("Tokens", "Sentences", "Words", "UPOS", "UAS", "LAS", "CLAS"):
        assert (there[name].precision, there[name].recall) == (back[name].recall, back[name].precision)
        assert there[name].f1 == back[name].f1


@settings(max_examples=50, deadline=None, derandomize=True)
@given(TEXT.flatmap(lambda text: st.tuples(trees(text), trees(text))))
def test_alignment_is_one_to_one_in_order_and_stays_in_place(pair: tuple[str, str]) -> None:
    gold, system = (flatten(treebank(sentence)) for sentence in pair)
    pairs = align(gold, system)
    for (g, s), (next_g, next_s) in pairwise(pairs):
        assert g < next_g
        assert s < next_s
    for g, s in pairs:
        if not gold.multiword[g] and not system.multiword[s] and gold.spans[g] != system.spans[s]:
            # only near a multiword token may words be matched by form alone
            assert gold.forms[g] == system.forms[s]
            assert any(gold.multiword) or any(system.multiword)


def test_a_multiword_token_left_whole() -> None:
    system = "la/DET/2/det fin/NOUN/0/root du/ADP/4/case jour/NOUN/2/nmod ./PUNCT/2/punct"
    scores = evaluate(treebank(GOLD), treebank(system))
    assert scores["Tokens"] == Score(5, 5, 5)
    assert scores["Words"] == Score(6, 5, 4)
    assert scores["UAS"] == scores["LAS"] == Score(6, 5, 4, 4)
    assert scores["CLAS"] == Score(2, 2, 2, 2)
    assert scores["MLAS"] == Score(2, 2, 1, 2)  # jour has lost its two function words, fin has kept its own
    assert (scores["LAS"].precision, scores["LAS"].recall) == (4 / 5, 4 / 6)
    assert scores["LAS"].f1 == 8 / 11
    assert scores["LAS"].aligned_accuracy == 1.0


def test_words_of_a_multiword_token_are_found_by_form_whatever_the_case() -> None:
    system = "la/DET/2/det fin/NOUN/0/root du=De/ADP/6/case+ce/X/6/dep+le/DET/6/det jour/NOUN/2/nmod ./PUNCT/2/punct"
    scores = evaluate(treebank(GOLD), treebank(system))
    assert scores["Words"] == Score(6, 7, 6)
    assert scores["LAS"] == Score(6, 7, 6, 6)
    assert scores["CLAS"] == Score(2, 3, 2, 2)


def test_a_word_that_sticks_out_of_a_multiword_token_is_not_found_by_form() -> None:
    gold = "abc=ab/X/0/root+cde/X/1/dep de/X/1/dep"
    system = "ab/X/0/root cde/X/1/dep"
    assert evaluate(treebank(gold), treebank(system))["Words"] == Score(3, 2, 1)
    assert evaluate(treebank(system), treebank(gold))["Words"] == Score(2, 3, 1)


def test_words_that_are_split_and_joined() -> None:
    gold = "ab/X/2/dep cd/X/0/root ef/X/2/obj"
    system = "a/X/2/dep bc/X/3/dep d/X/0/root ef/X/3/obj"
    scores = evaluate(treebank(gold), treebank(system))
    assert scores["Tokens"] == Score(3, 4, 1)
    assert scores["UAS"] == Score(3, 4, 0, 1)  # the head of ef is a word that gold does not have


def test_only_one_overlapping_word_is_passed_over_before_a_multiword_token() -> None:
    gold = "abcdef/X/0/root gh=cd/X/1/dep+x/X/1/dep"
    system = "ab/X/0/root cd/X/1/dep ef/X/1/dep gh/X/1/dep"
    assert evaluate(treebank(gold), treebank(system))["Words"] == Score(3, 4, 1)


def test_what_the_shared_task_leaves_out() -> None:
    gold = treebank("Hunde/NOUN/2/nsubj:pass/_/Number=Plur|Case=Nom bellen/VERB/0/root/bellen/Own=Yes")
    system = treebank("Hunde/NOUN/2/nsubj/Hund/Case=Nom|Number=Plur|Typo=Yes bellen/VERB/0/root/bell/Own=No")
    scores = evaluate(gold, system)
    assert scores["LAS"].correct == 2  # subtypes
    assert scores["UFeats"].correct == 2  # the order of features, and features that are not universal
    assert scores["Lemmas"].correct == 1  # a gold lemma that is not there asks for none
    assert scores["BLEX"].correct == 1
    assert scores["MLAS"].correct == 2


def test_a_space_inside_a_word_is_no_difference() -> None:
    gold, system = treebank("10\u00a0000/NUM/0/root"), treebank("10/NUM/0/root 000/NUM/1/flat")
    assert evaluate(gold, system)["Words"] == Score(1, 2, 0)


def test_sentences_in_another_order_are_another_text() -> None:
    first, second = "oak/NOUN/0/root", "leaf/NOUN/0/root"
    with pytest.raises(MismatchError, match=r".conllu:1: .* goes on with 'leafoak'; expected 'oakleaf' as in .*:1"):
        evaluate(treebank(first, second), treebank(second, first))
    with pytest.raises(MismatchError, match=r"with the end of the file; expected 'leaf'"):
        evaluate(treebank(first, second), treebank(first))


def test_sentences_with_the_same_words_in_another_order_score_less() -> None:
    first, second = "oak/NOUN/0/root oak/NOUN/1/flat", "oak/NOUN/2/flat oak/NOUN/0/root"
    assert evaluate(treebank(first, second), treebank(second, first))["UAS"].correct == 0


@pytest.mark.parametrize("side", [0, 1])
def test_a_missing_head_is_an_error_on_either_side(side: int) -> None:
    files = [treebank("oak/NOUN/0/root tree/NOUN/1/flat"), treebank("oak/NOUN/0/root tree/NOUN/1/flat")]
    files[side] = treebank("oak/NOUN/0/root tree/NOUN/_/_")
    with pytest.raises(FormatError, match="HEAD '_'"):
        evaluate(*files)


NEEDED = {  # of a word of an open sentence, to be counted by a metric
    "arc": {"UAS", "LAS", "CLAS", "MLAS", "BLEX"},
    "upos": {"UPOS", "XPOS", "AllTags", "MLAS"},
    "feats": {"UFeats", "AllTags", "MLAS"},
    "lemma": {"Lemmas", "BLEX"},
    "token": set[str](),
}
OF_CONTENT = set(UNIVERSAL_RELATIONS) - {"aux", "cop", "mark", "det", "clf", "case", "cc", "punct"}


def two_words(label: str = "obj", feats: str = "_", misc: str = "_", comments: tuple[str, ...] = ()) -> list[Sentence]:
    """A root word and one below it."""
    sentence = Sentence.from_words(
        ["a", "b"], ["NOUN"] * 2, xpos=["N"] * 2, lemmas=["a", "b"], feats=["_", feats], heads=[0, 1],
        labels=["root", label], misc=["Confirmed=arc,upos,feats,lemma,token", misc], comments=comments,
    )  # fmt: skip
    return [sentence]


@pytest.mark.parametrize("aspect", NEEDED)
def test_each_metric_counts_what_is_annotated(aspect: str) -> None:
    others = ",".join(each for each in NEEDED if each != aspect)
    gold = two_words(misc=f"Changed={others}", comments=("# annotation = open",))
    scores = evaluate(gold, two_words())
    for name in METRICS[3:]:
        count = 1 if name in NEEDED[aspect] else 2
        assert scores[name] == Score(count, count, count, count), name


@pytest.mark.parametrize("label", UNIVERSAL_RELATIONS)
def test_which_relations_are_those_of_content_and_function_words(label: str) -> None:
    scores = evaluate(two_words(label), two_words(label))
    for name in ("CLAS", "MLAS", "BLEX"):
        assert scores[name].gold == scores[name].system == 1 + (label in OF_CONTENT), name
    other_tag = two_words(label)
    other_tag[0].set_column("upos", ["NOUN", "X"])
    is_functional = label not in OF_CONTENT and label != "punct"
    assert evaluate(two_words(label), other_tag)["MLAS"].correct == int(not is_functional)


FEATURES = {
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
}  # fmt: skip


@pytest.mark.parametrize("name", [*sorted(FEATURES), "Typo", "Clusivity", "NounClass", "ExtPos", "Case[psor]"])
def test_which_features_are_universal(name: str) -> None:
    scores = evaluate(two_words(feats=f"{name}=A"), two_words(feats="_"))
    assert scores["UFeats"].correct == scores["AllTags"].correct == 1 + (name not in FEATURES)


def test_whole_errors_of_other_texts() -> None:
    def make(text: str, name: str) -> list[Sentence]:
        sentences = [Sentence.from_words([word], heads=[0], labels=["root"]) for word in text.split()]
        for k, sentence in enumerate(sentences):
            sentence.file, sentence.line = name, 10 * k + (name == "s")
        return sentences

    letters = "abcdefghijklmnopqrstuvwxyz"
    for gold, system, message in (
        (f"x {letters}", f"x {letters[1:]}", f"s:11: the text of this sentence goes on with {letters[1:21]!r}; "
         f"expected {letters[:20]!r} as in g:10"),
        ("x y", "x", "s:1: the text of this sentence goes on with the end of the file; expected 'y' as in g:10"),
        ("x", "x y", "s:11: the text of this sentence goes on with 'y'; expected the end of the file as in g:0"),
    ):  # fmt: skip
        with pytest.raises(MismatchError) as caught:
            evaluate(make(gold, "g"), make(system, "s"))
        assert str(caught.value) == message


def test_every_space_inside_a_word_is_left_out() -> None:
    blanks = [chr(k) for k in range(0x3001) if category(chr(k)) == "Zs"]
    assert len(blanks) == 17
    for blank in blanks:
        whole = [Sentence.from_words([f"a{blank}b"], heads=[0], labels=["root"])]
        assert evaluate(whole, two_words())["Tokens"] == Score(1, 2, 0)


def test_scores_in_a_notebook() -> None:
    """Three words of gold, two of the system, one of them right."""
    gold = [Sentence.from_words(["a", "b", "c"], heads=[0, 1, 1], labels=["root", "x", "x"])]
    system = [Sentence.from_words(["a", "bc"], heads=[0, 1], labels=["root", "x"])]
    rows = re.findall(r"<tr>(.*?)</tr>", evaluate(gold, system)._repr_html_(), re.S)
    cells = [re.sub("<[^>]*>", " ", row).split() for row in rows]
    assert cells[0] == ["gold", "system", "correct", "precision", "recall", "F1"]
    assert cells[-4] == ["LAS", "3", "2", "1", "50.00", "33.33", "40.00"]
    assert [row[0] for row in cells[1:]] == list(METRICS)
