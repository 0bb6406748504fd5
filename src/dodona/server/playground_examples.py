"""Sentences for a lesson, with their trees: some that every system builds, and some with crossing arcs."""

from typing import Any

__all__ = ["EXAMPLES"]


def _example(title: str, words: str, heads: str, labels: str) -> dict[str, Any]:
    return {
        "title": title,
        "words": words.split(),
        "heads": [int(head) for head in heads.split()],
        "labels": labels.split(),
    }


EXAMPLES: list[dict[str, Any]] = [
    _example("Three words to begin with", "She reads books", "2 0 2", "nsubj root obj"),
    _example(
        "Arcs to both sides",
        "The wind moves the leaves of the old oak .",
        "2 3 0 5 3 9 9 9 5 3",
        "det nsubj root det obj case det amod nmod punct",
    ),
    _example(
        "Where does the lantern belong?",
        "He watched the owl with a lantern",
        "2 0 4 2 7 7 2",
        "nsubj root det obj case det obl",
    ),
    _example(
        "A head that comes late",
        "Leaves fall when cold winds blow hard",
        "2 0 6 5 6 2 6",
        "nsubj root mark amod nsubj advcl advmod",
    ),
    _example(
        "A head that must be repaired (nonmonotonic)",
        "They knew the oracle spoke",
        "2 0 4 5 2",
        "nsubj root det nsubj ccomp",
    ),
    _example("Two roots", "Listen ! Trees speak .", "0 1 4 0 4", "root punct nsubj root punct"),
    _example("Crossing arcs", "An answer came about rain", "2 3 0 5 2", "det nsubj root case nmod"),
    _example(
        "Crossing arcs in Dutch",
        "dat hij haar de eik zag planten",
        "6 6 7 5 7 0 6",
        "mark nsubj nsubj det obj root xcomp",
    ),
    _example(
        "From right to left: Hebrew",
        "הרוח מזיזה את העלים של האלון",
        "2 0 4 2 6 4",
        "nsubj root case obj case nmod",
    ),
]
"""Each with its title, words, heads and labels. Heads are numbers of words; 0 is ROOT."""
