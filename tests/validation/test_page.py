"""The page of the rules is made from the registry."""

import runpy
from pathlib import Path

from dodona.validation import RULES

ROOT = Path(__file__).parent.parent.parent


def test_the_page_lists_the_rules_as_they_are() -> None:
    expected = runpy.run_path(str(ROOT / "scripts" / "rules_page.py"))["write_page"]()
    assert (ROOT / "docs" / "validation.md").read_text(encoding="utf-8") == expected


def test_every_rule_says_what_it_is() -> None:
    assert all(rule.why.endswith((".", "…")) and rule.expected for rule in RULES.values())
