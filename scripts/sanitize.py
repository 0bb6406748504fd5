"""Builds Dodona with sanitizers, apart from the usual build, and runs tests, fuzz targets and threads with it.

    python scripts/sanitize.py [--cases N] [--models N] [--calls N] [--jobs N] [--only PART] [-- PYTEST ARGUMENTS]

AddressSanitizer ends the program when it reads or writes outside of its memory, or memory that it has freed;
UndefinedBehaviorSanitizer when a number overflows or a pointer is not aligned. ThreadSanitizer, in a second build,
reports memory that two threads use at the same time. Needs gcc on Linux. The builds are in build/sanitize/ and
build/sanitize-threads/, and only what changed is compiled again.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE")
PARTS = ("tests", "fuzz", "threads")
INTERPRETED = ("cli", "distributed", "drawing", "evaluation", "experiments", "fuzz", "samples", "server", "validation")
"""Folders of tests that say little about compiled code, and so are left out."""

TRAINS_NETWORKS = "network or neural or lstm or lanes or checkpoint"
"""Left out: JAX was compiled without sanitizers, and would take most of the time. The fuzz targets apply networks."""

OVERRUN = "import ctypes; p = ctypes.create_string_buffer(8); print(ctypes.string_at(p, 4096)[-1:] and 'not noticed')"
RACE = """
import threading
from samples.small_models import linear
from samples.treebank import treebank
parser = linear("arc-eager").parser
searches = parser._searches  # of this thread, which serve no other
sentences, search = searches.session.encode(treebank(50)), searches.greedy
threads = [threading.Thread(target=lambda: [search.parse(each) for each in sentences * 50]) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
"""Programs with a fault that must be noticed."""


@dataclass(frozen=True)
class Build:
    """A copy of Dodona compiled with some sanitizers, and what Python needs to run with them."""

    folder: Path
    sanitizers: str
    libraries: tuple[str, ...]
    options: Mapping[str, str]
    fault: str
    noticed: str

    def make(self) -> None:
        """Compile a copy; files that did not change keep their time, so that they are not compiled again."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            for source in [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*")):
                copy(source, self.folder / source.relative_to(ROOT))
        command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(command, cwd=self.folder, env={**os.environ, "DODONA_SANITIZE": self.sanitizers}, check=True)
        self.check()

    def environment(self) -> dict[str, str]:
        """In which Python loads the sanitizers first, and takes all memory from them."""
        paths = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True) for name in self.libraries]
        return {
            **os.environ,
            "LD_PRELOAD": " ".join(path.strip() for path in paths),
            "PYTHONPATH": os.pathsep.join([str(self.folder / "src"), str(ROOT / "tests")]),
            "PYTHONMALLOC": "malloc",
            **self.options,
        }

    def check(self) -> None:
        """Make sure that this build is the one that is tested, and that a fault would be noticed."""
        done = self.python("-c", "import dodona.search.greedy as module; print(module.__file__)", quiet=True)
        if not Path(done.stdout.strip()).is_relative_to(self.folder):
            raise SystemExit(f"sanitize.py: another Dodona would be tested: {done.stdout}{done.stderr}")
        done = self.python("-c", self.fault, quiet=True)
        if self.noticed not in done.stderr:
            raise SystemExit(f"sanitize.py: the sanitizers are not at work: {done.stdout}{done.stderr}")

    def python(self, *arguments: str, quiet: bool = False) -> "subprocess.CompletedProcess[str]":
        """Run Python, at fixed addresses: ThreadSanitizer knows only some of those that Linux would choose."""
        command = ["setarch", "-R", sys.executable, *arguments]
        return subprocess.run(
            command,
            env=self.environment(),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=quiet,
            text=True,
            check=False,
        )

    def passes(self, *arguments: str) -> bool:
        print("python", *arguments, flush=True)
        return self.python(*arguments).returncode == 0


MEMORY = Build(
    ROOT / "build" / "sanitize",
    "address,undefined",
    ("libasan.so", "libubsan.so"),
    # Python keeps much until the end, which is no leak; a model that asks for too much memory is refused
    {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"},
    OVERRUN,
    "AddressSanitizer: ",
)
THREADS = Build(
    ROOT / "build" / "sanitize-threads",
    "thread",
    ("libtsan.so",),
    {"TSAN_OPTIONS": "history_size=4"},
    RACE,
    "ThreadSanitizer: data race",
)


def main() -> None:
    given = arguments()
    if sys.platform != "linux" or shutil.which("gcc") is None or shutil.which("setarch") is None:
        raise SystemExit("sanitize.py: needs gcc and setarch on Linux")
    parts = [given.only] if given.only else PARTS
    passed: dict[str, bool] = {}
    if "tests" in parts or "fuzz" in parts:
        MEMORY.make()
    if "tests" in parts:
        folders = sorted(path for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name not in INTERPRETED)
        selected = given.pytest or ["-k", f"not ({TRAINS_NETWORKS})", *map(str, folders)]
        usual = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(given.jobs), "--timeout", "900")
        passed["tests"] = MEMORY.passes(*usual, *selected)
    if "fuzz" in parts:
        fuzz = ("-m", "fuzz", "--jobs", str(given.jobs), "--folder", str(MEMORY.folder / "fuzz"))
        passed["fuzzing"] = MEMORY.passes(*fuzz, "--cases", str(given.cases))
        passed["fuzzing of models"] = MEMORY.passes(*fuzz, "--cases", str(given.models), "model")
    if "threads" in parts:
        THREADS.make()
        passed["threads"] = THREADS.passes("scripts/stress.py", "--calls", str(given.calls))
    faulty = [name for name, well in passed.items() if not well]
    if faulty:
        raise SystemExit(f"sanitize.py: faults in {', '.join(faulty)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tests, fuzz targets and threads under sanitizers.")
    parser.add_argument("--cases", type=int, default=2000, help="inputs of each kind [default: %(default)s]")
    parser.add_argument("--models", type=int, default=5000, help="model files [default: %(default)s]")
    parser.add_argument("--calls", type=int, default=3000, help="calls in sixteen threads [default: %(default)s]")
    parser.add_argument("--jobs", type=int, default=2, help="processes [default: %(default)s]")
    parser.add_argument("--only", choices=PARTS, help="this part alone")
    parser.add_argument("pytest", nargs="*", help="instead of the usual choice of tests")
    return parser.parse_args()


def copy(source: Path, target: Path) -> None:
    unwanted = source.suffix in (".so", ".pyc", ".c") or ".egg-info" in str(source) or not source.is_file()
    if unwanted or (target.exists() and target.stat().st_mtime == source.stat().st_mtime):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


if __name__ == "__main__":
    main()
