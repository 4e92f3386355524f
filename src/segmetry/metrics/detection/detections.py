"""Detections: predicted masks with scores, matched to true masks in descending order of score.

The matching is that of COCO [lin2014microsoft], for each image, class and criterion on its own: predictions are
processed in descending order of score (equal scores in input order), at most ``max_detections`` of them; each is
matched to the free true mask of its class with the largest IoU among those the criterion admits (equal IoUs: the last
one of the input), otherwise to a crowd mask, which stays free; the prediction is then neither a hit nor a miss. For a
crowd mask only the spurious elements of the prediction count, not its own missed elements.

A criterion is IoU ≥ threshold, or any rule that decides on a pair alone, such as θ&. All are decided in integers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, Threshold, fraction_in
from segmetry.alignments.candidates import MatchRule, as_rule
from segmetry.alignments.rules.local import ONE, Inequality, LocalRule
from segmetry.alignments.weights import argsort_descending
from segmetry.errors import InputError, OptionError
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.pair import SegmentationPair

COCO_THRESHOLDS = ("0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95")
ANY = "all"
"""The class of all segments where they have no classes."""


@dataclass(frozen=True, eq=False)
class Detections:
    """Predictions of one or several images after matching; ``a + b`` combines images.

    ``hit`` and ``dropped`` have one row per criterion and one column per prediction.
    """

    criteria: tuple[str, ...]
    scores: FloatArray
    classes: tuple[Hashable, ...]
    hit: NDArray[np.bool_]
    dropped: NDArray[np.bool_]
    n_true: Mapping[Hashable, int]

    @classmethod
    def of(
        cls,
        true: Masks,
        pred: Masks,
        *,
        rule: MatchRule | str | None = None,
        thresholds: Threshold | Sequence[Threshold] | None = None,
        max_detections: int = 100,
    ) -> Detections:
        """Match the predictions of one image."""
        if pred.scores is None:
            raise OptionError("average precision needs a score for every predicted mask; pass scores= to Masks")
        if max_detections < 1:
            raise OptionError(f"max_detections is {max_detections}; expected an integer of at least 1")
        return _match(true, pred, pred.scores, as_criteria(rule, thresholds), max_detections)

    def __add__(self, other: Detections) -> Detections:
        return put_together([self, other])

    def average_precisions(self, recall_points: FloatArray) -> dict[Hashable, FloatArray]:
        """Return the average precision under every criterion, for every class that has true masks."""
        code = {name: at for at, name in enumerate(self.n_true)}
        of_class = np.array([code[name] for name in self.classes], dtype=np.intp)
        by_class: dict[Hashable, FloatArray] = {}
        for name in sorted_names({name for name, count in self.n_true.items() if count}):
            mine = np.flatnonzero(of_class == code[name])
            order = mine[np.argsort(-self.scores[mine], kind="stable")]
            by_class[name] = np.array(
                [
                    _interpolated(hit[order][~dropped[order]], self.n_true[name], recall_points)
                    for hit, dropped in zip(self.hit, self.dropped, strict=True)
                ]
            )
        return by_class


def put_together(parts: Iterable[Detections]) -> Detections:
    """Return the detections of several images; equal scores keep the order of the images."""
    listed = list(parts)
    if not listed:
        raise InputError("no images; expected at least one pair of true and predicted masks")
    first = listed[0]
    n_true: dict[Hashable, int] = {}
    for part in listed:
        if part.criteria != first.criteria:
            raise InputError(
                f"detections matched by {', '.join(first.criteria)} and by {', '.join(part.criteria)}; "
                "expected the same criteria"
            )
        for name, count in part.n_true.items():
            n_true[name] = n_true.get(name, 0) + count
    return Detections(
        first.criteria,
        np.concatenate([part.scores for part in listed]),
        tuple(name for part in listed for name in part.classes),
        np.concatenate([part.hit for part in listed], axis=1),
        np.concatenate([part.dropped for part in listed], axis=1),
        n_true,
    )


def as_criteria(
    rule: MatchRule | str | None, thresholds: Threshold | Sequence[Threshold] | None
) -> tuple[LocalRule, ...]:
    """Return the criteria that admit a pair: IoU at least each threshold (COCO's ten by default), or a rule.

    >>> [criterion.name for criterion in as_criteria(None, ["0.5", 0.75])]
    ['iou(at_least=1/2)', 'iou(at_least=3/4)']
    """
    if rule is not None:
        if thresholds is not None:
            raise OptionError("rule and thresholds are both set; expected only one of them")
        chosen = as_rule(rule)
        if not isinstance(chosen, LocalRule):
            raise OptionError(f"rule is {chosen.name}; expected a rule that decides on a pair alone, such as theta_and")
        return (chosen,)
    several = COCO_THRESHOLDS if thresholds is None else thresholds
    listed = [several] if isinstance(several, str) or not isinstance(several, Iterable) else list(several)
    if not listed:
        raise OptionError("thresholds are empty; expected at least one IoU")
    return tuple(map(_iou_at_least, listed))


def _iou_at_least(threshold: Threshold) -> LocalRule:
    least = fraction_in(threshold, "thresholds", 0, 1, open_low=True)
    return LocalRule(f"iou(at_least={least})", ((Inequality.of(ONE - least, least, least, strict=False),),))


def _match(
    true: Masks, pred: Masks, scores: FloatArray, criteria: tuple[LocalRule, ...], max_detections: int
) -> Detections:
    table = count_overlaps(SegmentationPair(true, pred))
    names = table.class_names or (ANY,)
    pred_class, true_class = (side.class_codes for side in (table.pred, table.true))
    crowd = np.zeros(len(table.true), dtype=bool) if table.true.crowd is None else table.true.crowd
    true_place, pred_place = _places(true, table.true.ids), _places(pred, table.pred.ids)
    scores = scores[pred_place]
    order = _by_descending_score(scores, pred_place, pred_class, max_detections)
    hit, dropped = np.zeros((2, len(criteria), order.size), dtype=bool)
    rows = _Rows.of(table, crowd, true_place, true_class[table.row_true] == pred_class[table.row_pred], criteria)
    for number in range(len(criteria)):
        taken = np.zeros(len(table.true), dtype=bool)
        for column, at_pred in enumerate(order.tolist()):
            partner = rows.partner(number, at_pred, taken)
            if partner is None:
                continue
            dropped[number, column] = crowd[partner]
            hit[number, column] = not crowd[partner]
            taken[partner] = not crowd[partner]
    return Detections(
        tuple(criterion.name for criterion in criteria),
        scores[order],
        tuple(names[code] for code in pred_class[order].tolist()),
        hit,
        dropped,
        {name: int(np.count_nonzero((true_class == code) & ~crowd)) for code, name in enumerate(names)},
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The overlapping pairs of one class by prediction: crowds last, by descending IoU, then by descending position."""

    at_true: list[int]
    starts: list[int]
    admitted: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        table: OverlapTable,
        crowd: NDArray[np.bool_],
        place: IntArray,
        same: NDArray[np.bool_],
        criteria: tuple[LocalRule, ...],
    ) -> _Rows:
        kept = np.flatnonzero(same)
        at_true, at_pred, shared = table.row_true[kept], table.row_pred[kept], table.shared[kept]
        missed = np.where(crowd[at_true], 0, table.missed[kept])
        spurious = table.spurious[kept]
        last_first = np.argsort(-place[at_true], kind="stable")
        falling = last_first[argsort_descending(shared[last_first], (shared + missed + spurious)[last_first])]
        order = falling[np.lexsort((crowd[at_true][falling], at_pred[falling]))]
        admitted = np.array([criterion.accepts(shared, missed, spurious)[order] for criterion in criteria])
        starts = np.searchsorted(at_pred[order], np.arange(len(table.pred) + 1))
        return cls(at_true[order].tolist(), starts.tolist(), admitted)

    def partner(self, criterion: int, at_pred: int, taken: NDArray[np.bool_]) -> int | None:
        """Return the first true mask of a prediction that the criterion admits and that is still free."""
        for row in range(self.starts[at_pred], self.starts[at_pred + 1]):
            if self.admitted[criterion, row] and not taken[self.at_true[row]]:
                return self.at_true[row]
        return None


def _places(masks: Masks, ids: NDArray[Any]) -> IntArray:
    """Return the position of each segment of the table among the masks of the input."""
    order = np.argsort(masks.ids, kind="stable")
    return order[np.searchsorted(masks.ids[order], ids)].astype(np.int64)


def _by_descending_score(scores: FloatArray, places: IntArray, classes: IntArray, most: int) -> NDArray[np.intp]:
    """Return the positions of the predictions by descending score, at most ``most`` of each class."""
    order = np.lexsort((places, -scores))
    seen: dict[int, int] = {}
    kept = []
    for at in order.tolist():
        count = seen.get(int(classes[at]), 0)
        if count < most:
            kept.append(at)
        seen[int(classes[at])] = count + 1
    return np.array(kept, dtype=np.intp)


def _interpolated(hit: NDArray[np.bool_], n_true: int, recall_points: FloatArray) -> float:
    """Return the mean over the recall points of the best precision at that recall or beyond, 0 if it is not reached."""
    hits = np.cumsum(hit)
    precision = hits / np.arange(1, hits.size + 1)
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return float(best[np.searchsorted(hits / n_true, recall_points)].mean())
