"""Curves of detections, their errors by kind and how much AP gains if each is fixed [bolya2020tide], the worst of them.

A prediction that is not a hit at IoU ≥ t (0.5) is, in this order,

- *localisation*: of the class of a true mask that it overlaps by at least b (0.1), but not by t;
- *classification*: on a true mask of another class, by at least t;
- *duplicate*: on a true mask of its class that a prediction of higher score has taken;
- *background*: on no true mask by at least b;
- *both*: otherwise, on a true mask of another class by at least b, but not by t.

A true mask without a hit is *missed* unless an error of the first two kinds explains it. Fixing an error of the first
two kinds makes the prediction of the highest score on a true mask without a hit a hit (of the class of the mask), and
removes the others; fixing the other kinds removes the prediction, or the missed mask.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, FloatArray, IntArray
from segmetry.errors import OptionError
from segmetry.kernels import HIT, IGNORED, MISS, precision_at_recalls
from segmetry.metrics import (
    LEAST_CONFUSED,
    DetectionSet,
    Evaluation,
    PrecisionRecall,
    Statistics,
    considered,
    counted_truths,
    detection_partners,
    outcomes,
    precision_recall,
)
from segmetry.results import Table, Tabular, number
from segmetry.run import Run

if TYPE_CHECKING:
    from segmetry.diagnosis.run_errors import RunError

KEY = "average_precision"


def has_detections(run: Run) -> bool:
    """Return whether a run has the columns of average precision."""
    return KEY in run.data.sources


def has_detections_only(run: Run) -> bool:
    """Return whether a run has average precision and no metric of an alignment."""
    return any(metric.key == KEY for metric in run.metrics) and not any(
        metric.depends_on_rule for metric in run.metrics
    )


def recall_curves(run: Run, **options: Any) -> PrecisionRecall:
    """Return the precision at 101 recalls for every class that has true masks, and every threshold.

    Parameters
    ----------
    run : Run
        A run that has ``average_precision``, such as one by the protocol ``coco-instances``.
    **options
        Those of ``average_precision`` that need no masks: ``thresholds``, ``size``, ``max_detections``, …

    Returns
    -------
    PrecisionRecall
        ``names`` of the classes, ``precision`` (classes × thresholds × recalls) and the largest ``recall``.

    Examples
    --------
    >>> import numpy as np, segmetry as sm
    >>> stack = np.zeros((2, 1, 9), dtype=bool); stack[0, 0, :4] = stack[1, 0, 5:] = True
    >>> true, pred = sm.Masks.from_dense(stack), sm.Masks.from_dense(stack[:1], scores=[0.5])
    >>> run = sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision")
    >>> curves = recall_curves(run, thresholds="0.5")
    >>> curves.names, curves.recall.tolist(), curves.precision[0, 0, [0, 50, 51]].tolist()
    (('all',), [[0.5]], [1.0, 1.0, 0.0])
    """
    if not has_detections(run):
        raise OptionError(f"the run has no {KEY}; evaluate with metrics={KEY!r} (--metrics {KEY})")
    return precision_recall(run.data.source(KEY).statistics, _evaluation_of(run, **options))


def _evaluation_of(run: Run, **options: Any) -> Evaluation:
    """Return the evaluation of a run with other options; how overlaps are counted does not matter any more."""
    counted = ("iou_type", "crowd_overlap")
    known = {name: value for name, value in run.data.source(KEY).options.items() if name not in counted}
    return Evaluation.of(**{**known, **options})


PREDICTED_KINDS = ("classification", "localisation", "both", "duplicate", "background")
KINDS = (*PREDICTED_KINDS, "missed")


@dataclass(frozen=True)
class DetectionErrors(Tabular):
    """AP at one threshold, how many errors there are of each kind, and AP if all of a kind are fixed."""

    threshold: float
    average_precision: float
    counts: Mapping[str, int]
    fixed: Mapping[str, float]

    @property
    def gains(self) -> dict[str, float]:
        """How much AP rises if all errors of a kind are fixed."""
        return {kind: value - self.average_precision for kind, value in self.fixed.items()}

    def rows(self) -> Table:
        """Return one plain row per kind of error."""
        kinds = [{"kind": kind, "count": self.counts[kind], "gain": gain} for kind, gain in self.gains.items()]
        return Table("errors", kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "threshold": self.threshold,
            "average_precision": self.average_precision,
            "errors": {kind: {"count": self.counts[kind], "gain": gain} for kind, gain in self.gains.items()},
        }


@dataclass(frozen=True, eq=False)
class _State:
    """The class and outcome of every prediction, and the number of true masks of every class."""

    classes: IntArray
    outcomes: NDArray[np.uint8]
    n_true: IntArray
    score: FloatArray

    def average_precision(self) -> float:
        """Return the mean over classes of AP at one threshold; NaN without true masks."""
        present = np.flatnonzero(self.n_true > 0)
        if not present.size:
            return float("nan")
        order = np.lexsort((-self.score, self.classes))
        order = order[np.isin(self.classes[order], present)]
        starts = np.searchsorted(np.searchsorted(present, self.classes[order]), np.arange(present.size + 1))
        recalls = Evaluation.of().recalls
        precision, _ = precision_at_recalls(self.outcomes[order][:, None], starts, self.n_true[present], recalls)
        return float(precision.mean())


def detection_errors(run: Run, *, threshold: float = 0.5) -> DetectionErrors:
    """Divide the errors of detections by kind, and say how much AP gains if each kind is fixed.

    Parameters
    ----------
    run : Run
        A run that has ``average_precision``, such as one by the protocol ``coco-instances``.
    threshold : float, default 0.5
        The least IoU of a hit, above 0.1.

    Returns
    -------
    DetectionErrors
        AP at that threshold, the number of errors of each kind, and AP if all of a kind are fixed.

    Examples
    --------
    >>> import numpy as np, segmetry as sm
    >>> stack = np.zeros((2, 1, 9), dtype=bool); stack[0, 0, :4] = stack[1, 0, 5:] = True
    >>> true = sm.Masks.from_dense(stack, classes=["cat", "dog"])
    >>> pred = sm.Masks.from_dense(stack, classes=["cat", "cat"], scores=[0.5, 0.9])
    >>> errors = detection_errors(sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision"))
    >>> errors.average_precision, errors.counts["classification"], errors.gains["classification"]
    (0.25, 1, 0.75)
    """
    if not has_detections(run):
        raise OptionError(
            f"the run has no {KEY}, whose columns the errors of detections need; evaluate with metrics={KEY!r} "
            f"(--metrics {KEY})"
        )
    if not LEAST_CONFUSED < threshold <= 1:
        raise OptionError(f"threshold is {threshold}; expected an IoU above {LEAST_CONFUSED} and at most 1")
    columns = run.data.source(KEY)
    if "other_overlap" not in columns.statistics.columns:
        raise OptionError(
            f"the run was made by a segmetry that kept no overlaps of masks of different classes for {KEY}; evaluate "
            "again to divide its errors"
        )
    return errors_of(columns.statistics, Evaluation.of(thresholds=threshold, **_stated(columns.options)))


def errors_of(statistics: Statistics, evaluation: Evaluation) -> DetectionErrors:
    """Return the errors of a data set at the only threshold of an evaluation."""
    found = _found(statistics, evaluation)
    base, data, kinds = found.base, found.data, found.kinds
    states = {
        kind: _fixed_matches(base, data, kinds == at, found.target, found.is_hit, moves=at < 2)
        for at, kind in enumerate(PREDICTED_KINDS)
    }
    n_true = base.n_true
    fewer = n_true - np.bincount(data.true_class[found.missed], minlength=n_true.size)
    states["missed"] = replace(base, n_true=fewer)
    return DetectionErrors(
        threshold=evaluation.thresholds[0],
        average_precision=base.average_precision(),
        counts={
            **{kind: int(np.count_nonzero(kinds == at)) for at, kind in enumerate(PREDICTED_KINDS)},
            "missed": int(np.count_nonzero(found.missed)),
        },
        fixed={kind: state.average_precision() for kind, state in states.items()},
    )


class _Found(NamedTuple):
    """The errors of detections: the kind of every prediction (-1 for none) and its true mask, and the missed masks."""

    data: DetectionSet
    base: _State
    kinds: IntArray
    target: IntArray
    is_hit: BoolArray
    missed: BoolArray


def _found(statistics: Statistics, evaluation: Evaluation) -> _Found:
    data = DetectionSet.of(statistics)
    kept = considered(data, evaluation)
    outcome = np.where(kept, outcomes(statistics, evaluation)[:, 0], IGNORED).astype(np.uint8)
    partner = detection_partners(statistics, evaluation)[:, 0]
    counted = counted_truths(data, evaluation.size)
    n_true = np.bincount(data.true_class[counted], minlength=len(data.names)).astype(np.int64)
    base = _State(data.pred_class, outcome, n_true, data.score)
    is_hit = np.zeros(data.true_area.size, dtype=bool)
    is_hit[partner[outcome == HIT]] = True
    kinds, target = wrong_kinds(statistics, data, outcome == MISS, counted, evaluation.thresholds[0])
    explained = np.zeros(data.true_area.size, dtype=bool)
    at_mask = np.isin(kinds, [PREDICTED_KINDS.index(kind) for kind in ("classification", "localisation")])
    explained[target[at_mask]] = True
    return _Found(data, base, kinds, target, is_hit, counted & ~is_hit & ~explained)


class ConfidenceCurve(TypedDict):
    """Hits and false alarms of the detections of a score or more, for falling scores, of so many true masks."""

    scores: Sequence[float]
    hits: Sequence[int]
    false: Sequence[int]
    n_true: int
    best: int
    """the place of the score with the highest F1, the lowest such score"""


def confidence_curve(run: Run, most: int = 400) -> ConfidenceCurve | None:
    """Return what is found and wrong at IoU 0.5 for at most so many least scores; None without detections."""
    columns = run.data.source(KEY)
    base = _found(columns.statistics, Evaluation.of(thresholds=0.5, **_stated(columns.options))).base
    counted = np.flatnonzero((base.outcomes == HIT) | (base.outcomes == MISS))
    if not counted.size:
        return None
    order = counted[np.argsort(-base.score[counted], kind="stable")]
    score, hits = base.score[order], np.cumsum(base.outcomes[order] == HIT)
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    f1 = 2 * hits[last] / (last + 1 + base.n_true.sum())
    best = int(f1.size - 1 - np.argmax(f1[::-1]))
    shown = np.unique(np.append(np.linspace(0, last.size - 1, min(most, last.size)).astype(int), best))
    at = last[shown]
    return {
        "scores": score[at].tolist(),
        "hits": hits[at].tolist(),
        "false": (at + 1 - hits[at]).tolist(),
        "n_true": int(base.n_true.sum()),
        "best": int(np.searchsorted(shown, best)),
    }


def _stated(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("max_detections", "limit", "federated") if name in options}


class _Change(NamedTuple):
    """A prediction that leaves a class, one that becomes a hit of it, and how many of its true masks leave."""

    gone: int | None = None
    hit: int | None = None
    fewer: int = 0


def _changed_precision(base: _State, own: IntArray, n_true: int, changes: Sequence[_Change]) -> FloatArray:
    """Return AP of a class after each change, from its predictions by score; NaN where no true mask is left."""
    place = dict(zip(own.tolist(), range(own.size), strict=True))
    every = np.tile(np.append(base.outcomes[own], IGNORED).astype(np.uint8), (len(changes), 1))
    for row, change in zip(every, changes, strict=True):
        if change.gone is not None:
            row[place[change.gone]] = IGNORED
        if change.hit is not None and change.hit in place:
            row[place[change.hit]] = HIT
        elif change.hit is not None:  # from another class
            at = int(np.searchsorted(-base.score[own], -base.score[change.hit], side="right"))
            row[at + 1 :] = row[at:-1].copy()
            row[at] = HIT
    left = n_true - np.array([change.fewer for change in changes])
    values = np.full(len(changes), np.nan)
    if some := np.flatnonzero(left).tolist():
        starts = np.arange(len(some) + 1) * every.shape[1]
        recalls = Evaluation.of().recalls
        precision, _ = precision_at_recalls(every[some].reshape(-1, 1), starts, left[some], recalls)
        values[some] = precision.mean(axis=(1, 2))
    return values


def single_gains(found: _Found) -> tuple[FloatArray, FloatArray]:
    """Return how much AP gains if each wrong prediction alone, and each missed mask alone, is fixed."""
    base, data = found.base, found.data
    changes: dict[int, list[tuple[int, _Change]]] = {}
    wrong, lost = np.flatnonzero(found.kinds >= 0), np.flatnonzero(found.missed)
    for place, at in enumerate(wrong.tolist()):
        target, own = int(found.target[at]), int(base.classes[at])
        moves = found.kinds[at] < 2 and not found.is_hit[target]
        goal = int(data.true_class[target]) if moves else None
        changes.setdefault(own, []).append((place, _Change(hit=at) if goal == own else _Change(gone=at)))
        if goal is not None and goal != own:
            changes.setdefault(goal, []).append((place, _Change(hit=at)))
    for place, at in enumerate(lost.tolist(), wrong.size):
        changes.setdefault(int(data.true_class[at]), []).append((place, _Change(fewer=1)))
    order = np.lexsort((-base.score, base.classes))
    starts = np.searchsorted(base.classes[order], np.arange(len(data.names) + 1))
    gains, n_classes, whole = np.zeros(wrong.size + lost.size), int((base.n_true > 0).sum()), base.average_precision()
    for code, listed in changes.items():
        n_true, ranked = int(base.n_true[code]), order[starts[code] : starts[code + 1]]
        step = max(1, _MOST_AT_ONCE // (ranked.size + 1))
        for first in range(0, len(listed) if n_true else 0, step):
            part = listed[first : first + step]
            before, *after = _changed_precision(base, ranked, n_true, [_Change(), *(one for _, one in part)]).tolist()
            # A class without true masks leaves the mean.
            alone = (whole * n_classes - before) / (n_classes - 1) - whole if n_classes > 1 else math.nan
            for (place, _), value in zip(part, after, strict=True):
                gains[place] += alone if math.isnan(value) else (value - before) / n_classes
    return gains[: wrong.size], gains[wrong.size :]


_MOST_AT_ONCE = 2**24


def detections_listed(run: Run) -> tuple[tuple[str, ...], list[RunError], str]:
    """Return every wrong prediction and missed mask at IoU 0.5, with what AP50 gains if it alone is fixed."""
    from segmetry.diagnosis.run_errors import RunError

    columns = run.data.source(KEY)
    found = _found(columns.statistics, Evaluation.of(thresholds=0.5, **_stated(columns.options)))
    data, items = found.data, run.data.items
    of_wrong, of_missed = single_gains(found)
    places = np.arange(data.true_item.size) - columns.statistics.starts["true_area"][data.true_item]
    names = [str(run.class_names.get(name, name)) for name in data.names]
    listed = []
    for at, gain in zip(np.flatnonzero(found.kinds >= 0).tolist(), of_wrong.tolist(), strict=True):
        kind, target = PREDICTED_KINDS[int(found.kinds[at])], int(found.target[at])
        own, rank = names[int(data.pred_class[at])], int(data.rank_in_image[at])
        score = number(float(data.score[at]), 2)
        near = target if target >= 0 and kind != "background" else None
        other = None if near is None else names[int(data.true_class[near])]
        what = f"{other} as {own}" if kind == "classification" else f"{own}, {kind}"
        listed.append(
            RunError(
                items[int(data.item[at])], f"p{rank}", kind, f"{what}, score {score}", other, own,
                int(data.area[at]), 100 * gain, () if near is None else (int(places[near]),), (rank,),
            )
        )  # fmt: skip
    for at, gain in zip(np.flatnonzero(found.missed).tolist(), of_missed.tolist(), strict=True):
        own, place = names[int(data.true_class[at])], int(places[at])
        listed.append(
            RunError(
                items[int(data.true_item[at])], f"t{place}", "missed", f"{own} missed", own, None,
                int(data.true_area[at]), 100 * gain, (place,), (),
            )
        )  # fmt: skip
    note = "costs are points of AP50; masks are numbered as in their item, predicted ones by descending score"
    return (*PREDICTED_KINDS, "missed"), [error for error in listed if error.cost == error.cost], note


def wrong_kinds(
    statistics: Statistics, data: DetectionSet, wrong: BoolArray, counted: BoolArray, threshold: float
) -> tuple[IntArray, IntArray]:
    """Return the kind of every wrong prediction (-1 for the others), and the true mask it is on."""
    own_pred = np.repeat(np.arange(data.item.size), np.diff(data.starts))
    own = counted[data.truths]
    own_best, own_at = _best_overlaps(own_pred[own], data.truths[own], data.overlaps[own], data.item.size)
    pair_item = statistics.item_of("other_overlap")
    other_pred = statistics.columns["other_pred"] + statistics.starts["score"][pair_item]
    other_true = statistics.columns["other_true"] + statistics.starts["true_area"][pair_item]
    use = counted[other_true]
    other_best, other_at = _best_overlaps(
        other_pred[use], other_true[use], statistics.columns["other_overlap"][use], data.item.size
    )
    # Later lines override earlier ones: the reverse of the order in which the kinds are defined.
    kinds = np.full(data.item.size, PREDICTED_KINDS.index("both"))
    kinds[np.maximum(own_best, other_best) < LEAST_CONFUSED] = PREDICTED_KINDS.index("background")
    kinds[own_best >= threshold] = PREDICTED_KINDS.index("duplicate")
    kinds[other_best >= threshold] = PREDICTED_KINDS.index("classification")
    kinds[(own_best >= LEAST_CONFUSED) & (own_best < threshold)] = PREDICTED_KINDS.index("localisation")
    kinds[~wrong] = -1
    target = np.where(kinds == PREDICTED_KINDS.index("classification"), other_at, own_at)
    return kinds, target


def _best_overlaps(preds: IntArray, truths: IntArray, overlaps: FloatArray, n: int) -> tuple[FloatArray, IntArray]:
    """Return for each prediction its largest overlap, and with which true mask (-1 and 0.0 for none)."""
    best, at = np.zeros(n), np.full(n, -1)
    order = np.lexsort((overlaps, preds))
    best[preds[order]], at[preds[order]] = overlaps[order], truths[order]  # the last of each, the largest, stays
    return best, at


def _fixed_matches(
    base: _State, data: DetectionSet, chosen: BoolArray, target: IntArray, is_hit: BoolArray, *, moves: bool
) -> _State:
    """Return the state in which the chosen predictions are removed, or the best on each free true mask is a hit."""
    outcome, classes = base.outcomes.copy(), base.classes.copy()
    outcome[chosen] = IGNORED
    if moves:
        places = np.flatnonzero(chosen)
        places = places[~is_hit[target[places]]]
        places = places[np.argsort(-data.score[places], kind="stable")]
        _, first = np.unique(target[places], return_index=True)
        winners = places[first]
        outcome[winners], classes[winners] = HIT, data.true_class[target[winners]]
    return replace(base, outcomes=outcome, classes=classes)
