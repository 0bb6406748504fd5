"""The tokenizer as a component: it learns token and sentence boundaries from the raw text of a treebank.

The text can be restored exactly from its sentences (dodona.data.rawtext.rebuilt). An empty line ends a sentence; a
single line break is a space. Text is given in chunks of any size; the chunk boundaries do not change the result. At
most one sentence and the whitespace after it are kept in memory.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.components.component import Iteration, Parts, TrainingOptions
from dodona.components.multiword import Expander
from dodona.data import Sentence
from dodona.data.batches import new_sentence
from dodona.data.checks import range_line
from dodona.data.marks import Item, Pause
from dodona.data.rawtext import paragraphs
from dodona.errors import FormatError, OptionError
from dodona.scoring.linear.pruning import checked_weights, frozen_arrays
from dodona.text import runs
from dodona.text.multiword_filter import MultiwordFilter
from dodona.text.runs import Passage, Rules
from dodona.text.segmenter import Segmenter, SegmentLearner, Segments
from dodona.text.sentence_maker import SentenceMaker

__all__ = ["Tokenizer", "TokenizerOptions", "train_tokenizer"]

PIECE = 1 << 16  # characters that are processed at a time, at least
QUESTIONS = 3  # whether a token ends, whether a sentence ends, whether a token is several words
TEXTS = ("splits", "multiword")


@dataclass(frozen=True)
class TokenizerOptions(TrainingOptions):
    """How a tokenizer is trained."""

    iterations: int = 10
    size: float = 1.0
    rate: float = 0.3  # of learning

    def __post_init__(self) -> None:
        TrainingOptions.__post_init__(self)
        if not 0 < self.rate <= 10:
            raise OptionError(f"rate {self.rate}: expected a number from 0 to 10")


class Tokenizer:
    """A trained tokenizer, returned by `train_tokenizer` or `Tokenizer.from_parts`."""

    def __init__(self, options: TokenizerOptions, arrays: dict[str, NDArray[Any]], where: str = "tokenizer") -> None:
        self.options = options
        self._arrays = arrays
        self._rules = Rules(arrays["questions"], arrays["words"], _split_words(_text(arrays["splits"])))
        self._expander = Expander.parse(_text(arrays["multiword"]), where)
        self._filter = MultiwordFilter(self._expander.lexicon, self._expander.rules)
        self._segmenter = Segmenter(checked_weights(where, QUESTIONS, arrays))

    def apply(self, chunks: Iterable[str], /, located: bool = False) -> Iterator[Sentence]:
        """Yield the sentences of one text that is given in chunks; none if it is only whitespace.

        With `located`, sentences have `offsets`: start and end of each word in the text. The words of a multiword token
        share its offsets.
        """
        items = self.stream(filter(None, chunks), located)
        return (item for item in items if isinstance(item, Sentence))

    def stream(
        self, chunks: Iterable[str], located: bool = False, by_line: bool = False, name: str | None = None
    ) -> Iterator[Item]:
        """Like `apply`, with pauses: an empty chunk yields the sentences that are certain already, and then a pause.

        With `by_line`, for terminals, a line that is followed by a pause ends a sentence. With a name, the document has
        it, and the numbers of its sentences come after it: for several texts in one output.
        """
        number = 0
        comments = b"# newdoc\n" if name is None else f"# newdoc id = {name}\n".encode()
        prefix = b"" if name is None else f"{name}-".encode()
        maker = SentenceMaker(self._segmenter, self._expander, self._filter)
        for found in self._segments(chunks, by_line):
            if found is None:
                yield Pause()
                continue
            begin, passage, segments = found
            before = segments.spans(0)[0][0] if len(segments) else 0
            if number > 0 and "\n" in passage.text[:before]:
                comments = b"# newpar\n"
            for i, (text, forms, misc, multiword, notes) in enumerate(maker.sentences(segments, before)):
                number += 1
                header = b"%s# sent_id = %s%d\n# text = %s\n" % (comments, prefix, number, text)
                lines = _lines(multiword, notes) if multiword else {}
                sentence = new_sentence(Sentence, header, forms, misc, multiword, lines)
                if located:
                    sentence.offsets = _offsets(sentence, [(begin + a, begin + b) for a, b, _ in segments.spans(i)])
                yield sentence
                comments = b"# newpar\n" if maker.ends_paragraph(segments, i) else b""

    def _segments(self, chunks: Iterable[str], by_line: bool = False) -> Iterator[tuple[int, Passage, Segments] | None]:
        """Segment the text in steps of at least PIECE characters, and at least as long as the unfinished rest, so that
        the beginning of a long sentence is not segmented again too often; and at pauses (empty chunks).

        Yields the number of characters before each passage, the passage and its segments; and None for a pause.
        """
        rest = ""
        begin = 0
        waiting: list[str] = []
        size = 0
        for chunk in chunks:
            for at in range(0, len(chunk) or 1, PIECE):
                waiting.append(chunk[at : at + PIECE])
                size += len(waiting[-1])
                if not (size >= max(PIECE, len(rest)) if chunk else by_line or size > len(rest) // PIECE * 1000):
                    continue
                passage = Passage(rest + "".join(waiting), self._rules)
                final = by_line and not chunk and passage.text.endswith("\n") and passage.count > 0
                segments, done = self._segmenter.segment(passage, final)
                yield begin, passage, segments
                rest = passage.text[done:]
                begin += done
                waiting.clear()
                size = 0
            if not chunk:
                yield None
        passage = Passage(rest + "".join(waiting), self._rules)
        yield begin, passage, self._segmenter.segment(passage, True)[0]

    def parts(self) -> Parts:
        """Return the contents for a model file: a description for JSON, and arrays."""
        return {"options": asdict(self.options)}, self._arrays

    @classmethod
    def from_parts(cls, description: Any, arrays: dict[str, NDArray[Any]], where: str) -> "Tokenizer":
        """Restore the tokenizer from these parts; invalid parts raise an error that names `where`."""
        try:
            options = TokenizerOptions(**description["options"])
            _check_arrays(arrays, where)
            return cls(options, arrays, where)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{where}: the tokenizer's description is not valid: {error}") from error


def _lines(multiword: list[tuple[int, int, str]], notes: list[str]) -> dict[int, str]:
    """Return the lines of multiword tokens with these MISC columns, by their first words."""
    pairs = zip(multiword, notes, strict=True)
    return {first: range_line(first, last, form, note) for (first, last, form), note in pairs}


def _offsets(sentence: Sentence, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return start and end of each word. The words of a multiword token share those of the token."""
    if not sentence.multiword:
        return places
    tokens = zip(sentence.tokens(), places, strict=True)
    return [place for (first, last, _), place in tokens for _ in range(first, last + 1)]


def _text(array: NDArray[Any]) -> str:
    return array.tobytes().decode()


def _bytes(text: str) -> NDArray[Any]:
    return np.frombuffer(text.encode(), np.uint8)


def _split_words(text: str) -> list[list[str]]:
    """Return the parts of each word with a token boundary inside a run; the text has one word per line."""
    return [line.split(" ") for line in text.split("\n")] if text else []


def _check_arrays(arrays: dict[str, NDArray[Any]], where: str) -> None:
    """Check the arrays, which the compiled loops do not check."""
    for name, size in (("questions", runs.QUESTIONS), ("words", runs.WORDS)):
        if arrays[name].dtype.str != "|u1" or len(arrays[name]) != size:
            raise FormatError(f"{where}: {len(arrays[name])} {name}; expected {size} bytes")
    for name in TEXTS:
        if arrays[name].dtype.str != "|u1":
            raise FormatError(f"{where}: {name} of another kind than expected")


def train_tokenizer(
    sentences: Sequence[Sentence], options: TokenizerOptions, report: Callable[[Iteration], bool | None] | None = None
) -> Tokenizer:
    """Train a tokenizer on sentences with `# text`. `report` is called after each iteration; if it returns True, that
    was the last."""
    from dodona.components.tokenizer_rules import learned_rules  # only for training

    texts = list(paragraphs(sentences))
    if not texts:
        raise FormatError("there is no sentence to train on")
    expander = Expander.learned(
        (text[token.start : token.end], token.words) for text, tokens in texts for token in tokens
    )
    questions, words, splits = learned_rules(texts)
    rules = Rules(questions, words, splits)
    times = Counter(text[token.start : token.end] for text, tokens in texts for token in tokens)
    lessons = [_Lesson(text, tokens, rules, expander, times) for text, tokens in texts]
    beginnings = [(lesson, k) for lesson in lessons for k in lesson.beginnings]
    learner = SegmentLearner(options.rate)
    generator = random.Random(options.seed)
    asked = mistakes = 0
    for number in range(1, options.iterations + 1):
        generator.shuffle(beginnings)
        for lesson, k in beginnings:
            learner.sentence(lesson.passage, lesson.gold, k)
            for question in lesson.multiword.get(k, ()):
                learner.multiword(lesson.passage, *question)
        steps, wrong = learner.asked - asked, learner.mistakes - mistakes
        asked, mistakes = learner.asked, learner.mistakes
        if report is not None and report(Iteration(number, steps, wrong, learner.weights.features)):
            break
    arrays = frozen_arrays(learner.weights, options.size) | {
        "questions": questions,
        "words": words,
        "splits": _bytes("\n".join(" ".join(pieces) for pieces in splits)),
        "multiword": _bytes(expander.text()),
    }
    return Tokenizer(options, arrays)


class _Lesson:
    """A paragraph with the correct decision after each run."""

    def __init__(self, text: str, tokens: Sequence[Any], rules: Rules, expander: Expander, times: Counter[str]) -> None:
        self.passage = Passage(text, rules)
        ends = {end: k for k, (_, end) in enumerate(self.passage.spans())}
        self.gold = np.zeros(self.passage.count, np.int32)
        self.beginnings = [0]
        self.multiword: dict[int, list[tuple[int, int, int, bool, bool]]] = {}
        first = 0
        for token in tokens:
            last = ends.get(token.end)
            if last is None:
                continue  # inside a run: it cannot be learned
            self.gold[last] = 2 if token.ends_sentence else 1
            form = text[token.start : token.end]
            if expander[form] is not None and first <= last:
                sentence = self.beginnings[-1]
                question = (sentence, first, last, token.words is not None, times[form] == 1)
                self.multiword.setdefault(sentence, []).append(question)
            first = last + 1
            if token.ends_sentence and first < self.passage.count:
                self.beginnings.append(first)
