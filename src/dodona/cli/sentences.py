"""One sentence of a file, as a command asks for it."""

from dodona.data import Sentence, read
from dodona.errors import FormatError, OptionError

__all__ = ["find_sentence"]


def find_sentence(file: str, wanted: str) -> Sentence:
    """Return a sentence by its number, or else by its sent_id."""
    count = 0
    for count, sentence in enumerate(read(file), start=1):
        if wanted == (str(count) if wanted.isdigit() else sentence.sent_id):
            return sentence
    if count == 0:
        raise FormatError(f"{file}: there are no sentences in this file")
    raise OptionError(f"{file}: no sentence {wanted!r}; expected a number from 1 to {count}, or a sent_id")
