"""The whole pipeline on every treebank: `python bench/pipelines.py TREEBANKS [NAME ...] [--beam WIDTH]`.

Trains tokenizer, tagger, lemmatizer and parser with their default options, and prints a row of the table in
docs/pipeline.md for each treebank: scores on the test part from gold words with predicted tags, and from raw text (made
up where the treebank has none, marked with a star), by the CoNLL 2018 evaluation, but LAS with full labels.
"""

import sys
import time
import warnings
from pathlib import Path

from treebank_folder import treebank_folder

from dodona import Sentence, read
from dodona.data.spacing import detokenize, raw_text
from dodona.evaluation import attachment, compare, evaluate
from dodona.parser.options import ParserOptions
from dodona.pipeline.training import TrainingPlan, train_pipeline


def row(folder: Path, beam: int) -> str:
    training, dev, test = (_with_text(folder / f"{part}.conllu.gz") for part in ("train", "dev", "test"))
    made_up = "*" if any(sentence.text is None for sentence in read(folder / "train.conllu.gz")) else ""
    begin = time.monotonic()
    pipeline = train_pipeline(
        training, ParserOptions(beam=beam, iterations=10 if beam > 1 else None), TrainingPlan(), dev
    )
    spent = time.monotonic() - begin
    words = list(pipeline.parse([sentence.copy() for sentence in test], retag=True))
    text = list(pipeline.parse(pipeline.sentences([raw_text(test)])))
    tags = evaluate(test, words)
    raw = evaluate(test, text)
    found = [100 * tags[name].f1 for name in ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS")]  # 100 where there is nothing
    found.append(100 * attachment(compare(test, words))["LAS"].accuracy)
    found += [100 * raw[name].f1 for name in ("Words", "Sentences", "LAS")]
    return f"| {folder.name}{made_up} | " + " | ".join(f"{value:.2f}" for value in found) + f" | {spent:.0f} s |"


def _with_text(path: Path) -> list[Sentence]:
    return list(detokenize(list(read(path))))


def main() -> None:
    warnings.simplefilter("ignore")
    arguments = sys.argv[1:]
    beam = 1
    if "--beam" in arguments:
        beam = int(arguments.pop(arguments.index("--beam") + 1))
        arguments.remove("--beam")
    folder = treebank_folder(arguments)
    names = arguments[1:] or sorted(path.name for path in folder.iterdir() if path.is_dir())
    print("| treebank | UPOS | XPOS | UFeats | lemmas | UAS | LAS | raw: words | sentences | LAS | training |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        print(row(folder / name, beam), flush=True)


if __name__ == "__main__":
    main()
