"""What lies outside: deleting segments costs by default, and where elements are left out their share is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import segmetry as sm
from segmetry.metrics.declare import METRICS, Metric
from segmetry.testing.strategies import void_pairs
from tests.oracle import as_partitions

Labels = NDArray[np.int64]
CLUSTERING = [metric for metric in METRICS.values() if metric.needs == "contingency" and metric.better != "neither"]


@pytest.fixture(scope="module")
def cells() -> Labels:
    """45 square cells, five by nine, of 6 × 6 pixels with gaps of 4."""
    labels = np.zeros((50, 90), dtype=np.int64)
    for number in range(45):
        row, column = divmod(number, 9)
        labels[10 * row + 2 : 10 * row + 8, 10 * column + 2 : 10 * column + 8] = number + 1
    return labels


@pytest.mark.parametrize("metric", CLUSTERING, ids=lambda metric: metric.key)
def test_deleting_43_of_45_cells_worsens_every_metric(metric: Metric, cells: Labels) -> None:
    """Purity and its kin are of one side: a merge into the outside lowers them, and a split would not."""
    left = np.where(cells <= 2, cells, 0)
    perfect, worse = metric(cells, cells).value, metric(cells, left).value
    blind = {"vi_split", "pair_recall", "completeness", "coverage", "bcubed_recall", "elm_recall"}
    if metric.key in blind:
        assert worse == pytest.approx(perfect), "nothing is split"
    elif metric.better == "higher":
        assert worse < perfect - 0.01
    else:
        assert worse > perfect + 0.01


def test_common_hides_them_and_says_how_much_counts(cells: Labels) -> None:
    left = np.where(cells <= 2, cells, 0)
    found = sm.adjusted_rand_index(cells, left, background="common")
    assert (found.value, found.details["counted_share"]) == (1.0, 2 * 36 / cells.size)
    assert sm.adjusted_rand_index(cells, left).details == {}


def test_void_elements_are_not_part_of_the_share() -> None:
    true = sm.LabelArray([[1, 1, 9, 0, 2]], void=9)
    found = sm.purity(true, [[1, 1, 1, 1, 0]], background="common")
    assert found.details["counted_share"] == 2 / 4


def test_a_data_set_has_the_mean_share_and_can_be_rescored(cells: Labels) -> None:
    half = np.where(cells <= 22, cells, 0)
    run = sm.evaluate({"a": cells, "b": cells}, {"a": half, "b": cells}, metrics="rand_index", background="common")
    row = run.summary().to_dict()["scores"]["rand_index"]
    shares = [score.get("details") for score in row.values() if isinstance(score, dict)]
    assert {"counted_share": (22 + 45) * 36 / cells.size / 2} in shares
    again = run.rescore(background="cremi").items()
    assert [item["rand_index"] for item in again] == [
        sm.rand_index(cells, pred, background="cremi").value for pred in (half, cells)
    ]


@given(pair=void_pairs())
def test_the_cremi_score_is_the_geometric_mean_of_its_factors(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    result = sm.cremi_score(*pair)
    factors = [
        getattr(sm, key)(*pair, background="cremi") for key in ("variation_of_information", "adapted_rand_error")
    ]
    if result.is_defined:
        assert result.value == pytest.approx(np.sqrt(factors[0].value * factors[1].value))
    else:
        assert not as_partitions(*pair, "cremi")[0]
