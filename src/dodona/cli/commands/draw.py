"""`dodona draw`: trees that are there already, as text, as pictures, on a page, and for LaTeX; and what is wrong."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import click

from dodona.cli.formats import WRITERS, first_of, write_html, write_svg, write_tikz
from dodona.cli.inputs import make_safe
from dodona.cli.options import flag, option
from dodona.cli.outputs import EXTENSIONS, is_same_file, say
from dodona.data import read
from dodona.data.files import bare_name
from dodona.drawing.dependencies import Drawable
from dodona.drawing.picture import differs
from dodona.errors import FormatError, OptionError

FORMATS = ("tree", "svg", "html", "tikz")
FOLDED = {"svg": write_svg, "html": write_html}
MAX_LETTERS = 100  # of the name of a file


@click.command(short_help="Draw trees as text, SVG, HTML or LaTeX, and errors of a parse.")
@click.argument("files", nargs=-1, metavar="[FILES|-]")
@flag("--diff", "FILES are GOLD and PARSED: draw the sentences that differ, and mark errors.")
@option(
    "--format",
    "tree: as text; svg: a picture; html: a page of pictures; tikz: for LaTeX with tikz-dependency. [default: as "
    "the name of the output ends (.txt, .svg, .html, .tex); svg for a folder; tree]",
    name="form",
    type=click.Choice(FORMATS),
)
@option(
    "-o, --output FILE|FOLDER/",
    "Where to write; a folder gets a file for each sentence. [default: standard output]",
    name="target",
    default="-",
)
@option(
    "-n, --sentence", "Which sentence: its number or sent_id; repeatable. [default: all]", name="wanted", multiple=True
)
@option(
    "--width PIXELS",
    "With svg and html: longer sentences in several lines. [default: one line, which can be scrolled]",
    type=click.FloatRange(100),
)
@flag("--standalone", "With tikz: write a whole LaTeX document.")
def draw(
    files: tuple[str, ...], diff: bool, form: str | None, target: str, wanted: tuple[str, ...], width: float | None,
    standalone: bool,
) -> None:  # fmt: skip
    """Draw the trees of FILES (CoNLL-U or CoNLL-X, `-` or none: standard input).

    With --diff, the gold tree is above the words and wrong arcs of the parsed tree are below them, ✗ with another head
    and ≠ with another relation; as text, both trees are side by side.

    \b
    dodona draw treebank.conllu
    dodona draw treebank.conllu -n 7 -o tree.svg
    dodona draw treebank.conllu -o trees.html
    dodona draw treebank.conllu -n 7 -o tree.svg --width 700
    dodona draw treebank.conllu -o trees/              # an SVG file for each sentence
    dodona draw --diff gold.conllu parsed.conllu -o errors.html
    """
    files = files or ("-",)
    into_folder = target.endswith(os.sep) or os.path.isdir(target)
    extension = ".svg" if into_folder else os.path.splitext(bare_name(target))[1]
    form = form or next((form for form in FORMATS if EXTENSIONS[form] == extension), "tree")
    if diff and len(files) != 2:
        raise click.UsageError("--diff needs two FILES: GOLD and PARSED.")
    if standalone and form != "tikz":
        raise click.UsageError("--standalone goes with --format tikz.")
    if width is not None and form not in FOLDED:
        raise click.UsageError("--width goes with --format svg and html.")
    if files.count("-") > 1:
        raise click.UsageError("Only one file can be '-', standard input.")
    if into_folder and not os.path.isdir(target):
        raise OptionError(f"-o {target}: there is no such folder; expected one that exists")
    for file in files:
        if target != "-" and is_same_file(file, target):
            raise OptionError(f"{target}: the output would take the place of the input; expected another name")
    writer = partial(write_tikz, standalone=True) if standalone else WRITERS[form]
    if width is not None:
        writer = partial(FOLDED[form], width=width)
    if diff:
        from dodona.evaluation.attachment import pair  # which needs numpy

        drawn = _keep_differing(_choose(pair(*map(read, files)), wanted, files))
    else:
        drawn = _choose(chain.from_iterable(map(read, files)), wanted, files)
    if not into_folder:
        writer(drawn, target)
        return
    for name, item in _name(drawn):
        writer([item], os.path.join(target, name + EXTENSIONS[form]))


def _choose(items: Iterable[Drawable], wanted: Sequence[str], files: Sequence[str]) -> Iterator[Drawable]:
    """Yield the sentences of these numbers or names, or all; one that is not there is an error."""
    missing = set(wanted)
    count = 0
    for count, item in enumerate(items, start=1):
        names = {str(count), first_of(item).sent_id}.intersection(wanted)
        missing -= names
        if names or not wanted:
            yield item
    if count == 0:
        raise FormatError(f"{' '.join(files)}: no sentences; expected CoNLL-U with at least one")
    if missing:
        listed = ", ".join(map(repr, sorted(missing)))
        raise OptionError(f"no sentence {listed}; expected numbers from 1 to {count}, or a sent_id")


def _keep_differing(items: Iterable[Drawable]) -> Iterator[Drawable]:
    """Yield the pairs that differ, and tell at the end how many these are."""
    total = different = 0
    for item in items:
        total += 1
        if isinstance(item, tuple) and differs(*item):
            different += 1
            yield item
    say(f"{different} of {total} sentences differ")


def _name(items: Iterable[Drawable]) -> Iterator[tuple[str, Drawable]]:
    """Yield sentences with names for files, no two of them the same: of the sent_id, or else a number."""
    taken: set[str] = set()
    for number, item in enumerate(items, start=1):
        name = make_safe(first_of(item).sent_id or "")[:MAX_LETTERS] or str(number)
        if name.casefold() in taken:
            name = f"{name}-{number}"
        taken.add(name.casefold())
        yield name, item
