"""Goldberg and Nivre (2012), Tables 1 and 2: what spurious ambiguity is worth, and what exploration adds to it.

Arc-eager as in that paper: ROOT at the bottom of the stack, trees projectivized without a trace, k = 2, mistakes
followed in nine cases of ten, else a random correct transition. Scores leave punctuation out. Table 1 is out of domain:
wherever several treebanks of a language are there (names that begin alike: en_ewt, en_gum), the parsers of each are
also tested on the others.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from dodona.experiments.comparisons import compare_means
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.tables import Cell, Table, Value

ORACLES = {"static": "static", "dynamic-ambiguity": "nondeterministic", "dynamic-explore": "dynamic"}
OPTIONS: dict[str, Any] = {"system_options": {"root": "first"}, "explore_after": 2, "explore": 0.9}
MEASURES = ("dev", "test", "elsewhere")
CONDITIONS = {
    name: Condition(as_in_the_papers("arc-eager", oracle, **OPTIONS, random_choice=oracle != "static"), MEASURES)
    for name, oracle in ORACLES.items()
}
NOTE = "Test parts, without punctuation. † p < .05, ‡ p < .01 against static (approximate randomization, all words)."


def report(plan: Plan, records: Records) -> Sequence[Table]:
    of = partial(Grid(plan, CONDITIONS).records, records)
    groups = [("treebanks", " across treebanks", [(t.name, t, "test") for t in plan.trainable])]
    for t in plan.trainable:
        if others := plan.others(t):
            columns = [(t.name, t, "test"), *((other.name, t, other.name) for other in others)]
            groups.append((t.name, f", trained on {t.name}", columns))
    tables = []
    for name, title, columns in groups:
        for s in ("UAS", "LAS"):
            rows: list[Sequence[Cell | Value]] = []
            for condition in CONDITIONS:
                both = ((of(t, "static"), of(t, condition), part) for _, t, part in columns)
                rows.append([condition, *(compare_means(*each, s, punctuation=False) for each in both)])
            heads = ("", *(column[0] for column in columns))
            tables.append(Table(heads, rows, s + title, f"{name}-{s.lower()}", (NOTE,)).mark_best())
    return tables


RECIPE = Recipe(
    name="ambiguity",
    paper="Goldberg & Nivre 2012, Tables 1 and 2",
    shows="Arc-eager with a static oracle, with ambiguity, and with exploration; across treebanks, out of domain.",
    paper_claim="Ambiguity alone helps a little, not everywhere; exploration helps more, 1.5 LAS points on average.",
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
