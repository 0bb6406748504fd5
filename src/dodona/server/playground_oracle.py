"""What the playground shows of systems and oracles: functions from the fields of a request to those of an answer."""

from typing import Any

from dodona.research.lattice import lattice_oracles
from dodona.research.system import system
from dodona.server.playground_walk import Walk, key_of, oracles_of
from dodona.systems.registry import SYSTEMS

__all__ = ["step", "systems"]


def systems() -> list[dict[str, Any]]:
    """Return the transition systems with their oracles and options."""
    found = []
    for name, entry in SYSTEMS.items():
        made = system(name)
        found.append(
            {
                "name": name,
                "paper": entry.paper,
                "builds": entry.builds,
                "projective": entry.projective,
                "oracles": oracles_of(made),
                "lattices": list(lattice_oracles(made)),
                "options": {key: list(values) for key, values in entry.options.items()},
                "rules": dict(entry.rules),
                "costs": "dynamic" in entry.oracles,
            }
        )
    return found


def step(request: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration, the moves that led to it and those that are legal in it, with costs and lost arcs.

    `rest` has moves that lead from here to the end and lose as little as possible. `perhaps` are words whose arcs are
    reachable one by one, but lost on that way, because arcs exclude each other.
    """
    walk = Walk(request)
    rest = walk.rest()
    end = walk.end(rest)
    complete = walk.system.is_terminal(walk.c) or bool(rest)
    wrong = [d for d, (h, gold) in enumerate(zip(end, walk.heads, strict=True), start=1) if h != gold]
    moves = walk.moves()
    verbs = {move["name"].partition(":")[0] for move in moves}
    return {
        "system": walk.system.name,
        "oracle": walk.oracle,
        "lists": [[name, nodes] for name, nodes in walk.c.lists.items()],
        "heads": walk.c.heads,
        "labels": walk.c.labels,
        "end": walk.system.is_terminal(walk.c),
        "tree": end if walk.system.is_terminal(walk.c) else None,
        "moves": moves,
        "illegal": {verb: why for verb, why in walk.system.entry.rules.items() if verb not in verbs},
        "taken": walk.taken,
        "lost": walk.lost,
        "perhaps": [d for d in wrong if d not in walk.lost] if complete else [],
        "rest": rest,
        "costs": walk.has_costs,
        "problem": walk.problem,
        "gave_up": walk.system.fallbacks > 0,
        "key": key_of(walk.c),
    }
