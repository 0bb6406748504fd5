"""`dodona oracle`: show the derivation of an oracle transition by transition, or compare oracles with search."""

import sys
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.progress import TextColumn

from dodona import OptionError, TreeError, system
from dodona.cli.inputs import build_sentence, find_sentence, parse_sentence
from dodona.cli.options import flag, import_option, integer, option, system_options
from dodona.cli.outputs import choose_format, format_option, open_screen, output_option, write_table, write_text
from dodona.cli.progress import open_bar
from dodona.data import Sentence
from dodona.drawing.dependencies import HTML_END, html_head, html_section
from dodona.research.derivation import Derivation, derive
from dodona.research.system import System
from dodona.research.verification import Verification, WrongCost, verify
from dodona.systems.check import variants
from dodona.systems.registry import SYSTEMS, entry_of
from dodona.tables import FORMATS, Table, format_json, open_console

MODEL = "en"
WIDTH = 120  # of a table in a file or a pipe
MAX_DIFFERENCES = 5  # that are shown of one system and length


@click.command(short_help="Derive a sentence with an oracle, transition by transition.")
@click.argument("file", required=False)
@option("--text", "A sentence instead of a FILE, which a model parses.")
@option("--model", f"With --text: the name or the file of the model. [default: {MODEL}]")
@option("--heads", 'A tree instead of a FILE: the head of each word, 0 for a root word, e.g. "2 0 2".')
@option("--words", 'With --heads: the words, e.g. "she reads books".')
@option("--labels", 'With --heads or --verify: the labels, e.g. "nsubj root obj". [default: unlabelled]')
@integer(
    "--verify",
    "Compare all oracles of the system with exhaustive search, for all trees of up to N words.",
    name="max_words",
)
@flag("--list", "Show the systems with their oracles and options.", name="list_systems")
@option("-s, --system", "The transition system.", name="name", default="arc-eager")
@option("-n, --sentence", "Which sentence: its number or sent_id.", default="1")
@option(
    "--oracle",
    "The oracle. [default: the first static oracle; after a --history, dynamic or nd-all]",
    name="oracle_name",
)
@option("--history", 'Transitions to take first, e.g. "SHIFT RIGHT:obj"; the oracle continues from there.')
@flag("--unlabelled", "Leave the labels out.")
@flag("--single-root", "Exactly one word is attached to ROOT.")
@system_options
@option("--root-label", "The label of root arcs that are left to the end.")
@flag("--approximate", "Show costs also for a tree that the system cannot build.")
@format_option(FORMATS, "table", "latex: a tabular; html: a page, with a picture of the tree.")
@output_option()
@import_option(is_eager=True)
def oracle(
    file: str | None, text: str | None, model: str | None, heads: str | None, words: str | None, labels: str | None,
    max_words: int | None, list_systems: bool, name: str, sentence: str, oracle_name: str | None, history: str | None,
    unlabelled: bool, approximate: bool, form: str | None, target: str, **options: Any,
) -> None:  # fmt: skip
    """Show a derivation of a sentence in FILE (CoNLL-U, `-` for standard input), with the cost of every transition.

    \b
    dodona oracle --list
    dodona oracle --text "Oak trees grow slowly."
    dodona oracle --heads "2 0 2" --words "she reads books" --labels "nsubj root obj"
    dodona oracle treebank.conllu --system arc-hybrid
    dodona oracle treebank.conllu -n 7 --system arc-eager --history "SHIFT SHIFT"
    dodona oracle treebank.conllu -n 7 --system swap-standard --oracle lazy
    dodona oracle treebank.conllu -n 7 -o derivation.html

    --verify takes every transition in every configuration of up to N words, and finds the true cost of each: by how
    much the number of arcs that are certainly lost grows. It compares them with the costs of the dynamic oracle, lets
    the static oracles derive every tree, and looks whether all trees can be built. All options of the system are tried,
    or the ones that you name. Four words take seconds, five take minutes. The exit code is 1 if anything differs.

    \b
    dodona oracle --verify 3 --system arc-eager
    dodona oracle --verify 2 --system nonmonotonic --labels "a root" --single-root
    dodona oracle --verify 4 --system my-system --import my_module
    """
    if list_systems:
        _systems_table().print(open_console(WIDTH), boxed=True)
        return
    if max_words is not None:
        if (file, text, heads, words, oracle_name, history, target, form) != (*(None,) * 6, "-", None):
            raise click.UsageError("--verify goes with --system, its options and --labels only.")
        fixed = {key: value for key, value in options.items() if value is not None and value is not False}
        if not _verify(name, max_words, (labels or "").split(), fixed):
            sys.exit(1)
        return
    if text is None and model is not None:
        raise click.UsageError("--model goes with --text.")
    oracles = list(dict.fromkeys(known for entry in SYSTEMS.values() for known in entry.oracles))
    if oracle_name is not None and oracle_name not in oracles:
        raise OptionError(f"unknown oracle {oracle_name!r}; the oracles are: {', '.join(oracles)}")
    tree = _find_tree(file, text, heads, words, labels, model or MODEL, sentence)
    unlabelled = unlabelled or (heads is not None and labels is None)
    names = None if unlabelled else tree.gold_labels()
    chosen_options = {key: value for key, value in options.items() if value is not None}
    chosen = system(name, None if names is None else sorted(set(names)), **chosen_options)
    taken = (history or "").split()
    try:
        gold = tree.gold_heads()
        derivation = derive(
            chosen, gold, names, words=tree.words, oracle=oracle_name, history=taken, approximate=approximate
        )
    except TreeError as error:
        location = f"{tree.file}:{tree.line}" if file is not None else tree.file
        raise TreeError(f"{location}: {str(error).replace('approximate=True gives', '--approximate shows')}") from None
    _write(derivation, tree, choose_format(target, form, FORMATS, "table"), target)


def _find_tree(
    file: str | None, text: str | None, heads: str | None, words: str | None, labels: str | None, model: str,
    sentence: str,
) -> Sentence:  # fmt: skip
    """Return the sentence of a file, the parse of a text, or the tree on the command line."""
    missing = [file, text, heads].count(None)
    if missing != 2:
        fault = "Missing argument 'FILE'" if missing == 3 else "FILE, --text and --heads exclude each other"
        raise click.UsageError(f"{fault}; expected one of FILE, --text and --heads, or --list or --verify.")
    if heads is None and (words is not None or labels is not None):
        raise click.UsageError("--words and --labels go with --heads.")
    if file is not None:
        return find_sentence(file, sentence)
    if text is not None:
        return parse_sentence(text, model, sentence)
    return build_sentence(str(heads), words, labels)


def _verify(name: str, max_words: int, labels: list[str], fixed: dict[str, Any]) -> bool:
    """Compare a system with search, for all options but those that are fixed, and print what differs."""
    entry = entry_of(name)
    fitting = [options for options in variants(entry) if fixed.items() <= {**fixed, **options}.items()]
    is_right = True
    for options in fitting or [fixed]:
        chosen = system(name, labels or None, **{**options, **fixed})
        shown = " ".join([name, *(f"{key}={value}" for key, value in options.items() if value is not False)])
        for n in range(1, max_words + 1):
            result = _compare_with_search(chosen, n, f"{shown}, {n} words")
            counted = f"{_count(n, 'word')}, {_count(result.trees, 'tree')}, {result.configurations:,} configurations"
            faults = len(result.wrong) + len(result.faults)
            compared = f", {result.comparisons:,} costs" if result.comparisons else ""
            verdict = f"{_count(faults, 'difference')}" if faults else "as search says"
            click.echo(f"{shown}: {counted}{compared}: {verdict}")
            for text in result.faults[:MAX_DIFFERENCES]:
                click.echo(f"  {text}")
            for wrong in result.wrong[: max(0, MAX_DIFFERENCES - len(result.faults))]:
                click.echo(_describe(wrong, options))
            if faults > MAX_DIFFERENCES:
                click.echo(f"  and {_count(faults - MAX_DIFFERENCES, 'other')}")
            if faults:
                is_right = False
                break  # longer sentences would show the same
    return is_right


def _compare_with_search(chosen: System, n: int, what: str) -> Verification:
    with open_bar(TextColumn("{task.description}: {task.completed:,} configurations")) as bar:
        task = bar.add_task(what, total=None)
        return verify(chosen, n, lambda count: bar.update(task, completed=count))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("s" if number != 1 else "")


def _describe(wrong: WrongCost, options: Mapping[str, Any]) -> str:
    """Return a wrong cost in two lines: what it is, and the command that shows it."""
    labels = f' --labels "{" ".join(wrong.labels)}"' if wrong.labels else ""
    heads = " ".join(map(str, wrong.heads))
    memory = f", remembering {wrong.remembered}," if wrong.remembered else ""
    c = wrong.configuration
    flags = "".join(
        f" --{key.replace('_', '-')}" + ("" if value is True else f" {value}")
        for key, value in options.items()
        if value is not False
    )
    history = " ".join(wrong.history)
    return (
        f"  {wrong.transition}{memory} costs {wrong.cost}; search: {wrong.true}; in {c}\n"
        f'    dodona oracle --system {c.entry.name}{flags} --heads "{heads}"{labels} --history "{history}"'
    )


def _write(derivation: Derivation, sentence: Sentence, form: str, target: str) -> None:
    if form == "table":
        with open_screen(target, WIDTH) as console:
            _print(derivation, console)
    elif form == "json":
        write_text(format_json(derivation.to_dict()), target)
    elif form == "latex":
        write_text(derivation.to_latex(), target)
    elif form == "html":
        head = html_head(derivation.table().title)
        write_text(head + html_section(sentence, 1) + derivation.to_html() + HTML_END, target)
    else:
        write_table(derivation.table(), form, target)


def _print(derivation: Derivation, console: Console) -> None:
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
