"""Builds Dodona with sanitizers, apart from the usual build, and runs tests of the compiled core and the fuzz targets.

    python scripts/sanitize.py [--cases N] [--models N] [--jobs N] [--only build|tests|fuzz] [-- PYTEST ARGUMENTS]

AddressSanitizer ends the program when it reads or writes outside of its memory, or memory that it has freed;
UndefinedBehaviorSanitizer when a number overflows or a pointer is not aligned. Needs gcc on Linux. The build is in
build/sanitize/, and only what changed is compiled again.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
COPIED = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE")
SANITIZERS = "address,undefined"
LIBRARIES = ("libasan.so", "libubsan.so")
ROOMS = (
    "data", "transitions", "oracles", "scoring", "search", "learning", "text", "components", "research", "pipeline",
    "systems",
)  # fmt: skip
TRAINS_NETWORKS = "network or neural or lstm or lanes or checkpoint"
"""Left out: JAX was compiled without sanitizers, and would take most of the time. The fuzz targets apply networks."""

MODEL_DOOR = "model"
OVERRUN = "import ctypes; p = ctypes.create_string_buffer(8); print(ctypes.string_at(p, 4096)[-1:] and 'not noticed')"


def main() -> None:
    given = arguments()
    if sys.platform != "linux" or shutil.which("gcc") is None:
        raise SystemExit("sanitize.py: needs gcc on Linux")
    if given.only in (None, "build"):
        build()
    environment = sanitized()
    check(environment)
    failed = []
    if given.only in (None, "tests"):
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(given.jobs), "--timeout", "900"]
        selected = given.pytest or ["-k", f"not ({TRAINS_NETWORKS})", *(f"tests/{room}" for room in ROOMS)]
        failed += ["tests"] * run([*command, *selected], environment)
    if given.only in (None, "fuzz"):
        fuzz = ["-m", "fuzz", "--jobs", str(given.jobs), "--folder", str(BUILD / "fuzz")]
        failed += ["fuzzing"] * run([*fuzz, "--cases", str(given.cases)], environment)
        failed += ["fuzzing of models"] * run([*fuzz, "--cases", str(given.models), MODEL_DOOR], environment)
    if failed:
        raise SystemExit(f"sanitize.py: faults in {', '.join(failed)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tests and fuzz targets under sanitizers.")
    parser.add_argument("--cases", type=int, default=2000, help="inputs at each door [default: %(default)s]")
    parser.add_argument("--models", type=int, default=5000, help="model files [default: %(default)s]")
    parser.add_argument("--jobs", type=int, default=2, help="processes [default: %(default)s]")
    parser.add_argument("--only", choices=("build", "tests", "fuzz"), help="this part alone")
    parser.add_argument("pytest", nargs="*", help="instead of the usual choice of tests")
    return parser.parse_args()


def build() -> None:
    """Compile a copy; files that did not change keep their time, so that they are not compiled again."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        for source in [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*")):
            copy(source, BUILD / source.relative_to(ROOT))
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(command, cwd=BUILD, env={**os.environ, "DODONA_SANITIZE": SANITIZERS}, check=True)


def copy(source: Path, target: Path) -> None:
    unwanted = source.suffix in (".so", ".pyc", ".c") or ".egg-info" in str(source) or not source.is_file()
    if unwanted or (target.exists() and target.stat().st_mtime == source.stat().st_mtime):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def sanitized() -> dict[str, str]:
    """The environment in which Python loads the sanitizers first, and takes all memory from them."""
    paths = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip() for name in LIBRARIES]
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(paths),
        "PYTHONPATH": os.pathsep.join([str(BUILD / "src"), str(ROOT / "tests")]),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",  # Python keeps much until the end
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def check(environment: Mapping[str, str]) -> None:
    """Make sure that the build is the one that is tested, and that a fault would be noticed."""
    module = "import dodona.search.greedy as module; print(module.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", module], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    if not Path(done.stdout.strip()).is_relative_to(BUILD):
        raise SystemExit(f"sanitize.py: another Dodona would be tested: {done.stdout}")
    done = subprocess.run([sys.executable, "-c", OVERRUN], env=environment, capture_output=True, text=True, check=False)
    if "AddressSanitizer: " not in done.stderr:
        raise SystemExit(f"sanitize.py: AddressSanitizer is not at work: {done.stdout}{done.stderr}")


def run(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Run Python with these arguments, and return whether it failed."""
    print("python", *command, flush=True)
    done = subprocess.run([sys.executable, *command], env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    return done.returncode != 0


if __name__ == "__main__":
    main()
