"""Python without the interpreter's lock: importing and using Dodona must not turn the lock on again."""

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, pkgutil, sys
import dodona
for module in pkgutil.walk_packages(dodona.__path__, "dodona."):
    if module.name.split(".")[1] in ("cli", "server", "learning", "experiments", "distributed"):
        continue  # they need other packages
    importlib.import_module(module.name)
nlp = dodona.load("en-fast")
texts = ["Oak trees grow slowly.", "Nobody asks why."] * 200
alone = [[s.to_bytes() for s in found] for found in nlp.pipe(texts)]
assert [[s.to_bytes() for s in found] for found in nlp.pipe(texts, jobs=4, batch=3)] == alone
assert not sys._is_gil_enabled()
"""


@pytest.mark.skipif(
    getattr(sys, "_is_gil_enabled", lambda: True)(), reason="needs a free-threaded Python, such as python3.13t"
)
def test_the_lock_stays_off() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM], capture_output=True, text=True, timeout=100,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
