"""Derivations step by step: what the oracle says, what is taken, and the tree; as dictionaries and tables."""

import json
from itertools import product

import pytest

import dodona
from dodona import OptionError, TreeError
from dodona.research.derivation import Walk, derive
from dodona.research.lattice import lattice_oracles
from dodona.systems.registry import SYSTEMS
from dodona.tables import Cell

WORDS = ["she", "reads", "books"]
HEADS, LABELS = [2, 0, 2], ["nsubj", "root", "obj"]


def test_a_static_derivation() -> None:
    found = derive(dodona.system("arc-eager", LABELS), HEADS, LABELS, words=WORDS)
    assert found.oracle == "static"
    assert found.transitions == dodona.system("arc-eager", LABELS).static(HEADS, LABELS)
    assert (found.heads, found.labels, found.wrong) == (HEADS, LABELS, 0)
    second = found.steps[1]
    assert second.configuration.stack == [1]
    assert second.costs is not None
    assert second.costs["LEFT:nsubj"] == 0
    assert second.costs["LEFT:obj"] == 1
    assert second.legal == tuple(second.costs)
    assert second.arcs == ((2, 1, "nsubj"),)
    assert second.is_correct
    assert found.summary() == "6 transitions, the gold tree: 2 0 2"


def test_after_a_wrong_transition_the_dynamic_oracle_goes_on() -> None:
    found = derive(dodona.system("arc-eager"), HEADS, history=["SHIFT", "SHIFT"])
    assert found.oracle == "dynamic"
    assert [step.is_correct for step in found.steps[:3]] == [True, False, True]
    assert found.wrong == 1
    assert found.words is None
    assert found.summary().endswith("a tree with 1 of 3 words wrong: " + " ".join(map(str, found.heads or [])))


def test_wrong_labels_count() -> None:
    found = derive(dodona.system("arc-eager", LABELS), HEADS, LABELS, history=["SHIFT", "LEFT:obj"])
    assert found.heads == HEADS
    assert found.wrong == 1


def test_an_oracle_that_has_nothing_more_to_say() -> None:
    found = derive(dodona.system("swap-standard"), HEADS, history=["SHIFT", "RIGHT"])
    assert (found.oracle, found.heads, found.wrong) == ("nd-all", None, None)
    assert found.steps[0].costs is None
    assert "cannot be reached" in found.summary()
    assert found.to_dict()["tree"] is None


def test_errors() -> None:
    system = dodona.system("arc-eager")
    with pytest.raises(OptionError, match="has no oracle 'lazy'"):
        derive(system, HEADS, oracle="lazy")
    with pytest.raises(OptionError, match="after a history use dynamic"):
        derive(system, HEADS, oracle="static", history=["SHIFT"])
    with pytest.raises(TreeError, match="not projective"):
        derive(system, [3, 4, 0, 3])
    assert derive(system, [3, 4, 0, 3], approximate=True).oracle == "dynamic"


def test_a_dictionary_that_json_can_hold() -> None:
    found = derive(dodona.system("arc-eager", LABELS), HEADS, LABELS, words=WORDS).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["gold"] == {"heads": HEADS, "labels": LABELS}
    assert found["steps"][0] == {
        "lists": {"stack": [], "buffer": [1, 2, 3, 0]},
        "legal": ["SHIFT"],
        "costs": {"SHIFT": 0},
        "correct": ["SHIFT"],
        "transition": "SHIFT",
        "arcs": [],
    }
    assert found["steps"][1]["arcs"] == [{"head": 2, "dependent": 1, "label": "nsubj"}]


@pytest.mark.parametrize("name", ["arc-standard", "easy-first", "nonmonotonic", "covington", "swap-standard"])
def test_a_row_for_each_transition(name: str) -> None:
    found = derive(dodona.system(name), HEADS, words=WORDS)
    table = found.table()
    rows = [[str(cell.value) for cell in row if isinstance(cell, Cell)] for row in table.rows]
    assert [row[-2] for row in rows] == found.transitions
    assert {len(row) for row in rows} == {len(table.columns)}
    arcs = {(h, d) for step in found.steps for h, d, _ in step.arcs}
    assert arcs == {(h, d) for d, h in enumerate(HEADS, start=1)}


def test_a_table_for_latex() -> None:
    lines = derive(dodona.system("arc-eager"), [2, 0], words=["50", "%"]).to_latex().splitlines()
    assert lines[1:5] == [
        r"\begin{tabular}{rlllll}",
        r"\hline",
        r" & stack & buffer & legal{,} with cost & taken & new arc \\",
        r"\hline",
    ]
    assert lines[6] == r"2 & 50 & \% ROOT & LEFT=0 SHIFT=1 RIGHT=2 & \textbf{LEFT} & \% $\rightarrow$ 50 \\"
    assert lines[-1] == "% 4 transitions, the gold tree: 2 0"


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_rest_of_a_walk_is_what_its_oracle_allows(name: str) -> None:
    """After all pairs of transitions, right or wrong, to the end."""
    system = dodona.system(name)
    for oracle, heads in product(lattice_oracles(system), ([2, 0, 2, 3], [0, 1, 1, 3], [3, 3, 0, 3])):
        for pair in product(range(4), repeat=2):
            walk = Walk(system, system.gold(heads), oracle=oracle)
            for number in pair:
                legal = system.legal(walk.c)
                walk.take(legal[number % len(legal)])
            while rest := walk.rest():
                assert rest[0] in walk.recommend(), (oracle, heads, pair)
                walk.take(rest[0])
