"""`dodona oracle`: show the derivation of an oracle transition by transition, for teaching and debugging."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dodona import OptionError, TreeError, system
from dodona.cli.inputs import build_sentence, find_sentence, parse_sentence
from dodona.cli.options import system_options
from dodona.data import Sentence
from dodona.data.files import output
from dodona.drawing.page import HTML_END, html_head, html_section
from dodona.research.derivation import Derivation, derive
from dodona.research.tables import (
    derivation_columns,
    derivation_html,
    derivation_latex,
    derivation_rows,
    derivation_title,
)
from dodona.systems.registry import SYSTEMS

FORMATS = ("table", "json", "latex", "html")
MODEL = "en"
WIDTH = 120  # of a table in a file or a pipe


@click.command(short_help="Derive a sentence with an oracle, transition by transition.")
@click.argument("file", required=False)
@click.option("--text", help="A sentence instead of a FILE, which a model parses.")
@click.option("--model", help=f"With --text: the name or the file of the model. [default: {MODEL}]")
@click.option("--heads", help='A tree instead of a FILE: the head of each word, 0 for a root word, e.g. "2 0 2".')
@click.option("--words", help='With --heads: the words, e.g. "she reads books".')
@click.option("--labels", help='With --heads: the labels, e.g. "nsubj root obj". [default: unlabelled]')
@click.option("--list", "list_systems", is_flag=True, help="Show the systems with their oracles and options.")
@click.option("-s", "--system", "name", default="arc-eager", show_default=True, help="The transition system.")
@click.option("-n", "--sentence", default="1", show_default=True, help="Which sentence: its number or sent_id.")
@click.option(
    "-o",
    "--oracle",
    "oracle_name",
    help="The oracle. [default: the first static oracle; after a --history, dynamic or nd-all]",
)
@click.option("--history", help='Transitions to take first, e.g. "SHIFT RIGHT:obj"; the oracle continues from there.')
@click.option("--unlabelled", is_flag=True, help="Leave the labels out.")
@click.option("--single-root", is_flag=True, help="Exactly one word is attached to ROOT.")
@system_options
@click.option("--root-label", help="The label of root arcs that are left to the end.")
@click.option("--approximate", is_flag=True, help="Show costs also for a tree that the system cannot build.")
@click.option(
    "--format",
    "form",
    default="table",
    show_default=True,
    type=click.Choice(FORMATS),
    help="latex: a tabular; html: a page, with a picture of the tree.",
)
@click.option("--output", "target", default="-", metavar="FILE", help="Where to write. [default: standard output]")
def oracle(
    file: str | None, text: str | None, model: str | None, heads: str | None, words: str | None, labels: str | None,
    list_systems: bool, name: str, sentence: str, oracle_name: str | None, history: str | None, unlabelled: bool,
    approximate: bool, form: str, target: str, **options: Any,
) -> None:  # fmt: skip
    """Show a derivation of a sentence in FILE (CoNLL-U, `-` for standard input), with the cost of every transition.

    \b
    dodona oracle --list
    dodona oracle --text "Oak trees grow slowly."
    dodona oracle --heads "2 0 2" --words "she reads books" --labels "nsubj root obj"
    dodona oracle treebank.conllu --system arc-hybrid
    dodona oracle treebank.conllu -n 7 --system arc-eager --history "SHIFT SHIFT"
    dodona oracle treebank.conllu -n 7 --system swap-standard --oracle lazy
    dodona oracle treebank.conllu -n 7 --format html --output derivation.html
    """
    if list_systems:
        Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False).print(_systems_table())
        return
    if [file, text, heads].count(None) != 2:
        told = (
            "Missing argument 'FILE'"
            if (file, text, heads) == (None,) * 3
            else "FILE, --text and --heads exclude each other"
        )
        raise click.UsageError(f"{told}; expected one of FILE, --text and --heads, or --list.")
    if heads is None and (words is not None or labels is not None):
        raise click.UsageError("--words and --labels go with --heads.")
    if text is None and model is not None:
        raise click.UsageError("--model goes with --text.")
    oracles = list(dict.fromkeys(known for entry in SYSTEMS.values() for known in entry.oracles))
    if oracle_name is not None and oracle_name not in oracles:
        raise OptionError(f"unknown oracle {oracle_name!r}; the oracles are: {', '.join(oracles)}")
    if file is not None:
        found = find_sentence(file, sentence)
    elif text is not None:
        found = parse_sentence(text, model or MODEL, sentence)
    else:
        found = build_sentence(str(heads), words, labels)
        unlabelled = unlabelled or labels is None
    names = None if unlabelled else found.gold_labels()
    given = {key: value for key, value in options.items() if value is not None}
    chosen = system(name, None if names is None else sorted(set(names)), **given)
    with _told(f"{found.file}:{found.line}" if file is not None else found.file):
        derivation = derive(
            chosen,
            found.gold_heads(),
            names,
            words=found.words,
            oracle=oracle_name,
            history=(history or "").split(),
            approximate=approximate,
        )
    _write(derivation, found, form, target)


@contextmanager
def _told(place: str) -> Iterator[None]:
    """Say where a tree is that cannot be derived, and which option helps."""
    try:
        yield
    except TreeError as error:
        raise TreeError(f"{place}: {str(error).replace('approximate=True gives', '--approximate shows')}") from None


def _write(derivation: Derivation, sentence: Sentence, form: str, target: str) -> None:
    if form == "table" and target == "-":
        _print(derivation, Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False))
        return
    with output(target) as stream:
        if form == "table":
            text = StringIO()
            _print(derivation, Console(file=text, width=WIDTH, highlight=False))
            written = text.getvalue()
        elif form == "json":
            written = json.dumps(derivation.to_dict(), ensure_ascii=False, indent=1) + "\n"
        elif form == "latex":
            written = derivation_latex(derivation)
        else:
            title = derivation_title(derivation)
            written = html_head(title) + html_section(sentence, 1) + derivation_html(derivation) + HTML_END
        stream.write(written.encode())


def _print(derivation: Derivation, console: Console) -> None:
    table = Table(title=derivation_title(derivation), title_justify="left")
    table.add_column("", style="dim", justify="right")
    for column in derivation_columns(derivation)[1:]:
        table.add_column(column)
    for step, (number, *lists, legal, taken, arcs) in zip(derivation.steps, derivation_rows(derivation), strict=True):
        style = "bold green" if step.is_correct else "bold red"
        table.add_row(number, *map(Text, lists), Text(legal, style="dim"), Text(taken, style=style), Text(arcs))
    console.print(table)
    console.print(Text(derivation.summary()))


def _systems_table() -> Table:
    table = Table(title="Transition systems", title_justify="left")
    for column in ("system", "transitions", "builds", "oracles", "options (default first)"):
        table.add_column(column)
    for name, entry in SYSTEMS.items():
        options = [f"{key}: {', '.join(values)}" for key, values in entry.options.items()]
        fitting = [value for key, values in entry.options.items() for value in values if entry.late_roots({key: value})]
        if entry.late_roots({}) or fitting:
            only = "" if entry.late_roots({}) else f" ({', '.join(fitting)})"
            options.append(f"root_label{only}: root, or any label")
        options.append("single_root: False, True")
        rules = entry.rules
        table.add_row(
            name,
            " ".join(rules),
            entry.builds,
            ", ".join(entry.oracles),
            "\n".join(options),
            end_section=True,
        )
    return table
