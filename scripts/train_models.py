"""Trains the models that come with Dodona, measures them on test data, and writes down beside each how it was made.

    DODONA_TREEBANKS=~/treebanks python scripts/train_models.py [--into FOLDER] [more options of `dodona train`]

The treebanks are in folders of their own (en_ewt), each with train.conllu.gz, dev.conllu.gz and test.conllu.gz.
"""

import argparse
import hashlib
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from treebank_folder import VARIABLE, treebank_folder

import dodona
from dodona.data.rawtext import raw_text
from dodona.evaluation import Scores, evaluate

MODELS = Path("src/dodona/models")
SHOWN = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")


@dataclass(frozen=True)
class Recipe:
    """What a model is made of, and how."""

    name: str
    folder: str
    data: str
    treebank: str
    page: str
    licence: str
    options: tuple[str, ...]

    def file(self, part: str) -> str:
        """Without the folder of all treebanks, which is different on every machine."""
        return f"${VARIABLE}/{self.folder}/{part}.conllu.gz"

    def command(self, model: str, more: list[str]) -> list[str]:
        about = ["--name", self.data, "--licence", self.licence]
        return ["train", self.file("train"), "--dev", self.file("dev"), *self.options, *about, *more, "-o", model]


RECIPES = [
    Recipe(
        name="en",
        folder="en_ewt",
        data="UD English EWT 2.16",
        treebank="UD_English-EWT, release 2.16 or later",
        page="https://universaldependencies.org/treebanks/en_ewt/",
        licence="CC BY-SA 4.0",
        options=("--nonprojective", "baseline", "--size", "6", "--seed", "1"),
    )
]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--into", type=Path, default=MODELS, help="the folder for the models")
    chosen, more = options.parse_known_args()
    treebanks = str(treebank_folder())
    for recipe in RECIPES:
        for part in ("train", "dev", "test"):
            if not Path(_found(recipe.file(part), treebanks)).is_file():
                sys.exit(f"{_found(recipe.file(part), treebanks)}: there is no such file; expected it in {VARIABLE}")
    for recipe in RECIPES:
        _make(recipe, chosen.into, treebanks, more)


def _found(file: str, treebanks: str) -> str:
    return file.replace(f"${VARIABLE}", treebanks, 1)


def _make(recipe: Recipe, folder: Path, treebanks: str, more: list[str]) -> None:
    model = folder / f"{recipe.name}.model"
    arguments = [_found(argument, treebanks) for argument in recipe.command(str(model), more)]
    done = subprocess.run([sys.executable, "-m", "dodona", *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    pipeline = dodona.load(model.absolute())
    gold = list(dodona.read(_found(recipe.file("test"), treebanks)))
    given = list(pipeline.parse([sentence.copied() for sentence in gold], retag=True))
    raw = pipeline(raw_text(gold))
    told = _told(recipe, model, more, evaluate(gold, given), evaluate(gold, raw))
    model.with_suffix(".md").write_text(told)
    print(told)


def _told(recipe: Recipe, model: Path, more: list[str], given: Scores, raw: Scores) -> str:
    data = model.read_bytes()
    command = recipe.command(f"{MODELS}/{model.name}", more)
    rows = [f"| {name} | {100 * given[name].f1:.2f} | {100 * raw[name].f1:.2f} |" for name in SHOWN]
    lines = [
        f"# {model.name}",
        "",
        f"Trained on {recipe.treebank}, a treebank of the Universal Dependencies project:",
        f"<{recipe.page}>. The model is derived from it and, like it, under the licence {recipe.licence}.",
        "",
        f"    dodona {' '.join(_quoted(word) for word in command)}",
        "",
        f"- size: {len(data) / 1e6:.1f} MB",
        f"- SHA-256: `{hashlib.sha256(data).hexdigest()}`",
        "",
        "CoNLL 2018 scores (F1) on the test part, everything predicted; measured by `dodona.evaluation`:",
        "",
        "| score | from gold tokens | from raw text |",
        "|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def _quoted(word: str) -> str:
    return word if word.startswith("$") else shlex.quote(word)


if __name__ == "__main__":
    main()
