"""The values of a data set with one item left out, for every item.

Leaving out an item changes only its own parts. So a value of a part is computed once for the whole data set
and once for each of its cells, and a mean over classes moves by what its classes move.
"""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.statistics.class_group_sums import GroupSums
from segmetry.statistics.sample_sums import PartColumns
from segmetry.statistics.samples import DATA_SET, Samples, SummaryRow, averages_of_part


class Jackknife:
    """The values of a data set with one item left out."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples
        cells, layout = samples.cells, samples.part_layout
        self._base = layout.quotients(cells.totals[:, :, None])
        self._without = layout.quotients(_without(cells))

    def part(self, part: int) -> FloatArray:
        """Return the averages of one part (averages × rows × items)."""
        samples = self.samples
        base = self._base.take(slice(part, part + 1)).with_nan()[0]
        values = np.repeat(averages_of_part(base), len(samples.items), axis=-1)
        start, stop = samples.cells.starts[part : part + 2].tolist()
        without = self._without.take(slice(start, stop)).with_nan()[..., 0].transpose(1, 2, 0)
        values[..., samples.cells.items[start:stop]] = averages_of_part(without)
        return values

    def together(self) -> dict[SummaryRow, FloatArray]:
        """Return the values of the data set and of its groups (averages × rows × items)."""
        samples = self.samples
        left_out = _without(samples.whole)[..., 0].reshape(samples.n_units, len(samples.items), -1)
        values = samples.together(left_out.transpose(0, 2, 1), self._group_sums())
        for row, metric in samples.accumulated.items():
            values[DATA_SET][samples.of_data_set(metric), row] = metric.left_out()
        return values

    def _group_sums(self) -> GroupSums:
        samples, n_items = self.samples, len(self.samples.items)
        sums = samples.group_sums(n_items)
        for at, stretch in enumerate(samples.stretches if samples.groups else ()):
            sums.add(at, self._base.take(slice(stretch.start, stretch.stop)))
            start, stop = samples.cells.starts[[stretch.start, stretch.stop]].tolist()
            part = samples.cells.part[start:stop]
            sums.change(
                at, samples.cells.items[start:stop], self._base.take(part), self._without.take(slice(start, stop))
            )
        return sums


@np.errstate(invalid="ignore")  # ∞ − ∞ is NaN
def _without(columns: PartColumns) -> FloatArray:
    """Return the sums of the part of every cell without this cell (cells × columns × 1)."""
    return (columns.totals[columns.part] - columns.numbers.T)[:, :, None]
