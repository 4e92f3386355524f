"""Plots of two alignments of one run: the IoUs of their pairs as violins with boxes, and those of additional pairs.

A violin is a Gaussian kernel density of the IoUs (bandwidth by Silverman's rule), cut off at the smallest and largest
one; the box shows the quartiles, its whiskers the farthest values within 1.5 times its height.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from segmetry._base import FloatArray
from segmetry.alignments import rule_heading
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.plot_axes import Scale, y_axis
from segmetry.outputs.plots.shapes import GREY, INK, WHITE, Dot, Line, Polygon, Rectangle, Shape, Words
from segmetry.results import number

if TYPE_CHECKING:
    from segmetry.comparison import TwoOfRun

WIDTH, TOP, BOTTOM, LEFT = 560.0, 44.0, 304.0, 56.0
FILLS = ("#0072b2", "#009e73", "#d55e00")
BINS = 18


def two_rules_plots(run: TwoOfRun) -> dict[str, Picture]:
    """Return both plots by name."""
    return {"iou": iou_plot(run), "additional": additional_plot(run)}


def iou_plot(run: TwoOfRun) -> Picture:
    """Draw the IoUs of the pairs of both rules, and of those that only the wider one has."""
    narrow, wide = rule_heading(run.narrow_rule), rule_heading(run.wide_rule)
    title = f"IoU of matched pairs: {narrow} and {wide}"
    scale = Scale(0, 1, BOTTOM, TOP)
    shapes = [Words(16, 20, title, 14), *y_axis(scale, LEFT, WIDTH - 20, "IoU")]
    columns = ((narrow, run.narrow_ious), (wide, run.wide_ious), ("additional", run.additional_ious))
    step = (WIDTH - 20 - LEFT) / len(columns)
    for at, ((name, ious), fill) in enumerate(zip(columns, FILLS, strict=True)):
        x = LEFT + step * (at + 0.5)
        shapes += _violin_shapes(np.array(ious), x, step * 0.4, scale, fill)
        shapes.append(Words(x, BOTTOM + 16, name, 11, "middle"))
        shapes.append(Words(x, BOTTOM + 32, f"{len(ious)} pairs", 11, "middle", GREY))
    return Picture(WIDTH, BOTTOM + 48, title, tuple(shapes))


def additional_plot(run: TwoOfRun) -> Picture:
    """Draw a histogram of the IoUs of additional pairs."""
    ious = run.additional_ious
    title = f"IoU of the {len(ious)} pairs that {rule_heading(run.wide_rule)} adds to {rule_heading(run.narrow_rule)}"
    low = math.floor(min(ious, default=0.3) * 20) / 20
    high = max(low + 0.05, math.ceil(max(ious, default=0.5) * 20) / 20)
    counts, edges = np.histogram(ious, bins=BINS, range=(low, high))
    across = Scale(low, high, LEFT, WIDTH - 20)
    up = Scale(0, max(1, int(counts.max())) * 1.05, BOTTOM, TOP)
    shapes = [Words(16, 20, title, 14), *y_axis(up, LEFT, WIDTH - 20, "pairs")]
    for count, start, stop in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False):
        x, y = across.at(start), up.at(count)
        note = f"{start:.3f} to {stop:.3f}: {count} pairs"
        if count:
            shapes.append(Rectangle(x, y, across.at(stop) - x, BOTTOM - y, FILLS[2], WHITE, note))
    shapes += [Words(across.at(tick), BOTTOM + 14, f"{tick:g}", 11, "middle", GREY) for tick in across.ticks()]
    shapes.append(Words((LEFT + WIDTH - 20) / 2, BOTTOM + 34, "IoU", 13, "middle"))
    return Picture(WIDTH, BOTTOM + 50, title, tuple(shapes))


def density(values: FloatArray, at: FloatArray) -> FloatArray:
    """Return a Gaussian kernel density; equal values get a narrow bump."""
    spread = min(float(values.std()), float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / 1.34)
    # Silverman's rule: 0.9 min(std, IQR / 1.34) n^(-1/5).
    width = 0.9 * (spread or float(values.std()) or 0.02) * values.size**-0.2
    # Bins instead of single values: a run may have millions of pairs, and a pixel is wider than a bin.
    bins = np.histogram(values, bins=np.linspace(0, 1, 1025))[0]
    middles = (np.arange(1024) + 0.5) / 1024
    kernel = np.exp(-0.5 * ((at[:, None] - middles) / max(width, 0.004)) ** 2)
    densities: FloatArray = kernel @ bins
    return densities


def _violin_shapes(values: FloatArray, x: float, half: float, scale: Scale, fill: str) -> list[Shape]:
    if values.size == 0:
        return [Words(x, (TOP + BOTTOM) / 2, "no pairs", 11, "middle", GREY)]
    shapes: list[Shape] = []
    low, high = float(values.min()), float(values.max())
    if high > low:
        places = np.linspace(low, high, 80)
        widths = density(values, places)
        widths = half * widths / widths.max()
        points = list(zip(widths.tolist(), places.tolist(), strict=True))
        outline = [(x - w, scale.at(v)) for w, v in points] + [(x + w, scale.at(v)) for w, v in reversed(points)]
        shapes.append(Polygon(tuple(outline), fill, 0.35))
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    ends = float(inside.min()), float(inside.max())
    shapes.append(Line(((x, scale.at(ends[0])), (x, scale.at(ends[1]))), INK, 1.2))
    note = f"quartiles {', '.join(map(number, (q1, median, q3)))}"
    box = Rectangle(x - 9, scale.at(q3), 18, max(scale.at(q1) - scale.at(q3), 1), WHITE, INK, note)
    shapes += [box, Line(((x - 9, scale.at(median)), (x + 9, scale.at(median))), INK, 2.2)]
    mean = float(values.mean())
    shapes.append(Dot(x, scale.at(mean), 2.8, fill, note=f"mean {number(mean)}"))
    return shapes
