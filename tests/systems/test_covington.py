"""Gómez-Rodríguez and Fernández-González (2015), Figure 2: gold arcs that exclude each other by a cycle."""

from dodona import Configuration, system

GOLD = [4, 0, 2, 3]  # 0→2, 2→3, 3→4, 4→1


def figure_two() -> Configuration:
    chosen = system("covington")
    c = chosen.initial(4)
    for transition in ["SHIFT", "RIGHT", "SHIFT"]:
        chosen.apply(c, transition)
    return c


def test_the_configuration_of_figure_two() -> None:
    c = figure_two()
    assert (c.left, c.right, c.buffer, c.heads) == ([1, 2], [], [3, 4], [None, 1, None, None])


def test_its_loss_is_two() -> None:
    chosen = system("covington")
    c = chosen.initial(4)
    paid = 0
    for transition in ["SHIFT", "RIGHT", "SHIFT"]:
        paid += chosen.costs(c, GOLD)[transition]
        chosen.apply(c, transition)
    assert paid == 2


def test_each_arc_of_the_cycle_is_in_reach_but_not_all() -> None:
    """Linking 2→3 costs nothing, and then one of 3→4, 4→1 must go, which is paid for already."""
    chosen = system("covington")
    c = figure_two()
    while not chosen.is_terminal(c):
        chosen.apply(c, chosen.zero_cost(c, GOLD)[0])
    assert sum(h != gold for h, gold in zip(chosen.tree(c)[0], GOLD, strict=True)) == 2


def test_focus_words_move_between_the_lists() -> None:
    chosen = system("covington")
    c = chosen.initial(3)
    for transition in ["SHIFT", "SHIFT", "NOARC"]:
        chosen.apply(c, transition)
    assert (c.left, c.right, c.buffer) == ([1], [2], [3])
    chosen.apply(c, "SHIFT")
    assert chosen.is_terminal(c)


def test_a_root_arc_with_another_label_is_lost_from_the_start() -> None:
    chosen = system("covington", ["dep"])
    c = chosen.initial(2)
    chosen.apply(c, "SHIFT")
    assert chosen.costs(c, [0, 0], ["root", "dep"])["RIGHT:dep"] == 0
    assert chosen.costs(c, [0, 0], ["root", "root"])["RIGHT:dep"] == 1
