"""Where memory is not enough there is an error, not a wrong number."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource
from dodona.systems.arc_standard import ArcStandard
from dodona.transitions import derivations
from dodona.transitions.moves import SHIFT
n = 40_000  # half of them on the stack: a chart of 20,000 * 40,000 cells
core = ArcStandard(1)
s = derivations.start(core, n)
for _ in range(n // 2):
    core.apply(s, SHIFT, 0, 0)
gold = derivations.gold_tree([0] + [1] * (n - 1), [0] * n)
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for compute in (lambda: core.cost(s, gold, SHIFT, 0), lambda: derivations.costs(core, s, gold, 0, 0)):
    try:
        print(compute())
    except MemoryError:
        print("MemoryError")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process so")
def test_a_chart_that_cannot_be_allocated_is_an_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert done.stdout.split() == ["MemoryError", "MemoryError"], done.stderr
