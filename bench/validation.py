"""The findings of `dodona validate` beside those of UD's validator alone: `python bench/validation.py [TREEBANKS]`.

All parts of all treebanks, levels 1 to 3: how many findings each has, and the rules of which they find a different
number. UD's validator (`pip install udtools`, under the GPL) is run as a program of its own. Speed in words per second
of CPU, that of udtools included, with unpacking: at level 2 and at level 3.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from treebank_folder import treebank_folder

from dodona.data import read
from dodona.validation import validate

MESSAGE = re.compile(r"^\[Line -?\d+ Sent .*?\]: \[L\d \S+ (\S+)\]", re.MULTILINE)
OTHER_NAMES = {
    "unsorted-deps-2": "unsorted-deps",
    "empty-node-after-eorphan": "orphan-beside-empty-nodes",
    "eorphan-after-empty-node": "orphan-beside-empty-nodes",
    "parallel-id-alt": "parallel-id-sequence",
    "parallel-id-part": "parallel-id-sequence",
}


def count_findings(file: Path, level: int) -> tuple[Counter[str], float]:
    """The findings by rule, and the seconds that this process and those that it started have worked."""
    begin = os.times()
    counts = Counter(finding.rule for finding in validate(file, level=level))
    end = os.times()
    return counts, sum(end[:4]) - sum(begin[:4])


def run_udtools(program: str, file: Path) -> Counter[str]:
    with tempfile.NamedTemporaryFile(suffix=".conllu") as plain:
        plain.write(gzip.decompress(file.read_bytes()))
        plain.flush()
        options = ("--lang", "ud", "--level", "3", "--max-err", "0", "--no-warnings")
        process = subprocess.run(
            [program, *options, plain.name], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    return Counter(OTHER_NAMES.get(name, name) for name in MESSAGE.findall(process.stdout + process.stderr))


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    program = shutil.which("udvalidate", path=str(Path(sys.executable).parent))
    if program is None:
        sys.exit("expected UD's validator: pip install 'dodona[validate]'")
    print("treebank\tfindings\tof UD's validator\twords per CPU second, level 2\tlevel 3\tdifferent rules")
    for file in sorted(folder.glob("*/*.conllu.gz")):
        words = sum(len(sentence) for sentence in read(file))
        _, seconds = count_findings(file, 2)
        counts, more_seconds = count_findings(file, 3)
        others = run_udtools(program, file)
        different = " ".join(sorted(name for name in counts | others if counts[name] != others[name]))
        name = f"{file.parent.name}/{file.name.partition('.')[0]}"
        speeds = (f"{words / seconds:,.0f}", f"{words / more_seconds:,.0f}")
        print(name, counts.total(), others.total(), *speeds, different or "none", sep="\t", flush=True)


if __name__ == "__main__":
    main()
