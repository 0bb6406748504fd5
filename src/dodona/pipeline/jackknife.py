"""Jackknifing: each fold of the training data is tagged by a tagger that was trained on the other folds.

A parser that is trained on such tags learns how reliable predicted tags are.
"""

from collections.abc import Callable, Sequence
from functools import partial

from dodona.data import Sentence
from dodona.errors import OptionError
from dodona.pipeline.processes import map_in_processes
from dodona.tagger.tagger import COLUMNS, Tagger, TaggerOptions, train_tagger

__all__ = ["jackknife"]

Train = Callable[[Sequence[Sentence]], Tagger]
Columns = list[list[str]]

USUAL: Train = partial(train_tagger, options=TaggerOptions())


def jackknife(sentences: Sequence[Sentence], folds: int = 10, train: Train = USUAL, jobs: int = 2) -> list[Sentence]:
    """Return copies of the sentences with UPOS, XPOS and FEATS predicted by a tagger trained on the other folds.

    Sentence i is in fold i modulo `folds`, so the result does not depend on `jobs`. With several jobs, `train` goes to
    other processes: it must be a function of a module, or a `partial` of one.
    """
    if jobs < 1:
        raise OptionError(f"jobs {jobs}: expected at least 1")
    if folds < 2 or len(sentences) < 2:
        raise OptionError(f"{folds} folds of {len(sentences)} sentences: expected at least 2 of each")
    folds = min(folds, len(sentences))
    tag = partial(_tag_fold, sentences, train, folds)
    parts = list(map(tag, range(folds)) if jobs == 1 else map_in_processes(tag, range(folds), min(jobs, folds)))
    copies = [sentence.copy() for sentence in sentences]
    for i, sentence in enumerate(copies):
        for name, values in zip(COLUMNS, parts[i % folds][i // folds], strict=True):
            sentence.set_column(name, values)
    return copies


def _tag_fold(sentences: Sequence[Sentence], train: Train, folds: int, fold: int) -> list[Columns]:
    tagger = train([sentence for i, sentence in enumerate(sentences) if i % folds != fold])
    return [tagger.columns(sentence.words) for sentence in sentences[fold::folds]]
