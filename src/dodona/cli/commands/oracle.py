"""`dodona oracle`: show the derivation of an oracle transition by transition, for teaching and debugging."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

from dodona import OptionError, TreeError, system
from dodona.cli.inputs import build_sentence, find_sentence, parse_sentence
from dodona.cli.options import system_options
from dodona.data import Sentence
from dodona.data.files import output
from dodona.drawing.dependencies import HTML_END, html_head, html_section
from dodona.research.derivation import Derivation, derive
from dodona.systems.registry import SYSTEMS
from dodona.tables import Table, open_console

if TYPE_CHECKING:
    from rich.console import Console

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
        _systems_table().print(open_console(WIDTH), boxed=True)
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
        _print(derivation, open_console(WIDTH))
        return
    with output(target) as stream:
        if form == "table":
            text = StringIO()
            _print(derivation, open_console(WIDTH, text))
            written = text.getvalue()
        elif form == "json":
            written = json.dumps(derivation.to_dict(), ensure_ascii=False, indent=1) + "\n"
        elif form == "latex":
            written = derivation.to_latex()
        else:
            head = html_head(derivation.table().title)
            written = head + html_section(sentence, 1) + derivation.to_html() + HTML_END
        stream.write(written.encode())


def _print(derivation: Derivation, console: "Console") -> None:
    derivation.table().print(console, boxed=True)
    console.print(derivation.summary(), markup=False)


def _systems_table() -> Table:
    rows = []
    for name, entry in SYSTEMS.items():
        options = [f"{key}: {', '.join(values)}" for key, values in entry.options.items()]
        fitting = [value for key, values in entry.options.items() for value in values if entry.late_roots({key: value})]
        if entry.late_roots({}) or fitting:
            only = "" if entry.late_roots({}) else f" ({', '.join(fitting)})"
            options.append(f"root_label{only}: root, or any label")
        options.append("single_root: False, True")
        rows.append((name, " ".join(entry.rules), entry.builds, ", ".join(entry.oracles), "\n".join(options)))
    columns = ("system", "transitions", "builds", "oracles", "options (default first)")
    return Table(columns, rows, "Transition systems", align="l" * 5, rules=frozenset(range(len(rows))))
