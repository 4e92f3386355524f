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
from segmetry.metrics.average import BY_CLASS
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.readings import Stack
from segmetry.statistics.summary import Summary, summarise
from tests.statistics.oracle import Definition, data_sets


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
def groups(coco_panoptic: Path) -> dict[str, list[int]]:
    categories = json.loads((coco_panoptic / "truth.json").read_text())["categories"]
    return {
        name: [c["id"] for c in categories if c["isthing"] == thing] for name, thing in (("things", 1), ("stuff", 0))
    }


KEYS = ["pq", "sq", "rq", "sum_iou", "n_matched", "n_spurious", "n_missed"]


@pytest.fixture(scope="module")
def made(coco_panoptic: Path, groups: dict[str, list[int]]) -> tuple[DataSet, Definition]:
    folder = coco_panoptic
    truth, pred = (json.loads((folder / name).read_text())["annotations"] for name in ("truth.json", "pred.json"))
    by_image = {annotation["image_id"]: annotation for annotation in pred}
    pairs = [
        (
            segmentation(folder / "truth", annotation, outside=None, void=0),
            segmentation(folder / "pred", by_image[annotation["image_id"]]),
        )
        for annotation in truth
    ]
    return data_sets(pairs, KEYS, policy="coco", stuff=groups["stuff"], groups=groups)


@pytest.fixture(scope="module")
def data(made: tuple[DataSet, Definition]) -> DataSet:
    return made[0]


@pytest.fixture(scope="module")
def summary(data: DataSet) -> Summary:
    return summarise(data)


@pytest.fixture(scope="module")
def expected(coco_panoptic: Path) -> dict[str, Any]:
    reference: dict[str, Any] = json.loads((coco_panoptic / "expected_panopticapi.json").read_text())
    return reference


def by_class_value(row: Any, key: str) -> float:
    score = row[key].over_data_set
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
    assert row["sq"]["by_class"].denominator == reference["n"]
    assert summary["pq"]["by_class"] == summary.groups["all"]["pq"]["by_class"]


def test_theta_and_under_the_same_policy_never_scores_less(
    coco_panoptic: Path, made: tuple[DataSet, Definition]
) -> None:
    folder = coco_panoptic
    truth, pred = (json.loads((folder / name).read_text())["annotations"] for name in ("truth.json", "pred.json"))
    for annotation, prediction, item in zip(truth, pred, made[1].items, strict=True):
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
        assert both["n_matched"].value >= item.whole.n_pairs
        assert both["pq"].value >= sm.pq(item.whole).value


def test_the_order_of_items_changes_no_bit(data: DataSet, summary: Summary) -> None:
    assert summarise(data.in_order(range(24)[::-1])).to_dict() == summary.to_dict()
    json.dumps(summary.to_dict(), allow_nan=False)


def test_weighted_items_give_the_values_by_class(data: DataSet, summary: Summary) -> None:
    reading = data.reading("pq", BY_CLASS, each_class=True)
    expected = {name: by_class_value(row, "pq") for name, row in summary.classes.items()}
    for times in (1, 2):
        (values,) = Stack([reading], 24).values(np.full((24, 1), float(times)))
        found = dict(zip(reading.names, values[:, 0].tolist(), strict=True))
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12)


def test_pq_dagger_scores_stuff_without_a_threshold(summary: Summary, groups: dict[str, list[int]]) -> None:
    for name, row in summary.classes.items():
        if name in groups["things"]:
            assert by_class_value(row, "pq_dagger") == by_class_value(row, "pq")
        else:
            assert by_class_value(row, "pq_dagger") > by_class_value(row, "pq")
    by_class = [by_class_value(row, "pq_dagger") for row in summary.classes.values()]
    assert by_class_value(summary.groups["all"], "pq_dagger") == pytest.approx(sum(by_class) / 6, abs=1e-15)
    assert summary["pq_dagger"].n("by_item_of_classes") == 24  # the mean is over items, not over classes
    assert summary["pq_dagger"]["by_item_of_classes"].value == pytest.approx(0.50833, abs=5e-6)
