"""The parser as a component: it trains on sentences, parses sentences, saves itself to a file and loads itself."""

import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from dodona.core import derive
from dodona.core.frozen import FrozenWeights, freeze, rows_are_sound, weight_bits, without_weak_features
from dodona.core.gold import Gold
from dodona.core.greedy import GreedyParser
from dodona.core.templates import Templates
from dodona.core.training import Learner
from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.pseudoprojective import ENCODINGS, deprojectivize, projectivize
from dodona.errors import FormatError, OptionError
from dodona.pipeline import modelfile
from dodona.pipeline.encode import Encoder, Tagged
from dodona.research import BUDGET, System, system

__all__ = ["Iteration", "Options", "Parser", "train"]

BATCH = 64
MOST_ACTIONS = 65_535
LARGE = 12_000_000  # bytes: a model larger than that is pruned
POLICIES = ("static", "nondeterministic", "dynamic", "eager", "lazy", "minimal", "nd-sw", "nd-all")
UPDATES = ("perceptron", "pa", "pa-max-loss")
NONPROJECTIVE = (*ENCODINGS, "drop", "keep")


@dataclass(frozen=True)
class Options:
    """How a parser is trained. None is what suits the system."""

    system: str = "arc-eager"
    system_options: dict[str, Any] = field(default_factory=dict)
    templates: str | None = None
    oracle: str | None = None
    iterations: int | None = None
    explore_after: int = 1  # k of EXPLORE(k, p): iterations without exploration
    explore: float = 0.9  # p: how often a mistake is followed
    random_choice: bool = False  # after a mistake a random correct action (2012), not the best (2013)
    update: str = "perceptron"
    aggressiveness: float = 0.1
    nonprojective: str = "head"  # what a projective system does with non-projective trees
    single_root: bool = True  # of what is parsed
    seed: int = 1

    def resolved(self) -> "Options":
        """The same with every default filled in; an error lists the valid values."""
        chosen = system(self.system, **self.system_options)
        offers = [name for name in chosen.entry.oracles if name in POLICIES]
        if "dynamic" in offers:
            offers.insert(1, "nondeterministic")
        oracle = self.oracle or offers[-1]
        if oracle not in offers:
            raise OptionError(f"oracle {oracle!r}: {self.system} can be trained with {', '.join(offers)}")
        for name, value, valid in (
            ("update", self.update, UPDATES),
            ("nonprojective", self.nonprojective, NONPROJECTIVE),
        ):
            if value not in valid:
                raise OptionError(f"{name} {value!r}: expected one of {', '.join(valid)}")
        iterations = self.iterations if self.iterations is not None else 20 if self.system == "easy-first" else 15
        if iterations < 1:
            raise OptionError(f"iterations {iterations}: expected at least 1")
        if not 0 <= self.explore <= 1:
            raise OptionError(f"explore {self.explore}: expected a probability from 0 to 1")
        kind = chosen.entry.template_kind
        filled = asdict(self) | {
            "oracle": oracle,
            "iterations": iterations,
            "templates": self.templates or f"{kind}-full",
        }
        return Options(**filled)


@dataclass(frozen=True)
class Iteration:
    """What is reported after each pass over the training data."""

    number: int
    steps: int
    mistakes: int
    features: int
    learner: Learner
    labels: list[str]
    templates: Templates

    @property
    def accuracy(self) -> float:
        return 1 - self.mistakes / max(1, self.steps)


class Parser:
    """A trained parser. Made by `train` or `Parser.load`."""

    def __init__(self, options: Options, labels: Sequence[str], templates: Templates, arrays: dict[str, Any]) -> None:
        self.options = options
        self.labels = list(labels)
        self.templates = templates
        self.about: dict[str, Any] = {}
        self._arrays = arrays
        self._encode = Encoder(templates)
        self._lowers = options.nonprojective if options.nonprojective in ENCODINGS[1:] else None
        self._names = _label_names(self.labels, options)
        check_values(self._names, len(self._names))  # once, so that trees can be accepted as they are
        core = _core(options, labels, options.single_root)
        weights = FrozenWeights(core.actions, arrays["marks"], arrays["counts"], arrays["rows"], arrays["wide"])
        self._greedy = GreedyParser(core, templates, weights)

    def parse(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Fill in heads and labels, one sentence after the other, in place.

        A few sentences are taken at a time, so that the weights stay near the processor.
        """
        rest = iter(sentences)
        while batch := list(islice(rest, BATCH)):
            encoded = [self._encode(sentence) for sentence in batch]
            parsed = [self._greedy.parse(words) for words in encoded]
            for sentence, (heads, labels) in zip(batch, parsed, strict=True):
                sentence.accept_tree(*self._finished(heads, labels))
                yield sentence

    def tree(self, sentence: Tagged) -> tuple[list[int], list[str]]:
        """Heads and labels for a sentence, which stays as it is."""
        return self._finished(*self._greedy.parse(self._encode(sentence)))

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """UAS and LAS in percent on gold trees, full labels, all words; the sentences stay as they are."""
        heads_right = right = total = 0
        for sentence in gold:
            heads, labels = self.tree(sentence)
            for h, l, gold_h, gold_l in zip(heads, labels, sentence.gold_heads(), sentence.labels, strict=True):
                total += 1
                heads_right += h == gold_h
                right += h == gold_h and l == gold_l
        return 100 * heads_right / max(1, total), 100 * right / max(1, total)

    def _finished(self, heads: list[int], labels: list[int]) -> tuple[list[int], list[str]]:
        names = [self._names[label] for label in labels]
        if self._lowers is not None:
            return deprojectivize(heads, names, self._lowers)
        return heads, names

    def save(self, path: str | Path) -> None:
        metadata = {
            "component": "parser",
            "options": asdict(self.options),
            "labels": self.labels,
            "templates": self.templates.text,
            "about": self.about,
        }
        modelfile.save(path, metadata, self._arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Parser":
        metadata, arrays = modelfile.load(path)
        try:
            options = Options(**metadata["options"]).resolved()
            labels, text, about = metadata["labels"], metadata["templates"], metadata["about"]
            known = isinstance(labels, list) and isinstance(text, str) and isinstance(about, dict) and labels
            if metadata["component"] != "parser" or not known:
                raise OptionError("expected a parser with labels, templates and a description")
            templates = Templates.parse(text, f"{path}, templates")
            core = _core(options, labels, options.single_root)
            _check_arrays(path, core.actions, arrays)
            parser = cls(options, labels, templates, arrays)
            parser.about = about
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{path}: the model's description is not valid: {error}") from error
        return parser


def _check_arrays(path: str | Path, actions: int, arrays: dict[str, Any]) -> None:
    """The compiled loops trust the arrays, so nothing in them may point outside."""
    marks, counts, rows, wide = (arrays[name] for name in ("marks", "counts", "rows", "wide"))
    kinds = [array.dtype.str for array in (marks, counts, wide)]
    row_kind = "<u2" if weight_bits(actions) < 16 else "<u4"
    if kinds != ["<u4", "|u1", "<i2"] or rows.dtype.str != row_kind or len(wide) % actions or not len(counts):
        raise FormatError(f"{path}: weights of another kind than expected")
    if int(counts.sum(dtype="int64")) != len(marks) or not rows_are_sound(
        rows.view("<u2"), 1 if row_kind == "<u2" else 2, len(marks), len(wide) // actions, actions
    ):
        raise FormatError(f"{path}: the weights do not fit the {actions} actions of the model")


def train(
    sentences: Iterable[Sentence], options: Options, report: Callable[[Iteration], bool | None] | None = None
) -> Parser:
    """Train a parser on gold trees. `report` is called after each iteration; if it returns True, that was the last."""
    options = options.resolved()
    templates = Templates.load(str(options.templates))
    chosen = system(options.system, **options.system_options)
    prepared = list(_prepared(sentences, chosen, options))
    if not prepared:
        raise FormatError("there is no sentence to train on")
    labels = sorted({label for _, _, names in prepared for label in names})
    if "root_label" in chosen.options and "root_label" not in options.system_options:
        roots = Counter(label for _, heads, names in prepared for h, label in zip(heads, names, strict=True) if h == 0)
        usual = {"root_label": roots.most_common(1)[0][0]}
        options = replace(options, system_options=options.system_options | usual)
    if _core(options, labels, False).actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")
    numbers = {label: i for i, label in enumerate(_label_names(labels, options))}
    encode = Encoder(templates)
    learner = _learner(options, labels, templates, max(len(heads) for _, heads, _ in prepared))
    examples = [
        (encode(sentence), *_gold(heads, [numbers[name] for name in names], options, learner.system))
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
            Iteration(number, steps, mistakes, learner.weights.features, learner, labels, templates)
        ):
            break
    return frozen(learner, options, labels, templates)


def frozen(learner: Learner, options: Options, labels: Sequence[str], templates: Templates) -> Parser:
    """A parser with the learner's averaged weights as they are now.

    A large model loses the features that never had a weight worth one early update: a third of it, and nothing that can
    be measured.
    """
    averages = learner.weights.averages()
    arrays = freeze(*averages, learner.system.actions)
    if options.update == "perceptron" and sum(array.nbytes for array in arrays) > LARGE:
        arrays = freeze(*without_weak_features(*averages, 0.9), learner.system.actions)
    marks, counts, rows, wide = arrays
    return Parser(options, labels, templates, {"marks": marks, "rows": rows, "wide": wide, "counts": counts})


def _prepared(
    sentences: Iterable[Sentence], chosen: System, options: Options
) -> Iterator[tuple[Sentence, list[int], list[str]]]:
    """Sentences with trees that the system can build."""
    for sentence in sentences:
        heads = sentence.gold_heads()
        labels = sentence.gold_labels()
        if chosen.entry.builds == "projective trees":
            if options.nonprojective in ENCODINGS:
                heads, labels = projectivize(heads, labels, options.nonprojective)
            elif options.nonprojective == "drop" and not derive.gold_tree(heads, [0] * len(heads)).is_projective:
                continue
        yield sentence, heads, labels


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


def _learner(options: Options, labels: Sequence[str], templates: Templates, longest: int) -> Learner:
    policy = {"dynamic": "costs", "nondeterministic": "costs", "nd-sw": "oracle set", "nd-all": "oracle set"}
    return Learner(
        _core(options, labels, False),
        templates,
        policy=policy.get(str(options.oracle), "static"),
        rule=options.update,
        aggressiveness=options.aggressiveness,
        random_choice=options.random_choice,
        stays=options.system == "easy-first",
        links_too=options.oracle == "nd-all",
        joint=options.system == "nonmonotonic" and options.oracle != "static",
        longest=longest,
        seed=options.seed,
    )


def _core(options: Options, labels: Sequence[str], single_root: bool) -> Any:
    """The compiled transition system. Training allows many roots, so that gold trees with many can be learned."""
    return system(options.system, labels, **(options.system_options | {"single_root": single_root}))._core


def _label_names(labels: Sequence[str], options: Options) -> list[str]:
    """The labels by number; root arcs that are left to the end may have one that is not in the data."""
    return system(options.system, labels, **options.system_options)._label_names
