"""Two plots of the pairs of two segmentations [chazalon2021revisiting]: how much they share, and how they are related.

:func:`overlap_plot` is the histogram of pairs of labels with its marginal sums: all that any overlap metric needs.
:func:`coverage_plot` places every pair by its two coverages. Lines of equal similarity show what a weight makes of
them, and zones the categories of objects and parts: a match where both coverages are above γ₂, a split (the predicted
segment is a part of the true one) or a merge where one of them is and the other is above γ₁.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from segmetry._base import Threshold, fraction_in
from segmetry.alignments import Candidates, formula_of
from segmetry.errors import OptionError
from segmetry.metrics import as_metric_inputs
from segmetry.outputs.plots.curve_plot import weight_words
from segmetry.outputs.plots.picture import (
    GREY,
    INK,
    PALE,
    Anchor,
    Axes,
    Dot,
    Line,
    Picture,
    Point,
    Polygon,
    Rectangle,
    Shape,
    Words,
)

AXES = Axes(left=62, top=44, width=360, height=360)
LEVELS = (0.2, 0.4, 0.6, 0.8)
ZONES = {"match": "#009e73", "split": "#0072b2", "merge": "#e69f00"}
CELL, LEFT, TOP = 28.0, 92.0, 78.0
MOST = 40
"""Segments of a side in the histogram; of more, the largest are shown."""
_DARK = (0, 90, 160)


def overlap_plot(true: Any, pred: Any = None) -> Picture:
    """Draw the histogram of pairs of labels: shared elements of every true and predicted segment, and their sizes.

    Parameters
    ----------
    true : segmentation, array or path or OverlapTable
        The true segments, or the counts of both sides.
    pred : segmentation, array or path, optional
        The predicted segments.

    Returns
    -------
    Picture
        The plot; of more than 40 segments of a side, the largest are shown.

    Examples
    --------
    >>> overlap_plot([[1, 1, 1, 2]], [[1, 1, 3, 3]]).title
    'Shared elements of 2 true and 2 predicted segments'
    """
    table = as_metric_inputs(true, pred).table
    sides = [np.sort(np.argsort(-side.sizes, kind="stable")[:MOST]) for side in (table.true, table.pred)]
    title = f"Shared elements of {len(table.true)} true and {len(table.pred)} predicted segments"
    words = "rows: true segments, columns: predicted segments; margins: their sizes"
    if max(len(table.true), len(table.pred)) > MOST:
        words += f"; the {MOST} largest of a side"
    shapes: list[Shape] = [Words(16, 20, title, 15), Words(16, 40, words, 12, fill=GREY)]
    rows, columns = ({at: place for place, at in enumerate(side.tolist())} for side in sides)
    largest = int(table.shared.max(initial=1))
    numbers = [str(table.pred.ids[h]) for h in columns], [f"{table.pred.sizes[h]:,}" for h in columns]
    upright = max(map(len, chain(*numbers)), default=0) > 4  # more digits than a column is wide
    top = TOP + (6 * max(map(len, numbers[0])) - 18 if upright else 0)
    end = LEFT + CELL * (len(columns) + 0.3), top + CELL * (len(rows) + 0.3)
    for t, row in rows.items():
        shapes.append(Words(LEFT - 8, top + CELL * (row + 0.5), str(table.true.ids[t]), 11, "end"))
        shapes.append(Words(end[0], top + CELL * (row + 0.5), f"{table.true.sizes[t]:,}", 10, fill=GREY))
        shapes += [Rectangle(LEFT + CELL * at, top + CELL * row, CELL - 1, CELL - 1, PALE) for at in columns.values()]
    anchors: tuple[Anchor, Anchor] = ("start", "end") if upright else ("middle", "middle")
    for column, (own, size) in enumerate(zip(*numbers, strict=True)):
        x = LEFT + CELL * (column + 0.5)
        shapes.append(Words(x, top - (4 if upright else 10), own, 11, anchors[0], INK, upright))
        shapes.append(Words(x, end[1] + (0 if upright else 4), size, 10, anchors[1], GREY, upright))
    for t, h, shared in zip(table.row_true.tolist(), table.row_pred.tolist(), table.shared.tolist(), strict=True):
        if t in rows and h in columns:
            x, y = LEFT + CELL * columns[h], top + CELL * rows[t]
            part = shared / largest
            red, green, blue = (round(255 + (channel - 255) * part) for channel in _DARK)
            note = f"true {table.true.ids[t]}, pred {table.pred.ids[h]}: {shared:,} elements"
            shapes.append(Rectangle(x, y, CELL - 1, CELL - 1, f"#{red:02x}{green:02x}{blue:02x}", None, note))
            if shared < 10_000:
                ink = "#ffffff" if part > 0.5 else INK
                shapes.append(Words(x + CELL / 2, y + CELL / 2, str(shared), 9, "middle", ink))
    foot = 6 * max(map(len, numbers[1])) + 6 if upright else 24
    return Picture(max(end[0] + 60, 520), end[1] + foot, title, tuple(shapes))


def coverage_plot(
    true: Any,
    pred: Any = None,
    *,
    weight: str = "iou",
    candidate: Threshold = "1/4",
    match: Threshold = "19/20",
    **options: Any,
) -> Picture:
    """Draw every overlapping pair by the shares of its two segments that it covers.

    Parameters
    ----------
    true : segmentation, array or path or OverlapTable
        The true segments, or the counts of both sides.
    pred : segmentation, array or path, optional
        The predicted segments.
    weight : str, default 'iou'
        The weight whose lines of equal value are drawn: ``'iou'``, ``'dice'``, ``'min_coverage'``,
        ``'half_link_force'``, ``'tversky(alpha=…,beta=…)'`` …
    candidate, match : number, default '1/4' and '19/20'
        γ₁ and γ₂, the coverages above which a pair is a candidate, and a match.
    **options
        ``policy=`` and ``classes=`` as in scores.

    Returns
    -------
    Picture
        The plot; the title counts the pairs of each category.

    Examples
    --------
    >>> coverage_plot([[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 1, 2, 0]]).title
    'Coverages of 2 overlapping pairs: match 1, split 1, merge 0'
    """
    low, high = (fraction_in(value, name, 0, 1) for value, name in ((candidate, "candidate"), (match, "match")))
    if low > high:
        raise OptionError(f"candidate is {low} and match is {high}; expected candidate ≤ match")
    pairs = as_metric_inputs(true, pred).overlaps(**options).pairs
    counts = _categories(pairs, low, high)
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    title = f"Coverages of {pairs.shared.size} overlapping pairs: {listed}"
    a, b = float(low), float(high)
    corners = {"match": (b, b, 1, 1), "split": (b, a, 1, b), "merge": (a, b, b, 1)}
    shapes: list[Shape] = [Words(16, 20, title.partition(":")[0], 14)]
    for name, (x0, y0, x1, y1) in corners.items():
        outline = tuple(AXES.place(x, y) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
        shapes.append(Polygon(outline, ZONES[name], 0.18))
    shapes += AXES.shapes("coverage of the predicted segment", "coverage of the true segment", parts=5)
    for level in LEVELS:
        line = tuple(AXES.place(*point) for point in level_line(weight, level))
        if len(line) > 1:
            shapes += [Line(line, GREY, 1.2), Words(line[0][0] + 3, line[0][1] + 8, f"{level:g}", 10, fill=GREY)]
    for s, m, p in zip(pairs.shared.tolist(), pairs.missed.tolist(), pairs.spurious.tolist(), strict=True):
        x, y = AXES.place(s / (s + p), s / (s + m))
        shapes.append(Dot(x, y, 3.5, INK, 0.6, f"{s} shared, {m} missed, {p} spurious"))
    foot = AXES.top + AXES.height + 56
    for at, (name, colour) in enumerate(ZONES.items()):
        shapes += [
            Rectangle(AXES.left + 120 * at, foot - 6, 14, 12, colour),
            Words(AXES.left + 20 + 120 * at, foot, f"{name} {counts[name]:,}"),
        ]
    shapes.append(Words(AXES.left, foot + 20, f"lines: equal {weight_words(weight)}", 12, fill=GREY))
    return Picture(460, foot + 36, title, tuple(shapes))


def _categories(pairs: Candidates, low: Any, high: Any) -> dict[str, int]:
    """Count matches, splits and merges, decided on integers."""
    shared, true, pred = pairs.shared, pairs.shared + pairs.missed, pairs.shared + pairs.spurious

    def above(bound: Any, sizes: Any) -> Any:
        return shared.astype(object) * bound.denominator > sizes.astype(object) * bound.numerator

    matches = above(high, true) & above(high, pred)
    splits = above(high, pred) & above(low, true) & ~matches
    merges = above(high, true) & above(low, pred) & ~matches
    return {"match": int(matches.sum()), "split": int(splits.sum()), "merge": int(merges.sum())}


def level_line(weight: str, level: float) -> list[Point]:
    """Return points (coverage of pred, coverage of true) where a weight has this value, from the left to the right."""
    formula = formula_of(weight)[0]

    def value(a: float, b: float) -> float:
        top, bottom = formula(1.0, 1 / b - 1, 1 / a - 1)
        return float(top / bottom)

    steps = [at / 100 for at in range(1, 101)]
    points = [(a, _root(lambda b, a=a: value(a, b), level)) for a in steps]  # type: ignore[misc]
    points += [(_root(lambda a, b=b: value(a, b), level), b) for b in steps]  # type: ignore[misc]
    found = [(a, b) for a, b in points if abs(value(a, b) - level) < 1e-6]
    return sorted(found, key=lambda point: point[0] - point[1])


def _root(rising: Callable[[float], float], level: float) -> float:
    low, high = 1e-9, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < level else (low, middle)
    return high
