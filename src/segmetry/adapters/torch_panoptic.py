"""Panoptic quality as a :class:`torchmetrics.Metric`: exact counts, any rule and policy, items that are seen twice
count once.

The state is two integer tables: a row per item, and a row per pair of (category, instance) of an item with the number
of elements they share. It is counted where the tensors are. Processes exchange the tables, so the result is the same
bits for every number of processes and every split of the data, and an item that a distributed sampler repeats to fill
its last batch is recognised by its id. Needs ``pip install 'segmetry[torch]'``.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Hashable, Sequence
from hashlib import blake2b
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import BoolArray, FloatArray, IntArray
from segmetry.adapters.category_tables import tables_of_categories
from segmetry.adapters.exchanged_rows import ExchangedRows
from segmetry.alignments.candidates import MatchRule, as_rule
from segmetry.alignments.policy import Policy, as_policy
from segmetry.alignments.rules.local import LocalRule
from segmetry.errors import ClassesError, DeviceMismatchError, InputError, MissingExtraError, ShapeMismatchError
from segmetry.kernels.category_pairs import CategoryPairs, count_category_pairs
from segmetry.kernels.gpu.device_labels import device_of
from segmetry.kernels.gpu.device_pairs import count_device_categories
from segmetry.kernels.tables.class_totals import CategoryRows, ClassKinds, ClassTotals, VoidUse, class_totals
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import mean_of_values
from segmetry.run.alignment_columns import columns_of
from segmetry.run.settings import Settings
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.summary import summarise_columns
from segmetry.statistics.summary_tables import Summary
from segmetry.statistics.tally_columns import ratio_or_nan

try:
    import torch
except ImportError as problem:
    raise MissingExtraError("segmetry.adapters.torchmetrics", "torch") from problem

MODIFIED = "pq_dagger"
"""The metric that torchmetrics calls modified panoptic quality."""
ITEM_COLUMNS = 4
"""Columns of an item: its digest (two integers), which time it was seen, the number of its rows."""
ROW_COLUMNS = 5
"""Columns of a row: category and instance of the true and the predicted segment, the elements they share."""


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
        categories = sorted({*self.things, *self.stuffs})
        self._kinds = ClassKinds(
            np.array(categories, dtype=np.int64), np.array([name in self.things for name in categories], dtype=bool)
        )
        self._order_of_classes = np.searchsorted(self._kinds.categories, [*self.things, *self.stuffs])
        self._void = VoidUse._make(getattr(self.policy, name) for name in VoidUse._fields)
        self.add_rows("items", ITEM_COLUMNS)
        self.add_rows("rows", ROW_COLUMNS)

    def update(self, preds: Any, target: Any, item_ids: Sequence[Hashable] | None = None) -> None:
        """Count a batch of maps of shape (B, …, 2); an item whose id was seen before does not count again."""
        if preds.shape != target.shape or preds.ndim < 3 or preds.shape[-1] != 2:
            raise ShapeMismatchError(
                f"preds have shape {tuple(preds.shape)} and target {tuple(target.shape)}; "
                "expected the same shape (B, …, 2), with (category, instance) last"
            )
        if item_ids is not None and len(item_ids) != len(preds):
            raise InputError(f"{len(item_ids)} item_ids for a batch of {len(preds)}; expected one for each")
        if not len(preds):
            return
        pairs = _count(target, preds)
        self._check_categories(pairs)
        items = _items_seen(pairs, len(preds), item_ids)
        if not _decides_on_pairs(self.rule):
            self._columns(pairs, _names(items)).total.one_to_one()
        self.append("items", items)
        self.append("rows", np.stack(pairs[1:], axis=1))

    def compute(self) -> torch.Tensor:
        """Return PQ (or its modification), with SQ and RQ and per class if asked for, as float64."""
        keys = [MODIFIED if self.modified else "pq", *(["sq", "rq"] if self.return_sq_and_rq else [])]
        values, occurs = self._class_values(keys)
        if self.return_per_class:
            # As torchmetrics has it: 0 where a class does not occur or its value is undefined.
            table = np.where(np.isnan(values), 0.0, values)[:, self._order_of_classes]
            per_class = torch.from_numpy(np.ascontiguousarray(table)).to(self.device)
            return per_class.T if self.return_sq_and_rq else per_class
        undefined = None if self.modified else self.policy.undefined
        means = [
            mean_of_values(key, of_key[of_key_occurs].tolist(), undefined, "").value
            for key, of_key, of_key_occurs in zip(keys, values, np.broadcast_to(occurs, values.shape), strict=True)
        ]
        scores = torch.tensor(means, dtype=torch.float64, device=self.device)
        return scores if self.return_sq_and_rq else scores[0]

    def summary(self) -> Summary | None:
        """Return all scores: by item, by class, all segments; things and stuff; None before the first update."""
        columns = self._seen()
        if columns is None:
            return None
        return summarise_columns(
            columns, metrics=["pq", "sq", "rq"], groups={"things": self.things, "stuff": self.stuffs}
        )

    def _seen(self) -> ItemColumns | None:
        """Return the columns of all items so far."""
        if not len(self.items):
            return None
        items, rows = _distinct_items(self.joined("items"), self.joined("rows"))
        return self._columns(*_by_name(items, rows)) if len(items) else None

    def _class_values(self, keys: Sequence[str]) -> tuple[FloatArray, BoolArray]:
        """Return metrics of every class over all items, NaN where undefined, and which classes occur."""
        formulas = [METRICS[key].quotient for key in keys]
        if not len(self.items) or not _decides_on_pairs(self.rule) or None in formulas:
            return self._class_values_of_columns(keys)
        totals = self._totals(self.rule)
        quotients = [counted.formula(totals) for counted in formulas if counted is not None]
        values = np.stack([ratio_or_nan(quotient.numerator, quotient.denominator) for quotient in quotients])
        return values, (totals.n_true + totals.n_pred > 0)[None]

    def _totals(self, rule: LocalRule) -> ClassTotals:
        """Return the segments of every class over all items."""
        items, rows = _distinct_items(self.joined("items"), self.joined("rows"))
        return class_totals(CategoryRows(rows, items[:, 3]), self._kinds, self._void, rule.inequalities, rule.factors)

    def _class_values_of_columns(self, keys: Sequence[str]) -> tuple[FloatArray, BoolArray]:
        """The same from the columns of all items: any metric and rule."""
        columns = self._seen()
        values = np.full((len(keys), self._kinds.categories.size), np.nan)
        occurs = np.zeros(values.shape, dtype=bool)
        if columns is None:
            return values, occurs
        classes = columns.cells.regrouped(columns.cell_part, len(columns.names))
        for at, key in enumerate(keys):
            if key == MODIFIED:
                totals = {name: columns.class_total(key, name) for name in columns.classes_of(key)}
                places = np.searchsorted(self._kinds.categories, np.array(list(totals), dtype=np.int64))
                values[at, places] = [total.score(key, "no segments").value for total in totals.values()]
            else:
                places = np.searchsorted(self._kinds.categories, np.array(columns.names, dtype=np.int64))
                values[at, places] = classes.values(key, {})
                places = places[classes.n_true + classes.n_pred > 0]
            occurs[at, places] = True
        return values, occurs

    def _columns(self, pairs: CategoryPairs, names: Sequence[str]) -> ItemColumns:
        return columns_of(tables_of_categories(pairs, names, self.things, self.stuffs), self._settings, {})

    def _check_categories(self, pairs: CategoryPairs) -> None:
        """Refuse predicted categories that are neither things nor stuff, unless they are allowed."""
        if self.allow_unknown_preds_category:
            return
        unknown = pairs.pred_category[self._kinds.numbers(pairs.pred_category) < 0]
        if unknown.size:
            raise ClassesError(
                f"preds: category {int(unknown.min())} is neither a thing ({_listed(self.things)}) nor stuff "
                f"({_listed(self.stuffs)}); name it, or pass allow_unknown_preds_category=True"
            )


def _decides_on_pairs(rule: MatchRule) -> TypeGuard[LocalRule]:
    """Return whether a rule decides on each pair alone and gives no segment two partners."""
    return isinstance(rule, LocalRule) and rule.guarantees_one_to_one


def _count(target: torch.Tensor, preds: torch.Tensor) -> CategoryPairs:
    """Count where the tensors are."""
    places = [device_of(side) or "this machine" for side in (preds, target)]
    if places[0] != places[1]:
        raise DeviceMismatchError(
            f"preds are on {places[0]} and target on {places[1]}; expected both on one device: "
            "target.to(preds.device) moves the target"
        )
    true, pred = target.detach().long(), preds.detach().long()
    if device_of(true) is None:
        return count_category_pairs(true.numpy(), pred.numpy())
    return count_device_categories(true, pred)


def _items_seen(pairs: CategoryPairs, n_items: int, item_ids: Sequence[Hashable] | None) -> NDArray[np.int64]:
    """Return a row per item of a batch; an item without an id is another one whenever it is seen."""
    items = np.empty((n_items, ITEM_COLUMNS), dtype=np.int64)
    items[:, :3] = np.frombuffer(secrets.token_bytes(24 * n_items), dtype=np.int64).reshape(n_items, 3)
    if item_ids is not None:
        items[:, :2] = [np.frombuffer(_digest(item), dtype=np.int64) for item in item_ids]
    items[:, 3] = np.bincount(pairs.item, minlength=n_items)
    return items


def _distinct_items(items: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return items and rows, every item once; results of one item must agree."""
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
    return kept, rows[_listed_parts(starts[is_first], kept[:, 3])]


def _by_name(items: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[CategoryPairs, list[str]]:
    """Return the rows of every item and the names of the items, sorted by name."""
    order = np.lexsort(items.T[1::-1])
    starts = (np.cumsum(items[:, 3]) - items[:, 3])[order]
    items = items[order]
    columns = np.ascontiguousarray(rows[_listed_parts(starts, items[:, 3])].T)
    return CategoryPairs(np.repeat(np.arange(len(items)), items[:, 3]), *columns), _names(items)


def _listed_parts(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the positions of some stretches, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def _names(items: NDArray[np.int64]) -> list[str]:
    digests = np.ascontiguousarray(items[:, :2]).tobytes().hex()
    return [digests[at : at + 32] for at in range(0, len(digests), 32)]


def _digest(item: Hashable) -> bytes:
    """Return a 128-bit digest of an item id, the same in every process; 1 and "1" are two items."""
    return blake2b(f"{type(item).__name__}:{item}".encode(), digest_size=16).digest()


def _listed(names: Collection[int]) -> str:
    return ", ".join(map(str, names)) or "none"
