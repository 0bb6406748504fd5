"""Search for trees by patterns, in the language of Grew's requests."""

from dodona.patterns.matcher import Pattern
from dodona.patterns.matches import Match, search

__all__ = ["Match", "Pattern", "search"]
