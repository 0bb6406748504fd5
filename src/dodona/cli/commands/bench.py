"""`dodona bench`: how fast a model is on this machine."""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, TextColumn

from dodona import __version__
from dodona.cli.options import integer, option
from dodona.cli.outputs import choose_format, write_text
from dodona.cli.progress import open_bar
from dodona.data.files import chunks
from dodona.data.formats import decode_text, detect_format, read_stream
from dodona.data.spacing import raw_text
from dodona.data.stream import only_sentences
from dodona.errors import DodonaError, FormatError
from dodona.evaluation.speed import WHOLE, Speed, measure_speed, measure_threads
from dodona.pipeline.models import model_path
from dodona.pipeline.pipeline import NO_TOKENIZER, Pipeline, collect_rarely
from dodona.pipeline.processes import available_cores
from dodona.tables import format_json

FORMAT = 1
STARTS = 5
LEAST_WORDS = 1000


@click.command("bench", short_help="Measure how fast a model is on this machine.")
@click.argument("model")
@click.argument("file")
@option("--seconds N", "How long to measure; longer is more precise.", default=30.0)
@integer("--threads", "Threads to try too. [default: all cores]")
@option("-o, --output FILE.json", "Write the figures to this file too.", name="target")
@option("--compare OLD", "Compare with a file of -o; exit code 1 if something became slower.", name="before")
@option("--tolerance PERCENT", "With --compare: how much slower is not yet slower.", default=5.0)
def bench(
    model: str, file: str, seconds: float, threads: int | None, target: str | None, before: str | None, tolerance: float
) -> None:
    """Measure how fast MODEL parses FILE: a text, or a treebank, whose text is taken.

    \b
    dodona bench en novel.txt
    dodona bench en-fast novel.txt -o before.json
    dodona bench en-fast novel.txt --compare before.json

    Words per second of processor time on one core, the best of several rounds; microseconds that a word takes in each
    stage; what more threads bring; how long one sentence takes from the start of the program to its end; memory.
    """
    if target is not None:
        choose_format(target, None, ["json"], "json")
    old = _read_figures(before) if before is not None else None
    text = _read_text(file)
    path = model_path(model)
    pipeline = Pipeline.load(path)
    if pipeline.tokenizer is None:
        raise DodonaError(f"{model}: {NO_TOKENIZER}")
    with collect_rarely(), open_bar(TextColumn("measuring"), BarColumn()) as bar:
        task = bar.add_task("", total=1.0)
        speed = measure_speed(pipeline, text, seconds, lambda done: bar.update(task, completed=done))
        if speed.words < LEAST_WORDS:
            raise FormatError(f"{file}: {speed.words} words; expected at least {LEAST_WORDS:,}, to measure well")
        threads = threads or available_cores()
        ratios = measure_threads(pipeline, text, threads) if threads > 1 else None
    figures = _collect_figures(model, speed, threads, ratios, _measure_start(path))
    _show(figures, speed)
    if target is not None:
        write_text(format_json(figures), target)
    if old is not None:
        _compare(old, figures, tolerance)


def _read_text(file: str) -> str:
    format, content = detect_format(chunks(file), file)
    if format == "text":
        return "".join(decode_text(content, file))
    return raw_text(only_sentences(read_stream(format, content, file)))


def _measure_start(model: Path) -> float:
    """Seconds from the start of the program to its end, with one short sentence in between."""
    command = [sys.executable, "-m", "dodona", "parse", str(model), "Oak leaves rustle."]
    seconds = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def _collect_figures(
    model: str, speed: Speed, threads: int, ratios: tuple[float, float] | None, start: float
) -> dict[str, Any]:
    shared = None
    if ratios is not None:
        shared = {"number": threads, "speed": round(ratios[0], 3), "processor": round(ratios[1], 3)}
    return {
        "format": FORMAT,
        "dodona": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "model": model,
        "words": speed.words,
        "rounds": speed.rounds,
        "words_per_second": round(speed.words / speed.seconds[WHOLE]),
        "microseconds_per_word": {name: round(speed.microseconds(name), 3) for name in speed.seconds},
        "words_per_reference_loop": {name: round(speed.relative(name), 2) for name in speed.seconds},
        "threads": shared,
        "start_seconds": round(start, 3),
        "memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _show(figures: dict[str, Any], speed: Speed) -> None:
    click.echo(
        f"{figures['model']}: {figures['words']:,} words, best of {figures['rounds']} rounds; {figures['machine']}"
    )
    click.echo(f"  {figures['words_per_second']:,} words per CPU second from text to CoNLL-U")
    stages = (f"{name} {speed.microseconds(name):.2f}" for name in speed.seconds if name != WHOLE)
    click.echo(f"  µs a word: {', '.join(stages)}")
    if figures["threads"] is not None:
        number, faster, dearer = figures["threads"].values()
        click.echo(f"  {number} threads: {faster:.2f} times as fast, {dearer:.2f} times the CPU")
    click.echo(f"  one sentence from start to end: {figures['start_seconds']:.2f} s; {figures['memory_megabytes']} MB")


def _read_figures(file: str) -> dict[str, Any]:
    try:
        figures: dict[str, Any] = json.loads(b"".join(chunks(file)))
        if figures["format"] != FORMAT or not isinstance(figures["words_per_reference_loop"], dict):
            raise ValueError("another format")
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{file}: {error}; expected what `dodona bench -o` wrote") from None
    return figures


def _compare(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> None:
    """Speed in relation to the reference loop of the same run."""
    before, after = (each["words_per_reference_loop"] for each in (old, new))
    click.echo("Speed in relation to a reference loop, new against old:")
    changes = {name: 100 * (after[name] / before[name] - 1) for name in after if name in before}
    for name, change in changes.items():
        click.echo(f"  {name:<16} {change:+6.1f} %")
    if changes.get(WHOLE, 0.0) < -tolerance:
        raise DodonaError(f"slower: {WHOLE} by {-changes[WHOLE]:.1f} %; expected at most {tolerance:g} %")
