"""What the playground shows of systems and oracles: configurations with their moves, and the lattice of a tree.

A request brings the sentence, its gold tree and all moves along, and they are taken again.
"""

import hashlib
from typing import Annotated, Any

from msgspec import Meta, Struct

from dodona.drawing.graph import lay_out
from dodona.drawing.letters import width_of
from dodona.errors import OptionError, TreeError
from dodona.research.configuration import Configuration
from dodona.research.derivation import Walk
from dodona.research.lattice import Counts, Derivations, Lattice, TooMany, configuration_label, lattice_oracles
from dodona.research.system import System, system
from dodona.server.models import Models
from dodona.server.playground.parse import Name, describe_models
from dodona.server.requests import NoFields
from dodona.systems.registry import SYSTEMS, build

__all__ = ["EXAMPLES", "StepRequest", "TreeRequest", "describe_offer", "lay_out_lattice", "step"]

MAX_WORDS, MAX_LETTERS = 40, 60  # of a sentence, and of a word, that a derivation is shown for
MAX_MOVES = 2 * MAX_WORDS * MAX_WORDS  # more than any derivation has
PLANNED_TRANSITIONS = 500_000  # that the search for the fewest swaps may take
DRAWN_CONFIGURATIONS = 150
COUNTED_CONFIGURATIONS = 6_000
LETTER = 7.3  # width of a letter in the font of the page's drawings, in pixels
PADDING = 16.0

Word = Annotated[str, Meta(min_length=1, max_length=MAX_LETTERS)]
Head = Annotated[int, Meta(ge=0, le=MAX_WORDS)]


class TreeRequest(Struct, kw_only=True):
    """A sentence with its gold tree, and a system."""

    words: Annotated[list[Word], Meta(min_length=1, max_length=MAX_WORDS)]
    heads: Annotated[list[Head], Meta(max_length=MAX_WORDS, description="Numbers of words, and 0 for a root.")]
    labels: Annotated[list[Word], Meta(max_length=MAX_WORDS)] | None = None
    system: Name
    options: dict[str, str | bool] = {}
    oracle: Annotated[Name | None, Meta(description="Without it, the first oracle of the system.")] = None


class StepRequest(TreeRequest, kw_only=True):
    """The moves that lead to a configuration."""

    moves: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=2 * MAX_LETTERS)]], Meta(max_length=MAX_MOVES)
    ] = []


def _make_example(title: str, tree: str) -> dict[str, Any]:
    words, heads, labels = zip(*(word.split("/") for word in tree.split()), strict=True)
    return {"title": title, "words": words, "heads": list(map(int, heads)), "labels": labels}


TREES = {
    "Three words to begin with": "She/2/nsubj reads/0/root books/2/obj",
    "Arcs to both sides": "The/2/det wind/3/nsubj moves/0/root the/5/det leaves/3/obj of/9/case the/9/det old/9/amod "
    "oak/5/nmod ./3/punct",
    "Where does the lantern belong?": "He/2/nsubj watched/0/root the/4/det owl/2/obj with/7/case a/7/det lantern/2/obl",
    "A head that comes late": "Leaves/2/nsubj fall/0/root when/6/mark cold/5/amod winds/6/nsubj blow/2/advcl "
    "hard/6/advmod",
    "A head that must be repaired (nonmonotonic)": "They/2/nsubj knew/0/root the/4/det oracle/5/nsubj spoke/2/ccomp",
    "Two roots": "Listen/0/root !/1/punct Trees/4/nsubj speak/0/root ./4/punct",
    "Crossing arcs": "An/2/det answer/3/nsubj came/0/root about/5/case rain/2/nmod",
    "Crossing arcs in Dutch": "dat/6/mark hij/6/nsubj haar/7/nsubj de/5/det eik/7/obj zag/0/root planten/6/xcomp",
    "From right to left: Hebrew": "הרוח/2/nsubj מזיזה/0/root את/4/case העלים/2/obj של/6/case האלון/4/nmod",
}
EXAMPLES = [_make_example(title, tree) for title, tree in TREES.items()]
"""Sentences for a lesson: some that every system builds, and some with crossing arcs. Each word has its head, the
number of a word or 0 for ROOT, and its label."""


def describe_offer(request: NoFields, models: Models) -> dict[str, Any]:
    """Return what the page offers: models, transition systems with their oracles and options, and sentences."""
    return {"models": describe_models(models), "systems": _describe_systems(), "examples": EXAMPLES}


def _describe_systems() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "paper": entry.paper,
            "builds": entry.builds,
            "projective": entry.projective,
            "oracles": _list_oracles(made),
            "lattices": list(lattice_oracles(made)),
            "options": {key: list(values) for key, values in entry.options.items()},
            "rules": dict(entry.rules),
            "costs": "dynamic" in entry.oracles,
        }
        for name, entry in SYSTEMS.items()
        for made in [system(name)]
    ]


def step(request: StepRequest, models: Models) -> dict[str, Any]:
    """Return a configuration, the moves that led to it and those that are legal in it, with costs and lost arcs.

    `rest` has moves that lead from here to the end and lose as little as possible. `perhaps` are words whose arcs are
    reachable one by one, but lost on that way, because arcs exclude each other.
    """
    walk = _start(request)
    for move in request.moves:
        walk.take(move)
    rest = walk.rest()
    heads = walk.heads_after(rest)
    is_end = walk.system.is_terminal(walk.c)
    wrong = [d for d, (h, gold) in enumerate(zip(heads, walk.heads, strict=True), start=1) if h != gold]
    moves = walk.legal_moves()
    verbs = {move.name.partition(":")[0] for move in moves}
    return {
        "system": walk.system.name,
        "oracle": walk.oracle,
        "lists": [[name, nodes] for name, nodes in walk.c.lists.items()],
        "heads": walk.c.heads,
        "labels": walk.c.labels,
        "end": is_end,
        "tree": heads if is_end else None,
        "moves": moves,
        "illegal": {verb: why for verb, why in walk.system.entry.rules.items() if verb not in verbs},
        "taken": walk.taken,
        "lost": walk.lost,
        "perhaps": [d for d in wrong if d not in walk.lost] if is_end or rest else [],
        "rest": rest,
        "costs": walk.has_costs,
        "problem": walk.problem,
        "gave_up": walk.system.fallbacks > 0,
        "key": _hash_key(walk.c),
    }


def lay_out_lattice(request: TreeRequest, models: Models) -> dict[str, Any]:
    """Return all derivations that an oracle allows, as a graph; only their number if there are too many to draw. An
    oracle that allows one derivation only is replaced by the most permissive one."""
    walk = _start(request)
    if walk.problem is not None:
        raise TreeError(walk.problem)
    oracle = walk.oracle if walk.oracle in lattice_oracles(walk.system) else None
    derivations = Derivations(walk.system, walk.gold, oracle=oracle, words=request.words)
    answer: dict[str, Any] = {"oracle": derivations.oracle, "counts": None, "nodes": None, "edges": None}
    try:
        counts = derivations.count(COUNTED_CONFIGURATIONS)
    except TooMany:
        return answer | {"more_than": COUNTED_CONFIGURATIONS}
    answer["counts"] = _write_counts(counts)
    return answer if counts.configurations > DRAWN_CONFIGURATIONS else answer | _lay_out(derivations.lattice())


def _start(request: TreeRequest) -> Walk:
    if len(request.heads) != len(request.words):
        raise TreeError(f"{len(request.heads)} heads for {len(request.words)} words; expected one for each")
    names = None if request.labels is None else sorted(set(request.labels))
    chosen = System(build(request.system, names, request.options))
    gold = chosen.gold(request.heads, request.labels, approximate=True)
    offered = _list_oracles(chosen)
    oracle = request.oracle or offered[0]
    if oracle not in offered:
        raise OptionError(f"{chosen.name} has no oracle {oracle!r}; it has: {', '.join(offered)}")
    return Walk(chosen, gold, request.labels, words=request.words, oracle=oracle, budget=PLANNED_TRANSITIONS)


def _list_oracles(chosen: System) -> list[str]:
    return list(dict.fromkeys([*chosen.entry.oracles, *lattice_oracles(chosen)]))


def _hash_key(c: Configuration) -> str:
    """Return a short name for a configuration, the same for all ways that lead to it."""
    return hashlib.blake2s(repr(c.key).encode(), digest_size=8).hexdigest()


def _write_counts(counts: Counts) -> dict[str, str]:
    """The numbers may be longer than those of JavaScript."""
    derivations = f"{counts.derivations:,}" if counts.derivations < 10**30 else f"{float(counts.derivations):.3g}"
    return {
        "derivations": derivations,
        "shortest": str(counts.shortest),
        "longest": str(counts.longest),
        "configurations": f"{counts.configurations:,}",
        "transitions": f"{counts.transitions:,}",
    }


def _lay_out(graph: Lattice) -> dict[str, Any]:
    captions = [configuration_label(node.configuration) for node in graph.nodes]
    widths = [LETTER * width_of(text) + PADDING for text in captions]
    names = list(graph.lengths)
    arcs = [
        (edge.source, edge.target, LETTER * (width_of(edge.transition) + 2 * len(edge.static))) for edge in graph.edges
    ]
    layout = lay_out([node.layer for node in graph.nodes], widths, arcs)
    came: dict[int, tuple[int, str]] = {}
    for edge in graph.edges:
        came.setdefault(edge.target, (edge.source, edge.transition))
    nodes = [
        {
            "x": round(place.x, 1),
            "row": place.row,
            "width": round(place.width, 1),
            "text": text,
            "end": node.is_end,
            "key": _hash_key(node.configuration),
            "derivations": f"{node.derivations:,}" if node.derivations < 10**15 else f"{float(node.derivations):.3g}",
            "from": came.get(i),
        }
        for i, (node, place, text) in enumerate(zip(graph.nodes, layout.nodes, captions, strict=True))
    ]
    edges = [
        {
            "source": edge.source,
            "target": edge.target,
            "name": edge.transition,
            "static": [names.index(name) for name in edge.static],
            "through": [[round(place.x, 1), place.row] for place in chain],
        }
        for edge, chain in zip(graph.edges, layout.chains, strict=True)
    ]
    static = [{"name": name, "length": length} for name, length in graph.lengths.items()]
    return {"nodes": nodes, "edges": edges, "static": static, "width": round(layout.width, 1)}
