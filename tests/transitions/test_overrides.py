"""Systems and methods of systems written in Python: they work, and what goes wrong in them comes out as an error."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from samples.treebank import treebank

from dodona import OptionError, Sentence, TransitionError, system
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Request
from dodona.parser.training import train_parser
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence
from dodona.systems.arc_hybrid import ArcHybrid
from dodona.systems.easy_first import EasyFirst
from dodona.systems.registry import SYSTEMS, Entry
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT
from dodona.transitions.policy import Policy
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

HEADS = [0, 1, 1]


class ToTheRight(TransitionSystem):
    """SHIFT and arc-hybrid's RIGHT: trees in which all heads stand before their dependents."""

    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT,), (RIGHT,))

    def start(self, s: State, n: int) -> None:
        s.reset(n)
        for k in range(n + 1):
            s.enqueue(k)

    def is_terminal(self, s: State) -> bool:
        return s.depth == 1 and s.front == s.end

    def legal(self, s: State, move: int, site: int) -> bool:
        return s.front < s.end if move == SHIFT else s.depth > 1

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == SHIFT:
            s.shift()
        else:
            s.add_arc(s.s1(), s.s0(), label)
            s.pop()

    def head_of(self, s: State, move: int, site: int) -> int:
        return s.s1() if move == RIGHT else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        return s.s0() if move == RIGHT else s.n + 1

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """Not exact, but that is not what is tested here."""
        return int(move != self.canonical(s, gold, site))

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        ready = s.depth > 1 and gold.dependents_from(s.s0(), s.front) == 0
        return RIGHT if ready and gold.head[s.s0()] == s.s1() else SHIFT


def broken(**methods: Any) -> type[ToTheRight]:
    """The system with some methods replaced."""
    return type("Broken", (ToTheRight,), methods)


def parts_of(kind: type[ToTheRight], *missing: str) -> type[TransitionSystem]:
    """The system with some methods left out."""
    kept = {name: value for name, value in vars(kind).items() if callable(value) and name not in missing}
    return type("Partial", (TransitionSystem,), kept)


def greedy(core: TransitionSystem) -> None:
    GreedySearch(core, CallableScorer(core.actions, lambda s, sentence, site: [0.0] * core.actions)).parse(
        EncodedSentence(3)
    )


def beam(core: TransitionSystem) -> None:
    Beam(core, CallableScorer(core.actions, lambda s, sentence, site: [0.0] * core.actions), 4).search(
        EncodedSentence(3)
    )


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[TransitionSystem]], str]:
    """Registers a class for as long as the test takes; the name of the system."""

    def registered(kind: type[TransitionSystem]) -> str:
        rules = {"SHIFT": "needs a non-empty buffer", "RIGHT": "needs two nodes on the stack"}
        monkeypatch.setitem(SYSTEMS, "mine", Entry("mine", "none", kind, rules, projective=True))
        return "mine"

    return registered


def train(name: str, **options: Any) -> None:
    sentence = Sentence.from_words(
        ["the", "oak", "."], ["DET", "NOUN", "PUNCT"], heads=HEADS, labels=["root", "a", "a"]
    )
    train_parser([sentence] * 3, ParserOptions(system=name, iterations=2, **options))


def test_a_python_system_works(entry: Callable[[type[TransitionSystem]], str]) -> None:
    name = entry(ToTheRight)
    assert system(name).static(HEADS) == ["SHIFT", "SHIFT", "SHIFT", "RIGHT", "SHIFT", "RIGHT", "RIGHT"]
    for oracle in ("static", "nondeterministic", "dynamic"):
        train(name, oracle=oracle)
    train(name, beam=3)


OVERRIDABLE = [name for name, value in vars(TransitionSystem).items() if callable(value) and not name.startswith("_")]
"""All methods that Python sees."""


def spy(kind: type[TransitionSystem], called: set[str]) -> type[TransitionSystem]:
    """A class below a compiled one that overrides every method, notes the call and calls the compiled method."""

    def overriding(name: str) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any) -> Any:
            called.add(name)
            return getattr(kind, name)(self, *arguments)

        return method

    return type("Spy", (kind,), {name: overriding(name) for name in OVERRIDABLE if name != "dispatcher"})


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_python_class_below_any_system_parses_and_learns_like_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = SYSTEMS[name]
    called: set[str] = set()
    make: Any = spy(entry.make, called)  # type: ignore[arg-type]
    monkeypatch.setitem(SYSTEMS, "mine", replace(entry, name="mine", make=make))
    for oracle in entry.training_oracles:
        for width in (1, 3) if entry.has_beam and oracle in ("static", "eager") else (1,):
            options: dict[str, Any] = {"oracle": oracle, "beam": width, "iterations": 2, "single_root": True}
            one, other = (train_parser(treebank(20), ParserOptions(system=each, **options)) for each in (name, "mine"))
            for key, values in one.parts()[1].items():
                assert (values == other.parts()[1][key]).all()
            for sentence in treebank(3, seed=7):
                assert one.ends(sentence) == other.ends(sentence)
                given = Sentence.from_words(sentence.words, heads=[sentence.heads[0]] + [None] * (len(sentence) - 1))
                request = Request(constrained=True, beam=width)
                assert one.analyses(given, request) == other.analyses(given, request)
    needed = {"start", "is_terminal", "legal", "apply", "head_of", "dependent_of"}
    oracles = {"canonical", "correct_moves"} if "nd-all" in entry.oracles else {"canonical", "cost"}
    assert needed | oracles <= called


def test_one_method_of_a_compiled_system_is_overridden() -> None:
    """Search, costs and the oracles of a class that forbids the LEFT arcs of arc-hybrid while two words are unread."""

    class Late(ArcHybrid):
        def legal(self, s: State, move: int, site: int) -> bool:
            return super().legal(s, move, site) and (move != LEFT or s.end - s.front < 3)

    core = Late(1)
    scorer = CallableScorer(core.actions, lambda s, sentence, site: [0.0, 1.0, 0.0])
    assert GreedySearch(ArcHybrid(1), scorer).parse(EncodedSentence(4))[0] == [2, 3, 4, 0]
    assert GreedySearch(core, scorer).parse(EncodedSentence(4))[0] == [3, 3, 4, 0]
    s = derivations.start(core, 4)
    for _ in range(2):
        core.apply(s, SHIFT, 0, 0)
    gold = derivations.gold_tree([2, 3, 4, 0], [0] * 4)
    assert derivations.legal_moves(core, s, 0) == [SHIFT, RIGHT]
    assert derivations.costs(core, s, gold, 0, NONE) == [1, NONE, 1]
    assert Policy(core, "dynamic").list_costs(s, gold) == [1, NONE, 1]
    with pytest.raises(TransitionError, match="Late is to take move 1, which it says is not legal here"):
        derivations.canonical_derivation(core, gold, None)


def test_a_class_below_a_python_class_overrides_it() -> None:
    class Mine(ArcHybrid):
        def legal(self, s: State, move: int, site: int) -> bool:
            return super().legal(s, move, site)

    class Below(Mine):
        def apply(self, s: State, move: int, site: int, label: int) -> None:
            raise ZeroDivisionError("on purpose")

    greedy(Mine(1))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        greedy(Below(1))


def test_fields_set_by_the_constructor_are_those_of_the_search() -> None:
    class Apart(EasyFirst):
        def __init__(self, labels: int, single_root: bool = False) -> None:
            super().__init__(labels, single_root)
            self.has_preferences = True

    dispatch = Policy(Apart(1, True), "static").system
    assert (dispatch.has_sites, dispatch.has_preferences, dispatch.single_root) == (True, True, True)


@pytest.mark.parametrize("name", ["start", "is_terminal", "legal", "apply", "head_of", "dependent_of"])
def test_a_method_that_is_needed_and_missing(name: str) -> None:
    made: Any = parts_of(ToTheRight, name)
    with pytest.raises(TypeError, match=f"Partial does not define {name}; every system needs start, is_terminal"):
        made(1)


def test_all_methods_missing() -> None:
    with pytest.raises(TypeError, match="TransitionSystem does not define start, is_terminal, legal, apply"):
        TransitionSystem(1, False, (SHIFT,), (RIGHT,))


def test_oracles_that_are_missing(entry: Callable[[type[TransitionSystem]], str]) -> None:
    name = entry(parts_of(ToTheRight, "cost", "canonical"))
    chosen = system(name)
    with pytest.raises(NotImplementedError, match="Partial has no dynamic oracle"):
        chosen.costs(chosen.initial(3), HEADS)
    with pytest.raises(NotImplementedError, match="Partial has no static oracle"):
        chosen.static(HEADS)
    for oracle, lacking in (("static", "static"), ("nondeterministic", "dynamic"), ("dynamic", "dynamic")):
        with pytest.raises(NotImplementedError, match=f"no {lacking} oracle"):
            train(name, oracle=oracle)
    greedy(chosen._core)  # parses all the same
    entry(broken(canonical=lambda self, s, gold, site: NONE))
    with pytest.raises(NotImplementedError, match="Broken has no static oracle"):
        system("mine").static(HEADS)


def fail(*arguments: Any) -> Any:
    raise ZeroDivisionError("on purpose")


SEARCHED = ["start", "is_terminal", "legal", "apply"]
LEARNED = [*SEARCHED, "head_of", "dependent_of"]


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("search", [greedy, beam])
def test_errors_come_out_of_search(name: str, search: Callable[[TransitionSystem], None]) -> None:
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        search(broken(**{name: fail})(1))


@pytest.mark.parametrize("name", [*LEARNED, "cost", "canonical"])
@pytest.mark.parametrize("options", [{"beam": 1}, {"beam": 3}], ids=str)
def test_errors_come_out_of_training(
    name: str, options: dict[str, Any], entry: Callable[[type[TransitionSystem]], str]
) -> None:
    entry(broken(**{name: fail}))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        train("mine", oracle="static" if name == "canonical" else "nondeterministic", **options)


@pytest.mark.parametrize("name", ["legal", "head_of", "dependent_of", "cost"])
def test_errors_come_out_of_costs(name: str, entry: Callable[[type[TransitionSystem]], str]) -> None:
    chosen = system(entry(ToTheRight))
    c = chosen.initial(3)
    entry(broken(**{name: fail}))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        system("mine").costs(c, HEADS)
    assert chosen.costs(c, HEADS) == {"SHIFT": 0}


def test_errors_come_out_in_the_middle(entry: Callable[[type[TransitionSystem]], str]) -> None:
    """Late in a sentence, and the search can be used again."""

    class Late(ToTheRight):
        fails = True

        def apply(self, s: State, move: int, site: int, label: int) -> None:
            if self.fails and s.front == 3:
                raise ZeroDivisionError("on purpose")
            ToTheRight.apply(self, s, move, site, label)

    core = Late(1)
    scorer = CallableScorer(core.actions, lambda s, sentence, site: [1.0, 0.0])
    search = GreedySearch(core, scorer)
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        search.parse(EncodedSentence(3))
    core.fails = False
    assert search.parse(EncodedSentence(3)) == ([0, 1, 2], [0, 0, 0])


def stuck(self: Any, s: State, move: int, site: int) -> bool:
    """No move for what is left when the buffer is empty."""
    return move == SHIFT and s.front < s.end


class AtSites(ToTheRight):
    legal = stuck

    def __init__(self, labels: int, single_root: bool = False) -> None:
        ToTheRight.__init__(self, labels, single_root)
        self.has_sites = True

    def next_site(self, s: State, site: int) -> int:
        return NONE


@pytest.mark.parametrize("search", [greedy, beam])
def test_a_dead_end_of_search(search: Callable[[TransitionSystem], None]) -> None:
    with pytest.raises(TransitionError, match=r"Broken has no legal move, .*: 4 on the stack, 0 in the buffer, 0 arcs"):
        search(broken(legal=stuck)(1))


def test_a_dead_end_where_there_are_sites() -> None:
    class NoWay(AtSites):
        def legal(self, s: State, move: int, site: int) -> bool:
            return False

    with pytest.raises(TransitionError, match="NoWay has no legal move"):
        greedy(NoWay(1))


@pytest.mark.parametrize("oracle", ["static", "nondeterministic", "dynamic"])
@pytest.mark.parametrize("width", [1, 3])
def test_a_dead_end_of_training(oracle: str, width: int, entry: Callable[[type[TransitionSystem]], str]) -> None:
    entry(broken(legal=stuck))
    if (oracle, width) == ("dynamic", 3):
        with pytest.raises(OptionError, match="can be trained with a beam"):
            train("mine", oracle=oracle, beam=width)
        return
    with pytest.raises(TransitionError, match="Broken has no legal move"):
        train("mine", oracle=oracle, beam=width)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("is_terminal", None, "Broken.is_terminal gave None; expected True or False"),
        ("legal", None, "Broken.legal gave None; expected True or False"),
        ("head_of", None, "Broken.head_of gave None; expected a number"),
        ("head_of", NONE, "Broken.head_of gave -1; expected a number from 0 to 4"),
        ("dependent_of", 5, "Broken.dependent_of gave 5; expected a number from 0 to 4"),
        ("cost", -1, "Broken.cost gave -1; expected a number from 0"),
        ("cost", 0.5, "Broken.cost gave 0.5; expected a number"),
        ("next_site", 4, "Broken.next_site gave 4; expected a number from -1 to 3"),
    ],
)
def test_what_methods_give_is_checked(
    name: str, value: Any, error: str, entry: Callable[[type[TransitionSystem]], str]
) -> None:
    entry(broken(**{name: lambda self, *arguments: value}))
    with pytest.raises((TypeError, ValueError), match=error):
        train("mine", oracle="dynamic")


def test_a_canonical_move_that_is_not_legal(entry: Callable[[type[TransitionSystem]], str]) -> None:
    entry(broken(canonical=lambda self, s, gold, site: RIGHT))
    with pytest.raises(TransitionError, match="Broken is to take move 2, which it says is not legal here"):
        system("mine").static(HEADS)


@pytest.mark.parametrize("moves", [(SHIFT, SHIFT), (-1,), (31,)])
def test_numbers_of_moves(moves: tuple[int, ...]) -> None:
    class Numbered(ToTheRight):
        def __init__(self, labels: int) -> None:
            TransitionSystem.__init__(self, labels, False, moves, (RIGHT,))

    with pytest.raises(ValueError, match=r"move -?\d+: expected different numbers from 0 to 30"):
        Numbered(1)
