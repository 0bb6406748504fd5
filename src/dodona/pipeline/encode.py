"""The only door from strings to numbers: a sentence becomes the atoms that feature templates speak of."""

import hashlib
from array import array
from collections.abc import Callable, Sequence
from typing import Protocol

from dodona.core.features import Words
from dodona.core.templates import COLUMNS, Templates

__all__ = ["Encoder", "Tagged"]

MOST = 1 << 20  # strings remembered before the memory is cleared
ROOT = "\N{NULL}root"  # no word of a sentence is called that


class Tagged(Protocol):
    """What is needed of a sentence."""

    @property
    def words(self) -> list[str]: ...
    @property
    def upos(self) -> list[str]: ...
    @property
    def xpos(self) -> list[str]: ...
    @property
    def feats(self) -> list[str]: ...


PARTS: dict[str, Callable[[str], str]] = {
    "pre2": lambda form: form[:2],
    "pre3": lambda form: form[:3],
    "suf2": lambda form: form[-2:],
    "suf3": lambda form: form[-3:],
    "suf4": lambda form: form[-4:],
}
SOURCES = {"w": "words", "p": "upos", "x": "xpos", "f": "feats"}


class Encoder:
    """Knows which columns the templates use and remembers the numbers of strings it has seen.

    The number of a string is a 64-bit hash of it, so a model needs no vocabulary, and what is remembered changes
    nothing but the time it takes.
    """

    def __init__(self, templates: Templates) -> None:
        used = {attribute for _, attribute in templates.atoms}
        self._columns = [name if i in used else None for i, name in enumerate(COLUMNS)]
        self._known: dict[str, dict[str, int]] = {name: {} for name in self._columns if name}

    def __call__(self, sentence: Tagged) -> Words:
        n = len(sentence.words)
        atoms = array("Q")
        for name in self._columns:
            if name is None:
                atoms.frombytes(bytes(8 * (n + 2)))
                continue
            known = self._known[name]
            values: Sequence[str] = getattr(sentence, SOURCES.get(name, "words"))
            atoms.append(known.get(ROOT) or self._learn(name, ROOT))
            atoms.extend([known.get(value) or self._learn(name, value) for value in values])
            atoms.append(0)
        return Words(n, atoms)

    def _learn(self, name: str, value: str) -> int:
        known = self._known[name]
        if len(known) >= MOST:
            known.clear()
        part = PARTS[name](value) if name in PARTS and value != ROOT else value
        digest = hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8, person=name.encode()).digest()
        number = known[value] = int.from_bytes(digest, "little") or 1
        return number
