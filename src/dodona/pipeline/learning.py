"""Training a parser: from gold trees, whole or in part, to averaged weights."""

import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dodona.core import derive
from dodona.core.gold import Gold
from dodona.core.judging import Judge
from dodona.core.moves import NONE
from dodona.core.structured import StructuredLearner
from dodona.core.templates import Templates
from dodona.core.training import Learner
from dodona.data import Sentence
from dodona.data.pseudoprojective import ENCODINGS, escaped, projectivize
from dodona.errors import FormatError
from dodona.pipeline import progress
from dodona.pipeline.encode import Encoder
from dodona.pipeline.options import Options, core_system, label_names
from dodona.pipeline.parser import Parser
from dodona.pipeline.weights import arrays_of_size
from dodona.research import BUDGET, System, system

__all__ = ["Iteration", "frozen", "train"]

MOST_ACTIONS = 65_535
POLICY = {"dynamic": "costs", "nondeterministic": "costs", "nd-sw": "oracle set", "nd-all": "oracle set"}


@dataclass(frozen=True)
class Iteration(progress.Iteration):
    """With what it takes to make a parser of it: see `frozen`."""

    learner: Learner | StructuredLearner
    options: Options  # with what the data has settled
    labels: list[str]
    templates: Templates


def train(
    sentences: Iterable[Sentence], options: Options, report: Callable[[Iteration], bool | None] | None = None
) -> Parser:
    """Train a parser on gold trees. `report` is called after each iteration; if it returns True, that was the last."""
    options = options.resolved()
    templates = Templates.load(str(options.templates))
    chosen = system(options.system, **options.system_options)
    prepared = list(_prepared(sentences, chosen, options))
    if not prepared:
        raise FormatError("there is no tree to train on; expected sentences with HEAD filled in")
    labels = sorted({label for _, _, names in prepared for label in names if label is not None})
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    if "root_label" in chosen.options and "root_label" not in options.system_options:
        arcs = (arc for _, heads, names in prepared for arc in zip(heads, names, strict=True))
        roots = Counter(label for h, label in arcs if h == 0 and label is not None)
        if roots:
            usual = {"root_label": roots.most_common(1)[0][0]}
            options = replace(options, system_options=options.system_options | usual)
    if core_system(options, labels, False).actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")
    numbers: dict[str | None, int] = {label: i for i, label in enumerate(label_names(labels, options))}
    encode = Encoder(templates)
    learner = _learner(options, labels, templates, max(len(heads) for _, heads, _ in prepared))
    examples = [
        (encode(sentence), *_gold(heads, [numbers.get(name, NONE) for name in names], options, learner.system))
        for sentence, heads, names in prepared
    ]
    chance = random.Random(options.seed)
    order = list(range(len(examples)))
    for number in range(1, (options.iterations or 0) + 1):
        chance.shuffle(order)
        explore = options.explore if options.oracle == "dynamic" and number > options.explore_after else 0.0
        for i in order:
            words, gold, moves = examples[i]
            learner.train(words, gold, moves, explore)
        steps, mistakes = learner.count()
        if report is not None and report(
            Iteration(number, steps, mistakes, learner.weights.features, learner, options, labels, templates)
        ):
            break
    return frozen(learner, options, labels, templates)


def frozen(
    learner: Learner | StructuredLearner, options: Options, labels: Sequence[str], templates: Templates
) -> Parser:
    """A parser with the averaged weights as they are now; the largest ones, if all would take too much room."""
    arrays = arrays_of_size(learner.weights, int(1e6 * options.size))
    return Parser(options, labels, templates, arrays)


def _prepared(
    sentences: Iterable[Sentence], chosen: System, options: Options
) -> Iterator[tuple[Sentence, list[int], list[str | None]]]:
    """Sentences with trees that the system can build, or parts of trees: head NONE and label None are not known."""
    for sentence in sentences:
        labels: list[str] = sentence.gold_labels()
        if None in sentence.heads and options.oracle in POLICY:
            known = sentence.known_heads()
            if any(h is not None for h in known):
                heads = [NONE if h is None else h for h in known]
                names = [None if h is None or label == "_" else label for h, label in zip(known, labels, strict=True)]
                escapes = chosen.entry.builds == "projective trees" and options.nonprojective in ENCODINGS[1:]
                yield sentence, heads, [escaped(name) if name and escapes else name for name in names]
            continue
        heads = _whole_tree(sentence, options)
        if chosen.entry.builds == "projective trees":
            if options.nonprojective in ENCODINGS:
                heads, labels = projectivize(heads, labels, options.nonprojective)
            elif options.nonprojective == "drop" and not derive.gold_tree(heads, [0] * len(heads)).is_projective:
                continue
        yield sentence, heads, [*labels]


def _whole_tree(sentence: Sentence, options: Options) -> list[int]:
    try:
        return sentence.gold_heads()
    except FormatError as error:
        if None not in sentence.heads:
            raise
        learn = "parts of trees can be learned from with a dynamic or non-deterministic oracle"
        raise FormatError(f"{error}; {learn}, not with {options.oracle!r}") from None


def _gold(heads: list[int], labels: list[int], options: Options, core: Any) -> tuple[Gold, "array[int]"]:
    """The gold tree as the oracle needs it and, if it is planned ahead, its derivation."""
    gold = derive.gold_tree(heads, labels)
    if options.oracle == "minimal":
        moves = core.fewest_swaps(gold, BUDGET)
        core.prepare(gold, True)
        return gold, array("i", moves or [])
    if options.oracle == "lazy":
        core.prepare(gold, True)
    return gold, array("i")


def _learner(
    options: Options, labels: Sequence[str], templates: Templates, longest: int
) -> Learner | StructuredLearner:
    judge = Judge(
        core_system(options, labels, False),
        policy=POLICY.get(str(options.oracle), "static"),
        links_too=options.oracle == "nd-all",
        joint=options.system == "nonmonotonic" and options.oracle != "static",
        longest=longest,
    )
    rule: dict[str, Any] = {
        "rule": options.update,
        "aggressiveness": options.aggressiveness,
        "longest": longest,
    }
    if options.beam > 1:
        latent = options.oracle in POLICY
        early = options.early_update
        return StructuredLearner(judge, templates, width=options.beam, latent=latent, early=early, **rule)
    stays = options.system == "easy-first"
    return Learner(judge, templates, random_choice=options.random_choice, stays=stays, seed=options.seed, **rule)
