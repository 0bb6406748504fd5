"""A small writer of SVG: elements one after the other, and colours for light and dark."""

from collections.abc import Iterable, Mapping

from dodona.tables import escape_xml

__all__ = ["element", "move", "number", "style_sheet", "svg_document"]

Styles = Mapping[str, str]


def svg_document(
    width: float, height: float, title: str, elements: Iterable[str], styles: Styles, dark: Styles, *, name: str,
    styled: bool = True,
) -> str:  # fmt: skip
    """Return a picture of a width and a height in pixels.

    `styles` are declarations by selector; `dark` has those that change where the reader prefers dark colours. They
    reach the elements of pictures of this `name` only, so that several pictures can be on one page; `styled=False`
    leaves them out, for a page that has them.
    """
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" {size} role="img">',
        f"<title>{escape_xml(title)}</title>",
        *(["<style>", style_sheet(name, styles, dark), "</style>"] if styled else []),
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


def style_sheet(name: str, styles: Styles, dark: Styles) -> str:
    """Return styles for the elements of pictures of a name."""
    return "\n".join([*_rules(name, styles), "@media (prefers-color-scheme: dark) {", *_rules(name, dark), "}"])


def _rules(name: str, styles: Styles) -> Iterable[str]:
    for selectors, declarations in styles.items():
        yield f"{', '.join(f'.{name} {each}' for each in selectors.split(', '))} {{ {declarations} }}"


def number(value: float) -> str:
    """Return a coordinate with one decimal, if it needs any."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
