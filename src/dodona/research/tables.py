"""Derivations and configurations as tables, and as pictures for notebooks."""

from collections.abc import Mapping, Sequence

from dodona.drawing.dependencies import picture_svg
from dodona.drawing.letters import shown
from dodona.drawing.page import html_scrolled
from dodona.drawing.picture import Link, Picture, Word, is_reversed
from dodona.drawing.tables import Cell, Row, html_table, latex_table
from dodona.research.configuration import Configuration
from dodona.research.derivation import Derivation, Step

__all__ = [
    "configuration_html", "configuration_svg", "derivation_columns", "derivation_html", "derivation_latex",
    "derivation_rows", "derivation_title",
]  # fmt: skip

ALIKE = 4  # more transitions than this with the same verb and no cost are shown as one
LONG = 12  # nodes of a list that are shown
CROWDED = 6  # more groups than this are too many to look at
RIGHT, WRONG = "", "✗"  # marks of transitions of a system without costs


def derivation_columns(derivation: Derivation) -> list[str]:
    """Return the titles of the columns of `derivation_rows`."""
    costs = any(step.costs is not None for step in derivation.steps)
    return ["", *derivation.end.entry.lists, "legal, with cost" if costs else "legal", "taken", "new arc"]


def derivation_rows(derivation: Derivation) -> list[list[str]]:
    """Return a row for each transition: its number, the lists before it, what is legal, what is taken, new arcs."""
    return [[str(number), *_row(step)] for number, step in enumerate(derivation.steps, start=1)]


def derivation_title(derivation: Derivation) -> str:
    return f"{derivation.system.name} · {derivation.oracle} oracle"


def derivation_html(derivation: Derivation) -> str:
    """Return a derivation as a part of a page; a transition that is not what the oracle says has a mark."""
    rows: list[Row] = [
        [
            Cell(number, "number"),
            *lists,
            Cell(legal, "faint"),
            Cell(taken if step.is_correct else f"{WRONG} {taken}", "strong"),
            arcs,
        ]
        for step, (number, *lists, legal, taken, arcs) in zip(
            derivation.steps, derivation_rows(derivation), strict=True
        )
    ]
    table = html_table(derivation_columns(derivation), rows, derivation_title(derivation))
    return f"{table}<p>{shown(derivation.summary())}</p>\n"


def derivation_latex(derivation: Derivation) -> str:
    """Return a derivation as a table for LaTeX."""
    rows: list[Row] = [
        [Cell(number, "number"), *lists, legal, Cell(taken, "strong"), arcs]
        for number, *lists, legal, taken, arcs in derivation_rows(derivation)
    ]
    summary = " ".join(derivation.summary().split())
    table = latex_table(derivation_columns(derivation), rows, derivation_title(derivation))
    return f"{table}% {summary}\n"


def configuration_svg(c: Configuration) -> str:
    """Return the arcs of a configuration as a picture; below each word is the list that it is in."""
    return picture_svg(_picture(c))


def configuration_html(c: Configuration) -> str:
    """Return the lists of a configuration and the picture of its arcs, as a part of a page."""
    rows: list[Row] = [[Cell(name, "faint"), " ".join(map(c.name, nodes)) or "–"] for name, nodes in c.lists.items()]
    picture = _picture(c)
    return html_table(("", ""), rows, c.entry.name) + html_scrolled(picture_svg(picture), picture.reversed)


def _picture(c: Configuration) -> Picture:
    where = {node: name for name, nodes in c.lists.items() for node in nodes}
    names = [c.name(node) for node in range(1, len(c) + 1)]
    words = [
        Word(shown(name), where.get(node, ""), f"{node}  {where.get(node, 'in no list')}")
        for node, name in enumerate(names, start=1)
    ]
    links = [
        Link(head, d, shown(label or ""))
        for d, (head, label) in enumerate(zip(c.heads, c.labels, strict=True), start=1)
        if head is not None
    ]
    return Picture(shown(str(c)), words, links, [], [], is_reversed(names))


def _row(step: Step) -> list[str]:
    c = step.configuration
    lists = [_shortened(c, nodes, kind) for kind, nodes in c.lists.items()]
    if step.costs is not None:
        legal = _grouped(step.costs)
    else:
        legal = _grouped({name: int(name not in step.correct) for name in step.legal}, (RIGHT, WRONG))
    return [*lists, legal, step.transition, ", ".join(f"{c.name(h)} → {c.name(d)}" for h, d, _ in step.arcs)]


def _grouped(costs: Mapping[str, int], words: tuple[str, ...] = ()) -> str:
    """Cheapest first. One verb at one cost is drawn together where it costs something: `*` are all its labels, `…`
    the others. Where even that is too much (easy-first), all that cost something are one group."""
    groups: dict[tuple[int, str], list[str]] = {}
    for name, cost in costs.items():
        groups.setdefault((cost, name.partition(":")[0]), []).append(name)
    verbs = [verb for _, verb in groups]
    shown = []
    for (cost, verb), names in sorted(groups.items(), key=lambda item: item[0][0]):
        if cost > 0 and len(groups) > CROWDED:
            dear = [cost for cost in costs.values() if cost > 0]
            shown.append(f"…={min(dear)}–{max(dear)}")
            break
        together = len(names) > ALIKE or (cost > 0 and len(names) > 1)
        drawn = [f"{verb}:{'…' if verbs.count(verb) > 1 else '*'}"] if together else names
        shown += [f"{name}{words[cost] if words else f'={cost}'}" for name in drawn]
    return " ".join(shown)


def _shortened(c: Configuration, nodes: Sequence[int], kind: str) -> str:
    """What is near the focus of a long list: the end of a stack, the front of a buffer."""
    if len(nodes) <= LONG or kind == "list":
        return " ".join(map(c.name, nodes))
    if kind in ("buffer", "right"):
        return " ".join([*map(c.name, nodes[:LONG]), "…"])
    return " ".join(["…", *map(c.name, nodes[-LONG:])])
