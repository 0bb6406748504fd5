"""Where the treebanks are that benches and scripts work on: named on the command line, or once for all of them.

    export DODONA_TREEBANKS=~/treebanks

Each treebank is a folder of its own there (en_ewt) with train.conllu.gz, dev.conllu.gz and test.conllu.gz.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["VARIABLE", "treebank_folder"]

VARIABLE = "DODONA_TREEBANKS"


def treebank_folder(given: Sequence[str] = ()) -> Path:
    """The folder of all treebanks: the first of these arguments, or what the environment says; else an end."""
    name = given[0] if given else os.environ.get(VARIABLE)
    if not name:
        sys.exit(f"{VARIABLE} is not set: expected the folder with the treebanks (en_ewt, …)")
    folder = Path(name).expanduser()
    if not folder.is_dir():
        sys.exit(f"{folder}: there is no such folder; expected one with treebanks (en_ewt, …)")
    return folder
