"""Surface distances against MedPy, scipy and surface-distance: equal where definitions agree, else named."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.geometry.surface_statistics import piece_areas
from tests.geometry.strategies import random_blobs

pytestmark = pytest.mark.peers

Mask = NDArray[np.bool_]


def random_pair(seed: int) -> tuple[Mask, Mask, tuple[float, ...]]:
    """Two overlapping regions in 2-D or 3-D, some touching the frame, with an uneven spacing every other time."""
    rng = np.random.default_rng(seed)
    axes = int(rng.integers(2, 4))
    shape = tuple(rng.integers(5, 24 if axes == 2 else 12, axes).tolist())
    true = random_blobs(rng, shape, float(rng.uniform(0.5, 2.5)))
    pred = np.roll(true, tuple(rng.integers(-1, 2, axes)), axis=tuple(range(axes)))
    pred ^= rng.random(shape) < 0.03
    spacing = tuple(rng.choice([0.5, 0.7, 1.0, 2.5], axes).tolist()) if seed % 2 else (1.0,) * axes
    return true, pred, spacing


def labelled(pair: tuple[Mask, Mask, tuple[float, ...]]) -> tuple[sm.LabelArray, sm.LabelArray]:
    true, pred, spacing = pair
    return sm.LabelArray(true, spacing=spacing), sm.LabelArray(pred, spacing=spacing)


ALWAYS: dict[str, Any] = {"rule": "largest_overlap"}
"""Every pair is measured, however small its overlap."""


@pytest.mark.parametrize("seed", range(250))
def test_hausdorff_distances_and_average_equal_medpy(seed: int) -> None:
    from medpy.metric import binary

    pair = random_pair(seed)
    true, pred, spacing = pair
    if not (true & pred).any():
        pytest.fail("the generator must make overlapping pairs")
    ours = labelled(pair)
    assert sm.hausdorff(*ours, **ALWAYS).value == pytest.approx(binary.hd(pred, true, spacing), abs=1e-10)
    pooled = sm.hausdorff95(*ours, percentile="pooled", **ALWAYS).value
    assert pooled == pytest.approx(binary.hd95(pred, true, spacing), abs=1e-10)
    average = sm.average_surface_distance(*ours, **ALWAYS).value
    assert average == pytest.approx(binary.assd(pred, true, spacing), abs=1e-10)
    directed = sm.average_surface_distance(*ours, average="directed", **ALWAYS).value
    ways = binary.asd(pred, true, spacing), binary.asd(true, pred, spacing)
    assert directed == pytest.approx(np.mean(ways), abs=1e-10)


def test_named_difference_medpy_pools_its_percentile() -> None:
    """Distances 0, 0, 0 one way and 0, 0, 0, 10 the other: among all of them the 10 is rarer."""
    from medpy.metric import binary

    true, pred = np.zeros((2, 1, 40), dtype=bool)
    true[0, :3] = pred[0, :3] = True
    pred[0, 12] = True
    ours = sm.LabelArray(true), sm.LabelArray(pred)
    directed = sm.hausdorff95(*ours, **ALWAYS).value
    assert directed == np.percentile([0, 0, 0, 10], 95)
    assert sm.hausdorff95(*ours, percentile="pooled", **ALWAYS).value == binary.hd95(pred, true) < directed


@pytest.mark.parametrize("seed", range(50))
def test_all_elements_equal_the_directed_hausdorff_of_scipy(seed: int) -> None:
    from scipy.spatial.distance import directed_hausdorff

    pair = random_pair(seed)
    true, pred, spacing = pair
    first, second = np.argwhere(true) * spacing, np.argwhere(pred) * spacing
    expected = max(directed_hausdorff(first, second)[0], directed_hausdorff(second, first)[0])
    assert sm.hausdorff(*labelled(pair), points="all", **ALWAYS).value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("seed", range(50))
def test_centres_equal_the_centres_of_mass_of_scipy(seed: int) -> None:
    from scipy.ndimage import center_of_mass

    pair = random_pair(seed)
    true, pred, spacing = pair
    apart = (np.array(center_of_mass(true)) - np.array(center_of_mass(pred))) * spacing
    assert sm.centre_distance(*labelled(pair), **ALWAYS).value == pytest.approx(np.linalg.norm(apart), abs=1e-10)


def padded(*rows: str) -> Mask:
    return np.pad(np.array([[letter == "#" for letter in row] for row in rows]), 2)


TWO_SQUARES = padded("#######.", *["#######."] * 6), padded(".#######", *[".#######"] * 6)
GROWN = padded("#."), padded("##")
HOLE = padded(*["#######"] * 7), padded(*["#######"] * 3, "###.###", *["#######"] * 3)
quiet = pytest.mark.filterwarnings("ignore:Please import:DeprecationWarning")
"""surface-distance uses names that scipy is about to drop."""


def measured(true: Mask, pred: Mask) -> Any:
    import surface_distance

    return surface_distance.compute_surface_distances(true, pred, (1, 1))


@quiet
def test_a_shifted_square_has_the_values_of_surface_distance() -> None:
    from surface_distance import compute_robust_hausdorff, compute_surface_dice_at_tolerance

    theirs = measured(*TWO_SQUARES)
    assert compute_robust_hausdorff(theirs, 100) == sm.hausdorff(*TWO_SQUARES).value == 1
    for tolerance, value in ((0, 0.5), (1, 1)):
        assert compute_surface_dice_at_tolerance(theirs, tolerance) == value
        assert sm.surface_dice(*TWO_SQUARES, tolerance=tolerance).value == value


@quiet
@pytest.mark.parametrize("seed", range(300))
def test_surface_dice_and_the_percentile_of_the_area_equal_surface_distance(seed: int) -> None:
    from surface_distance import compute_robust_hausdorff, compute_surface_dice_at_tolerance, compute_surface_distances

    pair = random_pair(seed)
    true, pred, spacing = pair
    theirs = compute_surface_distances(true, pred, spacing)
    ours = labelled(pair)
    percentile = sm.hausdorff95(*ours, weights="area", **ALWAYS).value
    assert percentile == pytest.approx(compute_robust_hausdorff(theirs, 95), abs=1e-10)
    for tolerance in (0, 0.6, 1.2):
        expected = compute_surface_dice_at_tolerance(theirs, tolerance)
        assert sm.surface_dice(*ours, tolerance=tolerance, **ALWAYS).value == pytest.approx(expected, abs=1e-12)


@quiet
def test_every_piece_of_a_surface_has_the_area_of_surface_distance() -> None:
    from surface_distance import lookup_tables

    for spacing in ((1.0, 1.0, 1.0), (0.5, 0.7, 2.5)):
        expected = lookup_tables.create_table_neighbour_code_to_surface_area(spacing)
        assert piece_areas(spacing) == pytest.approx(expected, abs=1e-12)
    expected = lookup_tables.create_table_neighbour_code_to_contour_length((0.5, 2.0))
    assert piece_areas((0.5, 2.0)) == pytest.approx(expected, abs=1e-12)


@quiet
def test_named_difference_weights_elements_counts_surface_elements() -> None:
    """One element against two: of 1 + 2 surface elements 1 + 1 are within 0; the published tool adds up lengths."""
    from surface_distance import compute_surface_dice_at_tolerance

    assert sm.surface_dice(*GROWN, tolerance=0, weights="elements", **ALWAYS).value == 2 / 3
    length = compute_surface_dice_at_tolerance(measured(*GROWN), 0)
    assert (
        sm.surface_dice(*GROWN, tolerance=0, **ALWAYS).value == pytest.approx(length) == pytest.approx(0.8153, abs=1e-4)
    )


@quiet
def test_named_difference_surface_distance_does_not_interpolate_its_percentile() -> None:
    from surface_distance import compute_robust_hausdorff

    assert sm.hausdorff95(*GROWN, **ALWAYS).value == 0.95
    assert compute_robust_hausdorff(measured(*GROWN), 95) == 1


@quiet
def test_named_difference_surface_distance_measures_between_corners_of_elements() -> None:
    """A hole in the middle of a 7 × 7 square: its rim lies 2 elements from the outer surface, its corners 3 steps."""
    from surface_distance import compute_robust_hausdorff

    assert sm.hausdorff(*HOLE).value == 2
    assert compute_robust_hausdorff(measured(*HOLE), 100) == 3


def spine(folder: Path, name: str) -> sm.LabelArray:
    """A NIfTI volume of uint8 labels with its voxel sizes."""
    content = gzip.decompress((folder / "spine_nifti" / f"{name}.nii.gz").read_bytes())
    shape = np.frombuffer(content, "<i2", 3, 42)
    steps = np.frombuffer(content, "<f4", 3, 80)
    assert int(np.frombuffer(content, "<i2", 1, 70)[0]) == 2, "labels are uint8"
    labels = np.frombuffer(content, np.uint8, int(np.prod(shape)), 352).reshape(shape, order="F")
    return sm.LabelArray(labels, spacing=[float(f"{step:.5g}") for step in steps])


def test_a_real_spine_with_its_voxel_sizes_equals_medpy(shared_data: Path) -> None:
    """Every matched vertebra of a volume with voxels of 0.586 × 0.586 × 3.3 mm."""
    from medpy.metric import binary

    true, pred = spine(shared_data, "ref"), spine(shared_data, "pred")
    shapes = sm.matched_shapes(true, pred)
    assert len(shapes.alignment) > 1
    assert true.spacing == (0.58594, 0.58594, 3.3)
    expected = [
        (binary.hd(h, t, true.spacing), binary.hd95(h, t, true.spacing), binary.assd(h, t, true.spacing))
        for t, h in shapes.crops()
    ]
    assert shapes.hausdorff().tolist() == pytest.approx([row[0] for row in expected])
    assert shapes.hausdorff95("pooled").tolist() == pytest.approx([row[1] for row in expected])
    assert shapes.average_surface_distance().tolist() == pytest.approx([row[2] for row in expected])
    first = next(shapes.alignment.pairs())
    whole = binary.hd(pred.labels == first.pred_id, true.labels == first.true_id, true.spacing)
    assert shapes.hausdorff()[0] == pytest.approx(whole), "the box changes nothing"
