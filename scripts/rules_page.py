"""Writes the list of rules in docs/validation.md from the registry: `python scripts/rules_page.py`."""

from pathlib import Path

from dodona.validation import LEVELS, RULES

PAGE = Path(__file__).parent.parent / "docs" / "validation.md"
MARK = "<!-- made by scripts/rules_page.py from the table of the rules -->\n"


def write_tables() -> str:
    """A table for each level that has rules of its own."""
    parts = []
    for level, what in LEVELS.items():
        rules = sorted((rule for rule in RULES.values() if rule.level == level), key=lambda rule: rule.name)
        if rules:
            parts.append(f"\n### Level {level}: {what}\n\n| rule | |\n|---|---|\n")
            parts += [f"| `{rule.name}` | {rule.why.replace('|', chr(92) + '|')} |\n" for rule in rules]
    return "".join(parts)


def write_page() -> str:
    """The page with the tables as they should be."""
    text, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return text + mark + write_tables()


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
