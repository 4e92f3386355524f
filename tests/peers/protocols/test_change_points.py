"""The other reading of change points against ruptures."""

from __future__ import annotations

import numpy as np
import pytest
from ruptures.metrics import precision_recall

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.protocols.references.table_values import DATA_SETS
from tests.protocols.references.test_change_points import points

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def test_the_other_reading_equals_ruptures() -> None:
    rng = np.random.default_rng(82)
    for _ in range(2 * DATA_SETS):
        n = int(rng.integers(8, 60))
        true, pred = points(rng, n), points(rng, n)
        if not true:
            continue
        margin = int(rng.integers(1, 12))
        precision, recall = precision_recall([*true, n], [*pred, n], margin=margin)
        score = sm.change_point_f1(
            Spans.from_boundaries(true, n),
            Spans.from_boundaries(pred, n),
            margin=margin,
            start=False,
            within="below",
            pairing="every",
        )
        assert (score.details["precision"], score.details["recall"]) == pytest.approx((precision, recall)), (true, pred)


def test_named_exception_the_margin_of_ruptures_is_strict() -> None:
    true, pred = Spans.from_boundaries([20], 40), Spans.from_boundaries([30], 40)
    assert precision_recall([20, 40], [30, 40], margin=10) == (0, 0)
    assert sm.change_point_f1(true, pred, margin=10, start=False).value == 1
    assert sm.change_point_f1(true, pred, margin=10, start=False, within="below").value == 0
