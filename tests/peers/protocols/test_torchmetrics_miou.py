"""``torchmetrics-miou`` against torchmetrics' MeanIoU, which adds in single precision."""

from __future__ import annotations

import pytest
import torch
from torchmetrics.segmentation import MeanIoU

import segmetry as sm
from tests.protocols.references.class_maps import Pair, as_items, class_maps, degenerate_maps
from tests.protocols.references.table_values import shown

pytestmark = pytest.mark.peers

N = 5
SINGLE = 1e-6
"""The precision of the reference."""


def reference(pairs: list[Pair]) -> tuple[float, list[float]]:
    metrics = [MeanIoU(num_classes=N, input_format="index", per_class=per_class) for per_class in (False, True)]
    for true, pred in pairs:
        tensors = [torch.from_numpy(side.astype("int64"))[None] for side in (pred, true)]
        for metric in metrics:
            metric.update(*tensors)
    return float(metrics[0].compute()), metrics[1].compute().tolist()


@pytest.mark.filterwarnings("ignore")
def test_torchmetrics_miou_equals_torchmetrics() -> None:
    for pairs in [*class_maps(64, list(range(N)), list(range(N))), *degenerate_maps(None)]:
        value, classes = reference(pairs)
        run = sm.evaluate(as_items(pairs, 0), as_items(pairs, 1), protocol="torchmetrics-miou", engine="serial")
        assert run.modified == ()
        (row,) = shown(run).values()
        assert row["MeanIoU"] == pytest.approx(value, rel=SINGLE, abs=SINGLE), pairs
        own = shown(run, classes=True)
        for number, expected in enumerate(classes):
            (cell,) = own.get(str(number), {"": None}).values()
            if expected == -1:
                assert cell is None, "a class that occurs nowhere has no row: the named exception"
            else:
                assert cell == pytest.approx(expected, rel=SINGLE, abs=SINGLE)


def test_an_absent_class_is_minus_one_in_the_reference_and_undefined_here() -> None:
    pair = (torch.zeros(1, 1).numpy(), torch.zeros(1, 1).numpy())
    value, classes = reference([pair])
    assert value == 1 and classes == [1, -1, -1, -1, -1]
    run = sm.evaluate(*({"a": [[0]]} for _ in range(2)), protocol="torchmetrics-miou")
    assert [row["class"] for row in run.classes()] == [0]
