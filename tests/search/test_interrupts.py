"""Signals are heard within compiled loops: in parsing, in training and in oracles.

The timer counts processor time, so that a busy machine changes nothing. Where a loop does not look, it goes on to its
end, and the signal comes after it.
"""

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from samples.treebank import treebank

import dodona
from dodona import Sentence
from dodona.data.values import values_of
from dodona.parser.neural import NeuralSession
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import train_parser
from dodona.systems.arc_standard import ArcStandard
from dodona.systems.swap_standard import SwapStandard, fewest_swaps
from dodona.tagger.model import GreedyTagger
from dodona.tagger.tagger import TaggerOptions, train_tagger
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import SHIFT
from dodona.transitions.policy import Policy
from dodona.transitions.watch import Watch

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
SOON = 0.02  # seconds


class Alarm(Exception):
    pass


@contextmanager
def alarm_soon() -> Iterator[None]:
    """The alarm rings once, while the block runs; only a look at signals lets it out of there.

    No garbage is collected meanwhile: an alarm that rings in a finalizer would be lost.
    """

    def ring(*_: object) -> None:
        raise Alarm

    gc.collect()
    gc.disable()
    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, SOON)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()


def is_heard(work: Callable[[], object]) -> bool:
    """Whether the work is broken off; work that is done to its end was not."""
    done = False
    try:
        with alarm_soon():
            work()
            done = True
    except Alarm:
        pass
    return not done


def crossing(n: int) -> Gold:
    """A tree with very many crossing arcs: from each word to two words at double the distance."""
    return derivations.gold_tree([0, *(d // 2 + 1 for d in range(1, n))], [0] * n)


def words(n: int) -> Sentence:
    return Sentence.from_words([f"w{k % 40}" for k in range(n)], ["NOUN"] * n)


def trained(system: str) -> Parser:
    return train_parser(treebank(20), ParserOptions(system=system, iterations=1, nonprojective="baseline"))


@pytest.mark.parametrize(
    ("system", "n", "beam"),
    [("covington", 3000, 1), ("arc-eager", 600_000, 1), ("arc-eager", 6000, 8), ("easy-first", 60_000, 1)],
)
def test_parsing(system: str, n: int, beam: int) -> None:
    parser = trained(system)
    encoded = parser._searches.session.encode([words(n)])[0]
    assert is_heard(lambda: parser._searches.search(encoded, beam, 1))


@pytest.mark.parametrize("system", ["swap-standard", "arc-standard", "covington", "easy-first"])
def test_parsing_with_given_arcs(system: str) -> None:
    parser = trained(system)
    n = 6000 if system == "swap-standard" else 2000  # enough work for an alarm that comes late
    heads = [0, *(k // 2 * 2 or 1 for k in range(1, n))] if system != "arc-standard" else [0, *range(1, n)]
    gold = derivations.gold_tree([h if k % 3 == 0 and h <= k else -1 for k, h in enumerate(heads)], [-1] * n)
    encoded = parser._searches.session.encode([words(n)])[0]
    policy = Policy(parser._core, "constraints")
    assert is_heard(lambda: parser._searches.greedy.parse(encoded, policy, gold))


def test_the_chart_of_arc_standard() -> None:
    """One cost alone takes long where many words are on the stack."""
    n = 1500
    core = ArcStandard(1)
    s = derivations.start(core, n)
    for _ in range(n // 2):
        core.apply(s, SHIFT, 0, 0)
    gold = derivations.gold_tree([0, *(1 for _ in range(1, n))], [0] * n)
    assert is_heard(lambda: core.cost(s, gold, SHIFT, 0))


def test_derivations() -> None:
    assert is_heard(lambda: derivations.canonical_derivation(SwapStandard(1), crossing(6000), None))
    assert is_heard(lambda: fewest_swaps(SwapStandard(1), crossing(1500), 1 << 40))
    assert is_heard(lambda: SwapStandard(1).is_unique(crossing(20_000)))


@pytest.mark.parametrize(("system", "beam"), [("arc-standard", 1), ("covington", 1), ("swap-standard", 4)])
def test_training(system: str, beam: int) -> None:
    n = 3000
    heads = [0, *(max(1, k - k % 7) for k in range(1, n))]
    long = Sentence.from_words(
        [f"w{k % 40}" for k in range(n)], ["NOUN"] * n, heads=heads, labels=["root", *["dep"] * (n - 1)]
    )
    options = ParserOptions(system=system, iterations=1, nonprojective="baseline", beam=beam)
    assert is_heard(lambda: train_parser([long], options))


def test_a_watch_looks_only_now_and_then() -> None:
    watch = Watch()
    before = watch.left
    watch.step()
    assert 1000 < before / (before - watch.left) < 5000
    watch.report(before)
    assert watch.left == before  # it has looked


def test_tagging() -> None:
    tagger = train_tagger(list(treebank(20)), TaggerOptions(iterations=1))
    values = values_of(words(200_000).words)
    assert is_heard(lambda: GreedyTagger(tagger._tagset, tagger._weights).tag_all([values], tagger._lexicon))


def test_the_network_of_a_long_sentence() -> None:
    session = dodona.load("en").parser._searches.session
    assert isinstance(session, NeuralSession)
    encoder = session._encoder
    x = np.zeros((20_000, encoder.network.inputs), np.float32)
    assert is_heard(lambda: encoder.encode(x, np.array([len(x)], np.int32)))
