"""A test that never ends, ends all tests, with a traceback: also one in compiled code, which hears no signal."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
ENDLESS = """
from itertools import repeat
import pytest

@pytest.mark.timeout(1)
def test_endless():
    sum(repeat(0))
"""


def test_an_endless_loop_in_compiled_code(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\ntimeout = 100\n", encoding="utf-8")
    (tmp_path / "test_endless.py").write_text(ENDLESS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env=os.environ | {"DODONA_GRACE": "0.3"},
    )  # fmt: skip
    assert done.returncode == 1
    assert "Timeout (0:00:01.3" in done.stderr
    assert 'test_endless.py", line 7 in test_endless' in done.stderr
