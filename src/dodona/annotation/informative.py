"""What to annotate next: how much there is to learn from a sentence, by several measures.

    doubt            the share of its arcs that are expected to be wrong: one minus the mean of their confidence
    errors           the number of its arcs that are expected to be wrong, so that long sentences come first
    disagreement     the share of its words on whose arc several models do not agree (query by committee: Seung, Opper
                     and Sompolinsky 1992)
    information      doubt about what occurs often: the doubt of each word, weighted by the doubt in all sentences about
                     words of the same lemma and in the same construction (information density: Settles and Craven
                     2008), divided by the square root of the length

All are high for sentences that a person should look at first. With several models, the arcs and their confidence are
those of the first one.
"""

import warnings
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log1p, sqrt
from typing import IO

from dodona.data import Sentence
from dodona.data.conllu import read_conllu
from dodona.data.stream import Item, Pause, only_sentences
from dodona.errors import DodonaError, FormatError, OptionError
from dodona.parser.request import NBEST, SENTENCE_CONFIDENCE, Analysis, Request
from dodona.pipeline.pipeline import Pipeline

__all__ = ["MEASURES", "Pool", "check_measure", "measure_sentences", "rank_sentences", "sort_by_measure"]

MEASURES = ("doubt", "errors", "disagreement", "information")
CONFIDENT = Request(confidence=True)


def check_measure(measure: str, models: int = 1) -> None:
    """Raise an error for a measure that there is not, or that needs more models."""
    if measure not in MEASURES:
        raise OptionError(f"measure {measure!r}: expected one of {', '.join(MEASURES)}")
    if measure == "disagreement" and models < 2:
        raise OptionError("disagreement of one model; expected several")


def rank_sentences(
    pipeline: Pipeline | Sequence[Pipeline], sentences: Sequence[Sentence], measure: str = "doubt"
) -> list[float]:
    """Return a number for each sentence, high for those to look at first; the sentences are not changed.

    Missing tags are filled in before parsing; arcs that sentences have already play no part.
    """
    pipelines = [pipeline] if isinstance(pipeline, Pipeline) else list(pipeline)
    check_measure(measure, len(pipelines))
    seen: list[list[Sentence]] = []
    trees = []
    for each in pipelines if measure == "disagreement" else pipelines[:1]:
        seen.append([sentence.copy() for sentence in sentences])
        tagged = each.tag(seen[-1])
        trees.append([best for best, *_ in each.parser.analyses_of(seen[-1], CONFIDENT, tagged)])
        each.lemmatize(seen[-1])
    return measure_sentences(seen[0], trees, measure)


def measure_sentences(sentences: Sequence[Sentence], trees: Sequence[Sequence[Analysis]], measure: str) -> list[float]:
    """Return a number for each sentence, from the trees of one or several models, one list for each model."""
    check_measure(measure, len(trees))
    pool = Pool()
    if measure == "information":
        for sentence, tree in zip(sentences, trees[0], strict=True):
            pool.add(sentence, tree)
    return [_measure(sentence, [each[i] for each in trees], measure, pool) for i, sentence in enumerate(sentences)]


def _measure(sentence: Sentence, trees: Sequence[Analysis], measure: str, pool: "Pool") -> float:
    if measure == "disagreement":
        return _disagreement(trees)
    if measure == "information":
        return pool.information(sentence, trees[0])
    errors = sum(1 - sure for sure in trees[0].confidence)
    return errors if measure == "errors" else errors / len(sentence)


def _disagreement(trees: Sequence[Analysis]) -> float:
    """Return the mean over words of the share of models that build another arc than the first one."""
    first, *others = (list(zip(tree.heads, tree.labels, strict=True)) for tree in trees)
    different = sum(arc != their for other in others for arc, their in zip(first, other, strict=True))
    return different / (len(others) * len(first))


class Pool:
    """All sentences that could be annotated: how much doubt there is about words of each kind."""

    def __init__(self) -> None:
        self._doubt: defaultdict[tuple[str, ...], float] = defaultdict(float)

    def add(self, sentence: Sentence, tree: Analysis) -> None:
        for k, sure in enumerate(tree.confidence):
            for kind in _kinds(sentence, tree, k):
                self._doubt[kind] += 1 - sure

    def information(self, sentence: Sentence, tree: Analysis) -> float:
        """Return the information about one of the sentences."""
        return sum(self.of_words(sentence, tree)) / sqrt(len(sentence))

    def of_words(self, sentence: Sentence, tree: Analysis) -> list[float]:
        """Return the doubt about each word of one of the sentences, weighted by that about similar words elsewhere."""
        values = []
        for k, sure in enumerate(tree.confidence):
            elsewhere = (max(0.0, self._doubt[kind] - (1 - sure)) for kind in _kinds(sentence, tree, k))
            values.append((1 - sure) * sum(map(log1p, elsewhere)) / 2)
        return values


def _kinds(sentence: Sentence, tree: Analysis, k: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a word has in common with others: its lemma and tag, and its construction."""
    head, tag = tree.heads[k], sentence.upos[k]
    above = sentence.upos[head - 1] if head else "ROOT"
    side = "left" if head <= k else "right"
    return (sentence.lemmas[k], tag), (tag, sentence.feats[k], above, side)


def sort_by_measure(
    items: Iterable[Item], measure: str = "doubt", committee: Sequence[Pipeline] = ()
) -> Iterator[Item]:
    """Yield parsed sentences, those to look at first first; equal ones in the order they had.

    They must have been parsed with confidence. `committee` are other models, for their disagreement with these parses.

    All are needed before the first can be yielded, so pauses do not count; only comments at the end of the input stay
    there. The sentences wait in a temporary file, so that memory holds a few numbers a sentence. The other trees of a
    sentence (`# nbest`) follow its best one.
    """
    import tempfile  # with its compression, which every start of `dodona parse` would wait for

    check_measure(measure, 1 + len(committee))
    last = Pause()
    values, ends = array("d"), array("q")
    formats: list[str] = []
    pool = Pool()
    with tempfile.TemporaryFile(prefix="dodona-") as file:
        for item in items:
            if isinstance(item, Sentence):
                is_best = not _is_another_tree(item)
                if measure == "information" and is_best:
                    pool.add(item, _tree_of(item))
                values.append(_value(item, measure, committee, pool) if is_best else values[-1])
                ends.append((ends[-1] if ends else 0) + _store(file, item.to_bytes()))
                formats.append(item.format)
            elif isinstance(item, Pause) and item.data:
                last = item

        def read(i: int) -> Sentence:
            begin = ends[i - 1] if i else 0
            file.seek(begin)
            return _read_again(file.read(ends[i] - begin), formats[i])

        if measure == "information":  # now that all are known
            for i in range(len(values)):
                sentence = read(i)
                values[i] = values[i - 1] if _is_another_tree(sentence) else _value(sentence, measure, (), pool)
        for i in sorted(range(len(values)), key=lambda i: -values[i]):
            yield read(i)
    yield last


def _value(sentence: Sentence, measure: str, committee: Sequence[Pipeline], pool: Pool) -> float:
    if measure == "doubt":
        return -_confidence(sentence)
    others = [each.parser.analyses(sentence)[0] for each in committee] if measure == "disagreement" else []
    return _measure(sentence, [_tree_of(sentence), *others], measure, pool)


def _tree_of(sentence: Sentence) -> Analysis:
    from dodona.evaluation.calibration import confidences  # with all of evaluation, which sorting by doubt does without

    return Analysis(sentence.gold_heads(), list(sentence.labels), confidence=confidences([sentence]).tolist())


def _confidence(sentence: Sentence) -> float:
    for comment in sentence.comments:
        if comment.startswith(SENTENCE_CONFIDENCE):
            return float(comment.removeprefix(SENTENCE_CONFIDENCE))
    raise FormatError(f"{sentence.file}:{sentence.line}: no comment `{SENTENCE_CONFIDENCE}…`; expected one to sort by")


def _is_another_tree(sentence: Sentence) -> bool:
    return any(comment.startswith(NBEST) and comment != f"{NBEST}1" for comment in sentence.comments)


def _store(file: IO[bytes], data: bytes) -> int:
    try:
        return file.write(data)
    except OSError as error:
        raise DodonaError(f"a temporary file cannot be written: {error.strerror}") from error


def _read_again(data: bytes, format: str) -> Sentence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said when the sentence was read for the first time
        (sentence,) = only_sentences(read_conllu([data], "a temporary file", format=format, strict=False))
    return sentence
