"""Validation of treebanks: the rules of Universal Dependencies that need no list of a language, and safe repairs."""

from dodona.validation.repair import repaired
from dodona.validation.rules import LEVELS, RULES, Finding, Rule, Spot
from dodona.validation.validator import UNREADABLE, validate, validate_chunks

__all__ = ["LEVELS", "RULES", "UNREADABLE", "Finding", "Rule", "Spot", "repaired", "validate", "validate_chunks"]
