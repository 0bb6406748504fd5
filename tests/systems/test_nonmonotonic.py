"""Jack and Jill: the two repairs of Honnibal, Goldberg and Johnson (2013), Figures 1 and 2."""

import pytest

from dodona import OptionError, System, TransitionError, system

WORDS = ["I", "saw", "Jack", "and", "Jill", "fall"]
FALL = [2, 0, 6, 3, 3, 2]  # … Jack and Jill are the subject of fall
FALL_LABELS = ["nsubj", "root", "nsubj", "cc", "conj", "ccomp"]
SAW = [2, 0, 2, 3, 3]  # … Jack and Jill are the object of saw
SAW_LABELS = ["nsubj", "root", "obj", "cc", "conj"]
INVENTORY = sorted({*FALL_LABELS, *SAW_LABELS})
NOUN_PHRASE = ["RIGHT:cc", "REDUCE", "RIGHT:conj", "REDUCE"]  # moves 5 to 8


def nonmonotonic(**options: str) -> System:
    return system("nonmonotonic", INVENTORY, **options)


def test_left_replaces_the_head_that_right_gave() -> None:
    chosen = nonmonotonic(moves="left")
    c = chosen.initial(words=WORDS)
    for transition in ["SHIFT", "LEFT:nsubj", "SHIFT", "RIGHT:obj", *NOUN_PHRASE]:
        chosen.apply(c, transition)
    assert [c.name(k) for k in c.stack] == ["saw", "Jack"]
    assert c.heads[2] == 2
    assert chosen.costs(c, FALL, FALL_LABELS)["LEFT:nsubj"] == 0
    assert chosen.costs(c, FALL, FALL_LABELS)["REDUCE"] == 1
    chosen.apply(c, "LEFT:nsubj")  # move 9
    assert c.heads[2] == 6
    for transition in ["RIGHT:ccomp", "REDUCE", "LEFT:root"]:
        assert transition in chosen.zero_cost(c, FALL, FALL_LABELS)
        chosen.apply(c, transition)
    assert chosen.tree(c) == (FALL, FALL_LABELS)


def test_monotonic_parser_cannot_repair_it() -> None:
    chosen = system("arc-eager", INVENTORY)
    c = chosen.initial(words=WORDS)
    for transition in ["SHIFT", "LEFT:nsubj", "SHIFT", "RIGHT:obj", *NOUN_PHRASE]:
        chosen.apply(c, transition)
    with pytest.raises(TransitionError, match="headless"):
        chosen.apply(c, "LEFT:nsubj")


@pytest.mark.parametrize("rule", ["predicted", "remembered"])
def test_reduce_gives_the_head_that_shift_withheld(rule: str) -> None:
    chosen = nonmonotonic(moves="reduce", reduce_label=rule)
    c = chosen.initial(words=WORDS[:5])
    for transition in ["SHIFT", "LEFT:nsubj", "SHIFT"]:
        chosen.apply(c, transition)
    chosen.apply(c, "SHIFT", remembered="obj" if rule == "remembered" else None)  # move 4, the mistake
    for transition in NOUN_PHRASE:
        chosen.apply(c, transition)
    assert [c.name(k) for k in c.stack] == ["saw", "Jack"]
    assert c.buffer == [0]
    repair = "REDUCE" if rule == "remembered" else "REDUCE:obj"
    assert chosen.zero_cost(c, SAW, SAW_LABELS) == [repair]
    chosen.apply(c, repair)
    chosen.apply(c, "LEFT:root")
    assert chosen.tree(c) == (SAW, SAW_LABELS)


def test_a_wrong_label_remembered_is_paid_at_shift() -> None:
    chosen = nonmonotonic(reduce_label="remembered")
    c = chosen.initial(words=WORDS[:5])
    for transition in ["SHIFT", "LEFT:nsubj", "SHIFT"]:
        chosen.apply(c, transition)
    assert chosen.costs(c, SAW, SAW_LABELS, remembered="obj")["SHIFT"] == 0
    assert chosen.costs(c, SAW, SAW_LABELS, remembered="conj")["SHIFT"] == 1
    chosen.apply(c, "SHIFT", remembered="conj")
    assert c.remembered[2] == "conj"


def test_joint_oracle_prefers_what_needs_no_repair() -> None:
    chosen = nonmonotonic()
    c = chosen.initial(words=WORDS[:5])
    for transition in ["SHIFT", "LEFT:nsubj", "SHIFT"]:
        chosen.apply(c, transition)
    assert chosen.zero_cost(c, SAW, SAW_LABELS) == ["SHIFT", "RIGHT:obj"]
    assert chosen.prefer(c, SAW, SAW_LABELS) == ["RIGHT:obj"]


def test_joint_oracle_takes_a_repair_where_nothing_else_is_free() -> None:
    chosen = nonmonotonic()
    c = chosen.initial(words=WORDS)
    for transition in ["SHIFT", "LEFT:nsubj", "SHIFT", "RIGHT:obj", *NOUN_PHRASE]:
        chosen.apply(c, transition)
    assert chosen.prefer(c, FALL, FALL_LABELS) == ["LEFT:nsubj"]


def test_other_systems_have_no_joint_oracle() -> None:
    with pytest.raises(OptionError, match="prefers none"):
        system("arc-eager").prefer(system("arc-eager").initial(1), [0])
