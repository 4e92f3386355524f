"""Panoptic quality as a :class:`torchmetrics.Metric`: exact counts, any rule and policy, items that are seen twice
count once.

The state is one integer table: a row per pair and per count, marked with the item it belongs to. Processes exchange
the tables, so the result is the same bits for every number of processes and every split of the data, and an item that
a distributed sampler repeats to fill its last batch is recognised by its id. Needs ``pip install 'segmetry[torch]'``.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Hashable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments.align import align
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.policy import Policy, as_policy
from segmetry.alignments.tally import Tally
from segmetry.errors import InputError, MissingExtraError, ShapeMismatchError
from segmetry.metrics.class_quotient import ClassSum
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import class_options, with_means_over_classes
from segmetry.overlaps.overlap import overlap
from segmetry.segmentation.labels import LabelArray
from segmetry.statistics.records import ItemRecord, record_of
from segmetry.statistics.summary import summarise
from segmetry.statistics.summary_tables import Summary

try:
    import torch
    from torchmetrics import Metric
except ImportError as problem:
    raise MissingExtraError("segmetry.adapters.torchmetrics", "torch") from problem

COLUMNS = 8
"""Item (two integers), occurrence, class, kind, and three numbers."""
PAIR, COUNTS, CLASS_TERM, CLASS_DENOMINATOR, WHOLE_COUNTS = range(5)


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
    rows: list[torch.Tensor]

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
        metrics = with_means_over_classes([METRICS["pq"]], groups)
        self._per_class = {
            metric.key: options for metric in metrics if (options := class_options(metric, groups, {})) is not None
        }
        (self._modified_key,) = self._per_class
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
        for at in range(len(preds)):
            record = self._record(np.asarray(preds[at].cpu()), np.asarray(target[at].cpu()))
            number = secrets.token_bytes(16) if item_ids is None else _digest(item_ids[at])
            self.rows.append(torch.from_numpy(self._encoded(record, number)).to(self.device))

    def compute(self) -> torch.Tensor:
        """Return PQ (or its modification), with SQ and RQ and per class if asked for, as float64."""
        summary = self.summary()
        keys = [self._modified_key if self.modified else "pq", *(["sq", "rq"] if self.return_sq_and_rq else [])]
        if self.return_per_class:
            values = [[_class_value(summary, name, key) for key in keys] for name in (*self.things, *self.stuffs)]
            table = torch.tensor(values, dtype=torch.float64, device=self.device)
            return table if self.return_sq_and_rq else table.T
        row = [_pooled(summary, key) for key in keys]
        scores = torch.tensor(row, dtype=torch.float64, device=self.device)
        return scores if self.return_sq_and_rq else scores[0]

    def summary(self) -> Summary | None:
        """Return all scores: mean and pooled, per class, things, stuff, all; None before the first update."""
        rows = self.rows if isinstance(self.rows, torch.Tensor) else _stacked(self.rows)
        if not len(rows):
            return None
        records = [self._decoded(item_rows) for item_rows in _by_item(np.asarray(rows.cpu()))]
        return summarise(records, groups={"things": self.things, "stuff": self.stuffs})

    def _record(self, pred: NDArray[Any], target: NDArray[Any]) -> ItemRecord:
        facts: dict[str, Any] = {"things": self.things, "stuff": self.stuffs}
        strict = "void" if self.allow_unknown_preds_category else "error"
        true = LabelArray.from_categories(target[..., 0], target[..., 1], unknown="void", **facts)
        predicted = LabelArray.from_categories(pred[..., 0], pred[..., 1], unknown=strict, **facts)
        alignment = align(overlap(true, predicted), self.rule, policy=self.policy)
        alignment.tally.one_to_one()
        return record_of("", alignment, per_class=self._per_class)

    def _encoded(self, record: ItemRecord, number: bytes) -> NDArray[np.int64]:
        item = np.frombuffer(number, dtype=np.int64).tolist()
        occurrence = secrets.randbits(62)
        code = {name: at for at, name in enumerate((*self.things, *self.stuffs))}
        rows: list[list[int]] = [[-1, WHOLE_COUNTS, record.whole.n_unmatched_true, record.whole.n_unmatched_pred, 0]]
        for name, tally in record.parts.items():
            at = code[name]  # type: ignore[index]
            rows.append([at, COUNTS, tally.n_unmatched_true, tally.n_unmatched_pred, 0])
            rows += [[at, PAIR, *triple] for triple in _triples(tally)]
        for name, cell in record.class_sums[self._modified_key].items():
            at = code[name]  # type: ignore[index]
            rows.append([at, CLASS_DENOMINATOR, cell.denominator, 0, 0])
            terms = cell.terms[cell.terms != 0].astype(np.float64)
            rows += [[at, CLASS_TERM, bits, 0, 0] for bits in terms.view(np.int64).tolist()]
        return np.array([[*item, occurrence, *row] for row in rows], dtype=np.int64)

    def _decoded(self, rows: NDArray[np.int64]) -> ItemRecord:
        names: tuple[Hashable, ...] = (*self.things, *self.stuffs)
        parts = {names[at]: self._tally(rows[rows[:, 3] == at], COUNTS) for at in _codes(rows, COUNTS)}
        sums = {names[at]: _class_sum(rows[rows[:, 3] == at]) for at in _codes(rows, CLASS_DENOMINATOR)}
        return ItemRecord(
            item=rows[0, :2].tobytes().hex(),
            rule=self.rule.name,
            policy=self.policy.name,
            whole=self._tally(rows, WHOLE_COUNTS),
            by="class",
            parts=parts,
            class_sums={self._modified_key: sums},
        )

    def _tally(self, rows: NDArray[np.int64], kind: int) -> Tally:
        counts, pairs = rows[rows[:, 4] == kind][0], rows[rows[:, 4] == PAIR]
        return Tally(pairs[:, 5], pairs[:, 6], pairs[:, 7], int(counts[5]), int(counts[6]), self.rule)


def _digest(item: Hashable) -> bytes:
    """Return a 128-bit digest of an item id, the same in every process; 1 and "1" are two items."""
    return blake2b(f"{type(item).__name__}:{item}".encode(), digest_size=16).digest()


def _stacked(rows: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat(rows) if rows else torch.zeros((0, COLUMNS), dtype=torch.int64)


def _by_item(rows: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    """Split rows by occurrence of an item; that repeated items agree is checked where records are united."""
    _, at = np.unique(rows[:, :3], axis=0, return_inverse=True)
    order = np.argsort(at.ravel(), kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(at.ravel()[order])) + 1)


def _codes(rows: NDArray[np.int64], kind: int) -> list[int]:
    codes: list[int] = rows[rows[:, 4] == kind, 3].tolist()
    return codes


def _class_sum(rows: NDArray[np.int64]) -> ClassSum:
    """Return the sum of a class; its non-zero terms are stored as the bits of floats."""
    terms = np.ascontiguousarray(rows[rows[:, 4] == CLASS_TERM, 5]).view(np.float64)
    return ClassSum(np.concatenate(([0.0], terms)), int(rows[rows[:, 4] == CLASS_DENOMINATOR][0, 5]))


def _triples(tally: Tally) -> list[list[int]]:
    triples: list[list[int]] = np.stack((tally.shared, tally.missed, tally.spurious), axis=1).tolist()
    return triples


def _pooled(summary: Summary | None, key: str) -> float:
    score = None if summary is None else summary.groups["all"][key].pooled
    return float("nan") if score is None else score.value


def _class_value(summary: Summary | None, name: int, key: str) -> float:
    score = None if summary is None or name not in summary.parts else summary.parts[name][key].pooled
    return score.value if score is not None and score.is_defined else 0.0
