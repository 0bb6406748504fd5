"""What a program prints in a process of its own."""

import subprocess
import sys

__all__ = ["printed"]


def printed(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout
