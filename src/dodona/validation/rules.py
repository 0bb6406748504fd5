"""What a rule and a finding are, and the registry of all rules.

A rule is a function that looks at one sentence and yields a `Spot` for each place that breaks it. It is registered with
the stage at which it can run: a later stage relies on what the rules of the earlier ones have checked.

    LINES      the lines of a sentence, as text
    NUMBERS    rows of ten columns
    COLUMNS    rows whose IDs are in order
    TREES      words whose heads are a tree

A sentence that breaks a severe rule is not looked at in later stages: what they would say could be misleading.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from dodona.errors import OptionError
from dodona.validation.sentences import Lines, Rows, Tree

__all__ = ["COLUMNS", "LEVELS", "LINES", "NUMBERS", "RULES", "TREES", "Finding", "Rule", "Spot", "file_rule"]

Subject = TypeVar("Subject")
LEVELS = {1: "the CoNLL-U format", 2: "UD's tags, features, relations and trees", 3: "UD's guidelines"}

LONGEST = 200
"""How many characters of a value are reported."""


class Spot(NamedTuple):
    """A place that breaks a rule."""

    line: int
    value: str
    expected: str = ""  # what is expected here, where the rule's own text can be more precise
    sentence: str | None = None  # its sent_id, where it is not that of the sentence looked at


class Finding(NamedTuple):
    """A broken rule, as it is reported."""

    file: str
    line: int
    sentence: str  # its sent_id, or ""
    rule: str
    level: int
    value: str
    expected: str


@dataclass(frozen=True)
class Rule:
    """A rule by its name, which is the one that UD's validator uses where it has the same rule."""

    name: str
    level: int
    expected: str
    why: str  # the rule and its reason, from the docstring of its function

    def finding(self, file: str, sentence: str, spot: Spot) -> Finding:
        name = sentence if spot.sentence is None else spot.sentence
        value = spot.value if len(spot.value) <= LONGEST else spot.value[:LONGEST] + "…"
        return Finding(file, spot.line, name, self.name, self.level, value, spot.expected or self.expected)


RULES: dict[str, Rule] = {}
"""All rules by name, in the order of levels and stages."""


class Stage(Generic[Subject]):
    """Rules that look at the same kind of subject."""

    def __init__(self) -> None:
        self._checks: list[tuple[Rule, Callable[[Subject], Iterator[Spot]], bool]] = []

    def rule(
        self, name: str, level: int, expected: str, *, severe: bool = False
    ) -> Callable[[Callable[[Subject], Iterator[Spot]]], Callable[[Subject], Iterator[Spot]]]:
        """Register a function as a rule."""

        def registered(check: Callable[[Subject], Iterator[Spot]]) -> Callable[[Subject], Iterator[Spot]]:
            self._checks.append((file_rule(name, level, expected, check.__doc__ or ""), check, severe))
            return check

        return registered

    def look(self, subject: Subject, level: int, found: list[tuple[Rule, Spot]]) -> bool:
        """Add what breaks the rules up to a level; return whether the next stage can follow."""
        sound = True
        for rule, check, severe in self._checks:
            if rule.level > level:
                continue
            for spot in check(subject):
                found.append((rule, spot))
                sound = sound and not severe
        return sound


def file_rule(name: str, level: int, expected: str, why: str) -> Rule:
    """Register a rule; called for those that concern a whole file, which are checked elsewhere."""
    if name in RULES:
        raise OptionError(f"rule {name!r} is registered already; expected another name")
    RULES[name] = Rule(name, level, expected, " ".join(why.split()))
    return RULES[name]


LINES: Stage[Lines] = Stage()
NUMBERS: Stage[Rows] = Stage()
COLUMNS: Stage[Rows] = Stage()
TREES: Stage[Tree] = Stage()
