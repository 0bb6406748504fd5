"""Compiles the hot rooms: every file that has a .pxd of the same name becomes an extension module."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCE = Path("src")
HEADERS = SOURCE / "dodona" / "scoring" / "linear"
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # the .pxd decides the types; hints in the .py are for readers and mypy
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "infer_types": True,
}


def extension(pxd: Path) -> Extension:
    module = ".".join(pxd.relative_to(SOURCE).with_suffix("").parts)
    source = pxd.with_suffix(".pyx") if pxd.with_suffix(".pyx").exists() else pxd.with_suffix(".py")
    return Extension(module, [str(source)], include_dirs=[str(HEADERS)], extra_compile_args=["-O3", "-g0"])


SHARED = "dodona._shared"  # what all compiled modules need, compiled once
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
setup(
    ext_modules=cythonize(
        [
            *(extension(pxd) for pxd in sorted(SOURCE.rglob("*.pxd")) if pxd.stem != "__init__"),
            Extension(SHARED, ["_shared.c"], extra_compile_args=["-O2", "-g0"]),
        ],
        shared_utility_qualified_name=SHARED,
        compiler_directives=DIRECTIVES,
        build_dir="build",
        nthreads=cores,
    ),
    options={"build_ext": {"parallel": cores}},
)
