"""Every option of every command does what it is for, in each place that it has to reach: what a row asks for holds with
the option, and not without it. An option without a row fails. And what commands write is compared as a whole.

Those of the commands that train are tried in `test_options_arrive`, those of `annotate` and `serve` with the server.
"""

import difflib
import inspect
import json
import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from cli.test_options_arrive import other_value
from cli.test_oracle import SENTENCES
from samples.bad_treebanks import BAD, plain
from samples.command_line import call_dodona
from samples.small_models import full_treebank, linear, whole
from samples.treebank_folder import treebank_folder

from dodona import Sentence, __version__, write
from dodona.cli.commands import convert
from dodona.cli.commands.distill import distill
from dodona.cli.commands.models import _row as describe_model
from dodona.cli.commands.train import train_command
from dodona.cli.main import COMMANDS, dodona
from dodona.data.conllu import read_all
from dodona.distributed.corpus import Summary
from dodona.drawing import svg_of
from dodona.evaluation import compare, differences
from dodona.evaluation.speed import WHOLE, Speed
from dodona.pipeline.pipeline import Pipeline

ELSEWHERE = {"train", "pretrain", "crossvalidate", "annotate", "serve"}


class Run(NamedTuple):
    """What came of a command: also the files that it wrote, and what the watched functions were called with."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]
    calls: dict[str, list[dict[str, Any]]]
    folder: Path

    def result(self) -> Any:
        """The only result of a command that prints tables as JSON."""
        (result,) = json.loads(self.out)
        return result

    def got(self, function: str, argument: str) -> list[Any]:
        """What an argument was, or a field of one, call by call."""
        values = []
        for call in self.calls[function]:
            name, *fields = argument.split(".")
            value = call[name]
            for field in fields:
                value = value.get(field) if isinstance(value, dict) else getattr(value, field)
            values.append(value)
        return values


class Row(NamedTuple):
    """A command line with an option, and what must hold only then."""

    option: str
    given: str
    beside: str
    holds: Callable[[Run], object]


def one(option: str, given: str, beside: str, function: str, argument: str, value: Any) -> Row:
    """A row about a value that a function gets."""
    return Row(option, given, beside, lambda run: run.got(function, argument) == [value])


def wrote(name: str) -> Callable[[Run], object]:
    """Whether there is this file, and nothing on standard output."""
    return lambda run: run.files[name] and not run.out


def begins(mark: str) -> Callable[[Run], object]:
    return lambda run: run.out.startswith(mark)


def has_table(name: str) -> Callable[[Run], object]:
    return lambda run: run.result()[name]


def oak() -> Sentence:
    return read_all(SENTENCES)[1]


def svg_height(text: str) -> str:
    """The height of a picture tells how many lines it has."""
    match = re.search(r'<svg [^>]*height="([0-9.]+)"', text)
    assert match
    return match[1]


def significance(run: Run) -> list[tuple[float, float]]:
    rows = json.loads(run.out)[2]["significance"].values()
    return [(row["p randomization"], row["p Wilcoxon"]) for row in rows]


@cache
def p_values(shuffles: int, seed: int) -> list[tuple[float, float]]:
    gold, first, second = long_treebanks()
    both = differences(compare(gold, first), compare(gold, second), shuffles=shuffles, seed=seed)
    return [(each.randomization_p, each.wilcoxon.p) for each in both.values()]


def wheel(run: Run, name: str, version: str = "[^-]*", at: str = "") -> str:
    """All text of the package that was written."""
    form = f"{at}dodona_model_{name}-{version}-py3-none-any.whl"
    (file,) = (file for file in run.files if re.fullmatch(form, file))
    with zipfile.ZipFile(BytesIO(run.files[file])) as archive:
        return "".join(archive.read(each).decode() for each in archive.namelist() if not each.endswith(".model"))


def long_treebanks() -> list[list[Sentence]]:
    gold, first, second = (full_treebank(30, seed=9) for _ in range(3))
    for k, (one, other) in enumerate(zip(first, second, strict=True)):
        for sentence, is_wrong in ((one, k % 3), (other, k % 2)):
            if is_wrong:
                sentence.set_tree(sentence.gold_heads(), ["dep", *sentence.labels[1:]])
    return [gold, first, second]


WATCHED: dict[str, dict[str, Any]] = {  # by command or group of rows, with what is returned; None: by the function
    "validate, watched": {"validate": (), "validate_chunks": ()},
    "oracle": {"system": None, "derive": None, "verify": None, "parse_sentence": None},
    "lattice": {"system": None},
    "evaluate": {"calibration_diagram": b"<svg"},  # which takes long to import
    "bench": {
        "measure_speed": Speed(2000, 3, {"tag": 1.0, WHOLE: 2.0}, 1.0),
        "measure_threads": (1.5, 1.25),
        "_measure_start": 0.125,
    },
    "parse": {
        "Pipeline.stream": None,
        "report_pieces": None,
        "sort_by_measure": None,
        "dodona.distributed.corpus:parse_corpus": Summary(1, 1, 1, 0),
    },
    "distill": {
        "train_command.callback": 0,
        "dodona.distributed.corpus:parse_corpus": Summary(1, 1, 1, 0),
        "dodona.distributed.corpus:list_shards": ["shard.conllu"],
        "_row": ("", 1.0, 2.0, 3.0, 4.0),
    },
    "experiment": {"carry_out": ([], []), "write": [], "tag_all": 0},
}
WATCHED["distill, of training"] = WATCHED["distill"] | {"_check_before": 0}
SUBJECT, OAK = "'pattern { e: V -[nsubj]-> S }'", "'pattern { X [form=oak] }'"
FIGURES = '{"format": 1, "words_per_reference_loop": {"tag": 2100, "text to CoNLL-U": 1050}}'
CORPUS = "gold.conllu -o shards --scheduler local"
TRAINING = "small.model long.conllu --text text.txt --dev gold.conllu -o o.model"
OUTSIDE = "covington --treebanks banks -o results"


def request(option: str, given: str, field: str, value: Any, beside: str = "") -> list[Row]:
    """An option of `parse` that reaches the pipeline here, and the ones on a cluster."""
    return [
        one(option, given, f"small.model gold.conllu {beside}", "stream", f"request.{field}", value),
        one(option, given, f"small.model {CORPUS} {beside}", "parse_corpus", f"corpus.request.{field}", value),
    ]


def of_system(command: str, beside: str) -> list[Row]:
    """Options of transition systems."""
    return [
        one("root", "--root first", beside, "system", "options.root", "first"),
        one("root_label", "--root-label dep", beside, "system", "options.root_label", "dep"),
        one("single_root", "--single-root", beside, "system", "options.single_root", True),
        one("moves", "--moves left", f"{beside} -s nonmonotonic", "system", "options.moves", "left"),
        one("reduce_label", "--reduce-label remembered", f"{beside} -s nonmonotonic", "system",
            "options.reduce_label", "remembered"),
        one("name", "-s arc-hybrid", beside, "system", "name", "arc-hybrid"),
    ]  # fmt: skip


ROWS: dict[str, list[Row]] = {
    "convert": [
        Row("target", "-o o.conllx", "gold.conllu --to conllx", wrote("o.conllx")),
        Row("form", "--from vertical", "vertical --to horizontal", lambda run: run.out == "Oak trees.\ngrow\n"),
        Row("form", "--from horizontal", "horizontal --to vertical", lambda run: run.out == "Oak\ntrees.\n\ngrow\n\n"),
        Row("to", "--to text", "gold.conllu -o o", lambda run: run.files["o"].startswith(b"She wrote him a letter. ")),
        Row("to", "--to jsonl", "gold.conllu -o o", lambda run: json.loads(run.files["o"].splitlines()[2])),
        Row("remove_marks", "--remove-marks", "marked.conllu --to conllu",
            lambda run: "# annotation" not in run.out and run.out.endswith("\troot\t_\tA=b\n\n")),
    ],
    "draw": [
        Row("diff", "--diff", "gold.conllu parsed.conllu", lambda run: "✗" in run.out),
        Row("most", "--most 1", "--diff gold.conllu parsed.conllu",
            lambda run: run.out.count("gold") == 1 and "the 1 with the most errors" in run.err),
        Row("form", "--format svg", "gold.conllu", begins("<svg")),
        Row("form", "--format html", "gold.conllu -o folder/", lambda run: "folder/oak.html" in run.files),
        Row("target", "-o o.txt", "gold.conllu", lambda run: b"wrote" in run.files["o.txt"] and not run.out),
        Row("wanted", "-n 2 -n letter", "gold.conllu", lambda run: re.findall("(?m)^[A-Z].*", run.out)
            == ["She wrote him a letter.", "The oak rustles when nobody asks."]),
        Row("width", "--width 150", "gold.conllu -n 2 --format svg", lambda run: run.out == svg_of(oak(), width=150)),
        Row("width", "--width 150", "gold.conllu -n 2 --format html",
            lambda run: svg_height(run.out) == svg_height(svg_of(oak(), width=150))),
        Row("width", "--width 150", "gold.conllu -n 2 --per-page 1 -o o.html",
            lambda run: svg_height(run.files["o.html"].decode()) == svg_height(svg_of(oak(), width=150))),
        Row("per_page", "--per-page 2", "gold.conllu -o o.html", lambda run: set(run.files) == {"o.html", "o-2.html"}),
        Row("standalone", "--standalone", "gold.conllu --format tikz", lambda run: "\\documentclass" in run.out),
    ],
    "search": [
        Row("target", "-o o.conllu", f"{SUBJECT} gold.conllu", lambda run: b"# match" in run.files["o.conllu"]),
        Row("target", "-o o.csv", f"{SUBJECT} gold.conllu --count V.form", lambda run: b"wrote" in run.files["o.csv"]),
        Row("form", "--format jsonl", f"{SUBJECT} gold.conllu", lambda run: json.loads(run.out.splitlines()[2])),
        Row("form", "--format json", f"{SUBJECT} gold.conllu --count V.form", lambda run: json.loads(run.out)[3]),
        Row("keys", "--count e.label", f"{SUBJECT} gold.conllu", lambda run: " 4 " in run.out and "100.00" in run.out),
        Row("context", "--context 1", f"{OAK} gold.conllu", lambda run: run.out.count("sent_id") == 3),
        Row("limit", "--limit 2", f"{SUBJECT} gold.conllu", lambda run: run.out.count("# match") == 2),
        Row("limit", "--limit 2", f"{SUBJECT} gold.conllu --count V.form --format tsv",
            lambda run: run.out.count("\n") == 3),
        Row("model", "--model small.model", "'pattern { X [] }' text.txt", lambda run: "# match = X:1" in run.out),
        Row("model", "--model small.model", "'pattern { X -> Y }' open.conllu",  # arcs that are there stay
            lambda run: "\ta\tDET\t_\t_\t2\tdep\t" in run.out and "\tNOUN\t_\t_\t_\t" not in run.out),
        Row("kind", "--input horizontal", "'pattern { X [] }' horizontal --model small.model",
            lambda run: "\n2\ttrees.\t" in run.out and run.out.count("\n\n") == 2),
        Row("kind", "--input vertical", "'pattern { X [] }' vertical", lambda run: "\n2\ttrees.\t" in run.out),
    ],
    "evaluate": [
        *(Row("by", f"--by {kind}", "gold.conllu parsed.conllu --format json", has_table(kind))
          for kind in ("relation", "length", "distance")),
        Row("calibration", "--calibration", "gold.conllu sure.conllu --format json",
            lambda run: {"calibration", "errors_found"} <= run.result().keys()),
        Row("diagram", "--diagram o.svg", "gold.conllu sure.conllu --format json",
            lambda run: run.files["o.svg"] == b"<svg" and run.result()["calibration"]),
        Row("confusion", "--confusion", "gold.conllu parsed.conllu --format json",
            lambda run: run.result()["confused relations"]),
        Row("worst", "--worst 1", "gold.conllu parsed.conllu --confusion --format json",
            lambda run: len(run.result()["worst sentences"]) == 1),
        Row("worst", "--worst 1", "gold.conllu parsed.conllu --confusion", lambda run: run.out.count("; of ") == 1),
        Row("worst", "--worst 6", "long.conllu one.conllu --confusion", lambda run: run.out.count("; of ") == 6),
        Row("shuffles", "--shuffles 7", "long.conllu one.conllu other.conllu --format json",
            lambda run: significance(run) == p_values(7, 1)),
        Row("seed", "--seed 5", "long.conllu one.conllu other.conllu --format json --shuffles 50",
            lambda run: significance(run) == p_values(50, 5)),
        Row("target", "-o o.json", "gold.conllu parsed.conllu", lambda run: json.loads(run.files["o.json"])),
        Row("form", "--format latex", "gold.conllu parsed.conllu", lambda run: "\\begin{tabular}" in run.out),
    ],
    "validate, watched": [
        row
        for name, fix in (("validate", ""), ("validate_chunks", " --fix -o -"))
        for row in (
            one("level", "--level 1", f"gold.conllu{fix}", name, "level", 1),
            one("language", "--lang en", f"gold.conllu{fix}", name, "language", "en"),
            one("language", "--lang en", f"gold.conllu{fix}", name, "level", 5),
            one("jobs", "--jobs 3", f"gold.conllu{fix}", name, "jobs", 3),
        )
    ],
    "validate": [
        *(Row("max_shown", "--max 2", f"bad.conllu --level 2 --format {form}",
              lambda run: len(re.findall('unknown-upos, level|"rule": "unknown-upos"', run.out)) == 2)
          for form in ("table", "jsonl", "json")),
        Row("form", "--format tsv", "bad.conllu --level 2", begins("file\tline\t")),
        Row("target", "-o o.json", "bad.conllu --level 2", lambda run: json.loads(run.files["o.json"])["findings"]),
        Row("target", "-o o.conllu", "crlf.conllu --level 2 --fix", lambda run: run.files["o.conllu"] == plain()),
        Row("fix", "--fix", "crlf.conllu --level 2 -o o.conllu", lambda run: run.files["o.conllu"] == plain()),
        Row("in_place", "--in-place", "crlf.conllu --level 2 --fix", lambda run: run.files["crlf.conllu"] == plain()),
    ],
    "stats": [
        Row("names", "-t order -t upos", "gold.conllu --format json",
            lambda run: list(run.result()) == ["files", "upos", "order"]),
        Row("training", "--train parsed.conllu", "gold.conllu --format json",
            lambda run: run.result()["summary"]["unknown words %"] == {"gold": 0.0}),
        *(Row("most", "--most 1", f"many.conllu -t ambiguity --format {form}", lambda run: run.out.count("NOUN 1") == 1)
          for form in ("table", "json", "tsv", "latex")),
        Row("form", "--format tsv", "gold.conllu -t upos", begins("\twords\t%\n")),
        Row("form", "--format csv", "gold.conllu -t upos", begins(",words,%\n")),
        Row("swaps", "--swaps", "gold.conllu", lambda run: "EAGER" in run.out),
        *(Row("target", f"-o {file}", f"gold.conllu {beside}", wrote(file))
          for beside in ("", "-t upos", "--swaps") for file in ("o.txt", "o.csv", "o.html")),
        *(Row("form", "--format json", f"gold.conllu {beside}", lambda run: json.loads(run.out))
          for beside in ("", "-t upos", "--swaps")),
    ],
    "oracle": [
        one("text", "--text 'the oak answers .'", "--model small.model", "derive", "heads", [2, 3, 0, 3]),
        one("model", "--model other.model", "--text 'the oak.'", "parse_sentence", "model", "other.model"),
        one("heads", "--heads '2 0 2'", "", "derive", "heads", [2, 0, 2]),
        one("words", "--words 'a b c'", "--heads '2 0 2'", "derive", "words", ["a", "b", "c"]),
        one("labels", "--labels 'a root b'", "--heads '2 0 2'", "derive", "labels", ["a", "root", "b"]),
        Row("labels", "--labels 'a root'", "--verify 1", lambda run: run.got("system", "labels")[0] == ["a", "root"]),
        Row("max_words", "--verify 2", "-s arc-hybrid", lambda run: set(run.got("verify", "n")) == {1, 2}),
        Row("list_systems", "--list", "", lambda run: "Transition systems" in run.out),
        Row("name", "-s covington", "--verify 1", lambda run: set(run.got("system", "name")) == {"covington"}),
        Row("single_root", "--single-root", "--verify 1", lambda run: all(run.got("system", "options.single_root"))),
        Row("root", "--root first", "--verify 1", lambda run: set(run.got("system", "options.root")) == {"first"}),
        *(Row("sentence", f"-n {name}", "gold.conllu", lambda run: run.got("derive", "words")[0][1] == "oak")
          for name in ("2", "oak")),
        one("sentence", "-n 2", "--text 'The oak. The dove.' --model small.model", "parse_sentence", "wanted", "2"),
        Row("import", "--import no.such", "gold.conllu", lambda run: "--import no.such: No module named" in run.err),
        one("oracle_name", "--oracle lazy", "gold.conllu -s swap-standard", "derive", "oracle", "lazy"),
        one("history", "--history 'SHIFT SHIFT'", "gold.conllu", "derive", "history", ["SHIFT", "SHIFT"]),
        one("unlabelled", "--unlabelled", "gold.conllu", "system", "labels", None),
        one("unlabelled", "--unlabelled", "--heads '2 0' --labels 'a b'", "derive", "labels", None),
        one("approximate", "--approximate", "gold.conllu", "derive", "approximate", True),
        *of_system("oracle", "--heads '2 0 2'"),
        *(Row("form", f"--format {form}", "gold.conllu", begins(mark))
          for form, mark in (("html", "<!DOCTYPE"), ("latex", "%"), ("json", "{"), ("csv", ","))),
        *(Row("target", f"-o o.{end}", "gold.conllu", wrote(f"o.{end}"))
          for end in ("html", "tex", "json", "csv", "txt")),
    ],
    "lattice": [
        Row("sentence", "-n 2", "gold.conllu", lambda run: "rustles" in run.out),
        Row("heads", "--heads '2 0 2'", "", lambda run: "ROOT | 1 2 3" in run.out),
        Row("words", "--words 'a b c'", "--heads '2 0 2'", lambda run: "ROOT | a b c" in run.out),
        *of_system("lattice", "--heads '2 0 2'"),
        Row("oracle_name", "--oracle nd-sw", "--heads '2 0 2'", lambda run: "swap-standard, nd-sw:" in run.out),
        Row("labelled", "--labelled", "gold.conllu --format json", lambda run: "LEFT:nsubj" in run.out),
        *(Row("form", f"--format {form}", "--heads '2 0 2'", begins(mark))
          for form, mark in (("svg", "<svg"), ("dot", "digraph"), ("json", "{"))),
        *(Row("target", f"-o o.{end}", "--heads '2 0 2'", wrote(f"o.{end}"))
          for end in ("svg", "dot", "json", "txt")),
        Row("max_nodes", "--max-nodes 8", "--heads '2 0 2'", lambda run: run.out.count("\n") == 1),
        Row("max_nodes", "--max-nodes 8", "--heads '2 0 2' --format svg", lambda run: "(--max-nodes 8)" in run.err),
        Row("max_nodes", "--max-nodes 8", "--heads '2 0 2' --format json", lambda run: '"nodes": null' in run.out),
        Row("max_configurations", "--max-configurations 8", "--heads '2 0 2'", lambda run: "than 8 conf" in run.err),
    ],
    "cite": [Row("target", "-o o.bib", "arc-eager", lambda run: b"Nivre" in run.files["o.bib"] and not run.out)],
    "models": [],
    "info": [Row("models", "--models", "small.model", lambda run: "expected only one" in run.err)],
    "package": [
        Row("language", "--language ga", "small.model --name xx --licence L --version 1.5",
            lambda run: "- language: ga\n" in wheel(run, "xx", "1.5")),
        Row("name", "--name xx", "small.model --language ga --licence L --version 1.5",
            lambda run: "Name: dodona-model-xx\n" in wheel(run, "xx", "1.5")),
        Row("licence", "--licence L", "small.model --language ga", lambda run: "License: L\n" in wheel(run, "ga")),
        Row("version", "--version 1.5", "small.model --language ga --licence L",
            lambda run: "Version: 1.5\n" in wheel(run, "ga", "1.5")),
        Row("output", "-o folder", "small.model --language ga --licence L", lambda run: wheel(run, "ga", at="folder/")),
    ],
    "bench": [
        one("seconds", "--seconds 0.5", "small.model text.txt", "measure_speed", "seconds", 0.5),
        one("threads", "--threads 3", "small.model text.txt", "measure_threads", "threads", 3),
        Row("target", "-o o.json", "small.model text.txt --threads 3",
            lambda run: {key: value for key, value in json.loads(run.files["o.json"]).items()
                         if key not in ("dodona", "machine", "memory_megabytes")} == {
                "format": 1, "model": "small.model", "words": 2000, "rounds": 3, "words_per_second": 1000,
                "microseconds_per_word": {"tag": 500.0, WHOLE: 1000.0},
                "words_per_reference_loop": {"tag": 2000.0, WHOLE: 1000.0},
                "threads": {"number": 3, "speed": 1.5, "processor": 1.25}, "start_seconds": 0.125}),
        Row("before", "--compare figures.json", "small.model text.txt",
            lambda run: run.out.endswith(f"  tag                -4.8 %\n  {WHOLE}    -4.8 %\n")),
        Row("tolerance", "--tolerance 4", "small.model text.txt --compare figures.json",
            lambda run: run.code == 1 and run.err.endswith("slower: text to CoNLL-U by 4.8 %; expected at most 4 %\n")),
    ],
    "parse": [
        Row("output", "-o o.conllu", "small.model gold.conllu", wrote("o.conllu")),
        Row("each", "--each", "small.model gold.conllu -o folder", lambda run: run.files["folder/gold.conllu"]),
        Row("kind", "--input vertical", "small.model vertical", lambda run: "\n2\ttrees.\t" in run.out),
        one("kind", "--input vertical", f"small.model {CORPUS}", "parse_corpus", "corpus.kind", "vertical"),
        Row("form", "--format jsonl", "small.model gold.conllu", lambda run: json.loads(run.out.splitlines()[2])),
        Row("retag", "--retag", "small.model gold.conllu", lambda run: "\tPRON\t" not in run.out),
        one("retag", "--retag", f"small.model {CORPUS}", "parse_corpus", "corpus.retag", True),
        *request("beam", "--beam 2", "beam", 2),
        *request("nbest", "--nbest 2", "nbest", 2, "--beam 4"),
        *request("confidence", "--confidence", "confidence", True),
        *request("constrained", "--constrained", "constrained", True),
        *request("max_length", "--max-length 3", "max_length", 3),
        *request("timeout", "--timeout 60", "timeout", 60.0),
        *(Row(name, f"--{name.replace('_', '-')} 60", "small.model gold.conllu", lambda run: run.calls["report_pieces"])
          for name in ("max_length", "timeout")),
        one("sort", "--sort errors", "small.model gold.conllu --confidence", "sort_by_measure", "measure", "errors"),
        Row("committee", "--committee other.model --committee small.model",
            "small.model gold.conllu --confidence --sort disagreement",
            lambda run: [len(others) for others in run.got("sort_by_measure", "committee")] == [2]),
        one("jobs", "--jobs 2", "small.model gold.conllu", "stream", "jobs", 2),
        one("jobs", "--jobs 7", f"small.model {CORPUS}", "parse_corpus", "cluster.jobs", 7),
        one("scheduler", "--scheduler tcp://a:1", "small.model gold.conllu -o shards", "parse_corpus",
            "cluster.scheduler", "tcp://a:1"),
        one("scheduler_tls", "--scheduler-tls keys", "small.model gold.conllu -o o --scheduler tls://a:1",
            "parse_corpus", "cluster.tls", "keys"),
        one("shard_size", "--shard-size 0.5", f"small.model {CORPUS}", "parse_corpus", "corpus.size", 500_000),
    ],
    "distill": [
        one("output", "-o other.model", TRAINING, "callback", "output", "other.model"),
        one("dev", "--dev parsed.conllu", TRAINING, "callback", "dev", "parsed.conllu"),
        Row("dev", "--dev parsed.conllu", f"{TRAINING} --format json",
            lambda run: run.result()["files"] == ["parsed.conllu"] and len(run.calls["_row"]) == 2 and all(
                gold[2].heads[6] == 4 for gold in run.got("_row", "gold"))),
        Row("text", "--text horizontal --text vertical", TRAINING,
            lambda run: [list(map(os.path.basename, files)) for files in run.got("parse_corpus", "corpus.files")]
            == [["text.txt", "horizontal", "vertical"]]),
        one("kind", "--input horizontal", TRAINING, "parse_corpus", "corpus.kind", "horizontal"),
        Row("cache", "--cache c", TRAINING, lambda run: run.got("parse_corpus", "folder") == [str(run.folder / "c")]),
        Row("baseline", "--baseline", f"{TRAINING} --silver s.conllu --silver-words 9",
            lambda run: [(call["silver"], call["options"]["silver_words"]) for call in run.calls["callback"]]
            == [((), None), (("s.conllu", "shard.conllu"), 9)]),
        one("silver", "--silver s.conllu", TRAINING, "callback", "silver", ("s.conllu", "shard.conllu")),
        one("scheduler", "--scheduler tcp://a:1", TRAINING, "parse_corpus", "cluster.scheduler", "tcp://a:1"),
        one("shard_size", "--shard-size 0.5", TRAINING, "parse_corpus", "corpus.size", 500_000),
        one("jobs", "--jobs 3", f"{TRAINING} --scheduler local", "parse_corpus", "cluster.jobs", 3),
        Row("form", "--format tsv", TRAINING, begins("files\t")),
    ],
    "experiment": [
        Row("wants_list", "--list", "", lambda run: "what it shows" in run.out),
        Row("treebanks", "--treebanks banks", "covington -o results",
            lambda run: [each.name for each in run.got("write", "plan.treebanks")[0]] == ["de_b", "en_a"]),
        Row("only", "--only en_a", OUTSIDE, lambda run: len(run.got("write", "plan.treebanks")[0]) == 1),
        one("seeds", "--seeds 3", OUTSIDE, "write", "plan.seeds", 3),
        one("beam_seeds", "--beam-seeds 3", OUTSIDE, "write", "plan.beam_seeds", 3),
        one("iterations", "--iterations 3", OUTSIDE, "write", "plan.iterations", 3),
        one("beam", "--beam 3", OUTSIDE, "write", "plan.beam", 3),
        one("tags", "--tags predicted", OUTSIDE, "write", "plan.tags", "predicted"),
        one("limit", "--limit 3", OUTSIDE, "write", "plan.limit", 3),
        one("neural", "--no-neural", OUTSIDE, "write", "plan.neural", False),
        one("encoders", "--encoders folder", OUTSIDE, "write", "plan.encoders", {"en": "folder/en.encoder"}),
        *(one("jobs", f"--jobs {jobs}", f"{OUTSIDE}{more}", name, "cluster.jobs", jobs)
          for jobs in (0, 7) for name, more in (("carry_out", ""), ("tag_all", " --tags predicted"))),
        one("scheduler", "--scheduler tcp://a:1", OUTSIDE, "carry_out", "cluster.scheduler", "tcp://a:1"),
        one("scheduler_tls", "--scheduler-tls k", f"{OUTSIDE} --scheduler tls://a:1", "carry_out", "cluster.tls", "k"),
        one("runs", "--runs folder", OUTSIDE, "carry_out", "store.folder", Path("folder")),
        Row("no_runs", "--no-runs", OUTSIDE, lambda run: "carry_out" not in run.calls and "write" in run.calls),
        one("out", "-o o", "covington --treebanks banks", "write", "folder", Path("o/covington")),
    ],
}  # fmt: skip


SIGNS = "<&>\"'|\\{}$%#_^~*`[]"
ROWS_OF_SIGNS = (
    f"1-2\t{SIGNS}x\t_\t_\t_\tTypo=Yes\t_\t_\t_\tSpaceAfter=No|Note=a,b",
    f"1\t{SIGNS}\t{SIGNS}\tSYM\t{SIGNS}\tA=1|B[x]=2,3\t2\tdep:{SIGNS}\x07\t2:dep|2.1:ref\tNote={SIGNS}",
    "2\tx, y;\tx y\tX\t_\t_\t0\troot\t0:root\t_",
    "2.1\tz\tz\tX\tZ\tA=1\t_\t_\t1:dep\tNote=1",
    "3\t\u05d0\u05d1\t=1+1\tNOUN\t_\t_\t2\tnsubj\t2:nsubj\tSpacesAfter=\\s\\t",
    "4\t_\t_\tPUNCT\t_\t_\t2\tpunct\t2:punct\tConfidence=0.5",
)
STRANGE = (
    f"# sent_id = s/{SIGNS}\x1b\n# nbest = 2\n# score = -0.5\n# text = {SIGNS}x\u05d0\u05d1 \t_\n# note = {SIGNS}\n"
    + "\n".join(ROWS_OF_SIGNS)
)
STRANGE += "\n\n# newpar\n# sent_id = 2\n# text = Oak\n1\tOak\toak\tNOUN\t_\t_\t0\troot\t0:root\t_\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read."""
    path = tmp_path_factory.mktemp("options")
    gold = read_all(SENTENCES)
    text = SENTENCES.read_text("utf-8")
    (path / "gold.conllu").write_text(text, "utf-8")
    wrong = {"\t2\tiobj": "\t2\tobj", "\t3\tnsubj": "\t3\tobj", "\t2\tnmod": "\t4\tnmod"}
    open_arcs = {"a\tDET\t_\t_\t5\tdet": "a\tDET\t_\t_\t2\tdep", "2\tnmod": "4\tnmod", "2\tobj\t": "_\t_\t"}
    for name, changes in (("parsed", wrong), ("open", open_arcs)):
        changed = text
        for old, new in changes.items():
            changed = changed.replace(old, new)
        (path / f"{name}.conllu").write_text(changed, "utf-8")
    for sentence in gold:
        sentence.set_column("misc", ["Confidence=0.9"] * len(sentence))
    write(gold, path / "sure.conllu")
    for name, sentences in zip(("long", "one", "other"), long_treebanks(), strict=True):
        write(sentences, path / f"{name}.conllu")
    (path / "marked.conllu").write_text(
        "# annotation = open\n1\tw\tw\tX\t_\t_\t0\troot\t_\tA=b|Confirmed=arc|Changed=upos\n\n"
    )
    rows = [f"{i}\tw{i // 2}\t_\t{'NOUN' if i % 2 else 'VERB'}\t_\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, 20)]
    (path / "many.conllu").write_text("".join(rows) + "\n")
    (path / "strange.conllu").write_text(STRANGE, "utf-8")
    (path / "wrong.conllu").write_text(STRANGE.replace("\tnsubj\t", "\tobj\t").replace("\tX\t", "\tSYM\t"), "utf-8")
    sure = ("0.9", "0.99", "1", "0.4", "0.95", "0.7")
    parsed = read_all(path / "parsed.conllu")
    for sentence in parsed:
        sentence.set_column(
            "misc", [f"Confidence={sure[(len(sentence) + d) % len(sure)]}" for d in range(len(sentence))]
        )
        sentence.set_column("upos", ["X" if tag == "ADP" else tag for tag in sentence.upos])
    write(parsed, path / "unsure.conllu")
    (path / "bad.conllu").write_bytes(BAD["unknown-upos"] * 3)
    (path / "crlf.conllu").write_bytes(plain().replace(b"\n", b"\r\n"))
    (path / "text.txt").write_text("the oak answers. the dove hears.\n")
    (path / "horizontal").write_text("Oak trees.\ngrow\n")
    (path / "vertical").write_text("Oak\ntrees.\n\ngrow\n\n")
    (path / "figures.json").write_text(FIGURES)
    whole().save(path / "small.model")
    linear("arc-hybrid").save(path / "other.model")
    treebank_folder(path / "banks", "en_a", "de_b")
    (path / "folder").mkdir()
    (path / "folder" / "en.encoder").touch()
    return path


def watch(group: str, calls: dict[str, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch) -> None:
    for place, result in WATCHED.get(group, {}).items():
        module, _, path = place.rpartition(":")
        owner: Any = import_module(module or f"dodona.cli.commands.{command_of(group)}")
        *owners, name = path.split(".")
        for each in owners:
            owner = getattr(owner, each)
        monkeypatch.setattr(owner, name, watcher(getattr(owner, name), calls.setdefault(name, []), result))


def watcher(function: Callable[..., Any], calls: list[dict[str, Any]], result: Any) -> Callable[..., Any]:
    signature = inspect.signature(function)

    def call(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        calls.append(dict(bound.arguments))
        return function(*arguments, **named) if result is None else result

    return call


def command_of(group: str) -> str:
    return group.partition(",")[0]


@pytest.fixture(scope="module")
def run(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Run]:
    @cache
    def run(group: str, words: str) -> Run:
        place = tmp_path_factory.mktemp("run") / "here"
        shutil.copytree(folder, place, copy_function=os.link)
        calls: dict[str, list[dict[str, Any]]] = {}
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.chdir(place)
            watch(group, calls, monkeypatch)
            done = call_dodona(command_of(group), *shlex.split(words))
        files = {}
        for path in filter(Path.is_file, place.rglob("*")):
            name = str(path.relative_to(place))
            if not (folder / name).exists() or not path.samefile(folder / name):
                files[name] = path.read_bytes()
        shutil.rmtree(place)
        return Run(done.returncode, done.stdout, done.stderr, files, {k: v for k, v in calls.items() if v}, place)

    return run


CASES = [(group, row) for group, rows in ROWS.items() for row in rows]


@pytest.mark.filterwarnings("ignore:.*sent_id")
@pytest.mark.parametrize(("group", "row"), CASES, ids=[f"{group} {row.given}, {row.beside}" for group, row in CASES])
def test_an_option(group: str, row: Row, run: Callable[[str, str], Run]) -> None:
    done = run(group, f"{row.beside} {row.given}")
    assert row.holds(done), done
    without = run(group, row.beside)
    try:
        holds = row.holds(without)
    except (KeyError, IndexError, ValueError):  # there is nothing to look at
        holds = False
    assert not holds, without


RESULTS = {
    "evaluate.csv": "evaluate gold.conllu unsure.conllu --by relation --by length --by distance --calibration "
    "--confusion --format csv",
    "worst.csv": "evaluate strange.conllu wrong.conllu --confusion --format csv",
    "significance.csv": "evaluate gold.conllu parsed.conllu sure.conllu --shuffles 50 --format csv",
    "stats.csv": "stats strange.conllu gold.conllu --train parsed.conllu --format csv",
    "validate.json": "validate bad.conllu crlf.conllu --level 2 --max 1 --format json",
    "repair.json": "validate crlf.conllu strange.conllu --level 2 --fix --in-place --format json",
    "validate.txt": "validate bad.conllu strange.conllu --level 2 --max 1",
    "validate.tsv": "validate strange.conllu --level 2 --format tsv",
    "search.jsonl": f"search {SUBJECT} strange.conllu gold.conllu --limit 2 --context 1 --format jsonl",
    "search.csv": f"search {SUBJECT} gold.conllu --count e.label,V.form,S.upos,e.delta,e.length,file --format csv",
    "oracle.json": "oracle --heads '2 0 2' --words 'a b c' --labels 'x root y' --format json",
    "oracle.csv": "oracle --heads '2 0 2' --words 'a b c' --labels 'x root y' -s swap-standard --format csv",
    "lattice.json": "lattice --heads '2 0' --words 'a b' --format json",
    **{f"convert.{form}": f"convert strange.conllu --to {form}" for form in convert.FORMATS},
    **{f"draw.{form}": f"draw strange.conllu --format {form}" for form in ("tree", "markdown", "tikz")},
    "draw.diff": "draw --diff gold.conllu parsed.conllu",
}
"""What is compared as a whole with a file of this name."""


def write_result(name: str, run: Callable[[str, str], Run]) -> str:
    """Numbers are rounded: their last digits depend on the processor."""
    command, words = RESULTS[name].split(" ", 1)
    done = run(f"{command}, whole", words)
    text = done.out + "".join(f"stderr: {line}\n" for line in done.err.splitlines())
    return re.sub(r"\d+\.\d{7,}", lambda number: f"{float(number[0]):.6f}", text)


@pytest.mark.filterwarnings("ignore:.*sent_id")
@pytest.mark.parametrize("name", RESULTS)
def test_whole_results(name: str, run: Callable[[str, str], Run]) -> None:
    """All that is written, and what is said beside it. If something was changed on purpose, what this test shows takes
    the place of what is in the file."""
    listed = Path(__file__).parent.joinpath("results", name).read_text("utf-8")
    found = write_result(name, run)
    assert found == listed, "\n".join(difflib.unified_diff(listed.splitlines(), found.splitlines(), lineterm=""))


def test_options_of_training_pass_through_distill(run: Callable[[str, str], Run]) -> None:
    words, expected = [TRAINING], {}
    for option in train_command.params:
        if isinstance(option, click.Option) and option in distill.params and option.name != "silver":
            value = other_value(option)
            value = ",".join(value) if isinstance(value, list) else value
            words.append(f"{option.opts[-1]}{'' if option.is_flag else f' {shlex.quote(str(value))}'}")
            expected[option.name] = (str(value),) if option.multiple else option.is_flag or value
    done = run("distill, of training", " ".join(words))
    assert done.code == 0, done.err
    (call,) = done.calls["callback"]
    given = call | call["options"]
    assert {name: str(given[str(name)]) for name in expected} == {name: str(value) for name, value in expected.items()}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ELSEWHERE])
def test_every_option_has_a_row(name: str) -> None:
    command = dodona.get_command(click.Context(dodona), name)
    assert command is not None
    shared = train_command.params if name == "distill" else []
    options = {each.name for each in command.params if isinstance(each, click.Option) and each not in shared}
    tried = {row.option for group, row in CASES if command_of(group) == name}
    assert options - {None} <= tried
    assert tried <= {each.name for each in command.params}


OPTIONS = {
    f"{name} {option.opts[-1]}": option
    for name in COMMANDS
    for option in dodona.get_command(click.Context(dodona), name).params  # type: ignore[union-attr]
    if isinstance(option, click.Option) and name not in ("annotate", "serve")
    if name not in ("distill", "crossvalidate") or option not in train_command.params
}
ABOVE_0 = 1e-9
LEAST = {
    "draw --width": 100, "train --folds": 2, "crossvalidate --folds": 2, "experiment --beam": 2,
    "experiment --limit": 2,
    "train --explore-after": 0, "evaluate --worst": 0, "evaluate --seed": 0, "validate --max": 0, "search --context": 0,
    "experiment --jobs": 0, "parse --timeout": ABOVE_0, "parse --shard-size": ABOVE_0, "distill --shard-size": ABOVE_0,
    "pretrain --minutes": ABOVE_0,
}  # fmt: skip
"""What a number may be at least, where that is not 1."""
MOST = {"parse --beam": 10_000, "train --beam": 10_000}
DEFAULTS = {
    "parse --nbest": 1, "parse --jobs": 1, "train --scorer": "linear", "train --tags": "predicted", "train --folds": 10,
    "train --beam": 1, "train --explore": 0.9, "train --explore-after": 1, "train --update": "perceptron",
    "train --nonprojective": "head", "train --pretrained-rate": 1.0, "train --device": "auto",
    "train --vectors-size": 10.0, "train --size": 12.0, "train --seed": 1, "pretrain --seed": 1, "pretrain --layers": 3,
    "pretrain --width": 192, "pretrain --embedding": 80, "pretrain --subwords": 10_000, "pretrain --vocabulary": 20_000,
    "pretrain --dropout": 0.4, "distill --shard-size": 2.0, "distill --format": "table", "evaluate --worst": 5,
    "evaluate --shuffles": 10_000, "evaluate --seed": 1, "crossvalidate --most": 100, "crossvalidate --seeds": 3,
    "crossvalidate --folds": 10, "crossvalidate --split": "blocks", "crossvalidate --format": "table",
    "convert --from": "auto", "package --version": __version__, "package --output": ".", "oracle --system": "arc-eager",
    "oracle --sentence": "1", "lattice --sentence": "1", "lattice --system": "swap-standard",
    "lattice --max-nodes": 400,
    "lattice --max-configurations": 100_000, "experiment --seeds": 5, "experiment --tags": "gold",
    "experiment --neural": True, "bench --seconds": 30.0, "bench --tolerance": 5.0,
}  # fmt: skip
"""What is taken without an option, beside `-` for --output, `auto` for --input, 0 for --context and nothing."""


def test_the_limits_of_every_number() -> None:
    """One at the limit is taken, and one beyond it is not."""
    ranges = {name: each for name, each in OPTIONS.items() if isinstance(each.type, click.IntRange | click.FloatRange)}
    assert LEAST.keys() | MOST.keys() <= ranges.keys()
    for name, option in ranges.items():
        least, most = LEAST.get(name, 1), MOST.get(name)
        for value in (least, *((most,) if most is not None else (10**6,))):
            assert option.type.convert(value, None, None) == value, name
        for value in (least - (1 if least != ABOVE_0 else ABOVE_0), *((most + 1,) if most is not None else ())):
            with pytest.raises(click.BadParameter):
                option.type.convert(value, None, None)


def test_every_default() -> None:
    context = click.Context(dodona)
    found = {name: option.get_default(context) for name, option in OPTIONS.items()}
    usual = {"--output": "-", "--input": "auto", "--context": 0}
    for name, value in found.items():
        if name not in DEFAULTS:
            nothing = (None, False, (), getattr(click.core, "UNSET", None))
            assert value in (*nothing, usual.get(name.split()[1])), name
    assert {name: found[name] for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize("command", ["train", "oracle", "lattice"])
def test_help_says_what_options_of_systems_mean(command: str) -> None:
    rows = {
        "root": "arc-eager: where ROOT stands: last, first, attach.",
        "moves": "nonmonotonic: what may be repaired: both, left, reduce.",
        "reduce_label": "nonmonotonic: the label of a repairing REDUCE: predicted, remembered.",
    }
    found = dodona.get_command(click.Context(dodona), command)
    assert found is not None
    assert {
        each.name: each.help for each in found.params if isinstance(each, click.Option) and each.name in rows
    } == rows


def test_a_model_says_what_it_is(tmp_path: Path) -> None:
    """In a list, what its page and its record say; control characters are not shown."""
    model = Pipeline(linear("arc-hybrid").parser)
    model.about = {"data": "a\x1b[1mb", "licence": "free", "dev": {"LAS": 81.5}}
    file = tmp_path / "some.model"
    model.save(file)
    size = f"{file.stat().st_size / 1e6:.1f} MB"
    assert describe_model("some", file) == ("some", "", "linear", size, "81.5", "a\x1b[1mb", "free")
    shown = call_dodona("info", file).stdout
    assert "\x1b" not in shown
    assert "a\ufffd[1mb" in shown
    file.with_suffix(".md").write_text("# x\n\n- language: Irish\n- licence: CC0\n")
    assert describe_model("some", file) == ("some", "Irish", "linear", size, "81.5", "a\x1b[1mb", "CC0")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("evaluate gold.conllu parsed.conllu", "Evaluation"), ("stats gold.conllu", "Statistics"),
        ("stats gold.conllu --swaps", "Swaps"), ("validate bad.conllu --level 2", "Findings"),
        ("draw gold.conllu", "Dependency trees"), ("parse small.model gold.conllu", "Dependency trees"),
        ("distill " + TRAINING, "Distillation"), ("oracle gold.conllu", "arc-eager · static oracle"),
    ],
)  # fmt: skip
def test_titles_of_pages(words: str, title: str, run: Callable[[str, str], Run]) -> None:
    command, beside = words.split(" ", 1)
    if "-o" in beside:
        pages = run(command, f"{beside} --format html").out
    else:
        pages = run(command, f"{beside} -o o.html").files["o.html"].decode()
    assert re.findall("<title>(.*?)</title>", pages)[0] == title  # pictures have some, too
