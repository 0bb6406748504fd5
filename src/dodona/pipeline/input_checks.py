"""Checks of everything that training needs, before the first component is trained: all faults at once."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from dodona.components.parser_options import ParserOptions
from dodona.components.training_trees import MOST_ACTIONS, check_tree
from dodona.data import Sentence
from dodona.data.files import chunks
from dodona.data.rawtext import check_text
from dodona.errors import FormatError, OptionError
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.plan import TrainingPlan

__all__ = ["check_training_input"]

SHOWN = 10
COLUMNS = {"tagger": ("upos", "xpos", "feats"), "lemmatizer": ("lemmas", "upos", "feats")}


def check_training_input(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: ParserOptions,
    wanted: Sequence[str],
    plan: TrainingPlan,
) -> None:
    """Raise an error that lists the first faults of both treebanks, each with its file and line."""
    _check_files(plan)
    faults = [
        *_faults(sentences, lambda sentence: check_tree(sentence, options)),
        *_faults(dev, Sentence.check_gold),
    ]
    if "tokenizer" in wanted:
        faults += _faults(sentences, check_text)
    for component, columns in COLUMNS.items():
        if component in wanted:
            faults += _faults(sentences, partial(_check_filled, columns))
    if len(faults) == 1:
        raise FormatError(faults[0])
    if faults:
        listed = "".join(f"\n  {fault}" for fault in islice(faults, SHOWN))
        more = f"\n  and {len(faults) - SHOWN:,} more" if len(faults) > SHOWN else ""
        raise FormatError(f"{len(faults):,} faults in the training data:{listed}{more}")
    _check_labels(sentences, options)


def _faults(sentences: Sequence[Sentence], check: Callable[[Sentence], object]) -> Iterator[str]:
    for sentence in sentences:
        try:
            check(sentence)
        except FormatError as error:
            yield str(error)


def _check_filled(columns: Sequence[str], sentence: Sentence) -> None:
    for name in columns:
        values: list[str] = getattr(sentence, name)
        if "" in values:
            d = values.index("") + 1
            shown = "LEMMA" if name == "lemmas" else name.upper()
            raise FormatError(f"{sentence.file}:{sentence.word_line(d)}: {shown} ''; expected a value, `_` for nothing")


def _check_labels(sentences: Sequence[Sentence], options: ParserOptions) -> None:
    """Check that there is something to learn, and not more than actions can be numbered."""
    if all(h is None for s in sentences for h in s.heads):
        raise FormatError("there is no tree to train on; expected sentences with HEAD filled in")
    labels = set()
    for sentence in sentences:
        known = {label for h, label in zip(sentence.heads, sentence.labels, strict=True) if h is not None}
        labels |= known - {"_"} if None in sentence.heads else known
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    if options.built(sorted(labels)).core.actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")


def _check_files(plan: TrainingPlan) -> None:
    if not (math.isfinite(plan.vectors_size) and plan.vectors_size > 0):
        raise OptionError(f"vectors_size {plan.vectors_size!r}: expected megabytes, more than 0")
    if plan.vectors is not None:
        next(chunks(plan.vectors), None)  # an error if it cannot be read
    if plan.checkpoint is not None:
        check_target(plan.checkpoint)
