"""Hierarchies of segmentations, scored level by level: curves of every level, and the area under the best level
[chazalon2021revisiting].

At every weight t the best level is the one whose F1 is highest, so that the area under it is the panoptic quality of
whoever may choose the level for each t; the best single level is the one of the largest area, its PQ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from segmetry.alignments import Curves
from segmetry.errors import InputError
from segmetry.metrics.declare import as_metric_inputs
from segmetry.metrics.metric_inputs import MetricInputs
from segmetry.metrics.panoptic.threshold_scores import curves
from segmetry.results import ResultTable, Table, Tabular


@dataclass(frozen=True, eq=False)
class Hierarchy(Tabular):
    """The curves of every level by name, in the order given; ``nested``: each level refines the next one."""

    levels: Mapping[str, Curves]
    nested: bool

    @property
    def best(self) -> str:
        """The level with the largest area under its F1 curve; the first of several."""
        areas = {name: one.exact_area() or Fraction(0) for name, one in self.levels.items()}
        return max(areas, key=lambda name: areas[name])

    def exact_area(self) -> Fraction | None:
        """Return the area under the best level: ∫₀¹ of the largest F1 of any level, exactly; None without segments."""
        known = [one for one in self.levels.values() if one.exact_area() is not None]
        if not known:
            return None
        edges = sorted({Fraction(0), Fraction(1), *(step for one in known for step in one.steps)})
        # A curve is constant from one step, exclusive, to the next, inclusive.
        return sum(((b - a) * max(one.at(b) or Fraction(0) for one in known) for a, b in pairwise(edges)), Fraction(0))

    def rows(self) -> Table:
        """Return one plain row per level: segments, pairs, precision, recall and F1 of matching, area and NPQ."""
        rows = []
        for name, one in self.levels.items():
            values = {measure: one.at(0, measure) for measure in ("precision", "recall", "f1")}
            counts = {"level": name, "segments": one.tally.n_pred, "pairs": one.tally.n_pairs}
            area = one.exact_area()
            known = {key: None if value is None else float(value) for key, value in values.items()}
            rows.append(counts | known | {"area": None if area is None else float(area)})
        return Table("levels", rows, {"level": "text"})

    def __str__(self) -> str:
        head = ("level", "segments", "pairs", "P", "R", "F1", "area under F1")
        area = self.exact_area()
        words = "undefined" if area is None else f"{float(area):.4f}"
        note = f"Best level: {self.best}. Area under the best level at every weight: {words}."
        return str(ResultTable("levels", head, [tuple(row.values()) for row in self.rows()], [note]))


def hierarchy(true: Any, levels: Mapping[str, Any] | Sequence[Any], **options: Any) -> Hierarchy:
    """Score the levels of a hierarchy of segmentations against one truth.

    Parameters
    ----------
    true : segmentation, array or path
        The true segments.
    levels : sequence of segmentations, or mapping of names to them
        The predicted levels, from fine to coarse.
    **options
        Options of :func:`segmetry.curves`: ``weight=``, ``rule=``, ``policy=`` …

    Returns
    -------
    Hierarchy
        The curves of every level, the best one, and the area under the best level.

    Examples
    --------
    >>> found = hierarchy([[1, 1, 2, 2, 3, 3]], [[[1, 1, 2, 3, 4, 5]], [[1, 1, 2, 2, 2, 2]]], rule="theta_and")
    >>> found.best, found.nested, str(found.exact_area())
    ('2', True, '2/5')
    >>> [row["area"] for row in found.rows()]
    [0.25, 0.4]
    """
    named = dict(levels) if isinstance(levels, Mapping) else {str(at): one for at, one in enumerate(levels, 1)}
    if not named:
        raise InputError("there is no level; expected at least one segmentation")
    sides = list(named.values())
    return Hierarchy(
        {str(name): curves(true, level, **options) for name, level in named.items()},
        all(_refines(as_metric_inputs(fine, coarse)) for fine, coarse in pairwise(sides)),
    )


def _refines(inputs: MetricInputs) -> bool:
    """Return whether every segment of the first side lies in one of the second."""
    table = inputs.table
    return bool((table.shared == table.true.sizes[table.row_true]).all() and len(table) == len(table.true))
