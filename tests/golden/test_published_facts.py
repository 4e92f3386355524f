"""Numbers the papers publish, from the data published with them: two rules on three image sets, and on page streams."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.aggregate import record_of, summarise
from segmetry.aggregate.two_rules import TwoAlignments, TwoRules, two_rules


def n_pred(found: dict[str, Any]) -> int:
    """The files count a pred once for every pair it is in; a segment is one segment."""
    return int(found["n_pred"]) - len(found["pairs"]) + len({pred for _, pred in found["pairs"]})


def published(folder: Path, name: str) -> TwoRules:
    with gzip.open(folder / "theta_published" / f"{name}.json.gz") as file:
        images = json.load(file)
    return two_rules(
        TwoAlignments.of_lists(
            image,
            (found["theta_plus"]["pairs"], found["theta_plus"]["iou"]),
            (found["theta_and"]["pairs"], found["theta_and"]["iou"]),
            found["theta_and"]["n_true"],
            n_pred(found["theta_and"]),
        )
        for image, found in images.items()
    )


@pytest.mark.parametrize(
    ("name", "images", "narrow", "wide", "additional", "statistic", "not_one_to_one", "pq"),
    [
        ("cityscapes", 500, 6944, 7166, 232, 0.0324, (0, 0), (0.5864, 0.5968)),
        ("coco", 4343, 18957, 19483, 526, 0.0270, (156, 163), (0.4710, 0.4785)),
        ("lvis", 4193, 14053, 14545, 492, 0.0338, (261, 271), (0.2869, 0.2925)),
    ],
)
def test_two_rules_on_published_pairs(
    shared_data: Path,
    name: str,
    images: int,
    narrow: int,
    wide: int,
    additional: int,
    statistic: float,
    not_one_to_one: tuple[int, int],
    pq: tuple[float, float],
) -> None:
    found = published(shared_data, name)
    assert (found.n_items, found.n_narrow, found.n_wide, found.n_additional) == (images, narrow, wide, additional)
    assert found.ks_statistic is not None
    assert found.ks_statistic == pytest.approx(statistic, abs=5e-5)
    assert found.ks_p is not None
    assert found.ks_p < 0.0015
    assert found.additional_fraction == pytest.approx(additional / wide)
    assert (len(found.narrow_not_one_to_one), len(found.wide_not_one_to_one)) == not_one_to_one
    assert (found.narrow_pq, found.wide_pq) == pytest.approx(pq, abs=5e-5)
    quartiles = found.additional_iou.quartiles
    assert quartiles is not None
    assert quartiles[0] > 0.42  # the paper says that more than 75 % lie above .43
    assert found.additional_iou.n == additional
    assert sum(found.additional_iou.histogram[7:]) >= additional - 5  # θ& pairs have IoU > 1/3


def test_the_cityscapes_file_violates_its_own_theorem(shared_data: Path) -> None:
    """θ⁺ ⊆ θ&, yet ten θ⁺ pairs are absent from the θ& list: its masks overlap."""
    found = published(shared_data, "cityscapes")
    assert found.n_wide - found.n_narrow == 222
    assert found.n_additional - (found.n_wide - found.n_narrow) == 10


def test_page_streams(shared_data: Path) -> None:
    true, pred = (json.loads((shared_data / "page_streams" / f"{side}.json").read_text()) for side in ("true", "pred"))
    expected = {"theta_plus": (5608, 0.9728, 0.8023, 0.7845), "theta_and": (5619, 0.9719, 0.8035, 0.7851)}
    for rule, (pairs, sq, f1, weighted_f1) in expected.items():
        records = []
        for stream, bits in true.items():
            sides = (sm.Spans.from_bits(side, first="force") for side in (bits, pred[stream]))
            records.append(record_of(stream, sm.align(sm.overlap(*sides), rule)))
        summary = summarise(records, metrics=["sq", "f1", "weighted_f1", "n_matched", "pq"])
        matched = summary["n_matched"].pooled
        assert matched is not None
        assert (summary.n_items, matched.value) == (34, pairs)
        assert summary["sq"].mean.value == pytest.approx(sq, abs=5e-5)
        assert summary["f1"].mean.value == pytest.approx(f1, abs=5e-5)
        assert summary["weighted_f1"].mean.value == pytest.approx(weighted_f1, abs=5e-5)
        assert summary["pq"].mean.value == summary["weighted_f1"].mean.value
