"""One run: a parser is trained on a treebank with some options, and measured. The result is a record in JSON.

A run's key is a digest of everything that decides its result, except for the program itself: a record of an older
program is still a record, and tables say when the records of different programs are mixed.
"""

import base64
import json
import platform
import time
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from operator import eq
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import dodona
from dodona.data import Sentence
from dodona.data.silver import MOST_SILVER, survey_silver
from dodona.errors import FormatWarning, OptionError
from dodona.evaluation import Comparison, attachment, compare
from dodona.experiments.active import ARCS, SENTENCES, annotate_by
from dodona.experiments.repairs import count_repairs
from dodona.experiments.treebanks import FORMAT, Treebank, digest_of, sentences_of
from dodona.neural.options import NetworkOptions
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import NetworkSource, SilverSource, begin_training
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.pretraining import load_encoder
from dodona.pipeline.training import Judge, TrainingPlan
from dodona.research.swaps import describe_treebank
from dodona.tagger.tagger import TaggerOptions, train_tagger

__all__ = ["MEASURES", "Run", "pack", "perform", "unpack"]

SCORES = ("UAS", "LAS", "labels", "UAS exact match", "LAS exact match")
LEAST_SECONDS = 0.5  # of parsing, to measure its speed

ALWAYS = frozenset(field.name for field in fields(ParserOptions)) - {"network", "transformer"}
"""The options that are always part of the key. One that comes later is part of it where it is not the default, so that
older records stay valid."""

SOURCES = (".py", ".pyx", ".pxd", ".h", ".txt")
BESIDE = ("cli", "drawing", "models", "validation", "tables.py", "__init__.py")  # that decide no result
DECIDING = ("run.py", "active.py", "repairs.py", "treebanks.py")  # of the experiments, those that do


@dataclass(frozen=True)
class Run:
    """One task. Without options nothing is trained: the treebank itself is measured."""

    treebank: Treebank
    options: ParserOptions | None
    measures: tuple[str, ...] = ("dev", "test")
    tags: str = "gold"
    limit: int | None = None  # sentences of each part
    keep: str = "last"  # the iteration that is measured; "best": the one with the highest LAS on dev
    elsewhere: tuple[Treebank, ...] = ()  # whose test parts are parsed too
    tagged: str | None = None  # a folder with the sentences as a tagger sees them; not part of the key
    silver: int = 0  # words of silver sentences that are learned from, too, again and again
    encoder: str | None = None  # a file with a pretrained encoder, which a network begins with
    train_limit: int | None = None  # sentences of the training part; None: as many as of the others

    def __post_init__(self) -> None:
        if self.options is not None:
            object.__setattr__(self, "options", normalize_exploration(self.options))

    @property
    def seed(self) -> int:
        return self.options.seed if self.options is not None else 0

    @property
    def weight(self) -> float:
        """About how much work it is, in no particular unit: to tell how much time is left."""
        if self.options is None:
            return 1.0 + self.treebank.size
        neural = 100 if self.options.scorer == "neural" else 1
        silver = 1 + MOST_SILVER * bool(self.silver)
        return (1.0 + self.treebank.size) * (self.options.iterations or 30) * self.options.beam * neural * silver

    def description(self) -> dict[str, Any]:
        """Everything that decides the result, as JSON."""
        data = self.treebank.digests | {f"test of {other.name}": other.digests["test"] for other in self.elsewhere}
        if self.silver:
            data |= {f"first {self.silver} words of silver": digest_of(self.treebank.silver)}
        later = {"train_limit": self.train_limit, "encoder": digest_of([self.encoder]) if self.encoder else None}
        return {
            "options": describe(self.options),
            "measures": list(self.measures),
            "tags": self.tags,
            "limit": self.limit,
            "keep": self.keep,
            "data": data,
        } | {name: value for name, value in later.items() if value is not None}  # older records stay valid

    @property
    def key(self) -> str:
        canonical = json.dumps({"format": FORMAT, **self.description()}, sort_keys=True, ensure_ascii=False)
        return sha256(canonical.encode()).hexdigest()[:24]

    def __str__(self) -> str:
        what = [self.treebank.name]
        if self.options is not None:
            plain = normalize_exploration(ParserOptions(system=self.options.system, oracle=self.options.oracle))
            own = {k: v for k, v in asdict(self.options).items() if v != getattr(plain, k) and k != "seed"}
            own |= {"silver": self.silver} if self.silver else {}
            what += [str(self.options.system), str(self.options.oracle)]
            what += [f"{name}={value}" for name, value in own.items() if value is not None]
            what += [f"encoder={self.encoder}"] if self.encoder else []
            what += [f"train_limit={self.train_limit}"] if self.train_limit else []
            what.append(f"seed={self.seed}")
        return " ".join([*what, "measuring", *self.measures])


def normalize_exploration(options: ParserOptions) -> ParserOptions:
    """Return options of the same training in one form only: where nothing is explored, k and p say nothing."""
    if options.oracle == "dynamic" and options.explore > 0 and options.explore_after < (options.iterations or 1 << 30):
        return options
    return replace(options, explore=0.0, explore_after=0)


def describe(options: ParserOptions | None) -> dict[str, Any] | None:
    if options is None:
        return None
    plain = ParserOptions()
    own = {field.name: getattr(options, field.name) for field in fields(options)}
    described = {name: value for name, value in own.items() if name in ALWAYS or value != getattr(plain, name)}
    if options.network is not None:
        usual = asdict(NetworkOptions())
        described["network"] = {k: v for k, v in asdict(options.network).items() if v != usual[k]}
    return described


def perform(run: Run) -> dict[str, Any]:
    """Carry out a run; returns its record, ready for JSON."""
    begin, cpu = time.monotonic(), time.process_time()
    for treebank in (run.treebank, *run.elsewhere):
        treebank.check_unchanged()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # a run that takes hours is not the place; `dodona stats` tells
        subject = Subject(run)
        results = {name: MEASURES[name](subject) for name in run.measures}
    return {
        "format": FORMAT,
        "key": run.key,
        "treebank": run.treebank.name,
        "seed": run.seed,
        **run.description(),
        "program": program_digest(),
        "versions": {"dodona": dodona.__version__, "python": platform.python_version(), "numpy": np.__version__},
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(time.monotonic() - begin, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "results": results,
    }


@lru_cache(maxsize=1)
def program_digest() -> str:
    """A digest of the sources that decide results; the command line, drawings, tables and figures do not."""
    home = Path(dodona.__file__).parent
    total = sha256()
    for path in sorted(home.rglob("*")):
        part, *_ = path.relative_to(home).parts
        is_beside = part in BESIDE or (part == "experiments" and path.name not in DECIDING)
        if path.suffix in SOURCES and not is_beside:
            total.update(f"{path.relative_to(home).as_posix()}\n".encode())
            total.update(sha256(path.read_bytes().replace(b"\r\n", b"\n")).digest())
    return total.hexdigest()[:12]


def pack(numbers: ArrayLike) -> str:
    """Return small numbers as a short string: thousands of sentences fit into a line of a record."""
    return base64.b64encode(zlib.compress(np.asarray(numbers).astype("<u2").tobytes(), 9)).decode()


def unpack(text: str) -> NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u2").astype(np.int64)


@dataclass
class Subject:
    """What a run measures: a treebank, and a parser, which is trained when it is first asked for."""

    run: Run

    def gold(self, part: str, treebank: Treebank | None = None) -> list[Sentence]:
        treebank = treebank or self.run.treebank
        sentences = sentences_of(treebank.files(part), self.run.limit)
        if not sentences:
            raise OptionError(f"the treebank {treebank.name} has no sentences of the part {part}")
        return sentences

    def read_seen(self, part: str, treebank: Treebank | None = None) -> list[Sentence]:
        """The sentences with the tags that the parser sees."""
        if self.run.tagged is None:
            return self.gold(part, treebank)
        return sentences_of([f"{self.run.tagged}/{part if treebank is None else treebank.name}.conllu.gz"])

    @cached_property
    def silver(self) -> SilverSource | None:
        """The first words of the silver part, without the sentences of the other parts, and with the tags that the
        parser sees."""
        if not self.run.silver:
            return None
        assert self.run.options is not None
        gold, words = self.gold("train"), 0
        judge = Judge(gold, sentences_of([*self.run.treebank.dev, *self.run.treebank.test]), self.run.options)

        def judge_first(sentence: Sentence) -> str:
            nonlocal words
            reason = judge(sentence) if words < self.run.silver else "beyond the words that are wanted"
            words += 0 if reason else len(sentence)
            return reason

        silver = survey_silver(self.run.treebank.silver, judge_first, judge.has_known_tags)
        if self.run.tagged is None:
            return SilverSource(silver)
        return SilverSource(silver, train_tagger(gold, TaggerOptions(), silver=silver).apply)

    @cached_property
    def trained(self) -> tuple[Parser, list[dict[str, Any]]]:
        """The parser, and what was seen after each iteration."""
        assert self.run.options is not None
        curve: list[dict[str, Any]] = []
        best: list[tuple[float, Parser]] = []
        seen = None if self.run.tagged is None else self.read_seen("train")
        is_best = self.run.keep == "best"
        dev = (self.gold("dev"), self.read_seen("dev")) if is_best or "curve" in self.run.measures else None

        source = None
        if self.run.encoder is not None:
            rate = TrainingPlan.pretrained_rate
            source = NetworkSource(pretrained=load_encoder(self.run.encoder), pretrained_rate=rate)
        some = slice(self.run.train_limit)
        gold = self.gold("train")[some]
        training = begin_training(gold, self.run.options, seen and seen[some], source, self.silver)
        for progress in training.iterations():
            point: dict[str, Any] = {"iteration": progress.iteration, "transitions": progress.transitions}
            if dev is not None:
                parser = training.parser()
                rates = attachment(parse_and_compare(parser, *dev))
                point |= {name: 100 * rates[name].accuracy for name in ("UAS", "LAS")}
                if not best or point["LAS"] > best[0][0]:
                    best[:] = [(point["LAS"], parser)]
            curve.append(point)
        return best[0][1] if is_best else training.parser(), curve


def parse_and_compare(parser: Parser, gold: Sequence[Sentence], seen: Sequence[Sentence]) -> Comparison:
    return compare(gold, Pipeline(parser).parse([sentence.copy() for sentence in seen]))


def _score(subject: Subject, part: str, treebank: Treebank | None = None) -> dict[str, Any]:
    """Counts, not percentages: correct and total; and the correct words of each sentence, for significance tests."""
    comparison = parse_and_compare(subject.trained[0], subject.gold(part, treebank), subject.read_seen(part, treebank))
    counts: dict[str, Any] = {}
    for name, punctuation in (("all words", True), ("without punctuation", False)):
        rates = attachment(comparison, punctuation=punctuation)
        counts[name] = {score: [rates[score].correct, rates[score].total] for score in SCORES}
    every = np.ones_like(comparison.head_right)
    masks: dict[str, NDArray[np.bool_]] = {"words": every, "UAS": comparison.head_right, "LAS": comparison.arc_right}
    counts["sentences"] = {name: pack(comparison.per_sentence(mask)) for name, mask in masks.items()}
    return counts


def _swaps(subject: Subject) -> dict[str, Any]:
    """Swaps in the derivations that each iteration learned from: whatever exceeds two transitions a word, halved."""
    train = subject.gold("train")
    words = sum(map(len, train))
    swaps = [(point["transitions"] - 2 * words) // 2 for point in subject.trained[1]]
    return {"sentences": len(train), "swaps": swaps}


def _speed(subject: Subject) -> dict[str, float]:
    """Words of the test part parsed in a second of processor time: the one measure that differs from time to time."""
    parser, sentences = subject.trained[0], list(subject.read_seen("test"))
    nlp = Pipeline(parser)
    list(nlp.parse([sentence.copy() for sentence in sentences[:64]]))  # warm
    words, begin, spent = 0, time.process_time(), 0.0
    while spent < LEAST_SECONDS:
        words += sum(map(len, nlp.parse(sentences)))
        spent = time.process_time() - begin
    return {"words_per_second": round(words / spent, 1)}


def _tags(subject: Subject) -> dict[str, list[int]]:
    """Words of the test part whose tags a network predicts right, and all words."""
    gold = subject.gold("test")
    predicted = subject.trained[0].predict_tags([sentence.copy() for sentence in subject.read_seen("test")])
    counts = {}
    for name in ("upos", "xpos", "feats"):
        columns = [[value for each in some for value in getattr(each, name)] for some in (gold, predicted)]
        counts[name.upper()] = [sum(map(eq, *columns)), len(columns[0])]
    return counts


def _statistics(subject: Subject) -> dict[str, Any]:
    """Of the training part: Table 1 of Björkelund and Nivre (2015)."""
    return describe_treebank(subject.run.treebank.name, subject.gold("train"))


def _active(subject: Subject, order: str) -> dict[str, Any]:
    """The words that are annotated in this order, and what a parser has learned from them."""
    assert subject.run.options is not None
    # a tagger changes nothing but tags, so what is seen has its trees
    seen = None if subject.run.tagged is None else subject.read_seen("train")
    return annotate_by(order, subject.gold("train"), seen, subject.read_seen("test"), subject.run.options)


MEASURES: dict[str, Callable[[Subject], Any]] = {
    "dev": partial(_score, part="dev"),
    "test": partial(_score, part="test"),
    "elsewhere": lambda s: {other.name: _score(s, "test", other) for other in s.run.elsewhere},
    "curve": lambda s: [{name: point[name] for name in ("iteration", "UAS", "LAS")} for point in s.trained[1]],
    "swaps": _swaps,
    "repairs": lambda s: count_repairs(s.trained[0], s.gold("dev"), s.read_seen("dev")),
    "speed": _speed,
    "tags": _tags,
    "statistics": _statistics,
    **{f"active, {order}": partial(_active, order=order) for order in (*SENTENCES, *ARCS)},
}
