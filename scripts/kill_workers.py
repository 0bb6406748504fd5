"""Parses a small corpus with `--scheduler local` again and again, kills workers at random moments meanwhile, and
compares the bytes with those of one process.

    python scripts/kill_workers.py [--runs N] [--kills K] [--seed S] [--model MODEL]

Each run starts `dodona parse` on two workers, and sends SIGKILL to one to K of them, whatever they are doing:
beginning, loading the model, parsing, or telling of what they have done. Prints a line a run; the exit code is 1 if
any has not finished with the same bytes. Needs Linux, whose /proc tells which processes belong to a run.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

NOUNS = ("oaks", "doves", "priests", "leaves", "questions", "kettles", "gods", "letters")
VERBS = ("grow", "answer", "speak", "rustle", "wait", "fall", "return")
PARAGRAPHS, SENTENCES = 120, 12  # of each of two files
LIMIT = 180.0  # seconds for a run
WORKERS = 2


def make_corpus(folder: Path, chance: random.Random) -> list[Path]:
    files = [folder / "one.txt", folder / "two.txt"]
    for file in files:
        paragraphs = (" ".join(_make_sentence(chance) for _ in range(SENTENCES)) for _ in range(PARAGRAPHS))
        file.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    return files


def _make_sentence(chance: random.Random) -> str:
    return f"The {chance.choice(NOUNS)} {chance.choice(VERBS)} when {chance.choice(NOUNS)} {chance.choice(VERBS)}."


def find_workers(driver: int) -> list[int]:
    """Return the workers of a run: processes that multiprocessing has started, except its own helpers."""
    workers = []
    for process in _find_children(driver):
        command = _read_command(process)
        if "spawn_main" in command:
            workers.append(process)
        elif "forkserver" in command:
            workers += _find_children(process)
    return workers


def _find_children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _read_command(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def run_once(command: list[str], kills: int, chance: random.Random) -> tuple[str, int]:
    """Run the command, and kill so many of its workers; returns what went wrong, and how many were killed."""
    killed = 0
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + LIMIT
        due = time.monotonic() + chance.uniform(0.2, 3.0)
        while process.poll() is None and time.monotonic() < end:
            if killed < kills and time.monotonic() >= due and (workers := find_workers(process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    killed += 1
                due = time.monotonic() + chance.expovariate(2.0)
            time.sleep(0.005)
        if process.poll() is None:
            process.kill()
            return f"did not end within {LIMIT:g} seconds", killed
        assert process.stderr is not None
        last = process.stderr.read().strip().splitlines()[-1:]
    return ("" if process.returncode == 0 else f"exit code {process.returncode}: {''.join(last)}"), killed


def carry_out(runs: int, kills: int, seed: int, model: str, folder: Path) -> Iterator[str]:
    """Yield for each run what went wrong, or nothing."""
    chance = random.Random(seed)
    files = [str(file) for file in make_corpus(folder, chance)]
    parse = [sys.executable, "-m", "dodona", "parse", model, *files]
    expected = subprocess.run(parse, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
    for number in range(1, runs + 1):
        out = folder / f"out-{number}"
        options = ["-o", str(out), "--scheduler", "local", "--jobs", str(WORKERS), "--shard-size", "0.004"]
        begin = time.monotonic()
        fault, killed = run_once([*parse, *options], chance.randint(1, kills), chance)
        shards = sorted(out.glob("*.conllu"))
        if not fault and b"".join(shard.read_bytes() for shard in shards) != expected:
            fault = "other bytes"
        seconds = time.monotonic() - begin
        print(
            f"{number:4} {killed} killed {len(shards):3} shards {seconds:6.1f} s  {fault or 'same bytes'}", flush=True
        )
        yield fault


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill workers at random, and compare the bytes.")
    parser.add_argument("--runs", type=int, default=50, help="[default: %(default)s]")
    parser.add_argument("--kills", type=int, default=6, help="at most, in a run [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default="en-fast")
    given = parser.parse_args()
    if not Path("/proc/self/task").exists():
        raise SystemExit("kill_workers.py: needs /proc, to find the workers of a run")
    with tempfile.TemporaryDirectory(prefix="dodona-kills-") as folder:
        faults = list(carry_out(given.runs, given.kills, given.seed, given.model, Path(folder)))
    good = faults.count("")
    print(f"{good} of {len(faults)} runs finished with the same bytes")
    sys.exit(0 if good == len(faults) else 1)


if __name__ == "__main__":
    main()
