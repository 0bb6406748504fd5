"""A small writer of SVG: elements one after the other, text that is safe in XML, and colours for light and dark."""

from collections.abc import Iterable, Mapping

from dodona.drawing.letters import END_ISOLATE, ISOLATE, shown

__all__ = ["Svg", "element", "escaped", "number", "style_sheet"]

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escaped(text: str) -> str:
    """Return text for an element or an attribute in double quotes, without characters that XML does not have."""
    safe = text if text.isprintable() else "".join(c if c in (ISOLATE, END_ISOLATE) else shown(c) for c in text)
    return safe.translate(ESCAPES)


class Svg:
    """A picture of a width and a height in pixels. Attributes are keyword arguments; `_` in a name stands for `-`.

    `styles` are declarations by selector; `dark` has those that change where the reader prefers dark colours. They
    reach the elements of pictures of this `name` only, so that several pictures can be on one page; `styled=False`
    leaves them out, for a page that has them.
    """

    def __init__(
        self,
        width: float,
        height: float,
        title: str,
        styles: Mapping[str, str],
        dark: Mapping[str, str],
        *,
        name: str,
        styled: bool = True,
    ) -> None:
        size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" {size} role="img">',
            f"<title>{escaped(title)}</title>",
        ]
        if styled:
            self._lines += ["<style>", style_sheet(name, styles, dark), "</style>"]
        self.add("rect", class_="paper", width="100%", height="100%")

    def add(self, kind: str, text: str | None = None, title: str | None = None, **attributes: float | str) -> None:
        """Add an element; the arguments are those of `element`."""
        self._lines.append(element(kind, text, title, **attributes))

    def add_all(self, elements: Iterable[str]) -> None:
        """Add elements that are written already."""
        self._lines += elements

    def add_group(self, elements: Iterable[str], x: float, y: float) -> None:
        """Add elements that were drawn around another origin."""
        self._lines += [f'<g transform="translate({number(x)} {number(y)})">', *elements, "</g>"]

    def __str__(self) -> str:
        return "\n".join([*self._lines, "</svg>", ""])


def element(kind: str, text: str | None = None, title: str | None = None, **attributes: float | str) -> str:
    """Return an element, with text in it, and a title that a reader sees who points at it."""
    written = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items())
    inside = f"<title>{escaped(title)}</title>" if title is not None else ""
    inside += escaped(text) if text is not None else ""
    return f"<{kind}{written}>{inside}</{kind}>" if inside else f"<{kind}{written}/>"


def style_sheet(name: str, styles: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Return styles for the elements of pictures of a name."""
    return "\n".join([*_rules(name, styles), "@media (prefers-color-scheme: dark) {", *_rules(name, dark), "}"])


def _rules(name: str, styles: Mapping[str, str]) -> Iterable[str]:
    for selectors, declarations in styles.items():
        yield f"{', '.join(f'.{name} {each}' for each in selectors.split(', '))} {{ {declarations} }}"


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: float | str) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Return a coordinate with one decimal, if it needs any."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
