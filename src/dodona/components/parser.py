"""The parser as a component: it parses sentences, greedily or with a beam, and is converted to data and back."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dodona.components.component import Parts, batches
from dodona.components.given_arcs import Given, given_arcs
from dodona.components.parser_options import ParserOptions, check_beam, check_has_beam, check_positions
from dodona.data import Sentence
from dodona.data.checks import check_values
from dodona.data.pseudoprojective import ENCODINGS, decoded, deprojectivize
from dodona.errors import FormatError, OptionError
from dodona.oracles.policy import Policy
from dodona.scoring.linear.pruning import checked_weights
from dodona.scoring.linear.scorer import LinearScorer
from dodona.scoring.linear.templates import Templates
from dodona.scoring.scorer import EncodedSentence
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.text.encoder import Encoder, Tagged
from dodona.transitions.moves import NONE

__all__ = ["Analysis", "Parser", "Request"]

COLDEST = 1e-6
TEMPERATURE = 100.0  # a typical value on treebanks; weights are stored on the same scale in all models


End = tuple[float, list[int], list[int]]
"""A result of search: score, heads, labels."""


@dataclass(frozen=True)
class Request:
    """Options of parsing; `beam` None is the width that the model was trained with."""

    beam: int | None = None
    nbest: int = 1  # different trees
    confidence: bool = False
    constrained: bool = False  # keep the arcs that the sentence has already


class Analysis(NamedTuple):
    """A tree for a sentence. Its probability is proportional to exp(score / temperature) within the final beam."""

    heads: list[int]
    labels: list[str]
    score: float = 0.0
    confidence: Sequence[float] = ()
    """For each word the probability of its head and label: the sum over the hypotheses that agree on them."""


class Parser:
    """A trained parser, returned by `dodona.train` or `dodona.load`."""

    def __init__(
        self,
        options: ParserOptions,
        labels: Sequence[str],
        templates: Templates,
        arrays: dict[str, NDArray[Any]],
        temperature: float = TEMPERATURE,
        where: str = "parser",
    ) -> None:
        self.options = options
        self.labels = list(labels)
        self.templates = templates
        self.temperature = temperature  # scores are divided by it before exp (temperature scaling)
        self._arrays = arrays
        self._encode = Encoder(templates)
        built = options.built(labels, options.single_root)
        check_positions(built.entry, templates)
        self._entry = built.entry
        self._core = built.core
        self._names = built.label_names
        check_values(self._names, len(self._names))  # checked once, so that trees need no check
        self._late_root_label = built.options.get("root_label", "root")  # of words that are headless at the end
        encoded = built.entry.projective and options.nonprojective in ENCODINGS[1:]
        self._lowers = options.nonprojective if encoded else None
        self._weights = checked_weights(where, self._core.actions, arrays)
        self._threads = threading.local()  # searches and scorers have a workspace: one of each per thread

    def apply(self, sentences: Iterable[Sentence], /, request: Request | None = None) -> Iterator[Sentence]:
        """Fill in heads and labels, one sentence after the other, in place.

        With n-best trees the sentence is yielded once for each tree: copies, with the score in a comment.
        """
        request = request or Request()
        self.check(request)
        for batch in batches(sentences):
            if request == Request():
                parsed = [self._best(encoded) for encoded in self._encoded(batch, self.options.beam)]
                for sentence, (heads, labels) in zip(batch, parsed, strict=True):
                    sentence.accept_tree(*self._finished(heads, labels))
                    yield sentence
            else:
                for sentence in batch:
                    yield from annotated(sentence, self.analyses(sentence, request), request)

    def check(self, request: Request) -> None:
        """Raise an error for a request that this parser cannot fulfil."""
        width = self._width(request)
        check_beam(width)
        if width > 1:
            check_has_beam(self._entry)
        if request.nbest < 1:
            raise OptionError(f"nbest {request.nbest}: expected at least 1")
        if width < max(request.nbest, 2 if request.confidence else 1):
            wanted = f"{request.nbest} best trees" if request.nbest > 1 else "confidence"
            raise OptionError(f"{wanted} with a beam of {width}: expected a wider beam, for example 20")

    def analyses(self, sentence: Sentence, request: Request | None = None) -> list[Analysis]:
        """Return the n-best trees for a sentence, or fewer if the beam has fewer; the sentence is not changed."""
        request = request or Request()
        self.check(request)
        given = self._given(sentence) if request.constrained else None
        width = self._width(request)
        most = width if request.nbest > 1 or request.confidence else 1
        (encoded,) = self._encoded([sentence], width)
        ends = self._ends(encoded, width, most, *self._limits(given))
        trees = [Analysis(*self._finished(*arcs), score / self.temperature) for score, *arcs in ends]
        if given is not None:
            trees = [given.checked(sentence, tree) for tree in trees]
        return _different(trees, request)

    def _width(self, request: Request) -> int:
        return request.beam if request.beam is not None else self.options.beam

    def tree(self, sentence: Tagged) -> tuple[list[int], list[str]]:
        """Return heads and labels for a sentence, which is not changed."""
        (encoded,) = self._encoded([sentence], self.options.beam)
        return self._finished(*self._best(encoded))

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """Return UAS and LAS in percent on gold trees, full labels, all words; the sentences are not changed."""
        heads_right = right = total = 0
        for sentence in gold:
            heads, labels = self.tree(sentence)
            for h, l, gold_h, gold_l in zip(heads, labels, sentence.gold_heads(), sentence.labels, strict=True):
                total += 1
                heads_right += h == gold_h
                right += h == gold_h and l == gold_l
        return 100 * heads_right / max(1, total), 100 * right / max(1, total)

    def ends(self, sentence: Tagged) -> list[tuple[float, list[int], list[str]]]:
        """Return (score, heads, labels) of all hypotheses in the final beam, best first."""
        (encoded,) = self._encoded([sentence], self.options.beam)
        found = self._ends(encoded, self.options.beam, self.options.beam)
        return [(score, *self._finished(heads, labels)) for score, heads, labels in found]

    def _encoded(self, sentences: Sequence[Tagged], width: int) -> list[EncodedSentence]:
        """Return sentences as numbers, prepared for the scorer of a search of that width."""
        encoded: list[EncodedSentence] = [self._encode(sentence) for sentence in sentences]
        scorer = self._greedy.scorer if width == 1 else self._beam(width).scorer
        scorer.prepare(encoded)
        return encoded

    def _best(self, encoded: EncodedSentence) -> tuple[list[int], list[int]]:
        ((_, heads, labels),) = self._ends(encoded, self.options.beam, 1)
        return heads, labels

    def _ends(self, encoded: EncodedSentence, width: int, most: int, *limits: Any) -> list[End]:
        """Search for trees; all parsing goes through here. A width of 1 is greedy and has no score to compare."""
        if width == 1:
            return [(0.0, *self._greedy.parse(encoded, *limits))]
        beam = self._beam(width)
        beam.search(encoded, *limits)
        return beam.results(most)

    @property
    def _greedy(self) -> GreedySearch:
        """The greedy search of this thread."""
        if not hasattr(self._threads, "greedy"):
            self._threads.greedy = GreedySearch(self._core, LinearScorer(self.templates, self._weights))
        found: GreedySearch = self._threads.greedy
        return found

    def _beam(self, width: int) -> Beam:
        """Return the beam of that width of this thread; its beams share a scorer."""
        if not hasattr(self._threads, "beams"):
            self._threads.scorer = LinearScorer(self.templates, self._weights, cached=True)
            self._threads.beams = {}
        beams: dict[int, Beam] = self._threads.beams
        if width not in beams:
            beams[width] = Beam(self._core, self._threads.scorer, width)
        return beams[width]

    def _given(self, sentence: Sentence) -> Given | None:
        decorated = self._lowers is not None
        return given_arcs(sentence, self._names, decorated, self._entry.projective, self.options.single_root)

    def check_given(self, sentence: Sentence) -> None:
        """Raise an error for given arcs that no tree of this parser can contain."""
        self._given(sentence)

    def _limits(self, given: Given | None) -> tuple[Any, ...]:
        """Return a policy that allows the actions that keep the given arcs reachable, and these arcs. A given arc must
        not get the label of a lifted arc, because it would be lowered after parsing."""
        if given is None:
            return ()
        unfit = [i for i, name in enumerate(self._names) if self._lowers is not None and decoded(name).is_lifted]
        return Policy(self._core, "given", unfit=unfit), given.gold

    def _finished(self, heads: list[int], labels: list[int]) -> tuple[list[int], list[str]]:
        names = [self._names[label] if label != NONE else self._late_root_label for label in labels]
        if self._lowers is not None:
            return deprojectivize(heads, names, self._lowers)
        return heads, names

    def parts(self) -> Parts:
        """Return the contents for a model file."""
        description = {
            "options": asdict(self.options),
            "labels": self.labels,
            "templates": self.templates.text,
            "temperature": self.temperature,
        }
        return description, self._arrays

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> "Parser":
        """Restore the parser from these parts; `where` is named in errors."""
        try:
            options = ParserOptions(**description["options"]).resolved()
            labels, text, temperature = (description[name] for name in ("labels", "templates", "temperature"))
            if not isinstance(labels, list) or not labels or not isinstance(text, str):
                raise OptionError("expected a parser with labels and templates")
            if type(temperature) not in (int, float) or not COLDEST <= temperature <= 1 / COLDEST:
                raise OptionError(f"temperature {temperature!r}; expected a number from {COLDEST} to {1 / COLDEST}")
            templates = Templates.parse(text, f"{where}, templates")
            return cls(options, labels, templates, dict(arrays), temperature, where)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{where}: the parser's description is not valid: {error}") from error


def _different(trees: list[Analysis], request: Request) -> list[Analysis]:
    """Return the first `nbest` different trees of the hypotheses, best first."""
    found: list[Analysis] = []
    for tree in trees:
        if len(found) < request.nbest and not any(tree[:2] == other[:2] for other in found):
            found.append(tree)
    if request.confidence:
        masses = [exp(tree.score - trees[0].score) for tree in trees]
        found = [tree._replace(confidence=_confidence(tree, trees, masses)) for tree in found]
    return found


def annotated(sentence: Sentence, analyses: list[Analysis], request: Request) -> Iterator[Sentence]:
    """Yield the sentence with its best tree, and copies of it with the other trees."""
    copies = [sentence, *(sentence.copied() for _ in analyses[1:])]
    for rank, (copy, analysis) in enumerate(zip(copies, analyses, strict=True), start=1):
        copy.accept_tree(analysis.heads, analysis.labels)
        if request.nbest > 1:
            notes = [f"# nbest = {rank}", f"# score = {analysis.score:.6f}"]
            copy.set_comments([*_renamed(copy.comments, rank), *notes])
        if request.confidence:
            copy.set_column("misc", list(map(_with_confidence, copy.misc, analysis.confidence)))
        yield copy


def _renamed(comments: Sequence[str], rank: int) -> Iterator[str]:
    """Return the comments of a copy: every sentence needs a unique sent_id, and a document begins only once."""
    for comment in comments:
        key = comment[1:].partition("=")[0].split()
        if rank > 1 and key[:1] == ["sent_id"]:
            yield f"{comment.rstrip()}-{rank}"
        elif key not in (["nbest"], ["score"]) and (rank == 1 or key[:1] not in (["newdoc"], ["newpar"])):
            yield comment


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
