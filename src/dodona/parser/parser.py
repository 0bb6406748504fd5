"""The parser as a component: it parses sentences, greedily or with a beam, and is converted to data and back.

A sentence becomes numbers by a model, which is linear or neural; a search finds arcs with the scores of the model; and
the arcs become a tree: labels get names, and lifted arcs are lowered.
"""

import threading
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dodona.component import Parts
from dodona.data import Sentence
from dodona.data.checks import check_columns, check_values
from dodona.data.pseudoprojective import ENCODINGS, decode_label, deprojectivize, projectivize, remove_lift
from dodona.data.storage import fill_in_arcs
from dodona.data.stream import batch_sentences
from dodona.data.values import Inventory
from dodona.errors import DodonaError, FormatError, OptionError, TimeLimitError, name_faults
from dodona.neural.options import NetworkOptions
from dodona.parser.confidence import Calibration, Evidence, check_temperature
from dodona.parser.constraints import Constraints, read_constraints
from dodona.parser.linear import LinearModel
from dodona.parser.long_sentences import PIECE, parse_in_pieces
from dodona.parser.options import ParserOptions, check_beam, check_has_beam, check_positions
from dodona.parser.request import (
    Analysis,
    Judgement,
    Request,
    agreement,
    annotate,
    rank_different,
    remove_all_notes,
)
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import EncodedSentence, Scorer
from dodona.systems.registry import BUDGET
from dodona.tagger.tagger import TagChoice
from dodona.transformer.options import TransformerOptions
from dodona.transitions.derivations import actions, canonical_derivation, gold_tree
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.policy import Policy
from dodona.transitions.system import TransitionSystem

__all__ = [
    "Analysis",
    "Hypothesis",
    "LabelNames",
    "Parser",
    "ParserModel",
    "ParserSession",
    "Request",
    "Searches",
    "check_can_run_transformer",
]

Hypothesis = tuple[float, list[int], list[int]]
"""A result of search: score, heads, labels."""

TEMPERATURES = {"linear": 100.0, "neural": 1.0, "transformer": 1.0}
"""Typical values on treebanks; the weights of all linear models are stored on the same scale."""


def check_can_run_transformer() -> None:
    """Raise an error if PyTorch or transformers is not installed."""
    try:
        import dodona.parser.transformer  # noqa: F401
    except ImportError as error:
        hint = "install them with: pip install 'dodona[transformer]'"
        raise DodonaError(f"a transformer needs PyTorch and transformers ({error}); {hint}") from error


class ParserSession(Protocol):
    """A model at work in one thread: its scorers have a workspace."""

    @property
    def greedy(self) -> Scorer: ...
    @property
    def beam(self) -> Scorer: ...

    def encode(self, sentences: Sequence[Sentence]) -> list[EncodedSentence]:
        """Return sentences as numbers, ready to be scored until the next call."""

    def tags(self, sentences: Sequence[Sentence], bonus: float) -> "list[array[int]]":
        """Return the numbers of the tags of the sentences encoded last, if the model predicts tags. The parts of those
        that they have get a bonus."""


class ParserModel(Protocol):
    """A trained model, shared by threads."""

    retags: bool
    """Whether it predicts tags that are better than those of the tagger before it."""
    tagger_bonus: float
    """What the parts of the tagger's tags get when it chooses tags."""

    @property
    def choice(self) -> TagChoice | None:
        """The tags that it chooses from, if it predicts tags."""

    def session(self) -> ParserSession: ...
    def description(self) -> dict[str, Any]: ...

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]: ...


class Searches(threading.local):
    """Greedy search and beams with a model; made when a thread first needs them."""

    def __init__(self, core: TransitionSystem, model: ParserModel) -> None:
        self.core = core
        self.model = model
        self.beams: dict[int, Beam] = {}

    @cached_property
    def session(self) -> ParserSession:
        """The model at work in this thread."""
        return self.model.session()

    @cached_property
    def greedy(self) -> GreedySearch:
        return GreedySearch(self.core, self.session.greedy)

    def release(self) -> None:
        """Give up what this thread has: its memory is that of the longest sentence so far."""
        for name in ("session", "greedy"):
            self.__dict__.pop(name, None)
        self.beams.clear()

    def beam(self, width: int) -> Beam:
        """Return the beam of that width; all beams of a thread share a scorer."""
        if width not in self.beams:
            self.beams[width] = Beam(self.core, self.session.beam, width, traced=True)
        return self.beams[width]

    def search(
        self,
        encoded: EncodedSentence,
        width: int,
        most: int,
        policy: Policy | None = None,
        gold: Gold | None = None,
        raw: NDArray[np.float64] | None = None,
        temperature: float = 1.0,
        seconds: float = 0.0,
    ) -> list[Hypothesis]:
        """Search for trees; all parsing goes through here. A width of 1 is greedy and has no score to compare.

        Greedy search fills in `raw`, the probabilities of its actions at this temperature. After `seconds`, unless 0,
        a TimeLimitError is raised.
        """
        if width == 1:
            return [(0.0, *self.greedy.parse(encoded, policy, gold, raw, temperature, seconds))]
        beam = self.beam(width)
        beam.search(encoded, policy, gold, seconds=seconds)
        return beam.results(most)


class LabelNames:
    """The names of labels. With an encoding of non-projective trees, some of them mark arcs that have to be lowered."""

    def __init__(self, names: Sequence[str], late: str, encoding: str | None) -> None:
        """`late` is the label of words that are headless at the end, and attached to ROOT."""
        check_values(names, len(names))  # checked once, so that trees need no check
        self.names = list(names)
        self.late = len(self.names)  # its number; NONE is the same
        self._all = [*self.names, late]
        self.encoding = encoding
        lowers = encoding is not None
        self.lifted = [i for i, name in enumerate(self._all) if lowers and decode_label(name).is_lifted]
        self._flags = bytes(i in self.lifted for i in range(len(self._all))) if self.lifted else None
        self._written = Inventory([decode_label(name).label for name in self._all] if lowers else self._all)

    def tree(self, heads: list[int], labels: Sequence[int]) -> tuple[list[int], list[str]]:
        """Return the tree that these arcs stand for."""
        names = [self._all[label if label != NONE else self.late] for label in labels]
        return deprojectivize(heads, names, self.encoding) if self.encoding is not None else (heads, names)

    def fill_in(self, sentences: list[Sentence], arcs: "list[tuple[array[int], array[int]]]") -> None:
        """Give the sentences the trees that these arcs stand for; nearly always nothing has to be lowered."""
        for i in fill_in_arcs(sentences, arcs, self._written, self._flags):
            heads, labels = arcs[i]
            sentences[i].accept_tree(*self.tree(heads.tolist(), labels))


class Parser:
    """A trained parser, returned by `dodona.train` or `dodona.load`."""

    def __init__(
        self,
        options: ParserOptions,
        labels: Sequence[str],
        model: ParserModel,
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
        built = options.build_system(labels, options.single_root)
        self._entry = built.entry
        self._core = built.core
        encoded = built.entry.projective and options.nonprojective in ENCODINGS[1:]
        late = built.options.get("root_label", "root")
        self._names = LabelNames(built.label_names, late, options.nonprojective if encoded else None)
        self._searches = Searches(self._core, model)

    def apply(
        self, batch: list[Sentence], /, request: Request | None = None, tagged: Collection[int] = ()
    ) -> Iterator[Sentence]:
        """Fill in heads and labels, in place.

        With n-best trees the sentence is yielded once for each tree: copies, with the score in a comment. `tagged` has
        the `id` of each sentence with predicted tags, which a model that predicts better ones may replace.
        """
        request = request or Request()
        self.check(request)
        if request == Request() and self.options.beam == 1:
            encoded, better = self._encode(batch, tagged)
            parsed = self._searches.greedy.parse_all(encoded, self._names.late)
            self._retag(batch, tagged, better)
            remove_all_notes(batch)
            self._names.fill_in(batch, parsed)
            yield from batch
        else:
            for sentence, analyses in zip(batch, self.analyses_of(batch, request, tagged), strict=True):
                yield from annotate(sentence, analyses, request)

    def _encode(
        self, batch: Sequence[Sentence], tagged: Collection[int]
    ) -> "tuple[list[EncodedSentence], list[array[int]]]":
        """Return the sentences as numbers, and better tags for predicted ones, if the model has some.

        They are written when all is parsed: until then everybody sees the tags that the model has learned to use, also
        the pieces of a long sentence, and what its confidence was fitted to.
        """
        encoded = self._searches.session.encode(batch)
        if not self.model.retags or not tagged:
            return encoded, []
        return encoded, self._searches.session.tags(batch, self.model.tagger_bonus)

    def _retag(self, batch: Sequence[Sentence], tagged: Collection[int], better: "list[array[int]]") -> None:
        """Write these tags, if there are any."""
        if better and self.model.choice is not None:
            pairs = [pair for pair in zip(batch, better, strict=True) if id(pair[0]) in tagged]
            self.model.choice.fill_in([sentence for sentence, _ in pairs], [numbers for _, numbers in pairs])

    def release_workspace(self) -> None:
        """Give up the workspace of this thread, as large as its longest sentence; the next one makes another."""
        self._searches.release()

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
        encoded, better = self._encode(batch, tagged)
        analyses = [self._within_limits(*pair, request) for pair in zip(batch, encoded, strict=True)]
        for i, sentence in enumerate(batch):
            if not analyses[i]:
                if request.constrained:
                    self._constraints(sentence)  # an error now rather than for a piece
                single_root = self.options.single_root
                analyses[i] = [parse_in_pieces(self.analyses_of, sentence, request, self.labels, single_root)]
        self._retag(batch, tagged, better)
        return analyses

    def _within_limits(self, sentence: Sentence, encoded: EncodedSentence, request: Request) -> list[Analysis]:
        """Return the n-best trees, or none if the sentence is too long, or takes too long."""
        if request.max_length is not None and encoded.n > request.max_length:
            return []
        constraints = self._constraints(sentence) if request.constrained else None
        try:
            results = self._search(sentence, encoded, request, constraints)
        except TimeLimitError:
            return []
        return [
            tree if evidence is None else tree._replace(confidence=self._confidence(evidence, constraints))
            for tree, evidence in results
        ]

    def _search(
        self, sentence: Sentence, encoded: EncodedSentence, request: Request, constraints: Constraints | None
    ) -> list[tuple[Analysis, Evidence | None]]:
        """Return the n-best trees and, for their confidence, what is known about their arcs."""
        width = self._width(request)
        most = width if request.nbest > 1 or request.confidence else 1
        raw = np.zeros(encoded.n + 1) if request.confidence else None
        seconds = request.timeout if request.timeout is not None and encoded.n > PIECE else 0.0
        limits: tuple[Policy | None, Gold | None] = None, None
        if constraints is not None:
            # a given arc must not get the label of a lifted arc, because it would be lowered after parsing
            limits = Policy(self._core, "constraints", forbidden=self._names.lifted), constraints.gold
        hypotheses = self._searches.search(encoded, width, most, *limits, raw, self.action_temperature, seconds)
        trees = [Analysis(*self._names.tree(*arcs), score / self.temperature) for score, *arcs in hypotheses]
        if constraints is not None:
            trees = [constraints.complete(sentence, tree) for tree in trees]
        results: list[tuple[Analysis, Evidence | None]] = []
        for rank in rank_different(trees, request.nbest):
            evidence = None
            if raw is not None:
                if width > 1:
                    derivation = self._searches.beam(width).derivation(rank)
                    self._searches.greedy.follow(encoded, derivation, raw, self.action_temperature, *limits)
                shares = agreement(trees, rank) if width > 1 else None
                evidence = Evidence(raw.copy(), hypotheses[rank][1], sentence.upos, shares)
            results.append((trees[rank], evidence))
        return results

    def _confidence(self, evidence: Evidence, constraints: Constraints | None) -> Sequence[float]:
        """Return the calibrated probability of each arc. A given arc is certain."""
        calibration = self.calibration if evidence.agreement is None else self.beam_calibration
        values = list(evidence.agreement or ()) if calibration is None else calibration.apply(evidence)
        if constraints is None:
            return values
        return [1.0 if head is not None else value for head, value in zip(constraints.heads, values, strict=True)]

    def examples(self, gold: Iterable[Sentence], beam: int) -> Iterator[tuple[Evidence, list[bool]]]:
        """Parse gold sentences with a beam of this width; yield what is known about the arcs, and which are correct.

        The sentences are not changed.
        """
        request = Request(beam, confidence=True)
        for sentence, encoded in self._encode_all(gold):
            ((tree, evidence),) = self._search(sentence, encoded, request, None)
            assert evidence is not None
            arcs = zip(tree.heads, tree.labels, sentence.gold_heads(), sentence.labels, strict=True)
            yield evidence, [(h, l) == (gold_h, gold_l) for h, l, gold_h, gold_l in arcs]

    def judge(self, gold: Iterable[Sentence]) -> Iterator[Judgement]:
        """Yield what the parser thinks of the trees that sentences have; they are not changed.

        The derivation is the static oracle's. A system with sites has none that could be followed.
        """
        numbers = {action: number for number, action in enumerate(actions(self._core))}
        labels = {name: number for number, name in enumerate(self._names.names)}
        for sentence, encoded in self._encode_all(gold):
            yield self._judge(sentence, encoded, labels, numbers)

    def _judge(
        self, sentence: Sentence, encoded: EncodedSentence, labels: Mapping[str, int],
        numbers: Mapping[tuple[int, int], int],
    ) -> Judgement:  # fmt: skip
        heads, names = sentence.gold_heads(), list(sentence.labels)
        nothing = [0.0] * encoded.n
        if self._core.has_sites or (self.options.single_root and heads.count(0) > 1):
            return Judgement(nothing, nothing)
        if self._entry.projective:
            heads, names = projectivize(heads, names, self._names.encoding or ENCODINGS[0])
        known = [labels.get(name, labels.get(remove_lift(name), NONE)) for name in names]
        gold = gold_tree(heads, [max(label, 0) for label in known])
        moves = self._entry.plan(self._core, gold, self._entry.static_oracles[0], BUDGET)
        derivation = array("i")
        for move, _, label in canonical_derivation(self._core, gold, moves):
            derivation.append(numbers[move, label] if (move, label) in numbers else numbers[move, NONE])
        free, bound = np.zeros(encoded.n + 1), np.zeros(encoded.n + 1)
        search, temperature = self._searches.greedy, self.action_temperature
        search.follow(encoded, derivation, free, temperature)
        with_heads = Policy(self._core, "constraints"), gold_tree(heads, [NONE] * encoded.n)
        search.follow(encoded, derivation, bound, temperature, *with_heads)
        is_known = np.array(known) != NONE
        return Judgement((free[1:] * is_known).tolist(), (bound[1:] * is_known).tolist())

    def _encode_all(self, sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, EncodedSentence]]:
        """Yield the sentences of a treebank with their numbers."""
        for batch in batch_sentences(sentences):
            yield from zip(batch, self._searches.session.encode(batch), strict=True)

    @property
    def tree_labels(self) -> list[str]:
        """The labels that trees can have; those of the parser may also say how an arc is to be lowered."""
        if self._names.encoding is None:
            return list(self.labels)
        return list(dict.fromkeys(decode_label(label).label for label in self.labels))

    @property
    def has_beam(self) -> bool:
        """Whether the system's derivations can be compared in a beam."""
        return self._entry.has_beam

    def _width(self, request: Request) -> int:
        return request.beam if request.beam is not None else self.options.beam

    def tree(self, sentence: Sentence) -> tuple[list[int], list[str]]:
        """Return heads and labels for a sentence, which is not changed."""
        (encoded,) = self._searches.session.encode([sentence])
        return self._best(encoded)

    def predict_tags(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        """Return copies of the sentences with the tags that the model predicts."""
        (copies,) = self.predict_tags_by_bonus(sentences, [self.model.tagger_bonus])
        return copies

    def predict_tags_by_bonus(self, sentences: Iterable[Sentence], bonuses: Sequence[float]) -> list[list[Sentence]]:
        """Return, for each bonus of the tagger's tags, copies of the sentences with the tags that the model predicts.
        The network runs once for all of them."""
        assert self.model.choice is not None
        made: list[list[Sentence]] = [[] for _ in bonuses]
        for batch in batch_sentences(sentences):
            self._searches.session.encode(batch)
            for bonus, copies in zip(bonuses, made, strict=True):
                own = [sentence.copy() for sentence in batch]
                self.model.choice.fill_in(own, self._searches.session.tags(batch, bonus))
                copies += own
        return made

    def scores(self, gold: Iterable[Sentence]) -> tuple[float, float]:
        """Return UAS and LAS in percent on gold trees, full labels, all words; the sentences are not changed."""
        heads_right = right = total = 0
        for sentence, encoded in self._encode_all(gold):
            heads, labels = self._best(encoded)
            for h, l, gold_h, gold_l in zip(heads, labels, sentence.gold_heads(), sentence.labels, strict=True):
                total += 1
                heads_right += h == gold_h
                right += h == gold_h and l == gold_l
        return 100 * heads_right / max(1, total), 100 * right / max(1, total)

    def ends(self, sentence: Sentence) -> list[tuple[float, list[int], list[str]]]:
        """Return (score, heads, labels) of all hypotheses in the final beam, best first."""
        (encoded,) = self._searches.session.encode([sentence])
        hypotheses = self._searches.search(encoded, self.options.beam, self.options.beam)
        return [(score, *self._names.tree(heads, labels)) for score, heads, labels in hypotheses]

    def _best(self, encoded: EncodedSentence) -> tuple[list[int], list[str]]:
        ((_, heads, labels),) = self._searches.search(encoded, self.options.beam, 1)
        return self._names.tree(heads, labels)

    def can_build(self, sentence: Sentence) -> bool:
        """Whether some tree of this parser has all arcs that the sentence has already."""
        try:
            self._constraints(sentence)
        except FormatError:
            return False
        return True

    def _constraints(self, sentence: Sentence) -> Constraints | None:
        """Return the arcs that the sentence has already; an error for those that no tree of this parser can contain."""
        names, single_root = self._names, self.options.single_root
        return read_constraints(sentence, names.names, names.encoding is not None, self._entry.projective, single_root)

    def parts(self) -> Parts:
        """Return the contents for a model file."""
        options = {key: value for key, value in asdict(self.options).items() if key != "transformer" or value}
        description = {"options": options, "labels": self.labels, "temperature": self.temperature}
        if self.action_temperature != self.temperature:
            description["action_temperature"] = self.action_temperature
        description["calibration"] = self.calibration.description()
        if self.beam_calibration is not None:
            description["beam_calibration"] = self.beam_calibration.description()
        return description | self.model.description(), dict(self.model.arrays)

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> "Parser":
        """Restore the parser from these parts; `where` is named in errors."""
        with name_faults(f"{where}: the parser's description is not valid"):
            chosen = dict(description["options"])
            network = NetworkOptions(**chosen.pop("network")) if chosen.get("network") is not None else None
            teacher = TransformerOptions(**chosen.pop("transformer")) if chosen.get("transformer") is not None else None
            options = ParserOptions(**chosen | {"network": network, "transformer": teacher})
            labels, temperature = description["labels"], check_temperature(description["temperature"])
            if not isinstance(labels, list) or not labels:
                raise OptionError("expected a parser with labels")
            built = options.build_system(labels)
            sizes = len(built.label_names), built.core.actions
            model: ParserModel
            if options.network is not None:
                from dodona.parser.neural import NeuralModel  # which a linear model can do without

                model = NeuralModel.restore(options.network, description, arrays, *sizes, where)
                check_positions(built.entry, "positions", model.positions.places())
            elif options.transformer is not None:
                check_can_run_transformer()
                from dodona.parser.transformer import TransformerModel

                model = TransformerModel.restore(options.transformer, description, arrays, *sizes, where)
                check_positions(built.entry, "positions", model.positions.places())
            else:
                model = LinearModel.restore(description, arrays, built.core.actions, where)
                check_positions(built.entry, "templates", model.templates.places())
            calibrations = [
                Calibration.from_description(description[name], f"{where}, {name}") if name in description else None
                for name in ("calibration", "beam_calibration")
            ]
            parser = cls(options, labels, model, temperature, *calibrations)
            parser.action_temperature = check_temperature(description.get("action_temperature", temperature))
            return parser
