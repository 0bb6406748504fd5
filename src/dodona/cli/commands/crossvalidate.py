"""`dodona crossvalidate`: scores with their spread over folds, and arcs that may be annotation errors."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from dodona.annotation.suspects import Suspect, find_suspects
from dodona.cli.commands.train import GROUPS, component_names, options_of, parser_options, train_command
from dodona.cli.options import GroupedCommand, choice, integer, option
from dodona.cli.outputs import (
    SENTENCE_FORMATS,
    check_keeps,
    choose_format,
    pick_writer,
    write_results,
    write_table,
    write_text,
)
from dodona.cli.progress import open_bar
from dodona.data import Sentence, write
from dodona.data.conllu import read_all
from dodona.data.trees import find_cycle
from dodona.drawing.dependencies import HTML_END, html_head, html_section
from dodona.drawing.trees import draw_both
from dodona.errors import OptionError
from dodona.evaluation.significance import SCORES, find_unpredicted, scores_of, spread
from dodona.parser.options import ParserOptions
from dodona.pipeline.crossvalidation import SPLITS, assign_folds, cross_validate
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS
from dodona.pipeline.pretraining import load_encoder
from dodona.pipeline.processes import available_cores
from dodona.pipeline.training import TrainingPlan, TrainingProgress
from dodona.tables import FORMATS, Result, Table, escape_xml, make_printable

TRAINED = [name for name in COMPONENTS if name != "tokenizer"]  # the words are those of the treebank
WIDTH = 160  # of two trees beside each other
SUSPECT_FORMATS = ("conllu", *FORMATS)
BAR = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
OWN = ("output", "suspects_file", "most", "seeds", "folds", "split", "jobs", "form")
WITHOUT = (  # of train
    *(*OWN, "components", "treebank", "dev", "patience", "detokenize", "resume", "name", "licence"),
    *("silver", "silver_words", "held_out", "text"),
)
SHARED = [option for option in train_command.params if option.name not in WITHOUT]
Scores = dict[str, float | None]
TITLES = {"Options": OWN, "Training": GROUPS["Options"]}
TITLES |= {title: names for title, names in GROUPS.items() if title != "Options"}


@click.command(
    "crossvalidate",
    short_help="Train and score on folds of a treebank; find suspicious arcs.",
    cls=GroupedCommand,
    groups=TITLES,
    params=SHARED,
)
@click.argument("treebank")
@option("-o, --output FILE", "Where to write the parsed treebank, in its own order.")
@option(
    "--suspects FILE",
    "Where to list arcs that may be annotation errors, the most probable ones first: .txt, with both trees; .html, "
    "with pictures; .conllu, with comments; .csv, .tsv, .json, .md or .tex. More parsers are trained for them.",
    name="suspects_file",
)
@integer("--most", "Number of suspects.", default=100)
@integer("--seeds", "Number of parsers that judge each arc, for --suspects.", default=3)
@integer("--folds", "Number of folds.", default=10, least=2)
@choice(
    "--split",
    "Folds of sentences that follow each other, of every N-th sentence, or by chance (--seed).",
    values=SPLITS,
)
@option(
    "--components LIST",
    f"What to train, separated by commas: {', '.join(TRAINED)}. [default: all that the treebank has data for]",
)
@integer("-j, --jobs", "Number of processes. [default: one for each core]")
@choice("--format", "Output format of the scores.", name="form", values=FORMATS)
def crossvalidate(
    treebank: str, output: str | None, suspects_file: str | None, most: int, seeds: int, folds: int, split: str,
    jobs: int | None, form: str, components: str | None, pretrained: str | None, **options: Any
) -> None:  # fmt: skip
    """Train on all folds of TREEBANK (CoNLL-U with gold trees) but one, parse that one, and so on for each; print the
    scores with their spread.

    \b
    dodona crossvalidate treebank.conllu
    dodona crossvalidate treebank.conllu --folds 5 --system swap-standard --format json
    dodona crossvalidate treebank.conllu -o parsed.conllu --suspects suspects.html --most 500
    """
    begun_from = load_encoder(pretrained) if pretrained is not None else None
    chosen = parser_options(options, begun_from)
    _check_targets(treebank, output, suspects_file)
    named = component_names(components)
    if named is not None and "tokenizer" in named:
        raise OptionError("components with 'tokenizer': expected others, because the words are those of the treebank")
    plan = TrainingPlan(components=named, pretrained=begun_from, **options_of(TrainingPlan, options))
    sentences = read_all(treebank)
    numbers = assign_folds(len(sentences), folds, split, chosen.seed)
    predicted = () if plan.tags == "gold" else _list_predicted(named)
    without = find_unpredicted(sentences, predicted)
    jobs = jobs or available_cores()
    parsed, scores = _run(sentences, chosen, plan, numbers, jobs, without)
    if output is not None:
        pick_writer(choose_format(output, None, SENTENCE_FORMATS, "conllu"))(parsed, output)
    if suspects_file is not None:
        _write_suspects(suspects_file, sentences, _find_suspects(sentences, chosen, plan, seeds, jobs, folds)[:most])
    whole = scores_of(sentences, parsed, without)
    rows = [(str(i), *each.values()) for i, each in enumerate(scores, start=1)]
    table = Table(("", *scores[0]), rows, "Folds", "folds")
    write_results([Result([treebank], [table, _spread_table(scores, whole)])], form, "-", "Cross-validation")


def _check_targets(treebank: str, output: str | None, suspects: str | None) -> None:
    """An error now, rather than after training."""
    given = [path for path in (output, suspects) if path is not None]
    if output is not None:
        choose_format(output, None, SENTENCE_FORMATS, "conllu")
    if suspects is not None:
        choose_format(suspects, None, SUSPECT_FORMATS, "table", "--suspects")
    for path in given:
        if path == "-":
            raise click.UsageError("The scores go to standard output; expected a FILE for the rest.")
        check_target(path)
        check_keeps(path, {"treebank": [treebank]}, "it")
    if len({os.path.realpath(path) for path in given}) < len(given):
        raise OptionError(f"{given[0]}: the parses and the suspects have the same name; expected two names")


def _list_predicted(components: list[str] | None) -> list[str]:
    """The columns that are predicted, where there is data for them."""
    columns = {"tagger": ["upos", "xpos", "feats"], "lemmatizer": ["lemmas"]}
    return [name for part, names in columns.items() if components is None or part in components for name in names]


def _run(
    sentences: list[Sentence], options: ParserOptions, plan: TrainingPlan, numbers: list[int], jobs: int,
    without: set[str],
) -> tuple[list[Sentence], list[Scores]]:  # fmt: skip
    """All sentences parsed, and the scores of each fold; with a bar on a terminal and a line after each fold."""
    parsed = list(sentences)
    scores: list[Scores] = []
    with open_bar(*BAR) as bar:
        folds = max(numbers) + 1
        task = bar.add_task("training", total=folds)

        def show(progress: TrainingProgress) -> None:
            shown = f" {progress.iteration}/{progress.iterations}" if progress.iteration else ""
            bar.update(task, description=f"{progress.component}{shown}")

        for fold in cross_validate(sentences, options, plan, numbers, jobs, show):
            gold = [sentences[i] for i in fold.places]
            scores.append(
                {"sentences": len(gold), "words": sum(map(len, gold))} | scores_of(gold, fold.sentences, without)
            )
            for i, sentence in zip(fold.places, fold.sentences, strict=True):
                parsed[i] = sentence
            counted = ((name, scores[-1][name]) for name in ("UPOS", "UAS", "LAS"))
            listed = ", ".join(f"{name} {score:.2f}" for name, score in counted if score is not None)
            bar.console.print(f"fold {fold.number + 1}/{folds}: {len(gold)} sentences, {listed}")
            bar.update(task, completed=len(scores))
    return parsed, scores


def _find_suspects(
    sentences: list[Sentence], options: ParserOptions, plan: TrainingPlan, seeds: int, jobs: int, folds: int
) -> list[Suspect]:
    with open_bar(*BAR) as bar:
        task = bar.add_task(f"suspects: {seeds} parsers for each of {folds} folds", total=seeds * folds)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return find_suspects(sentences, options, plan, seeds, jobs, show, folds)


def _spread_table(scores: list[Scores], whole: Scores) -> Table:
    columns = ("", "mean", "standard deviation", "least", "greatest", "all sentences")
    rows = []
    for name in SCORES:
        over = spread(each[name] for each in scores)
        rows.append((name, *(astuple(over) if over is not None else (None,) * 4), whole[name]))
    return Table(columns, rows, f"Cross-validation, {len(scores)} folds", "cross-validation")


def _write_suspects(path: str, gold: Sequence[Sentence], suspects: Sequence[Suspect]) -> None:
    """Write them in the format that the name of the file says: as a table, or sentence by sentence with their trees."""
    form = choose_format(path, None, SUSPECT_FORMATS, "table")
    of_sentence: dict[int, list[Suspect]] = {}  # in the order of their most suspicious words
    for each in suspects:
        of_sentence.setdefault(each.sentence, []).append(each)
    if form == "conllu":
        write([_comment(gold[i], some) for i, some in of_sentence.items()], path)
    elif form == "html":
        sections = [_draw_section(gold[i], i, some) for i, some in of_sentence.items()]
        write_text("".join([html_head("Suspicious arcs"), *sections, HTML_END]), path)
    elif form == "table":
        lines = (line for i, some in of_sentence.items() for line in _draw_suspects(gold[i], i, some))
        write_text("".join(f"{line}\n" for line in lines), path)
    else:
        write_table(_suspects_table(gold, suspects), form, path)


def _suspects_table(gold: Sequence[Sentence], suspects: Sequence[Suspect]) -> Table:
    columns = (
        "probability", "kind", "sentence", "sent_id", "line", "word", "form", "annotated_head", "annotated_head_form",
        "annotated_label", "other_head", "other_head_form", "other_label", "reasons", "text", "annotated_tree",
    )  # fmt: skip
    rows = []
    for each in suspects:
        sentence, head = gold[each.sentence], gold[each.sentence].heads[each.word - 1] or 0
        tree = " ".join(map("{}:{}".format, sentence.heads, sentence.labels))
        rows.append((
            each.probability, each.kind, each.sentence + 1, sentence.sent_id, sentence.word_line(each.word), each.word,
            _form(sentence, each.word), head, _form(sentence, head), sentence.labels[each.word - 1], each.head,
            _form(sentence, each.head), each.label, "; ".join(each.reasons),
            sentence.text or " ".join(sentence.surface()), tree,
        ))  # fmt: skip
    align = "".join("r" if isinstance(value, (int, float)) else "l" for value in rows[0]) if rows else ""
    return Table(columns, rows, "Suspicious arcs", decimals=4, align=align)


def _form(sentence: Sentence, k: int) -> str:
    return sentence.words[k - 1] if k else "ROOT"


def _comment(sentence: Sentence, suspects: Sequence[Suspect]) -> Sentence:
    """Return a copy of the sentence with a comment for each suspect."""
    copy = sentence.copy()
    notes = [make_printable(f"# suspect = {_describe(sentence, each)}") for each in suspects]
    copy.set_comments([*sentence.comments, *notes])
    return copy


def _draw_section(sentence: Sentence, i: int, suspects: Sequence[Suspect]) -> str:
    """Return a part of a page: the picture of the annotated tree, with the other arcs below the words, and a list."""
    items = "".join(f"<li><bdi>{escape_xml(_describe(sentence, each))}</bdi></li>\n" for each in suspects)
    return f"{html_section((sentence, _change(sentence, suspects)), i + 1)}<ul>\n{items}</ul>\n"


def _draw_suspects(sentence: Sentence, i: int, suspects: Sequence[Suspect]) -> Iterator[str]:
    """A sentence with all its suspects, and both trees."""
    name = f" ({sentence.sent_id})" if sentence.sent_id else ""
    yield make_printable(f"{sentence.file}:{sentence.line}: sentence {i + 1}{name}")
    for each in suspects:
        yield make_printable(_describe(sentence, each))
    yield from (line for line, _ in draw_both(sentence, _change(sentence, suspects), WIDTH, ("annotated", "other")))
    yield ""


def _change(sentence: Sentence, suspects: Sequence[Suspect]) -> Sentence:
    """Return the sentence with the other arcs of its suspects, as far as a tree remains."""
    copy = sentence.copy()
    heads, labels = sentence.gold_heads(), list(sentence.labels)
    for each in suspects:
        changed = [*heads[: each.word - 1], each.head, *heads[each.word :]]
        if 0 in changed and find_cycle(changed) is None:
            heads, labels[each.word - 1] = changed, each.label
    copy.set_tree(heads, labels)
    return copy


def _describe(sentence: Sentence, each: Suspect) -> str:
    annotated = sentence.heads[each.word - 1] or 0
    word, head, other = (f"{_form(sentence, k)} ({k})" for k in (each.word, annotated, each.head))
    arcs = f"annotated {head}, {sentence.labels[each.word - 1]}; rather {other}, {each.label}"
    return f"{each.probability:.4f}  {word}: {arcs}; {'; '.join(each.reasons)}"
