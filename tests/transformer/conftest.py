"""One thread of PyTorch is enough for tiny encoders, and tests run beside each other."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
