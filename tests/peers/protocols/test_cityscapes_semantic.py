"""``cityscapes-semantic`` against cityscapesScripts, from the same files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cityscapesscripts.evaluation import evalPixelLevelSemanticLabeling as scripts  # noqa: N813
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from segmetry.protocols.semantic.cityscapes_pixels import CATEGORIES, MEAN_SIZES
from segmetry.readers.formats.data_sets.cityscapes import IGNORED, NAMES, THINGS
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

Frame = tuple[NDArray[Any], NDArray[Any]]
"""Instance ids of the truth, label ids of the prediction."""
WITHOUT_INSTANCES = sorted({*NAMES, *IGNORED} - {29, 30})
PREDICTED = sorted({*NAMES, *IGNORED} - {29, 30})
"""A predicted caravan or trailer is a named exception."""


def instance_image(rng: np.random.Generator) -> NDArray[Any]:
    """Classes, groups, and instances of classes that have them, ignored ones included."""
    values = [int(value) for value in rng.choice(WITHOUT_INSTANCES, 4)]
    values += [1000 * int(number) + int(rng.integers(0, 3)) for number in rng.choice([*THINGS, 29], 3)]
    return rng.choice(values, tuple(rng.integers(1, 7, 2).tolist())).astype(np.uint16)


def class_image(instances: NDArray[Any]) -> NDArray[Any]:
    return np.where(instances >= 1000, instances // 1000, instances).astype(np.uint8)


def frames(seed: int) -> Iterator[list[Frame]]:
    rng = np.random.default_rng(seed)
    for _ in range(DATA_SETS):
        made = []
        for _ in range(rng.integers(1, 4)):
            instances = instance_image(rng)
            truth = class_image(instances)
            other = rng.choice(PREDICTED, truth.shape)
            agree = (rng.random(truth.shape) < rng.choice([0, 0.5, 0.9, 1])) & np.isin(truth, PREDICTED)
            made.append((instances, np.where(agree, truth, other).astype(np.uint8)))
        yield made


def degenerate() -> Iterator[list[Frame]]:
    def frame(true: list[int], pred: list[int]) -> Frame:
        return np.array([true], dtype=np.uint16), np.array([pred], dtype=np.uint8)

    yield [frame([7], [7])]
    yield [frame([7], [8])]
    yield [frame([0, 3], [7, 26])]
    yield [frame([26001], [0])]
    yield [frame([26, 26], [26, 7])]
    yield [frame([24000, 24001, 24001], [24, 25, 24]), frame([0, 0], [24, 24])]
    yield [frame([7, 7], [26, 26])]


def written(made: list[Frame], folder: Path) -> tuple[list[str], list[str]]:
    """Write the folders as Cityscapes lays them out; return the files of the prediction and of the truth."""
    predictions, truths = [], []
    for at, (instances, pred) in enumerate(made):
        name = f"ulm_000000_{at:06}"
        for part in ("gt/ulm", "pred"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        Image.fromarray(instances).save(folder / "gt/ulm" / f"{name}_gtFine_instanceIds.png")
        truths.append(str(folder / "gt/ulm" / f"{name}_gtFine_labelIds.png"))
        Image.fromarray(class_image(instances)).save(truths[-1])
        predictions.append(str(folder / "pred" / f"{name}_pred.png"))
        Image.fromarray(pred).save(predictions[-1])
    return predictions, truths


def reference(files: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(np, "in1d", np.isin, raising=False)  # numpy 2.4 has no in1d any more
    for name, value in {"quiet": True, "JSONOutput": False, "evalPixelAccuracy": False}.items():
        monkeypatch.setattr(scripts.args, name, value)
    result: dict[str, Any] = scripts.evaluateImgLists(*files, scripts.args)
    return result


def check(made: list[Frame], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = reference(written(made, folder), monkeypatch)
    run = sm.evaluate(folder / "gt", folder / "pred", protocol="cityscapes-semantic", engine="serial")
    assert run.modified == ()
    rows = shown(run)
    for heading, name in (
        ("IoU class", "averageScoreClasses"),
        ("iIoU class", "averageScoreInstClasses"),
        ("IoU category", "averageScoreCategories"),
        ("iIoU category", "averageScoreInstCategories"),
    ):
        assert same(rows["average"].get(heading), expected[name]), (heading, rows, expected[name], made)
    for category in CATEGORIES:
        for heading, name in (("IoU category", "categoryScores"), ("iIoU category", "categoryInstScores")):
            value = rows.get(category, {}).get(heading)
            assert same(value, expected[name][category]), (category, heading, value, expected[name], made)
    own = shown(run, classes=True)
    for label in NAMES.values():
        for heading, name in (("IoU", "classScores"), ("iIoU", "classInstScores")):
            cell = own.get(label, {}).get(heading)
            assert same(cell, expected[name][label]), (label, heading, cell, made)


def test_cityscapes_semantic_equals_cityscapes_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at, made in enumerate([*frames(65), *degenerate()]):
        check(made, tmp_path / str(at), monkeypatch)


def test_the_sizes_are_those_of_the_scripts() -> None:
    named = {name: scripts.args.avgClassSize[label] for name, label in THINGS.items()}
    assert named == MEAN_SIZES


def test_a_predicted_caravan_is_a_vehicle_for_the_category_iiou_of_the_reference_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [(np.array([[26001, 26001]], dtype=np.uint16), np.array([[26, 29]], dtype=np.uint8))]
    expected = reference(written(made, tmp_path), monkeypatch)
    assert expected["categoryInstScores"]["vehicle"] == 1 and expected["categoryScores"]["vehicle"] == 1 / 2
    run = sm.evaluate(tmp_path / "gt", tmp_path / "pred", protocol="cityscapes-semantic")
    assert shown(run)["vehicle"] == {
        "IoU class": None,
        "iIoU class": None,
        "IoU category": 1 / 2,
        "iIoU category": 1 / 2,
    }


def test_without_instance_images_there_is_no_iiou(tmp_path: Path) -> None:
    made = [(np.array([[26, 26, 7]], dtype=np.uint16), np.array([[26, 7, 7]], dtype=np.uint8))]
    written(made, tmp_path)
    (tmp_path / "gt/ulm/ulm_000000_000000_gtFine_instanceIds.png").unlink()
    run = sm.evaluate(tmp_path / "gt", tmp_path / "pred", protocol="cityscapes-semantic")
    row = shown(run)["average"]
    assert row["IoU class"] == 1 / 2 and row["iIoU class"] is None
    assert math.isnan(run.summary()["iiou"].over_items.value)
