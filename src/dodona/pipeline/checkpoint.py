"""Checkpoints: the state of a long training after each iteration, in a file like a model's.

Training that is continued from a checkpoint gives the same model as one that was never interrupted. A checkpoint fits
one treebank, one set of options, one file of vectors, one encoder and its rate, and the same silver sentences; a digest
of them tells whether it is the right one.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import FormatError
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.vectors import Vectors
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.pipeline import modelfile

__all__ = ["BestParser", "Checkpoint"]

STATE, BEST = "state", "best"


@dataclass(frozen=True)
class BestParser:
    """The parser with the highest LAS on the development data so far, and the iteration after which it was made."""

    parser: Parser
    iteration: int
    uas: float
    las: float


class Checkpoint:
    """A file with the state of training, and the best parser so far."""

    def __init__(
        self,
        path: str | Path,
        options: ParserOptions,
        data: Sequence[Sequence[Sentence]],
        *begun_from: Vectors | PretrainedEncoder | str | None,
    ) -> None:
        """`begun_from`: pretrained vectors and encoders, or digests; and the digest of silver sentences."""
        self.path = path
        self._digest = _digest(options, data, begun_from)

    def save(self, state: dict[str, NDArray[Any]], best: BestParser | None) -> None:
        """Write the file anew, whole or not at all."""
        arrays = {f"{STATE}.{name}": values for name, values in state.items()}
        metadata: dict[str, Any] = {"training": self._digest, "best": None}
        if best is not None:
            description, own = best.parser.parts()
            arrays |= {f"{BEST}.{name}": values for name, values in own.items()}
            metadata["best"] = {"UAS": best.uas, "LAS": best.las, "number": best.iteration, "parser": description}
        modelfile.save(self.path, metadata, arrays)

    def load(self) -> tuple[dict[str, NDArray[Any]], BestParser | None]:
        """Return the state and the best parser so far."""
        metadata, arrays = modelfile.load(self.path)
        if metadata.get("training") != self._digest:
            raise FormatError(f"{self.path}: the checkpoint of another training; expected the same data and options")
        state, own = (
            {name.removeprefix(f"{part}."): values for name, values in arrays.items() if name.startswith(f"{part}.")}
            for part in (STATE, BEST)
        )
        types = {name: np.int32 if name == "progress" else np.float32 for name in (*state, "progress")}
        sound = all(name in state and state[name].dtype == types[name] for name in types)
        if not sound or state["progress"].size != 2:
            raise FormatError(f"{self.path}: expected the checkpoint of a training")
        best = metadata.get("best")
        if best is None:
            return state, None
        keys = {"UAS": (int, float), "LAS": (int, float), "number": (int,), "parser": (dict,)}
        if not isinstance(best, dict) or any(type(best.get(key)) not in wanted for key, wanted in keys.items()):
            raise FormatError(f"{self.path}: expected the best parser so far, with its scores")
        parser = Parser.from_parts(best["parser"], own, str(self.path))
        return state, BestParser(parser, best["number"], best["UAS"], best["LAS"])


def _digest(
    options: ParserOptions,
    data: Sequence[Sequence[Sentence]],
    begun_from: Sequence[Vectors | PretrainedEncoder | str | None],
) -> str:
    digest = hashlib.sha256(json.dumps(asdict(options), sort_keys=True).encode())
    for part in data:
        digest.update(b"part")
        for sentence in part:
            columns = (sentence.words, sentence.upos, sentence.xpos, sentence.feats, sentence.heads, sentence.labels)
            digest.update(json.dumps(columns).encode())
    for begun in begun_from:
        digest.update(b"begun from")
        if isinstance(begun, str):
            digest.update(begun.encode())
        elif isinstance(begun, Vectors):
            digest.update(json.dumps(begun.words).encode())
            digest.update(begun.values.tobytes() + begun.scales.tobytes())
        elif begun is not None:
            digest.update(begun.words.tobytes() + b"".join(values.tobytes() for values in begun.weights.values()))
    return digest.hexdigest()
