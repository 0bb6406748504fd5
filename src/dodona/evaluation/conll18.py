"""The scores of the CoNLL 2018 shared task (Zeman et al. 2018), for any tokenization of the same text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dodona.data import Sentence
from dodona.evaluation.alignment import Alignment, align, same_spans
from dodona.evaluation.document import ROOT, Document, flatten
from dodona.evaluation.tables import scores_html

__all__ = ["METRICS", "Score", "Scores", "evaluate"]

METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas",
    "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip

CONTENT = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl",
    "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound",
    "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
FUNCTIONAL = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))


@dataclass(frozen=True, slots=True)
class Score:
    """The numbers of items in gold, in the system output, and of correct ones; `aligned` is that of aligned words."""

    gold: int
    system: int
    correct: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.correct / (self.gold + self.system) if self.gold + self.system else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of correct words among the aligned words; None for tokenization itself."""
        return self.correct / self.aligned if self.aligned else None


class Scores(dict[str, Score]):
    """Scores by name, such as those in METRICS; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        return scores_html(self)


def evaluate(gold_sentences: Iterable[Sentence], system_sentences: Iterable[Sentence]) -> Scores:
    """Relations count without subtypes, features only where they are universal, punctuation like any other word."""
    gold, system = flatten(gold_sentences), flatten(system_sentences)
    alignment = align(gold, system)
    right = _right(gold, system, alignment)
    scores = Scores()
    scores |= {
        "Tokens": Score(len(gold.tokens), len(system.tokens), same_spans(gold.tokens, system.tokens)),
        "Sentences": Score(len(gold.sentences), len(system.sentences), same_spans(gold.sentences, system.sentences)),
        "Words": Score(len(gold), len(system), len(alignment.pairs)),
    }
    for name in ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS"):
        scores[name] = Score(len(gold), len(system), sum(right[name]), len(alignment.pairs))
    gold_content, system_content = (sum(label in CONTENT for label in side.labels) for side in (gold, system))
    is_content = [gold.labels[g] in CONTENT for g, _ in alignment.pairs]
    for name in ("CLAS", "MLAS", "BLEX"):
        correct = sum(r and c for r, c in zip(right[name], is_content, strict=True))
        scores[name] = Score(gold_content, system_content, correct, sum(is_content))
    return scores


def _right(gold: Document, system: Document, alignment: Alignment) -> dict[str, list[bool]]:
    """For each metric, which of the aligned pairs agree."""
    pairs = alignment.pairs
    upos = _equal(gold.upos, system.upos, pairs)
    xpos = _equal(gold.xpos, system.xpos, pairs)
    feats = _equal(gold.feats, system.feats, pairs)
    # a treebank without lemmas, or a word without one, asks for none
    lemmas = [gold.lemmas[g] in ("_", system.lemmas[s]) for g, s in pairs]
    heads = [gold.parents[g] == alignment.gold_parent(system.parents[s]) for g, s in pairs]
    arcs = _both(heads, _equal(gold.labels, system.labels, pairs))
    return {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": _both(_both(upos, xpos), feats),
        "Lemmas": lemmas,
        "UAS": heads,
        "LAS": arcs,
        "CLAS": arcs,
        "MLAS": _both(_both(arcs, _both(upos, feats)), _function_words(gold, system, alignment)),
        "BLEX": _both(arcs, lemmas),
    }


def _equal(gold: Sequence[str], system: Sequence[str], pairs: list[tuple[int, int]]) -> list[bool]:
    return [gold[g] == system[s] for g, s in pairs]


def _both(a: list[bool], b: list[bool]) -> list[bool]:
    return [x and y for x, y in zip(a, b, strict=True)]


def _function_words(gold: Document, system: Document, alignment: Alignment) -> list[bool]:
    """Whether both words have the same function words with the same relations, tags and features.

    Function words have the role that inflection has in other languages, so MLAS counts them as part of a content word.
    """
    in_gold = _children(gold, list(range(len(gold))))
    in_system = _children(system, alignment.gold_of)
    return [in_gold.get(g, []) == in_system.get(s, []) for g, s in alignment.pairs]


def _children(side: Document, gold_of: list[int]) -> dict[int, list[tuple[int, str, str, str]]]:
    children: dict[int, list[tuple[int, str, str, str]]] = {}
    for word, (parent, label) in enumerate(zip(side.parents, side.labels, strict=True)):
        if label in FUNCTIONAL and parent != ROOT:
            child = (gold_of[word], label, side.upos[word], side.feats[word])
            children.setdefault(parent, []).append(child)
    return children
