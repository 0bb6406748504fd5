"""Suspects: words of a treebank whose arc may be an annotation error, the most probable ones first.

Parsers with several seeds parse each sentence after training on other sentences. What is known about an arc then:

    votes         how many parsers build it; how many choose its head, or its label
    alternative   how many parsers agree on another arc, and how sure they are of it
    judgement     how probable the arc is as an action of the parser after all others of the annotated tree, and how
                  probable its label is, given all heads: an arc is judged beside what is right around it
    variation     how often the same words are annotated in the same way elsewhere, and how often in other ways
                  (variation nuclei: Boyd, Dickinson and Meurers 2008)
    construction  how often words with these tags and features have this label, or such a head, elsewhere

Logistic regressions turn these numbers into the probability that the annotation is wrong. They need no errors that
somebody has found: they learn from errors that are put into copies of the treebank by chance, whose words the same
parsers judge. There is one for careless errors, which can be anything, and one for plausible errors, which look like
other places of the treebank. The tags are those of the treebank: they are part of what an arc is judged by.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.data.trees import find_cycle
from dodona.errors import OptionError
from dodona.parser.confidence import WEIGHT_DECIMALS, fit_logistic, sigmoid
from dodona.parser.options import ParserOptions
from dodona.parser.request import Analysis, Judgement, Request
from dodona.pipeline.crossvalidation import assign_folds, map_folds
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.training import TrainingPlan

__all__ = ["INPUTS", "Suspect", "Variation", "find_suspects", "put_in_errors"]

Numbers = NDArray[np.float64]
T = TypeVar("T")
Tree = tuple[Sequence[int], Sequence[str]]

FOLDS = 10
ITERATIONS = 5  # of linear parsers at most: a better parser finds hardly more, and each seed is trained ten times
WRONG = 0.02  # share of the words in a copy that are wrong: half of them have another label, half another head
FEWEST = 0.001  # share of the words of a treebank that have errors of a kind, at least
NEARLY_ALL = 0.9  # of the errors that were put in
KINDS_OF_ERRORS = ("careless", "plausible")
ERRORS = 1500  # of each kind that are put in at least, in as many copies as it takes
MAX_COPIES = 20
TEMPERATURE = 45.0  # of the actions of linear parsers
LEAST = 1e-12  # of a probability whose logarithm is taken
IMPROBABLE = (4.0, 9.0)  # from here on, differences between logarithms tell less
LONGEST = 6  # words from head to dependent that are compared with other places
RARELY = 0.05  # a probability below it is a reason to look
BOUNDARY = ""  # before the first and after the last word

INPUTS = (
    "bias", "arc votes", "head votes", "label votes", "label votes given the head", "all votes", "no vote for the head",
    "alternative", "alternative squared", "distance", "root",
    "arc", "arc of the surest", "improbable arc", "very improbable arc", "arc without votes",
    "label", "label of the surest", "improbable label", "very improbable label", "label without votes",
    "same in context", "different in context", "only different in context",
    "same pair", "different pair", "only different pair",
    "label of the tags", "label of the features", "head of the features",
    "label of the tags without votes", "label of the features without votes", "head of the features without votes",
)  # fmt: skip


@dataclass(frozen=True)
class Suspect:
    """A word whose annotation may be wrong, and the arc that most parsers would give it."""

    sentence: int  # from 0
    word: int  # from 1
    kind: str  # what the alternative has differently: "head", "label" or "both"
    probability: float  # that the annotation is wrong
    head: int  # of the alternative
    label: str
    reasons: tuple[str, ...]


class ErrorsOfCopy(NamedTuple):
    """The errors that were put into a tree."""

    kind: str
    words: set[int]


class Opinion(NamedTuple):
    """What a parser that has not seen a sentence thinks of it: its own tree, and the trees that it was asked about."""

    tree: Analysis
    judgements: list[Judgement]


def find_suspects(
    sentences: Sequence[Sentence],
    options: ParserOptions,
    plan: TrainingPlan,
    seeds: int = 3,
    jobs: int = 1,
    callback: Callable[[int, int], None] = lambda done, total: None,
    folds: int = FOLDS,
) -> list[Suspect]:
    """Return the words for which at least one parser prefers another arc, the most suspicious ones first.

    Parsers with these options are trained by cross-validation with this many seeds, each with other folds. The
    sentences must have trees; they are not changed. `callback` is told how many of how many parsers are trained.
    """
    if seeds < 1:
        raise OptionError(f"seeds {seeds}: expected at least 1")
    trees: list[list[Tree]] = [[(sentence.gold_heads(), sentence.gold_labels())] for sentence in sentences]
    changed: list[tuple[int, ErrorsOfCopy]] = []  # for each further tree of a sentence
    for i, tree, errors in _make_copies(sentences, options.seed):
        trees[i].append(tree)
        changed.append((i, errors))
    plan = replace(plan, components=("parser",), tags="gold")
    if options.scorer == "linear":
        options = replace(options, iterations=min(ITERATIONS, options.iterations or ITERATIONS))
    folds = min(folds, len(sentences))
    opinions: list[list[Opinion]] = [[] for _ in sentences]
    callback(0, seeds * folds)
    for seed in range(options.seed, options.seed + seeds):
        split = assign_folds(len(sentences), folds, "random", seed)
        ask = partial(_ask, trees)
        for fold, places, given in map_folds(sentences, replace(options, seed=seed), plan, split, ask, jobs):
            for i, opinion in zip(places, given, strict=True):
                opinions[i].append(opinion)
            callback((seed - options.seed) * folds + fold + 1, seeds * folds)
    return _rank(sentences, trees, opinions, changed)


def _ask(
    trees: Sequence[Sequence[Tree]], pipeline: Pipeline, held_out: Sequence[Sentence], places: Sequence[int]
) -> list[Opinion]:
    parser = pipeline.parser
    if parser.options.scorer == "linear":
        parser.action_temperature = TEMPERATURE  # the same one for all folds
    parsed = [best for best, *_ in parser.analyses_of(held_out, Request(confidence=True))]
    asked = [_with_tree(sentence, *tree) for i, sentence in zip(places, held_out, strict=True) for tree in trees[i]]
    judgements = parser.judge(asked)
    return [Opinion(tree, [next(judgements) for _ in trees[i]]) for i, tree in zip(places, parsed, strict=True)]


def _with_tree(sentence: Sentence, heads: Sequence[int], labels: Sequence[str]) -> Sentence:
    copy = sentence.copy()
    copy.set_tree(heads, labels)
    return copy


def _make_copies(sentences: Sequence[Sentence], seed: int) -> Iterator[tuple[int, Tree, ErrorsOfCopy]]:
    """Yield trees with errors: the number of the sentence, the tree, and what is wrong in it."""
    words = sum(map(len, sentences))
    copies = min(MAX_COPIES, max(1, round(ERRORS / max(1.0, WRONG * words))))
    for kind in KINDS_OF_ERRORS:
        for copy in range(copies):
            wrong = put_in_errors(sentences, random.Random(f"{seed} {kind} {copy}"), WRONG / 2, kind)
            for i, (tree, words_of) in wrong.items():
                yield i, tree, ErrorsOfCopy(kind, words_of)


def put_in_errors(
    sentences: Sequence[Sentence], rng: random.Random, share: float = WRONG / 2, kind: str = "careless"
) -> dict[int, tuple[Tree, set[int]]]:
    """Return trees with errors for some sentences, by their number, and the words that are wrong.

    This share of all words gets another label, and this share another head, so that a tree remains; where there is
    none, nothing is changed. Careless errors are any labels of the treebank, and any words of the sentence. Plausible
    ones are labels that words with these tags, of word and head, have elsewhere, as often as they have them; and heads
    that are nearby in the tree: the head of the head, or another dependent of it.
    """
    labels = Counter(label for sentence in sentences for label in sentence.labels)
    of_tags: dict[tuple[str, str], Counter[str]] = {}
    for sentence in sentences:
        for d, (head, label) in enumerate(zip(sentence.gold_heads(), sentence.labels, strict=True), start=1):
            of_tags.setdefault(_tags(sentence, head, d), Counter())[label] += 1
    places = [(i, d) for i, sentence in enumerate(sentences) for d in range(1, len(sentence) + 1)]
    count = round(share * len(places))
    trees: dict[int, tuple[list[int], list[str]]] = {}
    wrong: dict[int, set[int]] = {}
    for part in ("label", "head"):
        for i, d in sorted(rng.sample(places, count)):
            heads, names = trees.setdefault(i, (sentences[i].gold_heads(), list(sentences[i].labels)))
            if part == "head":
                is_wrong = _move(heads, d, rng, kind)
            else:
                choice = labels if kind == "careless" else of_tags[_tags(sentences[i], heads[d - 1], d)]
                is_wrong = _rename(names, d, rng, choice, kind)
            if is_wrong:
                wrong.setdefault(i, set()).add(d)
    return {i: (trees[i], words) for i, words in sorted(wrong.items())}


def _tags(sentence: Sentence, head: int, d: int) -> tuple[str, str]:
    return sentence.upos[d - 1], sentence.upos[head - 1] if head else "ROOT"


def _rename(names: list[str], d: int, rng: random.Random, labels: Counter[str], kind: str) -> bool:
    """Give a word another of these labels, in place, if there is one."""
    others = sorted(label for label in labels if label != names[d - 1])
    if not others:
        return False
    weights = None if kind == "careless" else [labels[label] for label in others]
    (names[d - 1],) = rng.choices(others, weights)
    return True


def _move(heads: list[int], d: int, rng: random.Random, kind: str) -> bool:
    """Give a word another head, in place, if it can have one."""
    before = heads[d - 1]
    candidates = [h for h in range(1, len(heads) + 1) if h not in (d, before)]
    if kind == "plausible":
        above = heads[before - 1] if before else 0
        candidates = [h for h in candidates if before and (h == above or heads[h - 1] == before)]
    rng.shuffle(candidates)
    for h in candidates:
        heads[d - 1] = h
        if 0 in heads and find_cycle(heads) is None:
            return True
    heads[d - 1] = before
    return False


def _rank(
    sentences: Sequence[Sentence], trees: Sequence[Sequence[Tree]], opinions: Sequence[Sequence[Opinion]],
    changed: Sequence[tuple[int, ErrorsOfCopy]],
) -> list[Suspect]:  # fmt: skip
    variation = Variation(sentences)
    evidence = [_weigh(sentences[i], variation, trees[i][0], 0, opinions[i]) for i in range(len(sentences))]
    rows = np.concatenate([each.inputs for each in evidence])
    innocent = np.ones(len(rows))
    for kind in KINDS_OF_ERRORS:
        innocent *= 1 - sigmoid(rows @ _fit(rows, kind, sentences, variation, trees, opinions, changed))
    probabilities = iter((1 - innocent).tolist())
    suspects = []
    for i, each in enumerate(evidence):
        for k, strength in enumerate(each.strength.tolist()):
            probability = next(probabilities)
            if strength > 0:
                suspects.append(_describe(sentences[i], i, k, each, probability, len(opinions[i])))
    return sorted(suspects, key=lambda each: (-each.probability, each.sentence, each.word))


def _fit(
    rows: Numbers, kind: str, sentences: Sequence[Sentence], variation: "Variation", trees: Sequence[Sequence[Tree]],
    opinions: Sequence[Sequence[Opinion]], changed: Sequence[tuple[int, ErrorsOfCopy]],
) -> Numbers:  # fmt: skip
    """Return the weights of INPUTS for errors of a kind. `rows` are those of the treebank as it is.

    The regression compares errors with the words of the treebank, some of which are errors, too: the odds say how much
    more often something is seen of errors. How many errors there are is not known. But where errors are far more often
    seen than words of the treebank, there cannot be many (Elkan and Noto 2008): so their share is such that a word
    which looks more like an error than nearly all errors is one with even odds, from FEWEST to WRONG.
    """
    inputs, verdicts = [rows], [np.zeros(len(rows))]
    asked: Counter[int] = Counter()
    for i, errors in changed:
        asked[i] += 1
        if errors.kind == kind:
            inputs.append(_weigh(sentences[i], variation, trees[i][asked[i]], asked[i], opinions[i]).inputs)
            verdicts.append(np.array([d in errors.words for d in range(1, len(sentences[i]) + 1)], dtype=np.float64))
    every, wrong = np.concatenate(inputs), np.concatenate(verdicts)
    weights = np.round(fit_logistic(every, wrong), WEIGHT_DECIMALS)
    if wrong.any():
        odds = np.log(wrong.mean() / (1 - wrong.mean()))
        likely = np.quantile((every @ weights)[wrong == 1], NEARLY_ALL) - odds
        weights[0] += np.clip(-likely, np.log(FEWEST), np.log(WRONG)) - odds
    return weights


class WordEvidence(NamedTuple):
    """What is known about the arcs of a tree: a row of INPUTS for each word, and the best alternative."""

    inputs: Numbers
    strength: Numbers  # of the alternative: the share of the parsers that agree on it, each counted as it is sure of it
    heads: list[int]  # of the alternatives
    labels: list[str]


def _weigh(
    sentence: Sentence, variation: "Variation", tree: Tree, number: int, opinions: Sequence[Opinion]
) -> WordEvidence:
    """Return what is known about the arcs of a tree, the one with this number among those that parsers were asked
    about."""
    heads, labels = np.array(tree[0]), np.array(tree[1], dtype=object)
    their_heads = np.array([opinion.tree.heads for opinion in opinions])
    their_labels = np.array([opinion.tree.labels for opinion in opinions], dtype=object)
    sure = np.array([opinion.tree.confidence for opinion in opinions])
    same_head, same_label = their_heads == heads, (their_labels == labels).astype(bool)
    same = same_head & same_label
    support = np.zeros(same.shape)
    for m in range(len(opinions)):
        agreeing = (their_heads == their_heads[m]) & (their_labels == their_labels[m]).astype(bool)
        support[m] = np.where(same[m], 0.0, (agreeing * np.maximum(sure, LEAST)).mean(axis=0))
    best, words = support.argmax(axis=0), np.arange(len(heads))
    strength = support[best, words]
    arc, head, label = same.mean(axis=0), same_head.mean(axis=0), same_label.mean(axis=0)
    given = (same.sum(axis=0) + 0.5) / (same_head.sum(axis=0) + 1)
    arcs, names = (
        np.log(np.maximum([judgement[k] for judgement in (o.judgements[number] for o in opinions)], LEAST))
        for k in (0, 1)
    )
    arc_score, label_score = arcs.mean(axis=0), names.mean(axis=0)
    distance = np.log(np.where(heads == 0, 1, np.abs(heads - words - 1)))
    elsewhere, constructions = variation.count(sentence, *tree)
    in_context, in_pair = (np.log1p(elsewhere[:, columns]) for columns in ([0, 1], [2, 3]))
    unsupported = (arc < 0.5)[:, None]
    inputs = np.column_stack([
        np.ones(len(heads)), arc, head, label, given, arc == 1, head == 0, strength, strength**2, distance, heads == 0,
        arc_score, arcs.max(axis=0), _steps(arc_score), arc_score * (head < 0.5),
        label_score, names.max(axis=0), _steps(label_score), label_score * (label < 0.5),
        in_context, (elsewhere[:, 1] > 0) & (elsewhere[:, 0] == 0),
        in_pair, (elsewhere[:, 3] > 0) & (elsewhere[:, 2] == 0),
        constructions, constructions * unsupported,
    ]).astype(np.float64)  # fmt: skip
    return WordEvidence(inputs, strength, their_heads[best, words].tolist(), their_labels[best, words].tolist())


def _steps(logarithms: Numbers) -> Numbers:
    """Return how far logarithms of probabilities are below each of IMPROBABLE."""
    steps: Numbers = np.minimum(logarithms[:, None] + np.array(IMPROBABLE), 0)
    return steps


class Variation:
    """How the words of a treebank are annotated, so that one place can be compared with all others.

    A word in its context is a word between its two neighbours; it is annotated with a label and the distance of its
    head. A pair is two words with all words between them; it is annotated with a label, or with none if neither is the
    head of the other. Case does not count.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._contexts: dict[tuple[str, ...], Counter[tuple[int, str]]] = {}
        self._pairs: dict[tuple[str, ...], Counter[str]] = {}
        self._tags: dict[tuple[str, ...], Counter[str]] = {}
        self._features: dict[tuple[str, ...], Counter[str]] = {}
        self._heads: dict[tuple[str, ...], Counter[str]] = {}
        self._trees = {id(sentence): (sentence.gold_heads(), list(sentence.labels)) for sentence in sentences}
        self._kept = sentences  # so that their `id` stays theirs
        for sentence in sentences:
            heads, labels = self._trees[id(sentence)]
            forms = _fold_case(sentence)
            for d in range(1, len(forms) - 1):
                h, label = heads[d - 1], labels[d - 1]
                self._contexts.setdefault(tuple(forms[d - 1 : d + 2]), Counter())[_offset(h, d), label] += 1
                for other in range(d + 1, min(d + LONGEST, len(forms) - 1)):
                    found = _relation(heads, labels, d, other)
                    self._pairs.setdefault(tuple(forms[d : other + 1]), Counter())[found] += 1
                tags, features, side = _constructions(sentence, h, d)
                self._tags.setdefault(tags, Counter())[label] += 1
                self._features.setdefault((*features, *side), Counter())[label] += 1
                self._heads.setdefault(features, Counter())["\t".join(side)] += 1

    def count(self, sentence: Sentence, heads: Sequence[int], labels: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Return two rows of numbers for each word of a tree for one of the sentences.

        How often the word is annotated in the same way in the same context elsewhere, and how often differently; and
        the same of the pair of word and head. And the logarithms of the probabilities of its label, given its tag and
        that of its head, or also its features and the side of the head; and of such a head, given its features.
        """
        own_heads, own_labels = self._trees[id(sentence)]
        forms = _fold_case(sentence)
        counts, constructions = np.zeros((len(heads), 4)), np.zeros((len(heads), 3))
        for d in range(1, len(forms) - 1):
            h, label, own, own_label = heads[d - 1], labels[d - 1], own_heads[d - 1], own_labels[d - 1]
            context = self._contexts[tuple(forms[d - 1 : d + 2])]
            counts[d - 1, :2] = _elsewhere(context, (_offset(h, d), label), (_offset(own, d), own_label))
            if h and abs(h - d) < LONGEST:
                first, last = min(h, d), max(h, d)
                now = _relation(heads, labels, first, last)
                pair = self._pairs[tuple(forms[first : last + 1])]
                counts[d - 1, 2:] = _elsewhere(pair, now, _relation(own_heads, own_labels, first, last))
            tags, features, side = _constructions(sentence, h, d)
            own_tags, _, own_side = _constructions(sentence, own, d)
            before = own_label if tags == own_tags else None
            by_tags = _share(self._tags.get(tags), label, before, 0.1, 1.0)
            before = own_label if side == own_side else None
            by_features = _share(self._features.get((*features, *side)), label, before, 2 * by_tags, 2.0)
            head = _share(self._heads.get(features), "\t".join(side), "\t".join(own_side), 0.1, 1.0)
            constructions[d - 1] = np.log([by_tags, by_features, head])
        return counts, constructions


def _fold_case(sentence: Sentence) -> list[str]:
    return [BOUNDARY, *(word.lower() for word in sentence.words), BOUNDARY]


def _offset(head: int, dependent: int) -> int:
    return head - dependent if head else 0


def _relation(heads: Sequence[int], labels: Sequence[str], first: int, last: int) -> str:
    """Return the relation of two words: its label and its direction, or an empty string."""
    if heads[first - 1] == last:
        return f"{labels[first - 1]}<"
    return f"{labels[last - 1]}>" if heads[last - 1] == first else ""


def _constructions(sentence: Sentence, head: int, d: int) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the tags of a word and its head; its tag with features; and the tag of its head with the side it is on."""
    above = sentence.upos[head - 1] if head else "ROOT"
    tag = sentence.upos[d - 1]
    return (tag, above), (tag, sentence.feats[d - 1]), (above, "left" if head < d else "right")


def _elsewhere(counts: Counter[T], now: T, own: T) -> tuple[int, int]:
    """Return how often something is annotated as it is now, and how often differently, without its own annotation."""
    same, total = counts[now] - (now == own), counts.total() - 1
    return same, total - same


def _share(counts: Counter[str] | None, now: str, own: str | None, prior: float, weight: float) -> float:
    """Return the share of a value without its own annotation, which is among the counts unless it is None; with a
    prior of this weight."""
    counts = counts or Counter()
    taken = own is not None
    return (counts[now] - (now == own) + prior) / (counts.total() - taken + weight)


def _describe(sentence: Sentence, i: int, k: int, evidence: WordEvidence, probability: float, parsers: int) -> Suspect:
    """Return a suspect with the reasons for it, in words."""
    row = dict(zip(INPUTS, evidence.inputs[k].tolist(), strict=True))
    head, label = evidence.heads[k], evidence.labels[k]
    same_head, same_label = head == sentence.heads[k], label == sentence.labels[k]
    kind = "label" if same_head else "head" if same_label else "both"
    agreeing = round(parsers * (1 - row["arc votes"]))
    reasons = [f"{agreeing} of {parsers} parsers prefer another arc"]
    for name, what in (("arc", "the arc beside the others of its tree"), ("label", "the label under this head")):
        if row[name] < np.log(RARELY):
            value = np.exp(row[name])
            reasons.append(f"{what}: probability {value:.4f}" if value >= 1e-4 else f"{what}: probability under 0.0001")
    for name, what in (("in context", "the word between the same words"), ("pair", "the same words from head to word")):
        if row[f"only different {name}"]:
            count = round(np.expm1(row[f"different {name}"]))
            reasons.append(f"{what}: annotated differently in all {count} other places")
    return Suspect(i, k + 1, kind, probability, head, label, tuple(reasons))
