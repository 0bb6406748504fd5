"""Bring the tables and figures of experiments into docs/results.md.

    dodona experiment static-vs-dynamic --treebanks ud --seeds 3 -o results
    python scripts/results_page.py results

In the page, everything between `<!-- static-vs-dynamic/las -->` and `<!-- end -->` is replaced by
`results/static-vs-dynamic/las.md`. A figure is linked there, and its SVG copied to docs/results/. What the page says
around the tables is written by hand.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PLACE = re.compile(r"<!-- ([\w-]+)/([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def bring_in(results: Path, place: re.Match[str]) -> str:
    name, part = place.groups()
    table, figure = results / name / f"{part}.md", results / name / f"{part}.svg"
    if table.exists():
        content = table.read_text("utf-8").strip()
    elif figure.exists():
        copy = DOCS / "results" / f"{name}-{part}.svg"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(figure.read_bytes())
        content = f"![{find_title(results / name / 'report.md', part)}](results/{copy.name})"
    else:
        raise SystemExit(f"{table} is not there, nor is {figure.name}; expected what `dodona experiment {name}` wrote")
    return f"<!-- {name}/{part} -->\n{content}\n<!-- end -->"


def find_title(report: Path, figure: str) -> str:
    match = re.search(rf"!\[(.*)\]\({figure}\.svg\)", report.read_text("utf-8"))
    if match is None:
        raise SystemExit(f"{report} has no figure {figure}.svg")
    return match[1]


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python scripts/results_page.py RESULTS")
    page = DOCS / "results.md"
    text = page.read_text("utf-8")
    page.write_text(PLACE.sub(lambda place: bring_in(Path(sys.argv[1]), place), text), "utf-8")


if __name__ == "__main__":
    main()
