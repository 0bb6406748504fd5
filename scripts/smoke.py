"""Parses a sentence with every model of the installed Dodona: what a freshly built package must be able to do."""

import sys

import dodona
from dodona.transitions.system import COMPILED

WORDS = ["Oak", "trees", "grow", "slowly", "."]
HEADS = [2, 3, 0, 3, 3]


def main() -> None:
    assert COMPILED, "the core is not compiled"
    print(f"dodona {dodona.__version__} in {dodona.__path__[0]}")
    assert {"en", "en-small", "en-fast"} <= set(dodona.model_names()), dodona.model_names()
    for name in dodona.model_names():
        (sentence,) = dodona.load(name)("Oak trees grow slowly.")
        assert (sentence.words, sentence.heads) == (WORDS, HEADS), (sentence.words, sentence.heads)
        print(f"{name}:", *zip(sentence.words, sentence.heads, sentence.labels, strict=True))
    assert "jax" not in sys.modules, "JAX is for training only"


if __name__ == "__main__":
    main()
