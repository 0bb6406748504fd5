"""`dodona experiment`: the tables and figures of the papers, on any treebanks."""

from dataclasses import replace
from pathlib import Path

import click

from dodona.cli.options import IMPORTED, choice, flag, integer, option
from dodona.cli.outputs import say
from dodona.distributed.cluster import choose_monitor
from dodona.errors import DodonaError
from dodona.evaluation.diagrams import check_can_draw
from dodona.experiments.plan import Plan
from dodona.experiments.recipes import RECIPES, recipe_of
from dodona.experiments.records import Cluster, Failure, Store, carry_out, each_once, tag_all
from dodona.experiments.report import show, write
from dodona.experiments.treebanks import find_treebanks
from dodona.pipeline.processes import available_cores
from dodona.pipeline.training import TAGS
from dodona.tables import Table, open_console


@click.command("experiment", short_help="Make a table or figure of the papers again.")
@click.argument("name", required=False)
@flag("--list", "List the experiments.", name="wants_list")
@option(
    "--treebanks DIR",
    "A folder with a folder for each treebank, which has train, dev and test.conllu, also .gz or .xz.",
)
@option("--only NAMES", "Only these treebanks, separated by commas.")
@integer("--seeds", "How often each parser is trained.", default=5)
@integer("--beam-seeds", "How often each parser with a beam is trained, which takes longer. [default: as --seeds]")
@integer("--iterations", "Iterations over the training data, if not as in the paper.")
@integer("--beam WIDTH", "The width of beams, if not that of the experiment.", least=2)
@choice("--tags", "The tags that parsers see.", values=["gold", *TAGS[:1]])
@integer("--limit SENTENCES", "Only the first sentences of each part.", least=2)
@click.option("--neural/--no-neural", default=True, help="Networks too, where an experiment has them: hours each.")
@option(
    "--encoders DIR",
    "A folder with an encoder for each language, like hu.encoder, made by `dodona pretrain`; for `pretraining`.",
)
@integer("--jobs", "Number of processes; 0: only this one. [default: one for each core]", least=0)
@option("--scheduler ADDRESS", "Run on a Dask cluster, for example tcp://10.0.0.1:8786.")
@option(
    "--scheduler-tls FOLDER", "The certificates for a scheduler at tls://…: ca.pem, cert.pem and key.pem in a folder."
)
@option("--runs DIR", "Where finished runs are kept, for all experiments. [default: OUT/runs]")
@flag("--no-runs", "Carry out nothing: make the tables from the runs that are finished.")
@option("-o, --output OUT", "A folder; the results go into OUT/NAME.", name="out")
def experiment(
    name: str | None, wants_list: bool, treebanks: str | None, only: str | None, seeds: int, beam_seeds: int | None,
    iterations: int | None, beam: int | None, tags: str, limit: int | None, neural: bool, encoders: str | None,
    jobs: int | None, scheduler: str | None, scheduler_tls: str | None, runs: str | None, no_runs: bool,
    out: str | None,
) -> None:  # fmt: skip
    """Carry out the experiment NAME on treebanks: train parsers with several seeds, and write tables and figures.

    A finished run is stored at once, and never done again: a command that was interrupted goes on where it was, and
    experiments share the runs that they have in common. The same seeds give the same tables.

    \b
    dodona experiment --list
    dodona experiment static-vs-dynamic --treebanks ud --seeds 5 -o results
    dodona experiment exploration --treebanks ud --only el_gdt,hu_szeged --limit 500 -o quick
    dodona experiment pretraining --treebanks ud --encoders encoders --tags predicted -o results
    """
    if wants_list:
        rows = [(recipe.name, recipe.paper, recipe.shows) for recipe in RECIPES.values()]
        Table(("name", "paper", "what it shows"), rows, align="lll").print(open_console(160))
        return
    if name is None or treebanks is None or out is None:
        given = {"argument 'NAME'": name, "option '--treebanks'": treebanks, "option '-o'": out}
        raise click.UsageError(f"Missing {next(what for what, value in given.items() if value is None)}.")
    recipe = recipe_of(name)
    check_can_draw()
    wanted = [each for each in (only or "").split(",") if each]
    plan = Plan(find_treebanks(treebanks, wanted), seeds, iterations, tags, limit, beam, neural, beam_seeds)
    if encoders is not None:
        plan = replace(plan, encoders={path.stem: str(path) for path in sorted(Path(encoders).glob("*.encoder"))})
    store = Store(runs or Path(out) / "runs")
    imported = click.get_current_context().meta.get(IMPORTED, ())
    cluster = Cluster(available_cores() if jobs is None else jobs, scheduler, imported, tls=scheduler_tls)
    every = each_once(list(recipe.runs(plan)))
    if not every:
        raise DodonaError(f"{treebanks}: no treebank fits the experiment; expected one with train, dev and test parts")
    failures: list[Failure] = []
    if no_runs:
        records = store.read_finished(every)
    else:
        if tags != "gold" and len(store.read_finished(every)) < len(every):
            taggings = plan.taggings(store.folder)
            tag_all(taggings, choose_monitor("taggings"), cluster)
            plan = plan.with_tags(taggings)
            every = each_once(list(recipe.runs(plan)))
        records, failures = carry_out(every, store, choose_monitor("runs"), cluster)
    folder = Path(out) / name
    parts = write(recipe, plan, records, folder)
    show(parts, folder, open_console(200))
    say(f"the tables and figures are in {folder}")
    if failures:
        raise DodonaError(f"{len(failures)} of {len(every)} runs failed, the first: {failures[0][0]}: {failures[0][1]}")
