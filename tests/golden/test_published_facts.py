"""Numbers the papers publish, from the data published with them: two rules on three image sets, and on page streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import segmetry as sm
from examples.reproduce.published import TABLE_TWO, additional_pairs, images_of, two_rules_of
from segmetry.statistics.summary import summarise
from tests.statistics.oracle import data_sets


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "images", "statistic", "not_one_to_one", "pq"),
    [
        ("cityscapes", 500, 0.0324, (0, 0), (0.5864, 0.5968)),
        ("coco", 4343, 0.0270, (156, 163), (0.4710, 0.4785)),
        ("lvis", 4193, 0.0338, (261, 271), (0.2869, 0.2925)),
    ],
)
def test_two_rules_on_published_pairs(
    shared_data: Path,
    name: str,
    images: int,
    statistic: float,
    not_one_to_one: tuple[int, int],
    pq: tuple[float, float],
) -> None:
    comparison = two_rules_of(images_of(shared_data, name))
    additional = additional_pairs(name)
    assert (comparison.n_items, comparison.n_additional) == (images, additional)
    assert (comparison.n_narrow, comparison.n_wide) == TABLE_TWO[name]["pairs"]
    assert comparison.ks_statistic is not None
    assert comparison.ks_statistic == pytest.approx(statistic, abs=5e-5)
    assert comparison.ks_p is not None
    assert comparison.ks_p < 0.0015
    assert comparison.additional_fraction == pytest.approx(additional / comparison.n_wide)
    assert (len(comparison.narrow_not_one_to_one), len(comparison.wide_not_one_to_one)) == not_one_to_one
    assert (comparison.narrow_pq, comparison.wide_pq) == pytest.approx(pq, abs=5e-5)
    quartiles = comparison.additional_iou.quartiles
    assert quartiles is not None
    assert quartiles[0] > 0.42  # the paper states that more than 75 % are above .43
    assert comparison.additional_iou.n == additional
    assert sum(comparison.additional_iou.histogram[7:]) >= additional - 5  # θ& pairs have IoU > 1/3


def test_the_cityscapes_file_violates_its_own_theorem(shared_data: Path) -> None:
    """θ⁺ ⊆ θ&, yet ten θ⁺ pairs are absent from the θ& list: its masks overlap."""
    comparison = two_rules_of(images_of(shared_data, "cityscapes"))
    assert comparison.n_wide - comparison.n_narrow == 222
    assert comparison.n_additional - (comparison.n_wide - comparison.n_narrow) == 10


def test_page_streams(shared_data: Path) -> None:
    true, pred = (json.loads((shared_data / "page_streams" / f"{side}.json").read_text()) for side in ("true", "pred"))
    expected = {"theta_plus": (5608, 0.9728, 0.8023, 0.7845), "theta_and": (5619, 0.9719, 0.8035, 0.7851)}
    for rule, (n_pairs, sq, f1, weighted_f1) in expected.items():
        pairs = [
            tuple(sm.Spans.from_bits(side, first="force") for side in (bits, pred[stream]))
            for stream, bits in true.items()
        ]
        summary = summarise(data_sets(pairs, ["sq", "f1", "weighted_f1", "n_matched", "pq"], rule=rule, by=None)[0])
        assert (summary.n_items, summary["n_matched"]["pooled"].value) == (34, n_pairs)
        assert summary["sq"]["by_item"].value == pytest.approx(sq, abs=5e-5)
        assert summary["f1"]["by_item"].value == pytest.approx(f1, abs=5e-5)
        assert summary["weighted_f1"]["by_item"].value == pytest.approx(weighted_f1, abs=5e-5)
        assert summary["pq"]["by_item"].value == summary["weighted_f1"]["by_item"].value
