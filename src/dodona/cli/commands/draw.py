"""`dodona draw`: trees that are there already, as text, as pictures, on a page, and for LaTeX; and what is wrong."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from heapq import nsmallest
from itertools import chain

import click

from dodona.cli.formats import WRITERS, first_of, write_html, write_pages, write_svg, write_tikz
from dodona.cli.inputs import make_safe
from dodona.cli.options import flag, integer, option
from dodona.cli.outputs import EXTENSIONS, check_keeps, choose_format, format_option, output_option, say
from dodona.data import read
from dodona.data.files import open_handle
from dodona.drawing.dependencies import Drawable
from dodona.drawing.picture import count_wrong
from dodona.errors import FormatError, OptionError

FORMATS = ("tree", "markdown", "svg", "html", "tikz")
FOLDED = {"svg": write_svg, "html": write_html}
MAX_DIFFERENT = 100
MAX_LETTERS = 100  # of the name of a file


@click.command(short_help="Draw trees as text, SVG, HTML or LaTeX, and errors of a parse.")
@click.argument("files", nargs=-1, metavar="[FILES|-]")
@flag("--diff", "FILES are GOLD and PARSED: draw the sentences that differ, and mark errors.")
@integer("--most", "With --diff: how many sentences, those with the most errors first. [default: 100]")
@format_option(
    FORMATS,
    "svg for a folder; tree",
    "tree: as text; markdown: as text in blocks; svg: a picture; html: a page of pictures; tikz: for LaTeX with "
    "tikz-dependency.",
)
@output_option("Where to write; the name says the format, and a folder gets a file for each sentence.")
@option(
    "-n, --sentence", "Which sentence: its number or sent_id; repeatable. [default: all]", name="wanted", multiple=True
)
@option(
    "--width PIXELS",
    "With svg and html: longer sentences in several lines. [default: one line, which can be scrolled]",
    type=click.FloatRange(100),
)
@integer("--per-page", "With html: sentences on a page; the others go to NAME-2.html, … [default: one page for all]")
@flag("--standalone", "With tikz: write a whole LaTeX document.")
def draw(
    files: tuple[str, ...], diff: bool, most: int | None, form: str | None, target: str, wanted: tuple[str, ...],
    width: float | None, per_page: int | None, standalone: bool,
) -> None:  # fmt: skip
    """Draw the trees of FILES (CoNLL-U or CoNLL-X, `-` or none: standard input).

    With --diff, the gold tree is above the words and wrong arcs of the parsed tree are below them, ✗ with another head
    and ≠ with another relation; as text, both trees are side by side. The sentences with the most errors come first; of
    equally many, the shorter ones.

    \b
    dodona draw treebank.conllu
    dodona draw treebank.conllu -n 7 -o tree.svg
    dodona draw treebank.conllu -o trees.html
    dodona draw treebank.conllu -n 7 -o tree.svg --width 700
    dodona draw treebank.conllu -o trees/              # an SVG file for each sentence
    dodona draw treebank.conllu -o trees.html --per-page 200
    dodona draw --diff gold.conllu parsed.conllu -o errors.html --most 500 --per-page 50
    """
    files = files or ("-",)
    into_folder = target.endswith(os.sep) or os.path.isdir(target)
    form = choose_format(target, form, FORMATS, "svg" if into_folder else "tree")
    if diff and len(files) != 2:
        raise click.UsageError("--diff needs two FILES: GOLD and PARSED.")
    if standalone and form != "tikz":
        raise click.UsageError("--standalone goes with --format tikz.")
    if width is not None and form not in FOLDED:
        raise click.UsageError("--width goes with --format svg and html.")
    if most is not None and not diff:
        raise click.UsageError("--most goes with --diff.")
    if per_page is not None and (form != "html" or into_folder or open_handle(target) is not None):
        raise click.UsageError("--per-page goes with --format html and -o FILE.")
    if files.count("-") > 1:
        raise click.UsageError("Only one file can be '-', standard input.")
    if into_folder and not os.path.isdir(target):
        raise OptionError(f"-o {target}: there is no such folder; expected one that exists")
    check_keeps(target, {"input": files})
    writer = partial(write_tikz, standalone=True) if standalone else WRITERS[form]
    if width is not None:
        writer = partial(FOLDED[form], width=width)
    drawn: Iterable[Drawable]
    if diff:
        from dodona.evaluation.attachment import pair  # which needs numpy

        drawn = _find_worst(_choose(pair(*map(read, files)), wanted, files), most or MAX_DIFFERENT)
    else:
        drawn = _choose(chain.from_iterable(map(read, files)), wanted, files)
    if per_page is not None:
        write_pages(drawn, target, per_page, width)
        return
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


def _find_worst(items: Iterable[Drawable], most: int) -> list[Drawable]:
    """Return the pairs with the most wrong arcs, and tell how many differ. No more than these are kept in memory."""
    counts = Counter[str]()

    def count_errors() -> Iterator[tuple[int, int, int, Drawable]]:
        for number, item in enumerate(items):
            counts["all"] += 1
            errors = count_wrong(*item) if isinstance(item, tuple) else 0
            if errors:
                counts["differ"] += 1
                yield -errors, len(first_of(item)), number, item

    worst = nsmallest(most, count_errors())  # no two have the same number, so sentences are not compared
    shown = f"; the {len(worst)} with the most errors are drawn (--most)" if counts["differ"] > len(worst) else ""
    say(f"{counts['differ']} of {counts['all']} sentences differ{shown}")
    return [item for *_, item in worst]


def _name(items: Iterable[Drawable]) -> Iterator[tuple[str, Drawable]]:
    """Yield sentences with names for files, no two of them the same: of the sent_id, or else a number."""
    taken: set[str] = set()
    for number, item in enumerate(items, start=1):
        name = make_safe(first_of(item).sent_id or "")[:MAX_LETTERS] or str(number)
        if name.casefold() in taken:
            name = f"{name}-{number}"
        taken.add(name.casefold())
        yield name, item
