"""`python -m dodona` is the command `dodona`."""

from dodona.cli.start import run

run()
