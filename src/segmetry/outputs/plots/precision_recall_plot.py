r"""The precision–recall plot: one dot per true segment with its partner, or per item.

x is recall, y is precision. The four corners have names: *good* (top right), *over-segmentation* (top left: precise but
incomplete, more missed than spurious elements), *under-segmentation* (bottom right: complete but not precise, more
spurious than missed), *bad* (bottom left). The corners meet at one half: P > 1/2 is s > |h \ t| and R > 1/2 is s > |t \
h|, so a dot is in the good corner exactly when the pair satisfies θ&. Decided on integers; a dot on a dividing line
counts with the worse side. The text that introduced the plot swaps missed and spurious once where it describes the
over-segmentation corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from segmetry.alignments import CountedOverlaps
from segmetry.metrics import as_metric_inputs, partners
from segmetry.outputs.plots.picture import GREY, Axes, Dot, Line, Picture, Shape, Words
from segmetry.overlaps import OverlapTable

CORNERS = ("good", "over-segmentation", "under-segmentation", "bad")
_COLOURS = {"good": "#009e73", "over-segmentation": "#0072b2", "under-segmentation": "#e69f00", "bad": "#d55e00"}
"""Distinguishable in colour blindness; the position of a dot shows the same as its colour."""
_PLACES = {
    "good": (0.98, 0.96),
    "over-segmentation": (0.02, 0.96),
    "under-segmentation": (0.98, 0.04),
    "bad": (0.02, 0.04),
}


@dataclass(frozen=True)
class PlotDot:
    """Shared, missed and spurious elements of one true segment and its partner, or of all of an item."""

    name: str
    shared: int
    missed: int
    spurious: int

    @property
    def precision(self) -> Fraction:
        """s/|h|, 0 where there is no partner."""
        return Fraction(self.shared, self.shared + self.spurious or 1)

    @property
    def recall(self) -> Fraction:
        """s/|t|."""
        return Fraction(self.shared, self.shared + self.missed or 1)

    @property
    def corner(self) -> str:
        """The corner that contains the point."""
        precise, complete = self.shared > self.spurious, self.shared > self.missed
        if precise:
            return "good" if complete else "over-segmentation"
        return "under-segmentation" if complete else "bad"


def segment_points(overlaps: CountedOverlaps) -> list[PlotDot]:
    """Return one point per true segment: with its partner, or at the origin if it has none."""
    partner = partners(overlaps)
    names = overlaps.table.true.ids[partner.at_true].tolist()
    columns = zip(names, partner.shared.tolist(), partner.missed.tolist(), partner.spurious.tolist(), strict=True)
    return [PlotDot(f"true segment {name}", s, m, p) for name, s, m, p in columns]


def item_points(items: Mapping[str, OverlapTable], **options: Any) -> list[PlotDot]:
    """Return one point per item: the sum of the counts of all its true segments and their partners."""
    dots = []
    for name, table in items.items():
        points = segment_points(CountedOverlaps.of(table, **options))
        sums = (sum(getattr(point, part) for point in points) for part in ("shared", "missed", "spurious"))
        if points:
            dots.append(PlotDot(name, *sums))
    return dots


def corner_counts(points: Iterable[PlotDot]) -> dict[str, int]:
    """Count the points in each corner."""
    corners = [point.corner for point in points]
    return {corner: corners.count(corner) for corner in CORNERS}


def precision_recall_plot(true: Any, pred: Any = None, *, title: str = "", **options: Any) -> Picture:
    """Draw the precision and recall of every true segment of two segmentations, or of their table.

    Parameters
    ----------
    true : segmentation, array or path or OverlapTable
        The true segments, or the counts of both sides.
    pred : segmentation, array or path, optional
        The predicted segments.
    title : str, default ''
        The title; by default it counts the kinds of segments.
    **options
        ``policy=`` and ``classes=`` as in scores.

    Returns
    -------
    Picture
        The plot.

    Examples
    --------
    >>> plot = precision_recall_plot([[1, 1, 1, 2]], [[1, 1, 1, 0]])
    >>> plot.title
    'Precision and recall of 2 true segments: good 1, over-segmentation 0, under-segmentation 0, bad 1'
    """
    overlaps = as_metric_inputs(true, pred).overlaps(**options)
    return draw(segment_points(overlaps), "true segments", title)


def precision_recall_plot_of_items(items: Mapping[str, OverlapTable], *, title: str = "", **options: Any) -> Picture:
    """Draw the precision and recall of many items, one dot each.

    Parameters
    ----------
    items : mapping of str to OverlapTable
        The counts of each item by name.
    title : str, default ''
        The title; by default it counts the kinds of items.
    **options
        ``policy=`` and ``classes=`` as in scores.

    Returns
    -------
    Picture
        The plot.

    Examples
    --------
    >>> import segmetry as sm
    >>> precision_recall_plot_of_items({"page 1": sm.overlap([[1, 1]], [[1, 1]])}).title
    'Precision and recall of 1 item: good 1, over-segmentation 0, under-segmentation 0, bad 0'
    """
    return draw(item_points(items, **options), "items", title)


def draw(points: list[PlotDot], noun: str, title: str = "") -> Picture:
    """Draw points, with the number in each corner."""
    counts = corner_counts(points)
    number = f"{len(points)} {noun if len(points) != 1 else noun.removesuffix('s')}"
    summary = ", ".join(f"{corner} {count}" for corner, count in counts.items())
    axes = Axes(left=70, top=44, width=400, height=400)
    shapes: list[Shape] = [Words(70, 22, title or number, 15)]
    shapes += axes.shapes("recall", "precision")
    shapes.append(Line((axes.place(0.5, 0), axes.place(0.5, 1)), GREY))
    shapes.append(Line((axes.place(0, 0.5), axes.place(1, 0.5)), GREY))
    for point in points:
        x, y = axes.place(float(point.recall), float(point.precision))
        counted = f"shared {point.shared}, missed {point.missed}, spurious {point.spurious}"
        note = f"{point.name}: recall {float(point.recall):.3f}, precision {float(point.precision):.3f} ({counted})"
        shapes.append(Dot(x, y, fill=_COLOURS[point.corner], opacity=0.6, note=note))
    for corner, (across, up) in _PLACES.items():
        x, y = axes.place(across, up)
        shapes.append(Words(x, y, f"{corner}: {counts[corner]}", 12, "end" if across > 0.5 else "start"))
    return Picture(500, 500, f"Precision and recall of {number}: {summary}", tuple(shapes))
