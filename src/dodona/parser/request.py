"""What is asked of a parser, and what comes back: the n best trees of a sentence, with scores and confidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

from dodona.data import Sentence
from dodona.data.marks import MENTIONS, release
from dodona.data.storage import select_mentioning
from dodona.data.ud import CONFIDENCE
from dodona.errors import OptionError

__all__ = [
    "IN_PIECES",
    "NBEST",
    "SENTENCE_CONFIDENCE",
    "Analysis",
    "Judgement",
    "Request",
    "agreement",
    "annotate",
    "rank_different",
    "remove_all_notes",
    "remove_notes",
    "sentence_confidence",
]

NBEST, SCORE, SENTENCE_CONFIDENCE = "# nbest = ", "# score = ", "# confidence = "
IN_PIECES = "# parsed_in_pieces = "
NOTES = (NBEST, SCORE, SENTENCE_CONFIDENCE, IN_PIECES)  # comments that a parse may write
MARKS = (*(note.encode() for note in (*NOTES, CONFIDENCE)), *MENTIONS)


@dataclass(frozen=True)
class Request:
    """Options of parsing; `beam` None is the width that the model was trained with."""

    beam: int | None = None
    nbest: int = 1  # different trees
    confidence: bool = False
    constrained: bool = False  # keep the arcs that the sentence has already
    max_length: int | None = None  # words; a longer sentence is parsed in pieces
    timeout: float | None = None  # seconds for a sentence; one that takes longer is parsed in pieces

    def check(self) -> None:
        """Raise an error for numbers that no parser can make sense of."""
        if self.nbest < 1:
            raise OptionError(f"nbest {self.nbest}: expected at least 1")
        if self.max_length is not None and (not isinstance(self.max_length, int) or self.max_length < 1):
            raise OptionError(f"max_length {self.max_length!r}: expected a number of words, at least 1")
        if self.timeout is not None and not self.timeout > 0:
            raise OptionError(f"timeout {self.timeout!r}: expected more than 0 seconds")


class Analysis(NamedTuple):
    """A tree for a sentence. Its probability is proportional to exp(score / temperature) within the final beam."""

    heads: list[int]
    labels: list[str]
    score: float = 0.0
    confidence: Sequence[float] = ()
    """For each word the probability of its head and label: the sum over the hypotheses that agree on them."""
    pieces: int = 1
    """In how many pieces the sentence was parsed."""


class Judgement(NamedTuple):
    """What a parser thinks of the tree that a sentence has already: how probable the action is that builds the arc of a
    word, after other actions that build this tree. 0 where no derivation of the parser can build it."""

    arcs: Sequence[float]
    """Among all actions."""
    labels: Sequence[float]
    """Among the actions that keep the heads of the tree: how probable the label is, given all heads."""


def rank_different(trees: Sequence[Analysis], nbest: int) -> list[int]:
    """Return the ranks of the first `nbest` different trees of the hypotheses, best first."""
    ranks: list[int] = []
    for rank, tree in enumerate(trees):
        if len(ranks) < nbest and not any(tree[:2] == trees[other][:2] for other in ranks):
            ranks.append(rank)
    return ranks


def agreement(trees: Sequence[Analysis], rank: int) -> list[float]:
    """Return for each word of the tree with this rank the probability of the hypotheses that agree on its arc."""
    masses = [exp(tree.score - trees[0].score) for tree in trees]
    total = sum(masses)
    shares = []
    for k, arc in enumerate(zip(trees[rank].heads, trees[rank].labels, strict=True)):
        agreeing = (mass for other, mass in zip(trees, masses, strict=True) if (other.heads[k], other.labels[k]) == arc)
        shares.append(sum(agreeing) / total)
    return shares


def annotate(sentence: Sentence, analyses: list[Analysis], request: Request) -> Iterator[Sentence]:
    """Yield the sentence with its best tree, and copies of it with the other trees."""
    if request.confidence and sentence.format == "conllx":
        raise OptionError("CoNLL-X has no column for confidence; expected CoNLL-U (`dodona convert` makes it)")
    remove_notes(sentence)
    if not request.constrained:
        release(sentence, "arc")
    copies = sentence.repeat(len(analyses))
    for rank, (copy, analysis) in enumerate(zip(copies, analyses, strict=True), start=1):
        copy.accept_tree(analysis.heads, analysis.labels)
        notes = []
        if request.nbest > 1:
            notes += [f"{NBEST}{rank}", f"{SCORE}{analysis.score:.6f}"]
        if analysis.pieces > 1:
            notes.append(f"{IN_PIECES}{analysis.pieces}")
        if request.confidence:
            notes.append(f"{SENTENCE_CONFIDENCE}{sentence_confidence(analysis.confidence):.4f}")
            copy.set_column("misc", list(map(_with_confidence, copy.misc, analysis.confidence)))
        if notes:
            copy.set_comments([*_rename(copy.comments, rank), *notes])
        yield copy


def sentence_confidence(confidence: Sequence[float]) -> float:
    """Return the share of its arcs that are expected to be correct: the mean.

    The mean of calibrated probabilities is calibrated, whether or not the arcs depend on each other. A product would
    need that they do not, and would put long sentences first when doubtful sentences are sorted.
    """
    return sum(confidence) / len(confidence)


def remove_all_notes(sentences: list[Sentence]) -> None:
    """Remove what was said about the trees that are replaced, from those sentences that may have it: nearly none."""
    for sentence in select_mentioning(sentences, MARKS):
        remove_notes(sentence)
        release(sentence, "arc")


def remove_notes(sentence: Sentence) -> None:
    """Remove what an earlier parse has said about its trees: they are replaced, and it would be wrong of the new."""
    comments = "\n".join(sentence.comments)
    if any(note in comments for note in NOTES):
        sentence.set_comments([comment for comment in sentence.comments if not comment.startswith(NOTES)])
    if not sentence.lacks("misc") and CONFIDENCE in "|".join(sentence.misc):
        sentence.set_column("misc", list(map(_without_confidence, sentence.misc)))


def _rename(comments: Sequence[str], rank: int) -> Iterator[str]:
    """Yield the comments of a copy: every sentence needs a unique sent_id, and a document begins only once."""
    for comment in comments:
        key = comment[1:].partition("=")[0].split()
        if rank > 1 and key[:1] == ["sent_id"]:
            yield f"{comment.rstrip()}-{rank}"
        elif rank == 1 or key[:1] not in (["newdoc"], ["newpar"]):
            yield comment


def _with_confidence(misc: str, confidence: float) -> str:
    return "|".join([*(part for part in misc.split("|") if part != "_"), f"{CONFIDENCE}{confidence:.4f}"])


def _without_confidence(misc: str) -> str:
    return "|".join(part for part in misc.split("|") if not part.startswith(CONFIDENCE)) or "_"
