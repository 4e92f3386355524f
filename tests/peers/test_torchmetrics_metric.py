"""``Segmetry`` for torchmetrics: equal to ``evaluate`` for every metric of tables, however the data are split."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.adapters.epoch import OF_POSITIONS
from segmetry.errors import EmptyInputError, InputError, LabelTypeError, OptionError, SegmetryError, ShapeMismatchError
from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.protocols.protocol import PROTOCOLS

pytestmark = pytest.mark.peers

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

from segmetry.adapters.torchmetrics import Segmetry  # noqa: E402

CLASSES = {"labels": "classes", "void": 255, "outside": None}
OF_TABLES = [key for key, metric in sm.list_metrics().items() if metric.needs in FROM_TABLE]
REQUIRED = {
    "category_iou": {"categories": {"low": [0, 1], "high": [2, 3]}},
    "iiou": {"mean_sizes": {"0": 4.0, "1": 3.0}},
    "category_iiou": {"mean_sizes": {"0": 4.0, "1": 3.0}, "categories": {"low": [0, 1], "high": [2, 3]}},
}
BY_POSITION = {
    name
    for name, protocol in PROTOCOLS.items()
    if not set(protocol.metrics) <= set(OF_TABLES) or not OF_POSITIONS.isdisjoint(protocol.reading)
}


def batch(seed: int, items: int = 5, *, classes: bool = False) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 4, (items, 2, 3)).repeat(2, 1).repeat(3, 2)
    if classes:
        target[rng.random(target.shape) < 0.05] = 255
    preds = np.where(rng.random(target.shape) < 0.3, rng.integers(0, 4, target.shape), target % 255)
    return torch.from_numpy(preds), torch.from_numpy(target)


def same(found: dict[str, Any], expected: dict[str, float]) -> None:
    assert list(found) == list(expected)
    wrong = {
        name: (float(found[name]), value)
        for name, value in expected.items()
        if not (float(found[name]) == value or (math.isnan(value) and math.isnan(float(found[name]))))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("key", "classes"),
    [(key, at % 2 == 0 or sm.list_metrics()[key].needs == "table") for at, key in enumerate(OF_TABLES)],
)
def test_every_metric_of_tables_equals_evaluate(key: str, classes: bool) -> None:
    read = CLASSES if classes else None
    options = {key: REQUIRED[key]} if key in REQUIRED else None
    preds, target = batch(3, classes=classes)
    try:
        run = sm.evaluate(target.numpy(), preds.numpy(), batch=True, metrics=[key], read=read, options=options)
        expected = run.scalars()
    except SegmetryError as problem:  # such as a metric of classes without classes: the same error after one batch
        with pytest.raises(type(problem)):
            Segmetry([key], read=read, options=options, per_class=True).update(preds, target)
        return
    metric = Segmetry([key], read=read, options=options, per_class=True)
    metric.update(preds[:2], target[:2], item_ids=[0, 1])
    metric.update(preds[1:], target[1:], item_ids=[1, 2, 3, 4])
    same(metric.compute(), expected)


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name not in BY_POSITION])
def test_protocols_of_tables_equal_evaluate(name: str) -> None:
    preds, target = batch(4)
    try:
        run = sm.evaluate(target.numpy(), preds.numpy(), batch=True, protocol=name)
        expected = run.scalars()
    except SegmetryError as problem:
        with pytest.raises(type(problem)):
            Segmetry(protocol=name).update(preds, target)
        return
    metric = Segmetry(protocol=name, per_class=True)
    metric.update(preds, target, item_ids=range(5))
    same(metric.compute(), expected)
    assert metric.run().protocol is PROTOCOLS[name]


def test_category_maps_equal_evaluate_of_both() -> None:
    rng = np.random.default_rng(1)
    target = np.stack((rng.choice([0, 3, 7, 255], (4, 6, 6)), rng.integers(0, 3, (4, 6, 6))), axis=-1)
    preds = np.where(rng.random((4, 6, 6, 1)) < 0.2, np.roll(target, 1, axis=0), target)
    metric = Segmetry("pq,mean_iou", category_maps=True, stuff=[0, 3], read={"void": 255}, per_class=True)
    metric.update(torch.from_numpy(preds), torch.from_numpy(target), item_ids=list("abcd"))
    sides = [np.where(np.isin(side[..., 0], [0, 3]), 0, side[..., 1]) + 1000 * side[..., 0] for side in (target, preds)]
    read = {"labels": "both", "instances_per_class": 1000, "void": 255, "outside": None}
    run = sm.evaluate(*(dict(zip("abcd", side, strict=True)) for side in sides), metrics="pq,mean_iou", read=read)
    same(metric.compute(), run.scalars())


def test_a_run_has_names_and_can_be_saved(tmp_path: Path) -> None:
    preds, target = batch(2)
    metric = Segmetry("pq,aji")
    metric.update(preds, target, item_ids=["d", "a", "ü", "b", "e"])
    assert metric.run(out=tmp_path / "epoch.segm").names == ("a", "b", "d", "e", "ü")
    assert sm.Run.open(tmp_path / "epoch.segm").scalars() == metric.run().scalars()
    volumes = Segmetry("pq")
    volumes.update(preds[:, None], target[:, None])
    assert [row["unit"] for row in volumes.run().items()] == ["voxels"] * 5
    assert volumes.run().names == tuple(f"item {at}" for at in range(1, 6))


def test_the_split_of_the_data_changes_no_bit_and_no_order() -> None:
    preds, target = batch(8, items=6)
    runs = []
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]):
        metric = Segmetry("pq,ami,dice", read=CLASSES)
        for at in order:
            metric.update(preds[at : at + 1], target[at : at + 1])
        runs.append(metric.run())
    assert runs[0].scalars() == runs[1].scalars()
    assert runs[0].items() == runs[1].items()


def test_forward_reset_collections_and_pickles() -> None:
    preds, target = batch(5)
    metric = Segmetry("pq")
    assert metric(preds[:1], target[:1])["pq/by_item"] == sm.pq(target[0].numpy(), preds[0].numpy()).value
    metric(preds[1:], target[1:])
    whole = metric.compute()
    copy = pickle.loads(pickle.dumps(metric))  # noqa: S301
    same(copy.compute(), {name: float(value) for name, value in whole.items()})
    metric.reset()
    metric.update(preds[:1], target[:1])
    assert float(metric.compute()["pq/by_item"]) == sm.pq(target[0].numpy(), preds[0].numpy()).value
    both = torchmetrics.MetricCollection(
        {"segments": Segmetry("pq"), "accuracy": torchmetrics.classification.MulticlassAccuracy(4, average="micro")}
    )
    both.update(preds, target)
    assert float(both.compute()["pq/by_item"]) == float(whole["pq/by_item"])


def test_what_cannot_be_kept_is_rejected_before_or_at_the_first_batch() -> None:
    for name in BY_POSITION:
        with pytest.raises(OptionError, match="are kept over an epoch"):
            Segmetry(protocol=name)
    for options, words in (
        ({"metrics": "pq,hausdorff95"}, "hausdorff95 needs the segmentations"),
        ({"protocol": "monai"}, "class_hausdorff .* protocol monai"),
        ({"metrics": "pq", "read": {"components": 4}}, "components .* depends on positions"),
        ({"metrics": "pq", "read": {"true_border": 1}}, "border .* depends on positions"),
    ):
        with pytest.raises(OptionError, match=words):
            Segmetry(**options)
    preds, target = batch(1)
    with pytest.raises(InputError, match="expected"):
        Segmetry("mean_iou", read={"labels": "classes", "num_classes": 2}).update(preds, target)
    metric = Segmetry("pq")
    with pytest.raises(ShapeMismatchError, match=r"expected the same shape \(B, …\)"):
        metric.update(preds, target[:3])
    with pytest.raises(InputError, match="2 item_ids for a batch of 5"):
        metric.update(preds, target, item_ids=["a", "b"])
    with pytest.raises(LabelTypeError, match="pred has dtype float32"):
        metric.update(preds.float(), target)
    with pytest.raises(EmptyInputError, match="at least one element"):
        metric.update(preds[:, :0], target[:, :0])
    with pytest.raises(LabelTypeError, match="instance -1 of category 3"):
        Segmetry("pq", category_maps=True).update(torch.tensor([[[3, -1]]]), torch.tensor([[[3, 1]]]))
    metric.update(preds[:1], target[:1], item_ids=["a"])
    metric.update(preds[1:2], target[1:2], item_ids=["a"])
    with pytest.raises(InputError, match="item a has two results that differ"):
        metric.compute()
    with pytest.raises(InputError, match="no item has been seen"), pytest.warns(UserWarning, match="compute"):
        Segmetry("pq").compute()


def test_default_metrics_follow_from_tables() -> None:
    preds, target = batch(1)
    metric = Segmetry()
    metric.update(preds, target)
    assert "pq/by_item" in metric.compute()


WORKER = """
import json, sys
import torch, torch.distributed as dist
sys.path.insert(0, sys.argv[4])
from test_torchmetrics_metric import batch, Segmetry
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
preds, target = batch(7, items=7)
found = []
for shares in (([0, 2, 4, 6], [1, 3, 5, 0]), ([0, 1, 2, 3, 4, 5, 6], [])):
    metric = Segmetry("pq,mean_iou,rand_index", read={"labels": "classes", "outside": 0})
    for at in shares[rank]:
        metric.update(preds[at : at + 1], target[at : at + 1], item_ids=[f"image {at}"])
    if not shares[rank]:
        metric._update_count = 1  # torchmetrics warns of a metric without an update
    found.append({name: float(value) for name, value in metric.compute().items()})
    metric._computed = None
    found.append({name: float(value) for name, value in metric.compute().items()})
    with metric.sync_context():
        found.append(len(metric.run().names))
json.dump(found, open(sys.argv[3], "w"))
dist.destroy_process_group()
"""


def test_two_processes_agree_with_one_and_a_padded_item_counts_once(tmp_path: Path) -> None:
    outs = [tmp_path / f"{rank}.json" for rank in (0, 1)]
    here = str(Path(__file__).parent)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(rank), str(tmp_path / "meeting"), str(outs[rank]), here],
            env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in (0, 1)
    ]
    assert [worker.wait(timeout=300) for worker in workers] == [0, 0]
    preds, target = batch(7, items=7)
    alone = Segmetry("pq,mean_iou,rand_index", read={"labels": "classes", "outside": 0})
    alone.update(preds, target, item_ids=[f"image {at}" for at in range(7)])
    expected = {name: float(value) for name, value in alone.compute().items()}
    for out in outs:
        assert json.loads(out.read_text()) == [expected, expected, 7] * 2
