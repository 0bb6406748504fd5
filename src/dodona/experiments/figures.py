"""Figures: heat maps, curves and scatter plots, as SVG and PNG. The same numbers give the same bytes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from typing import Any

from dodona.evaluation.diagrams import COLOURS, make_panels
from dodona.tables import NO_DATA, Table

__all__ = ["Curves", "Figure", "HeatMaps", "Scatter"]

MAX_ACROSS = 4  # panels in a row
MARKERS = "os^Dv*PX<>"
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


@dataclass(frozen=True)
class Figure(ABC):
    """A figure, and its numbers as a table."""

    name: str
    title: str

    @abstractmethod
    def draw(self) -> Any: ...

    @abstractmethod
    def table(self) -> Table: ...


@dataclass(frozen=True)
class HeatMaps(Figure):
    """One map for each panel: a number for each row and column, the highest framed."""

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
            axis.set(title=f"{name}\n{NO_DATA}", xlabel=self.column_name, ylabel=self.row_name)
            if not np.isnan(grid).all():
                low, high = np.nanmin(grid), np.nanmax(grid)
                for i, j in np.argwhere(grid == high):
                    axis.text(j, i, "★", ha="center", va="center", color="white", fontsize=9)
                axis.set_title(f"{name}\n{low:.2f} – {high:.2f}")
        return figure

    def table(self) -> Table:
        columns = (f"treebank, {self.row_name}", *(f"{self.column_name} = {column}" for column in self.columns))
        panels = self.panels.items()
        rows = [(f"{name}, {self.rows[i]}", *numbers) for name, grid in panels for i, numbers in enumerate(grid)]
        return Table(columns, rows, self.title, self.name)


@dataclass(frozen=True)
class Curves(Figure):
    """One panel for each treebank, one line for each condition: a number for each iteration, or None."""

    x_name: str
    y_name: str
    panels: Mapping[str, Mapping[str, Sequence[float | None]]]

    def draw(self) -> Any:
        figure, axes = _panels(len(self.panels), 2.9, 2.5)
        for axis, (name, series) in zip(axes, self.panels.items(), strict=False):
            for i, (label, numbers) in enumerate(series.items()):
                style = {"color": COLOURS[i % len(COLOURS)], "linestyle": LINES[i % len(LINES)]}
                axis.plot(range(1, len(numbers) + 1), numbers, label=label, linewidth=1.4, **style)
            axis.set(title=name, xlabel=self.x_name, ylabel=self.y_name)
            axis.xaxis.get_major_locator().set_params(integer=True)
        pairs = (pair for axis in axes for pair in zip(*axis.get_legend_handles_labels(), strict=True))
        handles = {label: handle for handle, label in pairs}
        if handles:
            figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(5, len(handles)))
        return figure

    def table(self) -> Table:
        longest = max((len(numbers) for series in self.panels.values() for numbers in series.values()), default=0)
        columns = ("treebank, condition", *(str(i + 1) for i in range(longest)))
        rows = [
            (f"{name}, {label}", *numbers, *[None] * (longest - len(numbers)))
            for name, series in self.panels.items()
            for label, numbers in series.items()
        ]
        return Table(columns, rows, self.title, self.name)


@dataclass(frozen=True)
class Scatter(Figure):
    """Points: a colour for each group, a marker for each name."""

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
        axis.set(xlabel=self.x_name, ylabel=self.y_name)
        axis.margins(0.08)
        axis.grid(color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.legend(handles=keys, loc="center left", bbox_to_anchor=(1.01, 0.5))
        return figure

    def table(self) -> Table:
        rows = [(f"{name}, {group}", *xy) for group, points in self.groups.items() for name, xy in points.items()]
        return Table(("", self.x_name, self.y_name), rows, self.title, self.name)


def _panels(count: int, width: float, height: float) -> tuple[Any, list[Any]]:
    across = min(MAX_ACROSS, max(1, count))
    figure, axes = make_panels(max(1, ceil(count / across)), across, width, height)
    for axis in axes[max(1, count) :]:
        axis.set_axis_off()
    return figure, axes
