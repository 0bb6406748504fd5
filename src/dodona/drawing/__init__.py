"""Drawings: trees as text, two trees beside each other, and graphs in layers as SVG and DOT."""

from dodona.drawing.letters import shown, width_of
from dodona.drawing.trees import GAP, Line, draw

__all__ = ["GAP", "Line", "draw", "shown", "width_of"]
