"""Surface distances against MedPy, areas, boxes and inner boundaries against scikit-image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.distances import surface_distances
from segmetry.kernels.segment_measures import segment_geometry

pytestmark = pytest.mark.peers


def blobs(seed: int, shape: tuple[int, ...]) -> NDArray[Any]:
    """Overlapping boxes in random places."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(shape, int)
    for label in range(1, 8):
        corner = [int(rng.integers(0, size)) for size in shape]
        labels[tuple(slice(a, a + int(rng.integers(1, 9))) for a in corner)] = label
    return labels


@pytest.mark.parametrize("shape", [(30, 40), (12, 14, 16)])
@pytest.mark.parametrize("spacing", [1.0, 0.5, 2.25])
@pytest.mark.parametrize("seed", range(5))
def test_medpy_agrees_on_hausdorff_and_average_surface_distance(
    shape: tuple[int, ...], spacing: float, seed: int
) -> None:
    binary = pytest.importorskip("medpy.metric.binary")
    true, pred = blobs(seed, shape) > 0, blobs(seed + 100, shape) > 0
    lengths = [spacing, *[1.0] * (len(shape) - 1)]
    ours = surface_distances(true, pred, lengths)
    assert binary.hd(pred, true, voxelspacing=lengths) == pytest.approx(max(map(np.max, ours)), rel=1e-12)
    assert binary.asd(pred, true, voxelspacing=lengths) == pytest.approx(ours.pred_to_true.mean(), rel=1e-12)
    assert binary.asd(true, pred, voxelspacing=lengths) == pytest.approx(ours.true_to_pred.mean(), rel=1e-12)
    # MedPy's 95 % distance is the percentile of both directions together.
    pooled = np.percentile(np.concatenate(ours), 95)
    assert binary.hd95(pred, true, voxelspacing=lengths) == pytest.approx(pooled, rel=1e-12)


@pytest.mark.parametrize("shape", [(30, 40), (12, 14, 16)])
@pytest.mark.parametrize("seed", range(5))
def test_scikit_image_agrees_on_area_box_and_surface(shape: tuple[int, ...], seed: int) -> None:
    measure = pytest.importorskip("skimage.measure")
    segmentation = pytest.importorskip("skimage.segmentation")
    labels = blobs(seed, shape)
    geometry = segment_geometry(labels)
    regions = measure.regionprops(labels)
    assert geometry.labels[1:].tolist() == [region.label for region in regions]
    assert geometry.area[1:].tolist() == [int(region.area) for region in regions]
    for region, box in zip(regions, geometry.box[1:], strict=True):
        assert (*box[:, 0].tolist(), *box[:, 1].tolist()) == tuple(region.bbox)
    # scikit-image does not count the frame as outside, so each mask gets a margin first.
    for label, inner in zip(geometry.labels.tolist(), geometry.inner_pixels.tolist(), strict=True):
        mask = np.pad(labels == label, 1)
        assert segmentation.find_boundaries(mask, connectivity=1, mode="inner", background=0).sum() == inner
