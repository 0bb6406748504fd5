"""The findings of `dodona validate` beside those of UD's validator: `python bench/validation.py [TREEBANKS]`.

All parts of all treebanks, levels 1 to 3: how many findings each has, and the rules of which they find a different
number. UD's validator (`pip install udtools`, under the GPL) is run as a program of its own. Speed in words per CPU
second, on one core, with unpacking.
"""

import gzip
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from treebank_folder import treebank_folder

from dodona.data import read
from dodona.validation import validate

SAID = re.compile(r"^\[Line -?\d+ Sent .*?\]: \[L\d \S+ (\S+)\]", re.MULTILINE)
OTHER_NAMES = {
    "unsorted-deps-2": "unsorted-deps",
    "empty-node-after-eorphan": "orphan-beside-empty-nodes",
    "eorphan-after-empty-node": "orphan-beside-empty-nodes",
    "parallel-id-alt": "parallel-id-sequence",
    "parallel-id-part": "parallel-id-sequence",
}


def ours(file: Path) -> tuple[Counter[str], float]:
    begin = time.process_time()
    found = Counter(finding.rule for finding in validate(file))
    return found, time.process_time() - begin


def theirs(program: str, file: Path) -> Counter[str]:
    with tempfile.NamedTemporaryFile(suffix=".conllu") as plain:
        plain.write(gzip.decompress(file.read_bytes()))
        plain.flush()
        options = ("--lang", "ud", "--level", "3", "--max-err", "0", "--no-warnings")
        done = subprocess.run(
            [program, *options, plain.name], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    return Counter(OTHER_NAMES.get(name, name) for name in SAID.findall(done.stdout + done.stderr))


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    program = shutil.which("udvalidate", path=str(Path(sys.executable).parent))
    print("treebank\tfindings\tof UD's validator\twords per CPU second\tdifferent rules")
    for file in sorted(folder.glob("*/*.conllu.gz")):
        words = sum(len(sentence) for sentence in read(file))
        found, seconds = ours(file)
        said = theirs(program, file) if program is not None else None
        other = "" if said is None else " ".join(sorted(name for name in found | said if found[name] != said[name]))
        name = f"{file.parent.name}/{file.name.partition('.')[0]}"
        total = "-" if said is None else str(said.total())
        print(name, found.total(), total, f"{words / seconds:,.0f}", other or "none", sep="\t", flush=True)


if __name__ == "__main__":
    main()
