"""Held-out sentences: those that a model is scored on, and that no training may see, in whatever form they come.

Raw text, and treebanks that a parser has made from it, may contain the sentences of a test treebank. They are compared
without blanks, because other tokens or another detokenizer change nothing else.
"""

from collections.abc import Iterable

from dodona.data.sentence import Sentence

__all__ = ["HeldOut"]


class HeldOut:
    """The sentences that training leaves out: by their text, and by their words where multiword tokens are split."""

    def __init__(self, sentences: Iterable[Sentence] = ()) -> None:
        self._known: set[str] = set()
        for sentence in sentences:
            self._known.update(_forms_of(sentence))

    def has(self, sentence: Sentence | str) -> bool:
        """Return whether this is a held-out sentence, given as a sentence or as a line of text."""
        forms = [_leave_out_blanks(sentence)] if isinstance(sentence, str) else _forms_of(sentence)
        return not self._known.isdisjoint(forms)


def _forms_of(sentence: Sentence) -> list[str]:
    """Return a sentence without blanks: its words, and what is written for them."""
    return [_leave_out_blanks("".join(parts)) for parts in (sentence.words, sentence.surface())]


def _leave_out_blanks(text: str) -> str:
    return "".join(text.split())
