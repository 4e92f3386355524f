"""Means over the classes of groups in many samples (the average ``by_class``), from sums over the classes.

A mean goes over the classes that occur in the sample; a metric that is itself a mean over classes leaves out those
whose denominator is 0, whatever replaces undefined values elsewhere. Counts are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray
from segmetry.statistics.sample_layout import Layout, Quotients

_TOTAL = 1  # of the two words of quotients, the one of sums over items


@dataclass(frozen=True)
class Stretch:
    """Consecutive parts of the same groups."""

    start: int
    stop: int
    groups: frozenset[str]


class GroupSums:
    """The sums over the classes of every stretch: of their values, of how many are defined, of how many occur."""

    def __init__(
        self, layout: Layout, groups: Sequence[str], stretches: Sequence[Stretch], fill: float | None, n_samples: int
    ) -> None:
        self.layout, self.stretches, self.fill = layout, stretches, fill
        n_stretches = len(stretches) if groups else 0
        self.totals = np.zeros((n_stretches, layout.n_rows, n_samples))
        self.defined = np.zeros((n_stretches, layout.bottoms.size, n_samples))
        self.occurs = np.zeros((n_stretches, n_samples))

    def add(self, stretch: int, quotients: Quotients, samples: slice = slice(None)) -> None:
        """Add classes of one stretch in some samples, one after the other: the size of a batch changes no digit."""
        if not self.totals.size:
            return
        totals = self.totals[stretch][..., samples]
        # The samples of a row are stored far from those of the next.
        near = totals.copy() if len(quotients.values) > 1 else totals
        for values in quotients.values[:, _TOTAL]:
            near += values
        if near is not totals:
            totals[:] = near
        self.defined[stretch][..., samples] += _counted(quotients.defined)
        self.occurs[stretch][..., samples] += _counted(quotients.occurs)

    def change(self, stretch: int, items: IndexArray, before: Quotients, after: Quotients) -> None:
        """Replace, in the sample without an item, the values of its classes before by those after."""
        _move(self.totals[stretch], items, before.values[:, _TOTAL, :, 0], after.values[:, _TOTAL, :, 0])
        _move(self.defined[stretch], items, before.defined[..., 0], after.defined[..., 0])
        _move(self.occurs[stretch], items, before.occurs[..., 0], after.occurs[..., 0])

    def values(self, group: str) -> FloatArray:
        """Return the means over the classes of a group (rows × samples); counts are added."""
        own = [at for at, stretch in enumerate(self.stretches) if group in stretch.groups]
        layout = self.layout
        every: FloatArray = self.totals[own].sum(axis=0)
        totals = every[: layout.n_ratios]
        used = self.defined[own].sum(axis=0)[layout.bottom_of[_TOTAL, : layout.n_ratios]]
        if self.fill is not None:
            class_rows = {layout.rows[key] for key in layout.others}
            filled = np.array([row not in class_rows for row in range(layout.n_ratios)])
            lacking = self.occurs[own].sum(axis=0) - used[filled]
            totals[filled] += self.fill * lacking
            used[filled] += lacking
        with np.errstate(invalid="ignore"):
            np.divide(totals, used, out=totals)
        return every


def _counted(holds: NDArray[np.bool_]) -> NDArray[Any] | int:
    """Return in how many parts (the first axis) something holds."""
    return len(holds) if holds.all() else holds.sum(axis=0)


def _move(total: FloatArray, items: IndexArray, before: NDArray[Any], after: NDArray[Any]) -> None:
    """Add the differences of cells (rows) to the samples (last axis) without their items."""
    gaps = after.astype(np.float64) - before
    for place in np.ndindex(total.shape[:-1]):
        total[place] += np.bincount(items, weights=gaps[(slice(None), *place)], minlength=total.shape[-1])
