"""The tokenizer as a component: it learns token and sentence boundaries from the raw text of a treebank.

The text can be restored exactly from its sentences (dodona.data.spacing.rebuild_text). An empty line ends a sentence; a
single line break is a space. Text is given in chunks of any size; the chunk boundaries do not change the result. At
most one sentence and the whitespace after it are kept in memory.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dodona.component import Callback, Parts, TrainingOptions, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.characters import BLANK, KIND_COUNT, MARK, WORD_KINDS, kind_of
from dodona.data.checks import format_range
from dodona.data.spacing import SurfaceToken, paragraphs
from dodona.data.storage import make_sentence
from dodona.data.stream import Item, Pause, only_sentences
from dodona.errors import FormatError, OptionError, name_faults
from dodona.linear.frozen import check_weights, freeze_weights
from dodona.tokenizer.model import (
    ALWAYS,
    ASK,
    NEVER,
    QUESTION_BYTES,
    WORD_BYTES,
    MultiwordFilter,
    Passage,
    Rules,
    Segmenter,
    SegmentLearner,
    Segments,
    SentenceMaker,
    word_place,
)

__all__ = ["Expander", "Expansion", "Tokenizer", "TokenizerOptions", "learn_rules", "train_tokenizer"]

LEAST_TYPES = 3  # token types that must agree on a rule for multiword tokens
LEAST_SHARE = 0.2  # of all tokens with this suffix that must be multiword tokens
MAX_EXPANSIONS = 1 << 16  # forms cached before the cache is cleared
MAX_EXPANDED = 200  # characters of a token that is cached
RARE = 0.002  # token boundaries between two kinds of characters that are rarer than this are listed by word
LEAST_CASES = 20  # fewer cases than this give no rule
STEP = 1 << 16  # characters that are processed at a time, at least
DECISIONS = 3  # whether a token ends, whether a sentence ends, whether a token is several words
TEXTS = ("splits", "multiword")  # the arrays that are texts

Text = tuple[str, Sequence[SurfaceToken]]


class Expansion(NamedTuple):
    words: list[str]
    is_certain: bool  # whether the token was never seen as one word


class Expander(dict[str, Expansion | None]):
    """`expander[form]` has the words of a token if it is a multiword token, or None.

    It is a dictionary for speed: it caches its results.
    """

    def __init__(self, lexicon: dict[str, Expansion], rules: dict[str, list[str]]) -> None:
        super().__init__()
        self.lexicon = lexicon
        self.rules = rules
        self._longest = max(map(len, rules), default=0)

    @classmethod
    def learn(cls, tokens: Iterable[tuple[str, Sequence[str] | None]]) -> "Expander":
        """Learn lexicon and rules from all tokens of a treebank, with the words of multiword tokens."""
        plain: set[str] = set()
        expansions: dict[str, Counter[tuple[str, ...]]] = {}
        for form, words in tokens:
            if words is None:
                plain.add(form)
            else:
                expansions.setdefault(form, Counter())[tuple(words)] += 1
        lexicon = {}
        for form, counter in sorted(expansions.items()):
            words, _ = min(counter.items(), key=lambda item: (-item[1], item[0]))
            lexicon[form] = Expansion(list(words), form not in plain)
        return cls(lexicon, _learn_suffixes(lexicon, plain))

    def __missing__(self, form: str) -> Expansion | None:
        expansion = self._expand(form)
        if len(form) <= MAX_EXPANDED:
            if len(self) >= MAX_EXPANSIONS:
                self.clear()
            self[form] = expansion
        return expansion

    def _expand(self, form: str) -> Expansion | None:
        if form in self.lexicon:
            return self.lexicon[form]
        lower = form.lower()
        if len(lower) != len(form):
            return None
        if lower in self.lexicon:
            return Expansion(_recase(form, self.lexicon[lower].words), False)
        for size in range(min(self._longest, len(form) - 1), 0, -1):
            if lower[-size:] in self.rules:
                first, *rest = self.rules[lower[-size:]]
                return Expansion(_recase(form, [form[:-size] + first, *rest]), False)
        return None

    def text(self) -> str:
        """Return lexicon and rules as lines of tab-separated words."""
        lines = ["\t".join([form, "!" if e.is_certain else "?", *e.words]) for form, e in self.lexicon.items()]
        return "\n".join(lines + ["\t".join([suffix, "-", *words]) for suffix, words in sorted(self.rules.items())])

    @classmethod
    def parse(cls, text: str, where: str) -> "Expander":
        lexicon, rules = {}, {}
        for line in text.split("\n") if text else []:
            form, *rest = line.split("\t")
            kind, words = rest[:1], rest[1:]
            needed = words[1:] if kind == ["-"] else words
            if not form or len(words) < 2 or not all(needed) or set(line) & set("\r\0") or kind[0] not in "!?-":
                raise FormatError(f"{where}: multiword token {line[:40]!r}; expected a form, its kind and its words")
            if kind == ["-"]:
                rules[form] = words
            else:
                lexicon[form] = Expansion(words, kind == ["!"])
        return cls(lexicon, rules)


def _learn_suffixes(lexicon: dict[str, Expansion], plain: set[str]) -> dict[str, list[str]]:
    """Return lowercased suffixes with the end of the first word and the other words."""
    endings: dict[str, Counter[tuple[str, ...]]] = {}
    for form, expansion in lexicon.items():
        first, *rest = (word.lower() for word in expansion.words)
        lower = form.lower()
        size = 0
        while size < min(len(first), len(lower)) and first[size] == lower[size]:
            size += 1
        if 0 < size < len(lower):
            endings.setdefault(lower[size:], Counter())[(first[size:], *rest)] += 1
    rules = {}
    for suffix, counter in sorted(endings.items()):
        words, count = min(counter.items(), key=lambda item: (-item[1], item[0]))
        alike = sum(form.lower().endswith(suffix) for form in lexicon)
        others = sum(form.lower().endswith(suffix) for form in plain)
        if count >= LEAST_TYPES and 2 * count > alike and count >= LEAST_SHARE * (count + others):
            rules[suffix] = list(words)
    return rules


def _recase(form: str, words: list[str]) -> list[str]:
    """Return the words with the letter case of the token."""
    together = "".join(words)
    if together.lower() == form.lower() and len(together) == len(form):
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word))
        return [form[begin:end] for begin, end in pairwise(ends)]
    if form.isupper() and len(form) > 1:
        return [word.upper() for word in words]
    return [form[0] + words[0][1:] if words[0][:1] == form[0].lower() else words[0], *words[1:]]


def learn_rules(texts: Sequence[Text]) -> tuple[NDArray[Any], NDArray[Any], list[list[str]]]:
    """Return (questions, words, splits), the arguments of `dodona.tokenizer.model.Rules`."""
    questions = _answer_questions(texts)
    none = np.zeros(WORD_BYTES, np.uint8)
    splits = _find_splits(texts, Rules(questions, none, []))
    return questions, _find_words(texts, Rules(questions, none, splits)), splits


def _answer_questions(texts: Sequence[Text]) -> NDArray[Any]:
    """Return whether tokens and sentences always, never or sometimes end between two kinds, with and without space."""
    total, ended, closed = (np.zeros(2 * KIND_COUNT * KIND_COUNT, np.int64) for _ in range(3))
    for text, tokens in texts:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        different, places = np.unique(codes, return_inverse=True)
        kinds = np.array([kind_of(int(code)) for code in different], np.int64)[places]
        ends = np.zeros(len(text), np.int64)
        for token in tokens:
            ends[token.end - 1] = 1 + token.ends_sentence
        inked = np.flatnonzero(kinds != BLANK)
        left, right = inked[:-1], inked[1:]
        pairs = ((right - left > 1) * KIND_COUNT + kinds[left]) * KIND_COUNT + kinds[right]
        for counts, which in ((total, ends[left] >= 0), (ended, ends[left] > 0), (closed, ends[left] > 1)):
            counts += np.bincount(pairs[which], minlength=len(counts))
    together = KIND_COUNT * KIND_COUNT
    inside = _is_inside(total[:together], ended[:together])
    spaces_are_ends = total[together:] - ended[together:] <= RARE * RARE * total[together:]
    answers = (
        np.where(inside, NEVER, ASK),
        np.where(spaces_are_ends, ALWAYS, ASK),
        np.where((closed > 0) | (total < LEAST_CASES), ASK, NEVER),
    )
    return np.concatenate(answers).astype(np.uint8)


def _is_inside(total: NDArray[Any], ended: NDArray[Any]) -> NDArray[Any]:
    """Return the pairs of kinds between which no token ends without a space; if rare: parts of words, and marks."""
    is_word = np.isin(np.arange(KIND_COUNT), WORD_KINDS)
    probable = (is_word[:, None] & is_word[None, :]).ravel() | (np.arange(KIND_COUNT * KIND_COUNT) % KIND_COUNT == MARK)
    return np.where(total >= LEAST_CASES, ended <= RARE * total, probable & (ended == 0))


def _find_splits(texts: Sequence[Text], rules: Rules) -> list[list[str]]:
    """Return the words that usually have a token boundary where the kinds of their characters allow none."""
    split: Counter[tuple[str, ...]] = Counter()
    runs: Counter[str] = Counter()
    for text, tokens in texts:
        token_ends = np.array([token.end for token in tokens])
        for begin, end in Passage(text, rules).spans():
            inside = token_ends[np.searchsorted(token_ends, begin, "right") : np.searchsorted(token_ends, end)]
            run = text[begin:end]
            runs[run] += 1
            if len(inside) and len(run) < 64:
                cuts = [begin, *inside.tolist(), end]
                split[tuple(text[a:b] for a, b in pairwise(cuts))] += 1
    return sorted(list(parts) for parts, count in split.items() if 2 * count > runs["".join(parts)])


def _find_words(texts: Sequence[Text], rules: Rules) -> NDArray[Any]:
    """Return two bits for the hash of each word: seen at least twice lowercased, and capitalized in mid-sentence."""
    lower: Counter[str] = Counter()
    capitalized: Counter[str] = Counter()
    for text, tokens in texts:
        starts = {tokens[0].start} | {after.start for token, after in pairwise(tokens) if token.ends_sentence}
        for begin, end in Passage(text, rules).spans():
            run = text[begin:end]
            if run.islower():
                lower[run] += 1
            elif run[:1].isupper() and begin not in starts:
                capitalized[run.lower()] += 1
    words = np.zeros(WORD_BYTES, np.uint8)
    for bit, counter in ((1, lower), (2, capitalized)):
        for word, count in counter.items():
            if count > 1:
                place = word_place(word)
                words[place >> 2] |= bit << 2 * (place & 3)
    return words


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
        self._rules = Rules(arrays["questions"], arrays["words"], _parse_splits(_decode(arrays["splits"])))
        self._expander = Expander.parse(_decode(arrays["multiword"]), where)
        self._filter = MultiwordFilter(self._expander.lexicon, self._expander.rules)
        self._segmenter = Segmenter(check_weights(where, DECISIONS, arrays))

    def apply(self, chunks: Iterable[str], /, located: bool = False) -> Iterator[Sentence]:
        """Yield the sentences of one text that is given in chunks; none if it is only whitespace.

        With `located`, sentences have `offsets`: start and end of each word in the text. The words of a multiword token
        share its offsets, unless the text shows each of them, as in *don't*.
        """
        return only_sentences(self.stream(filter(None, chunks), located))

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
        for segmented in self._segment(chunks, by_line):
            if segmented is None:
                yield Pause()
                continue
            begin, passage, segments = segmented
            before = segments.spans(0)[0][0] if len(segments) else 0
            if number > 0 and "\n" in passage.text[:before]:
                comments = b"# newpar\n"
            for i, (text, forms, misc, multiword, notes) in enumerate(maker.sentences(segments, before)):
                number += 1
                header = b"%s# sent_id = %s%d\n# text = %s\n" % (comments, prefix, number, text)
                lines = _make_lines(multiword, notes) if multiword else {}
                sentence = make_sentence(Sentence, header, forms, misc, multiword, lines)
                if located:
                    places = [(begin + a, begin + b) for a, b, _ in segments.spans(i)]
                    sentence.offsets = _find_offsets(sentence, places)
                yield sentence
                comments = b"# newpar\n" if maker.ends_paragraph(segments, i) else b""

    def _segment(self, chunks: Iterable[str], by_line: bool = False) -> Iterator[tuple[int, Passage, Segments] | None]:
        """Segment the text in steps of at least STEP characters, and at least as long as the unfinished rest, so that
        the beginning of a long sentence is not segmented again too often; and at pauses (empty chunks).

        Yields the number of characters before each passage, the passage and its segments; and None for a pause.
        """
        rest = ""
        begin = 0
        waiting: list[str] = []
        size = 0
        for chunk in chunks:
            for at in range(0, len(chunk) or 1, STEP):
                waiting.append(chunk[at : at + STEP])
                size += len(waiting[-1])
                if not (size >= max(STEP, len(rest)) if chunk else by_line or size > len(rest) // STEP * 1000):
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
        with name_faults(f"{where}: the tokenizer's description is not valid"):
            options = TokenizerOptions(**description["options"])
            _check_arrays(arrays, where)
            return cls(options, arrays, where)


def _make_lines(multiword: list[tuple[int, int, str]], notes: list[str]) -> dict[int, str]:
    """Return the lines of multiword tokens with these MISC columns, by their first words."""
    pairs = zip(multiword, notes, strict=True)
    return {first: format_range(first, last, form, note) for (first, last, form), note in pairs}


def _find_offsets(sentence: Sentence, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return start and end of each word. The words of a multiword token share those of the token, unless their letters
    are those of the token: *don't* is *do* and *n't*, but *du* is not *de* and *le*."""
    if not sentence.multiword:
        return places
    forms = sentence.forms().strings()  # no list that the sentence would keep
    spans: list[tuple[int, int]] = []
    token = 0
    for first, last, form in sentence.multiword:
        before = first - 1 - len(spans)
        spans += places[token : token + before]
        begin, end = places[token + before]
        token += before + 1
        words = forms[first - 1 : last]
        together = "".join(words)
        if len(together) == len(form) == end - begin and together.lower() == form.lower():
            for word in words:
                spans.append((begin, begin + len(word)))
                begin += len(word)
        else:
            spans += [(begin, end)] * len(words)
    return spans + places[token:]


def _decode(array: NDArray[Any]) -> str:
    return array.tobytes().decode()


def _encode(text: str) -> NDArray[Any]:
    return np.frombuffer(text.encode(), np.uint8)


def _parse_splits(text: str) -> list[list[str]]:
    """Return the parts of each word with a token boundary inside a run; the text has one word per line."""
    return [line.split(" ") for line in text.split("\n")] if text else []


def _check_arrays(arrays: dict[str, NDArray[Any]], where: str) -> None:
    """Check the arrays, which the compiled loops do not check."""
    for name, size in (("questions", QUESTION_BYTES), ("words", WORD_BYTES)):
        if arrays[name].dtype.str != "|u1" or len(arrays[name]) != size:
            raise FormatError(f"{where}: {len(arrays[name])} {name}; expected {size} bytes")
    for name in TEXTS:
        if arrays[name].dtype.str != "|u1":
            raise FormatError(f"{where}: {name} of another kind than expected")


def train_tokenizer(sentences: Sequence[Sentence], options: TokenizerOptions, callback: Callback = ignore) -> Tokenizer:
    """Train a tokenizer on sentences with `# text`. `callback` is told of each iteration; if it returns True, that
    was the last."""
    texts = list(paragraphs(sentences))
    if not texts:
        raise FormatError("there is no sentence to train on")
    expander = Expander.learn(
        (text[token.start : token.end], token.words) for text, tokens in texts for token in tokens
    )
    questions, words, splits = learn_rules(texts)
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
        if callback(TrainingProgress("tokenizer", number, options.iterations, steps, wrong)):
            break
    arrays = freeze_weights(learner.weights, options.size) | {
        "questions": questions,
        "words": words,
        "splits": _encode("\n".join(" ".join(parts) for parts in splits)),
        "multiword": _encode(expander.text()),
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
