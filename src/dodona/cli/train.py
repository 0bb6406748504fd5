"""`dodona train`: from a treebank to a model."""

import time
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from dodona.data import read
from dodona.errors import FormatError
from dodona.pipeline.calibration import fit_temperature
from dodona.pipeline.learning import Iteration, frozen, train
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.options import NONPROJECTIVE, UPDATES, Options
from dodona.systems import SYSTEMS


@click.command(name="train")
@click.argument("treebank")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to write the model.")
@click.option("--dev", metavar="FILE", help="Development treebank: LAS after each iteration, and the best one is kept.")
@click.option(
    "--patience",
    default=5,
    type=click.IntRange(1),
    show_default=True,
    help="With --dev: stop after this many iterations without gain.",
)
@click.option("-s", "--system", default="arc-eager", show_default=True, type=click.Choice(list(SYSTEMS)))
@click.option(
    "--oracle",
    help="static, nondeterministic, dynamic; swap-standard: eager, lazy, minimal, nd-sw, nd-all. "
    "[default: the last of these that the system has; static with a beam]",
)
@click.option("--iterations", type=int, help="Passes over the data. [default: 15; easy-first 20]")
@click.option(
    "--beam",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    metavar="WIDTH",
    help="Learn whole derivations with a beam of this width, 20 for example: slower, and more accurate.",
)
@click.option("--early-update", is_flag=True, help="beam: early update, not max-violation.")
@click.option("--explore", default=0.9, show_default=True, help="dynamic: how often a mistake is followed (p).")
@click.option(
    "--explore-after", default=1, type=click.IntRange(0), show_default=True, help="dynamic: iterations before that (k)."
)
@click.option("--random-choice", is_flag=True, help="After a mistake take a random correct action, not the best one.")
@click.option("--update", default="perceptron", show_default=True, type=click.Choice(UPDATES))
@click.option("--templates", help="Feature templates: a file, or one of those shipped. [default: all columns]")
@click.option(
    "--nonprojective",
    default="head",
    show_default=True,
    type=click.Choice(NONPROJECTIVE),
    help="What projective systems do with non-projective trees: lift them with one of four encodings, drop or "
    "keep them.",
)
@click.option("--root", help="arc-eager: where ROOT stands: last, first or attach.")
@click.option("--moves", help="nonmonotonic: what may be repaired: left, reduce or both.")
@click.option("--reduce-label", help="nonmonotonic: predicted or remembered.")
@click.option("--allow-multiple-roots", is_flag=True, help="Parses may have more than one root word.")
@click.option("--seed", default=1, show_default=True)
@click.option("--name", help="Name of the training data, for the record in the model. [default: the file's]")
@click.option("--licence", help="Licence of the training data, for the record in the model.")
def train_command(
    treebank: str, output: str, dev: str | None, patience: int, name: str | None, licence: str | None,
    allow_multiple_roots: bool, root: str | None, moves: str | None, reduce_label: str | None, **options: Any
) -> None:  # fmt: skip
    """Train a parser on TREEBANK (CoNLL-U with gold trees, .gz and .xz too).

    \b
    dodona train train.conllu --dev dev.conllu -o my.model
    dodona train train.conllu -s swap-standard --beam 20 -o my.model
    """
    given = {"root": root, "moves": moves, "reduce_label": reduce_label}
    choice = Options(
        system_options={key: value for key, value in given.items() if value is not None},
        single_root=not allow_multiple_roots,
        **options,
    ).resolved()
    check_target(output)
    console = Console(stderr=True, highlight=False)
    sentences = list(read(treebank))
    dev_sentences = list(read(dev)) if dev else []
    for file, found in ((treebank, sentences), (dev, dev_sentences)):
        if file is not None and not found:
            raise FormatError(f"{file}: there are no sentences in this file")
    for sentence in dev_sentences:
        sentence.check_gold()
    begin = time.process_time()
    best: dict[str, Any] = {"las": -1.0}

    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("training", total=choice.iterations)

        def report(iteration: Iteration) -> bool:
            unit = "steps" if choice.beam == 1 else "sentences"
            line = f"iteration {iteration.number}: {iteration.accuracy:.2%} of {iteration.steps} {unit} right"
            last = False
            if dev_sentences:
                parser = frozen(iteration.learner, choice, iteration.labels, iteration.templates)
                uas, las = parser.scores(dev_sentences)
                line += f", dev UAS {uas:.2f} LAS {las:.2f}"
                if las > best["las"]:
                    best.update(las=las, uas=uas, number=iteration.number, parser=parser)
                last = iteration.number - best["number"] >= patience
            bar.console.print(line) if console.is_terminal else click.echo(line, err=True)
            bar.advance(task)
            return last

        parser = train(sentences, choice, report)
    if dev_sentences:
        parser = best["parser"]
        parser.about["dev"] = {"UAS": round(best["uas"], 2), "LAS": round(best["las"], 2)}
        parser.about["iteration"] = best["number"]
        if choice.beam > 1:
            parser.temperature = fit_temperature(parser, dev_sentences)
    data = (name or treebank.rpartition("/")[2]).encode("utf-8", "replace").decode()
    parser.about |= {"data": data, "sentences": len(sentences), "licence": licence}
    parser.save(output)
    console.print(f"{output}: trained in {time.process_time() - begin:.0f} CPU seconds")
