"""Trains the models that come with Dodona, measures them on test data, and writes down beside each how it was made.

    export DODONA_TREEBANKS=~/treebanks DODONA_VECTORS=~/glove.6B.100d.txt.gz
    python scripts/train_models.py                                           # all of them
    python scripts/train_models.py en-fast --into FOLDER -- --beam 20        # one, with more options of `dodona train`
    python scripts/train_models.py en --describe                             # only the page of a model that is there

The treebanks are in folders of their own (en_ewt), each with train.conllu.gz, dev.conllu.gz and test.conllu.gz.
"""

import argparse
import hashlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # like `dodona`: CPU seconds of one thread

from treebank_folder import VARIABLE, treebank_folder

import dodona
from dodona.data.spacing import raw_text
from dodona.evaluation import Scores, evaluate
from dodona.neural.encoder import kernels

MODELS = Path("src/dodona/models")
VECTORS = "DODONA_VECTORS"
SCORES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
RUNS = 5


@dataclass(frozen=True)
class Recipe:
    """What a model is made of, and how."""

    name: str
    language: str
    folder: str
    data: str
    treebank: str
    page: str
    licence: str
    options: tuple[str, ...]
    vectors: str = ""  # where they come from, and their licence

    def file(self, part: str) -> str:
        """Without the folder of all treebanks, which is different on every machine."""
        return f"${VARIABLE}/{self.folder}/{part}.conllu.gz"

    def command(self, model: str, more: list[str]) -> list[str]:
        vectors = ["--vectors", f"${VECTORS}"] if self.vectors else []
        about = ["--name", self.data, "--licence", self.licence]
        data = ["train", self.file("train"), "--dev", self.file("dev")]
        return [*data, *self.options, *vectors, *about, *more, "-o", model]


EWT = {
    "language": "English",
    "folder": "en_ewt",
    "treebank": "UD_English-EWT, release 2.16 or later",
    "page": "https://universaldependencies.org/treebanks/en_ewt/",
    "licence": "CC BY-SA 4.0",
}
RECIPES = [
    Recipe(
        name="en",
        data="UD English EWT 2.16, GloVe 6B",
        options=(
            *("--scorer", "neural", "--width", "224", "--iterations", "34"),
            *("--nonprojective", "baseline", "--vectors-size", "8", "--seed", "1"),
        ),
        vectors="GloVe 6B (100 dimensions) by Jeffrey Pennington, Richard Socher and Christopher D. Manning, "
        "<https://nlp.stanford.edu/projects/glove/>, which are under the Public Domain Dedication and License 1.0",
        **EWT,
    ),
    Recipe(
        name="en-fast",
        data="UD English EWT 2.16",
        options=("--nonprojective", "baseline", "--size", "6", "--seed", "1"),
        **EWT,
    ),
]


def main() -> None:
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[: own.index("--")], own[own.index("--") + 1 :]
    recipes = {recipe.name: recipe for recipe in RECIPES}
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="*", metavar="MODEL", help=f"some of {', '.join(recipes)} (default: all)")
    options.add_argument("--into", type=Path, default=MODELS, help="the folder for the models")
    options.add_argument("--describe", action="store_true", help="train nothing: measure models that are there")
    chosen = options.parse_args(own)
    for name in chosen.models:
        if name not in recipes:
            options.error(f"model {name!r}: expected some of {', '.join(recipes)}")
    wanted = [recipes[name] for name in chosen.models or recipes]
    paths = {f"${VARIABLE}": str(treebank_folder())}
    if any(recipe.vectors for recipe in wanted) and not chosen.describe:
        paths[f"${VECTORS}"] = _find_vectors()
    for recipe in wanted:
        needed = [_resolve(recipe.file(part), paths) for part in ("train", "dev", "test")]
        if chosen.describe:
            needed = [needed[-1], str(chosen.into / f"{recipe.name}.model")]
        for file in needed:
            if not Path(file).is_file():
                sys.exit(f"{file}: there is no such file; expected the data and models of {recipe.name}")
    for recipe in wanted:
        model = chosen.into / f"{recipe.name}.model"
        if not chosen.describe:
            _train(recipe.command(str(model), more), paths)
        _describe(recipe, model, _resolve(recipe.file("test"), paths), more)


def _find_vectors() -> str:
    file = os.environ.get(VECTORS)
    if not file or not Path(file).expanduser().is_file():
        sys.exit(
            f"{VECTORS}: {file or 'is not set'}; expected a file of word vectors, glove.6B.100d.txt.gz for example"
        )
    return str(Path(file).expanduser())


def _resolve(word: str, names: dict[str, str]) -> str:
    """Return a word of a command with the paths of this machine."""
    for name, value in names.items():
        word = word.replace(name, value, 1) if word.startswith(name) else word
    return word


def _train(command: list[str], names: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-m", "dodona", *(_resolve(word, names) for word in command)], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def _describe(recipe: Recipe, model: Path, test: str, more: list[str]) -> None:
    gold = list(dodona.read(test))
    pipeline = dodona.load(model.absolute())
    given = list(pipeline.parse([sentence.copy() for sentence in gold], retag=True))
    raw = pipeline(raw_text(gold))
    page = _write_page(recipe, model, more, evaluate(gold, given), evaluate(gold, raw), _measure_speeds(model, gold))
    model.with_suffix(".md").write_text(page, encoding="utf-8")
    print(page)


def _measure_speeds(model: Path, gold: list[dodona.Sentence]) -> tuple[float, float]:
    """Words per CPU second: tagging and parsing of given words, and raw text to CoNLL-U, both in memory."""
    text = raw_text(gold)

    def tag_and_parse(nlp: dodona.Pipeline) -> int:
        return sum(map(len, dodona.Pipeline(nlp.parser, nlp.tagger).parse(copies, retag=True)))

    def whole(nlp: dodona.Pipeline) -> int:
        words = 0
        for sentence in nlp.parse(nlp.sentences([text])):
            words += len(sentence)
            sentence.to_bytes()
        return words

    speeds = []
    for work in (tag_and_parse, whole):
        best = 0.0
        for _ in range(RUNS):
            copies = [sentence.copy() for sentence in gold]
            best = max(best, _measure_speed(dodona.load(model.absolute()), work))
        speeds.append(best)
    return speeds[0], speeds[1]


def _measure_speed(nlp: dodona.Pipeline, work: Callable[[dodona.Pipeline], int]) -> float:
    """Words per CPU second of a model that has just been loaded, so that it remembers no word."""
    begin = time.process_time()
    words = work(nlp)
    return words / (time.process_time() - begin)


def _write_page(
    recipe: Recipe, model: Path, more: list[str], given: Scores, raw: Scores, speeds: tuple[float, float]
) -> str:
    data = model.read_bytes()
    command = recipe.command(f"{MODELS}/{model.name}", more)
    rows = [f"| {name} | {100 * given[name].f1:.2f} | {100 * raw[name].f1:.2f} |" for name in SCORES]
    scorer = dodona.load(model.absolute()).parser.options.scorer
    kernel = f"; kernel {kernels()[0]}" if scorer == "neural" else ""
    lines = [
        f"# {model.name}",
        "",
        f"Trained on {recipe.treebank}, a treebank of the Universal Dependencies project:",
        f"<{recipe.page}>. The model is derived from it and, like it, under the licence {recipe.licence}.",
        *([f"It contains word vectors: {recipe.vectors}."] if recipe.vectors else []),
        "",
        f"    dodona {' '.join(_quote(word) for word in command)}",
        "",
        f"- language: {recipe.language}",
        f"- scorer: {scorer}",
        f"- size: {len(data) / 1e6:.1f} MB",
        f"- SHA-256: `{hashlib.sha256(data).hexdigest()}`",
        f"- words per CPU second, one core: {_round(speeds[0])} from gold tokens (tags and trees), "
        f"{_round(speeds[1])} from raw text to CoNLL-U (everything), in memory{kernel}",
        "",
        "CoNLL 2018 scores (F1) on the test part, everything predicted; measured by `dodona.evaluation`:",
        "",
        "| score | from gold tokens | from raw text |",
        "|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def _round(speed: float) -> str:
    """Two digits: the rest is noise."""
    return f"{int(float(f'{speed:.2g}')):,}"


def _quote(word: str) -> str:
    return word if word.startswith("$") else shlex.quote(word)


if __name__ == "__main__":
    main()
