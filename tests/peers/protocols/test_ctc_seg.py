"""The protocol ``ctc-seg`` against py-ctcmetrics, which reads frames from files; here they are given to it."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.peers.protocols.single_modules import module_of
from tests.protocols.references.cell_images import Image, Pair, data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

FRAMES: dict[str, Image] = {}
CTC = module_of("ctc_metrics", "utils/representations.py")
CTC.tiff = SimpleNamespace(imread=lambda path: FRAMES[path].copy())
CTC.os = SimpleNamespace(path=SimpleNamespace(exists=lambda _path: True))
SEG, DET = (module_of("ctc_metrics", f"metrics/technical/{name}.py") for name in ("seg", "det"))


def reference(images: list[Pair]) -> dict[str, float]:
    """SEG and DET of the package; a background pixel is added, without which it drops a cell (a named exception)."""
    matches = []
    for true, pred in images:
        FRAMES.update({"true": np.pad(true, 1), "pred": np.pad(pred, 1)})
        matches.append(CTC.match("true", "pred"))
    labels_true, labels_pred, mapped_true, mapped_pred, ious = map(list, zip(*matches, strict=True))
    if not any(labels_true):
        return {"SEG": math.nan, "DET": math.nan}
    operations = CTC.count_acyclic_graph_correction_operations(
        None, None, labels_true, labels_pred, mapped_true, mapped_pred
    )
    return {"SEG": SEG.seg(labels_true, ious), "DET": DET.det(**operations)}


def test_equals_the_package() -> None:
    for images in data_sets(61):
        (row,) = evaluated(images, "ctc-seg").values()
        for heading, expected in reference(images).items():
            assert same(row[heading], expected), (heading, row, expected, images)
