"""Plot of the example of a metric: the true and the predicted segmentation of a few elements, and the value.

Every element is a square with the number of its segment; the colour is that of the segment, and an element in no
segment is empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.metrics import Example, Metric
from segmetry.outputs.plots.picture import GREY, INK, PALE, WHITE, Line, Picture, Rectangle, Shape, Words
from segmetry.outputs.tables.explanations import example_result
from segmetry.segmentation import LabelArray, Spans

MOST_ELEMENTS = 40
_CELL, _LEFT = 26, 50
_COLOURS = ("#9ecae1", "#fdd0a2", "#a1d99b", "#dabee2", "#fab4b4", "#dede8c")


def example_plot(metric: Metric, example: Example) -> Picture | None:
    """Return the plot of an example; None if it is not a few elements on a line or in a plane."""
    true, pred = _label_grid(example.true), _label_grid(example.pred)
    if true is None or pred is None:
        return None
    value = example_result(metric, example)
    rows = true.shape[0]
    shapes: list[Shape] = []
    for number, (name, grid) in enumerate((("true", true), ("pred", pred))):
        top = 10 + number * (rows * _CELL + 12)
        shapes.append(Words(_LEFT - 8, top + rows * _CELL / 2, name, 13, "end"))
        shapes += _cell_shapes(grid, top)
    height = 10 + 2 * (rows * _CELL + 12)
    shapes.append(Words(_LEFT, height + 12, value, 13))
    width = _LEFT + max(true.shape[1] * _CELL, 8 * len(value)) + 10
    return Picture(width, height + 30, value, tuple(shapes))


def first_example_svg(metric: Metric) -> str | None:
    """Return the first example of a metric that can be drawn, as SVG text."""
    pictures = (example_plot(metric, example) for example in metric.examples)
    return next((picture.svg for picture in pictures if picture is not None), None)


def _label_grid(segmentation: Any) -> NDArray[np.int64] | None:
    """Return the labels as rows and columns, 0 where there is no segment."""
    if isinstance(segmentation, Spans):
        line = np.zeros((1, segmentation.n), dtype=np.int64)
        for number, (start, stop) in enumerate(
            zip(segmentation.starts.tolist(), segmentation.stops.tolist(), strict=True), start=1
        ):
            line[0, start:stop] = number
        return line if segmentation.n <= MOST_ELEMENTS else None
    if not isinstance(segmentation, LabelArray | np.ndarray | list):
        return None
    side = segmentation if isinstance(segmentation, LabelArray) else LabelArray(segmentation)
    labels = np.atleast_2d(side.labels).astype(np.int64)
    if labels.ndim != 2 or labels.size > MOST_ELEMENTS:
        return None
    labels[np.isin(labels, [*side.outside, *side.void])] = 0
    return labels


def _cell_shapes(grid: NDArray[np.int64], top: float) -> list[Shape]:
    numbers = {label: at for at, label in enumerate(np.unique(grid[grid != 0]).tolist())}
    shapes: list[Shape] = []
    for (row, column), label in np.ndenumerate(grid):
        x, y = _LEFT + column * _CELL, top + row * _CELL
        colour = _COLOURS[numbers[int(label)] % len(_COLOURS)] if label else WHITE
        shapes += [Rectangle(x, y, _CELL, _CELL, PALE), Rectangle(x + 1, y + 1, _CELL - 2, _CELL - 2, colour)]
        if label:
            shapes.append(Words(x + _CELL / 2, y + _CELL / 2, str(label), 12, "middle", GREY))
    return shapes + _border_lines(grid, top)


def _border_lines(grid: NDArray[np.int64], top: float) -> list[Shape]:
    """Return a line between neighbours in different segments."""
    shapes: list[Shape] = []
    for row, column in np.argwhere(np.diff(grid, axis=1) != 0).tolist():
        x, y = _LEFT + (column + 1) * _CELL, top + row * _CELL
        shapes.append(Line(((x, y), (x, y + _CELL)), INK, 2))
    for row, column in np.argwhere(np.diff(grid, axis=0) != 0).tolist():
        x, y = _LEFT + column * _CELL, top + (row + 1) * _CELL
        shapes.append(Line(((x, y), (x + _CELL, y)), INK, 2))
    return shapes
