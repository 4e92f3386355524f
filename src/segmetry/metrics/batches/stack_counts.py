"""The segment counts of every item of a stack of label arrays, from one count and one alignment of all of them.

Labels of different items become different labels, so one overlap table has the segments of all items; a local rule
decides on each pair alone, so that its alignment contains that of every item.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments import MatchRule, Policy, align
from segmetry.kernels import Special, count_pairs, table_columns
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segment_statistics
from segmetry.overlaps import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import LabelArray

AT_ONCE = 2**20
"""Elements that are counted together: their labels are copied, and should stay in the cache."""
_LARGEST = 2**62


def stack_segments(true: LabelArray, pred: LabelArray, rule: MatchRule, policy: Policy) -> Statistics | None:
    """Return the matched, missed and spurious segments of every item; None where they must be counted one by one.

    That is so for labels that are not in memory or have classes or crowds, rules that are not local, labels too far
    apart, and segments with several partners.
    """
    local = getattr(rule, "select_rows", None) is not None
    plain = all(
        side.classes is None and not side.crowd and side.stored is None and side.on_device is None
        for side in (true, pred)
    )
    if not (local and plain):
        return None
    parts = []
    for first, second in _parts(true, pred):
        part = _count(first, second, rule, policy)
        if part is None:
            return None
        parts.append(part)
    return parts[0] if len(parts) == 1 else Statistics.concatenate(parts)


class _ItemsApart(NamedTuple):
    """Some items of one side whose labels differ from item to item: item · width + label - low."""

    labels: NDArray[np.int64]
    special: Special
    width: int

    @classmethod
    def of(cls, side: LabelArray, labels: NDArray[Any], name: str) -> _ItemsApart | None:
        low, high = int(labels.min()), int(labels.max())
        width, n = high - low + 1, len(labels)
        if n * width >= _LARGEST or high >= _LARGEST or low <= -_LARGEST:
            return None
        if low < 0:
            side.check_labels(labels, name)
        first = np.arange(n, dtype=np.int64) * width - low
        flat = labels.reshape(n, -1).astype(np.int64)
        flat += first[:, None]

        def placed(ids: Sequence[int]) -> list[int]:
            return [at for label in ids if low <= label <= high for at in (first + label).tolist()]

        return cls(flat, Special(placed(side.outside), placed(side.void)), width)


def _parts(true: LabelArray, pred: LabelArray) -> Iterator[tuple[_ItemsApart | None, _ItemsApart | None]]:
    n_items, each = true.domain[0], math.prod(true.domain[1:])
    step = max(1, AT_ONCE // each)
    for start in range(0, n_items, step):
        items = slice(start, min(start + step, n_items))
        yield _ItemsApart.of(true, true.labels[items], "true"), _ItemsApart.of(pred, pred.labels[items], "pred")


def _count(true: _ItemsApart | None, pred: _ItemsApart | None, rule: MatchRule, policy: Policy) -> Statistics | None:
    if true is None or pred is None:
        return None
    columns = table_columns(count_pairs(true.labels, pred.labels), true.special, pred.special)
    table = OverlapTable(
        true=Side(*columns.true),
        pred=Side(*columns.pred),
        row_true=columns.row_true,
        row_pred=columns.row_pred,
        shared=columns.shared,
        background=BackgroundCounts(*columns.background),
        n_elements=true.labels.size,
    )
    alignment = align(table, rule, policy=policy, resolve="keep")
    if not alignment.is_one_to_one:
        return None
    items = (table.true.ids // true.width).astype(np.intp), (table.pred.ids // pred.width).astype(np.intp)
    return segment_statistics(alignment, items, len(true.labels))
