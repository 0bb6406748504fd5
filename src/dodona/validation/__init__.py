"""Validation of treebanks by the rules of Universal Dependencies, and safe repairs."""

from dodona.validation.repair import repair_chunks
from dodona.validation.rules import LEVELS, RULES, Finding, Rule, Violation
from dodona.validation.validator import validate, validate_chunks

__all__ = ["LEVELS", "RULES", "Finding", "Rule", "Violation", "repair_chunks", "validate", "validate_chunks"]
