"""`dodona oracle`: show the derivation of an oracle transition by transition, for teaching and debugging."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dodona import Configuration, DodonaError, OptionError, System, system
from dodona.cli.sentences import find_sentence
from dodona.cli.system_options import system_options
from dodona.data import Sentence
from dodona.research.system import GoldTree
from dodona.systems.registry import SYSTEMS

ALIKE = 4  # more transitions than this with the same verb and no cost are shown as one
LONG = 12  # nodes of a list that are shown
CROWDED = 6  # more groups than this are too many to look at


@click.command(short_help="Derive a sentence with an oracle, transition by transition.")
@click.argument("file", required=False)
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
def oracle(
    file: str | None,
    list_systems: bool,
    name: str,
    sentence: str,
    oracle_name: str | None,
    history: str | None,
    unlabelled: bool,
    approximate: bool,
    **options: Any,
) -> None:
    """Show a derivation of a sentence in FILE (CoNLL-U, `-` for standard input), with the cost of every transition.

    \b
    dodona oracle --list
    dodona oracle treebank.conllu --system arc-hybrid
    dodona oracle treebank.conllu -n 7 --system arc-eager --history "SHIFT SHIFT"
    dodona oracle treebank.conllu -n 7 --system swap-standard --oracle lazy
    """
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    if list_systems:
        console.print(_systems_table())
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'; `dodona oracle --list` needs none.")
    oracles = list(dict.fromkeys(known for entry in SYSTEMS.values() for known in entry.oracles))
    if oracle_name is not None and oracle_name not in oracles:
        raise OptionError(f"unknown oracle {oracle_name!r}; the oracles are: {', '.join(oracles)}")
    found = find_sentence(file, sentence)
    labels = None if unlabelled else found.gold_labels()
    given = {key: value for key, value in options.items() if value is not None}
    chosen_system = system(name, None if labels is None else sorted(set(labels)), **given)
    heads = found.gold_heads()
    try:
        gold = chosen_system.gold(heads, labels, approximate=approximate)
    except DodonaError as error:
        hint = str(error).replace("approximate=True gives", "--approximate shows")
        raise type(error)(f"{found.file}:{found.line}: {hint}") from None
    walk = Walk(chosen_system, found, gold, oracle_name, (history or "").split())
    table = Table(title=f"{chosen_system.name} · {walk.oracle} oracle", title_justify="left")
    table.add_column("", style="dim", justify="right")
    for column in (
        *chosen_system.entry.lists,
        "legal, with cost" if walk.has_costs else "legal",
        "taken",
        "new arc",
    ):
        table.add_column(column)
    for number, row in enumerate(walk.rows(), start=1):
        taken = Text(row.taken, style="bold green" if row.good else "bold red")
        table.add_row(str(number), *map(Text, row.lists), Text(row.legal, style="dim"), taken, Text(row.arc))
    console.print(table)
    console.print(Text(walk.summary()))


@dataclass
class Row:
    lists: list[str]
    legal: str
    taken: str
    good: bool
    arc: str


class Walk:
    """One derivation: first the given history, then the transitions that the oracle chooses."""

    def __init__(
        self, chosen: System, sentence: Sentence, gold: GoldTree, oracle_name: str | None, history: list[str]
    ) -> None:
        self.system = chosen
        self.gold = gold
        self.sentence = sentence
        self.history = history
        self.has_costs = "dynamic" in chosen.entry.oracles
        flexible = "dynamic" if self.has_costs else chosen.entry.set_oracles[-1]
        on_path = not history and (gold.core.is_projective or not chosen.entry.projective)
        self.oracle = oracle_name or (chosen.entry.oracles[0] if on_path else flexible)
        if self.oracle not in chosen.entry.oracles:
            raise OptionError(f"{chosen.name} has no oracle {self.oracle!r}; it has: {', '.join(chosen.entry.oracles)}")
        self.is_static = self.oracle in chosen.entry.static_oracles
        if history and self.is_static:
            raise OptionError(f"a {self.oracle} oracle knows one derivation only; after a history use {flexible}")
        self.total = 0
        self.end: Configuration = chosen.initial(words=sentence.words)

    def rows(self) -> Iterator[Row]:
        c = self.end
        planned = list(self.history)
        if self.is_static:
            planned = self.system.static(self.gold, oracle=self.oracle)
        while not self.system.is_terminal(c):
            good, legal = self._judge(c)
            if not planned and not good:
                return
            taken = planned.pop(0) if planned else good[0]
            lists = c.lists
            before = c.heads
            self.system.apply(c, taken, remembered=self._remembered(c) if taken == "SHIFT" else None)
            self.total += 1
            arcs = [
                f"{c.name(h)} → {c.name(d)}"
                for d, (h, was) in enumerate(zip(c.heads, before, strict=True), start=1)
                if h is not None and h != was
            ]
            shown = [_shortened(c, nodes, kind) for kind, nodes in lists.items()]
            yield Row(shown, legal, taken, taken in good, ", ".join(arcs))

    def _judge(self, c: Configuration) -> tuple[list[str], str]:
        """The transitions the oracle would take, best first, and all legal ones in words."""
        if not self.has_costs:
            sets = self.system.entry.set_oracles
            kind = self.oracle if self.oracle in sets else sets[-1]
            good = self.system.correct(c, self.gold, oracle=kind)
            marks = {name: 0 if name in good else 1 for name in self.system.legal(c)}
            return good, _grouped(marks, ("", "✗"))
        memory = self._remembered(c)
        costs = self.system.costs(c, self.gold, remembered=memory)
        least = min(costs.values())
        good = [name for name, cost in costs.items() if cost == least]
        if self.system.has_preferences and least == 0:
            good = self.system.preferred(c, self.gold, remembered=memory)
        return good, _grouped(costs)

    def _remembered(self, c: Configuration) -> str | None:
        """Return the label that SHIFT stores, where a model would choose one: the gold label of the word."""
        if not self.system.carries_labels or not self.system.labels or c.buffer[0] == 0:
            return None
        return self.sentence.labels[c.buffer[0] - 1]

    def summary(self) -> str:
        c = self.end
        if not self.system.is_terminal(c):
            return (
                f"{self.total} transitions; from here the gold tree cannot be reached by swapping towards its "
                f"projective order, so {self.oracle} has nothing to say."
            )
        heads, labels = self.system.tree(c)
        wrong = sum(
            h != gold_h or (l is not None and l != gold_l)
            for h, gold_h, l, gold_l in zip(heads, self.sentence.heads, labels, self.sentence.labels, strict=True)
        )
        found = "the gold tree" if wrong == 0 else f"a tree with {wrong} of {len(heads)} words wrong"
        note = ""
        if self.system.fallbacks:
            note = "\nThe search for the fewest swaps ran out of its budget: this is the lazy derivation."
        return f"{self.total} transitions, {found}: {' '.join(map(str, heads))}{note}"


def _grouped(costs: dict[str, int], words: tuple[str, ...] = ()) -> str:
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


def _shortened(c: Configuration, nodes: list[int], kind: str) -> str:
    """What is near the focus of a long list: the end of a stack, the front of a buffer."""
    if len(nodes) <= LONG or kind == "list":
        return " ".join(map(c.name, nodes))
    if kind in ("buffer", "right"):
        return " ".join([*map(c.name, nodes[:LONG]), "…"])
    return " ".join(["…", *map(c.name, nodes[-LONG:])])


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
