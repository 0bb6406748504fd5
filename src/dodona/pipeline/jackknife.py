"""Jackknifing: each fold of the training data is tagged by a tagger that was trained on the other folds.

A parser that is trained on such tags learns how reliable predicted tags are.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from dodona.data import Sentence
from dodona.errors import DodonaError, OptionError
from dodona.pipeline.processes import begin_process, delay_signals, process_context, shut_down
from dodona.tagger.tagger import COLUMNS, Tagger, TaggerOptions, train_tagger

__all__ = ["copy_with_tags", "jackknife"]

Train = Callable[[Sequence[Sentence]], Tagger]

USUAL: Train = partial(train_tagger, options=TaggerOptions())

_sentences: list[Sentence] = []
_train: Train | None = None


def jackknife(
    sentences: Sequence[Sentence],
    folds: int = 10,
    train: Train = USUAL,
    jobs: int = 2,
) -> list[list[list[str]]]:
    """UPOS, XPOS and FEATS for each sentence, predicted by a tagger trained on the other folds.

    Sentence i is in fold i modulo `folds`, so the result does not depend on `jobs`. With several jobs, `train` goes to
    other processes: it must be a function of a module, or a `partial` of one.
    """
    if jobs < 1:
        raise OptionError(f"jobs {jobs}: expected at least 1")
    if folds < 2 or len(sentences) < 2:
        raise OptionError(f"{folds} folds of {len(sentences)} sentences: expected at least 2 of each")
    folds = min(folds, len(sentences))
    if jobs == 1:
        parts = [_predicted(sentences, train, fold, folds) for fold in range(folds)]
    else:
        parts = _in_parallel([_tagged(sentence) for sentence in sentences], train, folds, min(jobs, folds))
    return [parts[i % folds][i // folds] for i in range(len(sentences))]


def copy_with_tags(sentences: Sequence[Sentence], tags: Sequence[Sequence[Sequence[str]]]) -> list[Sentence]:
    """Return copies of the sentences with these tags, as `jackknife` returns them."""
    found = [sentence.copied() for sentence in sentences]
    for sentence, columns in zip(found, tags, strict=True):
        for name, values in zip(COLUMNS, columns, strict=True):
            sentence.set_column(name, values)
    return found


def _predicted(sentences: Sequence[Sentence], train: Train, fold: int, folds: int) -> list[list[list[str]]]:
    tagger = train([sentence for i, sentence in enumerate(sentences) if i % folds != fold])
    return [tagger.columns(sentence.words) for sentence in sentences[fold::folds]]


def _in_parallel(columns: list[list[list[str]]], train: Train, folds: int, jobs: int) -> list[list[list[list[str]]]]:
    pool = ProcessPoolExecutor(jobs, process_context(), _prepare, (columns, train))
    try:
        with delay_signals():
            futures = [pool.submit(_predicted_here, fold, folds) for fold in range(folds)]
        return [future.result() for future in futures]
    except BrokenProcessPool as error:
        raise DodonaError("a process that was training a tagger has died; with one job the reason may show") from error
    finally:
        shut_down(pool)


def _tagged(sentence: Sentence) -> list[list[str]]:
    """Return the columns that a tagger is trained on, without the rest of the sentence."""
    return [sentence.words, sentence.upos, sentence.xpos, sentence.feats]


def _prepare(columns: list[list[list[str]]], train: Train) -> None:
    global _sentences, _train
    begin_process()
    _sentences = [Sentence.from_words(words, upos, xpos=xpos, feats=feats) for words, upos, xpos, feats in columns]
    _train = train


def _predicted_here(fold: int, folds: int) -> list[list[list[str]]]:
    assert _train is not None
    return _predicted(_sentences, _train, fold, folds)
