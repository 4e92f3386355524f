"""Connected components of several labels at once, against cc3d."""

from __future__ import annotations

import numpy as np
import pytest

from segmetry.kernels.components import NEIGHBOURS, label_components

cc3d = pytest.importorskip("cc3d")
pytestmark = pytest.mark.peers


@pytest.mark.parametrize("neighbours", sorted(NEIGHBOURS))
@pytest.mark.parametrize("n_labels", [2, 3, 6])
def test_components_equal_cc3d(neighbours: int, n_labels: int) -> None:
    shape = (90, 110) if NEIGHBOURS[neighbours] == 2 else (15, 30, 40)
    labels = np.random.default_rng(neighbours).integers(0, n_labels, shape).astype(np.uint8)
    ours = label_components(labels, neighbours).numbers
    theirs = cc3d.connected_components(labels, connectivity=neighbours)
    pairs = np.unique(np.stack([ours.ravel(), theirs.ravel().astype(np.int64)]), axis=1)
    assert pairs.shape[1] == ours.max() + 1 == theirs.max() + 1, "the same components under other numbers"
