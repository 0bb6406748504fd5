"""`dodona search`: sentences whose trees match a pattern, marked, drawn or counted."""

import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice

import click

from dodona.cli.inputs import find_treebank_files
from dodona.cli.options import choice, integer, option
from dodona.cli.outputs import check_keeps, choose_format, format_option, output_option, say, write_table
from dodona.cli.progress import ReadingProgress
from dodona.data import Sentence, write
from dodona.data.files import chunks
from dodona.data.formats import INPUTS, read_stream
from dodona.data.stream import Item, Mark
from dodona.errors import FormatError
from dodona.patterns.matcher import Pattern
from dodona.patterns.matches import Match, check_keys, mark, match, tabulate

MARKED = ("conllu", "jsonl", "tree", "svg", "html", "tikz")
"""The formats of sentences with their matches."""
COUNTED = ("table", "csv", "json", "tsv", "markdown")
"""The formats of counts."""

Searched = tuple[Sentence, list[Match]]
"""A sentence that is shown, with its matches; one of the context has none."""


@click.command(short_help="Find trees that match a pattern of Grew's language.")
@click.argument("pattern", metavar="PATTERN")
@click.argument("files", nargs=-1, metavar="[FILES|FOLDERS|-]")
@output_option()
@format_option(
    (*MARKED, *COUNTED),
    "conllu, or with --count a table",
    "conllu: sentences with comments `# match = V:3 S:2`; jsonl: a JSON object a line; tree, svg, html, tikz: a "
    "drawing of each match. With --count: table, csv, json, tsv or markdown.",
)
@option(
    "--count KEY…",
    "Count matches by V.lemma, S.upos, e.label, e.length, or `file`; several keys count combinations.",
    name="keys",
    multiple=True,
)
@integer("--context", "Show this many sentences before and after each match, too.", least=0, default=0)
@integer("--limit", "Stop after this many matches.")
@option("--model MODEL", "Parse raw text, and what CoNLL-U leaves open, with this model (`dodona models`).")
@choice(
    "--input",
    "The format of FILES, as of `dodona parse`; auto: by the name of the file, or CoNLL-U if it looks like it, or else "
    "text, which needs --model.",
    name="kind",
    values=INPUTS,
)
def search(
    pattern: str, files: tuple[str, ...], target: str, form: str | None, keys: tuple[str, ...], context: int,
    limit: int | None, model: str | None, kind: str,
) -> None:  # fmt: skip
    """Search FILES (CoNLL-U, .gz and .xz too; of a folder all CoNLL-U files below it; `-` or none: standard input) for
    trees that match PATTERN, a request in the language of Grew, or a file with one. docs/search.md describes it.

    \b
    dodona search 'pattern { V [upos=VERB]; V -[nsubj]-> S; V << S }' train.conllu
    dodona search 'pattern { V [lemma="grow"]; V -> S }' treebank/ --format tree
    dodona search 'pattern { V -[obj]-> O }' train.conllu --count V.lemma O.upos
    dodona search 'pattern { e: H -> D }' train.conllu --count e.label -o labels.csv
    dodona search 'pattern { V -[1=nsubj]-> S } without { V -[obj]-> O }' a.conllu
    dodona search 'global { is_not_projective }' train.conllu -o crossing.html
    dodona search 'pattern { N [upos=NOUN, Number=Plur] }' novel.txt --model en
    dodona search wh-questions.req treebanks/ --context 2 -o found.conllu

    Features are compared by `=`, `<>`, `|` and re"…"; Case asks for a value, !Case for none. Two names never stand for
    the same word.
    """
    compiled = Pattern(_read_pattern(pattern))
    keys, files = _split_keys(keys, files, compiled)
    check_keys(compiled, keys)
    form = _choose_format(form, target, counts=bool(keys))
    sources = find_treebank_files(files or ("-",))
    check_keeps(target, {"input": sources})
    with ReadingProgress(sources, results=target == "-") as progress:
        items = progress.count(_read(sources, kind, model, progress))
        found = _Finder(compiled, context, limit)
        if keys:
            matches = (each for item in found.find(items) if not isinstance(item, Mark) for each in item[1])
            write_table(tabulate(keys, Counter(each.values(keys) for each in matches)), form, target)
        else:
            _pick_writer(form)(found.find(items), target)
    found.report()


def _read_pattern(given: str) -> str:
    """Return a pattern, or what is in the file of this name; a pattern has braces."""
    if "{" in given or not os.path.isfile(given):
        return given
    data = b"".join(islice(chunks(given), 2))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{given}: not UTF-8; expected a pattern as text") from None


def _split_keys(keys: Sequence[str], files: Sequence[str], pattern: Pattern) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all keys, and the files. In `--count V.lemma S.upos` the second key comes in the place of a file: it is a
    key if it begins with a name of the pattern, and there is no such file."""
    more = [file for file in files if keys and file.partition(".")[0] in pattern.slots and not os.path.exists(file)]
    listed = [key for given in keys for key in given.replace(",", " ").split()]
    return (*listed, *more), tuple(file for file in files if file not in more)


def _choose_format(form: str | None, target: str, counts: bool) -> str:
    offered = COUNTED if counts else MARKED
    form = choose_format(target, form, offered, offered[0])
    if form not in offered:
        raise click.UsageError(f"--format {form} goes {'without' if counts else 'with'} --count.")
    return form


def _read(sources: Sequence[str], kind: str, model: str | None, progress: ReadingProgress) -> Iterator[Item]:
    """Yield the sentences of all sources, and the pauses between them."""
    live = ((file, progress.read_live(file)) for file in sources)
    if model is None:
        items = (read_stream(kind, chunks, file, tokenize=partial(_refuse, file)) for file, chunks in live)
        return chain.from_iterable(items)
    from dodona.parser.request import Request  # which takes longer to import than most searches
    from dodona.pipeline.models import load

    pipeline = load(model)
    items = (read_stream(kind, chunks, file, tokenize=pipeline.tokenize) for file, chunks in live)
    return pipeline.stream(chain.from_iterable(items), Request(constrained=True))


def _refuse(file: str, text: Iterator[str]) -> Iterator[Item]:
    raise FormatError(f"{file}: not CoNLL-U; expected --model for a text, or --input")


class _Finder:
    """The sentences with matches, those around them, and how many there were."""

    def __init__(self, pattern: Pattern, context: int, limit: int | None) -> None:
        self.pattern, self.context, self.limit = pattern, context, limit
        self.sentences = self.matching = self.matches = 0

    def find(self, items: Iterable[Item]) -> Iterator[Searched | Mark]:
        before: deque[Sentence] = deque(maxlen=self.context or 1)
        file, after = "", 0  # how many sentences are still shown after a match
        for item in items:
            if not isinstance(item, Sentence):
                yield item
                continue
            if item.file != file:
                file, after = item.file, 0
                before.clear()
            self.sentences += 1
            matches = [] if self.is_full else match(self.pattern, item)
            if self.limit is not None:
                del matches[self.limit - self.matches :]
            if matches:
                self.matching += 1
                self.matches += len(matches)
                yield from ((sentence, []) for sentence in before if self.context)
                before.clear()
                after = self.context
                yield item, matches
            elif after:
                after -= 1
                yield item, []
            elif self.context:
                before.append(item)
            if self.is_full and not after:
                return

    @property
    def is_full(self) -> bool:
        return self.limit is not None and self.matches >= self.limit

    def report(self) -> None:
        """Say how much was found."""
        end = "; stopped there (--limit)" if self.is_full else ""
        matches = "1 match" if self.matches == 1 else f"{self.matches:,} matches"
        say(f"{matches} in {self.matching:,} of {self.sentences:,} sentences{end}")


def _pick_writer(form: str) -> Callable[[Iterable[Searched | Mark], str], None]:
    if form == "conllu":
        return _write_conllu
    if form == "jsonl":
        return _write_jsonl
    return partial(_draw, form)


def _write_conllu(found: Iterable[Searched | Mark], target: str) -> None:
    write((item if isinstance(item, Mark) else mark(*item) if item[1] else item[0] for item in found), target)


def _write_jsonl(found: Iterable[Searched | Mark], target: str) -> None:
    """Write sentences as `dodona parse` does, with the matches of each."""
    from dodona.cli.formats import write_items

    def line(item: Searched, _: int) -> str:
        fields = {**item[0].to_dict(), "matches": [each.to_dict() for each in item[1]]}
        return json.dumps(fields, ensure_ascii=False) + "\n"

    write_items(found, target, line)


def _draw(form: str, found: Iterable[Searched | Mark], target: str) -> None:
    """Draw a sentence once for each match."""
    from dodona.cli.formats import WRITERS
    from dodona.drawing.picture import MarkedSentence

    def drawings() -> Iterator[Sentence | MarkedSentence | Mark]:
        for item in found:
            if isinstance(item, Mark):
                yield item
            elif not item[1]:
                yield item[0]
            else:
                yield from (MarkedSentence(item[0], each.words(), each.arcs()) for each in item[1])

    WRITERS[form](drawings(), target)
