"""Where the exhaustive tests do not go: trees that cannot be built, labels outside the inventory, strangers."""

import random
from itertools import product

import pytest
from samples.variants import DYNAMIC, Variant

from dodona import OptionError, TreeError, system
from dodona.research.verification import (
    TreeAndLabels,
    all_trees,
    compare_costs,
    explore,
    keep_single_rooted,
    projective_trees,
)
from dodona.systems.registry import SYSTEMS


@pytest.mark.parametrize("variant", DYNAMIC, ids=str)
def test_approximate_costs_always_come_and_cover_what_is_legal(variant: Variant) -> None:
    """Also for trees that are not projective or have too many roots."""
    chosen = variant.make()
    for n in (1, 2, 3):
        graph = explore(chosen, n)
        for tree in all_trees(n):
            gold = chosen.gold(tree, approximate=True)
            for c in graph.configurations:
                assert list(chosen.costs(c, gold)) == chosen.legal(c)


@pytest.mark.parametrize("single_root", [False, True])
def test_no_approximate_cost_of_a_tree_that_cannot_be_built_is_below_zero(single_root: bool) -> None:
    """A cost of -1 would say that the transition is not legal. Four words are needed to see it, and arc-standard."""
    chosen = system("arc-standard", single_root=single_root)
    c = chosen.initial(4)
    for _ in range(3):
        chosen.apply(c, "SHIFT")
    costs = chosen.costs(c, [0, 4, 0, 3], approximate=True)
    assert costs == {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if entry.builds == "projective trees"])
def test_a_prepared_tree_that_cannot_be_built_has_no_derivation(name: str) -> None:
    chosen = system(name)
    gold = chosen.gold([3, 0, 2, 1], approximate=True)
    with pytest.raises(TreeError, match="not projective"):
        chosen.static(gold)
    elsewhere = system("covington").gold([3, 0, 2, 1])
    with pytest.raises(TreeError, match="not projective"):
        chosen.costs(chosen.initial(4), elsewhere)


def test_a_prepared_tree_belongs_to_its_labels() -> None:
    gold = system("arc-hybrid", ["a", "b"]).gold([0], ["a"])
    with pytest.raises(OptionError, match="labels"):
        system("arc-hybrid", ["b", "a"]).static(gold)
    with pytest.raises(OptionError, match="labels"):
        system("arc-hybrid", ["a", "b"]).static(gold, ["a"])


def test_a_configuration_belongs_to_its_options_and_labels() -> None:
    last, first = system("arc-eager"), system("arc-eager", root="first")
    with pytest.raises(OptionError, match="another arc-eager"):
        last.legal(first.initial(2))
    with pytest.raises(OptionError, match="another arc-eager"):
        system("arc-eager", ["a"]).legal(system("arc-eager", ["b"]).initial(2))


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("name", ["arc-eager", "covington"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_costs_where_the_root_label_is_not_among_the_labels(name: str, single_root: bool, n: int) -> None:
    options = {"root": "attach"} if name == "arc-eager" else {}
    chosen = system(name, ["a", "b"], single_root=single_root, root_label="root", **options)
    trees = all_trees(n) if name == "covington" else projective_trees(n)
    golds: list[TreeAndLabels] = [
        (tree, labels)
        for tree in (keep_single_rooted(trees) if single_root else trees)
        for labels in product(*(["root"] if h == 0 else ["a", "b"] for h in tree))
    ]
    result = compare_costs(chosen, n, golds)
    assert result.comparisons > 0
    assert not result.wrong, result.wrong[:3]
    for tree, labels in golds:
        c = chosen.initial(n)
        for transition in chosen.static(tree, labels):
            chosen.apply(c, transition)
        assert chosen.tree(c) == (list(tree), list(labels or ()))


def test_the_root_label_is_for_root_words_only() -> None:
    for chosen in (system("covington", ["dep"]), system("arc-eager", ["dep"], root="attach")):
        with pytest.raises(TreeError, match="word 2 has label 'root'"):
            chosen.static([0, 1], ["root", "root"])
    with pytest.raises(TreeError, match="word 1 has label 'root'"):
        system("arc-eager", ["dep"], root="first").static([0], ["root"])
    with pytest.raises(TreeError, match="exclude each other"):
        system("arc-eager", ["dep"], root="attach").static([0, 0], ["root", "dep"])


@pytest.mark.parametrize("moves", ["left", "reduce", "both"])
@pytest.mark.parametrize("single_root", [False, True])
def test_joint_oracle_prefers_what_arc_eager_allows(moves: str, single_root: bool) -> None:
    chosen = system("nonmonotonic", moves=moves, single_root=single_root)
    monotonic = system("arc-eager", single_root=single_root)
    for n in (1, 2, 3, 4):
        trees = keep_single_rooted(projective_trees(n)) if single_root else projective_trees(n)
        for c in explore(chosen, n).configurations:
            twin = c.copy()  # every configuration is one of arc-eager's too
            twin.entry, twin.system_key = monotonic.entry, monotonic.initial(0).system_key
            for tree in trees if not chosen.is_terminal(c) else []:
                free = chosen.zero_cost(c, tree)
                sure = [t for t in free if monotonic.costs(twin, tree).get(t) == 0]
                assert chosen.prefer(c, tree) == (sure or free)


def test_minimal_gives_up_in_time_on_a_long_tangled_sentence() -> None:
    """Heads drawn at random: three hundred words that cross each other everywhere."""
    chance = random.Random(3)
    heads = [0] + [chance.randint(1, d) for d in range(1, 300)]
    order = list(range(1, 301))
    chance.shuffle(order)
    number = dict(zip(range(1, 301), order, strict=True)) | {0: 0}
    tangled = [0] * 300
    for d, h in enumerate(heads, start=1):
        tangled[number[d] - 1] = number[h]
    chosen = system("swap-standard")
    lazy = chosen.static(tangled, oracle="lazy")
    assert lazy.count("SWAP") > 1_000
    assert chosen.static(tangled, oracle="minimal") == lazy
    assert chosen.fallbacks == 1
