"""The plots of precision over recall of a run: by threshold, by size, of the classes of lowest AP, and of one class."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from segmetry._base import FloatArray
from segmetry.diagnosis import KEY, recall_curves
from segmetry.metrics import SIZES, PrecisionRecall, as_criteria
from segmetry.outputs.plots.picture import Axes, Line, Picture, Shape, Words, ramp
from segmetry.results import cut_text
from segmetry.run import Run

WIDTH, HEIGHT = 560, 400
AXES = Axes(left=56, top=40, width=300, height=300)
# Colours that are distinguishable in every kind of colour blindness, darkest first.
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f4a88", "#999933", "#882255")
MOST_CLASSES = 10
_LONGEST = 18
"""The most letters of a class in a legend."""


def recall_plot(lines: Mapping[str, FloatArray], title: str, *, ordered: bool = False) -> Picture:
    """Draw precision at 101 recalls, one line per name; the legend states the mean of each, its AP.

    Lines that are ordered, such as thresholds, go from light to dark.
    """
    shapes: list[Shape] = [
        Words(AXES.left + AXES.width / 2, 19, title, 15, "middle"),
        *AXES.shapes("recall", "precision", parts=5),
    ]
    colours = ramp(len(lines)) if ordered else COLOURS
    for at, (name, precision) in enumerate(lines.items()):
        colour = colours[at % len(colours)]
        recalls = np.linspace(0, 1, precision.size).tolist()
        points = tuple(AXES.place(*point) for point in zip(recalls, precision.tolist(), strict=True))
        x, y = AXES.place(1, 1)[0] + 16, AXES.place(1, 1)[1] + 10 + 20 * at
        shapes += [
            Line(points, colour, 1.8),
            Line(((x, y), (x + 20, y)), colour, 1.8),
            Words(x + 26, y, f"{name}: AP {precision.mean():.3f}", 11),
        ]
    return Picture(WIDTH, max(HEIGHT, AXES.top + 30 + 20 * len(lines)), title, tuple(shapes))


def recall_pictures(run: Run) -> dict[str, Picture]:
    """Return precision over recall by threshold, by size and of the classes of lowest AP, by file name."""
    curves = recall_curves(run)
    options = run.data.source(KEY).options
    criteria = as_criteria(options.get("rule"), options.get("thresholds"))
    pictures: dict[str, Picture] = {}
    if curves.names:
        mean = curves.precision.mean(axis=0)
        by_threshold = {f"IoU {criterion.least:.2f}": mean[at] for at, criterion in enumerate(criteria)}
        pictures["recall_thresholds.svg"] = recall_plot(
            by_threshold, "precision over recall, mean over classes", ordered=True
        )
        by_class: dict[str, FloatArray] = {}
        for name in lowest_classes(curves):
            label = legend_name(run, name)
            label = label if label not in by_class else f"{label} ({len(by_class) + 1})"
            by_class[label] = curves.precision[curves.names.index(name)].mean(axis=0)
        pictures["recall_classes.svg"] = recall_plot(by_class, "classes of lowest AP, mean over thresholds")
    by_size = {size: recall_curves(run, size=size) for size in SIZES}
    sized = {size: own.precision.mean(axis=(0, 1)) for size, own in by_size.items() if own.names}
    if sized:
        pictures["recall_sizes.svg"] = recall_plot(sized, "precision over recall by size", ordered=True)
    return pictures


def lowest_classes(curves: PrecisionRecall) -> list[Hashable]:
    """Return the classes of lowest AP, the mean over thresholds, the lowest first."""
    order = curves.average_precision.mean(axis=1).argsort(kind="stable")[:MOST_CLASSES].tolist()
    return [curves.names[at] for at in order]


def class_size_picture(run: Run, name: Hashable) -> Picture:
    """Return precision over recall of one class: of all its masks and by size, mean over thresholds."""
    lines: dict[str, FloatArray] = {}
    for size in (None, *SIZES):
        curves = recall_curves(run) if size is None else recall_curves(run, size=size)
        if name in curves.names:
            lines[size or "all"] = curves.precision[curves.names.index(name)].mean(axis=0)
    return recall_plot(lines, legend_name(run, name))


def legend_name(run: Run, name: Hashable) -> str:
    """Return the name of a class, shortened to fit next to a plot."""
    return cut_text(run.class_names.get(name, str(name)), _LONGEST)
