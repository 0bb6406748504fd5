"""The parser as a component: it parses sentences, greedily or with a beam, and turns into data and back."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from dodona.core.beam import Beam
from dodona.core.features import Words
from dodona.core.frozen import FrozenWeights, rows_are_sound, weight_bits
from dodona.core.greedy import GreedyParser
from dodona.core.judging import Judge
from dodona.core.scorer import Scorer
from dodona.core.templates import Templates
from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.pseudoprojective import ENCODINGS, decoded, deprojectivize
from dodona.errors import FormatError, OptionError
from dodona.pipeline import modelfile
from dodona.pipeline.constraints import Given, given_arcs
from dodona.pipeline.encode import Encoder, Tagged
from dodona.pipeline.options import NO_BEAM, Options, core_system, label_names
from dodona.systems import SYSTEMS

__all__ = ["Analysis", "Parser", "Request"]

BATCH = 64


@dataclass(frozen=True)
class Request:
    """What is wanted of a parse; `beam` None is what the model was trained with."""

    beam: int | None = None
    nbest: int = 1  # different trees
    confidence: bool = False
    constrained: bool = False  # keep the arcs that the sentence has already


class Analysis(NamedTuple):
    """A tree for a sentence. Its share of exp(score), among all that the beam ends with, is its share of the mass."""

    heads: list[int]
    labels: list[str]
    score: float = 0.0
    confidence: Sequence[float] = ()
    """For each word the share of the beam's mass that agrees on its head and label."""


class Parser:
    """A trained parser. Made by `dodona.train` or `dodona.load`."""

    def __init__(
        self,
        options: Options,
        labels: Sequence[str],
        templates: Templates,
        arrays: dict[str, Any],
        temperature: float = 1.0,
    ) -> None:
        self.options = options
        self.labels = list(labels)
        self.templates = templates
        self.temperature = temperature  # by which scores are divided before they are taken for logarithms
        self.about: dict[str, Any] = {}
        self._arrays = arrays
        self._encode = Encoder(templates)
        self._lowers = options.nonprojective if options.nonprojective in ENCODINGS[1:] else None
        self._names = label_names(self.labels, options)
        check_values(self._names, len(self._names))  # once, so that trees can be accepted as they are
        self._core = core_system(options, labels, options.single_root)
        self._weights = FrozenWeights(
            self._core.actions, arrays["marks"], arrays["counts"], arrays["rows"], arrays["wide"]
        )
        self._greedy = GreedyParser(self._core, templates, self._weights)
        self._scorer: Scorer | None = None
        self._beams: dict[int, Beam] = {}

    def parse(self, sentences: Iterable[Sentence], request: Request = Request()) -> Iterator[Sentence]:  # noqa: B008
        """Fill in heads and labels, one sentence after the other, in place.

        For more than one tree the sentence comes that many times, each a copy with its score in a comment.
        """
        self.check(request)
        rest = iter(sentences)
        while batch := list(islice(rest, BATCH)):  # a few at a time, so that the weights stay near the processor
            if request == Request():
                encoded = [self._encode(sentence) for sentence in batch]
                parsed = [self._best(words) for words in encoded]
                for sentence, (heads, labels) in zip(batch, parsed, strict=True):
                    sentence.accept_tree(*self._finished(heads, labels))
                    yield sentence
            else:
                for sentence in batch:
                    yield from annotated(sentence, self.analyses(sentence, request), request)

    def check(self, request: Request) -> None:
        """Refuse what this parser cannot do."""
        width = request.beam or self.options.beam
        if width < 1:
            raise OptionError(f"beam {width}: expected a number of hypotheses, at least 1")
        if width > 1 and self.options.system == "easy-first":
            raise OptionError(NO_BEAM)
        if request.nbest < 1:
            raise OptionError(f"nbest {request.nbest}: expected at least 1")
        if width < max(request.nbest, 2 if request.confidence else 1):
            wanted = f"{request.nbest} best trees" if request.nbest > 1 else "confidence"
            raise OptionError(f"{wanted} with a beam of {width}: expected a wider beam, for example 20")

    def analyses(self, sentence: Sentence, request: Request = Request()) -> list[Analysis]:  # noqa: B008
        """The best trees for a sentence, which stays as it is: as many different ones as are wanted and found."""
        self.check(request)
        given = self._given(sentence) if request.constrained else None
        words = self._encode(sentence)
        width = request.beam or self.options.beam
        if width == 1:
            heads, labels = self._finished(*self._greedy.parse(words, *self._limits(given)))
            found = [Analysis(heads, labels)]
        else:
            found = self._different(words, width, request, given)
        return [given.checked(sentence, analysis) if given else analysis for analysis in found]

    def tree(self, sentence: Tagged) -> tuple[list[int], list[str]]:
        """Heads and labels for a sentence, which stays as it is."""
        return self._finished(*self._best(self._encode(sentence)))

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

    def _best(self, words: Words) -> tuple[list[int], list[int]]:
        if self.options.beam == 1:
            return self._greedy.parse(words)
        beam = self._beam(self.options.beam)
        beam.search(words)
        ((_, heads, labels),) = beam.results(1)
        return heads, labels

    def ends(self, sentence: Tagged) -> list[tuple[float, list[int], list[str]]]:
        """(score, heads, labels) of all hypotheses that the beam ends with."""
        beam = self._beam(self.options.beam)
        beam.search(self._encode(sentence))
        return [(score, *self._finished(heads, labels)) for score, heads, labels in beam.results(beam.width)]

    def _different(self, words: Words, width: int, request: Request, given: Given | None) -> list[Analysis]:
        beam = self._beam(width)
        beam.search(words, *self._limits(given))
        ends = beam.results(width if request.nbest > 1 or request.confidence else 1)
        trees = [Analysis(*self._finished(heads, labels), score / self.temperature) for score, heads, labels in ends]
        found: list[Analysis] = []
        for tree in trees:
            if len(found) < request.nbest and not any(tree[:2] == other[:2] for other in found):
                found.append(tree)
        if request.confidence:
            masses = [exp(tree.score - trees[0].score) for tree in trees]
            found = [tree._replace(confidence=_confidence(tree, trees, masses)) for tree in found]
        return found

    def _beam(self, width: int) -> Beam:
        if width not in self._beams:
            self._scorer = self._scorer or Scorer(self.templates, self._weights)
            self._beams[width] = Beam(self._core, self._scorer, width)
        return self._beams[width]

    def _given(self, sentence: Sentence) -> Given | None:
        projective = SYSTEMS[self.options.system].builds == "projective trees"
        return given_arcs(sentence, self._names, self._lowers is not None, projective, self.options.single_root)

    def check_given(self, sentence: Sentence) -> None:
        """Refuse given arcs that no tree of this parser can have."""
        self._given(sentence)

    def _limits(self, given: Given | None) -> tuple[Any, ...]:
        """A judge that knows which actions keep the given arcs, and these arcs. A given arc must not look like a lifted
        one, which would be moved in the end."""
        if given is None:
            return ()
        unfit = [i for i, name in enumerate(self._names) if self._lowers is not None and decoded(name).is_lifted]
        return Judge(self._core, policy="costs", unfit=unfit), given.gold

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
            "temperature": self.temperature,
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
            temperature = float(metadata["temperature"])
            if not 0 < temperature < float("inf"):
                raise OptionError(f"temperature {temperature}; expected a positive number")
            templates = Templates.parse(text, f"{path}, templates")
            core = core_system(options, labels, options.single_root)
            _check_arrays(path, core.actions, arrays)
            parser = cls(options, labels, templates, arrays, temperature)
            parser.about = about
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{path}: the model's description is not valid: {error}") from error
        return parser


def annotated(sentence: Sentence, analyses: list[Analysis], request: Request) -> Iterator[Sentence]:
    """The sentence with each of its trees: itself with the best, copies with the others."""
    copies = [sentence, *(sentence.copied() for _ in analyses[1:])]
    for rank, (copy, analysis) in enumerate(zip(copies, analyses, strict=True), start=1):
        copy.accept_tree(analysis.heads, analysis.labels)
        if request.nbest > 1:
            notes = [f"# nbest = {rank}", f"# score = {analysis.score:.6f}"]
            copy.set_comments([*(_renamed(comment, rank) for comment in copy.comments), *notes])
        if request.confidence:
            copy.set_column("misc", list(map(_with_confidence, copy.misc, analysis.confidence)))
        yield copy


def _renamed(comment: str, rank: int) -> str:
    """Every sentence needs a sent_id of its own."""
    is_name = comment[1:].partition("=")[0].strip() == "sent_id"
    return f"{comment.rstrip()}-{rank}" if is_name and rank > 1 else comment


def _with_confidence(misc: str, confidence: float) -> str:
    kept = [part for part in misc.split("|") if part != "_" and not part.startswith("Confidence=")]
    return "|".join([*kept, f"Confidence={confidence:.4f}"])


def _confidence(tree: Analysis, trees: list[Analysis], masses: list[float]) -> list[float]:
    total = sum(masses)
    shares = []
    for k in range(len(tree.heads)):
        arc = tree.heads[k], tree.labels[k]
        agreeing = (mass for other, mass in zip(trees, masses, strict=True) if (other.heads[k], other.labels[k]) == arc)
        shares.append(sum(agreeing) / total)
    return shares


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
