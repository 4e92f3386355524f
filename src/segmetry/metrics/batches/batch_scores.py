"""The scores of a batch: one column of values per metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry._base.small_table import counted, html_table, text_table


@dataclass(frozen=True, eq=False, repr=False)
class BatchScores(Mapping[str, FloatArray]):
    """The values of every item by metric key, NaN where a metric is undefined.

    Parameters
    ----------
    columns : mapping of str to array
        One array per metric, one value per item.
    n_items : int
        The number of items.
    rule, policy : str
        The alignment rule and the policy they were computed under.
    """

    columns: Mapping[str, FloatArray]
    n_items: int
    rule: str
    policy: str

    def __getitem__(self, key: str) -> FloatArray:
        return self.columns[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def means(self) -> dict[str, float]:
        """Return the mean of each metric over the items where it is defined; NaN where it never is."""
        defined = {key: column[~np.isnan(column)] for key, column in self.columns.items()}
        return {key: float(column.mean()) if column.size else float("nan") for key, column in defined.items()}

    def __repr__(self) -> str:
        return f"BatchScores({counted(self.n_items, 'item')}: {', '.join(self.columns)}; rule {self.rule})"

    def __str__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table())

    def _table(self) -> tuple[str, tuple[str, ...], list[tuple[str, float, int]]]:
        means = self.means()
        rows = [(key, means[key], int(np.count_nonzero(~np.isnan(column)))) for key, column in self.columns.items()]
        return repr(self), ("metric", "mean", "defined"), rows
