"""Trains the models that come with Dodona, measures them on test data, and writes down beside each how it was made.

    export DODONA_TREEBANKS=~/treebanks DODONA_ENCODER=~/all-mpnet-base-v2 DODONA_TEXT=~/text
    export DODONA_VECTORS=~/glove.6B.100d.txt.gz
    python scripts/train_models.py teacher silver                        # on a GPU best
    python scripts/train_models.py en en-small en-fast                   # the students: two hours on two cores
    python scripts/train_models.py en-fast --into FOLDER -- --beam 20    # with more options of `dodona train`
    python scripts/train_models.py en --describe                         # only the page of a model that is there

The treebanks are in folders of their own (en_ewt), each with train.conllu.gz, dev.conllu.gz and test.conllu.gz. The
encoder is a folder in Hugging Face's layout. The text is a file en.txt.xz, a sentence a line: the name of its source, a
tab, and words separated by spaces. Teacher, and what it makes of the text (silver), are kept in build/models. Without
names, all is made; silver that is there is taken as it is, whichever parser made it.
"""

import argparse
import hashlib
import lzma
import os
import random
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
from dodona.data.files import output
from dodona.data.spacing import raw_text
from dodona.evaluation import Scores, evaluate
from dodona.neural.encoder import kernels

MODELS = Path("src/dodona/models")
WORK = Path("build/models")  # what students learn from
TEACHER, SILVER = WORK / "teacher.model", WORK / "silver"
PARTS = 8  # files of silver, which are read in turns
ENCODER_VARIABLE, TEXT_VARIABLE, VECTORS_VARIABLE = "DODONA_ENCODER", "DODONA_TEXT", "DODONA_VECTORS"
SCORES = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX")
RUNS = 5
SHORTEST, LONGEST = 3, 80  # words of a sentence
ENCODER = "the encoder all-mpnet-base-v2 (sentence-transformers, Apache 2.0 by its model card)"
TEACHER_NOW = (
    f"{ENCODER}, its matrices rounded to 8 bits a number, then fine-tuned on the same treebank for sixteen iterations; "
    "on its test part it has UPOS 98.05, UAS 94.58 and LAS 92.73 (full labels, gold words)"
)
TEACHER_BEFORE = (
    f"{ENCODER}, its matrices rounded to 4.5 bits a number, then fine-tuned on the same treebank for seven iterations; "
    "on its test part it has UPOS 97.80, UAS 93.37 and LAS 90.84 (full labels, gold words)"
)
SOURCES = (
    "AMALGUM (<https://github.com/gucorpling/amalgum>; texts under CC BY, CC BY-SA or in the public domain), sentences "
    "of Common Voice (<https://github.com/common-voice/common-voice>, CC0), 20 Newsgroups and the IMDB corpus of "
    "reviews (research corpora in general use, no licence stated)"
)
VECTORS = (
    "GloVe 6B (100 dimensions) by Jeffrey Pennington, Richard Socher and Christopher D. Manning, "
    "<https://nlp.stanford.edu/projects/glove/>, which are under the Public Domain Dedication and License 1.0"
)


@dataclass(frozen=True)
class Recipe:
    """What a model is made of, and how: a student of the teacher, on a treebank and raw text."""

    name: str
    options: tuple[str, ...]
    teacher: str = TEACHER_NOW

    @property
    def has_vectors(self) -> bool:
        return "--vectors" in self.options

    @property
    def data(self) -> str:
        """What is recorded in the model."""
        return f"UD English EWT 2.16, {'GloVe 6B, ' if self.has_vectors else ''}and text parsed by a teacher"

    def command(self, model: str, more: list[str]) -> list[str]:
        data = ["train", treebank_file("train"), "--dev", treebank_file("dev"), "--held-out", treebank_file("test")]
        silver = [word for part in range(PARTS) for word in ("--silver", str(SILVER / f"{part}.conllu.gz"))]
        return [*data, *silver, *self.options, "--name", self.data, "--licence", LICENCE, *more, "-o", model]


def treebank_file(part: str) -> str:
    """Without the folder of all treebanks, which is different on every machine."""
    return f"${VARIABLE}/en_ewt/{part}.conllu.gz"


TREEBANK = "UD_English-EWT, release 2.16 or later"
PAGE = "https://universaldependencies.org/treebanks/en_ewt/"
LICENCE = "CC BY-SA 4.0"
TEACHER_COMMAND = [
    *("train", treebank_file("train"), "--dev", treebank_file("dev"), "--scorer", "transformer"),
    *("--encoder", f"${ENCODER_VARIABLE}", "--components", "tagger,parser", "--iterations", "16"),
    *("--nonprojective", "baseline", "--seed", "1", "--name", "UD English EWT 2.16, all-mpnet-base-v2"),
    *("--licence", LICENCE, "-o", str(TEACHER)),
]
RECIPES = [
    Recipe(
        "en",
        (
            *("--scorer", "neural", "--width", "224", "--embedding", "112", "--subwords", "16384", "--dropout", "0.33"),
            *("--iterations", "25", "--silver-words", "19000000", "--batch", "3000"),
            *("--vectors", f"${VECTORS_VARIABLE}", "--vectors-size", "6", "--nonprojective", "baseline", "--seed", "1"),
        ),
    ),
    Recipe(
        "en-small",
        (
            *("--scorer", "neural", "--layers", "2", "--width", "160", "--embedding", "96", "--subwords", "16384"),
            *("--dropout", "0.25", "--iterations", "25", "--silver-words", "16000000", "--batch", "3000"),
            *("--nonprojective", "baseline", "--seed", "1"),
        ),
    ),
    Recipe(
        "en-fast",
        (
            *("--iterations", "12", "--silver-words", "12000000", "--nonprojective", "baseline", "--size", "9"),
            *("--seed", "1"),
        ),
        teacher=TEACHER_BEFORE,  # the model in the box; made anew, it has 86.56 LAS for 85.50
    ),
]


def main() -> None:
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[: own.index("--")], own[own.index("--") + 1 :]
    recipes = {recipe.name: recipe for recipe in RECIPES}
    names = ["teacher", "silver", *recipes]
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="*", metavar="MODEL", help=f"some of {', '.join(names)} (default: all)")
    options.add_argument("--into", type=Path, default=MODELS, help="the folder for the models")
    options.add_argument("--describe", action="store_true", help="train nothing: measure models that are there")
    chosen = options.parse_args(own)
    for name in chosen.models:
        if name not in names:
            options.error(f"model {name!r}: expected some of {', '.join(names)}")
    chosen.models = chosen.models or names
    wanted = [recipes[name] for name in chosen.models if name in recipes]
    paths = {f"${VARIABLE}": str(treebank_folder())}
    test = _resolve(treebank_file("test"), paths)
    if chosen.describe:
        for recipe in wanted:
            _describe(recipe, _need(chosen.into / f"{recipe.name}.model"), str(_need(Path(test))), more)
        return
    for part in ("train", "dev", "test"):
        _need(Path(_resolve(treebank_file(part), paths)))
    if "teacher" in chosen.models and not TEACHER.exists():
        paths[f"${ENCODER_VARIABLE}"] = str(_find(ENCODER_VARIABLE, "the folder of all-mpnet-base-v2"))
        WORK.mkdir(parents=True, exist_ok=True)
        _run([*TEACHER_COMMAND, *more], paths)
    if "silver" in chosen.models:
        _make_silver()
    for recipe in wanted:
        if recipe.has_vectors:
            paths[f"${VECTORS_VARIABLE}"] = str(_find(VECTORS_VARIABLE, "a file of vectors, glove.6B.100d.txt.gz"))
        model = chosen.into / f"{recipe.name}.model"
        _run(recipe.command(str(model), more), paths)
        _describe(recipe, model, test, more)


def _find(variable: str, expected: str) -> Path:
    path = os.environ.get(variable)
    if not path or not Path(path).expanduser().exists():
        sys.exit(f"{variable}: {path or 'is not set'}; expected {expected}")
    return Path(path).expanduser()


def _need(file: Path) -> Path:
    if not file.is_file():
        sys.exit(f"{file}: there is no such file; expected the data and models of English")
    return file


def _make_silver() -> None:
    """Let the teacher parse the text: each sentence once, in random order, in several files."""
    sentences: dict[str, None] = {}
    wanted = [SILVER / f"{part}.conllu.gz" for part in range(PARTS)]
    if all(file.exists() for file in wanted):
        return
    with lzma.open(
        _need(_find(TEXT_VARIABLE, "a folder with en.txt.xz") / "en.txt.xz"), "rt", encoding="utf-8"
    ) as lines:
        for line in lines:
            sentence = line.rstrip("\n").partition("\t")[2]
            if SHORTEST <= len(sentence.split()) <= LONGEST:
                sentences[sentence] = None
    order = list(sentences)
    random.Random(1).shuffle(order)
    SILVER.mkdir(parents=True, exist_ok=True)
    for part, file in enumerate(wanted):
        if not file.exists():
            text = file.with_name(f"{part}.txt")
            with output(str(text)) as stream:
                stream.write("".join(f"{sentence}\n" for sentence in order[part::PARTS]).encode())
            _run(["parse", str(_need(TEACHER)), str(text), "--input", "horizontal", "-o", str(file)], {})
            text.unlink()


def _resolve(word: str, names: dict[str, str]) -> str:
    """Return a word of a command with the paths of this machine."""
    for name, value in names.items():
        word = word.replace(name, value, 1) if word.startswith(name) else word
    return word


def _run(command: list[str], names: dict[str, str]) -> None:
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
        f"Trained on {TREEBANK}, a treebank of the Universal Dependencies project:",
        f"<{PAGE}>. The model is derived from it and, like it, under the licence {LICENCE}.",
        f"It has also learned from what a teacher makes of raw text. The teacher: {recipe.teacher}. The text: "
        f"{SOURCES}.",
        *([f"It contains word vectors: {VECTORS}."] if recipe.has_vectors else []),
        "",
        f"    dodona {' '.join(_quote(word) for word in command)}",
        "",
        "- language: English",
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
