"""Gold trees for training: those that the system can build, with their labels, and as input of the oracle."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dodona.components.parser_options import ParserOptions
from dodona.components.rare_encodings import drop_rare_encodings
from dodona.data import Sentence
from dodona.data.pseudoprojective import ENCODINGS, escaped, projectivize
from dodona.data.trees import is_projective
from dodona.errors import FormatError
from dodona.oracles.policy import leaves_a_choice
from dodona.systems.build import BUDGET, BuiltSystem
from dodona.transitions.driver import gold_tree
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE

__all__ = ["MOST_ACTIONS", "TrainingTree", "TrainingTrees", "check_tree", "training_trees"]

MOST_ACTIONS = 65_535


@dataclass(frozen=True)
class TrainingTree:
    """A gold sentence, the same sentence with the tags that the parser will see, and its tree."""

    sentence: Sentence
    seen: Sentence
    gold: Gold
    moves: "array[int]"  # the derivation, if the oracle plans it in advance; else empty


@dataclass(frozen=True)
class TrainingTrees:
    """All trees, with the system that builds them."""

    options: ParserOptions  # with the defaults that depend on the data
    labels: list[str]
    built: BuiltSystem
    trees: list[TrainingTree]

    @property
    def longest(self) -> int:
        return max(tree.gold.n for tree in self.trees)


def training_trees(
    sentences: Iterable[Sentence], options: ParserOptions, seen: Sequence[Sentence] | None = None
) -> TrainingTrees:
    """Return trees for resolved options. `seen` are the sentences with predicted tags; None: with the gold ones."""
    plain = options.built()
    prepared = list(_prepared(sentences, seen, plain.entry.projective, options))
    if not prepared:
        raise FormatError("there is no tree to train on; expected sentences with HEAD filled in")
    if plain.entry.projective and options.nonprojective in ENCODINGS[1:]:
        drop_rare_encodings([names for *_, names in prepared])
    labels = sorted({label for *_, names in prepared for label in names if label is not None})
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    if "root_label" in plain.options and "root_label" not in options.system_options:
        arcs = (arc for _, _, heads, names in prepared for arc in zip(heads, names, strict=True))
        roots = Counter(label for h, label in arcs if h == 0 and label is not None)
        if roots:
            usual = {"root_label": roots.most_common(1)[0][0]}
            options = replace(options, system_options=options.system_options | usual)
    built = options.built(labels)
    if built.core.actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")
    numbers: dict[str | None, int] = {label: i for i, label in enumerate(built.label_names)}
    trees = [
        TrainingTree(sentence, as_seen, *_gold(heads, [numbers.get(name, NONE) for name in names], options, built))
        for sentence, as_seen, heads, names in prepared
    ]
    return TrainingTrees(options, labels, built, trees)


def _prepared(
    sentences: Iterable[Sentence], seen: Sequence[Sentence] | None, projective: bool, options: ParserOptions
) -> Iterator[tuple[Sentence, Sentence, list[int], list[str | None]]]:
    """Return sentences with trees, complete or partial, that the system can build; NONE and None are unknown."""
    for i, sentence in enumerate(sentences):
        as_seen = sentence if seen is None else seen[i]
        labels: list[str] = sentence.gold_labels()
        if None in sentence.heads and leaves_a_choice(str(options.oracle)):
            known = sentence.known_heads()
            if any(h is not None for h in known):
                heads = [NONE if h is None else h for h in known]
                names = [None if h is None or label == "_" else label for h, label in zip(known, labels, strict=True)]
                escapes = projective and options.nonprojective in ENCODINGS[1:]
                yield sentence, as_seen, heads, [escaped(name) if name and escapes else name for name in names]
            continue
        heads = _whole_tree(sentence, options)
        if projective:
            if options.nonprojective in ENCODINGS:
                heads, labels = projectivize(heads, labels, options.nonprojective)
            elif options.nonprojective == "drop" and not is_projective(heads):
                continue
        yield sentence, as_seen, heads, [*labels]


def check_tree(sentence: Sentence, options: ParserOptions) -> None:
    """Raise an error if a sentence cannot be learned from, as `training_trees` would."""
    sentence.gold_labels()
    if None in sentence.heads and leaves_a_choice(str(options.oracle)):
        sentence.known_heads()
    else:
        _whole_tree(sentence, options)


def _whole_tree(sentence: Sentence, options: ParserOptions) -> list[int]:
    try:
        return sentence.gold_heads()
    except FormatError as error:
        if None not in sentence.heads:
            raise
        learn = "parts of trees can be learned from with a dynamic or non-deterministic oracle"
        raise FormatError(f"{error}; {learn}, not with {options.oracle!r}") from None


def _gold(heads: list[int], labels: list[int], options: ParserOptions, built: BuiltSystem) -> tuple[Gold, "array[int]"]:
    """Return the gold tree for the oracle and, if the oracle plans it in advance, its derivation."""
    gold = gold_tree(heads, labels)
    moves = None
    if options.oracle in built.entry.static_oracles:
        moves = built.entry.plan(built.core, gold, str(options.oracle), BUDGET)
    return gold, array("i", moves or [])
