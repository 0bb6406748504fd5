"""The report of an experiment: its tables and figures as files, and on the screen."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dodona.data.files import output
from dodona.evaluation.diagrams import render
from dodona.experiments.figures import Figure
from dodona.experiments.plan import Plan, Recipe
from dodona.experiments.records import Records, each_once
from dodona.experiments.run import Run
from dodona.tables import Table

__all__ = ["show", "write"]

OPTIONS = ("system", "oracle", "system_options", "templates", "iterations", "explore_after", "explore", "random_choice",
           "update", "aggressiveness", "beam", "nonprojective", "scorer")  # fmt: skip


def notes(recipe: Recipe, plan: Plan, records: Records) -> list[str]:
    """How the numbers came about, and what is wrong with them."""
    runs = each_once(list(recipe.runs(plan)))
    finished = records.of(runs)
    iterations = sorted({run.options.iterations for run in runs if run.options and run.options.iterations})
    beams = any(run.options.beam > 1 for run in runs if run.options)
    said = [f"Mean over {plan.seeds} seeds" if plan.seeds > 1 else "One seed"]
    if plan.beam_seeds not in (None, plan.seeds) and beams:
        said[0] += f" ({plan.beam_seeds} of parsers with a beam)"
    said += [f"{' or '.join(map(str, iterations))} iteration{'s' * (iterations != [1])}"] if iterations else []
    said += [f"{plan.tags} tags", *([f"the first {plan.limit} sentences of each part"] if plan.limit else [])]
    lines = [", ".join(said) + "."]
    if len(finished) < len(runs):
        lines.append(f"{len(runs) - len(finished)} of {len(runs)} runs are missing.")
    programs = Counter(f"{record.data['versions']['dodona']} ({record.data['program']})" for record in finished)
    if len(programs) > 1:
        mixed = ", ".join(f"{count} of {program}" for program, count in programs.items())
        lines.append(f"Runs of different programs are mixed: {mixed}.")
    return lines


def write(recipe: Recipe, plan: Plan, records: Records, folder: Path) -> list[Table | Figure]:
    """Write all files into the folder, and return what is in them."""
    shared = notes(recipe, plan, records)
    parts = [part.add_notes(*shared) if isinstance(part, Table) else part for part in recipe.report(plan, records)]
    pages = [f"# {recipe.name}\n", f"{recipe.paper}. {recipe.shows}\n", f"The paper: {recipe.paper_claim}\n"]
    files = {"runs.csv": runs_table(each_once(list(recipe.runs(plan))), records).csv().encode()}
    for part in parts:
        if isinstance(part, Table):
            pages.append(part.markdown())
            own = {"csv": part.csv().encode(), "md": part.markdown().encode(), "tex": part.latex().encode()}
        else:
            pages.append(f"![{part.title}]({part.name}.svg)\n\n{part.title}\n")
            own = {"csv": part.table().csv().encode(), **render(part.draw, "svg", "png")}
        files |= {f"{part.name}.{kind}": data for kind, data in own.items()}
    files["report.md"] = "\n".join([*pages, *(f"{note}  " for note in shared), ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with output(folder / name) as stream:
            stream.write(data)
    return parts


def show(parts: Sequence[Table | Figure], folder: Path, console: Console) -> None:
    """Tables as they are; of figures, where they are."""
    for part in parts:
        if isinstance(part, Table):
            part.print(console)
        else:
            console.print(f"{part.title}: {folder / part.name}.png", soft_wrap=True, markup=False)


def runs_table(runs: Sequence[Run], records: Records) -> Table:
    """A row for each run that is finished: its options, its scores, and the name of its record."""
    scores = [(part, score) for part in ("dev", "test") for score in ("UAS", "LAS")]
    columns = ["treebank", *OPTIONS, "seed", *(f"{part} {score}" for part, score in scores), "program", "key"]
    rows = []
    for run in runs:
        for record in records.of([run]):
            options = record.data["options"] or {}
            own = [None if options.get(name) is None else str(options[name]) for name in OPTIONS]
            has = record.data["results"]
            percents = [f"{record.percent(part, score):.4f}" if part in has else None for part, score in scores]
            rows.append([run.treebank.name, *own, run.seed, *percents, record.data["program"], run.key])
    return Table(columns, rows)
