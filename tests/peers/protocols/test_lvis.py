"""``lvis`` against the lvis package on random data sets with federated lists, and where the two differ on purpose."""

from __future__ import annotations

import copy
import importlib
import json
import logging
import math
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools import mask as rle

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.statistics import Statistics
from segmetry.protocols.protocol import PROTOCOLS
from segmetry.readers.formats.data_sets.coco_masks import _predicted_masks, _read_lvis
from segmetry.readers.items import empty_item
from segmetry.readers.reader import ReadOptions
from tests.peers.protocols.coco_data_sets import DataSet, random_data_set
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning"),
    pytest.mark.filterwarnings("ignore:The 'warn' method is deprecated:DeprecationWarning"),
]

REFERENCE = ("AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf", "AR@300", "ARs@300", "ARm@300", "ARl@300")
LETTERS = "rcf"


@pytest.fixture(scope="module")
def lvis() -> Any:
    """The package without its drawing module, which needs OpenCV, and with the ``numpy.float`` that it uses."""
    drawing: Any = types.ModuleType("lvis.vis")
    drawing.LVISVis = None
    sys.modules.setdefault("lvis.vis", drawing)
    logging.disable(logging.WARNING)
    package = pytest.importorskip("lvis")
    importlib.import_module("lvis.eval").__dict__["np"] = types.SimpleNamespace(**{**vars(np), "float": float})
    yield package
    logging.disable(logging.NOTSET)


def federated(seed: int) -> DataSet:
    """A data set whose images list absent and incompletely annotated classes; LVIS has no crowds."""
    data = random_data_set(seed)
    rng = np.random.default_rng(seed)
    classes = [category["id"] for category in data.truth["categories"]]
    for category in data.truth["categories"]:
        category["frequency"] = LETTERS[int(rng.integers(3))]
    for image in data.truth["images"]:
        own = {one["category_id"] for one in data.truth["annotations"] if one["image_id"] == image["id"]}
        image["neg_category_ids"] = [name for name in classes if name not in own and rng.random() < 0.5]
        image["not_exhaustive_category_ids"] = [name for name in classes if rng.random() < 0.3]
        image["coco_url"] = ""
    for annotation in data.truth["annotations"]:
        del annotation["iscrowd"]
        annotation["area"] = annotation["area"] or 10.0
    data.results = [result for result in data.results if rle.area(result["segmentation"])]
    return data


def reference(package: Any, data: DataSet, folder: Path, most: int = 300) -> list[float]:
    """The thirteen numbers; NaN where the reference says -1."""
    path = folder / "lvis.json"
    path.write_text(json.dumps(data.truth))
    truth = package.LVIS(str(path))
    results = package.LVISResults(truth, copy.deepcopy(data.results), max_dets=most)
    evaluation = package.LVISEval(truth, results, "segm")
    evaluation.run()
    found = evaluation.get_results()
    return [math.nan if found[name] == -1 else float(found[name]) for name in REFERENCE]


def ours(data: DataSet, folder: Path, most: int = 300) -> list[float]:
    """From the columns of the images, by the options of the protocol."""
    protocol = PROTOCOLS["lvis"]
    collect = METRICS["average_precision"].statistics.collect  # type: ignore[union-attr]
    facts, groups = [], None
    for item in _read_lvis(folder / "lvis.json", ReadOptions()):
        own = [(at, result) for at, result in enumerate(data.results) if str(result["image_id"]) == item.name]
        pred = _predicted_masks(own, ReadOptions()) if own else empty_item(item).load()
        facts.append(collect(item.load(), pred))
        groups = item.groups
    statistics = Statistics.of(facts)
    values = []
    for row in protocol.cells.rows:
        key: str = row.key  # type: ignore[union-attr,assignment]
        aggregation, options = METRICS[key].statistics, {**protocol.options[key], "max_detections": most}
        assert aggregation is not None
        if row.level != "group":  # type: ignore[union-attr]
            values.append(aggregation.reading(key, statistics, options).score().value)
            continue
        classes = aggregation.reading(key, statistics, options).class_scores()
        members = [score.value for name, score in classes.items() if name in groups[row.name]]  # type: ignore[index,union-attr]
        values.append(float(np.mean(members)) if members else math.nan)
    return values


@pytest.mark.parametrize("first", range(0, DATA_SETS, 50))
def test_thirteen_numbers_equal_the_package(lvis: Any, first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 50):
        data = federated(seed)
        most = 2 if seed % 3 == 0 else 300
        if data.results:  # the reference fails without
            expected = reference(lvis, data, tmp_path, most)
            assert ours(data, tmp_path, most) == pytest.approx(expected, abs=1e-12, nan_ok=True), seed


@pytest.mark.parametrize("seed", range(10))
def test_files_are_evaluated_by_the_protocol_of_their_format(lvis: Any, seed: int, tmp_path: Path) -> None:
    some = map(federated, range(seed * 50, seed * 50 + 50))
    data = next(one for one in some if one.results and one.truth["annotations"])
    expected = reference(lvis, data, tmp_path)
    (tmp_path / "results.json").write_text(json.dumps(data.results))
    run = sm.evaluate(tmp_path / "lvis.json", tmp_path / "results.json", engine="serial")
    assert run.protocol is PROTOCOLS["lvis"] and not run.modified
    values = {heading: row["value"] for heading, row in shown(run).items()}
    for (heading, value), wanted in zip(values.items(), expected, strict=True):
        assert same(value, wanted), heading


def test_named_difference_an_annotation_of_area_0(lvis: Any, tmp_path: Path) -> None:
    data = next(one for one in map(federated, range(100)) if one.results and one.truth["annotations"])
    for annotation in data.truth["annotations"]:
        annotation["area"] = 0.0
    assert math.isnan(reference(lvis, data, tmp_path)[0]) and not math.isnan(ours(data, tmp_path)[0])
