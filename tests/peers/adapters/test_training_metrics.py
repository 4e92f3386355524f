"""Metrics of Ignite, MONAI and mmengine: equal to ``evaluate``, in one process and in two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError, ShapeMismatchError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

CLASSES = {"labels": "classes", "outside": None}
METRICS = "pq,mean_iou,rand_index"


def data(seed: int, items: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, (items, 4, 5))
    return true, np.where(rng.random(true.shape) < 0.3, rng.integers(0, 3, true.shape), true)


def expected(true: Any, pred: Any, names: Any = None) -> dict[str, float]:
    keys = [f"image {at}" for at in range(len(true))] if names is None else names
    sides = (dict(zip(keys, side, strict=True)) for side in (true, pred))
    scalars = sm.evaluate(*sides, metrics=METRICS, read=CLASSES).scalars()
    return {name: value for name, value in scalars.items() if not name.startswith("class/")}


def same(found: dict[str, float], wanted: dict[str, float]) -> None:
    np.testing.assert_equal({name: float(value) for name, value in found.items()}, wanted)


def test_ignite_attaches_to_an_engine() -> None:
    from ignite.engine import Engine

    from segmetry.adapters.ignite import IgniteMetric

    true, pred = map(torch.from_numpy, data(1))
    metric = IgniteMetric(METRICS, read=CLASSES)
    engine = Engine(lambda _, at: (pred[at], true[at], [f"image {number}" for number in at.tolist()]))
    metric.attach(engine, "segmetry")
    for _ in range(2):  # an epoch begins with nothing
        engine.run([torch.tensor([0, 1, 2]), torch.tensor([2, 3]), torch.tensor([4, 5])])
        same(engine.state.metrics["segmetry"], expected(true.numpy(), pred.numpy()))
    assert engine.state.metrics["pq/by_item_of_classes"] == metric.run().scalars()["pq/by_item_of_classes"]
    metric.reset()
    with pytest.raises(InputError, match="no item has been seen"):
        metric.compute()
    with pytest.raises(OptionError, match="EpochSettings has no option 'rules'; did you mean rule"):
        IgniteMetric(METRICS, rules="theta_and")


def test_monai_takes_one_channel_and_one_hot() -> None:
    from monai.networks.utils import one_hot

    from segmetry.adapters.monai import MonaiMetric

    true, pred = map(torch.from_numpy, data(2))
    metric = MonaiMetric(METRICS, read=CLASSES)
    names = [f"image {at}" for at in range(6)]
    metric(y_pred=pred[:3, None].float(), y=true[:3, None], item_ids=names[:3])
    metric(y_pred=list(one_hot(pred[2:, None], 3)), y=list(one_hot(true[2:, None], 3)), item_ids=names[2:])
    same(metric.aggregate(), expected(true.numpy(), pred.numpy()))
    assert len(metric.run().names) == 6
    metric.reset()
    with pytest.raises(InputError, match="no item has been seen"):
        metric.aggregate()
    metric(y_pred=pred[:, None], y=true[:, None])  # without names
    same(metric.aggregate(), expected(true.numpy(), pred.numpy()))
    with pytest.raises(InputError, match="y_pred has 3 channels and is not one-hot"):
        metric(y_pred=torch.ones(1, 3, 4, 5), y=true[:1, None])
    with pytest.raises(InputError, match="not integers"):
        metric(y_pred=torch.full((1, 1, 4, 5), 0.5), y=true[:1, None])
    with pytest.raises(ShapeMismatchError, match=r"expected \(B, 1, …\)"):
        metric(y_pred=pred[:, 0], y=true[:, 0])
    with pytest.raises(InputError, match="y is missing"):
        metric(y_pred=pred[:, None])


def test_mmengine_evaluates_data_samples(tmp_path: Path) -> None:
    from mmengine.evaluator import Evaluator
    from mmengine.structures import BaseDataElement, PixelData

    from segmetry.adapters.mmengine import MmengineMetric

    true, pred = map(torch.from_numpy, data(3))
    options = {"metrics": METRICS, "read": CLASSES, "out": str(tmp_path / "run.segm")}
    evaluator = Evaluator({"type": "Segmetry", **options})
    for at in range(6):
        sample = BaseDataElement(metainfo={"img_path": f"image {at}"})
        sample.gt_sem_seg, sample.pred_sem_seg = PixelData(data=true[at][None]), PixelData(data=pred[at][None])
        evaluator.process(data_samples=[sample], data_batch=None)
    found = evaluator.evaluate(6)
    same({name.removeprefix("segmetry/"): value for name, value in found.items()}, expected(true.numpy(), pred.numpy()))
    assert sm.Run.open(tmp_path / "run.segm").names == tuple(f"image {at}" for at in range(6))
    metric = MmengineMetric(METRICS, read=CLASSES, true_key="true", pred_key="pred")
    metric.process(None, [{"true": true[0].numpy(), "pred": pred[0], "img_path": "a"}])
    assert metric.run().names == ("a",)
    with pytest.raises(InputError, match="a data sample has no true; it has pred"):
        metric.process(None, [{"pred": pred[0]}])


def test_mmengine_carries_the_names_of_classes(tmp_path: Path) -> None:
    from segmetry.adapters.mmengine import MmengineMetric

    true, pred = map(torch.from_numpy, data(3))
    out = tmp_path / "run.segm"
    metric = MmengineMetric(METRICS, read=CLASSES, per_class=True, out=str(out))
    metric.dataset_meta = {"classes": ("road", "sky", "car")}
    for at in range(6):
        metric.process(None, [{"gt_sem_seg": true[at], "pred_sem_seg": pred[at], "img_path": f"image {at}"}])
    assert metric.run().class_names == {0: "road", 1: "sky", 2: "car"}
    found = metric.evaluate(6)
    whole = sm.evaluate(list(true.numpy()), list(pred.numpy()), metrics=METRICS, read=CLASSES)
    assert found["segmetry/class/sky/pq/pooled"] == whole.summary().classes[1]["pq"]["pooled"]
    assert [row["class_name"] for row in sm.Run.open(out).classes()] == ["road", "sky", "car"]


WORKER = """
import json, sys
import torch, torch.distributed as dist
sys.path.insert(0, sys.argv[4])
from test_training_metrics import data, METRICS, CLASSES
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
import ignite.distributed as idist
from segmetry.adapters.ignite import IgniteMetric
from segmetry.adapters.monai import MonaiMetric
idist.utils.sync()
true, pred = map(torch.from_numpy, data(7, items=5))
ignite, monai = IgniteMetric(METRICS, read=CLASSES), MonaiMetric(METRICS, read=CLASSES)
ignite.reset()
for at in ([0, 1, 2], [3, 4, 0])[rank]:
    names = [f"image {at}"]
    ignite.update((pred[at : at + 1], true[at : at + 1], names))
    monai(y_pred=pred[at : at + 1, None], y=true[at : at + 1, None], item_ids=names)
json.dump([ignite.compute(), monai.aggregate()], open(sys.argv[3], "w"))
dist.destroy_process_group()
"""


def test_two_processes_agree_with_one(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    outs = [tmp_path / f"{rank}.json" for rank in (0, 1)]
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WORKER, str(rank), str(tmp_path / "meeting"), str(outs[rank]), here],
            env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in (0, 1)
    ]
    assert [worker.wait(timeout=300) for worker in workers] == [0, 0]
    for out in outs:
        for found in json.loads(out.read_text()):
            same(found, expected(*data(7, items=5)))
