"""The report of an experiment: its tables and figures as files, and on the screen."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dodona.data.files import output
from dodona.experiments.figures import Figure, drawn
from dodona.experiments.plan import Plan
from dodona.experiments.recipe import Recipe
from dodona.experiments.records import Record, Records
from dodona.experiments.run import Run
from dodona.experiments.schedule import each_once
from dodona.experiments.tables import Table, csv_text, latex, markdown, screen

__all__ = ["show", "write"]

OPTIONS = ("system", "oracle", "system_options", "templates", "iterations", "explore_after", "explore", "random_choice",
           "update", "aggressiveness", "beam", "nonprojective", "scorer")  # fmt: skip


def notes(recipe: Recipe, plan: Plan, records: Records) -> list[str]:
    """How the numbers came about, and what is wrong with them."""
    runs = each_once(list(recipe.runs(plan)))
    found = records.of(runs)
    iterations = sorted({run.options.iterations for run in runs if run.options and run.options.iterations})
    beams = any(run.options.beam > 1 for run in runs if run.options)
    said = [f"Mean over {plan.seeds} seeds" if plan.seeds > 1 else "One seed"]
    if plan.beam_seeds not in (None, plan.seeds) and beams:
        said[0] += f" ({plan.beam_seeds} of parsers with a beam)"
    said += [f"{' or '.join(map(str, iterations))} iteration{'s' * (iterations != [1])}"] if iterations else []
    said += [f"{plan.tags} tags", *([f"the first {plan.limit} sentences of each part"] if plan.limit else [])]
    told = [", ".join(said) + "."]
    if len(found) < len(runs):
        told.append(f"{len(runs) - len(found)} of {len(runs)} runs are missing.")
    programs = Counter(f"{record.data['versions']['dodona']} ({record.program})" for record in found)
    if len(programs) > 1:
        told.append(
            "Runs of different programs are mixed: " + ", ".join(f"{n} of {p}" for p, n in programs.items()) + "."
        )
    return told


def write(recipe: Recipe, plan: Plan, records: Records, folder: Path) -> list[Table | Figure]:
    """Write all files into the folder, and return what is in them."""
    shared = notes(recipe, plan, records)
    parts = [part.noted(*shared) if isinstance(part, Table) else part for part in recipe.report(plan, records)]
    folder.mkdir(parents=True, exist_ok=True)
    pages = [f"# {recipe.name}\n", f"{recipe.paper}. {recipe.shows}\n", f"The paper: {recipe.paper_claim}\n"]
    for part in parts:
        if isinstance(part, Table):
            pages.append(markdown(part))
            files = {"csv": csv_text(part), "md": markdown(part), "tex": latex(part)}
            for kind, text in files.items():
                _save(folder / f"{part.name}.{kind}", text.encode())
        else:
            pages.append(f"![{part.title}]({part.name}.svg)\n\n{part.title}\n")
            _save(folder / f"{part.name}.csv", csv_text(part.table()).encode())
            for kind, data in drawn(part).items():
                _save(folder / f"{part.name}.{kind}", data)
    pages += [*(f"{note}  " for note in shared), ""]
    _save(folder / "runs.csv", runs_csv(each_once(list(recipe.runs(plan))), records).encode())
    _save(folder / "report.md", "\n".join(pages).encode())
    return parts


def show(parts: Sequence[Table | Figure], folder: Path, console: Console) -> None:
    """Tables as they are; of figures, where they are."""
    for part in parts:
        if isinstance(part, Table):
            console.print(screen(part))
        else:
            console.print(f"{part.title}: {folder / part.name}.png", soft_wrap=True, markup=False)


def runs_csv(runs: Sequence[Run], records: Records) -> str:
    """A line for each run that is finished: its options, its scores, and the name of its record."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    scores = [(part, score) for part in ("dev", "test") for score in ("UAS", "LAS")]
    writer.writerow(["treebank", *OPTIONS, "seed", *(f"{part} {score}" for part, score in scores), "program", "key"])
    for run in runs:
        for record in records.of([run]):
            options = record.data["options"] or {}
            writer.writerow(
                [run.treebank.name, *(options.get(name) for name in OPTIONS), run.seed]
                + [_score(record, part, score) for part, score in scores]
                + [record.program, run.key]
            )
    return text.getvalue()


def _score(record: Record, part: str, score: str) -> str:
    return f"{record.percent(part, score):.4f}" if part in record.data["results"] else ""


def _save(path: Path, data: bytes) -> None:
    with output(path) as stream:
        stream.write(data)
