"""Systems written in Python: what goes wrong in their methods comes out as an error that says what."""

from collections.abc import Callable
from typing import Any

import pytest

from dodona import OptionError, Sentence, TransitionError, system
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence
from dodona.systems.arc_eager import ArcEager
from dodona.systems.registry import SYSTEMS, Entry
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE, RIGHT, SHIFT
from dodona.transitions.python_system import PythonSystem
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

HEADS = [0, 1, 1]


class ToTheRight(PythonSystem):
    """SHIFT and arc-hybrid's RIGHT: trees in which all heads stand before their dependents."""

    def __init__(self, labels: int, single_root: bool = False) -> None:
        PythonSystem.__init__(self, labels, single_root, (SHIFT,), (RIGHT,))

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


def parts_of(kind: type[ToTheRight], *missing: str) -> type[PythonSystem]:
    """The system with some methods left out."""
    kept = {name: value for name, value in vars(kind).items() if callable(value) and name not in missing}
    return type("Partial", (PythonSystem,), kept)


def greedy(core: TransitionSystem) -> None:
    GreedySearch(core, CallableScorer(core.actions, lambda s, sentence, site: [0.0] * core.actions)).parse(
        EncodedSentence(3)
    )


def beam(core: TransitionSystem) -> None:
    Beam(core, CallableScorer(core.actions, lambda s, sentence, site: [0.0] * core.actions), 4).search(
        EncodedSentence(3)
    )


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[PythonSystem]], str]:
    """Registers a class for as long as the test takes; the name of the system."""

    def registered(kind: type[PythonSystem]) -> str:
        rules = {"SHIFT": "needs a non-empty buffer", "RIGHT": "needs two nodes on the stack"}
        monkeypatch.setitem(SYSTEMS, "mine", Entry("mine", "none", kind, rules, projective=True))
        return "mine"

    return registered


def train(name: str, **options: Any) -> None:
    sentence = Sentence.from_words(
        ["the", "oak", "."], ["DET", "NOUN", "PUNCT"], heads=HEADS, labels=["root", "a", "a"]
    )
    train_parser([sentence] * 3, ParserOptions(system=name, iterations=2, **options))


def test_a_python_system_works(entry: Callable[[type[PythonSystem]], str]) -> None:
    name = entry(ToTheRight)
    assert system(name).static(HEADS) == ["SHIFT", "SHIFT", "SHIFT", "RIGHT", "SHIFT", "RIGHT", "RIGHT"]
    for oracle in ("static", "nondeterministic", "dynamic"):
        train(name, oracle=oracle)
    train(name, beam=3)


def test_a_python_class_below_a_compiled_one_is_refused() -> None:
    class Mine(ArcEager):
        pass

    class Below(Mine):
        pass

    for kind in (Mine, Below):
        with pytest.raises(TypeError, match=f"{kind.__name__} is a Python class.*ArcEager is compiled.*PythonSystem"):
            kind(1)


@pytest.mark.parametrize("name", ["start", "is_terminal", "legal", "apply", "head_of", "dependent_of"])
def test_a_method_that_is_needed_and_missing(name: str) -> None:
    made: Any = parts_of(ToTheRight, name)
    with pytest.raises(TypeError, match=f"Partial does not define {name}; every system needs start, is_terminal"):
        made(1)


def test_all_methods_missing() -> None:
    with pytest.raises(TypeError, match="PythonSystem does not define start, is_terminal, legal, apply"):
        PythonSystem(1, False, (SHIFT,), (RIGHT,))


def test_oracles_that_are_missing(entry: Callable[[type[PythonSystem]], str]) -> None:
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
    name: str, options: dict[str, Any], entry: Callable[[type[PythonSystem]], str]
) -> None:
    entry(broken(**{name: fail}))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        train("mine", oracle="static" if name == "canonical" else "nondeterministic", **options)


@pytest.mark.parametrize("name", ["legal", "head_of", "dependent_of", "cost"])
def test_errors_come_out_of_costs(name: str, entry: Callable[[type[PythonSystem]], str]) -> None:
    chosen = system(entry(ToTheRight))
    c = chosen.initial(3)
    entry(broken(**{name: fail}))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        system("mine").costs(c, HEADS)
    assert chosen.costs(c, HEADS) == {"SHIFT": 0}


def test_errors_come_out_in_the_middle(entry: Callable[[type[PythonSystem]], str]) -> None:
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
def test_a_dead_end_of_training(oracle: str, width: int, entry: Callable[[type[PythonSystem]], str]) -> None:
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
    name: str, value: Any, error: str, entry: Callable[[type[PythonSystem]], str]
) -> None:
    entry(broken(**{name: lambda self, *arguments: value}))
    with pytest.raises((TypeError, ValueError), match=error):
        train("mine", oracle="dynamic")


def test_a_canonical_move_that_is_not_legal(entry: Callable[[type[PythonSystem]], str]) -> None:
    entry(broken(canonical=lambda self, s, gold, site: RIGHT))
    with pytest.raises(TransitionError, match="Broken is to take move 2, which it says is not legal here"):
        system("mine").static(HEADS)


@pytest.mark.parametrize("moves", [(SHIFT, SHIFT), (-1,), (31,)])
def test_numbers_of_moves(moves: tuple[int, ...]) -> None:
    class Numbered(ToTheRight):
        def __init__(self, labels: int) -> None:
            PythonSystem.__init__(self, labels, False, moves, (RIGHT,))

    with pytest.raises(ValueError, match=r"move -?\d+: expected different numbers from 0 to 30"):
        Numbered(1)
