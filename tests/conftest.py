"""What holds for all tests: networks are compiled quickly, and each only once; and no test goes on for ever."""

import faulthandler
import os
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("here", deadline=None, print_blob=True)
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
"""Where nobody looks at a failure at once, the same examples are tried each time; elsewhere, others. What has failed is
shown in a form that can be tried again."""

GRACE = float(os.environ.get("DODONA_GRACE", "60"))
"""Seconds after the time of pytest-timeout at which a test ends all tests. Pytest-timeout waits for the interpreter,
which an endless loop in compiled code never lets go on; this does not."""

_FOLDER = tempfile.TemporaryDirectory(prefix="dodona-tests-")
"""Most of the time of a small network goes into compiling it. Child processes use what is compiled already, too."""

for _name, _value in {
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "JAX_COMPILATION_CACHE_DIR": _FOLDER.name,
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "DODONA_PRECISION": "32",  # on every processor
}.items():
    os.environ.setdefault(_name, _value)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    marker = item.get_closest_marker("timeout")
    limit = float(marker.args[0] if marker and marker.args else item.config.getini("timeout"))
    if not item.config.getoption("usepdb"):
        faulthandler.dump_traceback_later(limit + GRACE, exit=True, file=_stderr(item.config))
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _stderr(config: pytest.Config) -> int:
    """The handle of the real standard error, which is not captured."""
    handle = config.stash.get(STDERR, None)
    if handle is None:
        with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            config.stash[STDERR] = handle = os.dup(sys.stderr.fileno())
    return handle


STDERR = pytest.StashKey[int]()
