"""Panoptic quality and tracking of point clouds: worked numbers; the peers compare with the published scripts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import OptionError

CLASSES = {1: "car", 2: "car", 9: "road"}


def scan(*labels: int, **facts: object) -> sm.LabelArray:
    return sm.LabelArray(np.array(labels), classes=CLASSES, **facts)


def test_small_unmatched_segments_do_not_count_but_small_pairs_do() -> None:
    true, pred = scan(1, 1, 2, 9, 9, 9), scan(1, 1, 0, 0, 0, 9)
    assert sm.lidar_pq(true, pred, min_points=1) == pytest.approx((1 / 1.5 + 0) / 2)
    assert sm.lidar_pq(true, pred, min_points=2) == pytest.approx((1 + 0) / 2)
    assert sm.lidar_pq(true, pred, min_points=4) == pytest.approx((1 + 0) / 2)
    with pytest.raises(OptionError, match="min_points is 0"):
        sm.lidar_pq(true, pred, min_points=0)


def test_dagger_takes_the_iou_of_stuff() -> None:
    true, pred = scan(1, 1, 2, 9, 9, 9), scan(1, 1, 0, 0, 0, 9)
    score = sm.lidar_pq_dagger(true, pred, min_points=1, stuff=["road"], things=["car"])
    assert score == pytest.approx((1 / 1.5 + 1 / 3) / 2)
    assert score.details["stuff"] == pytest.approx(1 / 3)


def test_void_points_of_the_truth_are_removed() -> None:
    true, pred = scan(1, 1, 5, 5, 5, void=5), scan(1, 1, 1, 1, 1)
    assert sm.lidar_pq(true, pred) == 1


def test_scans_of_a_scene_are_matched_one_by_one() -> None:
    true, pred = np.array([[1, 1, 0], [1, 1, 0]]), np.array([[7, 7, 0], [8, 8, 0]])
    assert sm.lidar_pq(true, pred, min_points=1) == 1
    assert sm.lidar_pq(true.ravel(), pred.ravel(), min_points=1) == 0


def test_tracking_quality_counts_switches_and_gaps() -> None:
    """A track of four scans: matched to 5, unmatched, to 5, to 6; every step is a switch, 5 occurs once elsewhere."""
    true = np.array([[1, 1, 0, 0]] * 4)
    pred = np.array([[5, 5, 0, 0], [0, 0, 5, 5], [5, 5, 0, 0], [6, 6, 0, 0]])
    score = sm.pat(true, pred)
    assert score.details["tq"] == pytest.approx(math.sqrt((4 / 5 + 1 / 4) / 4 * 0))
    steady = sm.pat(true, np.where(true, 5, 0))
    assert (steady.value, steady.details["tq"], steady.details["pq"]) == (1, 1, 1)


def test_tracks_of_few_points_do_not_count() -> None:
    true = np.array([[1, 1, 1, 2], [1, 1, 1, 2]])
    assert sm.lstq(true, np.where(true == 1, 5, 0), min_points=1).details["association"] == 1
    assert sm.lstq(true, np.where(true == 1, 5, 0)).details["association"] == 0.5
    assert not sm.lstq(true, true, min_points=3).is_defined
