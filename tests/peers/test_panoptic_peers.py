"""Policy ``torchmetrics`` against torchmetrics on random maps with void on both sides; known differences named."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm

pytestmark = pytest.mark.peers

torch = pytest.importorskip("torch")
peer = pytest.importorskip("torchmetrics.functional.detection")

THINGS, STUFF = [0, 1, 5], [6, 7]
N_CASES = 500


def random_map(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Blocks of (category, instance), some of unknown categories."""
    categories = rng.choice([*THINGS, *STUFF, 255, 9], size=6)
    instances = rng.integers(0, 3, size=6)
    coarse = rng.integers(0, 6, size=shape)
    return np.stack((categories[coarse], instances[coarse]), axis=-1)


def disturbed(rng: np.random.Generator, found: NDArray[np.int64]) -> NDArray[np.int64]:
    other = found.copy()
    change = rng.random(found.shape[:-1]) < rng.choice([0.0, 0.1, 0.4])
    other[change] = random_map(rng, found.shape[:-1])[change]
    return other


def batch(seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 4)), *rng.integers(1, 7, size=int(rng.integers(1, 3))).tolist())
    target = random_map(rng, shape)
    pred = disturbed(rng, target) if rng.random() < 0.7 else random_map(rng, shape)
    return target, pred


def ours(target: NDArray[Any], pred: NDArray[Any]) -> Any:
    true, found = (
        {
            str(item): sm.LabelArray.from_categories(
                labels[..., 0], labels[..., 1], things=THINGS, stuff=STUFF, unknown="void"
            )
            for item, labels in enumerate(maps)
        }
        for maps in (target, pred)
    )
    return sm.evaluate(
        true,
        found,
        metrics=["pq", "sq", "rq", "pq_dagger"],
        policy="torchmetrics",
        groups={"things": THINGS, "stuff": STUFF},
        engine="serial",
    ).summary()


def value(score: Any) -> float:
    return float(score.value)


@pytest.mark.filterwarnings("ignore:the two sides have no class in common")
@pytest.mark.parametrize("block", range(5))
def test_equals_torchmetrics_on_random_cases(block: int) -> None:
    for seed in range(block * N_CASES // 5, (block + 1) * N_CASES // 5):
        target, pred = batch(seed)
        tensors = torch.from_numpy(pred), torch.from_numpy(target)
        facts: dict[str, Any] = {"things": THINGS, "stuffs": STUFF, "allow_unknown_preds_category": True}
        theirs = peer.panoptic_quality(*tensors, **facts, return_sq_and_rq=True)
        per_class = peer.panoptic_quality(*tensors, **facts, return_sq_and_rq=True, return_per_class=True)
        modified = float(peer.modified_panoptic_quality(*tensors, **facts))
        summary = ours(target, pred)
        row = summary.groups["all"]
        for at, key in enumerate(("pq", "sq", "rq")):
            found = value(row[key]["by_class"])
            assert found == pytest.approx(float(theirs[at]), abs=1e-6, nan_ok=True), (seed, key)
        assert value(row["pq_dagger"]["by_class"]) == pytest.approx(modified, abs=1e-6, nan_ok=True), seed
        for at, name in enumerate([*sorted(THINGS), *sorted(STUFF)]):
            found = (
                [value(summary.parts[name][k]["pooled"]) for k in ("pq", "sq", "rq")]
                if name in summary.parts
                else [0.0] * 3
            )
            found = [0.0 if math.isnan(v) else v for v in found]
            assert found == pytest.approx(per_class[at].tolist(), abs=1e-6), (seed, name)


def one_class(target: NDArray[np.int64], pred: NDArray[np.int64]) -> tuple[float, float]:
    """PQ of torchmetrics and ours under its policy, for maps of category 0 (things) and 255 (unknown)."""
    instances = np.zeros_like(target)
    tensors = (torch.from_numpy(np.stack((m, instances), axis=-1)[None]) for m in (pred, target))
    theirs = peer.panoptic_quality(*tensors, things=[0], stuffs=[1], allow_unknown_preds_category=True)
    true, found = (sm.LabelArray.from_categories(m, things=[0], stuff=[1], unknown="void") for m in (target, pred))
    return float(theirs), sm.pq(true, found, policy="torchmetrics").value


def test_named_exception_predicted_void_is_forgiven() -> None:
    """4 of 10 pixels right and 6 predicted void: PQ 1 there, and 1 under its policy; 0 as the COCO reference counts."""
    target, pred = np.zeros(10, dtype=np.int64), np.array([0] * 4 + [255] * 6)
    assert one_class(target, pred) == (1.0, 1.0)
    true, found = (sm.LabelArray.from_categories(m, things=[0], unknown="void") for m in (target, pred))
    assert sm.pq(true, found, policy="coco").value == 0.0


def test_named_exception_float32_decides_there() -> None:
    """IoU (2²⁴+1)/2²⁵ is above ½; torchmetrics divides in float32, gets ½, and misses the pair."""
    from torchmetrics.functional.detection._panoptic_quality_common import _calculate_iou

    shared, size = torch.tensor(2**24 + 1), torch.tensor(2**25)
    color, void = (0, 0), (2, 0)
    theirs = _calculate_iou(color, color, {color: shared}, {color: size}, {(color, color): shared}, void)
    assert not theirs > 0.5
    table = sm.OverlapTable.from_rows([(1, 1, 2**24 + 1)], true_sizes={1: 2**25})
    assert table.align("theta_plus", policy="torchmetrics").pq.value == (2**24 + 1) / 2**25


def test_named_exception_no_class_present_is_undefined_here_and_nan_there() -> None:
    theirs, mine = one_class(np.full(4, 255), np.full(4, 255))
    assert math.isnan(theirs)
    assert math.isnan(mine)


def test_torch_tensors_are_taken_as_they_are() -> None:
    true, pred = torch.tensor([[1, 1, 2]]), torch.tensor([[1, 1, 0]])
    assert sm.pq(true, pred).value == pytest.approx(2 / 3)
    assert sm.pq(true.to(torch.uint8), pred.T.contiguous().T).value == pytest.approx(2 / 3)
    with pytest.raises(sm.SegmetryError, match="float"):
        sm.pq(true.float(), pred)
    with pytest.raises(sm.SegmetryError, match="true: labels are a Tensor that numpy cannot read"):
        sm.pq(torch.ones((1, 3), requires_grad=True), pred)
    category = torch.tensor([[0, 0, 7]])
    assert sm.LabelArray.from_categories(category, category, things={0}, stuff={7}).classes == {1: 0, 2: 7}
