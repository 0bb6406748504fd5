"""Patterns for trees: what is taken finds what a matcher finds that tries all assignments."""

from reference.matching import naive_matches

from dodona import FormatError, Pattern, Sentence

TOKENS = (
    b"pattern {", b"without {", b"with {", b"global {", b"}", b";", b"A", b"B", b"e:", b" [upos=NOUN]", b" []", b" -> ",
    b" < ", b" << ", b" >< ", b" -[nsubj]-> ", b"-[^det]->", b"-[1=nsubj, !2]->", b"*", b"|", b're"o.*"', b"/O/i",
    b'"oak"', b".lemma", b" = ", b" <> ", b"!Case", b"__id__", b"is_tree", b"-[E:obj]->", b"%", b"\n", b"Number[psor]",
)  # fmt: skip
OAK = Sentence.from_words(
    ["the", "oak", "grows"],
    ["DET", "NOUN", "VERB"],
    lemmas=["the", "oak", "grow"],
    feats=["_", "Case=Nom|Number=Sing", "_"],
    heads=[2, 3, 0],
    labels=["det", "nsubj", "root"],
    deps=["2:det", "3:nsubj", "0:root"],
)


def seeds() -> list[bytes]:
    return [
        b"pattern { V [upos=VERB]; V -[nsubj]-> S; S << V }",
        b"pattern { e: A -> B; f: B -> C; e.label <> f.label } without { A [Case] }",
        b'pattern { A [lemma=re"o.*"|the]; A.lemma <> "x"; A -> * } global { is_tree; !text }',
        b"pattern { A -[1=nsubj, enhanced=yes]-> B; A > B } with { C << B }",
    ]


def target(data: bytes) -> None:
    try:
        pattern = Pattern(data.decode(), max_steps=5000)
    except UnicodeDecodeError:
        raise FormatError("not UTF-8") from None
    matches = OAK.match(pattern)
    found = {tuple(sorted((*match.ids.items(), *match.edges.items()))) for match in matches}
    assert len(found) == len(matches)
    request = pattern.request
    if not request.conditions and not request.metadata:
        assert found == naive_matches(request, OAK), pattern
