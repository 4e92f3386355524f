"""``coco-instances`` against pycocotools: on 1,000 random data sets, on files, and where the two differ on purpose."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.detection.detections import Evaluation
from segmetry.metrics.detection.precision_recall import precision_recall
from segmetry.metrics.statistics import Statistics
from segmetry.protocols.instances.coco_instances import VALUES
from segmetry.readers.formats.data_sets.coco_masks import (
    _annotated_items,
    _Image,
    _predicted_boxes,
    _predicted_masks,
)
from segmetry.readers.items import Item, empty_item
from segmetry.readers.reader import ReadOptions
from tests.peers.protocols.coco_data_sets import SHAPE, DataSet, drawn, encoded, random_data_set
from tests.protocols.references.table_values import same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")]

N_SEEDS = 1000
AT_ONCE = 100


def evaluated(data: DataSet, iou_type: str = "segm", **params: Any) -> COCOeval:
    """The reference after its evaluation."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = copy.deepcopy(data.truth)
        coco.createIndex()
        if data.results:
            found = coco.loadRes(copy.deepcopy(data.results))
        else:
            found = COCO()
            found.dataset = {**copy.deepcopy(data.truth), "annotations": []}
            found.createIndex()
        evaluation = COCOeval(coco, found, iou_type)
        for name, value in params.items():
            setattr(evaluation.params, name, value)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def reference(data: DataSet, iou_type: str = "segm") -> list[float]:
    """The twelve numbers; NaN where the reference says -1."""
    return [math.nan if value == -1 else float(value) for value in evaluated(data, iou_type).stats]


def columns(data: DataSet, iou_type: str = "segm") -> Statistics:
    """The columns that a run keeps, by the readers of both files."""
    images = {image["id"]: _Image((image["height"], image["width"])) for image in data.truth["images"]}
    categories = {category["id"]: None for category in data.truth["categories"]}
    collect = METRICS["average_precision"].statistics.collect  # type: ignore[union-attr]
    facts = []
    for item in _annotated_items(data.truth, "truth", images, categories, None, ReadOptions()):
        own = [(at, result) for at, result in enumerate(data.results) if str(result["image_id"]) == item.name]
        true = item.load()
        if not own:
            pred = empty_item(Item(item.name, true)).load()
        else:
            has_masks = "segmentation" in own[0][1]
            pred = _predicted_masks(own, ReadOptions()) if has_masks else _predicted_boxes(own, ReadOptions(), SHAPE)
        facts.append(collect(true, pred, iou_type=iou_type))
    return Statistics.of(facts)


def ours(data: DataSet, iou_type: str = "segm") -> list[float]:
    statistics = columns(data, iou_type)
    scores = [METRICS[key].statistics.reading(key, statistics, {}).score() for key in VALUES.values()]  # type: ignore[union-attr]
    return [score.value for score in scores]


@pytest.mark.parametrize("first", range(0, N_SEEDS, AT_ONCE))
def test_twelve_numbers_equal_pycocotools(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        boxes = seed % 4 == 0
        data = random_data_set(seed, boxes=boxes)
        kind = "bbox" if boxes else "segm"
        assert ours(data, kind) == pytest.approx(reference(data, kind), abs=1e-12, nan_ok=True), seed


def written(data: DataSet, folder: Path) -> tuple[Path, Path]:
    paths = folder / "instances.json", folder / "results.json"
    for path, content in zip(paths, (data.truth, data.results), strict=True):
        path.write_text(json.dumps(content))
    return paths


@pytest.mark.parametrize("seed", range(20))
def test_files_are_evaluated_by_the_protocol_of_their_format(seed: int, tmp_path: Path) -> None:
    data = next(
        one
        for one in map(random_data_set, range(seed * 50, seed * 50 + 50))
        if one.results and one.truth["annotations"]
    )
    run = sm.evaluate(*written(data, tmp_path), engine="serial")
    assert run.protocol is not None and run.protocol.name == "coco-instances"
    values = [row["value"] for row in shown(run).values()]
    assert len(values) == 12
    for value, expected in zip(values, reference(data), strict=True):
        assert same(value, expected)
    precision = evaluated(data).eval["precision"]
    for name, values_of_row in shown(run, classes=True).items():
        value = next(iter(values_of_row.values()))
        if not name.startswith("class"):  # predicted, and not among the categories of the truth
            assert value is None
            continue
        known = precision[:, :, int(name.split()[1]) - 1, 0, -1]
        assert same(value, math.nan if known.max() == -1 else float(known.mean()))


@pytest.mark.parametrize("iou_type", ["segm", "bbox"])
def test_other_numbers_of_detections_and_thresholds(iou_type: str, tmp_path: Path) -> None:
    data = random_data_set(4, boxes=iou_type == "bbox")
    options = {"iou_type": iou_type, "max_detections": 2, "thresholds": ["0.3", "0.6"], "ar_1": {"max_detections": 3}}
    run = sm.evaluate(*written(data, tmp_path), engine="serial", options=options)
    evaluation = evaluated(data, iou_type, maxDets=[1, 2, 3], iouThrs=np.array([0.3, 0.6]))
    precision, recall = evaluation.eval["precision"][..., 0, 1], evaluation.eval["recall"][..., 0, :]
    summary = run.summary()
    assert same(_value(summary, "average_precision"), float(precision[precision > -1].mean()))
    assert same(_value(summary, "average_recall"), float(recall[..., 1][recall[..., 1] > -1].mean()))
    assert "maxDets=  2" in next(iter(shown(run))) and "IoU=0.30:0.60" in next(iter(shown(run)))


def _value(summary: Any, key: str) -> float:
    value: float = summary[key].over_data_set.value
    return value


def test_precision_at_every_recall_equals_the_array_of_the_reference() -> None:
    data = random_data_set(11)
    expected = evaluated(data).eval["precision"][:, :, :, 2, -1]
    curves = precision_recall(columns(data), Evaluation.of(size="medium"))
    for at, name in enumerate(curves.names):
        assert isinstance(name, int)
        assert curves.precision[at] == pytest.approx(expected[:, :, name - 1], abs=1e-12)


def one(area: float = 100.0, number: int = 1, **result: Any) -> DataSet:
    """One true mask and a prediction equal to it."""
    segment = encoded(drawn(0, 0, 10, 10))
    annotation = {"id": number, "image_id": 1, "category_id": 1, "segmentation": segment, "area": area, "iscrowd": 0}
    return DataSet(
        {
            "images": [{"id": 1, "height": SHAPE[0], "width": SHAPE[1]}],
            "annotations": [{**annotation, "bbox": [0.0, 0.0, 10.0, 10.0]}],
            "categories": [{"id": 1, "name": "class 1"}],
        },
        [{"image_id": 1, "category_id": 1, "segmentation": segment, "score": 0.9, **result}],
    )


def test_named_difference_an_annotation_with_the_id_0() -> None:
    assert reference(one(number=0))[0] == 0 and ours(one(number=0))[0] == 1


def test_named_difference_the_area_of_a_prediction_with_box_and_mask() -> None:
    """A spurious mask of 100 pixels with a box of 40²: the reference takes it for a medium one."""
    data = one()
    away = encoded(drawn(30, 30, 10, 10))
    first = {"image_id": 1, "category_id": 1, "segmentation": away, "score": 0.95, "bbox": [30.0, 30.0, 40.0, 40.0]}
    data.results = [first, {**data.results[0], "bbox": [0.0, 0.0, 10.0, 10.0]}]
    assert reference(data)[3] == pytest.approx(1) and ours(data)[3] == pytest.approx(0.5)


def test_named_difference_one_detection_is_evaluated_where_none_is_a_hundred() -> None:
    stats = evaluated(one(), maxDets=[1, 2, 3]).stats
    assert stats[0] == -1 and ours(one())[0] == 1
