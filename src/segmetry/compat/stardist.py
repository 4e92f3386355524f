"""``stardist.matching``: cells matched by the assignment with the most pairs above a threshold."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.compat.patched import say_once
from segmetry.kernels import count_pairs

LabelImage = NDArray[Any]
_CRITERIA = ("iou", "iot", "iop")
_RATES = ("precision", "recall", "accuracy", "f1")


class _CellOverlaps(NamedTuple):
    """Pairs of cells that share elements, by their numbers, and their scores; the ids of all cells."""

    true: IntArray
    pred: IntArray
    scores: NDArray[np.float32]
    true_ids: IntArray
    pred_ids: IntArray

    @classmethod
    def of(cls, y_true: LabelImage, y_pred: LabelImage, criterion: str) -> _CellOverlaps:
        rows = count_pairs(y_true, y_pred)
        ids, sizes, places = [], [], []
        for labels in (rows.true_labels, rows.pred_labels):
            known, at = np.unique(labels, return_inverse=True)
            ids.append(known[known > 0])
            sizes.append(np.bincount(at, rows.counts)[at])
            places.append(at - int(known[0] == 0))
        whole = {"iou": sizes[0] + sizes[1] - rows.counts, "iot": sizes[0], "iop": sizes[1]}[criterion]
        both = (places[0] >= 0) & (places[1] >= 0)
        scores = (rows.counts[both] / whole[both]).astype(np.float32)
        return cls(places[0][both], places[1][both], scores, *ids)

    def assigned(self, threshold: float) -> tuple[IntArray, IntArray, NDArray[np.float32]]:
        """Return the pairs of the assignment with the most pairs that reach the threshold, then the largest sum."""
        from scipy.optimize import linear_sum_assignment
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n_true, n_pred = self.true_ids.size, self.pred_ids.size
        links = coo_array((np.ones(self.true.size), (self.true, self.pred + n_true)), shape=(n_true + n_pred,) * 2)
        _, group = connected_components(links, directed=False)
        order = np.argsort(group[self.true], kind="stable")
        edges = np.flatnonzero(np.diff(group[self.true][order], prepend=-1, append=-1))
        chosen = []
        for rows in map(order.__getitem__, map(slice, edges[:-1], edges[1:])):
            if rows.size == 1:  # most cells meet one other cell
                chosen.append(rows)
                continue
            true, at_true = np.unique(self.true[rows], return_inverse=True)
            pred, at_pred = np.unique(self.pred[rows], return_inverse=True)
            scores = np.zeros((true.size, pred.size), np.float32)
            scores[at_true, at_pred] = self.scores[rows]
            gain = (scores >= threshold).astype(float) + scores / (2 * min(n_true, n_pred))
            number = np.full(scores.shape, -1)
            number[at_true, at_pred] = rows
            found = number[linear_sum_assignment(gain, maximize=True)]
            chosen.append(found[found >= 0])
        pairs = np.concatenate(chosen) if chosen else np.zeros(0, np.intp)
        pairs = pairs[np.argsort(self.true[pairs])]
        return self.true[pairs], self.pred[pairs], self.scores[pairs]


@cache
def _record(name: str, fields: tuple[str, ...]) -> Any:
    return namedtuple(name, fields)  # noqa: PYI024 - theirs, without types


def _quotient(part: Any, whole: Any) -> Any:
    return part / whole if abs(whole) > 1e-10 else 0.0


def _rates(tp: int, fp: int, fn: int) -> dict[str, float]:
    wholes = (tp + fp, tp + fn, tp + fp + fn, tp + (fp + fn) / 2)
    return {name: tp / whole if tp else 0 for name, whole in zip(_RATES, wholes, strict=True)}


def _means(total: Any, tp: int, fp: int, fn: int) -> dict[str, Any]:
    wholes = {"mean_true_score": tp + fn, "mean_matched_score": tp, "panoptic_quality": tp + fp / 2 + fn / 2}
    return {name: _quotient(total, whole) for name, whole in wholes.items()}


def _checked(labels: Any, name: str) -> LabelImage:
    if not (isinstance(labels, np.ndarray) and np.issubdtype(labels.dtype, np.integer)) or labels.min(initial=0) < 0:
        raise ValueError(f"{name} is {type(labels).__name__}; expected an array of non-negative integers")
    return labels


def matching(
    y_true: LabelImage,
    y_pred: LabelImage,
    thresh: Any = 0.5,
    criterion: str = "iou",
    report_matches: bool = False,  # noqa: FBT001, FBT002 - theirs
) -> Any:
    """Return counts and scores of the cells of two label images, for one threshold or a tuple for several.

    >>> labels = np.array([[1, 1, 2, 2]])
    >>> matching(labels, np.array([[1, 1, 0, 2]]), thresh=0.5).mean_matched_score
    np.float32(0.75)
    """
    true, pred = _checked(y_true, "y_true"), _checked(y_pred, "y_pred")
    if true.shape != pred.shape:
        raise ValueError(f"y_true ({true.shape}) and y_pred ({pred.shape}) have different shapes")
    if criterion not in _CRITERIA:
        raise ValueError(f"criterion is {criterion!r}; expected one of {', '.join(_CRITERIA)}")
    overlaps = _CellOverlaps.of(true, pred, criterion)
    one = thresh is None or np.isscalar(thresh)
    found = tuple(
        _single(overlaps, float(threshold), criterion, report_matches=report_matches)
        for threshold in ([thresh or 0] if one else thresh)
    )
    return found[0] if one else found


def _single(overlaps: _CellOverlaps, threshold: float, criterion: str, *, report_matches: bool) -> Any:
    n_true, n_pred = overlaps.true_ids.size, overlaps.pred_ids.size
    pairs = overlaps.assigned(threshold)
    if threshold <= 0 or report_matches:
        pairs = _with_the_rest(pairs, n_true, n_pred)
        if threshold <= 0 and (pairs[2] == 0).any():
            say_once(
                "stardist.threshold",
                lambda: (
                    "stardist.matching counts cells without a common pixel as matched for thresh=0; "
                    f"{int((pairs[2] > 0).sum())} pairs share one"
                ),
            )
    true, pred, scores = pairs
    hits = np.flatnonzero(scores >= threshold)
    tp = len(hits)
    fp, fn = n_pred - tp, n_true - tp
    total = np.sum(scores[hits]) if min(n_true, n_pred) else 0.0
    facts = {"criterion": criterion, "thresh": threshold, "fp": fp, "tp": tp, "fn": fn, **_rates(tp, fp, fn)}
    facts |= {"n_true": n_true, "n_pred": n_pred, **_means(total, tp, fp, fn)}
    if report_matches:
        ids = zip(overlaps.true_ids[true].tolist(), overlaps.pred_ids[pred].tolist(), strict=True)
        facts |= {"matched_pairs": tuple(ids), "matched_scores": tuple(scores), "matched_tps": tuple(hits.tolist())}
    return _record("Matching", tuple(facts))(*facts.values())


def _with_the_rest(pairs: Any, n_true: int, n_pred: int) -> Any:
    """Add pairs of cells that have no partner, in order, until one side has none left."""
    rest = [np.setdiff1d(np.arange(n), used) for n, used in zip((n_true, n_pred), pairs[:2], strict=True)]
    n = min(map(len, rest))
    true = np.concatenate((pairs[0], rest[0][:n]))
    order = np.argsort(true)
    pred, scores = np.concatenate((pairs[1], rest[1][:n])), np.concatenate((pairs[2], np.zeros(n, np.float32)))
    return true[order], pred[order], scores[order]


def matching_dataset(
    y_true: Sequence[LabelImage],
    y_pred: Sequence[LabelImage],
    thresh: Any = 0.5,
    criterion: str = "iou",
    by_image: bool = False,  # noqa: FBT001, FBT002
    show_progress: Any = True,  # noqa: FBT002
    parallel: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Return the counts of all images and their scores: of the sums, or the mean over images."""
    if len(y_true) != len(y_pred):
        raise ValueError(f"y_true has {len(y_true)} images and y_pred {len(y_pred)}; expected as many")
    pairs = tuple(zip(y_true, y_pred, strict=True))
    return matching_dataset_lazy(pairs, thresh, criterion, by_image, show_progress, parallel)


def matching_dataset_lazy(
    y_gen: Iterable[tuple[LabelImage, LabelImage]],
    thresh: Any = 0.5,
    criterion: str = "iou",
    by_image: bool = False,  # noqa: FBT001, FBT002
    show_progress: Any = True,  # noqa: FBT002
    parallel: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Return the same of pairs that are made one after the other."""
    thresholds = (thresh,) if np.isscalar(thresh) else tuple(thresh)

    def of_pair(pair: tuple[LabelImage, LabelImage]) -> Any:
        return matching(*pair, thresh=thresholds, criterion=criterion)

    pairs = _with_progress(y_gen, show_progress)
    if parallel:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor() as pool:
            images = list(pool.map(of_pair, pairs))
    else:
        images = list(map(of_pair, pairs))
    found = []
    for threshold, rows in zip(thresholds, zip(*images, strict=True), strict=True):
        counts = {name: sum(getattr(row, name) for row in rows) for name in ("fp", "tp", "fn", "n_true", "n_pred")}
        if by_image:
            names = (*_RATES, "mean_true_score", "mean_matched_score", "panoptic_quality")
            values = {name: sum(getattr(row, name) for row in rows) / len(rows) for name in names}
        else:
            three = [counts[name] for name in ("tp", "fp", "fn")]
            values = _rates(*three) | _means(sum(row.mean_true_score * row.n_true for row in rows), *three)
        facts = {"criterion": criterion, "thresh": threshold, **counts, **values, "by_image": bool(by_image)}
        fields = tuple(name for name in (*_FIELDS, "by_image") if name in facts)
        found.append(_record("DatasetMatching", fields)(*(facts[name] for name in fields)))
    return found[0] if np.isscalar(thresh) else tuple(found)


_FIELDS = (
    "criterion", "thresh", "fp", "tp", "fn", *_RATES, "n_true", "n_pred", "mean_true_score", "mean_matched_score",
    "panoptic_quality",
)  # fmt: skip


def _with_progress(pairs: Iterable[Any], show_progress: Any) -> Iterable[Any]:
    """Show the progress of tqdm, where it is asked for and installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return pairs
    total = int(show_progress) if int(show_progress) > 1 else None
    shown: Iterable[Any] = tqdm(pairs, disable=not show_progress, total=total)
    return shown
