"""Detections: predicted masks with scores, matched to true masks in descending order of score.

The matching is that of COCO [lin2014microsoft], for each image, class and criterion on its own: predictions are
processed in descending order of score (equal scores in input order), at most ``max_detections`` of them; each is
matched to the free true mask of its class with the largest IoU among those the criterion admits (equal IoUs: the last
one of the input), otherwise to a crowd mask, which stays free; the prediction is then neither a hit nor a miss. For a
crowd mask only the spurious elements of the prediction count, not its own missed elements.

A criterion is IoU ≥ threshold, or any rule that decides on a pair alone, such as θ&. All are decided in integers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, Threshold, fraction_in
from segmetry.alignments.candidates import MatchRule, as_rule
from segmetry.alignments.rules.local import LocalRule, iou
from segmetry.alignments.weights import argsort_descending
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Collected, Column
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.pair import SegmentationPair

COCO_THRESHOLDS = ("0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95")
ANY = "all"
"""The class of all segments where they have no classes."""


def detections(
    true: Masks,
    pred: Masks,
    *,
    rule: MatchRule | str | None = None,
    thresholds: Threshold | Sequence[Threshold] | None = None,
    max_detections: int = 100,
) -> dict[str, Column]:
    """Collect the predictions of one image after matching, and the number of true masks of each class.

    ``hit`` and ``dropped`` have one row per prediction and one column per criterion.
    """
    if pred.scores is None:
        raise OptionError("average precision needs a score for every predicted mask; pass scores= to Masks")
    if max_detections < 1:
        raise OptionError(f"max_detections is {max_detections}; expected an integer of at least 1")
    return _match(true, pred, pred.scores, as_criteria(rule, thresholds), max_detections)


@dataclass(frozen=True, eq=False)
class Ranking:
    """The predictions of a data set by class and descending score; equal scores keep the order of images and masks.

    ``tie`` numbers the predictions of one image, class and score. Where an image counts twice, these come one after the
    other, and then again.
    """

    order: NDArray[np.intp]
    item: NDArray[np.intp]
    tie: IntArray
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, collected: Collected, classes: Sequence[Hashable]) -> Ranking:
        """Rank the predictions; those of class ``classes[i]`` are ``starts[i] : starts[i + 1]``."""
        place = {name: at for at, name in enumerate(classes)}
        known = collected.labels.get("class", ())
        code = np.array([place.get(name, len(classes)) for name in known], dtype=np.intp)[collected.columns["class"]]
        item, scores = collected.item_of("class"), collected.columns["score"]
        order = np.lexsort((np.arange(scores.size), -scores, code))
        sorted_columns = code[order], scores[order], item[order]
        new = np.ones(order.size, dtype=bool)
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in sorted_columns])
        starts = np.searchsorted(code[order], np.arange(len(classes) + 1))
        return cls(order, item[order], np.cumsum(new), starts)

    def drawn(self, times: IntArray, at: int) -> NDArray[np.intp]:
        """Return the predictions of one class, each as often as its image counts."""
        part = slice(int(self.starts[at]), int(self.starts[at + 1]))
        count = times[self.item[part]]
        repeated = np.repeat(np.arange(count.size), count)
        copy = np.arange(repeated.size) - np.repeat(np.cumsum(count) - count, count)
        sequence = np.lexsort((copy, self.tie[part][repeated])) if times.size and times.max() > 1 else slice(None)
        return self.order[part][repeated][sequence]


def ranked(collected: Collected) -> tuple[Ranking, IntArray]:
    """Return the ranking of a data set and its true masks (items × classes), computed once for all samples."""
    if "ranking" not in collected.memo:
        names = collected.labels.get("true_class", ())
        by_item = np.zeros((collected.n_items, len(names)), dtype=np.int64)
        np.add.at(
            by_item, (collected.item_of("true_class"), collected.columns["true_class"]), collected.columns["n_true"]
        )
        collected.memo["ranking"] = Ranking.of(collected, names), by_item
    ranking, by_item = collected.memo["ranking"]
    return ranking, by_item


def average_precisions(collected: Collected, recall_points: FloatArray) -> dict[Hashable, FloatArray]:
    """Return the average precision under every criterion, for every class that has true masks."""
    names = collected.labels.get("true_class", ())
    ranking, by_item = ranked(collected)
    by_class: dict[Hashable, FloatArray] = {}
    for at, (name, count) in enumerate(zip(names, (collected.times @ by_item).tolist(), strict=True)):
        if count:
            drawn = ranking.drawn(collected.times, at)
            columns = (collected.columns["hit"][drawn].T, collected.columns["dropped"][drawn].T)
            values = [_interpolated(hit[~dropped], count, recall_points) for hit, dropped in zip(*columns, strict=True)]
            by_class[name] = np.array(values)
    return by_class


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
    return tuple(iou(at_least=fraction_in(least, "thresholds", 0, 1, open_low=True)) for least in listed)


def _match(
    true: Masks, pred: Masks, scores: FloatArray, criteria: tuple[LocalRule, ...], max_detections: int
) -> dict[str, Column]:
    table = count_overlaps(SegmentationPair(true, pred))
    names = table.class_names or (ANY,)
    pred_class, true_class = (side.class_codes for side in (table.pred, table.true))
    crowd = np.zeros(len(table.true), dtype=bool) if table.true.crowd is None else table.true.crowd
    true_place, pred_place = _places(true, table.true.ids), _places(pred, table.pred.ids)
    scores = scores[pred_place]
    order = _by_descending_score(scores, pred_place, pred_class, max_detections)
    hit, dropped = np.zeros((2, order.size, len(criteria)), dtype=bool)
    rows = _Rows.of(table, crowd, true_place, true_class[table.row_true] == pred_class[table.row_pred], criteria)
    for number in range(len(criteria)):
        taken = np.zeros(len(table.true), dtype=bool)
        for place, at_pred in enumerate(order.tolist()):
            partner = rows.partner(number, at_pred, taken)
            if partner is None:
                continue
            dropped[place, number] = crowd[partner]
            hit[place, number] = not crowd[partner]
            taken[partner] = not crowd[partner]
    return {
        "score": scores[order],
        "class": [names[code] for code in pred_class[order].tolist()],
        "hit": hit,
        "dropped": dropped,
        "true_class": list(names),
        "n_true": np.bincount(true_class[~crowd], minlength=len(names)),
    }


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
