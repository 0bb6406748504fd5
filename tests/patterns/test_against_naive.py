"""The matcher finds what a naive one finds that tries all assignments: random patterns, random sentences."""

import random

import pytest
from reference.matching import naive_matches

from dodona import Pattern, PatternError, Sentence
from dodona.patterns.language import parse_pattern

FORMS, LEMMAS, TAGS = ("oak", "oaks", "grow", "the"), ("oak", "grow", "the", "_"), ("NOUN", "VERB", "DET", "_")
FEATS = ("_", "Case=Nom", "Case=Acc|Number=Sing", "Number=Plur", "Number[psor]=Sing")
MISC = ("_", "SpaceAfter=No", "Gloss=oak|SpaceAfter=No", "Case=Gen", "Flag")
LABELS = ("nsubj", "nsubj:pass", "obj", "det", "obl:in:acc", "_")


def random_sentence(chance: random.Random, enhanced: bool) -> Sentence:
    """A sentence with any heads at all: crossing, with cycles, with words that have none; with `enhanced`, with DEPS
    and empty nodes."""
    n = chance.randint(1, 5)
    numbers = [str(k) for k in range(1, n + 1)]
    if enhanced and chance.random() < 0.7:
        numbers.insert((after := chance.randint(0, n)), f"{after}.1")
        if chance.random() < 0.3:
            numbers.insert(after + 1, f"{after}.2")
    lines = []
    for number in numbers:
        head = "_" if chance.random() < 0.1 else str(chance.randint(0, n))
        deps = sorted(
            {f"{chance.choice(['0', *numbers])}:{chance.choice(LABELS[:5])}" for _ in range(chance.randint(0, 3))}
        )
        is_empty = "." in number
        lines.append([
            number, chance.choice(FORMS), chance.choice(LEMMAS), chance.choice(TAGS), "_", chance.choice(FEATS),
            "_" if is_empty else head, "_" if is_empty else chance.choice(LABELS),
            "|".join(deps) if enhanced and deps else "_", chance.choice(MISC),
        ])  # fmt: skip
    return next(iter(sentences_of("\n".join("\t".join(line) for line in lines) + "\n\n")))


def sentences_of(text: str) -> list[Sentence]:
    from dodona.data.conllu import read_conllu
    from dodona.data.stream import only_sentences

    return list(only_sentences(read_conllu([text.encode()], "test", strict=False)))


def random_pattern(chance: random.Random, enhanced: bool) -> str:
    """A pattern with up to three nodes, and filters with one more."""
    names = ["A", "B", "C"][: chance.randint(1, 3)]
    edges: list[str] = []
    clauses = [random_clause(chance, names, edges, enhanced) for _ in range(chance.randint(not enhanced, 4))]
    if enhanced:  # perhaps this clause alone, for which there is a way of its own; between two nodes are several edges
        target, label = chance.choice(["*", *names]), chance.choice(["E:obj", "enhanced=yes", "!enhanced"])
        name = "g: " if target != "*" and chance.random() < 0.5 else ""
        clauses.append(f"{name}{chance.choice(names)} -[{label}]-> {target}")
    text = f"pattern {{ {'; '.join(clauses)} }}"
    known = [name for name in names if any(name in clause for clause in clauses)]
    for _ in range(chance.choice([0, 0, 1, 2])):
        more = [*known, chance.choice(["D", "E"])] if chance.random() < 0.7 else known
        inner = [random_clause(chance, more or ["A"], list(edges), enhanced) for _ in range(chance.randint(1, 2))]
        text += f" {chance.choice(['without', 'without', 'with'])} {{ {'; '.join(inner)} }}"
    return text


def random_clause(chance: random.Random, names: list[str], edges: list[str], enhanced: bool) -> str:
    one, other = chance.choice(names), chance.choice(names)
    kind = chance.choice(["node", "node", "edge", "edge", "named", "order", "compare", "any", "edges"])
    if kind == "edge":
        return f"{one} {random_arrow(chance, enhanced)} {other}"
    if kind == "named" and len(edges) < 2:
        edges.append("ef"[len(edges)] + "x" * chance.randint(0, 1))
        if edges.count(edges[-1]) == 1:
            return f"{edges[-1]}: {one} {random_arrow(chance, enhanced)} {other}"
    if kind == "order":
        return f"{one} {chance.choice(['<', '<<', '>', '>>'])} {other}"
    if kind == "any":
        arrow = random_arrow(chance, enhanced)
        return f"* {arrow} {one}" if chance.random() < 0.5 else f"{one} {arrow} *"
    if kind == "compare":
        feature = chance.choice(["lemma", "form", "upos", "Case", "Number[psor]", "deprel"])
        right = chance.choice([f"{other}.{feature}", "oak", '"grow"', 're"o.*"', f"{other}.lemma"])
        compared = f"{one}.{feature} {chance.choice(['=', '<>'])} {right}"
        if chance.random() < 0.3:
            compared = f"{one}.__id__ {chance.choice(['<', '<=', '>', '>='])} {other}.__id__"
        return f"{one} []; {other} []; {compared}"
    if kind == "edges" and len(edges) == 2 and edges[0] != edges[1]:
        relations = ["{} >< {}", "{}.label = {}.label", "{}.label <> {}.label", "{}.1 = {}.1", "{}.length < {}.length"]
        return chance.choice(relations).format(*edges)
    return f"{one} {random_features(chance)}" + (f"|{random_features(chance)}" if chance.random() < 0.2 else "")


def random_features(chance: random.Random) -> str:
    tests = [
        "upos=NOUN", "upos=NOUN|VERB", "upos<>NOUN", "!upos", "upos", "lemma=oak", 'lemma="grow"', 'lemma=re"o.*"|the',
        "form=/OAKS?/i", "Case", "!Case", "Case=Nom", "Case<>Nom", "Number__psor=Sing", "SpaceAfter=No", "Gloss",
        "Flag", "deprel=nsubj", 'form="__0__"', "!lemma", "Case=*",
    ]  # fmt: skip
    return f"[{', '.join(chance.sample(tests, chance.choice([0, 1, 1, 1, 2])))}]"


def random_arrow(chance: random.Random, enhanced: bool) -> str:
    labels = [
        "->", "->", "-[nsubj]->", "-[nsubj|obj]->", "-[^det]->", "-[^nsubj|obj]->", '-[re"nsubj.*"]->', "-[1=nsubj]->",
        "-[1=nsubj, 2=pass]->", "-[1=nsubj, !2]->", "-[1<>nsubj]->", "-[2]->", "-[1=obl, 3=acc]->",
    ]  # fmt: skip
    more = ["-[E:nsubj]->", "-[enhanced=yes]->", "-[1=obj, !enhanced]->", "-[E:nsubj|nsubj]->"]
    return chance.choice(labels + 3 * more * enhanced)


def is_valid(text: str) -> bool:
    """Whether the names in a pattern fit together: a random one may name an edge that is not there."""
    try:
        parse_pattern(text)
    except PatternError:
        return False
    return True


def compare(seed: int) -> bool:
    """Compare the two for one pattern and some sentences; return whether there was a match."""
    chance = random.Random(seed)
    enhanced = chance.random() < 0.3
    text = random_pattern(chance, enhanced)
    while not is_valid(text):
        text = random_pattern(chance, enhanced)
    pattern = Pattern(text)
    any_match = False
    for _ in range(3):
        sentence = random_sentence(chance, enhanced)
        expected = naive_matches(parse_pattern(text), sentence)
        found = sentence.match(pattern)
        shown = [tuple(sorted((*match.ids.items(), *match.edges.items()))) for match in found]
        assert len(shown) == len(set(shown)), (seed, text)
        assert set(shown) == expected, (seed, text, sentence.to_bytes().decode())
        any_match |= bool(expected)
    return any_match


def test_random_patterns() -> None:
    matching = sum(map(compare, range(600)))
    assert 100 < matching < 550


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_random_patterns() -> None:
    matching = sum(map(compare, range(1000, 11000)))
    assert matching > 2000
