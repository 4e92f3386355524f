"""The numbers that a run gives for other programs are those of the programs themselves."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning
from tests.peers.protocols.single_modules import module_of

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]
CELLPOSE = module_of("cellpose", "metrics.py", cellpose={"utils": None})
STARDIST = module_of(
    "stardist",
    "matching.py",
    numba={"jit": lambda **_: lambda function: function},
    csbdeep={},
    **{"csbdeep.utils": {"_raise": None}, "tqdm": {"tqdm": lambda items, **_: items}},
)
SPACING = (2.0, 0.5, 0.75)


def volumes(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return volumes of two classes that both sides have, in anisotropic voxels."""
    rng, true, pred = np.random.default_rng(seed), {}, {}
    for at in range(3):
        labels = np.zeros((8, 20, 20), dtype=int)
        for name, corner in ((1, (1, 2, 2)), (2, (2, 11, 10))):
            stop = np.add(corner, rng.integers((3, 4, 4), (5, 8, 8)))
            labels[tuple(slice(int(a), int(b)) for a, b in zip(corner, stop, strict=True))] = name
        moved = np.roll(labels, rng.integers(-1, 2, 3), (0, 1, 2))
        true[f"v{at}"] = sm.LabelArray.from_classes(labels, spacing=SPACING)
        pred[f"v{at}"] = sm.LabelArray.from_classes(
            np.where(rng.random(labels.shape) < 0.02, 0, moved), spacing=SPACING
        )
    return true, pred


def mean_of_classes(of_masks: Any, true: dict[str, Any], pred: dict[str, Any]) -> float:
    values = [[of_masks(true[item].labels == name, pred[item].labels == name) for name in (1, 2)] for item in true]
    return float(np.mean(np.mean(values, axis=1)))


def medpy(first: Any, second: Any) -> float:
    from medpy.metric import binary

    return float(binary.hd95(second, first, voxelspacing=SPACING))


def monai(first: Any, second: Any) -> float:
    import torch
    from monai.metrics import HausdorffDistanceMetric

    metric = HausdorffDistanceMetric(include_background=True, percentile=95)
    sides = [torch.as_tensor(side[None, None].astype(np.float32)) for side in (second, first)]
    return float(metric(*sides, spacing=SPACING).item())


def surface_distance(first: Any, second: Any) -> float:
    import surface_distance as tool

    return float(tool.compute_robust_hausdorff(tool.compute_surface_distances(first, second, SPACING), 95))


def pymia(first: Any, second: Any) -> float:
    from pymia.evaluation.metric.base import Distances
    from pymia.evaluation.metric.categorical import HausdorffDistance

    metric = HausdorffDistance(95)
    metric.distances = Distances(second, first, SPACING)
    return float(metric.calculate())


def simpleitk(first: Any, second: Any) -> float:
    """As the example of SimpleITK, and seg-metrics after it: all distances of both surfaces together."""
    import SimpleITK as sitk  # noqa: N813 - as its documentation calls it

    images = [sitk.GetImageFromArray(side.astype(np.uint8)) for side in (first, second)]
    for image in images:
        image.SetSpacing(SPACING[::-1])
    found = []
    for one, other in (images, images[::-1]):
        away = sitk.GetArrayFromImage(
            sitk.Abs(sitk.SignedMaurerDistanceMap(one, squaredDistance=False, useImageSpacing=True))
        )
        found.append(away[sitk.GetArrayFromImage(sitk.LabelContour(other)) > 0])
    return float(np.percentile(np.concatenate(found), 95))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("medpy-hd95", medpy),
        ("monai-hd95", monai),
        ("surface-distance-hd95", surface_distance),
        ("pymia-hd95", pymia),
        ("simpleitk-hd95", simpleitk),
        ("seg-metrics-hd95", simpleitk),
    ],
)
def test_hausdorff_distances_of_programs(seed: int, name: str, program: Any) -> None:
    true, pred = volumes(seed)
    run = sm.evaluate(true, pred, protocol="monai")
    found = sm.reconcile(run, protocol=name, value="HD95")
    assert found.theirs is not None and found.theirs.number is not None
    expected = mean_of_classes(program, true, pred)
    assert math.isclose(float(found.theirs.number), expected, rel_tol=1e-5), (name, expected)
    assert sum((step.share for step in found.steps), Fraction(0)) == found.number - found.theirs.number
    assert all(step.needs_inputs for step in found.steps)


def cells(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    rng, true, pred = np.random.default_rng(seed), {}, {}
    for at in range(5):
        labels = np.kron(rng.integers(0, 6, (6, 6)), np.ones((5, 5), dtype=int))
        true[f"i{at}"], pred[f"i{at}"] = labels, np.where(rng.random(labels.shape) < 0.1 * at, 0, np.roll(labels, 1))
    return true, pred


@pytest.mark.parametrize("seed", range(3))
def test_the_ap_of_stardist_and_the_aji_of_cellpose(seed: int) -> None:
    true, pred = cells(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        run = sm.evaluate(true, pred, protocol="hover-net")
    sides = [list(true.values()), list(pred.values())]
    stardist = STARDIST.matching_dataset(*sides, thresh=0.5, show_progress=False).accuracy
    cellpose = float(CELLPOSE.average_precision(*sides, threshold=[0.5, 0.75, 0.9])[0].mean())
    jaccard = float(np.mean(CELLPOSE.aggregated_jaccard_index(*sides)))
    found = {one.name: one.number for one in sm.reconcile(run).communities}
    assert math.isclose(float(found["stardist"] or 0), stardist, abs_tol=1e-9)
    assert math.isclose(float(found["cellpose"] or 0), cellpose, abs_tol=1e-6)
    theirs = sm.reconcile(run, protocol="cellpose", value="AJI").theirs
    assert theirs is not None and math.isclose(float(theirs.number or 0), jaccard, abs_tol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_information_of_scikit_image_and_the_mean_of_torchmetrics(seed: int) -> None:
    import torch
    from skimage.metrics import variation_of_information
    from torchmetrics.segmentation import MeanIoU

    true, pred = cells(seed)
    run = sm.evaluate(true, pred, protocol="cremi")
    theirs = sm.reconcile(run, protocol="skimage-voi", true=true, pred=pred).theirs
    split_and_merge = [sum(variation_of_information(true[item], pred[item])) for item in true]
    assert theirs is not None and math.isclose(float(theirs.number or 0), np.mean(split_and_merge), abs_tol=1e-9)
    run = sm.evaluate(true, pred, protocol="semantic")
    theirs = sm.reconcile(run, protocol="torchmetrics-miou", true=true, pred=pred).theirs
    metric = MeanIoU(num_classes=6, input_format="index")
    for item in true:
        metric.update(torch.as_tensor(pred[item])[None], torch.as_tensor(true[item])[None])
    assert theirs is not None and math.isclose(float(theirs.number or 0), float(metric.compute()), abs_tol=1e-6)


@pytest.mark.parametrize("collar", [0.0, 0.5])
def test_the_error_rate_of_pyannote(collar: float) -> None:
    from pyannote.core import Annotation, Segment
    from pyannote.metrics.diarization import DiarizationErrorRate

    turns = {
        "true": [(0.0, 2.0, "a"), (2.5, 5.0, "b"), (4.5, 7.0, "a"), (8.0, 9.0, "c")],
        "pred": [(0.25, 2.25, "x"), (2.5, 4.5, "y"), (4.5, 7.5, "x"), (8.25, 9.0, "y")],
    }
    sides = {}
    for side, listed in turns.items():
        sides[side] = Annotation()
        for at, (start, stop, name) in enumerate(listed):
            sides[side][Segment(start, stop), at] = name
    made = [
        {
            "talk": sm.TimeIntervals.from_seconds(
                [(start, stop) for start, stop, _ in turns[side]],
                classes=[name for *_, name in turns[side]],
                end=9,
            )
        }
        for side in ("true", "pred")
    ]
    run = sm.evaluate(*made, protocol="diarization", options={"der": {"collar": collar}})
    theirs = sm.reconcile(run, protocol="pyannote-der").theirs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = DiarizationErrorRate(collar=collar)(sides["true"], sides["pred"])
    assert theirs is not None and math.isclose(float(theirs.number or 0), expected, abs_tol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_empty_cases_of_nnunet_monai_and_brats(seed: int) -> None:
    """Against MONAI, and the definitions of the other two: absent on both sides is left out, or 1; on one side 0."""
    import torch
    from monai.metrics import DiceMetric

    rng = np.random.default_rng(seed)
    true = {f"c{at}": np.kron(rng.integers(0, 2, (5, 5)), np.ones((3, 3), int)) * rng.integers(0, 2) for at in range(8)}
    pred = {item: np.roll(labels, 1) * rng.integers(0, 2) for item, labels in true.items()}
    true["c0"], pred["c0"] = np.zeros((15, 15), int), np.zeros((15, 15), int)
    true["c1"], pred["c1"] = np.zeros((15, 15), int), np.eye(15, dtype=int)
    run = sm.evaluate(true, pred, protocol="nnunet")
    numbers = {}
    for name in ("monai", "metrics-reloaded"):
        theirs = sm.reconcile(run, protocol=name, value="Dice").theirs
        assert theirs is not None
        numbers[name] = float(theirs.number or 0)
    metric = DiceMetric(include_background=True)
    for item in true:
        metric(*(torch.as_tensor(side[item][None, None] == 1) for side in (pred, true)))
    assert math.isclose(numbers["monai"], float(metric.aggregate().item()), abs_tol=1e-6)
    dice = {}
    for item, labels in true.items():
        both = (labels == 1) & (pred[item] == 1)
        total = int((labels == 1).sum() + (pred[item] == 1).sum())
        dice[item] = None if total == 0 else 2 * int(both.sum()) / total
    known = [value for value in dice.values() if value is not None]
    assert math.isclose(run.value("Dice").value, np.mean(known), abs_tol=1e-12)
    one = [1.0 if value is None else value for value in dice.values()]
    steps = sm.reconcile(run, number=f"{np.mean(one):.6f}", value="Dice").explanation
    assert {"both_empty": (None, 1)} in steps.sets
