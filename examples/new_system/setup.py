"""Compiles buffer_hybrid.py, with the types in buffer_hybrid.pxd, against the .pxd files of the installed Dodona."""

from Cython.Build import cythonize
from setuptools import Extension, setup

DIRECTIVES = {  # those that Dodona itself is compiled with
    "language_level": 3,
    "annotation_typing": False,  # the .pxd decides the types; hints in the .py are for readers and mypy
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "infer_types": True,
}

setup(
    name="buffer-hybrid",
    version="1",
    py_modules=["quick"],
    ext_modules=cythonize(
        [Extension("buffer_hybrid", ["buffer_hybrid.py"], extra_compile_args=["-O3", "-g0"])],
        compiler_directives=DIRECTIVES,
        build_dir="build",
    ),
)
