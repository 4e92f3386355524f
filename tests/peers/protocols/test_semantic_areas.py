"""The class areas of mmsegmentation, which counts with torch, are those of the transcription."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.protocols.references.class_maps import ClassMap, class_maps, degenerate_maps
from tests.protocols.references.test_semantic import class_areas

pytestmark = pytest.mark.peers

N = 5


def mmseg_areas(pred: ClassMap, label: ClassMap, n: int, ignore: int = 255) -> ClassMap:
    """Intersection, prediction and label areas, by torch.histc as in mmsegmentation 1.x."""
    kept = torch.from_numpy(label.astype(np.int64)) != ignore
    both = [torch.from_numpy(side.astype(np.int64))[kept] for side in (pred, label)]
    parts = [both[0][both[0] == both[1]], *both]
    areas = torch.stack([torch.histc(part.float(), bins=n, min=0, max=n - 1) for part in parts])
    return np.asarray(areas.double().numpy())


def test_torch_and_numpy_count_the_same_areas() -> None:
    values = [*range(N), 255]
    for pairs in [*class_maps(61, values, values), *degenerate_maps(255)]:
        for true, pred in pairs:
            assert np.array_equal(mmseg_areas(pred, true, N), class_areas(pred, true, N))
