"""Figures: heat maps, curves and scatter plots, as SVG and PNG. The same numbers give the same bytes."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from typing import Any, Protocol

from dodona.errors import DodonaError
from dodona.experiments.tables import DASH, Cell, Row, Table

__all__ = ["Curves", "Figure", "HeatMaps", "Scatter", "check_can_draw", "drawn"]

MISSING = "figures need matplotlib: pip install 'dodona[experiments]'"
STYLE: dict[str, Any] = {
    "svg.hashsalt": "dodona",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
ACROSS = 4  # panels in a row
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")  # safe for the colour-blind
MARKERS = "os^Dv*PX<>"
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


class Figure(Protocol):
    """A figure, and its numbers as a table."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    def draw(self) -> Any: ...
    def table(self) -> Table: ...


@dataclass(frozen=True)
class HeatMaps:
    """One map for each panel: a number for each row and column, the highest framed."""

    name: str
    title: str
    row_name: str
    column_name: str
    rows: Sequence[str]
    columns: Sequence[str]
    panels: Mapping[str, Sequence[Sequence[float | None]]]

    def draw(self) -> Any:
        import numpy as np

        figure, axes = _panels(len(self.panels), 1.9, 2.3)
        for axis, (name, numbers) in zip(axes, self.panels.items(), strict=False):
            grid = np.array([[np.nan if value is None else value for value in row] for row in numbers])
            axis.imshow(grid, cmap="YlGnBu", aspect="auto")
            axis.set_xticks(range(len(self.columns)), self.columns)
            axis.set_yticks(range(len(self.rows)), self.rows)
            axis.set_title(f"{name}\n{DASH}")
            axis.set_xlabel(self.column_name)
            axis.set_ylabel(self.row_name)
            if not np.isnan(grid).all():
                low, high = np.nanmin(grid), np.nanmax(grid)
                for i, j in np.argwhere(grid == high):
                    axis.text(j, i, "★", ha="center", va="center", color="white", fontsize=9)
                axis.set_title(f"{name}\n{low:.2f} – {high:.2f}")
        return figure

    def table(self) -> Table:
        columns = (f"treebank, {self.row_name}", *(f"{self.column_name} = {column}" for column in self.columns))
        rows = tuple(
            Row(f"{name}, {self.rows[i]}", tuple(map(Cell, numbers)), rule=i == 0)
            for name, grid in self.panels.items()
            for i, numbers in enumerate(grid)
        )
        return Table(self.name, self.title, columns, rows)


@dataclass(frozen=True)
class Curves:
    """One panel for each treebank, one line for each condition: a number for each iteration."""

    name: str
    title: str
    x_name: str
    y_name: str
    panels: Mapping[str, Mapping[str, Sequence[float]]]

    def draw(self) -> Any:
        figure, axes = _panels(len(self.panels), 2.9, 2.5)
        for axis, (name, series) in zip(axes, self.panels.items(), strict=False):
            for i, (label, numbers) in enumerate(series.items()):
                style = {"color": COLOURS[i % len(COLOURS)], "linestyle": LINES[i % len(LINES)]}
                axis.plot(range(1, len(numbers) + 1), numbers, label=label, linewidth=1.4, **style)
            axis.set_title(name)
            axis.set_xlabel(self.x_name)
            axis.set_ylabel(self.y_name)
            axis.xaxis.get_major_locator().set_params(integer=True)
        _legend(figure, axes)
        return figure

    def table(self) -> Table:
        longest = max((len(numbers) for series in self.panels.values() for numbers in series.values()), default=0)
        columns = ("treebank, condition", *(str(i + 1) for i in range(longest)))
        rows = tuple(
            Row(f"{name}, {label}", tuple(Cell(n) for n in [*numbers, *[None] * (longest - len(numbers))]), rule=i == 0)
            for name, series in self.panels.items()
            for i, (label, numbers) in enumerate(series.items())
        )
        return Table(self.name, self.title, columns, rows)


@dataclass(frozen=True)
class Scatter:
    """Points: a colour for each group, a marker for each name."""

    name: str
    title: str
    x_name: str
    y_name: str
    groups: Mapping[str, Mapping[str, tuple[float, float]]]

    def draw(self) -> Any:
        """The x axis is logarithmic, with whole numbers beside it."""
        lines: Any = import_module("matplotlib.lines")
        ticker: Any = import_module("matplotlib.ticker")
        figure, (axis, *_) = _panels(1, 6.5, 4.0)
        names = list(dict.fromkeys(name for points in self.groups.values() for name in points))
        markers = {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}
        keys = []
        for i, (group, points) in enumerate(self.groups.items()):
            colour = COLOURS[i % len(COLOURS)]
            keys.append(lines.Line2D([], [], color=colour, linewidth=5, label=group))
            for name, (x, y) in points.items():
                axis.scatter([x], [y], color=colour, marker=markers[name], s=42, alpha=0.85)
        grey = {"color": "#555555", "linestyle": "none"}
        keys += [lines.Line2D([], [], marker=markers[name], label=name, **grey) for name in names]
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.xaxis.set_minor_formatter(ticker.NullFormatter())
        axis.set_xlabel(self.x_name)
        axis.set_ylabel(self.y_name)
        axis.margins(0.08)
        axis.grid(color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.legend(handles=keys, loc="center left", bbox_to_anchor=(1.01, 0.5))
        return figure

    def table(self) -> Table:
        rows = tuple(
            Row(f"{name}, {group}", (Cell(x), Cell(y)), rule=i == 0)
            for group, points in self.groups.items()
            for i, (name, (x, y)) in enumerate(points.items())
        )
        return Table(self.name, self.title, ("", self.x_name, self.y_name), rows)


def check_can_draw() -> None:
    """Raise an error before hours of work if the figures could not be drawn after them."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise DodonaError(MISSING) from error


def drawn(figure: Figure) -> dict[str, bytes]:
    """The figure as files, by extension."""
    matplotlib: Any = import_module("matplotlib")
    metadata = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    files = {}
    with matplotlib.rc_context(STYLE):
        picture = figure.draw()
        for kind, about in metadata.items():
            stream = io.BytesIO()
            picture.savefig(stream, format=kind, dpi=150, bbox_inches="tight", metadata=about)
            files[kind] = stream.getvalue()
    return files


def _panels(count: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A figure with some panels in rows; no window is opened."""
    from matplotlib.figure import Figure as Canvas

    across = min(ACROSS, max(1, count))
    down = max(1, ceil(count / across))
    figure = Canvas(figsize=(width * across, height * down), layout="constrained")
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    for axis in axes[max(1, count) :]:
        axis.set_axis_off()
    return figure, axes


def _legend(figure: Any, axes: Sequence[Any]) -> None:
    """One legend for all panels, below them."""
    found = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    if found:
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=min(5, len(found)))
