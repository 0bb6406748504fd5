"""Every recipe from end to end on small treebanks; their numbers are those of direct calls."""

import csv
import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from samples import treebank as grammar
from samples.treebank_folder import treebank_folder

from dodona import Sentence
from dodona import write as save
from dodona.data.silver import survey_silver
from dodona.distributed.cluster import TaskMonitor
from dodona.evaluation import Comparison, approximate_randomization, attachment, compare, wilcoxon
from dodona.experiments import run as run_module
from dodona.experiments.plan import Plan
from dodona.experiments.recipes import RECIPES
from dodona.experiments.records import Cluster, Store, carry_out, each_once
from dodona.experiments.repairs import count_repairs
from dodona.experiments.report import write
from dodona.experiments.treebanks import Treebank, find_treebanks, sentences_of
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import SilverSource, begin_training, train_parser

ITERATIONS, SEEDS, BEAM, LIMIT = 2, (1, 2), 2, 8


@dataclass
class Results:
    """The files that all recipes have written, on two treebanks of one language."""

    home: Path
    plan: Plan

    def table(self, recipe: str, name: str) -> dict[tuple[str, str], str]:
        """The cells of a table by row and column."""
        with open(self.home / recipe / f"{name}.csv", encoding="utf-8") as stream:
            head, *rows = csv.reader(stream)
        return {(row[0], column): cell for row in rows for column, cell in zip(head[1:], row[1:], strict=True)}

    @property
    def treebank(self) -> Treebank:
        return self.plan.treebanks[0]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    home = tmp_path_factory.mktemp("results")
    folder = treebank_folder(tmp_path_factory.mktemp("treebanks"), "en_a", "en_b")
    save(silver_treebank(), folder / "en_a" / "silver.conllu.gz")
    treebanks = find_treebanks(folder)
    plan = Plan(treebanks, len(SEEDS), ITERATIONS, limit=LIMIT, beam=BEAM, neural=False)
    store = Store(home / "runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "LEAST_SECONDS", 0.001)
        for name, recipe in RECIPES.items():
            records, failures = carry_out(each_once(list(recipe.runs(plan))), store, TaskMonitor(), Cluster())
            assert failures == []
            write(recipe, plan, records, home / name)
    return Results(home, plan)


def silver_treebank() -> list[Sentence]:
    """What a teacher may have parsed: also a sentence of the test part, and one with another label."""
    strange = grammar.treebank(1, seed=78)[0]
    strange.set_tree([h or 0 for h in strange.heads], ["strange", *strange.labels[1:]])
    test = grammar.treebank(10, seed=3, crossing=0.4)  # as `treebank_folder` has it
    return [strange, *test[:4], *grammar.treebank(20, seed=77, crossing=0.4)]


@cache
def trained(treebank: Treebank, seed: int, **options: Any) -> Parser:
    system_options = dict(options.pop("system_options", ()))
    settings: dict[str, Any] = {"iterations": ITERATIONS, "size": 10_000.0, "nonprojective": "baseline", **options}
    chosen = ParserOptions(seed=seed, system_options=system_options, **settings)
    return train_parser(sentences_of(treebank.train, LIMIT), chosen)


def comparisons(treebank: Treebank, files: tuple[str, ...], **options: Any) -> list[Comparison]:
    gold = sentences_of(files, LIMIT)
    found = []
    for seed in SEEDS:
        parser = trained(treebank, seed, **options)
        found.append(compare(gold, parser.apply([sentence.copy() for sentence in gold])))
    return found


def score(found: list[Comparison], name: str, punctuation: bool = True) -> str:
    """The mean over seeds, as in CSV."""
    return f"{fmean(100 * attachment(one, punctuation=punctuation)[name].accuracy for one in found):.6f}"


def added(found: list[Comparison], labelled: bool = True) -> Any:
    return sum(one.per_sentence(one.arc_right if labelled else one.head_right) for one in found)


def test_static_vs_dynamic(results: Results) -> None:
    one = results.treebank
    systems = {"eager": ("arc-eager", "stack"), "hybrid": ("arc-hybrid", "hybrid"), "easy-first": ("easy-first",) * 2}
    for short, (system, templates) in systems.items():
        for oracle in ("static", "dynamic"):
            found = comparisons(one, one.test, system=system, oracle=oracle, templates=templates)
            for name in ("UAS", "LAS"):
                table = results.table("static-vs-dynamic", name.lower())
                assert table[f"{short}: {oracle}", "en_a"] == score(found, name)
    table = results.table("static-vs-dynamic", "las")
    mean = fmean(float(table["eager: static", name]) for name in ("en_a", "en_b"))
    assert float(table["eager: static", "mean"]) == pytest.approx(mean, abs=1e-5)


def test_exploration(results: Results) -> None:
    one = results.treebank
    for k, p in ((0, 0.3), (0, 0.9), (1, 0.9), (4, 0.6), (2, 0.0)):
        found = comparisons(
            one, one.test, system="arc-eager", oracle="dynamic", templates="stack", explore_after=k, explore=p
        )
        assert results.table("exploration", "heat-maps")[f"en_a, {k}", f"p = {p:g}"] == score(found, "UAS")
    assert (results.home / "exploration" / "heat-maps.png").stat().st_size > 1000


def test_ambiguity_and_out_of_domain(results: Results) -> None:
    one, other = results.plan.treebanks
    common = {"system": "arc-eager", "templates": "stack", "nonprojective": "baseline"}
    rows: dict[str, dict[str, Any]] = {
        "static": {"oracle": "static"},
        "dynamic-ambiguity": {"oracle": "nondeterministic", "random_choice": True},
        "dynamic-explore": {"oracle": "dynamic", "explore_after": 2, "explore": 0.9, "random_choice": True},
    }
    for row, options in rows.items():
        for column, files in {"en_a": one.test, "en_b": other.test}.items():
            found = comparisons(one, files, **common, **options, system_options=(("root", "first"),))
            for name in ("UAS", "LAS"):
                table = results.table("ambiguity", f"en_a-{name.lower()}")
                assert table[row, column] == score(found, name, punctuation=False)
                across = results.table("ambiguity", f"treebanks-{name.lower()}")
                assert across[row, "en_a"] == table[row, "en_a"]


def test_nonmonotonic(results: Results) -> None:
    one, other = results.plan.treebanks
    dynamic = {"oracle": "dynamic", "templates": "stack"}
    base = comparisons(one, one.test, system="arc-eager", **dynamic)
    assert results.table("nonmonotonic", "test-las")["baseline", "en_a"] == score(base, "LAS")
    counts: dict[str, float] = {}
    for name, moves in {"NM L": "left", "NM D": "reduce", "NM L+D": "both"}.items():
        options = {"system": "nonmonotonic", "system_options": (("moves", moves),), **dynamic}
        dev, test = (comparisons(one, files, **options) for files in (one.dev, one.test))
        assert results.table("nonmonotonic", "test-uas")[name, "en_a"] == score(test, "UAS")
        assert results.table("nonmonotonic", "dev-las")[name, "en_a W"] == score(dev, "LAS")
        assert results.table("nonmonotonic", "dev-las")[name, "en_a S"] == score(dev, "LAS exact match")
    for treebank in (one, other):
        dev_part = sentences_of(treebank.dev, LIMIT)
        for seed in SEEDS:
            parser = trained(treebank, seed, system="nonmonotonic", system_options=(("moves", "both"),), **dynamic)
            for kind, own in count_repairs(parser, dev_part, dev_part)["counts"].items():
                for verdict, count in own.items():
                    counts[f"{kind} {verdict}"] = counts.get(f"{kind} {verdict}", 0) + count / 4
    table = results.table("nonmonotonic", "repairs")
    for kind in ("LEFT", "REDUCE"):
        for verdict in ("TP", "FP", "TN", "FN"):
            assert float(table[kind, verdict]) == counts[f"{kind} {verdict}"]
    assert float(table["total", "TN"]) == counts["LEFT TN"] + counts["REDUCE TN"]


def test_covington(results: Results) -> None:
    one = results.treebank
    table = results.table("covington", "accuracy")
    static, dynamic = (
        comparisons(one, one.test, system="covington", oracle=oracle, templates="covington")
        for oracle in ("static", "dynamic")
    )
    assert table["en_a", "static UAS"] == score(static, "UAS")
    assert table["en_a", "dynamic LAS"] == score(dynamic, "LAS")
    p = approximate_randomization(added(static), added(dynamic))
    better = float(score(dynamic, "LAS")) > float(score(static, "LAS"))
    assert table.get(("en_a", "dynamic LAS mark"), "") == ("*" if better and p < 0.05 else "")


def test_swap(results: Results) -> None:
    one = results.treebank
    assert results.table("swap", "statistics")["sentences", "en_a"] == str(LIMIT)
    best: dict[bool, tuple[float, str, list[Comparison]]] = {}
    for oracle in ("nd-sw", "nd-all", "eager", "lazy", "minimal"):
        kept = []
        for seed in SEEDS:
            parsers: list[tuple[float, Parser]] = []
            options = ParserOptions(
                system="swap-standard", oracle=oracle, templates="standard", iterations=ITERATIONS, seed=seed, size=1e4
            )
            dev = sentences_of(one.dev, LIMIT)
            training = begin_training(sentences_of(one.train, LIMIT), options)
            for _ in training.iterations():
                parsers.append((training.parser().scores(dev)[1], training.parser()))
            kept.append(max(parsers, key=lambda pair: pair[0]))
        las = fmean(value for value, _ in kept)
        assert float(results.table("swap", "dev-greedy")[f"greedy {oracle.upper()}", "en_a"]) == pytest.approx(las)
        gold = sentences_of(one.test, LIMIT)
        found = [compare(gold, parser.apply([s.copy() for s in gold])) for _, parser in kept]
        static = not oracle.startswith("nd")
        if static not in best or las > best[static][0] + 1e-9:
            best[static] = las, oracle.upper(), found
    table = results.table("swap", "test-greedy")
    assert table["best static oracle", "en_a"] == best[True][1]
    assert table["best non-deterministic oracle", "en_a"] == best[False][1]
    first, second = (float(score(best[static][2], "LAS")) for static in (True, False))
    assert float(table["static", "en_a"]) == pytest.approx(first)
    assert float(table["non-deterministic", "en_a"]) == pytest.approx(second - first, abs=1e-5)
    words = best[True][2][0].per_sentence(best[True][2][0].head_right | True)
    p = wilcoxon((added(best[True][2]) - added(best[False][2])) / words).p
    assert table.get(("non-deterministic", "en_a mark"), "") == ("‡" if p < 0.01 else "†" if p < 0.05 else "")


def test_learning_curves_share_the_runs_of_swap(results: Results) -> None:
    plan = results.plan
    swap, curves = ({run.key for run in RECIPES[name].runs(plan)} for name in ("swap", "learning-curves"))
    assert curves < swap
    one = results.treebank
    scores, transitions = [], []
    for seed in SEEDS:
        own: list[float] = []
        taken: list[int] = []
        options = ParserOptions(
            system="swap-standard", oracle="nd-all", templates="standard", beam=BEAM, update="pa",
            iterations=ITERATIONS, seed=seed, size=1e4,
        )  # fmt: skip
        dev, train = sentences_of(one.dev, LIMIT), sentences_of(one.train, LIMIT)
        training = begin_training(train, options)
        for progress in training.iterations():
            own.append(training.parser().scores(dev)[1])
            taken.append(progress.transitions)
        scores.append(own)
        words = sum(map(len, train))
        transitions.append([(count - 2 * words) / 2 / len(train) for count in taken])
    for name, numbers in {"las-beam": scores, "swaps-beam": transitions}.items():
        table = results.table("learning-curves", name)
        for i in range(ITERATIONS):
            assert float(table["en_a, ND-ALL", str(i + 1)]) == pytest.approx(fmean(n[i] for n in numbers), abs=1e-5)


def test_cost_sensitive(results: Results) -> None:
    one = results.treebank
    common = {"system": "arc-eager", "oracle": "dynamic", "templates": "stack"}
    for row, rule in {"PA, prediction-based": "pa", "PA, max-loss": "pa-max-loss"}.items():
        found = {c: comparisons(one, one.dev, **common, update=rule, aggressiveness=c) for c in (0.001, 0.01, 0.1)}
        for c, own in found.items():
            assert results.table("cost-sensitive", "dev-las")[f"{row}, C = {c:g}", "en_a"] == score(own, "LAS")
        best = max(found, key=lambda c: float(score(found[c], "LAS")))
        test = comparisons(one, one.test, **common, update=rule, aggressiveness=best)
        assert results.table("cost-sensitive", "test-uas")[row, "en_a"] == score(test, "UAS")


def test_systems(results: Results) -> None:
    table = results.table("systems", "systems")
    with open(results.home / "systems" / "systems.csv", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))[1:]
    assert len(rows) == 7 + 6  # easy-first has no beam
    expected = fmean(
        float(score(comparisons(t, t.test, system="swap-standard", oracle="nd-all", size=12.0, beam=BEAM), "LAS"))
        for t in results.plan.treebanks
    )
    (row,) = (row for row in rows if row[:2] == ["swap-standard", "linear, beam"])
    assert float(row[3]) == pytest.approx(expected, abs=1e-5)
    assert all(int(row[4]) > 100 for row in rows)
    assert table["easy-first", "kind"] == "linear, greedy"


def test_distillation(results: Results) -> None:
    """Silver sentences of the test part and those with unknown labels are not learned from."""
    one, both = results.treebank, results.table("distillation", "distillation")
    words = sum(map(len, silver_treebank()))
    plain, more = f"en_a, linear, {0}", f"en_a, linear, {words}"
    assert {row for row, _ in both} == {plain, more}
    found = comparisons(one, one.test, size=12.0, nonprojective="head")
    assert both[plain, "LAS"] == score(found, "LAS")
    held_out = [sentence.words for sentence in sentences_of([*one.dev, *one.test])]
    labels = {label for sentence in sentences_of(one.train, LIMIT) for label in sentence.labels}
    learned = [s.words for s in silver_treebank() if s.words not in held_out and labels.issuperset(s.labels)]
    assert 10 < len(learned) <= 20
    assert results.plan.treebanks[1].silver == ()
    las = []
    for seed in SEEDS:
        silver = survey_silver(one.silver, lambda s: "" if s.words in learned else "other", lambda s: True)
        options = ParserOptions(seed=seed, iterations=ITERATIONS)
        parser = train_parser(sentences_of(one.train, LIMIT), options, silver=SilverSource(silver))
        gold = sentences_of(one.test, LIMIT)
        las.append(compare(gold, parser.apply([sentence.copy() for sentence in gold])))
    assert both[more, "LAS"] == score(las, "LAS")


def test_networks_are_part_of_the_systems(results: Results) -> None:
    plan = Plan(results.plan.treebanks[:1], 1)
    runs = [run for run in RECIPES["systems"].runs(plan) if run.options and run.options.scorer == "neural"]
    assert len(runs) == 7


def test_every_recipe_writes_all_forms(results: Results) -> None:
    for name, recipe in RECIPES.items():
        folder = results.home / name
        stems = {path.stem for path in folder.iterdir()} - {"report", "runs"}
        for stem in stems:
            kinds = {path.suffix for path in folder.glob(f"{stem}.*")}
            assert kinds in ({".csv", ".md", ".tex"}, {".csv", ".svg", ".png"}), stem
        report = (folder / "report.md").read_text(encoding="utf-8")
        assert recipe.paper_claim in report
        trained = "2 iterations, " if any(recipe.runs(results.plan)) else ""  # pretraining: without an encoder, nothing
        assert f"Mean over 2 seeds, {trained}gold tags, the first 8 sentences of each part." in report
        assert "runs are missing" not in report
        assert "mixed" not in report


def test_parsers_with_a_beam_may_have_fewer_seeds(results: Results, tmp_path: Path) -> None:
    recipe, plan = RECIPES["swap"], replace(results.plan, beam_seeds=1)
    runs = [run for run in recipe.runs(plan) if run.options]
    assert {run.seed for run in runs if run.options and run.options.beam > 1} == {1}
    assert {run.seed for run in runs if run.options and run.options.beam == 1} == set(SEEDS)
    write(recipe, plan, Store(results.home / "runs").read_finished(list(recipe.runs(plan))), tmp_path)
    assert f"Mean over {len(SEEDS)} seeds (1 of parsers with a beam), " in (tmp_path / "report.md").read_text("utf-8")


def test_experiments_share_runs(results: Results) -> None:
    keys = {name: {run.key for run in recipe.runs(results.plan)} for name, recipe in RECIPES.items()}
    assert keys["static-vs-dynamic"] & keys["exploration"]
    assert keys["static-vs-dynamic"] & keys["nonmonotonic"] & keys["cost-sensitive"]
    assert len(list((results.home / "runs").iterdir())) == len(set().union(*keys.values()))


def test_missing_runs_and_other_programs_are_told(results: Results, tmp_path: Path) -> None:
    recipe = RECIPES["covington"]
    runs = each_once(list(recipe.runs(results.plan)))
    store = Store(tmp_path / "runs")
    for i, run in enumerate(runs[:-2]):
        (record,) = Store(results.home / "runs").read_finished([run]).of([run])
        store.save(run, {**record.data, "program": "other" if i == 0 else record.data["program"]})
    write(recipe, results.plan, store.read_finished(runs), tmp_path / "out")
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "2 of 8 runs are missing." in report
    assert "Runs of different programs are mixed: 1 of 0.1.0 (other), 5 of 0.1.0 (" in report


def test_means_are_of_treebanks_that_every_condition_has(results: Results, tmp_path: Path) -> None:
    recipe = RECIPES["static-vs-dynamic"]
    runs = each_once(list(recipe.runs(results.plan)))
    kept = [run for run in runs if run.treebank.name == "en_a" or (run.options and run.options.oracle == "static")]
    write(recipe, results.plan, Store(results.home / "runs").read_finished(kept), tmp_path / "static-vs-dynamic")
    table = Results(tmp_path, results.plan).table("static-vs-dynamic", "uas")
    for row in ("eager: static", "eager: dynamic"):
        assert table[row, "mean"] == table[row, "en_a"] != ""
    assert table["eager: dynamic", "en_b"] == ""


def test_oracles_are_chosen_on_dev(results: Results, tmp_path: Path) -> None:
    recipe, store = RECIPES["swap"], Store(tmp_path / "runs")
    runs = each_once(list(recipe.runs(results.plan)))
    for run in runs:
        (record,) = Store(results.home / "runs").read_finished([run]).of([run])
        data = json.loads(json.dumps(record.data))
        if run.options is not None:  # LAZY is best on dev and worst on test
            lazy = run.options.oracle == "lazy"
            for part, wins in (("dev", lazy), ("test", not lazy)):
                data["results"][part]["all words"]["LAS"][0] *= wins
        store.save(run, data)
    write(recipe, results.plan, store.read_finished(runs), tmp_path / "swap")
    for search in ("greedy", "beam"):
        table = Results(tmp_path, results.plan).table("swap", f"test-{search}")
        assert table["best static oracle", "en_a"] == "LAZY"
        assert float(table["static", "en_a"]) == 0
