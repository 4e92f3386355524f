"""The torchmetrics adapter: equal to the peer, the same bits however data are split, duplicates counted once."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.errors import ClassesError, InputError, ShapeMismatchError
from segmetry.kernels.pairs import CategoryPairs

pytestmark = pytest.mark.peers

torch = pytest.importorskip("torch")
peer = pytest.importorskip("torchmetrics.detection")

from segmetry.adapters.torchmetrics import PanopticQuality, tables_of_categories  # noqa: E402

THINGS, STUFFS = {0, 1}, {6, 7}


def maps(seed: int, items: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    target = np.stack((rng.choice([0, 1, 6, 7, 255], (items, 5, 6)), rng.integers(0, 2, (items, 5, 6))), axis=-1)
    other = np.stack((rng.choice([0, 1, 6, 7], (items, 5, 6)), rng.integers(0, 2, (items, 5, 6))), axis=-1)
    change = rng.random((items, 5, 6)) < 0.3
    known = np.where(np.isin(target[..., :1], [0, 1, 6, 7]), target, other)
    return torch.from_numpy(np.where(change[..., None], other, known)), torch.from_numpy(target)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_sq_and_rq": True},
        {"return_per_class": True},
        {"return_sq_and_rq": True, "return_per_class": True},
    ],
)
def test_equals_the_peer_batch_by_batch(options: dict[str, bool]) -> None:
    ours, theirs = PanopticQuality(THINGS, STUFFS, **options), peer.PanopticQuality(THINGS, STUFFS, **options)
    for seed in range(3):
        batch = maps(seed)
        assert torch.allclose(ours(*batch), theirs(*batch), atol=1e-6)
    assert torch.allclose(ours.compute(), theirs.compute(), atol=1e-6)
    assert ours.compute().shape == theirs.compute().shape
    ours.reset()
    theirs.reset()
    ours.update(*maps(9))
    theirs.update(*maps(9))
    assert torch.allclose(ours.compute(), theirs.compute(), atol=1e-6)


def test_modified_equals_the_peer() -> None:
    ours, theirs = PanopticQuality(THINGS, STUFFS, modified=True), peer.ModifiedPanopticQuality(THINGS, STUFFS)
    for seed in range(3):
        ours.update(*maps(seed))
        theirs.update(*maps(seed))
    assert float(ours.compute()) == pytest.approx(float(theirs.compute()), abs=1e-6)


def test_items_seen_twice_count_once() -> None:
    preds, target = maps(1)
    once, twice = PanopticQuality(THINGS, STUFFS), PanopticQuality(THINGS, STUFFS)
    once.update(preds, target)
    twice.update(preds, target, item_ids=["a", "b", "c", "d", "e", "f"])
    twice.update(preds[2:5], target[2:5], item_ids=["c", "d", "e"])
    assert float(once.compute()) == float(twice.compute())
    summary = twice.summary()
    assert summary is not None
    assert summary.n_items == 6
    without = PanopticQuality(THINGS, STUFFS)
    without.update(preds, target)
    without.update(preds[2:5], target[2:5])
    assert without.summary().n_items == 9  # type: ignore[union-attr]
    numbers = PanopticQuality(THINGS, STUFFS)
    numbers.update(preds[:2], target[:2], item_ids=[1, "1"])
    assert numbers.summary().n_items == 2  # type: ignore[union-attr]


def test_an_id_with_two_results_is_an_error() -> None:
    preds, target = maps(1)
    metric = PanopticQuality(THINGS, STUFFS)
    metric.update(preds[:2], target[:2], item_ids=["a", "a"])
    with pytest.raises(InputError, match="two results that differ"):
        metric.compute()


def test_the_split_of_the_data_changes_no_bit() -> None:
    preds, target = maps(4, items=8)
    values = []
    for step in (1, 3, 8):
        metric = PanopticQuality(THINGS, STUFFS, rule="theta_and")
        for start in range(0, 8, step):
            metric.update(preds[start : start + step], target[start : start + step])
        values.append(float(metric.compute()))
    assert len(set(values)) == 1


def test_nothing_seen_is_nan_and_nothing_to_score_is_nan() -> None:
    metric = PanopticQuality(THINGS, STUFFS, allow_unknown_preds_category=True)
    with pytest.warns(UserWarning, match="compute"):
        assert math.isnan(float(metric.compute()))
    metric.reset()
    nothing = torch.full((1, 2, 2, 2), 255)
    metric.update(nothing, nothing)
    assert math.isnan(float(metric.compute()))


def test_a_rule_that_gives_several_partners_is_an_error() -> None:
    target = torch.tensor([[[0, 1], [0, 1], [0, 1], [0, 1]]])
    preds = torch.tensor([[[0, 1], [0, 1], [0, 2], [0, 2]]])
    with pytest.raises(InputError, match="several partners"):
        PanopticQuality(THINGS, rule="iou(above=1/3)").update(preds, target)


def test_bad_batches_are_named() -> None:
    preds, target = maps(1)
    metric = PanopticQuality(THINGS, STUFFS)
    with pytest.raises(ShapeMismatchError, match=r"expected the same shape \(B, …, 2\)"):
        metric.update(preds, target[:3])
    with pytest.raises(InputError, match="2 item_ids for a batch of 6"):
        metric.update(preds, target, item_ids=["a", "b"])
    with pytest.raises(ClassesError, match="category 255 is neither"):
        metric.update(torch.full_like(preds, 255), target)


WORKER = """
import json, sys
import torch, torch.distributed as dist
sys.path.insert(0, sys.argv[4])
from test_torchmetrics_adapter import maps, PanopticQuality, THINGS, STUFFS
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
preds, target = maps(7, items=7)
metric = PanopticQuality(THINGS, STUFFS)
mine = list(range(rank, 7, 2)) if rank == 0 else [1, 3, 5, 0]
for at in mine:
    metric.update(preds[at : at + 1], target[at : at + 1], item_ids=[f"image {at}"])
value = float(metric.compute())
local = metric.summary().n_items
with open(sys.argv[3], "w") as out:
    json.dump([value, local], out)
dist.destroy_process_group()
"""


def test_two_processes_synchronise_and_a_padded_item_counts_once(tmp_path: Path) -> None:
    meeting, here = tmp_path / "meeting", str(Path(__file__).parent)
    outs = [tmp_path / f"{rank}.json" for rank in (0, 1)]
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(rank), str(meeting), str(outs[rank]), here],
            env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in (0, 1)
    ]
    assert [worker.wait(timeout=300) for worker in workers] == [0, 0]
    alone = PanopticQuality(THINGS, STUFFS)
    alone.update(*maps(7, items=7))
    assert [json.loads(out.read_text()) for out in outs] == [[float(alone.compute()), 4], [float(alone.compute()), 4]]


def test_the_example_of_tables_of_categories() -> None:
    one = np.ones(3, dtype=np.int64)
    pairs = CategoryPairs(0 * one, np.array([7, 7, 9]), one, np.array([7, 6, 6]), np.array([1, 4, 5]), one)
    tables = tables_of_categories(pairs, ["a"], things=[7], stuff=[6])
    assert (
        tables.true.sizes.tolist(),
        tables.pred.sizes.tolist(),
        tables.pred.void.tolist(),
        tables.shared.tolist(),
    ) == ([2], [2, 1], [1, 0], [1, 1])
