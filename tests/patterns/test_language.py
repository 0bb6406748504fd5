"""Patterns as they are written: what each clause means, one by one, and what the errors show."""

import pickle
import re

import pytest

import dodona
from dodona import Pattern, PatternError, Sentence
from dodona.data.formats import read_stream
from dodona.data.stream import only_sentences

OAKS = """\
# sent_id = oaks
# text = The old oaks, she hears rustle.
1\tThe\tthe\tDET\tDT\tDefinite=Def\t3\tdet\t3:det\t_
2\told\told\tADJ\tJJ\tDegree=Pos\t3\tamod\t3:amod\t_
3\toaks\toak\tNOUN\tNNS\tNumber=Plur\t7\tnsubj\t7:nsubj\tSpaceAfter=No|Gloss=trees
4\t,\t,\tPUNCT\t,\t_\t6\tpunct\t6:punct\t_
5\tshe\tshe\tPRON\tPRP\tCase=Nom|Number=Sing|Number[psor]=Sing\t6\tnsubj:pass\t6:nsubj:pass\t_
6\thears\thear\tVERB\tVBZ\tTense=Pres\t0\troot\t0:root|7.1:conj:and\t_
7\trustle\trustle\tVERB\tVB\tVerbForm=Inf\t6\tccomp\t6:ccomp\tSpaceAfter=No
7.1\thears\thear\tVERB\tVBZ\t_\t_\t_\t6:conj\t_
8\t.\t.\tPUNCT\t.\t_\t6\tpunct\t6:punct\t_

"""


def sentence_of(text: str = OAKS) -> Sentence:
    (sentence,) = only_sentences(read_stream("conllu", [text.encode()], "oaks.conllu"))
    return sentence


def matches(pattern: str, text: str = OAKS) -> list[str]:
    return [match.describe() for match in sentence_of(text).match(pattern)]


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("V [upos=VERB]", ["V:6", "V:7"]),
        ("V [upos=VERB, Tense]", ["V:6"]),
        ("V [upos=VERB, !Tense]", ["V:7"]),
        ("V [upos=VERB]; V [Tense=Pres|Past]", ["V:6"]),
        ("V [upos<>VERB|PUNCT, xpos<>DT]", ["V:2", "V:3", "V:5"]),  # ROOT has no UPOS, and so none that differs
        ("V [Number<>Plur]", ["V:5"]),
        ("V [!upos]", ["V:0"]),
        ('V [form="__0__"]', ["V:0"]),
        ('V [form="."]', ["V:8"]),
        ("V [lemma=/O.*/i]", ["V:2", "V:3"]),
        ('V [lemma=re"o"]', []),  # an expression is about the whole value
        ('V [lemma=re"o.*|h..r"]', ["V:2", "V:3", "V:6"]),
        ("V [Gloss=trees]", ["V:3"]),
        ("V [SpaceAfter=No]", ["V:3", "V:7"]),
        ("V [Number__psor=Sing]", ["V:5"]),
        ("V [Number[psor]=Sing]", ["V:5"]),
        ("V [deprel=nsubj]", ["V:3"]),
        ("V [upos=DET]|[upos=ADJ, Degree=Pos]|[upos=NOUN, Number=Sing]", ["V:1", "V:2"]),
        ("V -[nsubj]-> S", ["V:7 S:3"]),
        ("V -[nsubj|nsubj:pass]-> S", ["V:6 S:5", "V:7 S:3"]),
        ("V -[1=nsubj]-> S", ["V:6 S:5", "V:7 S:3"]),
        ("V -[1=nsubj, 2=pass]-> S", ["V:6 S:5"]),
        ("V -[1=nsubj, !2]-> S", ["V:7 S:3"]),
        ("V -[2]-> S", ["V:6 S:5"]),
        ("V -[2=*]-> S", ["V:6 S:5"]),
        ("V -[1<>det|amod|punct|root|ccomp]-> S", ["V:6 S:5", "V:7 S:3"]),
        ("V -[^det|amod|punct|root|ccomp]-> S", ["V:6 S:5", "V:7 S:3"]),
        ('V -[re"nsubj.*"]-> S', ["V:6 S:5", "V:7 S:3"]),
        ("V -[/NSUBJ/i]-> S", ["V:7 S:3"]),
        ("R -[root]-> V", ["R:0 V:6"]),
        ("V -> S; V [upos=NOUN]", ["V:3 S:1", "V:3 S:2"]),
        ("e: V -[det]-> D", ["V:3 D:1 e:3>1:det"]),
        ("A < B; B [upos=NOUN]", ["A:2 B:3"]),
        ("A [upos=NOUN]; A > B", ["A:3 B:2"]),
        ("A << B; B [lemma=old]", ["A:0 B:2", "A:1 B:2"]),
        ("A >> B; A [lemma=the]", ["A:1 B:0"]),
        ("A -> *; A [upos=NOUN|PRON]", ["A:3"]),
        ("* -[root]-> A", ["A:6"]),
        ("A []; B []; A.lemma = B.lemma; A.__id__ < B.__id__", []),
        ("A [upos=VERB]; B [upos=VERB]; A.upos = B.upos", ["A:6 B:7", "A:7 B:6"]),
        ("A [upos=VERB]; B [upos=VERB]; A.upos = B.upos; A.__id__ < B.__id__", ["A:6 B:7"]),
        ("A [upos=VERB]; B [upos=VERB]; A.Tense <> B.Tense", []),  # one has none
        ("A [upos=PRON]; B [upos=NOUN]; A.Number <> B.Number", ["A:5 B:3"]),
        ('A [upos=VERB]; A.lemma = "hear"', ["A:6"]),
        ("A [upos=VERB]; A.lemma <> hear", ["A:7"]),
        ("e: A -> B; e.length >= 4", ["A:0 B:6 e:0>6:root", "A:7 B:3 e:7>3:nsubj"]),
        ("e: A -> B; e.delta > 1; A [upos]", ["A:6 B:8 e:6>8:punct"]),
        ("e: A -> B; e.label = punct; B [form=\",\"]", ["A:6 B:4 e:6>4:punct"]),
        ("e: A -> B; f: C -> D; e >< f; e.label = nsubj; f.label = punct", ["A:7 B:3 C:6 D:8 e:7>3:nsubj f:6>8:punct"]),
        ("e: A -[nsubj]-> B; f: C -[root]-> D; e >< f", ["A:7 B:3 C:0 D:6 e:7>3:nsubj f:0>6:root"]),
        ("V -[E:conj]-> W", ["V:6 W:7.1"]),
        ("V -[E:conj:and]-> W", ["V:7.1 W:6"]),
        ("e: V -> W; V -[enhanced=yes]-> W; W [upos=DET]", ["V:3 W:1 e:3>1:E:det", "V:3 W:1 e:3>1:det"]),
        ("e: V -[1=det, !enhanced]-> W", ["V:3 W:1 e:3>1:det"]),
        ("A -[1=ccomp, enhanced]-> B; B < C", ["A:6 B:7 C:7.1"]),
        ("A [upos=NOUN]; A -> B; A -[E:det]-> *", ["A:3 B:1", "A:3 B:2"]),  # an edge of each kind, and one match
        ("B [upos=DET]; A -> B; A -[E:det]-> *", ["B:1 A:3"]),
        ("", [""]),
    ],
)  # fmt: skip
def test_clauses(clauses: str, expected: list[str]) -> None:
    assert matches(f"pattern {{ {clauses} }}") == expected


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("without { V -[nsubj]-> S }", ["V:6"]),
        ("with { V -[nsubj]-> S }", ["V:7"]),
        ("without { V [Tense] }", ["V:7"]),
        ("without { V -[1=nsubj]-> S; S [upos=PRON] }", ["V:7"]),
        ("without { V -[nsubj]-> S } without { V [Tense] }", []),
        ("without { W -[ccomp]-> V; W [upos=VERB] } with { V << P; P [upos=PUNCT] }", ["V:6"]),
        ("without { V < W; W [upos=VERB] }", ["V:7"]),
        ("with { A << V } without { X [upos=X] }", ["V:6", "V:7"]),
        ("pattern { V -> C; C [upos=PRON] }", ["V:6 C:5"]),  # two blocks are one
    ],
)
def test_filters(rest: str, expected: list[str]) -> None:
    assert matches(f"pattern {{ V [upos=VERB] }} {rest}") == expected
    assert matches(f"{rest} pattern {{ V [upos=VERB] }}") in (expected, [" ".join(e.split()[::-1]) for e in expected])


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ("is_projective", False),
        ("is_not_projective", True),
        ("is_tree; is_forest; is_not_cyclic", True),
        ("is_cyclic", False),
        ("is_not_tree", False),
        ("sent_id = oaks", True),
        ('sent_id = "other"', False),
        ('text = re".*she.*"', True),
        ("text <> x; !speaker", True),
        ("speaker", False),
    ],
)
def test_conditions_of_the_sentence(conditions: str, holds: bool) -> None:
    assert matches(f"global {{ {conditions} }}") == [""] * holds


@pytest.mark.parametrize("key", ["sent_id", "text", "speaker"])
def test_the_first_of_several_comments_of_a_name_counts(key: str) -> None:
    """As in `Sentence.sent_id` and `Sentence.text`."""
    sentence = Sentence.from_words(["oak"], heads=[0])
    sentence.set_comments(["# x", f"# {key} = one", f"# {key} = two", f"#{key}=three"])
    assert [bool(sentence.match(f"global {{ {key} = {value} }}")) for value in ("one", "two", "three")] == [1, 0, 0]
    assert key == "speaker" or getattr(sentence, key) == "one"


@pytest.mark.parametrize(
    ("heads", "true"),
    [
        ([2, 0, 2], {"tree", "forest", "projective"}),
        ([2, None, 2], {"forest", "projective"}),
        ([2, 1, 0], {"cyclic"}),
        ([3, 4, 0, 3], {"tree", "forest"}),
        ([0, 0, 2], {"tree", "forest", "projective"}),
    ],
)
def test_kinds_of_graphs(heads: list[int | None], true: set[str]) -> None:
    sentence = Sentence.from_words([*"abcd"][: len(heads)], heads=heads)
    for kind in ("tree", "forest", "projective", "cyclic"):
        assert len(sentence.match(f"global {{ is_{kind} }}")) == (kind in true)
        assert len(sentence.match(f"global {{ is_not_{kind} }}")) == (kind not in true)


@pytest.mark.parametrize(
    ("pattern", "line", "column", "message"),
    [
        ("", 1, 1, "an empty pattern"),
        ("match { V [] }", 1, 1, "the word is `pattern`"),
        ("pattern { V [upos=VERB }", 1, 24, "expected `,` or `]` after a feature"),
        ("pattern {\n  V -[nsubj]- S\n}", 2, 13, "expected `->` after the label"),
        ("pattern { V ->> S }", 1, 13, "paths (`->>`) are not here"),
        ("pattern { V -[a]->> S }", 1, 17, "paths (`->>`) are not here"),
        ("pattern { V <> S }", 1, 13, "expected features, as in A.lemma <> B.lemma"),
        ("pattern { V [upos=VERB] S }", 1, 25, "expected `;` or `}` after a clause"),
        ('pattern { V [lemma=re"("] }', 1, 20, "this is no regular expression"),
        ('pattern { V [lemma="grow] }', 1, 20, "a quote or an expression that does not end"),
        ("pattern { V [__id__=3] }", 1, 14, "expected it in comparisons only"),
        ("pattern { V [] ; W.lemma = V.lemma }", 1, 18, "there is no name 'W'"),
        ("pattern { e: A -> B; e -> A }", 1, 22, "'e' is the name of an edge"),
        ("pattern { e: A -> B; e: B -> C }", 1, 22, "two edges of the name 'e'"),
        ("pattern { e: A -> * }", 1, 14, "expected names for both nodes of this edge"),
        ("pattern { * -> * }", 1, 11, "expected names for both nodes of this edge"),
        ("pattern { e: A -> B; A >< e }", 1, 22, "'A' is the name of a node"),
        ("pattern { e: A -> B; e.lemma = x }", 1, 22, "an edge has no feature 'lemma'"),
        ("pattern { A [] } global { is_planar }", 1, 27, "expected one of: is_projective"),
        ("pattern { A -> B", 1, 17, "the end"),
        ("pattern { A [UPOS=VERB] }", 1, 14, "there is no feature 'UPOS'; expected upos"),
        ("pattern { A []; A.Lemma = x }", 1, 19, "there is no feature 'Lemma'; expected lemma"),
        ("pattern { A -[1=comp, deep=x]-> B }", 1, 15, "a label has no part 'deep'; expected 1, 2, 3, enhanced"),
        ("pattern { e: A -> B; f: B -> C; e << f }", 1, 33, "'e' is the name of an edge"),
        ("pattern { " + "; ".join(f"N{k} []" for k in range(61)) + " }", 1, 481, "at most 60 nodes and edges"),
    ],
)  # fmt: skip
def test_errors_show_the_place(pattern: str, line: int, column: int, message: str) -> None:
    with pytest.raises(PatternError, match=re.escape(message)) as caught:
        Pattern(pattern)
    first, shown, caret = str(caught.value).split("\n")
    assert first.startswith(f"pattern, line {line}, column {column}: ")
    source = pattern.split("\n")[line - 1]
    assert shown[len(caret) - 1 :][:10] == source[column - 1 :][:10]  # a long line is cut around the place
    assert shown.removeprefix("  ") in source


ERRORS = """\
pattern { V [upos>3] } | 18 | `>` in brackets; expected it as a clause: N.feature < 3
pattern { V [upos<=3] } | 18 | `<=` in brackets; expected it as a clause: N.feature < 3
pattern { V -[1=a]- S } | 19 | '-'; expected `->` after the label of an edge
pattern { V -[a S } | 17 | 'S'; expected `|` or `]` after a label
pattern { V = S } | 13 | '='; expected `[`, `:`, `->`, `-[`, `<`, `<<`, `><` or `.` after a name
pattern { 3 } | 11 | '3'; expected a clause: N [upos=VERB], N -[nsubj]-> M, N < M, N.lemma = M.lemma
pattern { e: 3 } | 14 | '3'; expected the name of the node that the edge comes from
pattern { A -> 3 } | 16 | '3'; expected the name of the node that the edge leads to, or `*`
pattern { A < 3 } | 15 | '3'; expected the name of a node
pattern { A >< 3 } | 16 | '3'; expected the name of an edge
pattern { A [] | B } | 18 | 'B'; expected `[`: another list of features
pattern { A [!] } | 15 | ']'; expected the name of a feature
pattern { A. } | 14 | '}'; expected the name of a feature
pattern { A [a=] } | 16 | ']'; expected a value: plain, "in quotes", or re"an expression"
pattern { A []; A.x B } | 21 | 'B'; expected `=`, `<>`, `<`, `<=`, `>` or `>=`
pattern { A []; A.x < b } | 23 | 'b'; expected a number, or a feature such as B.lemma
pattern { A []; A.x = /a } | 23 | a quote or an expression that does not end; expected "…", re"…" or /…/
pattern { A [a=/(/] } | 16 | this is no regular expression (missing ), unterminated subpattern at position 0); \
expected one of Python's
pattern { A [__id__<3] } | 14 | __id__ in brackets; expected it in comparisons only: A.__id__ < B.__id__
pattern { A - B } | 13 | '-'; expected `->` or `-[label]->`
pattern { e: A -> B; e.x = 1 } | 22 | an edge has no feature 'x'; \
expected label, length, delta, or a part of the label: 1, 2, 3
pattern { A [] } without { A [XPOS=x] } | 31 | there is no feature 'XPOS'; expected xpos
pattern { A [] } without { B.x = 1 } | 28 | there is no name 'B'; expected one of the names in the pattern: A
pattern { A [] } with { e: A -> B } without { e.x = 1 } | 47 | there is no name 'e'; \
expected one of the names in the pattern: A
pattern { e: A -> B } without { e: B -> A } | 33 | two edges of the name 'e'; expected another name
pattern { e: A -> B } without { A [] | 37 | the end; expected `}`
pattern { A [] } global { is_tree is_tree } | 35 | 'is_tree'; expected `;` or `}` after a condition
pattern { A [] } global { is_planar } | 27 | 'is_planar'; expected one of: is_projective, is_not_projective, is_tree, \
is_not_tree, is_forest, is_not_forest, is_cyclic, is_not_cyclic
nothing { } | 1 | 'nothing'; expected pattern, without, with or global
rule { } | 1 | 'rule'; rules that change graphs are not here; this is a search
strat { } | 1 | 'strat'; strategies are not here; this is a search
package { } | 1 | 'package'; packages of rules are not here; this is a search
pattern A | 9 | 'A'; expected `{`
"""


@pytest.mark.parametrize("line", ERRORS.splitlines())
def test_whole_errors(line: str) -> None:
    pattern, column, message = line.rsplit(" | ", 2)
    with pytest.raises(PatternError) as caught:
        Pattern(pattern)
    caret = " " * (int(column) - 1) + "^"
    assert str(caught.value) == f"pattern, line 1, column {column}: {message}\n  {pattern}\n  {caret}"


def test_a_long_line_is_cut_around_the_place() -> None:
    """Eighty letters before it and after it."""
    for before in (10, 79, 80, 300):
        pattern = " " * before + "3" + "x" * 200
        with pytest.raises(PatternError) as caught:
            Pattern("pattern {" + pattern)
        _, shown, caret = str(caught.value).split("\n")
        column = 9 + before + 1
        cut = max(0, column - 80)
        assert shown == "  " + ("pattern {" + pattern)[cut : cut + 160]
        assert caret == "  " + " " * (column - 1 - cut) + "^"
    for length, shown_length in ((160, 160), (161, 160)):
        with pytest.raises(PatternError) as caught:
            Pattern("3" + "x" * (length - 1))
        assert len(str(caught.value).split("\n")[1]) == 2 + shown_length


def test_how_long_a_pattern_may_be() -> None:
    short = "pattern { A [] }"
    assert Pattern(short + " " * (20_000 - len(short))).nodes == ["A"]
    with pytest.raises(PatternError, match="pattern: 20,001 characters; expected at most 20,000"):
        Pattern(short + " " * (20_001 - len(short)))


@pytest.mark.parametrize("feature", ["form", "lemma", "upos", "xpos", "deprel"])
def test_features_of_words_are_written_small(feature: str) -> None:
    for wrong in (feature.upper(), feature.title()):
        for pattern in ("A [{}]", "A [!{}]", "A []; A.{} = x", "A []; B []; A.lemma = B.{}"):
            with pytest.raises(PatternError, match=f"there is no feature '{wrong}'; expected {feature}"):
                Pattern(f"pattern {{ {pattern.format(wrong)} }}")
    sentence = Sentence.from_words(["w"], ["w"], lemmas=["w"], xpos=["w"], labels=["w"], heads=[0])
    assert len(sentence.match(f"pattern {{ A [{feature}=w] }}")) == 1
    assert len(sentence.match(f"pattern {{ A [{feature}=v] }}")) == 0


@pytest.mark.parametrize(
    "pattern",
    [
        "pattern { A [x=PLACE] }", "pattern { A [x=1] | [y=PLACE] }", "pattern { A -[PLACE]-> B }",
        "pattern { A -[1=PLACE]-> B }", "pattern { e: A -[^PLACE]-> B }", "pattern { A []; A.x = PLACE }",
        "pattern { A []; A.x <> PLACE }", "pattern { A [] } without { A [x=PLACE] }",
        "pattern { A [] } with { A -[PLACE]-> B }", "pattern { A [] } without { A.x = PLACE }",
        "pattern { A [] } global { x = PLACE }", "pattern { * -[PLACE]-> B }",
    ],
)  # fmt: skip
def test_all_expressions_of_a_pattern(pattern: str) -> None:
    """Wherever one may stand, also several beside values."""
    for values, expected in (('re"a+"', ["a+"]), ("b|/c*/", ["c*"]), ('/a/|x|re"b"', ["a", "b"]), ("x", [])):
        request = Pattern(pattern.replace("PLACE", values)).request
        assert [each.pattern for each in request.expressions] == expected


def test_a_pattern_of_free_nodes_ends_and_names_the_sentence() -> None:
    sentence = Sentence.from_words(["oak"] * 20, comments=["# sent_id = long"])
    free = "; ".join(f"N{k} []" for k in range(10))
    with pytest.raises(PatternError, match=r"more than 1,000,000 steps in a sentence \(long\), which has 20 words"):
        sentence.match(f"pattern {{ {free} }}")
    with pytest.raises(PatternError, match="more than 1,000 steps"):
        sentence.match(Pattern(f"pattern {{ A [] }} without {{ {free}; N0.form <> N9.form }}", max_steps=1000))
    assert len(sentence.match(Pattern("pattern { A []; B [] }", max_steps=21 + 21 * 21))) == 21 * 20
    with pytest.raises(PatternError, match="steps"):
        sentence.match(Pattern("pattern { A []; B [] }", max_steps=20 + 21 * 21))


def test_a_long_chain_takes_few_steps() -> None:
    n = 300
    sentence = Sentence.from_words(["oak"] * n, heads=[*range(n)], labels=["root"] + ["nmod"] * (n - 1))
    chain = "; ".join(f"N{k} -[nmod]-> N{k + 1}" for k in range(50))
    assert len(sentence.match(f"pattern {{ {chain} }}")) == n - 50


def test_a_match_gives_tokens_and_values() -> None:
    sentence = sentence_of()
    (match,) = dodona.search("pattern { R -[root]-> V; e: V -[ccomp]-> C }", [sentence])
    assert match["V"] == sentence[5]
    assert match["R"] is None
    assert match.ids == {"R": "0", "V": "6", "C": "7"}
    assert match.edges == {"e": ("6", "7", "ccomp")}
    assert (match.value("V.lemma"), match.value("e.length"), match.value("V.Case")) == ("hear", "1", None)
    assert match.words() == {6: "V", 7: "C"}
    assert match.arcs() == {6, 7}
    with pytest.raises(dodona.OptionError, match="no node 'X' in this pattern; it has: R, V, C"):
        match["X"]
    again = pickle.loads(pickle.dumps(match.pattern))
    assert len(sentence.match(again)) == 1


def test_empty_nodes_have_their_own_numbers_and_places() -> None:
    """7.1 is the ninth node, and stands before word 8: in all that a match says of it."""
    for pattern, edge in (
        ("A -[E:conj]-> B", ("6", "7.1", "E:conj")),
        ("A -[E:conj:and]-> B", ("7.1", "6", "E:conj:and")),
    ):
        (match,) = sentence_of().match(f"pattern {{ e: {pattern} }}")
        assert match.edges == {"e": edge}
        assert match.ids == {"A": edge[0], "B": edge[1]}
        assert match.describe() == f"A:{edge[0]} B:{edge[1]} e:{edge[0]}>{edge[1]}:{edge[2]}"
        places = {"6": "6", "7.1": "8"}
        assert (match.value("A.__id__"), match.value("B.__id__")) == (places[edge[0]], places[edge[1]])
        assert match.value("e.length") == "2"
        assert match.value("e.delta") == ("2" if edge[1] == "7.1" else "-2")
        assert match.to_dict() == {"nodes": match.ids, "edges": {"e": [*edge]}}
        empty = "B" if edge[1] == "7.1" else "A"
        assert match[empty] is None
        assert match.words() == {6: "A" if empty == "B" else "B"}
        assert match.values([f"{empty}.form", f"{empty}.upos", f"{empty}.Tense", "file"]) == (
            "hears", "VERB", "_", "oaks.conllu"
        )  # fmt: skip
    assert matches("A -[E:conj]-> B; B < C".join(["pattern { ", " }"])) == ["A:6 B:7.1 C:8"]


def test_a_comment_may_have_any_name_or_be_absent() -> None:
    for condition, count in (("text", 1), ("!text", 0), ("!is_odd", 1), ("sent_id = oaks", 1), ("sent_id <> oaks", 0)):
        assert len(sentence_of().match(f"pattern {{ V [form=hears, Tense] }} global {{ {condition} }}")) == count


def test_arcs_are_those_of_the_tree() -> None:
    """An edge of DEPS is one only where the tree has it, too."""
    tokens = [
        {"form": "a", "head": 0, "deprel": "root", "deps": "0:root"},
        {"form": "b", "head": 1, "deprel": "dep", "deps": "1:conj|3:nsubj"},
        {"form": "c", "head": 1, "deprel": "dep", "deps": "1:conj"},
    ]
    sentence = Sentence.from_dict({"tokens": tokens})
    for label, arcs in (("nsubj", [set()]), ("conj", [{2}, {3}])):
        assert [match.arcs() for match in sentence.match(f"pattern {{ A -[E:{label}]-> B }}")] == arcs


def test_the_function_has_the_name_of_a_folder_and_works_all_the_same() -> None:
    import dodona.search.greedy as folder

    assert folder.GreedySearch.__module__ == "dodona.search.greedy"
    from dodona import search

    assert [match.describe() for match in search("pattern { V [lemma=hear] }", [sentence_of()])] == ["V:6"]


def test_changed_columns_are_searched() -> None:
    sentence = sentence_of()
    sentence.upos = ["NOUN"] * 8
    sentence.set_tree([0, 1, 1, 1, 1, 1, 1, 1], ["root"] + ["nmod"] * 7)
    assert len(sentence.match("pattern { A [upos=NOUN]; A -[nmod]-> B }")) == 7


def test_bad_deps_are_told_with_their_place() -> None:
    with pytest.raises(dodona.FormatError, match=r"oaks.conllu:1: DEPS '77:ccomp' of node 7; expected HEAD:DEPREL"):
        matches("pattern { A -[E:ccomp]-> B }", OAKS.replace("6:ccomp", "77:ccomp"))
