"""The tables of accuracy in docs/: every treebank of a folder, or some, trained anew.

    python bench/accuracy.py TREEBANKS [NAME ...]                            whole pipelines: docs/pipeline.md
    python bench/accuracy.py TREEBANKS [NAME ...] --systems arc-eager,covington      what exploration is worth:
                                                                             docs/training.md

Pipelines have the default options, and a beam with `--beam WIDTH`. They are scored on the test part from gold words
with predicted tags, and from raw text (generated where the treebank has none, marked with a star), by the CoNLL 2018
evaluation, but LAS with full labels. With `--systems`, parsers are trained with a static and with the best oracle of
each system: ten iterations, plain templates, UPOS as the only tag, LAS on test with full labels.
"""

import argparse
import time
import warnings
from pathlib import Path

from treebank_folder import treebank_folder

from dodona import Sentence, read, train
from dodona.data.spacing import detokenize, raw_text
from dodona.evaluation import attachment, compare, evaluate
from dodona.systems.registry import SYSTEMS


def show_pipelines(folders: list[Path], beam: int) -> None:
    print("| treebank | UPOS | XPOS | UFeats | lemmas | UAS | LAS | raw: words | sentences | LAS | training |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for folder in folders:
        print(measure_pipeline(folder, beam), flush=True)


def measure_pipeline(folder: Path, beam: int) -> str:
    """A row of the table."""
    training, dev, test = (read_with_text(folder / f"{part}.conllu.gz") for part in ("train", "dev", "test"))
    star = "*" if any(sentence.text is None for sentence in read(folder / "train.conllu.gz")) else ""
    begin = time.monotonic()
    nlp = train(training, dev, beam=beam, iterations=10 if beam > 1 else None)
    spent = time.monotonic() - begin
    from_words = list(nlp.parse(read_with_text(folder / "test.conllu.gz"), retag=True))
    words, raw = evaluate(test, from_words), evaluate(test, list(nlp.parse(nlp.sentences([raw_text(test)]))))
    scores = [100 * words[name].f1 for name in ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS")]  # 100 for an empty column
    scores.append(100 * attachment(compare(test, from_words))["LAS"].accuracy)
    scores += [100 * raw[name].f1 for name in ("Words", "Sentences", "LAS")]
    return f"| {folder.name}{star} | " + " | ".join(f"{score:.2f}" for score in scores) + f" | {spent:.0f} s |"


def read_with_text(path: Path) -> list[Sentence]:
    return list(detokenize(list(read(path))))


def show_oracles(folders: list[Path], systems: list[str]) -> None:
    for system in systems:
        entry = SYSTEMS[system]
        oracles = ("static", "dynamic") if "dynamic" in entry.oracles else ("eager", "nd-all")
        rows = []
        for folder in folders:
            training, test = (list(read(folder / f"{part}.conllu.gz")) for part in ("train", "test"))
            row = []
            for oracle in oracles:
                nlp = train(
                    training, components=["parser"], tags="gold", system=system, oracle=oracle,
                    templates=entry.templates, iterations=10,
                )  # fmt: skip
                row.append(nlp.scores(test)[1])
            rows.append(row)
            print(f"{system} {folder.name}: {oracles[0]} {row[0]:.2f}, {oracles[1]} {row[1]:.2f}", flush=True)
        static, best = (sum(column) / len(folders) for column in zip(*rows, strict=True))
        print(f"{system}, mean: {oracles[0]} {static:.2f}, {oracles[1]} {best:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="?", help="the folder with all treebanks [default: $DODONA_TREEBANKS]")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of the treebanks [default: all]")
    parser.add_argument("--beam", type=int, default=1, metavar="WIDTH", help="of the pipelines' parsers [default: 1]")
    parser.add_argument("--systems", metavar="LIST", help=f"with commas between them, of {', '.join(SYSTEMS)}")
    asked = parser.parse_args()
    folder = treebank_folder([asked.treebanks] if asked.treebanks else [])
    names = asked.names or sorted(path.name for path in folder.iterdir() if (path / "train.conllu.gz").exists())
    warnings.simplefilter("ignore")
    if asked.systems is not None:
        show_oracles([folder / name for name in names], asked.systems.split(","))
    else:
        show_pipelines([folder / name for name in names], asked.beam)


if __name__ == "__main__":
    main()
