"""Diagrams, drawn by matplotlib: accuracy against confidence, and errors found against words read.

The same numbers give the same bytes. matplotlib is imported when something is drawn.
"""

import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from dodona.errors import DodonaError
from dodona.evaluation.calibration import FoundErrors, Reliability
from dodona.tables import NO_DATA, make_printable

__all__ = ["COLOURS", "calibration_diagram", "check_can_draw", "curve_diagram", "make_panels", "render"]

STYLE: dict[str, Any] = {
    "svg.hashsalt": "dodona",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have a $
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")  # safe for the colour-blind
LAST_BAR = 0.995  # where the bar of confidence 1 begins
MAX_NAME = 16  # letters

Curve = Sequence[tuple[float, float]]
"""Points with shares from 0 to 1."""


def check_can_draw() -> None:
    """Raise an error before hours of work if nothing could be drawn after them."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise DodonaError("diagrams and figures need matplotlib: pip install 'dodona[diagrams]'") from error


def render(draw: Callable[[], Any], *kinds: str) -> dict[str, bytes]:
    """Return a figure as files, by extension: svg or png."""
    matplotlib: Any = import_module("matplotlib")
    files = {}
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the font of a reader may have it
        figure = draw()
        for kind in kinds:
            stream = io.BytesIO()
            figure.savefig(stream, format=kind, dpi=150, bbox_inches="tight", metadata=METADATA[kind])
            files[kind] = stream.getvalue()
    return files


def make_panels(rows: int, columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """Return a figure with panels of this size in inches, row by row; no window is opened."""
    figure = import_module("matplotlib.figure").Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def calibration_diagram(systems: Sequence[tuple[str, Reliability, Sequence[FoundErrors]]]) -> bytes:
    """Return an SVG document with a row for each system: its name, its reliability, and the errors found."""

    def draw() -> Any:
        figure, axes = make_panels(len(systems), 2, 3.6, 3.4)
        for (name, reliability, curve), left, right in zip(systems, axes[::2], axes[1::2], strict=True):
            short = make_printable(name if len(name) <= MAX_NAME else f"…{name[1 - MAX_NAME :]}")
            error = NO_DATA if reliability.error is None else f"{100 * reliability.error:.1f} %"
            _draw_reliability(left, reliability, f"{short}, calibration error {error}")
            words = [(one.share, one.in_words.accuracy) for one in curve]
            sentences = [(one.share, one.in_sentences.accuracy) for one in curve]
            _draw_curves(right, {"words": words, "whole sentences": sentences}, "errors found")
        return figure

    return render(draw, "svg")["svg"]


def curve_diagram(curves: Mapping[str, Curve], title: str) -> bytes:
    """Return an SVG document with errors found against words read, a line for each name."""

    def draw() -> Any:
        figure, (axis,) = make_panels(1, 1, 3.6, 3.4)
        _draw_curves(axis, curves, title)
        return figure

    return render(draw, "svg")["svg"]


def _draw_reliability(axis: Any, reliability: Reliability, title: str) -> None:
    """Bars are the accuracy in each bin; points are at the mean confidence, and larger where there are more arcs."""
    _draw_square(axis, title, "confidence, %", "accuracy, %")
    most = max((one.arcs for one in reliability.bins), default=1)
    for one in reliability.bins:
        low = min(one.low, LAST_BAR)
        bar = {"width": 100 * (one.high - low), "align": "edge", "color": COLOURS[0], "alpha": 0.35}
        axis.bar(100 * low, 100 * one.accuracy, **bar)
        size = (3 + 7 * (one.arcs / most) ** 0.5) ** 2
        axis.scatter([100 * one.confidence], [100 * one.accuracy], s=size, color=COLOURS[0], clip_on=False, zorder=3)


def _draw_curves(axis: Any, curves: Mapping[str, Curve], title: str) -> None:
    _draw_square(axis, title, "words read, least sure first, %", "errors found, %")
    for (name, points), colour, line in zip(curves.items(), COLOURS, ("-", "--"), strict=False):
        x, y = ([100 * point[k] for point in points] for k in (0, 1))
        axis.plot(x, y, label=name, color=colour, linestyle=line)
    axis.legend(loc="lower right")


def _draw_square(axis: Any, title: str, x_name: str, y_name: str) -> None:
    """Axes from 0 to 100 %, and the diagonal: what is ideal, or what would be found by chance."""
    axis.set(title=title, xlabel=x_name, ylabel=y_name, xlim=(0, 100), ylim=(0, 100), aspect="equal")
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.plot([0, 100], [0, 100], color="#888888", linestyle=":", linewidth=1)
