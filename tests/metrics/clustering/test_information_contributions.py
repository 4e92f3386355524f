"""What each split and each merge adds to the variation of information."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry.metrics.clustering.variation_of_information import splits_and_merges_of
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.segmentation.labels import LabelArray
from segmetry.testing.strategies import label_pairs


@pytest.mark.parametrize("background", BACKGROUNDS)
@given(pair=label_pairs())
def test_the_bits_add_up_to_the_metrics(background: str, pair: tuple[LabelArray, LabelArray]) -> None:
    rows = list(splits_and_merges_of(sm.overlap(*pair), background))
    for error, metric in (("split", sm.vi_split), ("merge", sm.vi_merge)):
        bits = [row["bits"] for row in rows if row["error"] == error]
        value = metric(*pair, background=background)
        single = background in ("singletons", "snemi")  # single voxels of one side are no rows of their own
        if value.is_defined and not single:
            assert math.isclose(math.fsum(bits), value.value, abs_tol=1e-12)
        assert bits == sorted(bits, reverse=True)


def test_a_run_has_a_table_of_splits_and_merges_with_ids_and_voxels() -> None:
    true = np.array([[[1, 1, 1, 1, 2, 2, 3, 3]]])
    pred = np.array([[[7, 7, 8, 8, 8, 8, 9, 0]]])
    rows = sm.evaluate({"a": true}, {"a": pred}, protocol="cremi", engine="serial").splits_and_merges()
    found = [(row["error"], row["id"], row["n_elements"], row["n_parts"], row["parts"]) for row in rows]
    assert found == [
        ("split", 1, 4, 2, "7: 2, 8: 2"),
        ("split", 3, 2, 2, "9: 1, outside: 1"),
        ("merge", 8, 4, 2, "1: 2, 2: 2"),
    ]
    assert [row["bits"] for row in rows] == [4 / 8, 2 / 8, 4 / 8]
    assert rows[0]["share"] == 2 / 3


def test_only_the_largest_parts_are_named() -> None:
    (row,) = splits_and_merges_of(sm.overlap([[1] * 12], [[3, 3, 3, *range(4, 13)]]))
    assert row["n_parts"] == 10 and row["parts"] == "3: 3, 4: 1, 5: 1, 6: 1, 7: 1, … 5 more"
