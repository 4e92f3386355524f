"""What missed and spurious segments cost in means over matched pairs, against sums over all pairs by definition."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.geometry.matched_shapes import matched_shapes
from tests.geometry.strategies import similar_labels
from tests.oracle import as_sets

DISTANCES = ("hausdorff", "hausdorff95", "average_surface_distance", "centre_distance")
SIMILARITIES = ("boundary_iou", "surface_dice")
REQUIRED: dict[str, dict[str, Any]] = {"surface_dice": {"tolerance": 1}}
Pair = tuple[sm.LabelArray, sm.LabelArray]


def unmatched(true: sm.LabelArray, pred: sm.LabelArray) -> tuple[int, int, int]:
    """The numbers of pairs with IoU > 1/2, of missed and of spurious segments, by definition."""
    trues, preds = as_sets(true), as_sets(pred)
    pairs = [(i, j) for i, t in trues.items() for j, h in preds.items() if 2 * len(t & h) > len(t | h)]
    return len(pairs), len(trues) - len(pairs), len(preds) - len(pairs)


@given(pair=similar_labels(), missing=st.sampled_from([0, 374, "2.5", "diagonal", "inf", math.inf]))
def test_every_unmatched_segment_has_the_penalty(pair: Pair, missing: Any) -> None:
    n_pairs, missed, spurious = unmatched(*pair)
    steps = zip(pair[0].domain, pair[0].spacing, strict=True)
    penalty = math.sqrt(sum((size * step) ** 2 for size, step in steps)) if missing == "diagonal" else float(missing)
    values = matched_shapes(*pair).hausdorff().tolist()
    result = sm.hausdorff(*pair, missing=missing)
    counts = {name: result.details[name] for name in ("pairs", "missed", "spurious")}
    assert counts == {"pairs": n_pairs, "missed": missed, "spurious": spurious}
    costs = values + [penalty] * (missed + spurious)
    assert result.value == (pytest.approx(sum(costs) / len(costs)) if costs else pytest.approx(math.nan, nan_ok=True))
    by_item = sm.hausdorff(*pair, missing=missing, missing_for="item")
    alone = [penalty] if missed + spurious else []
    costs = values or alone
    assert by_item.value == (pytest.approx(sum(costs) / len(costs)) if costs else pytest.approx(math.nan, nan_ok=True))


@given(pair=similar_labels())
def test_segments_without_a_partner_are_left_out_by_default(pair: Pair) -> None:
    n_pairs, missed, spurious = unmatched(*pair)
    for key in (*DISTANCES, *SIMILARITIES):
        result = getattr(sm, key)(*pair, **REQUIRED.get(key, {}))
        counts = {name: result.details[name] for name in ("pairs", "missed", "spurious")}
        assert counts == {"pairs": n_pairs, "missed": missed, "spurious": spurious}
        assert result.denominator == n_pairs
        assert result.is_defined == (n_pairs > 0)


SPARED = np.zeros((30, 40), dtype=np.int64)
SPARED[2:8, 2:8], SPARED[12:20, 12:20], SPARED[22:28, 30:38] = 1, 2, 3
SHIFTED = np.where(np.roll(SPARED, 3, axis=1) == 2, 2, np.where(SPARED == 2, 0, SPARED))


@pytest.mark.parametrize("key", DISTANCES)
def test_deleting_the_worst_segment_helps_a_mean_of_distances_unless_it_is_penalised(key: str) -> None:
    deleted = np.where(SHIFTED == 2, 0, SHIFTED)
    metric = getattr(sm, key)
    options: dict[str, Any] = {"rule": "largest_overlap"}
    assert metric(SPARED, deleted, **options).value < metric(SPARED, SHIFTED, **options).value
    options["missing"] = "diagonal"
    assert metric(SPARED, deleted, **options).value > metric(SPARED, SHIFTED, **options).value


@pytest.mark.parametrize("key", SIMILARITIES)
def test_a_similarity_of_nothing_is_what_is_asked(key: str) -> None:
    true, pred = np.array([[1, 1, 0, 2]]), np.array([[1, 1, 0, 0]])
    metric, options = getattr(sm, key), REQUIRED.get(key, {})
    assert metric(true, pred, **options).value == 1
    assert metric(true, pred, missing=0, **options).value == 0.5
    assert metric(true, pred, missing="0.5", **options).value == 0.75
    assert metric(true, pred, missing=0, missing_for="item", **options).value == 1
    assert metric(true, 0 * true, missing=0, missing_for="item", **options).value == 0
    with pytest.raises(OptionError, match=r"missing is 'diagonal'; expected a number in \[0, 1\] or None"):
        metric(true, pred, missing="diagonal", **options)


@pytest.mark.parametrize("missing", [-1, "far", math.nan])
def test_a_distance_that_is_none_is_rejected(missing: Any) -> None:
    with pytest.raises(OptionError, match="expected a distance of at least 0, 'diagonal', 'inf' or None"):
        sm.hausdorff([[1]], [[1]], missing=missing)
    with pytest.raises(OptionError, match="missing_for is 'class'; expected 'segment' or 'item'"):
        sm.hausdorff([[1]], [[1]], missing_for="class")


def test_an_infinite_mean_passes_through_run_files_and_summaries(tmp_path: Path) -> None:
    true = {"a": np.array([[1, 1, 0, 2]]), "b": np.array([[1, 1, 0, 2]])}
    pred = {"a": true["a"], "b": np.array([[1, 1, 0, 0]])}
    path = tmp_path / "run.segm"
    sm.evaluate(true, pred, metrics="hausdorff", options={"hausdorff": {"missing": "inf"}}, out=path)
    run = sm.Run.open(path)
    values = [item["hausdorff"] for item in run.items()]
    assert values == [0, math.inf]
    rows = run.intervals().rows()
    reasons = {row["reason"] for row in rows if row["key"] == "hausdorff" and row["average"] != "median"}
    assert reasons == {"infinite"}
