"""The worked example of Goldberg and Nivre (2012), sections 2.2 and 3.2."""

from dodona import Configuration, System, system

# He wrote her a letter .   (the tree of Figure 1)
HEADS = [2, 0, 2, 5, 2, 2]
LABELS = ["SBJ", "PRD", "IOBJ", "DET", "DOBJ", "P"]
START = ["SHIFT", "LEFT:SBJ", "RIGHT:PRD", "RIGHT:IOBJ"]
STATIC = [*START, "SHIFT", "LEFT:DET", "REDUCE", "RIGHT:DOBJ", "REDUCE", "RIGHT:P"]
OTHER = [*START, "REDUCE", "SHIFT", "LEFT:DET", "RIGHT:DOBJ", "REDUCE", "RIGHT:P"]


def arc_eager() -> System:
    return system("arc-eager", sorted(LABELS), root="first")


def after_the_mistake(chosen: System) -> Configuration:
    """SHIFT instead of RIGHT:IOBJ."""
    c = chosen.initial(6)
    for transition in [*STATIC[:3], "SHIFT"]:
        chosen.apply(c, transition)
    assert (c.stack, c.buffer) == ([0, 2, 3], [4, 5, 6])
    return c


def loss(c: Configuration) -> int:
    arcs = zip(c.heads, c.labels, HEADS, LABELS, strict=True)
    return sum((h, l) != (gold_h, gold_l) for h, l, gold_h, gold_l in arcs)


def gold_derivations(chosen: System, c: Configuration) -> list[list[str]]:
    if chosen.is_terminal(c):
        return [[]]
    found = []
    for transition in chosen.zero_cost(c, HEADS, LABELS):
        following = c.copy()
        chosen.apply(following, transition)
        found += [[transition, *rest] for rest in gold_derivations(chosen, following)]
    return found


def test_static_oracle_gives_the_first_of_the_two_derivations() -> None:
    chosen = arc_eager()
    assert chosen.static(HEADS, LABELS) == STATIC
    assert sorted(gold_derivations(chosen, chosen.initial(6))) == sorted([STATIC, OTHER])


def test_loss_three_when_the_static_oracle_goes_on_after_a_mistake() -> None:
    chosen = arc_eager()
    c = after_the_mistake(chosen)
    paid = []
    for transition in ["SHIFT", "LEFT:DET", "SHIFT", "SHIFT"]:
        paid.append(chosen.costs(c, HEADS, LABELS)[transition])
        chosen.apply(c, transition)
    assert paid == [0, 0, 1, 1]
    assert chosen.is_terminal(c)
    assert loss(c) == 3


def test_loss_one_with_the_dynamic_oracle() -> None:
    chosen = arc_eager()
    c = after_the_mistake(chosen)
    for transition in ["SHIFT", "LEFT:DET", "LEFT:DET", "RIGHT:DOBJ", "REDUCE", "RIGHT:P"]:
        assert transition in chosen.zero_cost(c, HEADS, LABELS)
        chosen.apply(c, transition)
    assert chosen.is_terminal(c)
    assert loss(c) == 1


def test_forest_is_attached_only_on_output() -> None:
    chosen = arc_eager()
    c = chosen.initial(2)
    chosen.apply(c, "SHIFT")
    chosen.apply(c, "SHIFT")
    assert c.heads == [None, None]
    assert chosen.tree(c) == ([0, 0], ["root", "root"])


def test_attached_words_take_the_root_label() -> None:
    chosen = system("arc-eager", ["nsubj"], root="attach", root_label="ROOT")
    c = chosen.initial(1)
    assert chosen.costs(c, [0], ["ROOT"]) == {"SHIFT": 0, "RIGHT:nsubj": 1}
    chosen.apply(c, "SHIFT")
    assert (c.heads, c.labels) == ([0], ["ROOT"])


def test_root_last_takes_two_transitions_a_word() -> None:
    assert len(system("arc-eager", sorted(LABELS)).static(HEADS, LABELS)) == 12
