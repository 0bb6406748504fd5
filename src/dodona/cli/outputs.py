"""Where parses are written: to one file or stream, or with `--each` to one file in a folder for each input."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path

import click

from dodona.data import Sentence
from dodona.data.files import bare_name, open_handle
from dodona.data.stream import Boundary, Item
from dodona.errors import OptionError
from dodona.parser.request import IN_PIECES

__all__ = ["EXTENSIONS", "check_targets", "is_same_file", "report_pieces", "say", "write_each"]


EXTENSIONS = {
    "conllu": ".conllu", "jsonl": ".jsonl", "tree": ".txt", "svg": ".svg", "html": ".html", "tikz": ".tex",
}  # fmt: skip


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
        if target != "-" and is_same_file(target, model):
            raise OptionError(f"{target}: the parses would take the place of the model; expected another name")
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
