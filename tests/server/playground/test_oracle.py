"""What the playground says about configurations, moves and lattices, compared with the research API."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from samples.asgi import call
from samples.small_models import linear

from dodona import DodonaError, system
from dodona.data.trees import is_projective
from dodona.research.lattice import Counts, Derivations, configuration_label, lattice_oracles
from dodona.research.verification import all_trees
from dodona.server.models import Models
from dodona.server.playground import oracle
from dodona.server.playground.oracle import EXAMPLES
from dodona.systems.registry import SYSTEMS

MODELS = Models({"any": linear("arc-hybrid")})
WIND = EXAMPLES[1]
CROSSING = next(example for example in EXAMPLES if example["title"] == "Crossing arcs")
READS = {"words": ["She", "reads", "books"], "heads": [2, 0, 2], "labels": None, "system": "arc-eager"}


def step(request: dict[str, Any]) -> Any:
    return call("step", request, MODELS)


def lattice(request: dict[str, Any]) -> Any:
    return call("lattice", request, MODELS)


def by_name(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {move["name"]: move for move in answer["moves"]}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["title"]))
def test_the_moves_to_the_end_build_the_tree_if_the_system_can(name: str, example: dict[str, Any]) -> None:
    start = step({**example, "system": name})
    assert start["taken"] == []
    end = step({**example, "system": name, "moves": start["rest"]})
    assert end["end"]
    assert end["moves"] == end["rest"] == []
    can = not SYSTEMS[name].projective or is_projective(example["heads"])
    assert (start["problem"] is None) == can
    if can:
        assert end["tree"] == example["heads"]
        assert end["lost"] == []
        assert all(move["cost"] in (0, None) for move in end["taken"])
    else:
        wrong = [
            d for d, pair in enumerate(zip(end["tree"], example["heads"], strict=True), start=1) if len({*pair}) > 1
        ]
        assert end["lost"] == wrong != []


@pytest.mark.parametrize("name", SYSTEMS)
def test_costs_are_those_of_the_system(name: str) -> None:
    made = system(name, sorted(set(WIND["labels"])))
    c = made.initial(words=WIND["words"])
    moves: list[str] = []
    for _ in range(4):
        answer = step({**WIND, "system": name, "moves": moves})
        assert dict(answer["lists"]) == c.lists
        assert list(by_name(answer)) == made.legal(c)
        if "dynamic" in SYSTEMS[name].oracles:
            expected = made.costs(c, WIND["heads"], WIND["labels"])
            assert {name: move["cost"] for name, move in by_name(answer).items()} == expected
        moves.append(answer["rest"][0])
        made.apply(c, moves[-1])


def test_a_wrong_move_names_what_it_loses() -> None:
    answer = by_name(step({**READS, "moves": ["SHIFT"]}))
    assert answer["LEFT"] == {"name": "LEFT", "cost": 0, "right": True, "adds": [2, 1, None], "lost": [], "perhaps": []}
    assert answer["SHIFT"] == {"name": "SHIFT", "cost": 1, "right": False, "adds": None, "lost": [1], "perhaps": []}
    assert answer["RIGHT"]["cost"] == 2
    assert answer["RIGHT"]["lost"] == [1, 2]
    after = step({**READS, "moves": ["SHIFT", "SHIFT"]})
    assert after["lost"] == [1]
    assert after["taken"][1] == {"name": "SHIFT", "cost": 1, "lost": [1], "adds": None}
    assert step({**READS, "moves": ["SHIFT", "SHIFT", *after["rest"]]})["lost"] == [1]


def test_arcs_that_exclude_each_other_are_told_apart_from_lost_ones() -> None:
    request = {"words": ["a", "b"], "heads": [0, 0], "labels": None, "system": "arc-standard"}
    before = step({**request, "moves": ["SHIFT", "SHIFT"]})
    wrong = by_name(before)["SHIFT"]
    assert (wrong["cost"], wrong["lost"]) == (1, [])
    assert len(wrong["perhaps"]) == 1
    after = step({**request, "moves": ["SHIFT", "SHIFT", "SHIFT"]})
    assert after["lost"] == []
    assert len(after["perhaps"]) == 1
    decided = step({**request, "moves": ["SHIFT", "SHIFT", "SHIFT", *after["rest"]]})
    assert decided["lost"] == after["perhaps"]
    assert decided["perhaps"] == []


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("name", SYSTEMS)
def test_on_any_way_the_lost_arcs_are_the_wrong_ones_of_the_end(name: str, labelled: bool) -> None:
    chance = random.Random(1)
    for heads in chance.sample(all_trees(4), 8):
        labels = [chance.choice("ab") if head else "root" for head in heads]
        request = {"words": list("wxyz"), "heads": list(heads), "labels": labels if labelled else None, "system": name}
        answer = step(request)
        while not answer["end"]:
            move = chance.choice(answer["moves"])
            before, taken = answer, [*(each["name"] for each in answer["taken"]), move["name"]]
            answer = step({**request, "moves": taken})
            assert answer["lost"] == sorted({*before["lost"], *move["lost"]})
            assert answer["taken"][-1]["cost"] == move["cost"]
        expected = zip(answer["tree"], heads, answer["labels"], labels, strict=True)
        wrong = [d for d, (h, gold, l, right) in enumerate(expected, start=1) if h != gold or (labelled and l != right)]
        assert answer["lost"] == wrong
        if answer["costs"] and answer["problem"] is None:
            assert sum(move["cost"] for move in answer["taken"]) == len(wrong)


def test_a_static_oracle_knows_one_derivation() -> None:
    on_path = step({**READS, "oracle": "static", "moves": ["SHIFT"]})
    assert [move["name"] for move in on_path["moves"] if move["right"]] == ["LEFT"]
    off_path = step({**READS, "oracle": "static", "moves": ["SHIFT", "SHIFT"]})
    assert not any(move["right"] for move in off_path["moves"])
    assert off_path["rest"], "the dynamic oracle goes on"


def test_swap_standard_knows_what_is_right_and_what_is_gone() -> None:
    request = {**CROSSING, "labels": None, "system": "swap-standard", "oracle": "nd-all", "moves": ["SHIFT", "SHIFT"]}
    moves = by_name(step(request))
    assert [name for name, move in moves.items() if move["right"]] == ["SHIFT", "LEFT"]
    assert all(move["cost"] is None for move in moves.values())
    assert moves["RIGHT"]["lost"] == [1, 2, 5], "'answer' has another head, and can have no dependents any more"
    after = step({**request, "moves": ["SHIFT", "SHIFT", "RIGHT"]})
    assert after["lost"] == [1, 2, 5]
    assert after["rest"] == []


def test_reasons_why_a_move_is_not_legal() -> None:
    answer = step(READS)
    assert set(answer["illegal"]) == {"LEFT", "RIGHT", "REDUCE"}
    assert answer["illegal"]["REDUCE"] == SYSTEMS["arc-eager"].rules["REDUCE"]


def test_the_same_configuration_has_the_same_key_in_the_lattice() -> None:
    request = {**READS, "system": "arc-standard"}
    graph = lattice(request)
    keys = [node["key"] for node in graph["nodes"]]
    assert len(set(keys)) == len(keys) == int(graph["counts"]["configurations"])
    for i, node in enumerate(graph["nodes"]):
        moves: list[str] = []
        at = i
        while graph["nodes"][at]["from"] is not None:
            at, move = graph["nodes"][at]["from"]
            moves.insert(0, move)
        assert step({**request, "moves": moves})["key"] == node["key"]
    counts = Derivations(system("arc-standard"), [2, 0, 2]).count()
    assert graph["counts"]["derivations"] == str(counts.derivations)


def test_a_large_lattice_is_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {**WIND, "system": "arc-standard", "labels": None}
    monkeypatch.setattr(oracle, "DRAWN_CONFIGURATIONS", 51)
    assert lattice(request)["nodes"] is None
    assert lattice(request)["counts"]["configurations"] == "52"
    monkeypatch.setattr(oracle, "COUNTED_CONFIGURATIONS", 51)
    assert lattice(request)["counts"] is None


def test_every_system_is_described() -> None:
    found = {entry["name"]: entry for entry in call("systems", {}, MODELS)["systems"]}
    assert list(found) == list(SYSTEMS)
    assert found["nonmonotonic"]["oracles"] == ["static", "dynamic", "joint"]
    assert found["swap-standard"]["lattices"] == ["nd-all", "nd-sw"]
    assert found["arc-eager"]["options"] == {"root": ["last", "first", "attach"]}


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no words": ({"words": []}, "words: expected `array` of length >= 1"),
    "too many words": ({"words": ["a"] * 41, "heads": [0] * 41}, "words: expected `array` of length <= 40"),
    "a long word": ({"words": ["a" * 61, "b", "c"]}, "words[0]: expected `str` of length <= 60"),
    "no string": ({"words": ["a", 1, "b"]}, "words[1]: expected `str`, got `int`"),
    "fewer heads": ({"heads": [2, 0]}, "2 heads for 3 words"),
    "no number": ({"heads": [2, 0, "x" * 999]}, "heads[2]: expected `int`, got `str`"),
    "a cycle": ({"heads": [2, 1, 0]}, "cycle"),
    "fewer labels": ({"labels": ["a", "b"]}, "3 heads but 2 labels"),
    "no system": ({"system": "arc-lazy"}, "unknown system"),
    "no oracle": ({"oracle": "delphi"}, "has no oracle 'delphi'"),
    "no option": ({"options": {"colour": "red"}}, "has no option 'colour'"),
    "an option that is none": ({"options": {"labels": "x"}}, "has no option 'labels'"),
    "options": ({"options": {"root": ["last"]}}, "options[...]: expected `bool | str`, got `array`"),
    "no move": ({"moves": ["JUMP"]}, "has no transition 'JUMP'"),
    "an illegal move": ({"moves": ["SHIFT", "REDUCE"]}, "REDUCE is not legal"),
    "no list": ({"moves": "SHIFT"}, "moves: expected `array`, got `str`"),
    "too many moves": ({"moves": ["SHIFT"] * 4000}, "moves: expected `array` of length <= 3200"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_requests_get_one_sentence(fault: str) -> None:
    changed, told = BAD[fault]
    for function in (step,) if "moves" in changed else (step, lattice):
        with pytest.raises(DodonaError) as error:
            function({**READS, **changed})
        assert told in str(error.value)
        assert len(str(error.value)) < 400
        assert "\n" not in str(error.value)


# All of an answer


def test_a_configuration_in_full() -> None:
    answer = step({**READS, "oracle": "static", "moves": ["SHIFT"]})
    assert {key: value for key, value in answer.items() if key not in ("key", "moves", "illegal")} == {
        "system": "arc-eager", "oracle": "static", "lists": [["stack", [1]], ["buffer", [2, 3, 0]]],
        "heads": [None] * 3, "labels": [None] * 3, "end": False, "tree": None,
        "taken": [{"name": "SHIFT", "cost": 0, "lost": [], "adds": None}], "lost": [], "perhaps": [],
        "rest": answer["rest"], "costs": True, "problem": None, "gave_up": False,
    }  # fmt: skip
    rules = SYSTEMS["arc-eager"].rules
    legal = {move["name"] for move in answer["moves"]}
    assert answer["illegal"] == {verb: why for verb, why in rules.items() if verb not in legal}
    assert step({**READS, "moves": []})["oracle"] == SYSTEMS["arc-eager"].oracles[0]


def test_a_search_that_takes_too_long_is_given_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {**CROSSING, "system": "swap-standard", "oracle": "minimal"}
    assert step(request)["gave_up"] is False
    monkeypatch.setattr(oracle, "PLANNED_TRANSITIONS", 1)
    assert step(request)["gave_up"] is True


def test_nothing_is_perhaps_lost_where_nobody_knows_how_to_go_on() -> None:
    request = {**CROSSING, "labels": None, "system": "swap-standard", "oracle": "nd-all"}
    answer = step({**request, "moves": ["SHIFT", "SHIFT", "RIGHT"]})
    assert (answer["rest"], answer["perhaps"], answer["end"]) == ([], [], False)


def test_counts_are_written_for_people_and_fit_any_page() -> None:
    few = Counts(1_234, 5, 67, 8_901, 23_456)
    assert oracle._write_counts(few) == {
        "derivations": "1,234", "shortest": "5", "longest": "67", "configurations": "8,901", "transitions": "23,456",
    }  # fmt: skip
    for number, shown in ((10**30 - 1, f"{10**30 - 1:,}"), (10**30, "1e+30"), (123 * 10**30, "1.23e+32")):
        assert oracle._write_counts(replace(few, derivations=number))["derivations"] == shown


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_lattice_is_that_of_the_oracle_that_is_asked_for(name: str) -> None:
    """All of it; another oracle is replaced by the most permissive one."""
    made = system(name, ["dep", "root"])
    heads = [2, 0, 2] if SYSTEMS[name].projective else [3, 0, 2]
    words, labels = ["a", "b", "c"], ["dep", "root", "dep"]
    request: dict[str, Any] = {"words": words, "heads": heads, "labels": labels, "system": name}
    offered = list(lattice_oracles(made))
    for asked in [None, *SYSTEMS[name].oracles, *offered]:
        answer = lattice(request | ({"oracle": asked} if asked else {}))
        chosen = asked if asked in offered else SYSTEMS[name].oracles[0] if asked is None else None
        gold = made.gold(heads, labels, approximate=True)
        derivations = Derivations(made, gold, oracle=chosen if chosen in offered else None, words=words)
        assert answer["oracle"] == derivations.oracle
        graph = derivations.lattice()
        assert answer["counts"] == oracle._write_counts(derivations.count())
        assert [node["end"] for node in answer["nodes"]] == [node.is_end for node in graph.nodes]
        assert [node["text"] for node in answer["nodes"]] == [configuration_label(n.configuration) for n in graph.nodes]
        assert [node["derivations"] for node in answer["nodes"]] == [f"{node.derivations:,}" for node in graph.nodes]
        static = answer["static"]
        assert {each["name"]: each["length"] for each in static} == dict(graph.lengths)
        assert [
            (e["source"], e["target"], e["name"], [static[k]["name"] for k in e["static"]]) for e in answer["edges"]
        ] == [(e.source, e.target, e.transition, list(e.static)) for e in graph.edges]
        assert answer["width"] >= max(node["x"] + node["width"] / 2 for node in answer["nodes"])


def test_a_lattice_that_is_too_large_has_nothing_but_that(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {**WIND, "system": "arc-standard", "labels": None}
    found = lattice(request)
    assert found.keys() == {"oracle", "counts", "nodes", "edges", "static", "width"}
    nothing = {"oracle": found["oracle"], "counts": found["counts"], "nodes": None, "edges": None}
    size = int(found["counts"]["configurations"])
    for drawn in (size, size - 1):
        monkeypatch.setattr(oracle, "DRAWN_CONFIGURATIONS", drawn)
        assert lattice(request) == (found if drawn == size else nothing)
    for counted in (size, size - 1):
        monkeypatch.setattr(oracle, "COUNTED_CONFIGURATIONS", counted)
        more = nothing | {"counts": None, "more_than": counted}
        assert lattice(request) == (nothing if counted == size else more)


def test_systems_in_full() -> None:
    offer = call("systems", {}, MODELS)
    assert offer["systems"] == [
        {
            "name": name, "paper": entry.paper, "builds": entry.builds, "projective": entry.projective,
            "oracles": list(dict.fromkeys([*entry.oracles, *lattice_oracles(system(name))])),
            "lattices": list(lattice_oracles(system(name))),
            "options": {key: list(values) for key, values in entry.options.items()}, "rules": dict(entry.rules),
            "costs": "dynamic" in entry.oracles,
        }
        for name, entry in SYSTEMS.items()
    ]  # fmt: skip
    assert {True, False} == {each["costs"] for each in offer["systems"]}
    assert offer.keys() == {"models", "systems", "examples"}
    assert offer["examples"] == json.loads(json.dumps(EXAMPLES))
