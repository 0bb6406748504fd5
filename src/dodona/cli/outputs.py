"""Where results are written, and in which format: the name of an output decides. Parses go to one file or stream, or
with `--each` to one file in a folder for each input."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dodona.cli.options import Decorator, option
from dodona.data import Sentence, write
from dodona.data.files import bare_name, open_handle
from dodona.data.files import output as open_output
from dodona.data.stream import Boundary, Item
from dodona.errors import OptionError
from dodona.parser.request import IN_PIECES

if TYPE_CHECKING:
    from rich.console import Console

    from dodona.tables import Result, Table

__all__ = [
    "EXTENSIONS", "SENTENCE_FORMATS", "check_keeps", "check_targets", "choose_format", "format_option", "is_same_file",
    "open_screen", "output_option", "pick_writer", "report_pieces", "say", "write_each", "write_results", "write_table",
    "write_text",
]  # fmt: skip


EXTENSIONS = {
    "conllu": ".conllu", "conllx": ".conllx", "json": ".json", "jsonl": ".jsonl", "csv": ".csv", "tsv": ".tsv",
    "tree": ".txt", "text": ".txt", "table": ".txt", "markdown": ".md", "html": ".html", "latex": ".tex",
    "tikz": ".tex", "svg": ".svg", "dot": ".dot", "bibtex": ".bib",
}  # fmt: skip
"""How the name of an output in each format ends."""
SENTENCE_FORMATS = ("conllu", "conllx", "json", "jsonl", "csv", "tsv", "tree", "markdown", "svg", "html", "tikz")
OTHER_ENDINGS = {".htm": "html", ".tikz": "tikz", ".gv": "dot"}
PRINTED = {
    ".pdf": "write .svg and print it from a browser, or `rsvg-convert -f pdf`, or write .tex and run lualatex",
    ".png": "write .svg and convert it, for example with `rsvg-convert -o tree.png tree.svg`",
}
"""What to do for formats that need more than Dodona has."""


def format_option(forms: Iterable[str], default: str, help: str = "") -> Decorator:
    """The option --format. `choose_format` fills in what it is without the option."""
    offered = list(forms)
    help = f"{help} " if help else ""
    text = f"Output format. {help}[default: as the name of the output ends; {default}]"
    return option("--format", text, name="form", type=click.Choice(offered))


def output_option(help: str = "Where to write; the name says the format.", **settings: Any) -> Decorator:
    """The option -o, which has this meaning in every command."""
    settings = {"name": "target", "default": "-"} | settings
    return option("-o, --output FILE", f"{help} [default: standard output]", **settings)


def choose_format(target: str, form: str | None, offered: Iterable[str], default: str, option: str = "-o") -> str:
    """Return the format of an output: `form` if it is given, or what the name says. A name without an ending, a
    standard stream and a folder have the default."""
    ending = os.path.splitext(bare_name(os.path.basename(target)))[1].lower()
    if form is not None or not ending or open_handle(target) is not None or os.path.isdir(target):
        return form or default
    forms = list(offered)
    for known in forms:
        if ending in (EXTENSIONS[known], *(other for other, of in OTHER_ENDINGS.items() if of == known)):
            return known
    endings = ", ".join(dict.fromkeys(EXTENSIONS[known] for known in forms))
    hint = f" ({PRINTED[ending]})" if ending in PRINTED and "svg" in forms else ""
    other = ", or --format" if option == "-o" else ""
    raise OptionError(f"{option} {target}: no output ends with {ending!r} here; expected one of {endings}{other}{hint}")


def pick_writer(form: str) -> Callable[[Iterable[Item], str], None]:
    """Return what writes sentences in one of SENTENCE_FORMATS."""
    if form == "conllu":
        return write  # those that came as CoNLL-X stay so
    if form == "conllx":
        return partial(write, format=form)
    from dodona.cli.formats import WRITERS  # which needs longer to import than a sentence to parse

    return WRITERS[form]


def write_text(text: str, target: str) -> None:
    """Write a text to a file or stream, whole or not at all."""
    with open_output(target) as stream:
        stream.write(text.encode())


@contextmanager
def open_screen(target: str, width: int = 120) -> "Iterator[Console]":
    """Yield what tables are printed to: standard output, or a file, which is written when it is complete."""
    from dodona.tables import open_console

    if target == "-":
        yield open_console(width)
        return
    text = StringIO()
    yield open_console(width, text)
    write_text(text.getvalue(), target)


def write_results(results: "Sequence[Result]", form: str, target: str, title: str) -> None:
    """Write tables about files in one of the formats of `dodona.tables`; a page has a title."""
    from dodona.tables import format_results, show_results

    if form == "table":
        with open_screen(target) as console:
            show_results(results, console)
        return
    _write_form(format_results(results, form), form, target, title)


def write_table(table: "Table", form: str, target: str) -> None:
    """Write one table in one of the formats of `dodona.tables`."""
    if form == "table":
        with open_screen(target) as console:
            table.print(console)
        return
    _write_form(getattr(table, form)(), form, target, table.title)


def _write_form(text: str, form: str, target: str, title: str) -> None:
    """Write tables in a format; those of HTML become a page."""
    if form == "html":
        from dodona.drawing.dependencies import HTML_END, html_head

        text = html_head(title) + text + HTML_END
    write_text(text, target)


def check_targets(files: Sequence[str | None], output: str, each: bool, form: str, model: Path) -> list[str]:
    """Return the names of the outputs: one, or with `each` one for each input. An input that is no file is None.

    Whatever cannot work, or would lose data, is an error here, before any work.
    """
    is_folder = output.endswith(os.sep) or os.path.isdir(output)
    if each:
        targets = _name_targets(files, output, is_folder, form)
    elif is_folder:
        raise OptionError(f"-o {output}: this is a folder; expected a file, or --each for one output for each input")
    else:
        targets = [output]
    for target in targets:
        check_keeps(target, {"model": [model]}, "the parses")
        _check_no_loop(target, files)
    return targets


def _name_targets(files: Sequence[str | None], folder: str, is_folder: bool, form: str) -> list[str]:
    if not is_folder or not os.path.isdir(folder):
        shown = "standard output" if folder == "-" else folder
        raise OptionError(f"--each writes into a folder; expected -o with a folder that exists, not {shown}")
    named: dict[str, str] = {}
    for file in files:
        if file is None or file == "-":
            raise OptionError("--each gives outputs the names of the inputs; expected files only")
        name = os.path.basename(file)
        bare = bare_name(name)  # the last extension is replaced, and that of compression stays
        target = os.path.join(folder, os.path.splitext(bare)[0] + EXTENSIONS[form] + name[len(bare) :])
        if target in named:
            raise OptionError(f"{target}: {named[target]} and {file} would both be written to it; expected other names")
        named[target] = file
    return list(named)


def _check_no_loop(target: str, files: Sequence[str | None]) -> None:
    """An open file that is read and written to at the same time (`dodona parse a >> a`) would never end."""
    handle = open_handle(target)
    if handle is None:
        return  # a file is replaced only when it is complete
    try:
        ours = os.fstat(handle)
    except OSError:
        return  # closed: an error later
    for file in files:
        if stat.S_ISREG(ours.st_mode) and file is not None and _is_same(file, ours):
            shown = "standard input" if file == "-" else file
            raise OptionError(f"{shown}: both the input and the output; expected -o with the name of a file")


def _is_same(file: str, ours: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(0) if file == "-" else os.stat(file), ours)
    except OSError:
        return False


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Return whether two names are those of one file, so that an output would take the place of an input."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def check_keeps(target: str, sources: Mapping[str, Iterable[str | Path | None]], own: str = "the output") -> None:
    """Raise an error if an output, called `own`, would take the place of one of these files, which are given by what
    they are: nothing that is read or learned from is lost by mistake."""
    for what, files in sources.items():
        for file in files:
            if target != "-" and file and is_same_file(target, file):
                raise OptionError(f"{target}: {own} would take the place of the {what}; expected another name")


def write_each(items: Iterable[Item], targets: Sequence[str], write: Callable[[Iterable[Item], str], None]) -> None:
    """Write the items up to each boundary to a target of their own. Each appears when it is complete."""
    rest = iter(items)
    for target in targets:
        write(takewhile(lambda item: not isinstance(item, Boundary), rest), target)
    for _ in rest:  # so that whatever yields them ends in good order
        pass


def report_pieces(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items, and say at the end how many of the sentences were parsed in pieces."""
    count = 0
    for item in items:
        if isinstance(item, Sentence):
            count += any(comment.startswith(IN_PIECES) for comment in item.comments)
        yield item
    if count:
        which = "1 sentence was" if count == 1 else f"{count} sentences were"
        say(f"{which} parsed in pieces, because of length or time; see the comment {IN_PIECES[:-3]!r}")


def say(message: str) -> None:
    """Print a message on standard error, like an error."""
    click.echo(f"dodona: {message}", err=True)
