"""The research entry: names, errors, configurations."""

import copy

import numpy as np
import pytest

import dodona
from dodona import OptionError, System, TransitionError, TreeError
from dodona.systems.registry import SYSTEMS

HEADS, LABELS = [2, 0, 2], ["nsubj", "root", "obj"]


def make(name: str = "arc-hybrid", **options: object) -> System:
    return dodona.system(name, ["nsubj", "obj", "root"], **options)


def test_a_students_session() -> None:
    system = dodona.system("arc-hybrid", labels=["nsubj", "obj", "root"])
    c = system.initial(3)
    assert (c.stack, c.buffer, c.heads, c.labels) == ([], [0, 1, 2, 3], [None] * 3, [None] * 3)
    assert system.legal(c) == ["SHIFT"]
    system.apply(c, "SHIFT")
    system.apply(c, "SHIFT")
    assert system.legal(c)[:2] == ["SHIFT", "LEFT:nsubj"]
    assert system.costs(c, HEADS, LABELS)["LEFT:nsubj"] == 0
    assert system.costs(c, HEADS, LABELS)["LEFT:obj"] == 1
    assert system.costs(c, HEADS)["LEFT:obj"] == 0
    assert system.zero_cost(c, HEADS, LABELS) == ["LEFT:nsubj"]
    for transition in system.static(HEADS, LABELS)[2:]:
        system.apply(c, transition)
    assert system.is_terminal(c)
    assert (c.heads, c.labels) == (HEADS, LABELS)
    assert system.legal(c) == []
    assert system.costs(c, HEADS, LABELS) == {}


START = {
    "arc-eager": ([], [1, 2, 0]),
    "arc-standard": ([], [0, 1, 2]),
    "arc-hybrid": ([], [0, 1, 2]),
    "easy-first": ([0, 1, 2], []),
    "nonmonotonic": ([], [1, 2, 0]),
    "covington": ([], [1, 2]),
    "swap-standard": ([0], [1, 2]),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_initial_configurations_are_those_of_the_papers(name: str) -> None:
    c = make(name).initial(2)
    assert (c.stack, c.buffer) == START[name]


def test_easy_first_names_the_head_by_its_place_in_the_list() -> None:
    system = make("easy-first")
    c = system.initial(3)
    system.apply(c, "LEFT:3:nsubj")  # ROOT 1 [2] 3: word 2 takes its left neighbour
    assert (c.stack, c.heads) == ([0, 2, 3], [2, None, None])
    system.apply(c, "RIGHT:2:obj")
    assert (c.stack, c.heads) == ([0, 2], [2, None, 2])
    system.apply(c, "RIGHT:1:root")
    assert system.tree(c) == (HEADS, LABELS)


def test_labels_may_contain_colons() -> None:
    system = dodona.system("easy-first", ["nsubj:pass", "root"])
    c = system.initial(2)
    system.apply(c, "LEFT:3:nsubj:pass")
    assert c.labels == ["nsubj:pass", None]


def test_unlabelled_systems() -> None:
    system = dodona.system("arc-standard")
    assert system.static([2, 0]) == ["SHIFT", "SHIFT", "SHIFT", "LEFT", "RIGHT"]
    c = system.initial(2)
    for transition in system.static([2, 0]):
        system.apply(c, transition)
    assert system.tree(c) == ([2, 0], [None, None])


def test_copies_are_independent() -> None:
    system = make()
    c = system.initial(2)
    other = c.copy()
    system.apply(other, "SHIFT")
    assert (c.stack, other.stack) == ([], [0])
    assert c.key == system.initial(2).key != other.key


def test_printing() -> None:
    system = make()
    c = system.initial(words=["she", "reads", "books"])
    for transition in system.static(HEADS, LABELS)[:4]:
        system.apply(c, transition)
    assert str(c) == "[ROOT reads] [books] reads→she:nsubj"
    assert repr(c) == "<arc-hybrid [ROOT reads] [books] reads→she:nsubj>"
    assert str(make("covington").initial(2)) == "[] [] [1 2]"
    assert eval(repr(make("covington")), {"dodona": dodona}).options == make("covington").options


def test_tree_of_an_unfinished_parse() -> None:
    with pytest.raises(TransitionError, match="not finished"):
        make().tree(make().initial(1))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("arc-lager", {}, "unknown system 'arc-lager'.*arc-eager, arc-standard.*swap-standard"),
        ("arc-eager", {"root": "middle"}, "root='middle': expected one of 'last', 'first', 'attach'"),
        ("arc-hybrid", {"root": "last"}, "arc-hybrid has no option 'root'; it has: single_root"),
        ("arc-eager", {"root_label": "root"}, "goes with root='first' or root='attach'"),
        ("nonmonotonic", {"moves": "up"}, "'both', 'left', 'reduce'"),
        ("arc-eager", {"single_root": "yes"}, "expected True or False"),
        ("covington", {"root_label": 7}, "expected a label"),
        ("arc-eager", {"labels": "nsubj"}, "not the string"),
        ("arc-eager", {"labels": ["a", "a"]}, "different"),
        ("arc-eager", {"labels": ["a", ""]}, "non-empty"),
    ],
)
def test_bad_options(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        dodona.system(name, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [-1, True, 1.5, "3"])
def test_bad_lengths(n: object) -> None:
    with pytest.raises(OptionError):
        make().initial(n)  # type: ignore[arg-type]


def test_initial_takes_a_number_or_words() -> None:
    with pytest.raises(OptionError, match="words"):
        make().initial()
    with pytest.raises(OptionError, match="words"):
        make().initial(2, words=["a", "b"])


@pytest.mark.parametrize(
    ("name", "history", "transition", "message"),
    [
        ("arc-eager", "", "REDUCE", r"REDUCE needs a word with a head on top of the stack; legal: SHIFT"),
        ("arc-eager", "SHIFT", "LEFT", "LEFT is possible here as: LEFT:nsubj, LEFT:obj"),
        ("arc-eager", "SHIFT", "LEFT:det", "LEFT is possible here as"),
        ("arc-eager", "SHIFT", "JUMP", "has no transition 'JUMP'; it has: SHIFT, LEFT, RIGHT, REDUCE"),
        ("arc-standard", "SHIFT SHIFT", "LEFT:obj", "the lower one a word"),
        ("easy-first", "", "LEFT:1:obj", "LEFT is possible here as: LEFT:3:nsubj"),
        ("covington", "", "NOARC", "non-empty left list"),
        ("swap-standard", "SHIFT", "SWAP", "0 < s1 < s0"),
    ],
)
def test_illegal_transitions_say_why(name: str, history: str, transition: str, message: str) -> None:
    system = make(name)
    c = system.initial(3)
    for earlier in history.split():
        system.apply(c, earlier)
    before = c.key
    with pytest.raises(TransitionError, match=message):
        system.apply(c, transition)
    assert c.key == before


def test_single_root_is_named_as_the_reason() -> None:
    system = make(single_root=True)
    c = system.initial(2)
    system.apply(c, "SHIFT")
    system.apply(c, "SHIFT")
    with pytest.raises(TransitionError, match="single_root forbids it"):
        system.apply(c, "RIGHT:root")


def test_nothing_is_legal_at_the_end() -> None:
    system = make()
    c = system.initial(0)
    system.apply(c, "SHIFT")
    with pytest.raises(TransitionError, match="terminal"):
        system.apply(c, "SHIFT")


@pytest.mark.parametrize(
    ("heads", "labels", "message"),
    [
        ([2, 0], None, "2 words, the configuration 3"),
        ([2, 0, 4], None, "word 3 has head 4; expected a number from 0 to 3"),
        ([2, 0, -1], None, "word 3 has head -1"),
        ([2, 0, "2"], None, "word 3 has head '2'"),
        ([2, 0, None], None, "word 3 has head None"),
        ([1, 0, 2], None, "not itself"),
        ([2, 1, 0], None, "cycle"),
        ([0, 0, 1], None, "not projective"),
        ([2, 0, 2], ["nsubj", "root"], "3 heads but 2 labels"),
        ([2, 0, 2], ["nsubj", "root", "iobj"], "word 3 has label 'iobj'; the labels are: nsubj, obj, root"),
    ],
)
def test_bad_gold_trees(heads: list[int], labels: list[str] | None, message: str) -> None:
    system = make()
    with pytest.raises(TreeError, match=message):
        system.costs(system.initial(3), heads, labels)


def test_costs_of_a_tree_that_cannot_be_built_are_approximate() -> None:
    system = make()
    c = system.initial(3)
    with pytest.raises(TreeError, match="approximate=True"):
        system.costs(c, [0, 0, 1])
    assert system.costs(c, [0, 0, 1], approximate=True) == {"SHIFT": 0}
    with pytest.raises(TreeError, match="not projective"):
        system.static([0, 0, 1])


def test_two_roots_under_single_root() -> None:
    system = make(single_root=True)
    with pytest.raises(TreeError, match="2 root words"):
        system.costs(system.initial(2), [0, 0])
    assert system.costs(system.initial(2), [0, 0], approximate=True)


def test_gold_labels_need_a_labelled_system() -> None:
    system = dodona.system("arc-eager")
    with pytest.raises(TreeError, match="without labels"):
        system.costs(system.initial(1), [0], ["root"])


def test_oracles_a_system_does_not_have() -> None:
    with pytest.raises(OptionError, match="no static oracle 'lazy'; it has: static"):
        make().static(HEADS, LABELS, oracle="lazy")
    with pytest.raises(OptionError, match="its dynamic oracle tells more"):
        make().correct(make().initial(3), HEADS, LABELS)
    with pytest.raises(OptionError, match="nd-sw, nd-all"):
        make("swap-standard").correct(make("swap-standard").initial(3), HEADS, LABELS, oracle="nd")


def test_remembered_labels_are_for_shift_and_for_nonmonotonic() -> None:
    with pytest.raises(OptionError, match="remembered"):
        make().apply(make().initial(1), "SHIFT", remembered="obj")
    system = make("nonmonotonic", reduce_label="remembered")
    c = system.initial(2)
    with pytest.raises(OptionError, match="unknown label"):
        system.apply(c, "SHIFT", remembered="det")
    system.apply(c, "SHIFT", remembered="obj")
    with pytest.raises(TransitionError, match="at SHIFT"):
        system.apply(c, "LEFT:obj", remembered="obj")


def test_configurations_of_another_system() -> None:
    with pytest.raises(OptionError, match="a configuration of arc-eager was given to arc-hybrid"):
        make("arc-hybrid").legal(make("arc-eager").initial(1))


def test_left_and_right_are_covingtons() -> None:
    with pytest.raises(AttributeError, match="left"):
        _ = make().initial(1).left
    with pytest.raises(AttributeError, match="right"):
        _ = make().initial(1).right


def test_gold_can_be_prepared_once_for_all_oracles() -> None:
    system = make("swap-standard")
    gold = system.gold([2, 0, 1, 3], ["obj", "root", "obj", "obj"])
    counts = [system.static(gold, oracle=oracle).count("SWAP") for oracle in ("lazy", "eager", "lazy", "minimal")]
    assert counts == [1, 2, 1, 1]


def test_copy_module() -> None:
    system = make()
    c = system.initial(2)
    for other in (copy.copy(c), copy.deepcopy(c)):
        system.apply(other, "SHIFT")
        assert (c.stack, other.stack) == ([], [0])


def test_numpy_numbers_are_numbers() -> None:
    assert make().static(np.array(HEADS), LABELS) == make().static(HEADS, LABELS)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", ["abc", [1, 2]])
def test_words_are_a_list_of_strings(words: object) -> None:
    with pytest.raises(OptionError, match="list of strings"):
        make().initial(words=words)  # type: ignore[arg-type]


def test_a_sentence_can_be_too_long() -> None:
    with pytest.raises(OptionError, match="at most"):
        make().initial(2**40)
