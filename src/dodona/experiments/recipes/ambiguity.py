"""Goldberg and Nivre (2012), Tables 1 and 2: what spurious ambiguity is worth, and what exploration adds to it.

Arc-eager as in that paper: ROOT at the bottom of the stack, trees projectivized without a trace, k = 2, mistakes
followed in nine cases of ten, else a random correct transition. Scores leave punctuation out. Table 1 is out of domain:
wherever several treebanks of a language are there (names that begin alike: en_ewt, en_gum), the parsers of each are
also tested on the others.
"""

from collections.abc import Iterator, Sequence

from dodona.experiments.comparisons import mark_of, mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.experiments.treebanks import Treebank
from dodona.tables import Cell, Table, Value


def _condition(oracle: str) -> Condition:
    exploration = {"explore_after": 2, "explore": 0.9, "random_choice": oracle != "static"}
    options = as_in_the_papers("arc-eager", oracle, system_options={"root": "first"}, **exploration)
    return Condition(options, ("dev", "test", "elsewhere"))


CONDITIONS = {
    "static": _condition("static"),
    "dynamic-ambiguity": _condition("nondeterministic"),
    "dynamic-explore": _condition("dynamic"),
}


def report(plan: Plan, records: Records) -> Sequence[Table]:
    own = [(treebank.name, treebank, "test") for treebank in plan.trainable]
    tables = [_table(plan, records, f"treebanks-{s.lower()}", f"{s} across treebanks", s, own) for s in ("UAS", "LAS")]
    for treebank in plan.trainable:
        if elsewhere := plan.others(treebank):
            columns = [(treebank.name, treebank, "test"), *((t.name, treebank, t.name) for t in elsewhere)]
            tables += [
                _table(plan, records, f"{treebank.name}-{s.lower()}", f"{s}, trained on {treebank.name}", s, columns)
                for s in ("UAS", "LAS")
            ]
    return tables


def _table(
    plan: Plan, records: Records, name: str, title: str, score: str, columns: Sequence[tuple[str, Treebank, str]]
) -> Table:
    grid = Grid(plan, CONDITIONS)

    def cells(condition: str) -> Iterator[Cell]:
        for _, treebank, part in columns:
            static, own = (grid.records(records, treebank, each) for each in ("static", condition))
            p = randomization_p(static, own, part, score) if condition != "static" else None
            yield Cell(mean(own, part, score, punctuation=False), mark_of(p))

    rows: list[Sequence[Cell | Value]] = [[condition, *cells(condition)] for condition in CONDITIONS]
    note = (
        "Test parts, without punctuation. † p < .05, ‡ p < .01 against static (approximate randomization, all words)."
    )
    return Table(("", *(column[0] for column in columns)), rows, title, name, (note,)).mark_best()


RECIPE = Recipe(
    name="ambiguity",
    paper="Goldberg & Nivre 2012, Tables 1 and 2",
    shows="Arc-eager with a static oracle, with ambiguity, and with exploration; across treebanks, out of domain.",
    paper_claim="Ambiguity alone helps a little, not everywhere; exploration helps more, 1.5 LAS points on average.",
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
