"""What holds for all tests: networks are compiled quickly, and each only once."""

import os
import tempfile

_FOLDER = tempfile.TemporaryDirectory(prefix="dodona-tests-")
"""Most of the time of a small network goes into compiling it. Child processes use what is compiled already, too."""

for _name, _value in {
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "JAX_COMPILATION_CACHE_DIR": _FOLDER.name,
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}.items():
    os.environ.setdefault(_name, _value)
