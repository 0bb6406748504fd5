"""`dodona lattice`: all derivations of a sentence under a non-deterministic oracle, drawn or counted."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click

from dodona import DodonaError, TreeError, system
from dodona.cli.inputs import build_sentence, find_sentence
from dodona.cli.options import flag, integer, option, system_options
from dodona.cli.outputs import choose_format, format_option, output_option, write_text
from dodona.drawing.graph import graph_dot, graph_svg
from dodona.research.lattice import (
    Counts,
    Derivations,
    Lattice,
    TooMany,
    configuration_label,
    lattice_graph,
    static_paths,
)
from dodona.research.system import HINT
from dodona.tables import format_json

FORMATS = ("svg", "dot", "text", "json")


@contextmanager
def _long_numbers() -> Iterator[None]:
    """Numbers of derivations may be longer than Python writes without being asked. All else relies on that limit."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


@click.command(short_help="Draw or count all derivations of a sentence under an oracle.")
@click.argument("file", required=False)
@option("-n, --sentence", "Which sentence: its number or sent_id.", default="1")
@option("--heads", 'A tree instead of a FILE: the head of each word, 0 for a root word, e.g. "2 0 2".')
@option("--words", 'With --heads: the words, e.g. "she reads books".')
@option("-s, --system", "The transition system.", name="name", default="swap-standard")
@option(
    "--oracle NAME",
    "dynamic: all zero-cost transitions; swap-standard: nd-all, nd-sw; nonmonotonic: joint too. "
    "[default: the one that allows most]",
    name="oracle_name",
)
@flag("--labelled", "With the labels of arcs.")
@flag("--single-root", "Exactly one word is attached to ROOT.")
@system_options
@option("--root-label", "The label of root arcs that are left to the end.")
@format_option(FORMATS, "text", "dot: for Graphviz.")
@output_option()
@integer("--max-nodes", "With more configurations than this, only count.", default=400)
@integer("--max-configurations", "Give up counting after this many configurations.", default=100_000)
@_long_numbers()
def lattice(
    file: str | None, sentence: str, heads: str | None, words: str | None, name: str, oracle_name: str | None,
    labelled: bool, form: str | None, target: str, max_nodes: int, max_configurations: int, **options: Any
) -> None:  # fmt: skip
    """Draw all derivations of a sentence in FILE (CoNLL-U, `-` for standard input) that a non-deterministic oracle
    allows, as a graph of configurations, and mark those of the static oracles.

    \b
    dodona lattice --heads "2 0 2" --words "she reads books" -o lattice.svg
    dodona lattice treebank.conllu -n 7 -o lattice.svg
    dodona lattice treebank.conllu -n 7 --system arc-standard --format dot
    dodona lattice treebank.conllu -n 7 --system covington --max-nodes 1 --format json
    """
    form = choose_format(target, form, FORMATS, "text")
    if (file is None) == (heads is None):
        raise click.UsageError("Expected a FILE, or --heads, and not both.")
    if (words if heads is None else labelled or None) is not None:
        raise click.UsageError("--words goes with --heads, and --labelled with a FILE.")
    tree = find_sentence(file, sentence) if file is not None else build_sentence(str(heads), words)
    labels = tree.gold_labels() if labelled else None
    wanted = {key: value for key, value in options.items() if value is not None}
    chosen = system(name, None if labels is None else sorted(set(labels)), **wanted)
    try:
        derivations = Derivations(chosen, tree.gold_heads(), labels, oracle=oracle_name, words=tree.words)
    except TreeError as error:
        location = f"{tree.file}:{tree.line}: " if file is not None else "--heads: "
        raise TreeError(location + str(error).replace(f" {HINT}", "")) from None
    try:
        counts = derivations.count(max_configurations)
    except TooMany:
        raise DodonaError(f"more than {max_configurations:,} configurations; see --max-configurations") from None
    summary = f"{chosen.name}, {derivations.oracle}: {counts.in_words()}"
    drawn = derivations.lattice() if counts.configurations <= max_nodes else None
    if drawn is None and form in ("svg", "dot"):
        raise DodonaError(f"{summary}; too many to draw (--max-nodes {max_nodes})")
    write_text(_format(form, summary, derivations, counts, drawn), target)
    if form in ("svg", "dot"):
        click.echo(summary, err=True)


def _format(form: str, summary: str, derivations: Derivations, counts: Counts, drawn: Lattice | None) -> str:
    if form == "json":
        return format_json(_as_json(derivations, counts, drawn))
    if form == "text":
        return "\n".join([summary, *(_as_text(drawn) if drawn is not None else ()), ""])
    assert drawn is not None
    return {"svg": graph_svg, "dot": graph_dot}[form](lattice_graph(drawn, summary))


def _as_json(derivations: Derivations, counts: Counts, drawn: Lattice | None) -> dict[str, Any]:
    counted: dict[str, Any] = {
        "system": derivations.system.name,
        "oracle": derivations.oracle,
        **asdict(counts),
    }
    if drawn is None:
        return counted | {"nodes": None, "edges": None}
    nodes = [
        {
            "layer": node.layer,
            **node.configuration.lists,
            "heads": node.configuration.heads,
            "labels": node.configuration.labels,
            "derivations": node.derivations,
        }
        for node in drawn.nodes
    ]
    edges = [
        {"from": edge.source, "to": edge.target, "transition": edge.transition, "static": edge.static}
        for edge in drawn.edges
    ]
    by_length = {str(length): number for length, number in drawn.by_length().items()}
    return counted | {"by_length": by_length, "static": drawn.lengths, "nodes": nodes, "edges": edges}


def _as_text(drawn: Lattice) -> Iterator[str]:
    """A line for each configuration, and below it one for each transition: where it leads, and who takes it."""
    for length, number in drawn.by_length().items():
        yield f"  {length} transitions: {number:,}"
    letters = {name: path.letter for name, path in zip(drawn.lengths, static_paths(drawn), strict=True)}
    for path in static_paths(drawn):
        yield f"  {path.letter}: {path.legend}"
    for i, node in enumerate(drawn.nodes):
        yield f"{i}. {configuration_label(node.configuration)}" + ("  (end)" if node.is_end else "")
        for edge in (edge for edge in drawn.edges if edge.source == i):
            marks = "".join(letters[name] for name in edge.static)
            yield f"     {edge.transition} → {edge.target}" + (f"  [{marks}]" if marks else "")
