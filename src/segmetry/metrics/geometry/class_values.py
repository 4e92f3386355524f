"""Metrics with one value for each class of an item that is measured on its shapes: columns, means, and details."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from segmetry._base.exact import Column, FloatArray
from segmetry.geometry.class_shapes import ClassShapes
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.statistics import Quotient, Sums

KINDS = ("labels", "masks")
NO_PAIR = "no class occurs on both sides"
ONE_VALUE_PER_CLASS = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "items. Segments of one class count together; where segments carry no classes, equal labels are the same class. "
)
BAR = [[1, 1, 1, 1, 0, 2]], [[1, 1, 1, 0, 0, 2]]
ONE_SIDED = [[1, 1, 1], [0, 0, 0], [0, 0, 2], [0, 0, 0]], [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


def class_values(
    shapes: ClassShapes, values: FloatArray, penalty: float | None, unit: str | None = None
) -> dict[str, Column]:
    """Return the columns of an item: its classes, a value of each (the penalty, or NaN, for those without one), on
    which sides they are, and the unit.
    """
    if penalty is not None:
        values = np.where(np.isnan(values), penalty, values)
    sides = zip(("in_true", "in_pred"), shapes.sides_of_names, strict=True)
    return {"class": list(shapes.names), "value": values, **dict(sides), "unit": [] if unit is None else [unit]}


def _details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, Any]:
    """Return how many classes are on both sides, in the truth only and in the prediction only, and the unit."""
    both = int((sums["in_true"] * sums["in_pred"]).sum())
    counts = {"missed": int(sums["in_true"].sum()) - both, "spurious": int(sums["in_pred"].sum()) - both}
    units = sums.labels.get("unit", ())
    return {"pairs": both, **counts, **({"unit": " or ".join(map(str, units))} if units else {})}


def mean_of_class_values(collect: Callable[..., dict[str, Column]], **how: Any) -> Aggregation:
    """Return the aggregation of the values of :func:`class_values`."""
    return Aggregation(collect, average=BY_CLASS_OF_ITEMS, describe=_details, **how)


def harmonic_mean(pred: tuple[Any, Any], true: tuple[Any, Any], reason: str) -> Quotient:
    """Return 2ab/(aB + bA), the harmonic mean of two quotients of counts a/A and b/B; 0 where both are 0 or undefined.

    >>> one, two = np.array([[1]]), np.array([[2]])
    >>> harmonic_mean((one, two), (one, one), "no boundary").values.tolist()
    [[0.6666666666666666]]
    """
    (a, n_pred), (b, n_true) = pred, true
    denominator = a * n_true + b * n_pred
    return Quotient(2 * a * b, np.where(denominator > 0, denominator, 1), reason)
