"""The plots of precision over recall of a run: by threshold, by size, of the classes of lowest AP, and of one class."""

from __future__ import annotations

from collections.abc import Hashable

from segmetry._base.exact import FloatArray
from segmetry.diagnosis.recall_curves import KEY, recall_curves
from segmetry.metrics.detection.detection_options import SIZES, as_criteria
from segmetry.metrics.detection.precision_recall import PrecisionRecall
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.recall_plot import recall_plot
from segmetry.run.run import Run

MOST_CLASSES = 10
_LONGEST = 18
"""The most letters of a class in a legend."""


def recall_pictures(run: Run) -> dict[str, Picture]:
    """Return precision over recall by threshold, by size and of the classes of lowest AP, by file name."""
    curves = recall_curves(run)
    options = run.columns.accumulated[KEY].options
    criteria = as_criteria(options.get("rule"), options.get("thresholds"))
    pictures: dict[str, Picture] = {}
    if curves.names:
        mean = curves.precision.mean(axis=0)
        by_threshold = {f"IoU {criterion.least:.2f}": mean[at] for at, criterion in enumerate(criteria)}
        pictures["recall_thresholds.svg"] = recall_plot(by_threshold, "precision over recall, mean over classes")
        by_class: dict[str, FloatArray] = {}
        for name in lowest_classes(curves):
            label = legend_name(run, name)
            label = label if label not in by_class else f"{label} ({len(by_class) + 1})"
            by_class[label] = curves.precision[curves.names.index(name)].mean(axis=0)
        pictures["recall_classes.svg"] = recall_plot(by_class, "classes of lowest AP, mean over thresholds")
    by_size = {size: recall_curves(run, size=size) for size in SIZES}
    sized = {size: own.precision.mean(axis=(0, 1)) for size, own in by_size.items() if own.names}
    if sized:
        pictures["recall_sizes.svg"] = recall_plot(sized, "precision over recall by size")
    return pictures


def lowest_classes(curves: PrecisionRecall) -> list[Hashable]:
    """Return the classes of lowest AP, the mean over thresholds, the lowest first."""
    order = curves.average_precision.mean(axis=1).argsort(kind="stable")[:MOST_CLASSES].tolist()
    return [curves.names[at] for at in order]


def class_size_picture(run: Run, name: Hashable) -> Picture:
    """Return precision over recall of one class: of all its masks and by size, mean over thresholds.

    >>> import numpy as np, segmetry as sm
    >>> stack = np.ones((1, 1, 9), dtype=bool)
    >>> pair = {"a": sm.Masks.from_dense(stack)}, {"a": sm.Masks.from_dense(stack, scores=[0.5])}
    >>> picture = class_size_picture(sm.evaluate(*pair, metrics="average_precision"), "all")
    >>> picture.title, "all: AP 1.000" in picture.svg, "small: AP 1.000" in picture.svg, "large" in picture.svg
    ('all', True, True, False)
    """
    lines: dict[str, FloatArray] = {}
    for size in (None, *SIZES):
        curves = recall_curves(run) if size is None else recall_curves(run, size=size)
        if name in curves.names:
            lines[size or "all"] = curves.precision[curves.names.index(name)].mean(axis=0)
    return recall_plot(lines, legend_name(run, name))


def legend_name(run: Run, name: Hashable) -> str:
    """Return the name of a class, shortened to fit beside a plot."""
    words = run.class_names.get(name, str(name))
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
