"""A small writer of SVG: elements one after the other, and the style sheets of pictures."""

from collections.abc import Iterable
from pathlib import Path

from dodona.tables import escape_xml

__all__ = ["element", "move", "number", "read_style", "svg_document"]


def svg_document(width: float, height: float, title: str, elements: Iterable[str], *, name: str, style: str) -> str:
    """Return a picture of a width and a height in pixels, of the class `name`; without a style, for a page that has
    it."""
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" {size} role="img">',
        f"<title>{escape_xml(title)}</title>",
        *(["<style>", style, "</style>"] if style else []),
        element("rect", class_="paper", width="100%", height="100%"),
    ]
    return "\n".join([*lines, *elements, "</svg>", ""])


def move(elements: Iterable[str], x: float, y: float) -> Iterable[str]:
    """Return elements at another place than where they were drawn."""
    return [f'<g transform="translate({number(x)} {number(y)})">', *elements, "</g>"] if x or y else elements


def element(kind: str, text: str | None = None, title: str | None = None, **attributes: float | str) -> str:
    """Return an element with text in it, and a title that a reader sees who points at it. Attributes are keyword
    arguments; `_` in a name stands for `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_xml(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    inside = f"<title>{escape_xml(title)}</title>" if title is not None else ""
    inside += escape_xml(text) if text is not None else ""
    return f"<{kind}{written}>{inside}</{kind}>" if inside else f"<{kind}{written}/>"


def read_style(name: str) -> str:
    """Return a style sheet of this folder. Its rules reach pictures of one class only, so that several kinds of
    pictures can be on one page, and say what changes where the reader prefers dark colours."""
    return Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8").rstrip("\n")


def number(value: float) -> str:
    """Return a coordinate with one decimal, if it needs any."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
