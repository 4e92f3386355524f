"""Metrics of overlaps as a :class:`torchmetrics.Metric`: exact counts, duplicate items are counted once.

The state is a list of integers: how often each pair of labels occurs in each item. It is counted where the tensors are.
Processes exchange these rows, so the result is bit-identical for every number of processes and every split of the
data, and an item that a distributed sampler repeats to fill its last batch is recognised by its id. Needs
``pip install 'segmetry[torch]'``.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, FloatArray, IndexArray, IntArray, is_new, range_positions, sum_by
from segmetry.adapters.epoch import (
    COLUMNS,
    EPOCH_OPTIONS,
    CountedItems,
    EpochSettings,
    check_batch,
    check_item_ids,
    count_categories,
    digest_of,
)
from segmetry.alignments import Policy, as_policy, as_rule
from segmetry.errors import ClassesError, InputError, MissingExtraError
from segmetry.kernels import CategoryPairs, rounded_sum
from segmetry.metrics import METRICS, filled, tally_of
from segmetry.run import Run, Settings, collected_sources, data_set_of, segments_of
from segmetry.runfile import FactColumns, RunSideColumns, RunTables
from segmetry.segmentation import LabelArray
from segmetry.statistics import DataSet, Summary, summarise

try:
    import torch
    from torchmetrics import Metric
except ImportError as problem:
    raise MissingExtraError("segmetry.adapters.torchmetrics", "torch") from problem

__all__ = ["PanopticQuality", "Segmetry"]
MODIFIED = "pq_dagger"
"""The metric that torchmetrics calls modified panoptic quality."""
ITEM_COLUMNS = 4
"""Columns of an item: its digest (two integers), which time it was seen, the number of its rows."""
ROW_COLUMNS = 5
"""Columns of a row: category and instance of the true and the predicted segment, the elements they share."""


class ExchangedRows(Metric):  # type: ignore[misc]
    """A metric whose states are lists of int64 arrays.

    They are in the memory of the host, where they are needed in the end; they are put on the device of the metric only
    when processes exchange them. A process that has seen no item sends none.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._shapes: dict[str, tuple[int, ...]] = {}

    def add_rows(self, name: str, *columns: int) -> None:
        """Add a state of rows with so many columns, of single integers without a number."""
        self._shapes[name] = (0, *columns)
        self.add_state(name, default=[], dist_reduce_fx="cat")

    def append(self, name: str, rows: NDArray[np.int64]) -> None:
        """Add rows to a state."""
        getattr(self, name).append(torch.from_numpy(rows))

    def joined(self, name: str) -> NDArray[np.int64]:
        """Return all rows of a state, those of all processes while they are synchronised."""
        state = getattr(self, name)
        parts = [state] if isinstance(state, torch.Tensor) else state
        if not parts:
            return np.zeros(self._shapes[name], dtype=np.int64)
        rows: NDArray[np.int64] = torch.cat([part.cpu() for part in parts]).numpy()
        return rows

    def sync(
        self,
        dist_sync_fn: Callable[..., Any] | None = None,
        process_group: Any | None = None,
        should_sync: bool = True,  # noqa: FBT001, FBT002
        distributed_available: Callable[[], bool] | None = None,
    ) -> None:
        """Exchange the rows of all processes; see :meth:`torchmetrics.Metric.sync`."""
        is_distributed = distributed_available or self.distributed_available_fn
        # torchmetrics does not gather an empty list, and the other processes would wait for it: send rows of length 0.
        if should_sync and not self._is_synced and callable(is_distributed) and is_distributed():
            for name, shape in self._shapes.items():
                parts = getattr(self, name) or [torch.zeros(shape, dtype=torch.int64)]
                setattr(self, name, [part.to(self.device) for part in parts])
        super().sync(dist_sync_fn, process_group, should_sync, distributed_available)


class Segmetry(ExchangedRows):
    """All metrics of overlaps over batches of label maps, as :func:`segmetry.evaluate` computes them.

    Parameters
    ----------
    metrics : iterable of str or function, or str, optional
        Keys, aliases, functions or families of metrics that follow from overlap tables.
    **options
        Those of :class:`~segmetry.adapters.epoch.EpochSettings`: ``protocol``, ``read``, ``category_maps``, ``stuff``,
        ``per_class``, ``class_names`` and how is scored, such as ``rule`` or ``policy``; all others are those of
        :class:`torchmetrics.Metric`, such as ``dist_sync_on_step``.
    """

    is_differentiable = False
    higher_is_better = None
    full_state_update = False
    rows: Any
    names: Any

    def __init__(self, metrics: Iterable[Any] | str | None = None, **options: Any) -> None:
        own = {name: options.pop(name) for name in [*options] if name in EPOCH_OPTIONS}
        super().__init__(**options)
        self.settings = EpochSettings(metrics, **own)
        self.add_rows("rows", COLUMNS)
        self.add_rows("names")

    def update(self, preds: Any, target: Any, item_ids: Sequence[Hashable] | None = None) -> None:
        """Count a batch of label maps (B, …); duplicate items are counted once."""
        counted = self.settings.count(target, preds, item_ids)
        if not len(counted.rows):
            return
        self.append("rows", counted.rows)
        self.append("names", counted.names)

    def compute(self) -> dict[str, torch.Tensor]:
        """Return every value of the summary under a flat name, as float64; NaN where it is undefined.

        Names are those of :meth:`segmetry.Run.scalars`: ``pq/by_item``, ``mean_iou/by_class``, ``group/things/pq/…``.
        """
        values = self.settings.values(self._counted_items())
        return {name: torch.tensor(value, dtype=torch.float64, device=self.device) for name, value in values.items()}

    def run(self, **options: Any) -> Run:
        """Return the run of all items so far, to be compared, gated, summarised or saved.

        ``options`` are further options of :func:`segmetry.evaluate`, such as ``out="epoch.segm"``. Between
        :meth:`sync` and :meth:`unsync` (``with metric.sync_context():``) it has the items of all processes.
        """
        return self.settings.run(self._counted_items(), **options)

    def _counted_items(self) -> CountedItems:
        return CountedItems(self.joined("rows"), self.joined("names"))


class PanopticQuality(ExchangedRows):
    """PQ over batches of (category, instance) maps, averaged over the classes that occur.

    Parameters
    ----------
    things, stuffs
        Categories of things (one segment per instance) and of stuff (one segment per category).
    policy, rule
        What void does and which segments belong together; as torchmetrics does it by default.
    modified
        The variant of PQ in which stuff classes are scored by their IoU without a threshold.
    allow_unknown_preds_category
        Predicted categories that are neither things nor stuff are void; otherwise they are an error. In the target
        they are void.
    return_sq_and_rq, return_per_class
        As in torchmetrics: more columns, and one row per class (sorted things, then sorted stuff; 0 for a class that
        does not occur).
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    items: Any
    rows: Any

    def __init__(
        self,
        things: Collection[int],
        stuffs: Collection[int] = (),
        *,
        policy: Policy | str = "torchmetrics",
        rule: str | None = None,
        modified: bool = False,
        allow_unknown_preds_category: bool = False,
        return_sq_and_rq: bool = False,
        return_per_class: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.things, self.stuffs = sorted(set(things)), sorted(set(stuffs))
        self.policy = as_policy(policy)
        self.rule = as_rule(self.policy.rule if rule is None else rule)
        self.modified = modified
        self.allow_unknown_preds_category = allow_unknown_preds_category
        self.return_sq_and_rq = return_sq_and_rq
        self.return_per_class = return_per_class
        self._settings = Settings.of(
            rule=self.rule,
            policy=self.policy,
            metrics=["pq", "sq", "rq", *([MODIFIED] if modified else [])],
            groups={"things": self.things, "stuff": self.stuffs},
        )
        self._categories = np.array(sorted({*self.things, *self.stuffs}), dtype=np.int64)
        self.add_rows("items", ITEM_COLUMNS)
        self.add_rows("rows", ROW_COLUMNS)

    def update(self, preds: Any, target: Any, item_ids: Sequence[Hashable] | None = None) -> None:
        """Count a batch of maps of shape (B, …, 2); duplicate items are counted once."""
        check_batch(target, preds, categories=True)
        check_item_ids(item_ids, len(preds))
        if not len(preds):
            return
        pairs = count_categories(target, preds)
        self._check_categories(pairs)
        items = _items_seen(pairs, len(preds), item_ids)
        # Checked for each batch, so that the error comes with the batch that shows it and not at the end of an epoch.
        if not self.rule.guarantees_one_to_one:
            tally_of(self._data_of_pairs(pairs, _item_names(items)).segments).one_to_one()
        self.append("items", items)
        self.append("rows", np.stack(pairs[1:], axis=1))

    def compute(self) -> torch.Tensor:
        """Return PQ (or its modification), with SQ and RQ and per class if requested, as float64."""
        keys = [MODIFIED if self.modified else "pq", *(["sq", "rq"] if self.return_sq_and_rq else [])]
        values, occurs = self._class_values(keys)
        if self.return_per_class:
            # As torchmetrics has it: 0 where a class does not occur or its value is undefined.
            order = np.searchsorted(self._categories, [*self.things, *self.stuffs])
            table = np.where(np.isnan(values), 0.0, values)[:, order]
            per_class = torch.from_numpy(np.ascontiguousarray(table)).to(self.device)
            return per_class.T if self.return_sq_and_rq else per_class
        undefined = None if self.modified else self.policy.undefined
        means = [
            _mean_of_classes(of_key[of_key_occurs], undefined)
            for of_key, of_key_occurs in zip(values, occurs, strict=True)
        ]
        scores = torch.tensor(means, dtype=torch.float64, device=self.device)
        return scores if self.return_sq_and_rq else scores[0]

    def summary(self) -> Summary | None:
        """Return all scores: in every average; things and stuff; None before the first update."""
        data = self._seen_data()
        if data is None:
            return None
        groups = {"things": frozenset(self.things), "stuff": frozenset(self.stuffs)}
        return summarise(replace(data.with_keys(("pq", "sq", "rq")), groups=groups))

    def _seen_data(self) -> DataSet | None:
        if not len(self.items):
            return None
        items, rows = _distinct_items(self.joined("items"), self.joined("rows"))
        return self._data_of_pairs(*_by_name(items, rows)) if len(items) else None

    def _class_values(self, keys: Sequence[str]) -> tuple[FloatArray, BoolArray]:
        """Return metrics of every class over all items, NaN where undefined, and which classes occur."""
        data = self._seen_data()
        values = np.full((len(keys), self._categories.size), np.nan)
        occurs = np.zeros(values.shape, dtype=bool)
        if data is None:
            return values, occurs
        for at, key in enumerate(keys):
            scores = data.class_scores(key)
            places = np.searchsorted(self._categories, np.array(list(scores), dtype=np.int64))
            values[at, places] = [score.value for score in scores.values()]
            occurs[at, places] = True
        return values, occurs

    def _data_of_pairs(self, pairs: CategoryPairs, names: Sequence[str]) -> DataSet:
        tables = tables_of_categories(pairs, names, self.things, self.stuffs)
        metrics = [METRICS[key] for key in self._settings.metrics or ()]
        others = [metric for metric in metrics if metric.needs != "tally"]
        sources = collected_sources({}, others, self._settings, tables)
        return data_set_of(names, segments_of(tables, self._settings), self._settings, sources, metrics, None)

    def _check_categories(self, pairs: CategoryPairs) -> None:
        """Raise if a predicted category is neither thing nor stuff, unless that is allowed."""
        if self.allow_unknown_preds_category:
            return
        unknown = np.setdiff1d(pairs.pred_category, self._categories)
        if unknown.size:
            things, stuffs = (", ".join(map(str, names)) or "none" for names in (self.things, self.stuffs))
            raise ClassesError(
                f"preds: category {int(unknown[0])} is neither a thing ({things}) nor stuff "
                f"({stuffs}); name it, or pass allow_unknown_preds_category=True"
            )


def _mean_of_classes(values: FloatArray, undefined: float | None) -> float:
    """Return the mean of the values that are defined; ``undefined`` replaces the others, if it is a number."""
    total, count = filled(values, undefined)
    return rounded_sum(total) / int(count.sum()) if count.any() else math.nan


def _items_seen(pairs: CategoryPairs, n_items: int, item_ids: Sequence[Hashable] | None) -> NDArray[np.int64]:
    """Return a row per item of a batch; an item without an id counts again whenever it occurs."""
    items = np.empty((n_items, ITEM_COLUMNS), dtype=np.int64)
    # One call of the system's generator for a batch; an id replaces the first two integers of its item.
    items[:, :3] = np.frombuffer(secrets.token_bytes(24 * n_items), dtype=np.int64).reshape(n_items, 3)
    if item_ids is not None:
        items[:, :2] = [np.frombuffer(digest_of(item), dtype=np.int64) for item in item_ids]
    items[:, 3] = np.bincount(pairs.item, minlength=n_items)
    return items


def _distinct_items(items: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return items and rows, every item once; results of one item must agree."""
    # By digest, then by sighting: equal items become neighbours, and only neighbours are compared.
    order = np.lexsort(items.T[2::-1])
    ordered = items[order]
    is_first = np.ones(len(items), dtype=bool)
    is_first[1:] = (ordered[1:, :2] != ordered[:-1, :2]).any(axis=1)
    if is_first.all():
        return items, rows
    stops = np.cumsum(items[:, 3])[order]
    starts = stops - ordered[:, 3]
    for at in np.flatnonzero(~is_first).tolist():
        before, again = (rows[starts[k] : stops[k]] for k in (at - 1, at))
        if not np.array_equal(before, again):
            raise InputError(
                f"item {ordered[at, :2].tobytes().hex()} has two results that differ; expected one result per item "
                "(are the item_ids unique?)"
            )
    kept = ordered[is_first]
    return kept, rows[range_positions(starts[is_first], kept[:, 3])]


def _by_name(items: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[CategoryPairs, list[str]]:
    """Return the rows of every item and the names of the items, sorted by name."""
    order = np.lexsort(items.T[1::-1])
    starts = (np.cumsum(items[:, 3]) - items[:, 3])[order]
    items = items[order]
    columns = np.ascontiguousarray(rows[range_positions(starts, items[:, 3])].T)
    return CategoryPairs(np.repeat(np.arange(len(items)), items[:, 3]), *columns), _item_names(items)


def _item_names(items: NDArray[np.int64]) -> list[str]:
    digests = np.ascontiguousarray(items[:, :2]).tobytes().hex()
    return [digests[at : at + 32] for at in range(0, len(digests), 32)]


VOID = -1


class _Segments(NamedTuple):
    """The segments of one side, by item, category and instance; ``of_row`` is VOID for elements that do not count."""

    item: IntArray
    category: IntArray
    of_row: IndexArray


def tables_of_categories(
    rows: CategoryPairs, names: Sequence[str], things: Sequence[int], stuff: Sequence[int]
) -> RunTables:
    """Return the tables of all items: a segment per instance of a thing, one per stuff; other categories are void."""
    n_items, classes = len(names), tuple(sorted({*things, *stuff}))
    true = _segments_of_side(rows.item, rows.true_category, rows.true_instance, classes, things)
    pred = _segments_of_side(rows.item, rows.pred_category, rows.pred_instance, classes, things)
    true_void, pred_void = true.of_row == VOID, pred.of_row == VOID
    both = ~true_void & ~pred_void
    # Segments are numbered by item first, so a pair of numbers as one integer keeps the order of items.
    pairs, at = _number_values(true.of_row[both] * max(pred.item.size, 1) + pred.of_row[both])
    row_true, row_pred = np.divmod(pairs, max(pred.item.size, 1))
    true_columns = _side_columns(true, rows.counts, pred_void, classes, n_items)
    pred_columns = _side_columns(pred, rows.counts, true_void, classes, n_items)
    row_item = true.item[row_true]
    void = true_void & pred_void
    counts = np.zeros((n_items, 5), dtype=np.int64)
    counts[:, 0] = sum_by(rows.item, rows.counts, n_items)
    counts[:, 4] = sum_by(rows.item[void], rows.counts[void], n_items)
    flags = np.tile([True, True, True, False, False], (n_items, 1))  # disjoint on both sides, with classes, no crowds
    return RunTables(
        items=FactColumns(tuple(names), [LabelArray.kind] * n_items, [None] * n_items, counts, flags),
        class_names=classes,
        true=true_columns,
        pred=pred_columns,
        row_starts=np.searchsorted(row_item, np.arange(n_items + 1)),
        row_item=row_item,
        row_true=row_true - true_columns.starts[row_item],
        row_pred=row_pred - pred_columns.starts[row_item],
        shared=sum_by(at, rows.counts[both], pairs.size),
    )


def _segments_of_side(
    item: IntArray, category: IntArray, instance: IntArray, classes: tuple[int, ...], things: Sequence[int]
) -> _Segments:
    counts = np.isin(category, classes)
    kept = item[counts], category[counts], np.where(np.isin(category, things), instance, 0)[counts]
    # Counted pairs are sorted, so the true side nearly always is: a check is cheaper than sorting three columns.
    codes = _row_codes(kept)
    if codes is None:
        order = np.lexsort(kept[::-1])
    elif (codes[1:] >= codes[:-1]).all():
        order = np.arange(codes.size)
    else:
        order = np.argsort(codes)
    ordered = [column[order] for column in kept]
    begins = is_new(*ordered)
    number = np.empty(order.size, dtype=np.intp)
    number[order] = np.cumsum(begins) - 1
    of_row = np.full(item.size, VOID, dtype=np.intp)
    of_row[counts] = number
    return _Segments(ordered[0][begins], ordered[1][begins], of_row)


def _row_codes(columns: Sequence[IntArray]) -> IntArray | None:
    """Return integers in the order of rows of columns; None where they would not fit into 62 bits."""
    codes, bits = np.zeros(columns[0].size, dtype=np.int64), 0
    for column in columns:
        if not column.size:
            break
        least = int(column.min())
        width = (int(column.max()) - least).bit_length()
        bits += width
        if bits > 62:
            return None
        codes = (codes << width) | (column - least)
    return codes


def _number_values(values: IntArray) -> tuple[IntArray, IndexArray]:
    """Return the different values in order, and the number of each; most often they are in order."""
    if (values[1:] > values[:-1]).all():
        return values, np.arange(values.size)
    found, number = np.unique(values, return_inverse=True)
    return found, number


def _side_columns(
    segments: _Segments, counts: IntArray, opposite_void: BoolArray, classes: tuple[int, ...], n_items: int
) -> RunSideColumns:
    n = segments.item.size
    known = segments.of_row != VOID
    void = known & opposite_void
    starts = np.searchsorted(segments.item, np.arange(n_items + 1))
    return RunSideColumns(
        starts=starts,
        item=segments.item.astype(np.intp),
        ids=np.arange(n, dtype=np.int64) - starts[segments.item] + 1,
        large_ids={},
        classes=np.searchsorted(np.array(classes), segments.category).astype(np.int64),
        sizes=sum_by(segments.of_row[known], counts[known], n),
        outside=np.zeros(n, dtype=np.int64),
        void=sum_by(segments.of_row[void], counts[void], n),
        crowd=np.zeros(n, dtype=bool),
        superseded=np.zeros(n, dtype=bool),
    )
