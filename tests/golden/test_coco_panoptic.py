"""Policy ``coco`` against the results of the COCO panoptic reference, on images with void and crowd."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.records import ItemRecord, record_of
from segmetry.statistics.samples import Samples
from segmetry.statistics.summary import summarise
from segmetry.statistics.summary_tables import Summary


def ids_of(path: Path) -> NDArray[np.int64]:
    with Image.open(path) as image:
        red, green, blue = np.moveaxis(np.asarray(image.convert("RGB"), dtype=np.int64), -1, 0)
    return red + 256 * green + 65536 * blue


def segmentation(folder: Path, annotation: dict[str, Any], **void: Any) -> sm.LabelArray:
    segments = annotation["segments_info"]
    return sm.LabelArray(
        ids_of(folder / annotation["file_name"]),
        classes={segment["id"]: segment["category_id"] for segment in segments},
        crowd=[segment["id"] for segment in segments if segment.get("iscrowd")],
        **void,
    )


@pytest.fixture(scope="module")
def groups(shared_data: Path) -> dict[str, list[int]]:
    categories = json.loads((shared_data / "coco_panoptic" / "truth.json").read_text())["categories"]
    return {
        name: [c["id"] for c in categories if c["isthing"] == thing] for name, thing in (("things", 1), ("stuff", 0))
    }


@pytest.fixture(scope="module")
def records(shared_data: Path, groups: dict[str, list[int]]) -> list[ItemRecord]:
    folder = shared_data / "coco_panoptic"
    truth, pred = (json.loads((folder / name).read_text())["annotations"] for name in ("truth.json", "pred.json"))
    by_image = {annotation["image_id"]: annotation for annotation in pred}
    records = []
    for annotation in truth:
        table = sm.overlap(
            segmentation(folder / "truth", annotation, outside=None, void=0),
            segmentation(folder / "pred", by_image[annotation["image_id"]]),
        )
        records.append(
            record_of(
                annotation["file_name"],
                sm.align(table, policy="coco"),
                per_class={"pq_dagger": {"stuff": groups["stuff"]}},
            )
        )
    return records


@pytest.fixture(scope="module")
def summary(records: list[ItemRecord], groups: dict[str, list[int]]) -> Summary:
    return summarise(records, groups=groups)


@pytest.fixture(scope="module")
def expected(shared_data: Path) -> dict[str, Any]:
    reference: dict[str, Any] = json.loads((shared_data / "coco_panoptic" / "expected_panopticapi.json").read_text())
    return reference


def by_class_value(row: Any, key: str) -> float:
    score = row[key].by_class
    assert score is not None
    return float(score.value)


def test_every_class_equals_the_reference(summary: Summary, expected: dict[str, Any]) -> None:
    assert (summary.policy, summary.rule, summary.by, summary.n_items) == ("coco", "theta_plus", "class", 24)
    assert set(map(str, summary.classes)) == set(expected["per_class"])
    for name, row in summary.classes.items():
        reference = expected["per_class"][str(name)]
        counts = [by_class_value(row, key) for key in ("n_matched", "n_spurious", "n_missed")]
        assert counts == [reference[key] for key in ("tp", "fp", "fn")]
        assert by_class_value(row, "sum_iou") == pytest.approx(reference["iou"], abs=1e-12)
        for key in ("pq", "sq", "rq"):
            assert by_class_value(row, key) == pytest.approx(reference[key], abs=1e-12)


@pytest.mark.parametrize(("group", "name"), [("all", "All"), ("things", "Things"), ("stuff", "Stuff")])
def test_totals_equal_the_reference(summary: Summary, expected: dict[str, Any], group: str, name: str) -> None:
    row, reference = summary.groups[group], expected[name]
    for key in ("pq", "sq", "rq"):
        assert by_class_value(row, key) == pytest.approx(reference[key], abs=1e-12)
    score = row["sq"].by_class
    assert score is not None
    assert score.denominator == reference["n"]
    assert summary["pq"].by_class == summary.groups["all"]["pq"].by_class


def test_theta_and_under_the_same_policy_never_scores_less(shared_data: Path, records: list[ItemRecord]) -> None:
    folder = shared_data / "coco_panoptic"
    truth, pred = (json.loads((folder / name).read_text())["annotations"] for name in ("truth.json", "pred.json"))
    for annotation, prediction, record in zip(truth, pred, records, strict=True):
        assert annotation["image_id"] == prediction["image_id"]
        true = segmentation(folder / "truth", annotation, outside=None, void=0)
        both = sm.score(
            true,
            segmentation(folder / "pred", prediction),
            ["pq", "n_matched"],
            policy="coco",
            rule="theta_and",
            average="segments",
        )
        assert both["n_matched"].value >= record.whole.n_pairs
        assert both["pq"].value >= sm.pq(record.whole).value


def test_order_and_repetition_of_records_change_no_bit(records: list[ItemRecord], groups: dict[str, list[int]]) -> None:
    once = summarise(records, groups=groups)
    again = summarise([*records[::-1], *records[3:9]], groups=groups)
    assert again.as_dict() == once.as_dict()
    json.dumps(once.as_dict(), allow_nan=False)


def test_columns_of_counts_give_the_values_by_class(
    records: list[ItemRecord], summary: Summary, groups: dict[str, list[int]]
) -> None:
    columns = columns_of_records(records)
    assert columns.names == tuple(summary.classes)
    samples = Samples.of(columns, summary, groups=groups)
    row = samples.part_layout.rows["pq"]
    expected = [by_class_value(summary.classes[name], "pq") for name in samples.names]
    for times in (1, 2):
        sums = samples.cells.sums(np.full((24, 1), float(times)), 0, len(samples.names))
        assert samples.part_layout.quotients(sums).values[:, 1, row, 0].tolist() == pytest.approx(expected, abs=1e-12)


def test_pq_dagger_scores_stuff_without_a_threshold(summary: Summary, groups: dict[str, list[int]]) -> None:
    for name, row in summary.classes.items():
        if name in groups["things"]:
            assert by_class_value(row, "pq_dagger") == by_class_value(row, "pq")
        else:
            assert by_class_value(row, "pq_dagger") > by_class_value(row, "pq")
    by_class = [by_class_value(row, "pq_dagger") for row in summary.classes.values()]
    assert by_class_value(summary.groups["all"], "pq_dagger") == pytest.approx(sum(by_class) / 6, abs=1e-15)
    assert summary["pq_dagger"].n == 24  # the mean is over items, not over classes
    assert summary["pq_dagger"].by_item.value == pytest.approx(0.50833, abs=5e-6)
