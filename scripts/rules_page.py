"""Writes the list of rules in docs/validation.md from the registry: `python scripts/rules_page.py`."""

from pathlib import Path

from dodona.validation import LEVELS, RULES

PAGE = Path(__file__).parent.parent / "docs" / "validation.md"
MARK = "<!-- made by scripts/rules_page.py from the docstrings of the rules -->\n"


def tables() -> str:
    """A table for each level."""
    parts = []
    for level, what in LEVELS.items():
        parts.append(f"\n### Level {level}: {what}\n\n| rule | |\n|---|---|\n")
        rules = sorted((rule for rule in RULES.values() if rule.level == level), key=lambda rule: rule.name)
        parts += [f"| `{rule.name}` | {rule.why.replace('|', chr(92) + '|')} |\n" for rule in rules]
    return "".join(parts)


def page() -> str:
    """The page with the tables as they should be."""
    text, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return text + mark + tables()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
