"""Panoptic quality as a :class:`torchmetrics.Metric`: exact counts, any rule and policy, items that are seen twice
count once.

The state is one integer table: a row per item and pair of (category, instance), with the number of elements they share.
It is counted where the tensors are. Processes exchange the tables, so the result is the same bits for every number of
processes and every split of the data, and an item that a distributed sampler repeats to fill its last batch is
recognised by its id. Needs ``pip install 'segmetry[torch]'``.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection, Hashable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.adapters.category_tables import tables_of_categories
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.policy import Policy, as_policy
from segmetry.alignments.rules.local import LocalRule
from segmetry.errors import ClassesError, DeviceMismatchError, InputError, MissingExtraError, ShapeMismatchError
from segmetry.kernels.category_pairs import CategoryPairs, count_category_pairs
from segmetry.kernels.gpu.device_labels import device_of
from segmetry.kernels.gpu.device_pairs import count_device_categories
from segmetry.metrics.per_class import mean_of_values
from segmetry.run.alignment_columns import columns_of
from segmetry.run.settings import Settings
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.summary import summarise_columns
from segmetry.statistics.summary_tables import Summary

try:
    import torch
    from torchmetrics import Metric
except ImportError as problem:
    raise MissingExtraError("segmetry.adapters.torchmetrics", "torch") from problem

MODIFIED = "pq_dagger"
"""The metric that torchmetrics calls modified panoptic quality."""
COLUMNS = 8
"""Columns of the state: the digest of the item (two integers), which time it was seen, four labels, their elements."""


class PanopticQuality(Metric):  # type: ignore[misc]
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
        groups = {"things": self.things, "stuff": self.stuffs}
        self._settings = Settings.of(
            rule=self.rule, policy=self.policy, metrics=["pq", "sq", "rq", MODIFIED], groups=groups
        )
        self.add_state("rows", default=[], dist_reduce_fx="cat")

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
        digests = [secrets.token_bytes(16) if item_ids is None else _digest(item_ids[at]) for at in range(len(preds))]
        if not (isinstance(self.rule, LocalRule) and self.rule.guarantees_one_to_one):
            self._columns(pairs, [digest.hex() for digest in digests]).total.one_to_one()
        of_item = np.array(
            [(*np.frombuffer(digest, dtype=np.int64).tolist(), secrets.randbits(62)) for digest in digests]
        )
        rows = np.column_stack((of_item[pairs.item], *pairs[1:]))
        self.rows.append(torch.from_numpy(rows).to(self.device))

    def compute(self) -> torch.Tensor:
        """Return PQ (or its modification), with SQ and RQ and per class if asked for, as float64."""
        keys = [MODIFIED if self.modified else "pq", *(["sq", "rq"] if self.return_sq_and_rq else [])]
        columns = self._seen()
        values = [{} if columns is None else self._class_values(columns, key) for key in keys]
        if self.return_per_class:
            table = [[_or_zero(of_class.get(name)) for of_class in values] for name in (*self.things, *self.stuffs)]
            per_class = torch.tensor(table, dtype=torch.float64, device=self.device)
            return per_class if self.return_sq_and_rq else per_class.T
        undefined = None if self.modified else self.policy.undefined
        means = [
            mean_of_values(key, of_class.values(), undefined, "") for key, of_class in zip(keys, values, strict=True)
        ]
        scores = torch.tensor([mean.value for mean in means], dtype=torch.float64, device=self.device)
        return scores if self.return_sq_and_rq else scores[0]

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """Exchange the rows of all processes; one that has seen no item sends none."""
        if isinstance(self.rows, list) and not self.rows:
            self.rows.append(_stacked([]).to(self.device))
        super().sync(*args, **kwargs)

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
        rows = self.rows if isinstance(self.rows, torch.Tensor) else _stacked(self.rows)
        return self._columns(*_each_item_once(np.asarray(rows.cpu()))) if len(rows) else None

    def _class_values(self, columns: ItemColumns, key: str) -> dict[Hashable, float]:
        """Return a metric of every class that occurs, over all items; NaN where it is undefined."""
        if key == MODIFIED:
            totals = {name: columns.class_total(key, name) for name in columns.classes_of(key)}
            return {name: total.score(key, "no segments").value for name, total in totals.items()}
        classes = columns.cells.regrouped(columns.cell_part, len(columns.names))
        occurs = (classes.n_true + classes.n_pred > 0).tolist()
        values = zip(columns.names, classes.values(key, {}), occurs, strict=True)
        return {name: value for name, value, is_there in values if is_there}

    def _columns(self, pairs: CategoryPairs, names: Sequence[str]) -> ItemColumns:
        return columns_of(tables_of_categories(pairs, names, self.things, self.stuffs), self._settings, {})

    def _check_categories(self, pairs: CategoryPairs) -> None:
        """Refuse predicted categories that are neither things nor stuff, unless they are allowed."""
        if self.allow_unknown_preds_category:
            return
        unknown = np.setdiff1d(pairs.pred_category, [*self.things, *self.stuffs])
        if unknown.size:
            raise ClassesError(
                f"preds: category {int(unknown[0])} is neither a thing ({_listed(self.things)}) nor stuff "
                f"({_listed(self.stuffs)}); name it, or pass allow_unknown_preds_category=True"
            )


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


def _each_item_once(rows: NDArray[np.int64]) -> tuple[CategoryPairs, list[str]]:
    """Return the rows of every item and the names of the items, sorted; results of one item must agree."""
    rows = rows[np.lexsort(rows.T[-2::-1])]
    starts = np.flatnonzero(np.r_[True, (rows[1:, :3] != rows[:-1, :3]).any(axis=1)])
    first = rows[starts, :2]
    repeats = np.flatnonzero(np.r_[False, (first[1:] == first[:-1]).all(axis=1)])
    stops = np.append(starts[1:], len(rows))
    for at in repeats.tolist():
        before, again = (rows[starts[k] : stops[k], 3:] for k in (at - 1, at))
        if not np.array_equal(before, again):
            raise InputError(
                f"item {first[at].tobytes().hex()} has two results that differ; expected one result per item "
                "(are the item_ids unique?)"
            )
    is_first = np.ones(starts.size, dtype=bool)
    is_first[repeats] = False
    kept = np.repeat(is_first, stops - starts)
    item = np.repeat(np.cumsum(is_first) - 1, stops - starts)[kept]
    columns = np.ascontiguousarray(rows[kept, 3:].T)
    return CategoryPairs(item, *columns), [digest.tobytes().hex() for digest in first[is_first]]


def _digest(item: Hashable) -> bytes:
    """Return a 128-bit digest of an item id, the same in every process; 1 and "1" are two items."""
    return blake2b(f"{type(item).__name__}:{item}".encode(), digest_size=16).digest()


def _stacked(rows: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat(rows) if rows else torch.zeros((0, COLUMNS), dtype=torch.int64)


def _listed(names: Collection[int]) -> str:
    return ", ".join(map(str, names)) or "none"


def _or_zero(value: float | None) -> float:
    """Return the value of a class as torchmetrics does: 0 where it does not occur or is undefined."""
    return 0.0 if value is None or math.isnan(value) else value
