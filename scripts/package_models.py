"""Trains models on treebanks whose licences allow it, and makes a package of each: `make packages`.

    export DODONA_TREEBANKS=~/treebanks DODONA_TEXT=~/text
    python scripts/package_models.py                        # all of them, into dist/models
    python scripts/package_models.py ga vi --into FOLDER    # some of them

The treebanks are in folders of their own (ga_idt), each with train.conllu.gz, dev.conllu.gz and test.conllu.gz. Where
there is raw text in the language (ko.txt.xz: a sentence a line, words separated by spaces), a network learns from it
first, which takes most of an hour on two cores; an encoder that is in the folder already is taken as it is. Where there
is none, the parser is linear. Models and wheels are not kept in the repository; docs/packages.md lists them.
"""

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from treebank_folder import treebank_folder


@dataclass(frozen=True)
class Text:
    """Raw text in a language, and the licence of what has learned from it."""

    data: str
    licence: str

    def pretraining(self, text: Path, treebank: Path, encoder: Path) -> list[str]:
        held_out = [word for part in ("dev", "test") for word in ("--held-out", str(treebank / f"{part}.conllu.gz"))]
        about = ["--name", self.data, "--licence", self.licence, "--seed", "1"]
        return ["pretrain", str(text), "--input", "horizontal", *held_out, *about, "-o", str(encoder)]


@dataclass(frozen=True)
class Recipe:
    """What a model is made from: a treebank, whose licence is that of the model, too, and text."""

    language: str
    folder: str
    data: str
    licence: str
    text: Text | None = None

    def training(self, treebank: Path, model: Path, encoder: Path) -> list[str]:
        files = [str(treebank / f"{part}.conllu.gz") for part in ("train", "dev")]
        network = ["--scorer", "neural", "--pretrained", str(encoder)] if self.text else []
        about = ["--name", self.data, "--licence", self.licence, "--seed", "1"]
        return ["train", files[0], "--dev", files[1], *network, *about, "-o", str(model)]

    def packing(self, model: Path) -> list[str]:
        return ["package", str(model), "--language", self.language, "-o", str(model.parent)]

    def commands(self, treebanks: Path, into: Path) -> list[list[str]]:
        treebank = treebanks / self.folder
        model, encoder = into / f"{self.language}.model", into / f"{self.language}.encoder"
        commands = [self.training(treebank, model, encoder), self.packing(model)]
        if self.text and not encoder.exists():
            commands.insert(0, self.text.pretraining(find_text(self.language), treebank, encoder))
        return commands


MANUALS = "CC BY 4.0, CC0"
RECIPES = {
    recipe.language: recipe
    for recipe in (
        Recipe("ga", "ga_idt", "UD Irish IDT 2.6", "CC BY-SA 3.0"),
        Recipe("grc", "grc_ptnk", "UD Ancient Greek PTNK 2.17", "CC BY-SA 4.0"),
        Recipe(
            "ko", "ko_gsd", "UD Korean GSD 2.10", "CC BY-SA 4.0",
            Text("MicrosoftDocs visualstudio-docs.ko-kr, Common Voice", MANUALS),
        ),
        Recipe(
            "nl", "nl_lassysmall", "UD Dutch LassySmall 1.4", "CC BY-SA 4.0",
            Text("MicrosoftDocs Dynamics-365-Operations.nl-nl, Common Voice", MANUALS),
        ),
        Recipe("vi", "vi_vtb", "UD Vietnamese VTB 2.17", "CC BY-SA 4.0"),
    )
}  # fmt: skip


def find_text(language: str) -> Path:
    folder = os.environ.get("DODONA_TEXT")
    file = Path(folder or "", f"{language}.txt.xz").expanduser()
    if not folder or not file.is_file():
        sys.exit(f"DODONA_TEXT: {folder or 'is not set'}; expected a folder with {language}.txt.xz")
    return file


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="*", metavar="MODEL", help=f"some of {', '.join(RECIPES)} (default: all)")
    options.add_argument("--into", type=Path, default=Path("dist/models"), help="the folder for models and wheels")
    chosen = options.parse_args()
    for name in chosen.models:
        if name not in RECIPES:
            options.error(f"model {name!r}: expected some of {', '.join(RECIPES)}")
    treebanks = treebank_folder()
    chosen.into.mkdir(parents=True, exist_ok=True)
    for name in chosen.models or RECIPES:
        for command in RECIPES[name].commands(treebanks, chosen.into):
            done = subprocess.run([sys.executable, "-m", "dodona", *command], check=False)
            if done.returncode:
                sys.exit(done.returncode)


if __name__ == "__main__":
    main()
