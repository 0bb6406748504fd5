"""Drawings: trees as text, as SVG, on a page of HTML and for LaTeX; two trees of a sentence; graphs in layers."""

from dodona.drawing.dependencies import html_of, html_page, svg_of
from dodona.drawing.letters import width_of
from dodona.drawing.picture import Picture
from dodona.drawing.tikz import tikz_of
from dodona.drawing.trees import GAP, Line, draw

__all__ = ["GAP", "Line", "Picture", "draw", "html_of", "html_page", "svg_of", "tikz_of", "width_of"]
