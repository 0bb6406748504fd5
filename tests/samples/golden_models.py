"""Models of every version of the file format, with their parses of made-up sentences.

`PYTHONPATH=tests python -m samples.golden_models` adds those of the present version. What is there once never changes:
it is what users have. So nothing is taken from generators of sentences, which may change: a parse has its own input.
"""

import lzma
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from samples.small_models import linear, neural, whole
from samples.treebank import treebank

from dodona import Sentence, write
from dodona.pipeline.modelfile import VERSION
from dodona.pipeline.pipeline import Pipeline

__all__ = ["FOLDER", "golden_models", "parse_again"]

FOLDER = Path(__file__).parents[1] / "pipeline" / "golden"
MODELS: dict[str, Callable[[], Pipeline]] = {
    "whole": whole,
    "beam": lambda: linear("swap-standard", 4),
    "neural": lambda: neural("arc-hybrid"),
}


def golden_models() -> list[Path]:
    """The compressed models, VERSION-NAME.model.xz; beside each is its parse, VERSION-NAME.conllu."""
    return sorted(FOLDER.glob("*.model.xz"))


def parse_again(nlp: Pipeline, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Parse the text of the sentences, or else their words and tags."""
    if nlp.tokenizer is not None:
        return list(nlp(" ".join(sentence.text or " ".join(sentence.words) for sentence in sentences)))
    return list(nlp.parse(Sentence.from_words(s.words, s.upos, xpos=s.xpos) for s in sentences))


def main() -> None:
    for name, make in MODELS.items():
        target = FOLDER / f"{VERSION}-{name}.model.xz"
        if not target.exists():
            nlp = make()
            with tempfile.TemporaryDirectory() as folder:
                nlp.save(Path(folder) / "model")
                target.write_bytes(lzma.compress((Path(folder) / "model").read_bytes(), preset=9))
            write(parse_again(nlp, treebank(12, 7, crossing=0.4)), FOLDER / f"{VERSION}-{name}.conllu")


if __name__ == "__main__":
    main()
