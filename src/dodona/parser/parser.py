"""The parser as a component: it parses sentences, greedily or with a beam, and is converted to data and back."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.component import Parts, batches
from dodona.data import Sentence
from dodona.data.checks import check_columns
from dodona.data.pseudoprojective import ENCODINGS
from dodona.errors import FormatError, OptionError, TimeLimitError
from dodona.neural.options import NetworkOptions
from dodona.parser.confidence import Calibration, Evidence, checked_temperature
from dodona.parser.constraints import Given, given_arcs
from dodona.parser.labels import LabelNames
from dodona.parser.linear import LinearModel, Model, Session, Tagged
from dodona.parser.long_sentences import PIECE, parsed_in_pieces
from dodona.parser.options import ParserOptions, check_beam, check_has_beam, check_positions
from dodona.parser.request import Analysis, Request, agreement, annotated, different, remove_notes
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import EncodedSentence
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy
from dodona.transitions.system import TransitionSystem

__all__ = ["Analysis", "End", "Parser", "Request", "Searches"]

End = tuple[float, list[int], list[int]]
"""A result of search: score, heads, labels."""


class Searches(threading.local):
    """Greedy search and beams with a model; made when a thread first needs them."""

    def __init__(self, core: TransitionSystem, model: Model) -> None:
        self.core = core
        self.model = model
        self.beams: dict[int, Beam] = {}

    @cached_property
    def session(self) -> Session:
        """The model at work in this thread."""
        return self.model.session()

    @cached_property
    def greedy(self) -> GreedySearch:
        return GreedySearch(self.core, self.session.greedy)

    def beam(self, width: int) -> Beam:
        """Return the beam of that width; all beams of a thread share a scorer."""
        if width not in self.beams:
            self.beams[width] = Beam(self.core, self.session.beam, width, traced=True)
        return self.beams[width]

    def ends(
        self,
        encoded: EncodedSentence,
        width: int,
        most: int,
        policy: Policy | None = None,
        gold: Gold | None = None,
        raw: NDArray[np.float64] | None = None,
        temperature: float = 1.0,
        seconds: float = 0.0,
    ) -> list[End]:
        """Search for trees; all parsing goes through here. A width of 1 is greedy and has no score to compare.

        Greedy search fills in `raw`, the probabilities of its actions at this temperature. After `seconds`, unless 0,
        a TimeLimitError is raised.
        """
        if width == 1:
            return [(0.0, *self.greedy.parse(encoded, policy, gold, raw, temperature, seconds))]
        beam = self.beam(width)
        beam.search(encoded, policy, gold, seconds=seconds)
        return beam.results(most)


TEMPERATURES = {"linear": 100.0, "neural": 1.0}
"""Typical values on treebanks; the weights of all linear models are stored on the same scale."""


class Parser:
    """A trained parser, returned by `dodona.train` or `dodona.load`."""

    def __init__(
        self,
        options: ParserOptions,
        labels: Sequence[str],
        model: Model,
        temperature: float | None = None,
        calibration: Calibration | None = None,
        beam_calibration: Calibration | None = None,
    ) -> None:
        self.options = options
        self.labels = list(labels)
        self.model = model
        # scores are divided by it before exp (temperature scaling): those of derivations, and of single actions
        self.temperature = temperature if temperature is not None else TEMPERATURES[options.scorer]
        self.action_temperature = self.temperature
        self.calibration = calibration or Calibration()  # of the confidence of greedy parses
        self.beam_calibration = beam_calibration  # and with a beam; None: the share of the beam that agrees
        built = options.built(labels, options.single_root)
        self._entry = built.entry
        self._core = built.core
        encoded = built.entry.projective and options.nonprojective in ENCODINGS[1:]
        late = built.options.get("root_label", "root")
        self._names = LabelNames(built.label_names, late, options.nonprojective if encoded else None)
        self._searches = Searches(self._core, model)

    def apply(
        self, sentences: Iterable[Sentence], /, request: Request | None = None, tagged: Collection[int] = ()
    ) -> Iterator[Sentence]:
        """Fill in heads and labels, one sentence after the other, in place.

        With n-best trees the sentence is yielded once for each tree: copies, with the score in a comment. `tagged` has
        the `id` of each sentence with predicted tags, which a model that predicts better ones may replace.
        """
        request = request or Request()
        self.check(request)
        for batch in batches(sentences):
            if request == Request() and self.options.beam == 1:
                parsed = self._searches.greedy.parse_all(self._encoded(batch, tagged), self._names.late)
                remove_notes(batch)
                self._names.fill_in(batch, parsed)
                yield from batch
            else:
                for sentence, analyses in zip(batch, self.analyses_of(batch, request, tagged), strict=True):
                    yield from annotated(sentence, analyses, request)

    def _encoded(self, batch: Sequence[Sentence], tagged: Collection[int]) -> list[EncodedSentence]:
        """Return the sentences as numbers, and replace predicted tags by better ones."""
        encoded = self._searches.session.encoded(batch)
        if self.model.retags and tagged:
            self._retag(batch, tagged)
        return encoded

    def _retag(self, batch: Sequence[Sentence], tagged: Collection[int]) -> None:
        """Write the tags that the model predicts for the sentences encoded last."""
        for sentence, columns in zip(batch, self._searches.session.tags(), strict=True):
            if id(sentence) in tagged:
                for name, values in zip(("upos", "xpos", "feats"), columns, strict=True):
                    sentence.accept_column(name, values)

    def check(self, request: Request) -> None:
        """Raise an error for a request that this parser cannot fulfil."""
        width = self._width(request)
        check_beam(width)
        if width > 1:
            check_has_beam(self._entry)
        request.check()
        if width < request.nbest:
            wanted = f"{request.nbest} best trees"
            raise OptionError(f"{wanted} with a beam of {width}: expected a wider beam, for example 20")

    def analyses(self, sentence: Sentence, request: Request | None = None) -> list[Analysis]:
        """Return the n-best trees for a sentence, or fewer if the beam has fewer; the sentence is not changed."""
        request = request or Request()
        self.check(request)
        check_columns(sentence, request.constrained)
        return self.analyses_of([sentence], request)[0]

    def analyses_of(
        self, batch: Sequence[Sentence], request: Request, tagged: Collection[int] = ()
    ) -> list[list[Analysis]]:
        """Return the n-best trees of each sentence."""
        encoded = self._encoded(batch, tagged)
        found = [self._within_limits(*pair, request) for pair in zip(batch, encoded, strict=True)]
        return [trees or [self._in_pieces(each, request)] for each, trees in zip(batch, found, strict=True)]

    def _within_limits(self, sentence: Sentence, encoded: EncodedSentence, request: Request) -> list[Analysis]:
        """Return the n-best trees, or none if the sentence is too long, or takes too long."""
        if request.max_length is not None and encoded.n > request.max_length:
            return []
        try:
            return self._analyses(sentence, encoded, request)
        except TimeLimitError:
            return []

    def _in_pieces(self, sentence: Sentence, request: Request) -> Analysis:
        if request.constrained:
            self.check_given(sentence)
        return parsed_in_pieces(self.analyses_of, sentence, request, self.labels, self.options.single_root)

    def _analyses(self, sentence: Sentence, encoded: EncodedSentence, request: Request) -> list[Analysis]:
        given = self._given(sentence) if request.constrained else None
        found = self._searched(sentence, encoded, request, given)
        return [tree._replace(confidence=self._confidence(known, given)) if known else tree for tree, known in found]

    def _searched(
        self, sentence: Sentence, encoded: EncodedSentence, request: Request, given: Given | None
    ) -> list[tuple[Analysis, Evidence | None]]:
        """Return the n-best trees and, for their confidence, what is known about their arcs."""
        width = self._width(request)
        most = width if request.nbest > 1 or request.confidence else 1
        raw = np.zeros(encoded.n + 1) if request.confidence else None
        seconds = request.timeout if request.timeout is not None and encoded.n > PIECE else 0.0
        limits = self._limits(given)
        ends = self._searches.ends(encoded, width, most, *limits, raw, self.action_temperature, seconds)
        trees = [Analysis(*self._names.tree(*arcs), score / self.temperature) for score, *arcs in ends]
        if given is not None:
            trees = [given.checked(sentence, tree) for tree in trees]
        found: list[tuple[Analysis, Evidence | None]] = []
        for rank in different(trees, request.nbest):
            known = None
            if raw is not None:
                if width > 1:
                    derivation = self._searches.beam(width).derivation(rank)
                    self._searches.greedy.follow(encoded, derivation, raw, self.action_temperature, *limits)
                shares = agreement(trees, rank) if width > 1 else None
                known = Evidence(raw.copy(), ends[rank][1], sentence.upos, shares)
            found.append((trees[rank], known))
        return found

    def _confidence(self, known: Evidence, given: Given | None) -> Sequence[float]:
        """Return the calibrated probability of each arc. A given arc is certain."""
        calibration = self.calibration if known.agreement is None else self.beam_calibration
        found = list(known.agreement or ()) if calibration is None else calibration.apply(known)
        if given is None:
            return found
        return [1.0 if head is not None else value for head, value in zip(given.heads, found, strict=True)]

    def examples(self, gold: Iterable[Sentence], beam: int) -> Iterator[tuple[Evidence, list[bool]]]:
        """Parse gold sentences with a beam of this width; yield what is known about the arcs, and which are correct.

        The sentences are not changed.
        """
        request = Request(beam, confidence=True)
        for batch in batches(gold):
            for sentence, encoded in zip(batch, self._searches.session.encoded(batch), strict=True):
                ((tree, known),) = self._searched(sentence, encoded, request, None)
                assert known is not None
                arcs = zip(tree.heads, tree.labels, sentence.gold_heads(), sentence.labels, strict=True)
                yield known, [(h, l) == (gold_h, gold_l) for h, l, gold_h, gold_l in arcs]

    @property
    def has_beam(self) -> bool:
        """Whether the system's derivations can be compared in a beam."""
        return self._entry.has_beam

    def _width(self, request: Request) -> int:
        return request.beam if request.beam is not None else self.options.beam

    def tree(self, sentence: Tagged) -> tuple[list[int], list[str]]:
        """Return heads and labels for a sentence, which is not changed."""
        (encoded,) = self._searches.session.encoded([sentence])
        return self._names.tree(*self._best(encoded))

    def tagged(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        """Return copies of the sentences with the tags that the model predicts."""
        found = [sentence.copied() for sentence in sentences]
        for batch in batches(found):
            self._searches.session.encoded(batch)
            self._retag(batch, {id(sentence) for sentence in batch})
        return found

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """Return UAS and LAS in percent on gold trees, full labels, all words; the sentences are not changed."""
        heads_right = right = total = 0
        for batch in batches(gold):
            for sentence, encoded in zip(batch, self._searches.session.encoded(batch), strict=True):
                heads, labels = self._names.tree(*self._best(encoded))
                for h, l, gold_h, gold_l in zip(heads, labels, sentence.gold_heads(), sentence.labels, strict=True):
                    total += 1
                    heads_right += h == gold_h
                    right += h == gold_h and l == gold_l
        return 100 * heads_right / max(1, total), 100 * right / max(1, total)

    def ends(self, sentence: Tagged) -> list[tuple[float, list[int], list[str]]]:
        """Return (score, heads, labels) of all hypotheses in the final beam, best first."""
        (encoded,) = self._searches.session.encoded([sentence])
        found = self._searches.ends(encoded, self.options.beam, self.options.beam)
        return [(score, *self._names.tree(heads, labels)) for score, heads, labels in found]

    def _best(self, encoded: EncodedSentence) -> tuple[list[int], list[int]]:
        ((_, heads, labels),) = self._searches.ends(encoded, self.options.beam, 1)
        return heads, labels

    def _given(self, sentence: Sentence) -> Given | None:
        names = self._names
        return given_arcs(sentence, names.names, names.are_decorated, self._entry.projective, self.options.single_root)

    def check_given(self, sentence: Sentence) -> None:
        """Raise an error for given arcs that no tree of this parser can contain."""
        self._given(sentence)

    def _limits(self, given: Given | None) -> tuple[Policy | None, Gold | None]:
        """Return a policy that allows the actions that keep the given arcs reachable, and these arcs. A given arc must
        not get the label of a lifted arc, because it would be lowered after parsing."""
        if given is None:
            return None, None
        return Policy(self._core, "given", unfit=self._names.lifted), given.gold

    def parts(self) -> Parts:
        """Return the contents for a model file."""
        description = {"options": asdict(self.options), "labels": self.labels, "temperature": self.temperature}
        if self.action_temperature != self.temperature:
            description["action_temperature"] = self.action_temperature
        description["calibration"] = self.calibration.description()
        if self.beam_calibration is not None:
            description["beam_calibration"] = self.beam_calibration.description()
        return description | self.model.description(), dict(self.model.arrays)

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> "Parser":
        """Restore the parser from these parts; `where` is named in errors."""
        try:
            given = dict(description["options"])
            network = NetworkOptions(**given.pop("network")) if given.get("network") is not None else None
            options = ParserOptions(**given | {"network": network})
            labels, temperature = description["labels"], checked_temperature(description["temperature"])
            if not isinstance(labels, list) or not labels:
                raise OptionError("expected a parser with labels")
            built = options.built(labels)
            sizes = len(built.label_names), built.core.actions
            model: Model
            if options.network is not None:
                from dodona.parser.neural import NeuralModel  # which a linear model can do without

                model = NeuralModel.restored(options.network, description, arrays, *sizes, where)
                check_positions(built.entry, "positions", model.positions.places())
            else:
                model = LinearModel.restored(description, arrays, built.core.actions, where)
                check_positions(built.entry, "templates", model.templates.places())
            calibrations = [
                Calibration.from_description(description[name], f"{where}, {name}") if name in description else None
                for name in ("calibration", "beam_calibration")
            ]
            parser = cls(options, labels, model, temperature, *calibrations)
            parser.action_temperature = checked_temperature(description.get("action_temperature", temperature))
            return parser
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{where}: the parser's description is not valid: {error}") from error
