"""Parses a sentence with the installed Dodona: what a freshly built package must be able to do."""

import dodona
from dodona.transitions.system import COMPILED

WORDS = ["Oak", "trees", "grow", "slowly", "."]
HEADS = [2, 3, 0, 3, 3]


def main() -> None:
    assert COMPILED, "the core is not compiled"
    (sentence,) = dodona.load("en")("Oak trees grow slowly.")
    assert (sentence.words, sentence.heads) == (WORDS, HEADS), (sentence.words, sentence.heads)
    arcs = zip(sentence.words, sentence.heads, sentence.labels, strict=True)
    print(f"dodona {dodona.__version__} in {dodona.__path__[0]}:", *arcs)


if __name__ == "__main__":
    main()
