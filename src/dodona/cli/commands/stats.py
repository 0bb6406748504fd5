"""`dodona stats`: what is in a treebank, side by side with others."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import click

from dodona.cli.options import flag, integer, option
from dodona.cli.outputs import choose_format, format_option, open_screen, output_option, write_results, write_table
from dodona.cli.progress import ReadingProgress
from dodona.data.files import bare_name
from dodona.data.statistics import TABLES, TreebankCounts, UnknownWords, statistics_tables
from dodona.errors import FormatError
from dodona.research.swaps import describe_treebank
from dodona.tables import FOR_PEOPLE, FORMATS, Result, Table

SWAP_COLUMNS = (
    "file", "sentences", "words", "projective\n%", "non-proj.\narcs %", "EAGER\nswaps", "LAZY\nsaves %",
    "MINIMAL\nsaves %", "MINIMAL\ngave up", "unique\n%", "labels", "mean\nlength", "longest",
)  # fmt: skip
PART = re.compile(r"(?P<treebank>.*?)(?P<part>train|dev|test)", re.IGNORECASE)
WIDTH = 200  # of tables in a file or a pipe


@dataclass(frozen=True)
class CountedFiles:
    """What is counted together: a file, or the parts of a treebank in a folder."""

    name: str
    parts: dict[str, tuple[str, ...]]  # "" for a file on its own

    @property
    def files(self) -> list[str]:
        return [file for files in self.parts.values() for file in files]


@click.command(short_help="Show what is in a treebank: words, tags, relations, trees, word order.")
@click.argument("files", nargs=-1, required=True, metavar="FILES|FOLDERS|-")
@option(
    "-t, --table", f"Only this table: {', '.join(TABLES)}; repeatable.", name="names", multiple=True,
    type=click.Choice(list(TABLES)),
)  # fmt: skip
@option("--train FILE", "Count the words of the others that this file does not have.", name="training")
@integer("--most", "How many ambiguous forms people see; other programs get all. [default: 20]")
@flag("--swaps", "Instead: non-projectivity and swaps, Table 1 of Björkelund and Nivre (2015); FILES only.")
@output_option()
@format_option(FORMATS, "table")
def stats(
    files: tuple[str, ...], names: tuple[str, ...], training: str | None, most: int | None, swaps: bool, target: str,
    form: str | None,
) -> None:  # fmt: skip
    """Count what is in treebanks, side by side: FILES (CoNLL-U, .gz and .xz too, `-` for standard input) or FOLDERS
    with the parts train, dev and test, each one treebank; a folder of such folders is several.

    \b
    dodona stats treebank.conllu
    dodona stats train.conllu dev.conllu test.conllu   # with the words that are not in train.conllu
    dodona stats UD_English-EWT UD_Swedish-LinES -t summary -t order
    dodona stats treebanks/ -t relations -o relations.csv
    dodona stats treebank.conllu -o treebank.md
    dodona stats treebanks/*/train.conllu --swaps

    Forms are counted as they are written. The depth of a tree is the number of words on the longest path from a root
    word. A file whose name says `train` is what the unknown words of dev and test are counted by. CSV and TSV of one
    table are that table; of several, they have a line for each number.

    With --swaps, one row a file: the swaps of swap-standard's oracles under EAGER, and how many of them LAZY and
    MINIMAL save (where the search of MINIMAL takes too long, the swaps of LAZY are counted); unique: sentences with one
    derivation only under ND-ALL. The time grows with the number of swaps, so a sentence with more than 20,000 pairs of
    words that are not in projective order, or with more than 10,000 words, is an error.
    """
    form = choose_format(target, form, FORMATS, "table")
    if swaps:
        if names or training is not None or most is not None:
            raise click.UsageError("--swaps is a table of its own; expected no --table, --train or --most.")
        _write_swaps(files, form, target)
        return
    columns = list(_find_columns(files))
    if training is not None:
        columns = [CountedFiles("", {"": (training,)}), *columns]
    with ReadingProgress([file for column in columns for file in column.files], results=False) as progress:
        counted = [_count(column, progress) for column in columns]
    _find_unknown(counted, columns, None if training is None else counted[0].forms)
    treebanks = counted if training is None else counted[1:]
    shown = (most or 20) if form in FOR_PEOPLE else most
    tables = statistics_tables(treebanks, names or None, shown)
    if form == "table":
        _write_tables(tables, target)
    elif form in ("csv", "tsv") and len(tables) == 1:
        write_table(tables[0], form, target)
    else:
        kept = [table for table in tables if table.rows or form not in FOR_PEOPLE]
        write_results([Result([each.name for each in treebanks], kept)], form, target, "Statistics")


def _find_columns(sources: Sequence[str]) -> Iterator[CountedFiles]:
    """What each file and folder is called in a table, and where its parts are."""
    from dodona.experiments.treebanks import find_parts, find_treebanks  # which needs numpy

    files = _shorten([source for source in sources if not os.path.isdir(source)])
    for source in sources:
        if not os.path.isdir(source):
            name = files.pop(0)
            yield CountedFiles(name if source == "-" else bare_name(name).removesuffix(".conllu"), {"": (source,)})
        elif any((parts := find_parts(source)).values()):
            yield CountedFiles(os.path.basename(os.path.abspath(source)), parts)
        else:
            for treebank in find_treebanks(source):
                yield CountedFiles(treebank.name, {part: treebank.files(part) for part in parts})


def _shorten(files: list[str]) -> list[str]:
    """The files' names without the folder they have in common."""
    if len(files) == 1 or len({os.path.isabs(file) for file in files}) == 2:
        return files
    shared = os.path.commonpath([os.path.dirname(file) for file in files]) if files else ""
    return [os.path.relpath(file, shared or ".") for file in files]


def _count(column: CountedFiles, progress: ReadingProgress) -> TreebankCounts:
    counts = TreebankCounts(column.name)
    before: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for part, files in column.parts.items():
        for file in files:
            for sentence in progress.read_sentences(file):
                counts.add(sentence)
        forms = counts.forms - before
        if part == "train":
            known = forms
        elif part and files and known:
            counts.unknown[part] = UnknownWords(forms, known)
        before = counts.forms
    if not counts.sentences:
        raise FormatError(f"{' '.join(column.files)}: no sentences; expected CoNLL-U with at least one")
    return counts


def _find_unknown(counted: list[TreebankCounts], columns: list[CountedFiles], known: Counter[str] | None) -> None:
    """Count the unknown words of files: by those of a training file, or of the file of the same treebank that says in
    its name that it is one."""
    of_treebank: dict[str, TreebankCounts] = {}
    parts = [_part_of(column) for column in columns]
    for counts, (treebank, part) in zip(counted, parts, strict=True):
        if part == "train":
            of_treebank.setdefault(treebank, counts)
    for counts, column, (treebank, part) in zip(counted, columns, parts, strict=True):
        training = of_treebank.get(treebank)
        forms = known if known is not None else training.forms if training is not None and part != "train" else None
        if forms is not None and list(column.parts) == [""]:
            counts.unknown[""] = UnknownWords(counts.forms, forms)


def _part_of(column: CountedFiles) -> tuple[str, str]:
    """The folder and the beginning of a file's name, and the part of a treebank that the name says."""
    folder, name = os.path.split(column.files[0])
    match = PART.match(name)
    if match is None or list(column.parts) != [""]:
        return "", ""
    return os.path.join(folder, match["treebank"]), match["part"].lower()


def _write_tables(tables: Sequence[Table], target: str) -> None:
    """Print tables, in parts of as many columns as there is room for."""
    with open_screen(target, WIDTH) as console:
        for table in tables:
            first, end = 1, len(table.columns)
            while table.rows and first < end:
                last = end
                while last > first + 1 and not _take(table, first, last).fits(console):
                    last -= 1
                _take(table, first, last).print(console)
                first = last


def _take(table: Table, first: int, last: int) -> Table:
    """The first column and those from `first` to before `last`."""
    align = table.align and table.align[0] + table.align[first:last]
    rows = [(row[0], *row[first:last]) for row in table.rows]
    return replace(table, columns=(table.columns[0], *table.columns[first:last]), rows=rows, align=align)


def _write_swaps(files: tuple[str, ...], form: str, target: str) -> None:
    with ReadingProgress(files, results=False) as progress:
        rows = [describe_treebank(file, progress.read_sentences(file)) for file in files]
    table = Table(list(rows[0]), [list(row.values()) for row in rows], "Swaps")
    if form != "table":
        write_table(table, form, target)
        return
    names = _shorten([str(row["file"]) for row in rows])
    titled = Table(SWAP_COLUMNS, [(name, *row[1:]) for name, row in zip(names, table.rows, strict=True)])
    with open_screen(target, WIDTH) as console:
        (titled if titled.fits(console) else titled.transpose()).print(console)
