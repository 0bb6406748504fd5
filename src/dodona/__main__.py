"""`python -m dodona` is the command `dodona`."""

from dodona.cli.main import run

run()
