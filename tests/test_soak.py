"""The script that looks for leaks: it finds what grows, and is not deceived by what does not."""

import random
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "soak.py"

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def soak() -> ModuleType:
    spec = spec_from_file_location("soak", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["soak"] = module  # a dataclass looks for its module
    spec.loader.exec_module(module)
    return module


def test_growth_is_what_the_last_quarter_has_more_than_the_second(soak: ModuleType) -> None:
    chance = random.Random(1)
    steady = [100 + chance.random() for _ in range(400)]
    assert abs(soak.measure_growth(steady)) < 0.2
    assert 40 < soak.measure_growth([value + number / 5 for number, value in enumerate(steady)]) < 60  # 80 in all
    warming = [min(number, 100) + value for number, value in enumerate(steady)]
    assert abs(soak.measure_growth(warming)) < 0.2  # the first quarter does not count
    peaks = [value + (1000 if number % 3 == 0 else 0) for number, value in enumerate(steady)]
    assert abs(soak.measure_growth(peaks)) < 1
    assert soak.measure_growth([1.0, 2.0]) == 0


def test_only_what_grows_too_much_is_told(soak: ModuleType) -> None:
    samples = soak.Samples(
        memory=[200.0 + number for number in range(100)], files=[8.0] * 100, threads=[1.0] * 50 + [9.0] * 50
    )
    assert samples.find_growth() == {"memory": pytest.approx(50, abs=1), "threads": 8.0}


def test_a_short_run(tmp_path: Path) -> None:
    """Too short to say anything about leaks, long enough for some of each kind of work."""
    command = [sys.executable, str(SCRIPT), "--minutes", "0.015"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode in (0, 1)
    assert done.stderr == ""
    line, *told = done.stdout.splitlines()
    assert " calls " in line
    assert told
