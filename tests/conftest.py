"""What holds for all tests."""

import os

# Most of the time of a small network goes into compiling it. Child processes see this too.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
