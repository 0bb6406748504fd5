"""Seeds faults into a copy of Dodona, one at a time, and looks whether a test notices.

    python scripts/mutants.py [--only PATTERN] [--full] [--trust] [--jobs N] [--list] [--report FILE]

The faults are in mutants.toml beside this file. Each is a text of a source file and what stands there instead. A fault
that no test notices is a hole in the tests, unless a `reason` says why it does no harm. The exit status is 1 if too few
are noticed or the list is wrong, 2 if the tests fail without any fault.
"""

import argparse
import ast
import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
PACKAGE = Path("src/dodona")
REPORT = Path("build/mutants.json")

LEAST = 90  # of a hundred mutants, how many must be killed
MEMORY = 8 << 30  # bytes that a test run may take: a fault can make a loop that never stops taking more
TEST_TIMEOUT = 120  # seconds for one test; an endless loop that releases the interpreter's lock ends here
SILENCE = 150  # seconds without a new test; an endless loop that holds the lock ends here
BUILD_TIMEOUT = 900
NO_TESTS = 5  # pytest's exit status where nothing was selected

COMPARES_THE_CODE_WITH_ITSELF = "tests/transitions/test_compiled.py"
"""Both sides of this comparison have the fault; or, where another Dodona is installed, only one has, which proves
nothing either."""

KILLED, SURVIVED, ACCEPTED, WRONG = "killed", "SURVIVED", "accepted", "WRONG ENTRY"


class Failure(Exception):
    """Nothing can be said about any mutant."""


@dataclass(frozen=True)
class Suite:
    """Tests that are likely to notice a fault."""

    paths: tuple[str, ...]
    keyword: str = ""

    def parts(self) -> "list[Suite]":
        """Each path by itself: several suites may have it in common."""
        return [Suite((path,), self.keyword) for path in self.paths]


WHOLE = Suite(("tests",))


@dataclass(frozen=True)
class Mutant:
    """One fault. `find` stands in `file` exactly once, or is counted by `occurrence`."""

    name: str
    file: str  # below src/dodona
    find: str
    replace: str
    fault: str
    occurrence: int = 0
    tests: tuple[str, ...] = ()
    keyword: str = ""
    reason: str = ""  # why it may survive

    @property
    def path(self) -> Path:
        return PACKAGE / self.file

    def seeded(self, text: str) -> str:
        """The text of the file with the fault in it. ValueError if the entry does not fit the file."""
        count = text.count(self.find)
        if self.occurrence > count or (not self.occurrence and count != 1):
            wanted = f"at least {self.occurrence}" if self.occurrence else "1"
            raise ValueError(f"{self.file} has {self.find!r} {count} times; expected {wanted}")
        if self.find == self.replace:
            raise ValueError("it changes nothing")
        pieces = text.split(self.find)
        cut = max(1, self.occurrence)
        seeded = self.find.join(pieces[:cut]) + self.replace + self.find.join(pieces[cut:])
        if self.path.suffix == ".py":
            try:
                ast.parse(seeded)
            except SyntaxError as error:
                raise ValueError(f"{self.file} is no Python any more: {error}") from None
        return seeded


@dataclass
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    verdict: str
    by: str  # the test that killed it, or what is to be said of it
    seconds: float

    def __str__(self) -> str:
        return f"{self.verdict:<11}  {self.mutant.name:<40}  {self.seconds:5.0f} s  {self.by}"


def read_list(path: Path) -> tuple[list[Mutant], dict[str, Suite]]:
    """The mutants, and for each the tests to try first: its own, or those of its room (the folder of its file)."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    mutants = [Mutant(**(entry | {"tests": tuple(entry.get("tests", ()))})) for entry in data["mutant"]]
    names = [mutant.name for mutant in mutants]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise Failure(f"{path.name}: several mutants are called {', '.join(sorted(twice))}")
    rooms: Mapping[str, Sequence[str]] = data["rooms"]
    suites = {}
    for mutant in mutants:
        room = mutant.file.partition("/")[0]
        if room not in rooms:
            raise Failure(f"{path.name}: no tests for the room {room!r} of {mutant.name}")
        suites[mutant.name] = Suite(mutant.tests or tuple(rooms[room]), mutant.keyword)
    return mutants, suites


@dataclass(frozen=True)
class Finished:
    """A process that has come to its end, or was ended: then the code is None."""

    code: int | None
    output: str


@dataclass
class Workplace:
    """A copy of the repository, built in place; one mutant at a time lives in it."""

    folder: Path
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),  # before everything that is installed
            "PYTHONDONTWRITEBYTECODE": "1",  # a fault may be as long as what it replaces, and come in the same second
            "PYTHONUNBUFFERED": "1",
        }

    async def run(self, *arguments: str, silence: float = BUILD_TIMEOUT) -> Finished:
        """Run Python in the copy until it ends or says nothing for so many seconds. Whatever happens, no process of it
        is left afterwards."""
        with tempfile.TemporaryFile() as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *arguments,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                limit_memory(process.pid)
                code = await ended(process, log.fileno(), silence)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            log.seek(0)
            return Finished(code, log.read().decode(errors="replace"))

    async def build(self) -> Finished:
        """Compile what has changed since the last time."""
        return await self.run("setup.py", "build_ext", "--inplace")

    async def check(self) -> None:
        """Whether tests in the copy would test the copy, compiled."""
        code = "import dodona, dodona.transitions.system as s; print(dodona.__file__, s.__file__, sep='\\n')"
        found = (await self.run("-c", code)).output.split()
        if not all(Path(path).is_relative_to(self.folder) for path in found) or found[-1].endswith(".py"):
            raise Failure(f"the tests would not run against the compiled copy in {self.folder}, but: {found}")

    async def test(self, suite: Suite) -> Finished:
        """With -v, so that the test that is running is named even if it never ends."""
        paths = [path for path in suite.paths if (self.folder / path).exists()]
        if not paths:
            raise Failure(f"none of the tests is there: {', '.join(suite.paths)}")
        return await self.run(
            *("-m", "pytest", "-x", "-v", "--tb=line", "-p", "no:cacheprovider"),
            *(f"--timeout={TEST_TIMEOUT}", "--timeout-method=thread", f"--ignore={COMPARES_THE_CODE_WITH_ITSELF}"),
            *(("-k", suite.keyword) if suite.keyword else ()),
            *paths,
            silence=SILENCE,
        )

    def seed(self, mutant: Mutant) -> None:
        path = self.folder / mutant.path
        path.write_text(mutant.seeded(path.read_text(encoding="utf-8")), encoding="utf-8")

    def heal(self, mutant: Mutant) -> None:
        """Take the fault out again; what was compiled from it is compiled again together with the next one."""
        (self.folder / mutant.path).write_bytes((ROOT / mutant.path).read_bytes())


async def ended(process: asyncio.subprocess.Process, log: int, silence: float) -> int | None:
    """The exit status of a process that writes to this file, None if it has written nothing for too long."""
    size, last = 0, time.monotonic()
    while time.monotonic() - last < silence:
        with suppress(TimeoutError):
            return await asyncio.wait_for(process.wait(), 1)
        if os.fstat(log).st_size != size:
            size, last = os.fstat(log).st_size, time.monotonic()
    return None


def limit_memory(pid: int) -> None:
    """Where the system can do that for a process that runs already."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY, MEMORY))


FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)
RUNNING = re.compile(r"^(tests/\S+::.*?)(?: (?:PASSED|SKIPPED).*)?$", re.MULTILINE)


def killer(done: Finished) -> str:
    """Which test has noticed, and how, by what pytest has written."""
    running = RUNNING.findall(done.output)
    last = running[-1].strip() if running else "the import"
    if done.code is None:
        return f"{last} (without end)"
    if done.code < 0:
        return f"{last} ({signal.Signals(-done.code).name})"
    failed = FAILED.search(done.output)
    if failed:
        return failed[1]
    return f"{last} (without end)" if "Timeout" in done.output else last


@dataclass
class Trial:
    """All mutants that were asked for, their tests, and what has become of them."""

    mutants: list[Mutant]
    suites: dict[str, Suite]
    full: bool
    trust: bool
    outcomes: list[Outcome] = field(default_factory=list)

    async def run(self, jobs: int) -> None:
        with tempfile.TemporaryDirectory(prefix="dodona-mutants-") as top:
            first = Workplace(Path(top).resolve() / "0")
            copy_repository(first.folder)
            print(f"Building a copy in {first.folder} …", flush=True)
            built = await first.build()
            if built.code != 0:
                raise Failure(f"the copy cannot be built:\n{built.output[-3000:]}")
            await first.check()
            workplaces = [first]
            for number in range(1, min(jobs, len(self.mutants))):
                workplaces.append(Workplace(first.folder.with_name(str(number))))
                shutil.copytree(first.folder, workplaces[-1].folder, symlinks=True)
                await workplaces[-1].check()
            if not self.trust:
                parts = self.parts(first)
                print(f"Running the tests without a fault ({len(parts)} selections) …", flush=True)
                waiting = iter(parts)
                await together(self.measure(workplace, waiting) for workplace in workplaces)
            # side by side in one file, so that little is compiled anew
            ordered = iter(sorted(self.mutants, key=lambda mutant: mutant.file))
            await together(self.work(workplace, ordered) for workplace in workplaces)

    def parts(self, workplace: Workplace) -> list[Suite]:
        """All tests that are there, each selection once."""
        suites = [self.suites[mutant.name] for mutant in self.mutants] + [WHOLE] * self.full
        parts = dict.fromkeys(part for suite in suites for part in suite.parts())
        return [part for part in parts if (workplace.folder / part.paths[0]).exists()]

    async def measure(self, workplace: Workplace, parts: Iterator[Suite]) -> None:
        for part in parts:
            done = await workplace.test(part)
            if done.code not in (0, NO_TESTS):
                raise Failure(f"{part} without any fault ends with {done.code}:\n{done.output[-3000:]}")

    async def work(self, workplace: Workplace, mutants: Iterator[Mutant]) -> None:
        for mutant in mutants:
            begin = time.monotonic()
            try:
                workplace.seed(mutant)
            except (OSError, ValueError) as error:
                verdict, by = WRONG, str(error)
            else:
                try:
                    verdict, by = await self.judge(workplace, mutant)
                finally:
                    workplace.heal(mutant)
            self.outcomes.append(Outcome(mutant, verdict, by, time.monotonic() - begin))
            print(f"{len(self.outcomes):4}/{len(self.mutants)}  {self.outcomes[-1]}", flush=True)

    async def judge(self, workplace: Workplace, mutant: Mutant) -> tuple[str, str]:
        built = await workplace.build()
        if built.code != 0:
            return WRONG, f"does not compile: {first_error(built.output)}"
        likely = self.suites[mutant.name]
        for suite in [likely, WHOLE] if self.full and not mutant.reason else [likely]:
            done = await workplace.test(suite)
            if done.code == NO_TESTS:
                return WRONG, f"no tests in {suite}"
            if done.code != 0:
                return KILLED, killer(done)
        return (ACCEPTED, mutant.reason) if mutant.reason else (SURVIVED, mutant.fault)


async def together(tasks: Iterator[Any]) -> None:
    """Do things side by side; if one fails, the others are ended too."""
    try:
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(task)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


def first_error(output: str) -> str:
    lines = [line for line in output.splitlines() if "rror:" in line or ".pyx:" in line]
    return lines[0].strip() if lines else output.strip().splitlines()[-1]


def copy_repository(folder: Path) -> None:
    """All files that git knows of or would take in, as they are in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def summary(outcomes: list[Outcome]) -> tuple[str, bool]:
    """What to say in the end, and whether all is well."""
    found = {verdict: [o for o in outcomes if o.verdict == verdict] for verdict in (KILLED, SURVIVED, ACCEPTED, WRONG)}
    judged = len(found[KILLED]) + len(found[SURVIVED])
    share = 100 * len(found[KILLED]) / judged if judged else 100.0
    lines = []
    for verdict in (ACCEPTED, SURVIVED, WRONG):
        lines += [f"{verdict}: {o.mutant.name} ({o.mutant.file}): {o.by}" for o in found[verdict]]
    lines += [f"killed, so it needs no reason: {o.mutant.name}" for o in found[KILLED] if o.mutant.reason]
    lines.append(
        f"{len(outcomes)} mutants: {len(found[KILLED])} killed of {judged} ({share:.1f} %, expected {LEAST} %), "
        f"{len(found[ACCEPTED])} accepted, {len(found[WRONG])} wrong entries"
    )
    return "\n".join(lines), share >= LEAST and not found[WRONG]


def write_report(path: Path, outcomes: list[Outcome]) -> None:
    rows = [asdict(o.mutant) | {"verdict": o.verdict, "by": o.by, "seconds": round(o.seconds, 1)} for o in outcomes]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def show_list(mutants: list[Mutant]) -> bool:
    """Print the mutants, and whether each still fits its file."""
    fits = True
    for mutant in mutants:
        try:
            mutant.seeded((ROOT / mutant.path).read_text(encoding="utf-8"))
            note = mutant.fault + (f" (accepted: {mutant.reason})" if mutant.reason else "")
        except (OSError, ValueError) as error:
            note, fits = f"{WRONG}: {error}", False
        print(f"{mutant.name:<40}  {mutant.file:<32}  {note}")
    print(f"{len(mutants)} mutants")
    return fits


async def interruptible(trial: Trial, jobs: int) -> None:
    """Be ended by SIGTERM as by Ctrl-C: tidily."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await trial.run(jobs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Seed faults, and look whether a test notices.")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="mutants whose name or file is like this")
    parser.add_argument(
        "--full", action="store_true", help="the whole test suite where the likely tests notice nothing"
    )
    parser.add_argument("--trust", action="store_true", help="the tests are known to pass without a fault")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many copies side by side (default: 1)")
    parser.add_argument("--list", action="store_true", help="show the mutants, and whether they fit the code")
    parser.add_argument("--report", type=Path, default=ROOT / REPORT, metavar="FILE", help=f"JSON (default: {REPORT})")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    try:
        mutants, suites = read_list(LIST)
        mutants = [m for m in mutants if fnmatch(m.name, chosen.only) or fnmatch(m.file, chosen.only)]
        if chosen.list:
            return 0 if show_list(mutants) else 1
        trial = Trial(mutants, suites, chosen.full, chosen.trust)
        asyncio.run(interruptible(trial, chosen.jobs))
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("interrupted", file=sys.stderr)
        return 130
    write_report(chosen.report, trial.outcomes)
    text, well = summary(trial.outcomes)
    print(text)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
