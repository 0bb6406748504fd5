"""Multiword tokens: a lexicon of those in the training data, and suffix rules for others.

`don't` is `do n't`, so `hadn't` may be `had n't`. The part of a token after the beginning of its first word is a
suffix. A suffix that was split in the same way in several tokens is a rule.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from dodona.errors import FormatError

__all__ = ["Expander", "Expansion"]

LEAST_TYPES = 3  # token types that must agree on a rule
LEAST_SHARE = 0.2  # of all tokens with this suffix that must be multiword tokens
MOST = 1 << 16  # forms cached before the cache is cleared
LONGEST = 200  # characters of a token that is cached


class Expansion(NamedTuple):
    words: list[str]
    is_certain: bool  # whether the token was never seen as one word


class Expander(dict[str, Expansion | None]):
    """`expander[form]` has the words of a token if it is a multiword token, or None.

    It is a dictionary for speed: it caches its results.
    """

    def __init__(self, lexicon: dict[str, Expansion], rules: dict[str, list[str]]) -> None:
        super().__init__()
        self.lexicon = lexicon
        self.rules = rules
        self._longest = max(map(len, rules), default=0)

    @classmethod
    def learned(cls, tokens: Iterable[tuple[str, Sequence[str] | None]]) -> "Expander":
        """Learn lexicon and rules from all tokens of a treebank, with the words of multiword tokens."""
        plain: set[str] = set()
        expansions: dict[str, Counter[tuple[str, ...]]] = {}
        for form, words in tokens:
            if words is None:
                plain.add(form)
            else:
                expansions.setdefault(form, Counter())[tuple(words)] += 1
        lexicon = {}
        for form, counter in sorted(expansions.items()):
            words, _ = min(counter.items(), key=lambda item: (-item[1], item[0]))
            lexicon[form] = Expansion(list(words), form not in plain)
        return cls(lexicon, _rules(lexicon, plain))

    def __missing__(self, form: str) -> Expansion | None:
        expansion = self._expansion(form)
        if len(form) <= LONGEST:
            if len(self) >= MOST:
                self.clear()
            self[form] = expansion
        return expansion

    def _expansion(self, form: str) -> Expansion | None:
        if form in self.lexicon:
            return self.lexicon[form]
        lower = form.lower()
        if len(lower) != len(form):
            return None
        if lower in self.lexicon:
            return Expansion(_recased(form, self.lexicon[lower].words), False)
        for size in range(min(self._longest, len(form) - 1), 0, -1):
            if lower[-size:] in self.rules:
                first, *rest = self.rules[lower[-size:]]
                return Expansion(_recased(form, [form[:-size] + first, *rest]), False)
        return None

    def text(self) -> str:
        """Return lexicon and rules as lines of tab-separated words."""
        lines = ["\t".join([form, "!" if e.is_certain else "?", *e.words]) for form, e in self.lexicon.items()]
        return "\n".join(lines + ["\t".join([suffix, "-", *words]) for suffix, words in sorted(self.rules.items())])

    @classmethod
    def parse(cls, text: str, where: str) -> "Expander":
        lexicon, rules = {}, {}
        for line in text.split("\n") if text else []:
            form, *rest = line.split("\t")
            kind, words = rest[:1], rest[1:]
            needed = words[1:] if kind == ["-"] else words
            if not form or len(words) < 2 or not all(needed) or set(line) & set("\r\0") or kind[0] not in "!?-":
                raise FormatError(f"{where}: multiword token {line[:40]!r}; expected a form, its kind and its words")
            if kind == ["-"]:
                rules[form] = words
            else:
                lexicon[form] = Expansion(words, kind == ["!"])
        return cls(lexicon, rules)


def _rules(lexicon: dict[str, Expansion], plain: set[str]) -> dict[str, list[str]]:
    """Yield lowercased suffixes with the end of the first word and the other words."""
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for form, expansion in lexicon.items():
        first, *rest = (word.lower() for word in expansion.words)
        lower = form.lower()
        size = 0
        while size < min(len(first), len(lower)) and first[size] == lower[size]:
            size += 1
        if 0 < size < len(lower):
            found.setdefault(lower[size:], Counter())[(first[size:], *rest)] += 1
    rules = {}
    for suffix, counter in sorted(found.items()):
        words, count = min(counter.items(), key=lambda item: (-item[1], item[0]))
        alike = sum(form.lower().endswith(suffix) for form in lexicon)
        others = sum(form.lower().endswith(suffix) for form in plain)
        if count >= LEAST_TYPES and 2 * count > alike and count >= LEAST_SHARE * (count + others):
            rules[suffix] = list(words)
    return rules


def _recased(form: str, words: list[str]) -> list[str]:
    """Return the words with the letter case of the token."""
    together = "".join(words)
    if together.lower() == form.lower() and len(together) == len(form):
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word))
        return [form[begin:end] for begin, end in pairwise(ends)]
    if form.isupper() and len(form) > 1:
        return [word.upper() for word in words]
    return [form[0] + words[0][1:] if words[0][:1] == form[0].lower() else words[0], *words[1:]]
