"""`python -m dodona` is the command `dodona`."""

from dodona.cli.process import run

run()
