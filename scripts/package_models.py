"""Trains linear models on treebanks whose licences allow it, and makes a package of each: `make packages`.

    export DODONA_TREEBANKS=~/treebanks
    python scripts/package_models.py                        # all of them, into dist/models
    python scripts/package_models.py ga vi --into FOLDER    # some of them

The treebanks are in folders of their own (ga_idt), each with train.conllu.gz and dev.conllu.gz. The models and the
wheels are not kept in the repository; docs/packages.md lists them.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from treebank_folder import treebank_folder


@dataclass(frozen=True)
class Recipe:
    """A treebank that a model is made from, and its licence, which is that of the model, too."""

    language: str
    folder: str
    data: str
    licence: str

    def training(self, treebanks: Path, model: Path) -> list[str]:
        files = [str(treebanks / self.folder / f"{part}.conllu.gz") for part in ("train", "dev")]
        about = ["--name", self.data, "--licence", self.licence, "--seed", "1"]
        return ["train", files[0], "--dev", files[1], *about, "-o", str(model)]

    def packing(self, model: Path) -> list[str]:
        return ["package", str(model), "--language", self.language, "-o", str(model.parent)]


RECIPES = {
    recipe.language: recipe
    for recipe in (
        Recipe("ga", "ga_idt", "UD Irish IDT 2.6", "CC BY-SA 3.0"),
        Recipe("grc", "grc_ptnk", "UD Ancient Greek PTNK 2.17", "CC BY-SA 4.0"),
        Recipe("ko", "ko_gsd", "UD Korean GSD 2.10", "CC BY-SA 4.0"),
        Recipe("nl", "nl_lassysmall", "UD Dutch LassySmall 1.4", "CC BY-SA 4.0"),
        Recipe("vi", "vi_vtb", "UD Vietnamese VTB 2.17", "CC BY-SA 4.0"),
    )
}


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
        model = chosen.into / f"{name}.model"
        for command in (RECIPES[name].training(treebanks, model), RECIPES[name].packing(model)):
            done = subprocess.run([sys.executable, "-m", "dodona", *command], check=False)
            if done.returncode:
                sys.exit(done.returncode)


if __name__ == "__main__":
    main()
