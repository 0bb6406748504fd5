"""What exploration is worth: every system with a static and with its best oracle on every treebank of a folder.

    python bench/treebanks.py TREEBANKS [SYSTEM ...]

Ten iterations, the plain templates of each system, UPOS as the only tag, LAS on test with full labels.
"""

import sys

from treebank_folder import treebank_folder

from dodona import read
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.systems.registry import SYSTEMS


def main() -> None:
    folder = treebank_folder(sys.argv[1:])
    names = sorted(path.name for path in folder.iterdir() if (path / "train.conllu.gz").exists())
    for system in sys.argv[2:] or list(SYSTEMS):
        entry = SYSTEMS[system]
        oracles = ("static", "dynamic") if "dynamic" in entry.oracles else ("eager", "nd-all")
        totals = [0.0, 0.0]
        for name in names:
            training = list(read(folder / name / "train.conllu.gz"))
            test = list(read(folder / name / "test.conllu.gz"))
            scores = []
            for oracle in oracles:
                options = ParserOptions(system=system, oracle=oracle, templates=entry.templates, iterations=10)
                scores.append(train_parser(training, options).scores(test)[1])
            totals = [total + score for total, score in zip(totals, scores, strict=True)]
            print(f"{system} {name}: {oracles[0]} {scores[0]:.2f}, {oracles[1]} {scores[1]:.2f}", flush=True)
        mean = [total / len(names) for total in totals]
        print(f"{system}, mean: {oracles[0]} {mean[0]:.2f}, {oracles[1]} {mean[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
