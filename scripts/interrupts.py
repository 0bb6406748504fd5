"""Presses Ctrl-C in every command at several moments, and fails if one does not end as it should.

    python scripts/interrupts.py [--moments N] [--seconds S] [--limit S] [COMMAND …]

Each command works on a treebank made of examples/sentences.conllu, in a folder and a process group of its own. First
it runs undisturbed, for --seconds at most; then SIGINT comes at N moments that are spread over that time. It must end
within --limit seconds with the exit status 130, without a traceback, and leave neither processes nor files behind,
except those from which it goes on later; or it had ended before, or Python had not yet begun with it. Prints a row for
each command: what came of it, and the longest time that it took to end. On a busy machine that time is the machine's as
well.
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIES = 300  # of the sentences
OUTCOMES = "130", "0", "ended before", (EARLY := "not yet begun")
PATIENCE = 60.0  # seconds, until a command that does not end is killed
LINES = {
    "parse": "parse en in.conllu --retag --jobs 2 -o out.conllu",
    "train": "train in.conllu --dev in.conllu -o out.model --jobs 2",
    "train with silver": "train in.conllu --dev in.conllu --silver in.conllu --scorer neural -o out.model",
    "train with text": "train in.conllu --dev in.conllu --text in.txt --scorer neural -o out.model",
    "pretrain": "pretrain in.txt -o out.encoder",
    "distill": "distill en-fast in.conllu --dev in.conllu --text in.txt -o out.model",
    "evaluate": "evaluate in.conllu in.conllu in.conllu --shuffles 100000",
    "crossvalidate": "crossvalidate in.conllu --jobs 2 -o out.conllu",
    "suspects": "crossvalidate in.conllu --suspects out.html --folds 2 --seeds 2",
    "validate": "validate in.conllu",
    "convert": "convert in.conllu --to vertical -o out.txt",
    "draw": "draw in.conllu -o out.html",
    "search": "search 'pattern { V [upos=VERB]; V -> S }' in.conllu -o out.conllu",
    "info": "info en",
    "models": "models",
    "package": "package en-fast --name oaks --language ga --licence none -o out",
    "stats": "stats in.conllu",
    "oracle": "oracle --verify 4 --system swap-standard",
    "lattice": "lattice in.conllu -n 2 -o out.svg",
    "experiment": "experiment systems --treebanks bank -o out",
    "bench": "bench en-fast in.conllu",
    "annotate": "annotate bank/en_oaks --text in.txt --model en-fast --port 0",
    "serve": "serve en-fast --port 0",
    "cite": "cite",
}
KEPT = {
    "annotate": "bank/en_oaks",
    "distill": "out.model.silver",
    "experiment": "out",
    "pretrain": "out.encoder",
    "train with silver": "out.model.checkpoint",
    "train with text": "out.",
}
"""How the names begin of what a command goes on from when it is called again."""


@dataclass
class Verdicts:
    """What came of the signals to one command."""

    slowest: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@contextmanager
def work_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dodona-interrupts-") as name:
        folder = Path(name)
        sentences = (ROOT / "examples" / "sentences.conllu").read_bytes()
        (folder / "in.conllu").write_bytes(sentences * COPIES)
        (folder / "in.txt").write_text("Oak trees grow slowly. The oracle answers in the wind.\n" * 20 * COPIES)
        for part in ("train", "dev", "test"):
            (folder / "bank" / "en_oaks").mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "in.conllu", folder / "bank" / "en_oaks" / f"{part}.conllu")
        yield folder


def start(line: str, folder: Path) -> "subprocess.Popen[str]":
    """Start a command as a terminal does: with signals at their defaults, and a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "dodona", *shlex.split(line)], cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def list_members(group: int) -> list[int]:
    """Return the processes of a group that are alive."""
    members = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, own = path.read_text().rpartition(")")[2].split()[:3]
            if int(own) == group and state != "Z":
                members.append(int(path.parent.name))
    return members


def end(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def measure(line: str, seconds: float) -> float:
    """Return how long a command runs, at most so many seconds."""
    with work_folder() as folder:
        process = start(line, folder)
        begin = time.monotonic()
        try:
            process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            took = time.monotonic() - begin
            end(process)
    return took


def interrupt(command: str, moment: float, limit: float, verdicts: Verdicts) -> None:
    """Press Ctrl-C after so many seconds, and look at what comes of it."""
    with work_folder() as folder:
        before = sorted(folder.rglob("*"))
        process = start(LINES[command], folder)
        try:
            try:
                process.communicate(timeout=moment)
                verdicts.counts["ended before"] += 1
                return
            except subprocess.TimeoutExpired:
                pass
            begin = time.monotonic()
            os.killpg(process.pid, signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                verdicts.faults.append(f"{moment:.2f} s: does not end")
                return
            took = time.monotonic() - begin
            verdicts.slowest = max(verdicts.slowest, took)
            names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path not in before]
            left = [name for name in names if not name.startswith(KEPT.get(command, "\0"))]
            if "Traceback" in errors and os.path.join("dodona", "cli") not in errors:
                verdicts.counts[EARLY] += 1  # no line of the command line has run
                return
            faults = [f"{took:.1f} s to end"] * (took > limit)
            faults += [f"exit status {process.returncode}"] * (process.returncode not in (0, 130))
            faults += [f"a traceback, {errors.split()[-8:]}"] * ("Traceback" in errors)
            faults += [f"left {', '.join(left[:3])}"] * (bool(left) and process.returncode != 0)
            while time.monotonic() < begin + limit and list_members(process.pid):
                time.sleep(0.02)  # they hear of the end of the first one
            faults += ["processes left"] * bool(list_members(process.pid))
            verdicts.counts[str(process.returncode)] += 1
            verdicts.faults += [f"{moment:.2f} s: {fault}" for fault in faults]
        finally:
            end(process)


def main() -> None:
    parser = argparse.ArgumentParser(description="Press Ctrl-C in every command at several moments.")
    parser.add_argument("commands", nargs="*", help="[default: all]")
    parser.add_argument("--moments", type=int, default=10, help="[default: %(default)s]")
    parser.add_argument("--seconds", type=float, default=6.0, help="of a command at most [default: %(default)s]")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds until it must have ended [default: 1]")
    given = parser.parse_args()
    bad = 0
    print(f"{'command':<17} {'runs':>6}", *(f"{name:>13}" for name in OUTCOMES), "  slowest", flush=True)
    for command in given.commands or LINES:
        whole = measure(LINES[command], given.seconds)
        verdicts = Verdicts()
        for k in range(given.moments):
            interrupt(command, whole * (k + 0.5) / given.moments, given.limit, verdicts)
        counts = [f"{verdicts.counts[name]:>13}" for name in OUTCOMES]
        print(f"{command:<17} {whole:>4.1f} s", *counts, f"{verdicts.slowest:>7.2f} s", flush=True)
        print("".join(f"    {fault}\n" for fault in verdicts.faults), end="", flush=True)
        bad += len(verdicts.faults)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
