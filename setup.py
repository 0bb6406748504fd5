"""Compiles every .pyx, and every .py that has a .pxd of the same name."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent / "scripts"))
from archives import ListedWheel, SameSdist

SOURCE = Path("src")
HEADERS = SOURCE / "dodona" / "linear"
DIRECTIVES = {
    "language_level": 3,
    "auto_pickle": False,  # what is to be pickled says how; code for all other classes would take long to compile
    "annotation_typing": False,  # the .pxd decides the types; hints in the .py are for readers and mypy
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "infer_types": True,
    "freethreading_compatible": True,  # threads share only what does not change, or what Python guards
}


def sources() -> list[Path]:
    modules = {path.with_suffix("") for path in SOURCE.rglob("*.p[xy][dx]")}
    return [path.with_suffix(".pyx" if path.with_suffix(".pyx").exists() else ".py") for path in sorted(modules)]


def extension(source: Path) -> Extension:
    module = ".".join(source.relative_to(SOURCE).with_suffix("").parts)
    headers = [str(header) for header in sorted(source.parent.glob("*.h"))]  # compiled again if one of them changes
    return Extension(module, [str(source)], include_dirs=[str(HEADERS), str(source.parent)], depends=headers)


class BuildExtensions(build_ext):
    """Knows how each compiler is told to optimize, and to round alike everywhere, so that models are the same bytes."""

    def build_extensions(self) -> None:
        """Translate everything to C and compile it; here and not earlier, as an sdist needs no C."""
        translated = cythonize(
            self.extensions,
            shared_utility_qualified_name=SHARED,
            compiler_directives=DIRECTIVES,
            build_dir="build",
            nthreads=cores,
        )
        for each, done in zip(self.extensions, translated, strict=True):
            each.sources = done.sources
        msvc = self.compiler.compiler_type == "msvc"
        for each in self.extensions:
            level = 1 if each.name in COLD else 3 if each.name.startswith(HOT) else 2
            each.extra_compile_args = ["/O2", "/fp:precise"] if msvc else [f"-O{level}", "-g0", "-ffp-contract=off"]
            if SANITIZE:
                each.extra_compile_args += [*SANITIZE, "-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover"]
                each.extra_link_args = SANITIZE
        super().build_extensions()


# for scripts/sanitize.py: "address,undefined" makes faults in memory and undefined behaviour end the program
SANITIZE = [f"-fsanitize={names}"] if (names := os.environ.get("DODONA_SANITIZE")) else []
SHARED = "dodona._shared"  # what all compiled modules need, compiled once
HOT_FOLDERS = ("data", "linear", "neural", "search", "systems", "tagger", "tokenizer", "transitions")
HOT = tuple(f"dodona.{name}." for name in HOT_FOLDERS)
COLD_PARTS = (
    "neural.rollouts", "search.scorer", "transitions.derivations", "transitions.gold", "transitions.overrides",
    "transitions.policy", "transitions.system", "transitions.watch",
)  # fmt: skip
COLD = (SHARED, *(f"dodona.{name}" for name in COLD_PARTS))  # at most two hundredths of the time of a training
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
setup(
    ext_modules=[*map(extension, sources()), Extension(SHARED, ["_shared.c"])],
    cmdclass={"bdist_wheel": ListedWheel, "build_ext": BuildExtensions, "sdist": SameSdist},
    options={"build_ext": {"parallel": cores}},
)
