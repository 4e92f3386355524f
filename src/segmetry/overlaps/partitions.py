"""What a formula reads of two partitions, of one item or of many: the same names, as numbers or as arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Protocol, TypeVar

from segmetry._base.exact import FloatArray, IndexArray, IntArray

T = TypeVar("T")


class PartitionBlocks(Protocol):
    """The blocks of one side: equal ones are stored once, ``count`` says how many there are."""

    @property
    def size(self) -> IntArray: ...
    @property
    def count(self) -> IntArray: ...
    @property
    def number(self) -> Any: ...
    @property
    def together(self) -> Any: ...


class Partitions(Protocol):
    """Two partitions of one item (:class:`~segmetry.overlaps.contingency.Contingency`), where sums over cells and
    blocks are numbers, or of many (:class:`~segmetry.overlaps.contingency_columns.ContingencyColumns`), where they are
    columns with one number per item. Sums of floats are exactly rounded, so both are the same bits.
    """

    @property
    def true(self) -> Any: ...
    @property
    def pred(self) -> Any: ...
    @property
    def at_true(self) -> IndexArray: ...
    @property
    def at_pred(self) -> IndexArray: ...
    @property
    def shared(self) -> IntArray: ...
    @property
    def count(self) -> IntArray: ...
    @property
    def true_whole(self) -> IntArray: ...
    @property
    def pred_whole(self) -> IntArray: ...
    @property
    def true_size(self) -> IntArray: ...
    @property
    def pred_size(self) -> IntArray: ...
    @property
    def n(self) -> Any: ...
    @property
    def n_cells(self) -> Any: ...
    @property
    def n_of_cells(self) -> IntArray: ...
    @property
    def together(self) -> Any: ...
    @property
    def is_wide(self) -> bool: ...
    @property
    def memo(self) -> dict[Hashable, Any]: ...
    def n_of(self, blocks: Any) -> IntArray: ...
    def sum_of(self, blocks: Any, terms: FloatArray) -> Any: ...
    def sum_of_cells(self, *terms: FloatArray) -> Any: ...
    def sum_of_largest(self, blocks: Any, at: IndexArray) -> Any: ...


def shared_by_metrics(compute: Callable[[Partitions], T]) -> Callable[[Partitions], T]:
    """Make a function of partitions compute its result once, for all metrics that use it.

    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> parts = SimpleNamespace(memo={})
    >>> size = shared_by_metrics(lambda _: np.zeros(3))
    >>> size(parts) is size(parts)
    True
    """

    @wraps(compute)
    def remembered(partitions: Partitions) -> T:
        if compute not in partitions.memo:
            partitions.memo[compute] = compute(partitions)
        result: T = partitions.memo[compute]
        return result

    return remembered
