"""The scores of one item with classes: the mean over its classes, or of all its segments."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.breakdown import break_down, class_tallies
from segmetry.errors import ClassesError, KindError, OptionError
from segmetry.metrics.declare import METRICS
from tests.statistics.test_summary import Item, items

OPTIONS: dict[str, dict[str, Any]] = {
    "precision_at": {"t": 0.6},
    "recall_at": {"t": 0.6},
    "f1_at": {"t": 0.6},
    "sq_weighted": {"weight": "dice"},
    "pq_weighted": {"weight": "dice"},
}
QUOTIENTS = [key for key, metric in METRICS.items() if metric.needs == "tally" and not metric.is_count]
COUNTS = [key for key, metric in METRICS.items() if metric.needs == "tally" and metric.is_count]
LABELS = np.array([[1, 1, 2, 3, 4, 4]])
CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}
TRUE = sm.LabelArray(LABELS, classes=CLASSES)
PRED = sm.LabelArray(np.array([[1, 1, 0, 3, 3, 3]]), classes=CLASSES)


@given(items(), st.sampled_from(["none", "coco"]), st.sampled_from(["theta_plus", "theta_and", "greedy"]))
def test_quotients_are_means_over_classes_and_counts_are_sums(found: list[Item], policy: str, rule: str) -> None:
    for pair in found:
        alignment = sm.align(sm.overlap(*pair), rule, policy=policy)
        parts = {name: part.tally for name, part in break_down(alignment, "class").items()}
        occurring = {name: tally for name, tally in parts.items() if tally.occurs}
        assert {name: repr(tally) for name, tally in class_tallies(alignment).items()} == {
            name: repr(tally) for name, tally in occurring.items()
        }
        for key in QUOTIENTS:
            own = OPTIONS.get(key, {})
            values = [METRICS[key](tally, **own).value for tally in occurring.values()]
            used = [0.0 if math.isnan(value) else value for value in values] if policy == "coco" else values
            defined = [value for value in used if not math.isnan(value)]
            expected = math.fsum(defined) / len(defined) if defined else math.nan
            score = METRICS[key](*pair, rule=rule, policy=policy, **own)
            assert score.value == pytest.approx(expected, nan_ok=True, abs=1e-15), key
            assert score.is_defined == bool(defined) and (not defined or score.denominator == len(defined))
            micro = METRICS[key](*pair, rule=rule, policy=policy, average="segments", **own)
            assert micro.to_dict() == METRICS[key](alignment.tally, **own).to_dict()
        for key in COUNTS:
            assert METRICS[key](*pair, rule=rule, policy=policy).to_dict() == METRICS[key](alignment.tally).to_dict()


@given(
    items(),
    st.sampled_from([None, "segments"]),
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["theta_plus", "greedy"]),
)
def test_a_run_has_the_scores_of_its_items(
    found: list[Item], average: str | None, undefined: float | None, rule: str
) -> None:
    """θ⁺ is applied to all items at once, greedy to each by itself."""
    true, pred = ({str(at): pair[side] for at, pair in enumerate(found)} for side in (0, 1))
    keys = ["pq", "sq", "precision", "recall_at", "n_matched"]
    same: dict[str, Any] = {"rule": rule, "average": average, "undefined": undefined}
    run = sm.evaluate(true, pred, metrics=keys, options={"recall_at": {"t": 0.6}}, engine="serial", **same)
    for (_, scores), pair in zip(run.item_scores(), found, strict=True):
        expected = sm.score(*pair, keys, options={"recall_at": {"t": 0.6}}, **same)
        assert scores.to_dict()["scores"] == expected.to_dict()["scores"]


def test_the_average_follows_classes_and_can_be_chosen() -> None:
    assert sm.pq(TRUE, PRED) == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert sm.pq(TRUE, PRED, average="segments") == pytest.approx(2 / 6)
    assert sm.pq(TRUE, PRED, classes="ignore") == sm.pq(LABELS, PRED.labels)
    assert sm.pq(TRUE, PRED, classes="ignore", average="class").denominator == 3
    assert sm.align(sm.overlap(TRUE, PRED)).pq == sm.pq(TRUE, PRED)
    assert sm.score(TRUE, PRED, ["pq"], average="segments")["pq"] == sm.pq(TRUE, PRED, average="segments")


def test_undefined_classes_are_left_out_or_replaced() -> None:
    assert sm.sq(TRUE, PRED).denominator == 1 and sm.sq(TRUE, PRED) == 1
    assert sm.sq(TRUE, PRED, policy="coco") == pytest.approx(1 / 3)
    assert sm.score(TRUE, PRED, ["sq"], undefined=0)["sq"] == pytest.approx(1 / 3)
    assert sm.score(TRUE, PRED, ["sq"], undefined=1)["sq"] == 1
    nothing = sm.LabelArray(np.zeros((1, 6), dtype=int), classes=CLASSES)
    assert sm.sq(TRUE, nothing).reason == "no matched pair" and sm.pq(TRUE, nothing) == 0
    assert sm.pq(nothing, nothing).reason == "no true and no pred segments"


def test_what_makes_no_sense_is_rejected() -> None:
    with pytest.raises(ClassesError, match="average='class' is a mean over classes, but the segments carry none"):
        sm.pq(LABELS, LABELS, average="class")
    with pytest.raises(ClassesError, match="item a: average='class'"):
        sm.evaluate({"a": LABELS}, {"a": LABELS}, average="class", metrics="pq").summary()
    with pytest.raises(OptionError, match="average is 'micro'; expected 'class' or 'segments'"):
        sm.pq(TRUE, PRED, average="micro")
    with pytest.raises(OptionError, match="average is 'micro'; expected 'class' or 'segments'"):
        sm.evaluate({"a": TRUE}, {"a": PRED}, average="micro")
    with pytest.raises(KindError, match="pq: a tally has no classes to average over; pass the alignment or the table"):
        sm.pq(sm.align(sm.overlap(TRUE, PRED)).tally, average="class")
    with pytest.raises(OptionError, match="n_matched has no option 'average'"):
        sm.n_matched(TRUE, PRED, average="class")


def test_boundary_pq_goes_by_class(coco_panoptic: Path, tmp_path: Path) -> None:
    """.0906 by class is the value of the reference; all segments together give .1072."""
    folder, path = coco_panoptic, tmp_path / "run.segm"
    sm.evaluate(folder / "truth.json", folder / "pred.json", metrics="boundary_pq", out=path).close()
    with sm.Run.open(path) as run:
        summary, interval = run.summary(), run.intervals(resamples=100)["boundary_pq"]
        values = {row["class"]: row["boundary_pq"] for row in run.classes()}
    score = summary["boundary_pq"]
    assert [round(float(value), 4) for value in (score["by_class"], score["pooled"])] == [0.0906, 0.1072]
    assert score["by_class"] == pytest.approx(np.mean(list(values.values())))
    assert "by_class" in summary.groups["things"]["boundary_pq"]
    assert interval["by_class"].best is not None and "pooled" in interval


def test_a_mean_over_one_class_keeps_its_integers() -> None:
    sides = [sm.LabelArray(labels, classes={1: "cell"}) for labels in ([1, 1, 1, 0], [1, 1, 0, 0])]
    parts = {
        key: (METRICS[key](*sides).numerator, METRICS[key](*sides).denominator) for key in ("iou", "dice", "mean_iou")
    }
    assert parts == {"iou": (2, 3), "dice": (4, 5), "mean_iou": (2, 3)}
