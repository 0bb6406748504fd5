"""Child processes that Ctrl-C can reach, also where the tests run with SIGINT ignored (in the background)."""

import signal

__all__ = ["hear_interrupts"]


def hear_interrupts() -> None:
    """For `preexec_fn`: what a shell in the foreground gives its commands."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
