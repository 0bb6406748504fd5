"""Seed faults into a copy of Dodona, one at a time, and look whether a test notices.

    python scripts/mutants.py                                all faults that are written down
    python scripts/mutants.py --only 'covington-*'           some of them, by name or by file
    python scripts/mutants.py data --sample 20               20 faults of src/dodona/data, drawn at random
    python scripts/mutants.py search/beam.pyx --sample 10 --seed 2 --jobs 2
    python scripts/mutants.py data --sample 5 --list         what they are, without a test

The faults that are written down are in mutants.toml beside this file: each says which clause of a cost, an oracle, the
search or the learning it leaves out. Those of a folder are made by mutators.py: another comparison, operator, constant
or bound, a condition turned round, a statement left out. The same seed draws the same ones.

First the tests run without a fault. Then each fault is seeded into a copy of the repository, compiled where it is in
compiled code, and the tests of its folder run. A fault is noticed if a test fails, crashes or does not end. One that is
not noticed is a hole in the tests, or it does no harm: look at the lines that are shown in the end.

The exit status is 0 if enough were noticed, 1 if not or if the list does not fit the code, 2 if the tests fail without
any fault, 130 after Ctrl-C, which leaves nothing behind.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from mutators import Edit, changes_python, find_edits

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
PACKAGE = Path("src/dodona")
REPORT = Path("build/mutants.json")

LEAST_OF_LIST, LEAST_OF_SAMPLE = 90, 75  # percent that must be noticed; some that are drawn do no harm
MEMORY = 8 << 30  # bytes that a test run may take: a fault can make a loop that never stops taking more
TEST_TIMEOUT = 120  # seconds for one test; an endless loop that releases the interpreter's lock ends here
RUN_TIMEOUT = 1800  # for a build, and for the tests without a fault
TIMES_AS_LONG, SECONDS_LONGER = 3, 30  # than without a fault: then the tests have no end
NO_TESTS = 5  # pytest's exit status where nothing was selected

COMPARES_THE_CODE_WITH_ITSELF = "tests/transitions/test_compiled.py"
"""Both sides of this comparison have the fault; or, where another Dodona is installed, only one has, which proves
nothing either."""

FAILED, CRASHED, ENDLESS = "failed", "crashed", "endless"  # the ways of being noticed
SURVIVED, ACCEPTED, INVALID = "SURVIVED", "accepted", "INVALID"
VERDICTS = (FAILED, CRASHED, ENDLESS, SURVIVED, ACCEPTED, INVALID)


class Failure(Exception):
    """Nothing can be said about any mutant."""


@dataclass(frozen=True)
class Suite:
    """Tests that are likely to notice a fault: of these files and folders, those first that mention a module."""

    paths: tuple[str, ...]
    keyword: str = ""
    module: str = ""

    def files(self, root: Path) -> list[str]:
        files = [file for path in self.paths for file in _test_files(root / path)]
        if self.module:
            mention = re.compile(rf"\b{self.module}\b")
            files.sort(key=lambda file: mention.search(file.read_text(encoding="utf-8")) is None)
        return [str(file.relative_to(root)) for file in dict.fromkeys(files)]


def _test_files(path: Path) -> list[Path]:
    if path.is_dir():
        return [file for file in sorted(path.rglob("test_*.py")) if not file.match(COMPARES_THE_CODE_WITH_ITSELF)]
    return [path] if path.exists() else []


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One fault of a file below src/dodona."""

    name: str
    file: str
    fault: str = ""
    tests: tuple[str, ...] = ()
    keyword: str = ""
    reason: str = ""  # why it may survive

    def seed(self, text: str) -> str:
        """The text of the file with the fault in it. ValueError if the fault does not fit the file."""
        raise NotImplementedError

    def diff(self) -> list[str]:
        """The lines that the fault takes away and adds."""
        text = (ROOT / PACKAGE / self.file).read_text(encoding="utf-8")
        lines = list(unified_diff(text.splitlines(), self.seed(text).splitlines(), n=0, lineterm=""))
        return [f"    {line}" for line in lines[2:] if not line.startswith("@@")]

    @property
    def is_compiled(self) -> bool:
        path = ROOT / PACKAGE / self.file
        return path.suffix != ".py" or path.with_suffix(".pxd").exists()


@dataclass(frozen=True, kw_only=True)
class WrittenMutant(Mutant):
    """One of the list. `find` stands in `file` exactly once, or is counted by `occurrence`."""

    find: str
    replace: str
    occurrence: int = 0

    def seed(self, text: str) -> str:
        count = text.count(self.find)
        if self.occurrence > count or (not self.occurrence and count != 1):
            wanted = f"at least {self.occurrence}" if self.occurrence else "1"
            raise ValueError(f"{self.file} has {self.find!r} {count} times; expected {wanted}")
        parts = text.split(self.find)
        cut = max(1, self.occurrence)
        seeded = self.find.join(parts[:cut]) + self.replace + self.find.join(parts[cut:])
        if self.file.endswith(".py") and not changes_python(text, seeded):
            raise ValueError(f"{self.file} does not change, or is no Python any more")
        return seeded


@dataclass(frozen=True, kw_only=True)
class SampledMutant(Mutant):
    """One that was drawn."""

    edit: Edit

    def seed(self, text: str) -> str:
        return self.edit.apply(text)


def read_list(path: Path) -> tuple[list[WrittenMutant], dict[str, list[str]]]:
    """The mutants that are written down, and the tests that a folder has besides those of the same name."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    mutants = [WrittenMutant(**(entry | {"tests": tuple(entry.get("tests", ()))})) for entry in data["mutant"]]
    twice = [name for name, count in Counter(mutant.name for mutant in mutants).items() if count > 1]
    if twice:
        raise Failure(f"{path.name}: several mutants are called {', '.join(twice)}")
    more: dict[str, list[str]] = data["tests"]
    named = {name for tests in (*more.values(), *(mutant.tests for mutant in mutants)) for name in tests}
    missing = sorted(name for name in named if not (ROOT / name).exists())
    if missing:
        raise Failure(f"{path.name}: no such tests: {', '.join(missing)}")
    return mutants, more


def draw_sample(place: str, count: int, seed: int) -> list[SampledMutant]:
    """Faults of a folder or a file, at most one of a line."""
    home = ROOT / PACKAGE
    top = home / place.removeprefix("./").removeprefix(f"{PACKAGE}/").rstrip("/")
    if not top.exists():
        raise Failure(f"{place}: expected a folder or a file below {PACKAGE}, like `data` or `search/beam.pyx`")
    paths = [top] if top.is_file() else [path for path in sorted(top.rglob("*.py*")) if path.suffix in (".py", ".pyx")]
    texts = {str(path.relative_to(home)): path.read_text(encoding="utf-8") for path in paths}
    edits = [(file, edit) for file, text in texts.items() for edit in find_edits(text, file.endswith(".pyx"))]
    random.Random(seed).shuffle(edits)
    sample: dict[str, SampledMutant] = {}
    for file, edit in edits:
        if len(sample) == count:
            break
        line = f"{file}:{edit.line}"
        if line not in sample and (file.endswith(".pyx") or changes_python(texts[file], edit.apply(texts[file]))):
            sample[line] = SampledMutant(name=f"{line} {edit.kind}", file=file, edit=edit)
    return list(sample.values())


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
            "CC": os.environ.get("CC") or ("ccache cc" if shutil.which("ccache") else "cc"),
        }

    async def run(self, *arguments: str, seconds: float = RUN_TIMEOUT) -> Finished:
        """Run Python in the copy, for no longer than this. Whatever happens, no process of it is left afterwards."""
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
            code = None
            try:
                limit_memory(process.pid)
                with suppress(TimeoutError):
                    code = await asyncio.wait_for(process.wait(), seconds)
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
        imported = (await self.run("-c", code)).output.split()
        if not all(Path(path).is_relative_to(self.folder) for path in imported) or imported[-1].endswith(".py"):
            raise Failure(f"the tests would not run against the compiled copy in {self.folder}, but: {imported}")

    async def test(self, suite: Suite, seconds: float = RUN_TIMEOUT) -> Finished:
        """With -v, so that the test that is running is named even if it never ends."""
        files = suite.files(self.folder)
        if not files:
            raise Failure(f"none of the tests is there: {', '.join(suite.paths)}; --tests names others")
        return await self.run(
            *("-m", "pytest", "-x", "-v", "--tb=line", "-p", "no:cacheprovider"),
            *(f"--timeout={TEST_TIMEOUT}", "--timeout-method=thread"),
            *(("-k", suite.keyword) if suite.keyword else ()),
            *files,
            seconds=seconds,
        )

    def seed(self, mutant: Mutant) -> None:
        path = self.folder / PACKAGE / mutant.file
        path.write_text(mutant.seed(path.read_text(encoding="utf-8")), encoding="utf-8")

    def heal(self, mutant: Mutant) -> None:
        """Take the fault out again; what was compiled from it is compiled again together with the next one."""
        (self.folder / PACKAGE / mutant.file).write_bytes((ROOT / PACKAGE / mutant.file).read_bytes())


def limit_memory(pid: int) -> None:
    """Where the system can do that for a process that runs already."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY, MEMORY))


FAILURE = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)
RUNNING = re.compile(r"^(tests/\S+::.*?)(?: (?:PASSED|SKIPPED|Fatal).*)?$", re.MULTILINE)


def notice(done: Finished) -> tuple[str, str]:
    """How a fault was noticed, and by which test, by what pytest has written."""
    running = RUNNING.findall(done.output)
    last = running[-1].strip() if running else "the import"
    if done.code is None:
        return ENDLESS, last
    if done.code < 0:
        return CRASHED, f"{last} ({signal.Signals(-done.code).name})"
    failure = FAILURE.search(done.output)
    if failure is None and "Timeout" in done.output:
        return ENDLESS, last
    return FAILED, failure[1] if failure else last


@dataclass
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    verdict: str
    by: str  # the test that noticed it, or what is to be said of it
    seconds: float

    def __str__(self) -> str:
        return f"{self.verdict:<8}  {self.mutant.name:<44}  {self.seconds:5.0f} s  {self.by}"


@dataclass
class Trial:
    """All mutants that were asked for, their tests, and what has become of them."""

    suites: list[tuple[Mutant, Suite]]
    trust: bool
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: dict[Suite, float] = field(default_factory=dict)  # without a fault

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
            for number in range(1, min(jobs, len(self.suites))):
                workplaces.append(Workplace(first.folder.with_name(str(number))))
                shutil.copytree(first.folder, workplaces[-1].folder, symlinks=True)
            if not self.trust:
                suites = list(dict.fromkeys(replace(suite, module="") for _, suite in self.suites))
                print(f"Running the tests without a fault ({len(suites)} selections) …", flush=True)
                waiting = iter(suites)
                await together(self.measure(workplace, waiting) for workplace in workplaces)
            # side by side in one file, so that little is compiled anew
            ordered = iter(sorted(self.suites, key=lambda pair: pair[0].file))
            await together(self.work(workplace, ordered) for workplace in workplaces)

    async def measure(self, workplace: Workplace, suites: Iterator[Suite]) -> None:
        for suite in suites:
            begin = time.monotonic()
            done = await workplace.test(suite)
            if done.code not in (0, NO_TESTS):
                raise Failure(f"{suite} without any fault ends with {done.code}:\n{done.output[-3000:]}")
            self.seconds[suite] = time.monotonic() - begin

    async def work(self, workplace: Workplace, mutants: Iterator[tuple[Mutant, Suite]]) -> None:
        for mutant, suite in mutants:
            begin = time.monotonic()
            try:
                workplace.seed(mutant)
            except (OSError, ValueError) as error:
                verdict, by = INVALID, str(error)
            else:
                try:
                    verdict, by = await self.judge(workplace, mutant, suite)
                finally:
                    workplace.heal(mutant)
            self.outcomes.append(Outcome(mutant, verdict, by, time.monotonic() - begin))
            print(f"{len(self.outcomes):4}/{len(self.suites)}  {self.outcomes[-1]}", flush=True)

    async def judge(self, workplace: Workplace, mutant: Mutant, suite: Suite) -> tuple[str, str]:
        if mutant.is_compiled:
            built = await workplace.build()
            if built.code != 0:
                return INVALID, f"does not compile: {first_error(built.output)}"
        usual = self.seconds.get(replace(suite, module=""), RUN_TIMEOUT)
        done = await workplace.test(suite, TIMES_AS_LONG * usual + SECONDS_LONGER)
        if done.code == NO_TESTS:
            return INVALID, f"no tests in {suite}"
        if done.code != 0:
            return notice(done)
        return (ACCEPTED, mutant.reason) if mutant.reason else (SURVIVED, mutant.fault)


async def together(tasks: Iterator[Coroutine[Any, Any, None]]) -> None:
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
    """All files that git knows of or would take in, as they are in the working tree, and what was compiled in place."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name]
    compiled = [*ROOT.glob("src/**/*.so"), *ROOT.glob("build/_shared.c"), *ROOT.glob("build/src/**/*.c")]
    compiled += ROOT.glob("build/temp*/**/*.o")
    for name in names + [str(path.relative_to(ROOT)) for path in compiled]:
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)  # with its time, so that it is not compiled again


def summarize(outcomes: list[Outcome], least: float) -> tuple[str, bool]:
    """What to say in the end, and whether all is well."""
    lines = []
    for outcome in outcomes:
        if outcome.verdict in (SURVIVED, ACCEPTED, INVALID):
            lines.append(f"{outcome.verdict} {outcome.mutant.name}" + (f": {outcome.by}" if outcome.by else ""))
            with suppress(ValueError, OSError):
                lines += outcome.mutant.diff()
        elif outcome.mutant.reason:
            lines.append(f"noticed, so it needs no reason: {outcome.mutant.name}")
    lines.append(f"\n{'':<40}" + "".join(f"{verdict:>10}" for verdict in VERDICTS))
    files = sorted({outcome.mutant.file for outcome in outcomes})
    for name, some in [(file, [file]) for file in files] + [("all", files)]:
        counts = Counter(outcome.verdict for outcome in outcomes if outcome.mutant.file in some)
        lines.append(f"{name:<40}" + "".join(f"{counts[verdict] or '–':>10}" for verdict in VERDICTS))
    noticed = counts[FAILED] + counts[CRASHED] + counts[ENDLESS]
    judged = noticed + counts[SURVIVED]
    share = 100 * noticed / judged if judged else 100.0
    lines.append(f"{noticed} of {judged} noticed: {share:.0f} %, expected {least:g} %")
    wrong = any(outcome.verdict == INVALID and isinstance(outcome.mutant, WrittenMutant) for outcome in outcomes)
    return "\n".join(lines), share >= least and not wrong


def write_report(path: Path, outcomes: list[Outcome]) -> None:
    rows = [{"name": o.mutant.name, "verdict": o.verdict, "by": o.by, "seconds": round(o.seconds, 1)} for o in outcomes]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def show_list(mutants: list[Mutant]) -> bool:
    """Print the mutants, and whether each still fits its file."""
    fits = True
    for mutant in mutants:
        try:
            lines = mutant.diff()
            note = mutant.fault + (f" (accepted: {mutant.reason})" if mutant.reason else "")
        except (OSError, ValueError) as error:
            lines, note, fits = [], f"{INVALID}: {error}", False
        print(mutant.name + (f": {note}" if note else ""), *lines, sep="\n")
    print(f"{len(mutants)} mutants")
    return fits


async def interruptible(trial: Trial, jobs: int) -> None:
    """Be ended by SIGTERM as by Ctrl-C: tidily."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await trial.run(jobs)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="a folder or a file below src/dodona, to draw faults of")
    parser.add_argument("--sample", type=int, default=20, metavar="N", help="how many of a folder [default: 20]")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another one draws others [default: 1]")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="of the list: whose name or file is like this")
    parser.add_argument(
        "--tests", nargs="+", default=[], metavar="PATH", help="these tests, not those of the folder of the fault"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many copies side by side [default: 1]")
    parser.add_argument("--trust", action="store_true", help="the tests are known to pass without a fault")
    parser.add_argument("--list", action="store_true", help="show the faults, and whether they fit the code")
    parser.add_argument(
        "--least", type=float, metavar="PERCENT", help="exit code 1 if fewer are noticed [default: 90; of a folder: 75]"
    )
    parser.add_argument("--report", type=Path, default=ROOT / REPORT, metavar="FILE", help=f"JSON [default: {REPORT}]")
    return parser.parse_args()


def choose_mutants(asked: argparse.Namespace) -> list[tuple[Mutant, Suite]]:
    """With the tests that go with each: those of its folder, if nothing else is said."""
    written, more = read_list(LIST)
    mutants: list[Mutant] = [m for m in written if fnmatch(m.name, asked.only) or fnmatch(m.file, asked.only)]
    if asked.folder is not None:
        mutants = list(draw_sample(asked.folder, asked.sample, asked.seed))
    if not mutants:
        raise Failure(f"{asked.folder or asked.only}: no fault; --list shows those that are written down")
    chosen = []
    for mutant in mutants:
        folder = mutant.file.partition("/")[0].removesuffix(".py")
        paths = tuple(asked.tests) or mutant.tests or (f"tests/{folder}", *more.get(folder, ()))
        chosen.append((mutant, Suite(paths, mutant.keyword, Path(mutant.file).stem)))
    return chosen


def main() -> int:
    asked = arguments()
    try:
        chosen = choose_mutants(asked)
        if asked.list:
            return 0 if show_list([mutant for mutant, _ in chosen]) else 1
        trial = Trial(chosen, asked.trust)
        asyncio.run(interruptible(trial, asked.jobs))
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("interrupted", file=sys.stderr)
        return 130
    write_report(asked.report, trial.outcomes)
    least = asked.least if asked.least is not None else LEAST_OF_SAMPLE if asked.folder else LEAST_OF_LIST
    text, well = summarize(trial.outcomes, least)
    print(text)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
